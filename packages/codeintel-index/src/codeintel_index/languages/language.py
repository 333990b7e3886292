"""What a language is to this package: one frozen value of data and small functions, made in one file of this folder."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codeintel_index.languages.resolution import ManifestReader, Resolver, Target

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_KEYS = 200  # of one file of data; a file with more is a table, and its keys are its rows
ALL_FOLDERS = 1000  # deeper than any path


@dataclass(frozen=True, slots=True)
class ImportRules:
    """How imports of a language name files, and what files see of each other without an import."""

    resolve: Resolver | None = None  # None: files of the language are never imported one by one
    family: str = ""  # languages whose files import each other share a name; by default the language's id
    also_imported_by: tuple[str, ...] = ()  # families whose files may import this language's
    names_the_file: bool = False  # an import holds the file's own name, a folder's name alone does not do
    names_symbols: bool = False  # an import holds a namespace that the file defines, not the file's name
    headless: tuple[str, ...] = ()  # modules that hold no name at all: the head of a folder, from within or beside
    packages: Callable[[Target], list[str]] | None = None  # the packages around a file, as imports write them
    package_head: str = ""  # the file through which a package re-exports what its modules define
    declares: Callable[[str, str, Target], bool] | None = None  # whether `mod NAME;` in a file means the target
    shared_folders: int = 0  # files that share so many first folders see each other's names without importing
    is_public: Callable[[str], bool] | None = None  # whether other packages see a name; None: they see all
    manifests: tuple[tuple[str, ManifestReader], ...] = ()  # file names (as globs) with their readers


@dataclass(frozen=True, slots=True)
class StubRules:
    """Node types of a grammar that tell an empty implementation from work, and the marks of a rightly empty one."""

    no_ops: tuple[str, ...]  # statements and expressions that do nothing
    blocks: tuple[str, ...]  # what only groups statements
    calls: tuple[str, ...] = ("call_expression",)
    throws: tuple[str, ...] = ("throw_statement",)
    returns: tuple[str, ...] = ("return_statement",)
    wrappers: tuple[str, ...] = ("expression_statement", "await_expression", "parenthesized_expression")
    bases: tuple[str, ...] = ()  # children of a class that name what it derives from, or fields in its head
    bodies: tuple[str, ...] = ()  # children that are a body where the grammar names none
    bodiless: tuple[str, ...] = ()  # definitions in which the grammar leaves an empty body out
    boilerplate: tuple[str, ...] = ()  # top-level nodes that are neither definition nor work
    intended: tuple[str, ...] = ()  # descendants of a callable's head that make an empty body right
    field_parameters: tuple[str, ...] = ()  # descendants of parameters that make them fields
    declaring_decorators: re.Pattern[str] | None = None  # decorators that make an empty body right
    any_attribute: bool = False  # any attribute is a reason for a class without members
    contract_kinds: tuple[str, ...] = ("interface", "trait", "annotation")  # whose members may do nothing by default
    contracts: re.Pattern[str] | None = None  # bases that make every member of a class a declaration
    declaring_condition: str = ""  # the name of a condition below which definitions serve type checkers alone
    declaring_suffixes: tuple[str, ...] = ()  # files that hold declarations only


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """One language: how its files are recognized, what its grammar calls things, how imports and stubs look in it."""

    id: str
    name: str  # for people
    finds: str  # for people: the kinds of symbols
    suffixes: tuple[str, ...]  # lower case, with the dot
    grammar: tuple[str, str]  # module and function that hands out the grammar
    queries: tuple[str, ...]  # `.scm` files in this folder, read one after the other
    comments: tuple[str, ...]  # node types
    strings: tuple[str, ...]  # node types
    interpolations: tuple[str, ...] = ()  # node types of code inside a string
    wrappers: tuple[str, ...] = ()  # node types around a definition that belong to its range
    file_names: tuple[str, ...] = ()  # whole names, for files without a telling suffix
    interpreters: tuple[str, ...] = ()  # names in a `#!` line, for files without a suffix
    separator: str = "."  # between the parts of a qualified name
    class_bindings: bool = False  # what a class body binds are its attributes
    docstrings: bool = False  # documentation is the first string of a body
    alternative: tuple[re.Pattern[bytes], str] | None = None  # a file that matches is of that language instead
    blanked: re.Pattern[bytes] | None = None  # what its group 1 matches is hidden from the grammar
    statement_ends: re.Pattern[bytes] | None = None  # group 1 ends one; each is parsed alone in a file with errors
    public_names: re.Pattern[str] | None = None  # top-level names that are exported where nothing is marked so
    multi_clause: bool = False  # a function may be written as several definitions in a row
    heading_rank: "Callable[[Node], int] | None" = None  # definitions are headings, nested by rank, 1 the highest
    is_data: bool = False  # names in it are keys and headings: no definitions unless nothing else is
    max_symbols: int | None = None  # of one file; beyond it only outer ones, and of these the first
    extra: str = ""  # the extra of this package that brings the grammar, if it does not come by itself
    imports: ImportRules = ImportRules()
    stubs: StubRules | None = None  # None: its implementations are not judged

    @property
    def family(self) -> str:
        """The name of all languages whose files import each other."""
        return self.imports.family or self.id
