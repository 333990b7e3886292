"""Rows of the languages that servers of the web are mostly written in."""

import re

from codeintel_index.languages.row import LanguageRow

# Conditions may cut through any expression; the first branch is read, with the lines of the conditions taken out.
_CSHARP_UNSEEN = re.compile(
    rb"("
    rb"^[ \t]*#[ \t]*el(?:se|if)\b(?:(?!^[ \t]*#[ \t]*(?:if|endif)\b)[\s\S])*?^[ \t]*#[ \t]*endif\b[^\n]*"
    rb"|^[ \t]*#[ \t]*(?:if|elif|else|endif)\b[^\n]*"
    rb"|(?<![\w)\]] )\*\(\w+\*\)(?=[\w(])"  # pointers at which the grammar loses the class
    rb")",
    re.MULTILINE,
)

CSHARP = LanguageRow(
    id="csharp",
    suffixes=(".cs", ".csx"),
    grammar=("tree_sitter_c_sharp", "language"),
    queries=("csharp.scm",),
    comments=("comment",),
    strings=(
        "string_literal",
        "verbatim_string_literal",
        "raw_string_literal",
        "interpolated_string_expression",
        "character_literal",
    ),
    holes=("interpolation",),
    unseen=_CSHARP_UNSEEN,
    wrappers=("global_statement",),
)

PHP = LanguageRow(
    id="php",
    suffixes=(".php", ".phtml", ".php5", ".inc"),
    grammar=("tree_sitter_php", "language_php"),
    queries=("php.scm",),
    comments=("comment",),
    strings=("string", "encapsed_string", "heredoc", "nowdoc", "shell_command_expression", "text"),
    holes=(
        "variable_name",
        "dynamic_variable_name",
        "member_access_expression",
        "member_call_expression",
        "subscript_expression",
        "scoped_call_expression",
        "function_call_expression",
    ),
    wrappers=("const_declaration", "property_declaration", "expression_statement"),
    separator="\\",
    interpreters=("php",),
)

RUBY = LanguageRow(
    id="ruby",
    suffixes=(".rb", ".rake", ".gemspec", ".ru", ".rbi", ".podspec", ".jbuilder"),
    grammar=("tree_sitter_ruby", "language"),
    queries=("ruby.scm",),
    comments=("comment",),
    strings=("string", "heredoc_body", "regex", "subshell", "string_array", "chained_string", "uninterpreted"),
    holes=("interpolation",),
    file_names=("Rakefile", "Gemfile", "Guardfile", "Capfile", "Vagrantfile", "Podfile", "Fastfile", "Brewfile"),
    separator="::",
    interpreters=("ruby",),
    public=re.compile(r"[A-Z]"),
)
