"""Find which paths of the project a verification takes from the base, and which from the session.

What is verified is what a commit of the session's changes would hold, without what the user had not committed before;
the base is that with everything the session changed reverted. Of a renamed file both names count as changed.
"""

import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from codeintel_session.git import GitRepository
from codeintel_session.git.session_diff import changes_of, committable_tree, one_moment, text_before
from codeintel_session.integrity.closed_phase import compare_tree
from codeintel_session.integrity.protected_files import has_other_attributes
from codeintel_session.machine.facts import Changed
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.test_files import goes_with_tests, is_collected, is_expected_data, steering_parts, steers
from codeintel_session.storage.project_files import text_of

Matches = Callable[[str], bool]
CODE = (".py", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
SCRIPTS = (*CODE, ".sh", ".rb", ".php")


def is_script(path: str) -> bool:
    """Return True if a path is named as code that runs as it is."""
    return path.endswith(SCRIPTS)


_REACHES = re.compile(
    r"\b_pytest\b|\bpytest_plugins\b|\bpytest_\w+\(|\bCODEINTEL_[A-Z]|\bPYTEST_[A-Z]|\bJEST_WORKER|\bVITEST_|\bos\._exit\b"
    r"|\bsys\._getframe\b|[\"']pytest[\"'].{0,20}\bsys\.modules|\bsys\.modules.{0,20}[\"']pytest[\"']|\bunittest\.(?:case|result)\b"
)
"""Code that reaches into the program that runs the tests, or asks whether it is there."""
_CLOCK = r"(?:\btime\.time\(|\bdate(?:time)?\.(?:now|utcnow|today)\(|\bDate\.now\(|\bnew Date\(\))"
_DATE = r"(?:\d{4}|[\"']\d)"
_ASKS = re.compile(
    r"\bin sys\.modules\b|\bsys\.modules\.get\(|\binspect\.(?:stack|currentframe|getouterframes)\b|\bsys\._getframe\b"
    r"|\btraceback\.(?:extract_stack|walk_stack)\b|\bsys\.argv\[0\]|\bNODE_TEST_CONTEXT\b|\bprocess\.env\[\s*[\[(]"
    r"|\bprocess\.(?:mainModule|execArgv)\b|\bnew Error\([^()]*\)\.stack\b|/proc/(?:self|\$PPID)\b|\bps -o\b"
    # the parent process, and where it runs
    r"|\bgetppid\b|\bprocess\.ppid\b|\$PPID\b|\bos\.getcwd\b|\bPath\.cwd\b|\bprocess\.cwd\b|\$\{?PWD\b|\$\(pwd"
    r"|\b__file__.*(?:\bin\b|[=!]=)|(?:\bin\b|[=!]=).*\b__file__\b|\b(?:exists\w*|isdir|is_dir)\([^)\n]*\btests?\b"
    # a clock beside a date or a time that the code holds
    rf"|{_CLOCK}.*[<>=].*{_DATE}|{_DATE}.*[<>=].*{_CLOCK}"
    # a place outside the project
    r"|[\"'](?:/(?:home|root|Users|tmp|var|opt|mnt|srv)/|~/|[A-Z]:\\\\)|\bexpanduser\b|\bPath\.home\b|\bos\.homedir\b"
    # the environment
    r"|\bos\.environ\b|\bos\.getenv\b|\bprocess\.env\b"
    r"|\bfrom (?:os|sys) import\b[^\n]*\b(?:environ|getenv|modules|argv|_getframe|getcwd|getppid)\b"
    # what the program that runs tests leaves behind in the interpreter
    r"|\blogging\.root\.handlers\b|\bfaulthandler\.is_enabled\b|\bwarnings\.filters\b|\bsys\.(?:meta_path|gettrace)\b"
    r"|\bgc\.get_(?:objects|referrers)\b|\bprocess\.listenerCount\b|\bgetLogger\(\)\.handlers\b|\bstdin\.fileno\b"
    # how it was started, what belongs to tests, and what a clean checkout lacks
    r"|\bprocess\.argv\[1\]|[\"'](?:\./)?tests?/|\.code-intel\b"
    r"|[\"'/ ]\.git[\"'/]|[\"'/]codeintel-[\"'\d{$]"
)
"""Code that asks what called it, what else runs beside it, or where and when it runs."""
_UNSEEN = re.compile(
    r"[\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069]|\A(?:.*\n)?[ \t]*#.*?coding[:=][ \t]*(?!utf-?8\b)[-\w.]+"
)
"""Characters that nobody sees, ends of lines that only the interpreter knows, and another encoding."""
_LIKE_LATIN = "\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bd\u03bf\u0400-\u04ff"
_MIXED = re.compile(rf"(?:[A-Za-z]\w*[{_LIKE_LATIN}]|[{_LIKE_LATIN}]\w*[A-Za-z])\w*")
"""A word of Latin letters and of others that look like them."""
_MIXED_NAME = re.compile(
    rf"(?<!\\){_MIXED.pattern}(?=\s*(?:\(|=(?!=)))|\b(?:class|import|from|function)\s+{_MIXED.pattern}"
)
"""Such a word where it is defined, called or assigned: prose mixes alphabets, and so does `\\n` before a word."""
_RUNS_TEXT = re.compile(r"(?<![\w.])(?:exec|eval)\s*\(|\bnew Function\(")
_COMPILED = re.compile(r"\.(?:py[cod]|so|dll|dylib|class|jar|wasm|node|exe)$")
_TAKEN = "|".join(map(re.escape, sorted(sys.stdlib_module_names - {"test"})))
_SHADOWS = re.compile(rf"(?:(?:src|tests?)/)?(?:{_TAKEN}|_?pytest|pluggy|iniconfig)")
"""Modules that a program which imports one of its own gets instead."""


@dataclass(frozen=True, slots=True)
class Versions:
    """What differs between the session's base and the present content. Paths are relative to the root.

    Args:
        tree: what a commit of the session's changes would hold.
        changed: every path that the base has otherwise, old names of renamed files included.
        tests: those of `changed` that go with the tests.
        old_tests: test files of the base that the session changed or removed.
        new_tests: test files that the session changed or added.
        asking: code that asks what called it, or where and when it runs, more often than before.
        disguised: files that do not run as they read, more often than before.
        converted: code that rules of git which the session changed may write into a checkout otherwise.
    """

    base_commit: str = ""
    tree: str = ""
    changed: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    old_tests: tuple[str, ...] = ()
    new_tests: tuple[str, ...] = ()
    steering: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    asking: tuple[str, ...] = ()
    disguised: tuple[str, ...] = ()
    converted: tuple[str, ...] = ()

    @property
    def code(self) -> tuple[str, ...]:
        """What changed and does not go with the tests."""
        return tuple(path for path in self.changed if path not in self.tests)


def find_versions(
    git: GitRepository | None, state: SessionState, is_named: Matches | None = None, steers_too: Matches | None = None
) -> Versions:
    """Compare the present content with the base of a session.

    Args:
        git: the repository, None outside of one.
        state: the session.
        is_named: what the verifier's `tests:` globs call a test; without them the usual names decide.
        steers_too: what its `steering:` globs add to the files that steer the runner.
    """
    if git is None:
        return Versions()
    with one_moment(git):
        if state.intent.implements:  # what the next submission will call someone else's is not verified either
            state, _ = compare_tree(git, state, state.base_commit)
        every = changes_of(git, state)
        tree = committable_tree(git, state, every)
    changes = [change for change in every if not change.preexisting]

    def with_tests(path: str) -> bool:
        return is_named(path) or is_expected_data(path) if is_named else goes_with_tests(path)

    collected = is_named or is_collected
    changed = list(dict.fromkeys(path for change in changes for path in (change.path, change.old_path) if path))
    there = [path for change in changes if change.status != "added" for path in [change.source]]
    present = [change.path for change in changes if change.status != "deleted"]
    return Versions(
        base_commit=state.base_commit,
        tree=tree,
        changed=tuple(changed),
        tests=tuple(filter(with_tests, changed)),
        old_tests=tuple(filter(collected, there)),
        new_tests=tuple(filter(collected, present)),
        steering=tuple(_steering(git, state, changes, steers_too)),
        data=tuple(change.path for change in changes if change.status != "added" and is_expected_data(change.path)),
        asking=tuple(_asking(git, state, [one for one in changes if not with_tests(one.path)])),
        disguised=tuple(_disguised(git, state, changes)),
        converted=tuple(_converted(git, state, every, tree)),
    )


def _converted(git: GitRepository, state: SessionState, every: Iterable[Changed], tree: str) -> list[str]:
    every = list(every)
    is_ruled = any(one.path.endswith(".gitattributes") and not one.preexisting for one in every)
    if not is_ruled and not has_other_attributes(state, git):
        return []
    others = {one.path for one in every if one.preexisting}
    return [path for path in git.compare(git.trees.empty(), tree) if is_script(path) and path not in others]


def _holds_more(git: GitRepository, state: SessionState, change: Changed, *kinds: re.Pattern[str]) -> bool:
    """Return True if the text of a file holds something of a kind more often than before."""
    now, before = text_of(git.root, change.path), text_before(git, state, change)
    return any(len(kind.findall(now)) > len(kind.findall(before)) for kind in kinds)


def _asking(git: GitRepository, state: SessionState, changes: Iterable[Changed]) -> Iterator[str]:
    for change in changes:
        is_code = change.status != "deleted" and change.path.endswith((*CODE, ".sh"))
        if is_code and _holds_more(git, state, change, _ASKS):
            yield change.path


def _disguised(git: GitRepository, state: SessionState, changes: Iterable[Changed]) -> Iterator[str]:
    for change in (change for change in changes if change.status != "deleted"):
        is_named_so = _COMPILED.search(change.path) or _MIXED.search(change.path)
        kinds = (_UNSEEN, _MIXED_NAME, _RUNS_TEXT)
        if is_named_so or (is_script(change.path) and _holds_more(git, state, change, *kinds)):
            yield change.path


def _steering(
    git: GitRepository, state: SessionState, changes: Iterable[Changed], steers_too: Matches | None
) -> Iterator[str]:
    for change in changes:
        module = change.path.removesuffix("/__init__.py").removesuffix(".py")
        is_code = change.path.endswith(CODE) and change.status != "deleted"
        if (
            (steers_too is not None and steers_too(change.path))
            or (change.status == "added" and _SHADOWS.fullmatch(module))
            or (steers(change.path) and not _has_same_parts(git, state, change))
            or (is_code and _holds_more(git, state, change, _REACHES))
        ):
            yield change.path


def _has_same_parts(git: GitRepository, state: SessionState, change: Changed) -> bool:
    """Return True if only some parts of a file steer a runner, and these are as they were."""
    path, texts = change.path, (text_before(git, state, change), text_of(git.root, change.path))
    parts = [steering_parts(path, lambda text=text: _table(path, text)) for text in texts]  # type: ignore[misc]
    return parts[0] is not None and parts[0] == parts[1]


def _table(path: str, text: str) -> dict[str, Any]:
    """Read a file as a table; one that does not parse equals nothing but itself."""
    try:
        found = tomllib.loads(text) if path.endswith(".toml") else json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {"tool": text, "scripts": text}
    return found if isinstance(found, dict) else {}
