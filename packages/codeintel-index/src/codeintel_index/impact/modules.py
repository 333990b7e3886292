"""Does an import mean a file? Answered for any spelling from paths, names and manifests, never by running a build.

The table says which languages spell alike. A language that is not in it takes in whole programs and no files (Swift).
"""

from collections.abc import Callable

from codeintel_index.impact.project import Project
from codeintel_index.impact.spelling import compiled, named, scripts
from codeintel_index.impact.spelling.base import Link, Target
from codeintel_index.languages import language_of
from codeintel_index.results import Import

Spelling = Callable[[str, Import, Target, Project], Link]
SPELLINGS: dict[str, Spelling] = {
    "python": scripts.python,
    **dict.fromkeys(("javascript", "typescript", "tsx"), scripts.script),
    "ruby": scripts.ruby,
    "lua": scripts.lua,
    "bash": scripts.shell,
    **dict.fromkeys(("css", "html"), scripts.sheet),
    "go": compiled.go,
    "rust": compiled.rust,
    **dict.fromkeys(("c", "cpp"), compiled.c),
    "zig": compiled.zig,
    **dict.fromkeys(("java", "kotlin", "scala"), named.jvm),
    "csharp": named.csharp,
    "php": named.php,
    "elixir": named.elixir,
    "haskell": named.haskell,
}
NOTHING_KNOWN = Project()
PASSING_ON = ("python", "javascript", "typescript", "tsx")  # packages may hand on what their modules define


def link(importer: str, each: Import, target: Target, project: Project = NOTHING_KNOWN) -> Link:
    """How close an import in `importer` comes to the file `target`."""
    spelling = SPELLINGS.get(language_of(importer))
    return Link.NONE if spelling is None or importer == target.path else spelling(importer, each, target, project)


def through_package(importer: str, each: Import, target: Target, project: Project = NOTHING_KNOWN) -> bool:
    """Whether an import takes one of the file's symbols from a package around the file, which passes it on."""
    language = language_of(importer)
    if target.names.isdisjoint(each.names) or language not in PASSING_ON:
        return False
    folders = target.segments[:-1]
    spelling = SPELLINGS[language]
    around = (folders[: depth + 1] for depth in range(len(folders)))
    head = "__init__.py" if language == "python" else "index.ts"
    return any(
        spelling(importer, Import(each.module, (), each.line), Target("/".join((*folder, head))), project)
        for folder in around
    )
