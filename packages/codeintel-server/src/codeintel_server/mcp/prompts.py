"""The prompts of a project as MCP resources: what a reply names under `resources`, for a client that reads no files.

A project that was never initialized has no such files; there the built-in ones are given under the same names.
"""

from codeintel_index import IndexFault, read_source
from codeintel_server.project.library import ProjectLibrary

SCHEME = "code-intel:///"
HOME = ".code-intel/"
FOLDERS = ("", "verifiers", "doc_research", "review_prompts", "interventions")


def paths_of(library: ProjectLibrary) -> list[str]:
    """Paths of all prompts, as replies name them: `.code-intel/task_planning.md`."""
    return [f"{HOME}{folder}{'/' * bool(folder)}{name}" for folder in FOLDERS for name in library.prompts(folder)]


def uri_of(path: str) -> str:
    """`code-intel:///task_planning.md`."""
    return SCHEME + path.removeprefix(HOME)


def text_of(library: ProjectLibrary, uri: str) -> str | None:
    """The prompt behind a URI, the project's own, redacted, or else the built-in one; None if there is none."""
    path = HOME + uri.removeprefix(SCHEME)
    if not uri.startswith(SCHEME) or path not in paths_of(library):
        return None
    if (library.root / path).is_symlink() or (library.root / path).is_file():
        try:
            return read_source(library.root, path)[1].decode("utf-8", "replace")
        except IndexFault:  # not text, too large, or a link elsewhere
            return None
    from codeintel_templates import read_template

    return read_template(path.removeprefix("."))
