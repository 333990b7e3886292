"""What a language is to the rest of this package: one frozen row, all of it data about its files and its grammar."""

import re
from dataclasses import dataclass

MOST_KEYS = 200  # of one file of data; a file with more is a table, and its keys are its rows


@dataclass(frozen=True, slots=True)
class LanguageRow:
    """One language: how its files are recognised and what its grammar calls things."""

    id: str
    suffixes: tuple[str, ...]  # lower case, with the dot
    grammar: tuple[str, str]  # module and function that hands out the grammar
    queries: tuple[str, ...]  # files in `queries/`, read one after the other
    comments: tuple[str, ...]  # node types
    strings: tuple[str, ...]  # node types
    holes: tuple[str, ...] = ()  # node types of code inside a string
    wrappers: tuple[str, ...] = ()  # node types around a definition that belong to its range
    file_names: tuple[str, ...] = ()  # whole names, for files without a telling suffix
    separator: str = "."  # between the parts of a qualified name
    docstrings: bool = False  # documentation is the first string of a body
    otherwise: tuple[re.Pattern[bytes], str] | None = None  # a file with this in it is of that language instead
    unseen: re.Pattern[bytes] | None = None  # what its group 1 matches is blank to the grammar
    statements: re.Pattern[bytes] | None = None  # group 1 ends a statement; each is read alone in a file with errors
    public: re.Pattern[str] | None = None  # with nothing marked as exported, the top names that are
    interpreters: tuple[str, ...] = ()  # names in a `#!` line, for files without a suffix
    clauses: bool = False  # a function may be written as several definitions in a row
    is_data: bool = False  # names in it are keys and headings: no definitions unless nothing else is
    most: int | None = None  # symbols of one file; beyond it only outer ones, and of these the first
    extra: str = ""  # the extra of this package that brings the grammar, if it does not come by itself
