"""One git command: the only place that starts the git program.

Every call gets a fixed environment, a time limit and its standard input closed or filled by us. Two kinds of call:
`read` and `probe` change nothing the user can see and run no program named by the repository but its content
filters; `write` may change refs, index or work tree and lets the user's hooks run. User text never stands where git
looks for options: callers put names behind full ref names, paths behind `--` or into standard input.
"""

import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from codeintel_session.adapters.git.faults import GitFailed, GitFault

READ_SECONDS = 120.0
WRITE_SECONDS = 900.0  # hooks run test suites
KILLED = -9

# Variables that bind git to another repository, index or way of reading paths than the one we name.
_INHERITED = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_INDEX_VERSION",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_QUARANTINE_PATH",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_REPLACE_REF_BASE",
    "GIT_CONFIG",
    "GIT_ATTR_SOURCE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
)
_ALWAYS = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true",
    "LC_ALL": "C",
    # Replaced objects and grafts would let another commit, or another history, stand for the session's base.
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
}
# A repository can name a program as its monitor or to look at signatures; a user can choose signs that hide our
# trailers from us.
_QUIET = ("-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c", "trailer.separators=:")
_READ_ONLY = ("-c", f"core.hooksPath={os.devnull}", "-c", "core.splitIndex=false")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended."""

    status: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Standard output as text, without its final newline."""
        return os.fsdecode(self.out).removesuffix("\n")

    @property
    def said(self) -> str:
        """Everything it said, for a person to read."""
        return "\n".join(part for part in (self.text.strip(), self.err.strip()) if part)


@dataclass(frozen=True, slots=True)
class GitProcess:
    """Runs git in one directory."""

    at: Path

    def probe(self, *args: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None) -> Outcome:
        """Run a reading command whose exit status is an answer."""
        quiet = {"GIT_OPTIONAL_LOCKS": "0", **(env or {})}
        return self._run([*_READ_ONLY, *args], stdin, quiet, READ_SECONDS)

    def read(self, *args: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None) -> Outcome:
        """Run a reading command that must succeed."""
        return _succeeded(args, self.probe(*args, stdin=stdin, env=env))

    def attempt(self, *args: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None) -> Outcome:
        """Run a writing command whose failure the caller explains."""
        return self._run(list(args), stdin, env or {}, WRITE_SECONDS)

    def write(self, *args: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None) -> Outcome:
        """Run a writing command that must succeed."""
        return _succeeded(args, self.attempt(*args, stdin=stdin, env=env))

    def _run(self, args: list[str], stdin: bytes | None, env: Mapping[str, str], seconds: float) -> Outcome:
        if stdin is None:
            return self._execute(args, None, env, seconds)
        with tempfile.TemporaryFile() as fed:
            fed.write(stdin)
            fed.seek(0)
            return self._execute(args, fed, env, seconds)

    def _execute(self, args: list[str], fed: BinaryIO | None, env: Mapping[str, str], seconds: float) -> Outcome:
        os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
        import git  # a third of a second: paid by the first command, not by every start

        # -C and not GitPython's working directory: that one expands `~` and `$` in names.
        command = [*_without_inherited(env), "git", "-C", str(self.at), *_QUIET, *args]
        limit = None if sys.platform == "win32" else seconds
        try:
            status, out, err = git.Git().execute(
                command,
                istream=fed,
                with_extended_output=True,
                with_exceptions=False,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
                kill_after_timeout=limit,
                env={**_ALWAYS, **env},
            )
        except git.GitCommandNotFound as missing:
            raise GitFault("git is not installed, or not on PATH") from missing
        if status == KILLED:
            raise GitFailed(" ".join(args[:1]), status, err)
        return Outcome(status, out, err)


def _without_inherited(kept: Mapping[str, str]) -> list[str]:
    """Words that start git without the variables above; GitPython can add to the environment but not take away."""
    found = [name for name in _INHERITED if name in os.environ and name not in kept]
    if found and sys.platform == "win32":
        raise GitFault("unset " + ", ".join(found) + " before starting")
    return ["env", *(word for name in found for word in ("-u", name))] if found else []


def _succeeded(args: tuple[str, ...], outcome: Outcome) -> Outcome:
    if outcome.status != 0:
        raise GitFailed(next((word for word in args if not word.startswith("-")), ""), outcome.status, outcome.said)
    return outcome
