"""Scala."""

from codeintel_index.languages.java import JVM_IMPORTS
from codeintel_index.languages.language import Language

SCALA = Language(
    id="scala",
    name="Scala",
    finds="class, trait, object, enum, given, function, method, property, type",
    suffixes=(".scala", ".sbt", ".sc"),
    grammar=("tree_sitter_scala", "language"),
    queries=("scala.scm",),
    comments=("comment", "block_comment"),
    strings=("string", "interpolated_string", "character_literal"),
    interpolations=("interpolation",),
    extra="languages",
    imports=JVM_IMPORTS,
)
