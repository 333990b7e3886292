"""The prompts of a project as MCP resources: what a reply names under `resources`, for a client that reads no files.

A project that was never initialized has no such files; there the built-in ones are given under the same names.
"""

from codeintel_server.library import ProjectLibrary

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
    """The prompt behind a URI, the project's own or else the built-in one; None if there is no such prompt."""
    path = HOME + uri.removeprefix(SCHEME)
    if not uri.startswith(SCHEME) or path not in paths_of(library):
        return None
    own = library.root / path
    if own.is_file():
        return own.read_text(encoding="utf-8", errors="replace")
    from codeintel_templates import texts

    return texts.read(path.removeprefix("."))
