"""Markdown."""

from typing import TYPE_CHECKING

from codeintel_index.languages.language import Language

if TYPE_CHECKING:
    from tree_sitter import Node


def _heading_rank(node: "Node") -> int:
    """Return 1 to 6: of a section by the marker of its heading, of an underlined heading by its underline."""
    if node.type == "setext_heading":
        return 1 if any(child.type == "setext_h1_underline" for child in node.children) else 2
    marker = node.children[0].children[0]
    return int(marker.type.removeprefix("atx_h")[0])


MARKDOWN = Language(
    id="markdown",
    name="Markdown",
    finds="section, with all that is below its heading",
    suffixes=(".md", ".markdown", ".mdx"),
    grammar=("tree_sitter_markdown", "language"),
    queries=("markdown.scm",),
    comments=(),
    strings=(),
    is_data=True,
    heading_rank=_heading_rank,
)
