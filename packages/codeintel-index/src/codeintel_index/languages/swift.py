"""Swift: its imports name whole programs and no files."""

from codeintel_index.languages.language import ImportRules, Language

SWIFT = Language(
    id="swift",
    name="Swift",
    finds="class, struct, enum, actor, protocol, extension, function, method, constructor, property, type, operator",
    suffixes=(".swift",),
    grammar=("tree_sitter_swift", "language"),
    queries=("swift.scm",),
    comments=("comment", "multiline_comment"),
    strings=("line_string_literal", "multi_line_string_literal", "raw_string_literal"),
    interpolations=("interpolated_expression", "raw_str_interpolation"),
    imports=ImportRules(shared_folders=2),
)
