"""What a program of a command line writes, and what it prints, by the table of programs.

Most programs are their row alone; `SPECIAL` names the functions for what no row can say.
"""

from __future__ import annotations

import os
import re

from codeintel_server.guard import containers, editors, git, scripts, searches, shells, writers
from codeintel_server.guard.commands import Shell, Write
from codeintel_server.guard.row import Parsed, Program
from codeintel_server.guard.table import SUBCOMMANDS, TABLE
from codeintel_server.guard.unknown import is_made, is_new, run_options, run_unknown
from codeintel_server.guard.words import Word, joined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Way = Callable[[Shell, str, list[Word], Word | None], Word | None]

HELP = frozenset({"--help", "--version", "--usage"})
SCRIPTS = frozenset({"-e", "-f", "-E", "--expression", "--file", "--reference"})
DELETERS = frozenset({"rm", "rmdir", "unlink", "shred", "srm", "trash", "trash-put", "rimraf", "del-cli"})
_CODE = re.compile(r"[\"'(;]")
_ELSEWHERE = frozenset(("ssh", "docker", "kubectl"))
_REMOTE = re.compile(r"[\w.@-]{2,}:")
ALIASES = {
    "codeintel_server": "codeintel",
    "hub": "git",
    "pypy": "python",
    "ipython": "python",
    "nodejs": "node",
    "ts-node": "node",
    "tsx": "node",
    "applypatch": "apply_patch",
    "lib2to3": "2to3",
    "rscript": "Rscript",
    "podman": "docker",
    "nerdctl": "docker",
    "claude-code": "claude",
    "scala-cli": "scala",
    "irb": "ruby",
    "pry": "ruby",
}


def writes(line: str, folder: str) -> list[Write]:
    """Return what a command line would write, if it ran in a folder.

    Raises:
        Unreadable: it is too long, or nested too deeply.
        ImportError: the grammar is not installed.
    """
    shell = Shell(folder, run)
    shell.line(line)
    return shell.found


def run(shell: Shell, words: list[Word], fed: Word | None) -> Word | None:
    """Follow a command: note what it writes; returns what it prints, None if that is not known."""
    if not words or words[0].listed or not words[0].text:
        return None
    for text in words[0].texts[1:]:
        run(shell, [Word(text), *words[1:]], fed)
    name, rest = words[0].text.rpartition("/")[2].removesuffix(".exe"), words[1:]
    if name in shell.functions:
        return shell.call(name, rest, fed)
    if (known := shell.values.get(f"alias {name}")) is not None:
        del shell.values[f"alias {name}"]
        return shell.lines([joined([known, *rest], " ")], fed)
    written = searches.script(shell, words[0]) if "/" in words[0].text else words[0].inner
    if written is not None:
        scripts.script(shell, name, rest, written)
        return None
    if "/" in words[0].text and not words[0].is_open:
        scripts.run_project(shell, name, words[0], rest)
    if words[0].is_open or HELP & {word.text for word in rest[:2]}:
        return None
    if name == "git" and rest[-1:] and rest[-1].text == "-h":
        return None
    name = name.lower() if "-" in name else name
    bare = name.rstrip("0123456789.")
    if not name.startswith("@") and ("@" in name or "#" in name):  # of npx, uvx, nix: a version, a source
        name = name.partition("@")[0].rpartition("#")[2]
        bare = name
    name = ALIASES.get(name) or ALIASES.get(bare, bare if bare in SPECIAL else name)
    scripts.run_mentioned(shell, name, rest, name in _ELSEWHERE)
    special = SPECIAL.get(name)
    if special is not None and name not in TABLE and name not in SUBCOMMANDS:
        return special(shell, name, rest, fed)
    how, row, head, rest = _find_row(name, rest)
    if name == "git":
        shell = git.git_shell(shell, Parsed(TABLE["git"], head or rest), fed)
    _by_row(shell, how, row, rest, fed)
    return special(shell, how, rest, fed) if special is not None else None


def _find_row(name: str, words: list[Word]) -> tuple[str, Program | None, list[Word], list[Word]]:
    """Return the row of the longest `name sub-command` there is, with the words before and after the sub-command."""
    row, head, at = TABLE.get(name), 0, 0
    while at < len(words) and name in SUBCOMMANDS:
        text = words[at].text
        longer = f"{name} {text}"
        if longer in TABLE or longer in SUBCOMMANDS:
            name, row, head = longer, TABLE.get(longer, row), at + 1
        elif text[:1] not in ("-", "+"):
            break
        at += 2 if row and text in row.values else 1
    return name, row, words[: max(head - 1, 0)], words[head:]


def _by_row(shell: Shell, how: str, row: Program | None, words: list[Word], fed: Word | None) -> None:
    if row is None:
        run_unknown(shell, how, words, fed)
        given = [fed] if fed is not None and any(word.text == "-" for word in words) else []
        given += [word for word in words if _CODE.search(word.text)] + [word.inner for word in words if word.inner]
        for word in given:
            scripts.script(shell, f"{how}.", [], word)
        return
    run_options(shell, how, row, words)
    parsed = Parsed(row, words)
    operands = [word for word in parsed.operands if word.text or word.listed or word.is_open]
    for word in parsed.values(row.code):
        shell.copy().lines([word], fed)
    if row.runs >= 0 and len(operands) > row.runs:
        inner = shell.copy() if row.at & parsed.given.keys() else shell
        for word in parsed.values(row.at):
            inner.move(word)
        inner.run_words(_without_dashes(how, operands[row.runs :]), fed)
    is_undone = any(
        f"--no-{flag[2:]}".startswith(other) for flag in row.free for other in parsed.flags if other > "--no-"
    )
    if row.free & (parsed.flags | {word.text for word in operands}) and not is_undone:
        return
    shell.write(how, *parsed.values(row.to))
    is_named = any(not word.text.startswith(".") for word in operands)
    if (
        row.only
        and not row.only & (parsed.flags | {word.text for word in operands})
        and not ("OPERAND" in row.only and is_named)
    ):
        return
    harmless = git.HARMLESS.get(row.writes)
    if row.says:
        if harmless is None or not harmless(shell, how, parsed, words):
            shell.found.append(Write(shell.folder or os.curdir, "", how, row.says)) if shell.folder else None
    elif harmless is not None:
        harmless(shell, how, parsed, words)
    else:
        _operands(shell, how, row, parsed, operands)


def _without_dashes(how: str, words: list[Word]) -> list[Word]:
    """Return what npm and nix run: `--` ends its own options, also after the program's name."""
    at = next((at for at, word in enumerate(words) if word.text == "--"), -1) if how[:4] in ("npm ", "nix ") else -1
    return words if at < 0 else words[:at] + words[at + 1 :]


def _operands(shell: Shell, how: str, row: Program, parsed: Parsed, operands: list[Word]) -> None:
    into = parsed.values(row.into)
    if row.writes == "lines":
        shell.copy().lines([word for word in operands if " " in word.text])
        return
    if _is_elsewhere(how, operands):
        return
    if row.writes == "rest" and (SCRIPTS & parsed.given.keys() or any(_is_mode(flag) for flag in parsed.flags)):
        written = operands
    elif row.writes in ("last", "moved") and not into and len(operands) > 1:
        *sources, target = operands
        _put(shell, how, sources, target)
        written = sources if row.writes == "moved" else []
    else:
        picks = {"rest": operands[1:], "after2": operands[2:], "first": operands[:1], "second": operands[1:2]}
        written = picks.get(row.writes, operands if row.writes in ("all", "last", "moved", "tree") else [])
    for folder in into:
        _put(shell, how, operands, folder, is_folder=True)
    if row.writes == "new":
        for word in operands[-1:]:
            if is_new(shell, word.text):
                shell.write(how, word)
            elif word.text != ".venv" and is_made(shell, word.text.partition("/")[0]):
                shell.make(how, word)
        return
    if row.writes in ("tree", "here"):
        if not into:
            shell.write_tree(how, *(written if row.writes == "tree" else ()))
        return
    if "." in row.writes or row.writes[:1].isupper():
        written = [Word(row.writes)]
    if not into or row.writes in ("all", "moved"):
        shell.write(how, *written, must_exist=how in DELETERS or row.writes in ("moved", "rest"))


def _is_mode(flag: str) -> bool:
    """Say whether an option is a mode of chmod: `-x`."""
    return len(flag) > 1 and set(flag[1:]) <= set("rwxXst")


def _put(shell: Shell, how: str, sources: list[Word], target: Word, is_folder: bool = False) -> None:
    """Note what is written where a target may be a folder: the sources' names in it."""
    path = os.path.join(shell.folder or os.curdir, os.path.expanduser(target.text))
    if target.listed or not (is_folder or target.text.endswith("/") or os.path.isdir(path)):
        shell.write(how, target)
        return
    names = [name.rstrip("/").rpartition("/")[2] for word in sources for name in word.paths(shell.folder or os.curdir)]
    head = target.text.rstrip("/")
    places = (f"{head}/{name}" if name not in ("", ".") else target.text for name in names or [""])
    shell.write(how, *map(target.with_text, places))


def _is_elsewhere(how: str, operands: list[Word]) -> bool:
    """Say whether a program that copies between machines copies to another one: `host:/path`, `s3://bucket`."""
    is_copying = how.split()[0] in (
        "scp", "sftp", "rsync", "rclone", "docker", "kubectl", "aws", "gsutil", "gcloud",
    )  # fmt: skip
    return (
        is_copying
        and how.split()[-1] not in ("mv", "move", "moveto")
        and bool(operands and _REMOTE.match(operands[-1].text))
    )


_SPECIAL: dict[str, Way] = {
    "sh bash dash zsh ksh ash fish csh tcsh elvish nu xonsh": shells.shell,
    "source .": shells.source,
    "cd pushd popd": shells.cd,
    "read mapfile readarray": shells.read,
    "echo printf print": shells.echo,
    "cat tee sort uniq head tail tac cut tr nl rev column sponge base64 jq paste xxd": shells.pass_on,
    "basename dirname": shells.basename,
    "at batch": shells.fed_lines,
    "grep egrep fgrep rg ag ack": searches.grep,
    "ls exa eza": searches.ls,
    "fd fdfind": searches.fd,
    "xargs parallel entr": searches.xargs,
    "sed gsed": writers.sed,
    "awk gawk mawk nawk": writers.awk,
    "tar gtar bsdtar": writers.tar,
    "make gmake": writers.make,
    "psql sqlite3 duckdb mysql mariadb clickhouse clickhouse-client clickhouse-local mongosh": writers.sql,
    "patch apply_patch": writers.patch,
    "python node perl ruby php lua octave jrunscript deno bun Rscript R julia raku elixir erl groovy osascript "
    "tclsh luajit scala jshell clojure clj bb guile racket sbcl ghc runghc ocaml kotlin swift crystal hy janet "
    "fennel gjs qjs d8": writers.interpreter,
    "docker docker-compose": containers.container,
    "which type command realpath readlink": shells.which,
    "mvn mvnw gradle gradlew sbt mill": writers.build_task,
    "jar": writers.jar,
    "cmake": writers.cmake,
    "socat": writers.socat,
    "mktemp": writers.mktemp,
    "ssh": shells.ssh,
    "pdb timeit cProfile profile trace runpy": writers.module_with_code,
    "mix rails manage.py artisan": writers.runner,
    "export": scripts.run_setting,
    "eval": shells.evaluate,
    "alias": shells.alias,
    "trap": shells.trap,
    "set": shells.set_arguments,
    "pwd": shells.pwd,
    "find": searches.find,
    "coverage": writers.coverage,
    "git": git.git,
    "dd": writers.dd,
    "ln": writers.link,
    "tsc": writers.tsc,
    "npm pnpm yarn": writers.package_task,
    "just task tox nox invoke rake composer poe": writers.task,
    "curl": writers.curl,
    "wget": writers.wget,
    "emacs": editors.emacs,
    "gdb": writers.debugger,
    "vi vim nvim view ex gvim vimdiff rvim less": editors.vim,
    "pwsh powershell": writers.powershell,
    "split csplit": writers.split,
}
SPECIAL = {name: way for names, way in _SPECIAL.items() for name in names.split()}
