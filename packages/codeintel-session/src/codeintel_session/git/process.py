"""Run one git command. No other module starts the git program.

Every call gets a fixed environment, a time limit, and standard input that is closed or filled by us. There are two
kinds: `read` and `probe` change nothing the user can see and run no program that the repository names except its
content filters; `write` and `attempt` may change refs, index or work tree and run the user's hooks. Reading contents
has a limit on memory too: a small pack can hold an object of many gigabytes, and eight small trees a hundred million
entries. Writing has none, as hooks would inherit it. User text never appears where git expects options: callers
pass full ref names, and paths after `--` or in standard input. What git could not get past is found first.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from codeintel_contract import find_trap, quote_name
from codeintel_session.git.faults import GitFailed, GitFault

READ_SECONDS = 120.0
WRITE_SECONDS = 900.0  # hooks run test suites
KILLED = -9

# Variables that bind git to another repository, another index or another interpretation of paths.
_INHERITED = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_INDEX_VERSION",
    "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH", "GIT_NAMESPACE", "GIT_PREFIX",
    "GIT_INTERNAL_SUPER_PREFIX", "GIT_SHALLOW_FILE", "GIT_REPLACE_REF_BASE", "GIT_CONFIG", "GIT_ATTR_SOURCE",
    "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
)  # fmt: skip
_ALWAYS = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true",
    "LC_ALL": "C",
    # Replaced objects and grafts would substitute another commit, or another history, for the session's base.
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
}
# A repository can configure a program as its monitor or to verify signatures; a user can configure separators that
# hide our trailers from us.
# git would advise against the graft file above before the output of every hook.
_QUIET = (
    *("-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c", "trailer.separators=:"),
    *("-c", "advice.graftFileDeprecated=false"),
)
_KEEPING_MEMORY = {
    f"MALLOC_{name}_": str(size)
    for name, size in (("TRIM_THRESHOLD", 64_000_000), ("TOP_PAD", 8_000_000), ("MMAP_THRESHOLD", 32_000_000))
}
"""For each file of a pack git takes 300 KB and gives them back: to glibc, not to the system, in a quarter of the
time."""
TEXT_BYTES = 16_000_000
"""A larger file is compared as a whole and not line by line, and is not held in memory."""
_READ_ONLY = (
    *("-c", f"core.bigFileThreshold={TEXT_BYTES}"),
    *("-c", f"core.hooksPath={os.devnull}", "-c", "core.splitIndex=false"),
    # Of packs no more is mapped at once than fits into the limit, however many there are.
    *("-c", "core.packedGitLimit=128m", "-c", "core.packedGitWindowSize=32m"),
)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a command may take where the system knows such limits (Linux). Packs do not count as memory."""

    megabytes: int
    seconds: int = 0

    def __str__(self) -> str:
        time = f" and {self.seconds} s of processor time" if self.seconds else ""
        return f"it may take {self.megabytes} MB of memory{time}"

    @property
    def steps(self) -> list[str]:
        """The words by which a shell sets them."""
        kinds = (("d", self.megabytes * 1000), ("t", self.seconds))
        return [f"ulimit -{kind} {most} 2>/dev/null" for kind, most in kinds if most]


_READS = Limits(1000)
_LISTS = Limits(500, 3)
"""A million entries take half of each."""
_LIMITS = {
    **dict.fromkeys(("cat-file", "checkout-index", "diff-files", "diff-tree", "log", "show", "update-index"), _READS),
    **dict.fromkeys(("ls-tree", "read-tree"), _LISTS),
}
"""Of commands that read contents. Others, such as `rev-parse`, are spared them, as they cost a third of their time."""
_NOT_FOUND = 127


@dataclass(frozen=True, slots=True)
class Outcome:
    """The exit status and output of a command."""

    status: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Standard output as text, without its final newline."""
        return os.fsdecode(self.out).removesuffix("\n")

    @property
    def output(self) -> str:
        """Everything it printed, for a person to read."""
        return "\n".join(part for part in (self.text.strip(), self.err.strip()) if part)


@dataclass(frozen=True, slots=True)
class GitProcess:
    """Run git in one directory."""

    at: Path

    def probe(self, *args: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None) -> Outcome:
        """Run a reading command whose exit status is part of the result."""
        quiet = {"GIT_OPTIONAL_LOCKS": "0", **_KEEPING_MEMORY, **(env or {})}
        return self._run([*_READ_ONLY, *args], stdin, quiet, READ_SECONDS, _limits(args))

    def read(self, *args: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None) -> Outcome:
        """Run a reading command that must succeed."""
        return _succeeded(args, self.probe(*args, stdin=stdin, env=env))

    def attempt(self, *args: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None) -> Outcome:
        """Run a writing command whose failure the caller handles."""
        return self._run(list(args), stdin, env or {}, WRITE_SECONDS)

    def write(self, *args: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None) -> Outcome:
        """Run a writing command that must succeed."""
        return _succeeded(args, self.attempt(*args, stdin=stdin, env=env))

    def _run(
        self, args: list[str], stdin: bytes | None, env: Mapping[str, str], seconds: float, limits: Limits | None = None
    ) -> Outcome:
        trap = find_trap(str(self.at))
        if trap:
            kind = f"{quote_name(trap)} is a pipe, a device or very large"
            raise GitFault(f"{kind}, and git would read it. Remove it or make it smaller")
        os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
        import git  # takes a third of a second, which only the first command should pay for

        watch = _lifeline() if limits and _CAN_WATCH else 0
        # -C, because GitPython expands `~` and `$` in its working directory.
        command = [*_prepared(env, limits, watch), "git", "-C", str(self.at), *_QUIET, *args]
        try:
            started = git.Git().execute(
                command,
                istream=None if stdin is None else subprocess.PIPE,
                as_process=True,
                env={**_ALWAYS, **env},
                start_new_session=True,
                pass_fds=(watch,) if watch else (),
            )
        except git.GitCommandNotFound as missing:
            raise GitFault("git is not installed, or not on PATH") from missing
        process: subprocess.Popen[bytes] = started.proc  # type: ignore[assignment]
        if seconds == READ_SECONDS:
            _READING.add(process)
        try:
            out, err = process.communicate(stdin, timeout=seconds)
        except subprocess.TimeoutExpired as late:
            raise GitFailed(_name(args), KILLED, f"Timeout: it did not end within {seconds:g} s") from late
        finally:
            _READING.discard(process)
            _end(process, is_watched=watch > 0)
        if process.returncode == _NOT_FOUND and command[0] != "git":
            raise GitFault("git is not installed, or not on PATH")
        said = os.fsdecode(err).removesuffix("\n")
        if process.returncode == KILLED or (limits and process.returncode and "ut of memory" in said):
            raise GitFailed(_name(args), KILLED, f"{said or 'it was stopped'} ({limits})" if limits else said)
        return Outcome(process.returncode, out, said)


_READING: set["subprocess.Popen[bytes]"] = set()


def stop_reading() -> None:
    """Stop the commands that read, so that none outlives this process; one that writes continues to its end."""
    for process in list(_READING):
        _end(process)


def _end(process: "subprocess.Popen[bytes]", *, is_watched: bool = False) -> None:
    """Kill a command that still runs, with its filters and hooks: one of these can hold the output it is read from.

    Of one that is watched and has ended, the shell that watches is left to kill.
    """
    if process.poll() is not None and not is_watched:
        return
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@cache
def _lifeline() -> int:
    """Return one end of a pipe: the other closes when this process is gone, even if it was killed."""
    return os.pipe()[0]


_CAN_WATCH = sys.platform != "win32" and os.getpid() != 1
"""Nobody would collect the watching shells of a server that is the first process of a container."""


def _limits(args: Sequence[str]) -> Limits | None:
    name = _name(args)
    return _LISTS if name == "diff-tree" and {"--raw", "--name-only"} & {*args} else _LIMITS.get(name)


def _prepared(env: Mapping[str, str], limits: Limits | None, watch: int) -> list[str]:
    """Return the words that start git without the variables above, and with limits if there are any.

    A shell beside it waits at the lifeline `watch`, to kill git and its filters. GitPython can add variables but not
    remove them, and the process that is started remains the one that is ended.
    """
    found = [name for name in _INHERITED if name in os.environ and name not in env]
    if sys.platform == "win32":
        if found:
            raise GitFault("unset " + ", ".join(found) + " before starting")
        return []
    steps = [
        *[f"unset {' '.join(found)}"] * bool(found),
        *[f"{{ (exec </dev/fd/{watch}; read -r _; kill -9 0) >/dev/null 2>&1 & }}"] * bool(watch),
        *(limits.steps if limits else ()),
    ]
    return ["/bin/sh", "-c", "; ".join([*steps, 'exec "$0" "$@"'])] if steps else []


def _succeeded(args: tuple[str, ...], outcome: Outcome) -> Outcome:
    if outcome.status != 0:
        raise GitFailed(_name(args), outcome.status, outcome.output)
    return outcome


def _name(args: Iterable[str]) -> str:
    """Return the command among words that may begin with options and settings."""
    words = iter(args)
    return next((word for word in words if not (word == "-c" and next(words)) and not word.startswith("-")), "")
