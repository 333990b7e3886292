"""Bash and its relatives."""

import re

from codeintel_index.languages.language import ImportRules, Language
from codeintel_index.languages.resolution import Link, Project, Target, folder_of, joined, link_if
from codeintel_index.results import Import

_SHELL_PREFIX = re.compile(r"^.*(?:\)\"?|\}\"?|\$\w+\"?)(?=/)", re.DOTALL)
_SHELL = re.compile(r"\.(?:sh|bash|bats|zsh|ksh)$")


def _resolve(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`source lib/util.sh`; what precedes the first folder may only be known when it runs."""
    text = _SHELL_PREFIX.sub("", each.module)
    parts = tuple(part for part in _SHELL.sub("", text).strip("\"'").split("/") if part)
    wanted = tuple(_SHELL.sub("", target.path).split("/"))
    if joined(folder_of(importer), parts) == wanted:
        return Link.FILE
    sure = tuple(part for part in parts if part not in ("..", "."))
    return link_if(bool(sure) and wanted[-len(sure) :] == sure and (len(sure) > 1 or text != each.module))


BASH = Language(
    id="bash",
    name="Bash",
    finds="function, top-level variable",
    suffixes=(".sh", ".bash", ".bats", ".ksh", ".zsh", ".ebuild"),
    grammar=("tree_sitter_bash", "language"),
    queries=("bash.scm",),
    comments=("comment",),
    strings=("string", "raw_string", "ansi_c_string", "translated_string", "heredoc_body"),
    interpolations=("expansion", "simple_expansion", "command_substitution"),
    wrappers=("declaration_command",),
    file_names=(".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", "PKGBUILD", "APKBUILD"),
    interpreters=("bash", "sh", "dash", "ksh", "zsh", "bats"),
    imports=ImportRules(resolve=_resolve),
)
