"""Rows of the languages that run on a virtual machine."""

from codeintel_index.languages.row import LanguageRow

JAVA = LanguageRow(
    id="java",
    suffixes=(".java",),
    grammar=("tree_sitter_java", "language"),
    queries=("java.scm",),
    comments=("line_comment", "block_comment"),
    strings=("string_literal", "character_literal"),
    holes=("string_interpolation",),
)
