"""Kotlin."""

import re

from codeintel_index.languages.java import JVM_IMPORTS
from codeintel_index.languages.language import Language

KOTLIN = Language(
    id="kotlin",
    name="Kotlin",
    finds="class, interface, enum, object, annotation, function, method, constructor, property, constant, type; "
    "an extension function has its type as parent",
    suffixes=(".kt", ".kts"),
    grammar=("tree_sitter_kotlin", "language"),
    queries=("kotlin.scm",),
    comments=("line_comment", "block_comment"),
    strings=("string_literal", "multiline_string_literal", "character_literal"),
    blanked=re.compile(rb"^[ \t]*(context\([^()\n]*\))(?=\s)", re.MULTILINE),  # unknown to the grammar
    interpolations=("interpolation",),
    imports=JVM_IMPORTS,
)
