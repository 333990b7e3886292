"""The gate of a project as the guard sees it: found from a path, asked about it, added to when a client read files.

The server writes the gate file with every checkpoint and removes it at the end. Without a session the guard has nothing
to say: people work without the workflow too. A session that is unfinished and has no server denies every write.
"""

from __future__ import annotations

import os

from codeintel_contract import GATE_FILE, USER_FOLDER, Gate, is_protected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from codeintel_templates import Event

STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/tty")
READ_LOG = ".code-intel/sessions/seen.jsonl"
MAX_LOG = 1_000_000
WAIT_S = 1
_STEERING = (
    r"(?:^|/)(?:(?:conftest|sitecustomize|usercustomize|noxfile)\.py|[^/]*\.pth|pytest\.ini|tox\.ini|setup\.cfg"
    r"|\.mocharc[^/]*|(?:jest|vitest|vite|babel|playwright|cypress|karma)\.[^/]*)$"
    r"|(?:^|/)(?:site-packages|node_modules)/[^.]"
)
"""What a test runner reads although git ignores it: whoever writes it decides what the tests say."""
_LEFTOVERS = (
    r"(?:^|/)(?:\.coverage[^/]*|coverage|coverage\.(?:xml|json|lcov|out|txt)|htmlcov|lcov\.info|\.nyc_output|junit[^/]*\.xml|test-results|report\.xml"
    r"|__pycache__|[^/]*\.py[co]|\.(?:pytest|mypy|ruff|hypothesis|benchmarks)(?:_cache)?|\.tox|\.nox|\.eggs|[^/]*\.egg-info"
    r"|\.cache|\.parcel-cache|\.turbo|\.next|\.gradle|node_modules|\.DS_Store|nohup\.out"
    r"|[^/]*\.(?:log|tmp|pid|lock|swp|orig|rej|prof|out|o|class))(?:/|$)"
)
"""What tests and builds leave behind: nobody's work, unless git knows it."""


class BrokenGate(Exception):
    """A gate file that a session needs and that cannot be read."""


class NoServer(Exception):
    """An unfinished session that no server watches: its id."""


class ProjectGate:
    """The gate of a running session, with the root of its project, links followed."""

    def __init__(self, root: str, gate: Gate, written_at: float) -> None:
        self.root = root
        self.session_id = gate.session_id
        self.policy = gate.policy
        self.written_at = written_at
        self._messages = gate.messages

    def say(self, key: str, **values: str) -> str:
        """Return a message of the contract file with its placeholders filled.

        Raises BrokenGate: the gate file does not hold it.
        """
        if key not in self._messages:
            raise BrokenGate(f"no message {key}")
        import re

        # One pass, so that braces inside a value stay what they are.
        return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), self._messages[key])

    def refuse(self, name: str, path: str, is_tree: bool = False) -> str:
        """Return why a path may not be written now and what to do, "" if it may.

        Args:
            name: the path as the call names it.
            path: where it leads.
            is_tree: whether a formatter goes through a folder: what it changes there shows in the comparison.
        """
        inside = below(self.root, path)
        if inside is None:
            is_free = is_scratch(path) and not self.holds(os.path.dirname(path))
            return "" if is_free else self.say("tool_errors.check_write_target.outside_project", path=name)
        if is_tree and self.policy.is_open and not is_protected(inside):
            return ""
        why = self.policy.refuse_write(inside, not os.path.lexists(path), self._nearest_folder(path))
        below_it = f"{inside}/_" if is_tree else inside  # what is not there yet may be a folder, which rules tell apart
        if not why or (not is_protected(inside) and (_is_free(self.root, inside) or _is_free(self.root, below_it))):
            return ""
        is_folder = why == "not_explored" and os.path.isdir(path)
        key = "tool_errors.guard.folder" if is_folder else f"tool_errors.check_write_target.{why}"
        return self.say(key, path=inside, phase=self.policy.phase)

    def holds(self, folder: str) -> bool:
        """Say whether git, called in a folder, works on the repository of the project."""
        return repository_of(os.path.realpath(folder)) == repository_of(self.root)

    def changed_since(self) -> list[tuple[str, str]]:
        """Return the files that changed after the gate was written and may not differ, each with the reason."""
        found = []
        for inside, is_new in _changed(self.root):
            path = os.path.join(self.root, inside)
            if inside.startswith(f"{USER_FOLDER}/") or _changed_at(path) <= self.written_at:
                continue
            why = self.policy.refuse_write(inside, is_new, self._nearest_folder(path))
            if why and not (is_new and _fits(_LEFTOVERS, inside)):
                found.append((inside, why))
        return found

    def _nearest_folder(self, path: str) -> str:
        folder = os.path.dirname(path)
        while not os.path.isdir(folder):
            folder = os.path.dirname(folder)
        nearest = below(self.root, folder)
        return "" if nearest in (".", None) else str(nearest)

    def note_read(self, event: Event) -> None:
        """Note the files of the project that a client showed, a line each; the next submission takes them in."""
        import json

        log = os.path.join(self.root, READ_LOG)
        lines = []
        for name in event.paths:
            path = resolved(event.folder, name)
            inside = below(self.root, path) if path and os.path.isfile(path) else None
            if inside:
                lines.append(json.dumps({"session_id": self.session_id, "tool": event.tool, "path": inside}) + "\n")
        if lines and not (os.path.exists(log) and os.path.getsize(log) > MAX_LOG):
            handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(handle, "".join(lines).encode("utf-8", "surrogateescape"))
            finally:
                os.close(handle)


class Gates:
    """The gates of the projects that a call touches; a path in none is outside the project of the call's folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._found: dict[str, ProjectGate | None] = {}

    def of(self, folder: str) -> ProjectGate | None:
        """Return the gate that decides in a folder.

        Raises:
            BrokenGate: there is a gate file that cannot be read.
            NoServer: there is an unfinished session without a server.
        """
        if folder not in self._found:
            self._found[folder] = find_gate(folder)
        if self._found[folder] is None and folder != self._folder:
            return self.of(self._folder)
        if self._found[folder] is None and (started := os.environ.get("CLAUDE_PROJECT_DIR")):
            return find_gate(started)  # the agent has left the project with `cd`
        return self._found[folder]

    def refuse(self, folder: str, name: str, is_tree: bool = False) -> str:
        """Return why a path may not be written now, "" if it may. Errors as for `of`."""
        if name in STREAMS or (name.startswith("/dev/fd/") and name[8:].isdigit()):
            return ""  # in this process they lead elsewhere than they will in the command's
        path = resolved(folder, name)
        if path is None:
            gate = self.of(self._folder)
            return gate.say("tool_errors.check_write_target.outside_project", path=name) if gate else ""
        gate = self.of(path if os.path.isdir(path) else os.path.dirname(path))
        return gate.refuse(name, path, is_tree) if gate else ""


def find_gate(folder: str) -> ProjectGate | None:
    """Return the gate of the project that holds a folder, None where no session is unfinished.

    The nearest gate counts, whatever repositories lie between: a repository made inside the project is part of it.

    Raises:
        BrokenGate: there is a gate file that cannot be read.
        NoServer: there is an unfinished session without a server.
    """
    root = os.path.realpath(folder)
    while True:
        path = os.path.join(root, GATE_FILE)
        if os.path.isfile(path):
            return _read(root, path)
        if unfinished := _unfinished(os.path.dirname(path)):
            raise NoServer(unfinished)
        parent = os.path.dirname(root)
        if parent == root:
            return None
        root = parent


def _unfinished(sessions: str) -> str:
    """Return the newest session of a folder of checkpoints that has not ended, "" for none."""
    try:
        names = os.listdir(sessions)
    except OSError:
        return ""
    ids = (name.partition(".")[0] for name in names if name.endswith((".json", ".json.bak")))
    return max((name for name in ids if name[:8].isdigit()), default="")


def _read(root: str, path: str) -> ProjectGate:
    try:
        with open(path, "rb") as file:
            gate = Gate.load(read_json(file.read()))
        written_at = _changed_at(path)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise BrokenGate(f"{type(error).__name__}: {error}") from error
    if not _lives(gate.pid):
        raise NoServer(gate.session_id)
    return ProjectGate(root, gate, written_at)


def _changed_at(path: str) -> float:
    """Return when a file, or what was there, changed last: the time that a program cannot set."""
    while True:
        try:
            found = os.lstat(path)
        except OSError:
            path = os.path.dirname(path)
            continue
        return max(found.st_mtime_ns, found.st_ctime_ns)


def _lives(pid: int) -> bool:
    """Say whether the server that wrote the gate is still there."""
    if os.name == "nt":  # signal 0 would end the process there
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another user's
        return True
    return True


class _Reading:
    """What the scanner of `json` asks of its caller."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float


def read_json(data: bytes) -> Any:
    """Return what a JSON text says.

    It is read by the part of `json` that is written in C. Around that, `json` imports `re`, which takes as long as
    Python's own start.

    Raises ValueError: it is not one.
    """
    text = data.decode("utf-8", "surrogatepass").strip("\ufeff \t\n\r")
    try:
        from _json import make_scanner
    except ImportError:  # another Python than CPython
        import json

        return json.loads(text)
    make: Any = make_scanner
    try:
        found, end = make(_Reading)(text, 0)
    except StopIteration as error:
        raise ValueError("not JSON") from error
    if end != len(text):
        raise ValueError("more than one JSON value")
    return found


RUNS = "codeintel-"
"""How the folder of checkouts begins, which `verification.checkout.places` makes among the temporary files."""


def resolved(folder: str, name: str) -> str | None:
    """Return the path with all links followed, None for a name that no file can have."""
    try:
        return os.path.realpath(os.path.join(folder, os.path.expanduser(name)))
    except (OSError, ValueError):
        return None


def below(root: str, path: str) -> str | None:
    """Return the path seen from the root, with `/`; "." for the root itself, None outside it."""
    if path == root:
        return "."
    head = root.rstrip(os.sep) + os.sep
    return path[len(head) :].replace(os.sep, "/") if path.startswith(head) else None


def is_scratch(path: str) -> bool:
    """Say whether a place holds nobody's work: devices, caches, and temporary files but for our own runs' checkouts."""
    folders = ["/dev", "/tmp", "/var/tmp", *(os.environ.get(name, "") for name in ("TMPDIR", "TEMP", "TMP"))]
    folders.append(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
    places = [below(os.path.realpath(folder), path) for folder in folders if folder]
    return any(place is not None for place in places) and not any((place or "").startswith(RUNS) for place in places)


def _is_free(root: str, inside: str) -> bool:
    """Say whether a file lies outside the work: git ignores it and no runner reads it, or a test run left it."""
    if _fits(_STEERING, inside) and not inside.endswith(("/node_modules", "/site-packages")):
        return False
    if git_says(root, "check-ignore", "--quiet", "--", inside) is not None:
        return True
    tracked = ("--literal-pathspecs", "ls-files", "--error-unmatch", "--", inside)
    return _fits(_LEFTOVERS, inside) and git_says(root, *tracked) is None


def _fits(pattern: str, inside: str) -> bool:
    import re

    return re.search(pattern, inside) is not None


def _changed(root: str) -> list[tuple[str, bool]]:
    """Return the files of the repository that differ from the last commit, as seen from the root, and which are new."""
    listed = git_says(root, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all") or b""
    prefix = (git_says(root, "rev-parse", "--show-prefix") or b"").decode("utf-8", "surrogateescape").strip("\n")
    entries = [entry.decode("utf-8", "surrogateescape") for entry in listed.split(b"\0") if entry]
    found = ((entry[3:], entry[:2] == "??" or "A" in entry[:2]) for entry in entries)
    return [(_seen_from(prefix, name), is_new) for name, is_new in found]


def _seen_from(prefix: str, name: str) -> str:
    """Return a path of git as seen from a folder of the repository, one outside of it with `../`."""
    if name.startswith(prefix):
        return name[len(prefix) :]
    return os.path.relpath(name, prefix).replace(os.sep, "/")


def git_says(root: str, *words: str) -> bytes | None:
    """Return what git prints, None if it fails.

    It is asked only before a refusal, after a command, at a prompt, and for names that a line searches and then writes.
    """
    import subprocess

    command = ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", *words]
    try:
        done = subprocess.run(
            command, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=WAIT_S
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return None if done.returncode else done.stdout


def repository_of(folder: str) -> str:
    """Return the nearest folder above that holds a repository, "" for none."""
    while not os.path.exists(os.path.join(folder, ".git")):
        if os.path.dirname(folder) == folder:
            return ""
        folder = os.path.dirname(folder)
    return folder
