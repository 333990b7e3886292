"""Rows of the languages that run on a virtual machine."""

import re

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

KOTLIN = LanguageRow(
    id="kotlin",
    suffixes=(".kt", ".kts"),
    grammar=("tree_sitter_kotlin", "language"),
    queries=("kotlin.scm",),
    comments=("line_comment", "block_comment"),
    strings=("string_literal", "multiline_string_literal", "character_literal"),
    unseen=re.compile(rb"^[ \t]*(context\([^()\n]*\))(?=\s)", re.MULTILINE),  # unknown to the grammar
    holes=("interpolation",),
)

SCALA = LanguageRow(
    id="scala",
    suffixes=(".scala", ".sbt", ".sc"),
    grammar=("tree_sitter_scala", "language"),
    queries=("scala.scm",),
    comments=("comment", "block_comment"),
    strings=("string", "interpolated_string", "character_literal"),
    holes=("interpolation",),
    extra="languages",
)
