"""Ruby."""

import re

from codeintel_index.languages.language import ImportRules, Language, StubRules
from codeintel_index.languages.resolution import Link, Parts, Project, Target, folder_of, joined, link_if
from codeintel_index.results import Import


def _resolve(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`require_relative '../cart'` and `require 'shop/cart'`, which is looked for below folders of sources."""
    parts = tuple(each.module.removesuffix(".rb").split("/"))
    wanted = tuple(target.path.removesuffix(".rb").split("/"))
    if joined(folder_of(importer), parts) == wanted:
        return Link.FILE
    return link_if(".." not in parts and parts == wanted[-len(parts) :] and _at_root(wanted[: -len(parts)]))


def _at_root(above: Parts) -> bool:
    return not above or above[-1] in ("lib", "app", "spec", "test", "tests", "src")


RUBY = Language(
    id="ruby",
    name="Ruby",
    finds="module, class, function, method (also an alias), property (`attr_accessor`), constant",
    suffixes=(".rb", ".rake", ".gemspec", ".ru", ".rbi", ".podspec", ".jbuilder"),
    grammar=("tree_sitter_ruby", "language"),
    queries=("ruby.scm",),
    comments=("comment",),
    strings=("string", "heredoc_body", "regex", "subshell", "string_array", "chained_string", "uninterpreted"),
    interpolations=("interpolation",),
    file_names=("Rakefile", "Gemfile", "Guardfile", "Capfile", "Vagrantfile", "Podfile", "Fastfile", "Brewfile"),
    separator="::",
    interpreters=("ruby",),
    public_names=re.compile(r"[A-Z]"),
    imports=ImportRules(resolve=_resolve),
    stubs=StubRules(
        no_ops=("empty_statement", "block_parameters"),
        blocks=("body_statement", "block_body", "do_block", "block", "begin"),
        calls=("call",),
        throws=(),
        returns=("return",),
        wrappers=("parenthesized_statements",),
        bases=("superclass",),
        bodies=("do_block", "block"),
        bodiless=("method", "singleton_method", "class", "module"),
        contract_kinds=(),
    ),
)
