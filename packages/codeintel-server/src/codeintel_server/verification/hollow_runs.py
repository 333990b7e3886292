"""Find changed definitions that no test notices, or whose value or border no test looks at.

A test that calls nothing, compares a value with itself or swallows its failure passes on any code. That a new test
fails on the base shows little of it, because the base lacks even the name. So the checkout is changed and the suite
runs again: changed test files fail at their begin; what they assert fails, or is evaluated with other values; changed
definitions give another value of the same type, then those of which no test looks at the value are emptied;
comparisons fail where both sides are equal, and move by one step; each of the definitions gets the body that it had on
the base. If the suite ends as it did, the receipt names what was changed. For what there is no time, or whose run
reached its limit, the receipt says so.

A command that counts no tests is examined by its exit code, if it runs the changed tests: a linter says nothing here.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path, PurePosixPath

from codeintel_contract import read_file
from codeintel_server.verification import comparison
from codeintel_server.verification.bare_runs import find_dependent
from codeintel_server.verification.checkout import MOST_BYTES, Checkout
from codeintel_server.verification.heard import find_unheard
from codeintel_server.verification.indifferent import find_indifferent
from codeintel_server.verification.junit import PASSED
from codeintel_server.verification.runner import Ran
from codeintel_server.verification.trials import Hole, Trials
from codeintel_session import Named, read_tests, runs_by_hand

Before = Callable[[str, str], bytes]
_FAILS = {
    ".py": b'raise RuntimeError("codeintel")\n', ".rb": b'raise "codeintel"\n', ".sh": b"exit 1\n",
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"), b'throw new Error("codeintel");\n'),
}  # fmt: skip
"""What fails at the begin of a test file; elsewhere no compiler takes the word alone."""
_REACH = re.compile(
    rb"\b(?:pytest|unittest|builtins|importlib|__import__|setattr|exec|eval|ctypes|meta_path)\b|\bsys\.modules\b"
)
"""Words without which code of Python does not get at what its tests compare with."""
_LENIENT = b"""

def test_codeintel_compares():
    assert 1 == 2


def test_codeintel_raises():
    import pytest
    with pytest.raises(KeyError):
        pass


class TestCodeintel(__import__("unittest").TestCase):
    def test_equal(self):
        self.assertEqual(1, 2)

    def test_raises(self):
        with self.assertRaises(KeyError):
            pass
"""
"""Tests that must fail."""
_PANICS = b'\n#[test]\nfn codeintel_must_fail() {\n    panic!("codeintel");\n}\n'
_ENDS = re.compile(rb"\bprocess::(?:exit|abort)\b|\b_exit\b|\bexit\s*\(|\babort\s*\(")
_ANNOUNCED = re.compile(r"^running (\d+) tests?$", re.MULTILINE)


def examine(place: Checkout, ran: Ran, base: Ran | None, before: Before) -> dict[str, object]:
    """Return the fields of the receipt that name what the tests do not see; the checkout is as it was then.

    Args:
        place: the checkout of the present tree, which it is again at the end.
        ran: the run that counts.
        base: the same command's run on the session's base, None if there was none.
        before: returns the bytes of a path at a commit, b"" if it is not there.
    """
    from codeintel_index import (  # late: it loads the grammars
        find_borders,
        find_hollows,
        find_repeated,
        find_replaced,
        find_reverted,
        find_text_asked,
        find_turned,
        find_unfailing,
        find_unlisted,
        find_unread,
        has_same_code,
        is_unreadable,
    )

    versions, fits = place.call.versions, place.call.verifier.fits
    if not versions.base_commit:
        return {}
    texts, tests = _own(place, versions.code), _own(place, versions.new_tests)
    beside = tests | _own(place, versions.tests)
    watched = {path: data for path, data in texts.items() if not runs_by_hand(path)}
    old = {path: before(versions.base_commit, path) for path in (*texts, *beside, *versions.tests)}
    code, ours, helped = ({path: (data, old[path]) for path, data in all.items()} for all in (texts, tests, beside))
    named = {part for case in ran.cases for part in re.split(r"[.:/\[]", case)}
    fitting = {path: both for path, both in ours.items() if fits([path])}
    judged = {path: tests[path] for path in fitting if Path(path).stem not in named}
    search = Trials.begin(place, ran, texts | tests, [path for path in fitting if path not in judged])
    unrun, unknown = search.find([_failing(path, data) for path, data in judged.items()])
    files = {PurePosixPath(case.partition("::")[0]).name for case in ran.cases}
    left_out = {path for path in judged if _is_left_out(place.root / path, named, files)}
    unlisted = [
        name for path, both in ours.items() for name in find_unlisted(path, *both, ran.cases, left_out=path in left_out)
    ]
    unlisted += _uncounted(ran, base, texts | beside, old)
    same = [has_same_code(path, *both) for path, both in code.items()]
    found: dict[str, object] = {
        "repeated": tuple(find_repeated(code, ours, "\n".join(place.call.request.asked))),
        "unfailing": (
            *(place for path, both in helped.items() for place in find_unfailing(path, *both)),
            *find_text_asked(helped, code),
        ),
        "replaced": tuple(find_replaced(helped, code)),
        "commented": tuple(code) if {*code} == {*versions.code} and all(same) else (),
        "unparsed": tuple(path for path, data in texts.items() if is_unreadable(path, data)),
        "unread": tuple(name for path, both in code.items() for name in find_unread(path, *both)),
        "unrun": None if unknown and not unlisted else comparison.named([*(path for path, _ in unrun), *unlisted]),
    }
    if not ran.counts.get("tests") and len(unrun) + len(unknown) == len(judged):
        search.restore()
        return found  # nothing shows that it runs tests
    ended = _ended_early(search, texts | tests, old, tests)
    unheard, unasked = find_unheard(search, fitting, lambda path: _failing(path, tests[path]))
    indifferent, unweighed = find_indifferent(search, fitting, code)
    found |= {
        "unheard": comparison.named(unheard),
        "runner_dependent": find_dependent(search, fitting),
        "indifferent": comparison.named(indifferent),
    }
    marks = str(place.top.parent / "gives-")
    turned = [
        (path, hollow)
        for number, (path, data) in enumerate(watched.items())
        for hollow in find_turned(path, data, old[path], f"{marks}{number}-")
    ]
    any_value, late = search.find(turned)
    noticed = {*_names(turned)} - {*_names((*any_value, *late))}  # what looks at a value looks whether there is one
    holes = [(path, hollow) for path, data in watched.items() for hollow in find_hollows(path, data, old[path])]
    unnoticed, left = search.find(_others(holes, noticed))
    known = {*_names((*unnoticed, *left))}
    given = [hole for hole in _others(any_value, known) if Path(hole[1].mark).exists()]
    pinned = [
        path for path in _read_by_tests(texts, tests) if search.ends_alike([_added(path, texts[path], b"\n")]) is False
    ]
    moved = {
        (path, failing): (path, step)
        for path, data in watched.items()
        for failing, step in find_borders(path, data, old[path])
        if f"{path}: {step.name.partition(':')[0]}" not in known
    }
    unmet, last = search.find([*moved])
    borders, more = search.find([moved[hole] for hole in unmet])
    seen = [(path, hollow) for path, data in watched.items() for hollow in find_reverted(path, data, old[path])]
    as_before, rest = search.find(_others(seen, known | {*_names(any_value)}))
    lenient = ended or _lenient(search, texts, old, tests)
    search.restore()
    return found | {
        "unnoticed": _named(unnoticed),
        "any_value": _named(given),
        "equal": _named([hole for hole in turned if Path(f"{hole[1].mark}=").exists()]),
        "borders": _named(borders),
        "as_before": _named(as_before),
        "unexamined": comparison.named(
            {
                *_names((*left, *_others(late, known), *last, *more, *rest)),
                *(f"{path}: what it asserts" for path in dict.fromkeys((*unasked, *unweighed))),
            }
        ),
        "pinned": tuple(pinned),
        "lenient": lenient,
    }


def _uncounted(ran: Ran, base: Ran | None, now: dict[str, bytes], before: dict[str, bytes]) -> list[str]:
    """Return the new tests, `path: name`, if the run counts no more tests than that of the base, without naming them.

    So ends a run that does not build what they are in, such as a part of a crate that takes a feature.
    """
    if ran.cases or base is None or not base.counts.get("tests") or base.has_failures():
        return []
    new: list[str] = []
    gone = 0
    for path, data in before.items():
        is_there, was_there = (read_tests(path, text.decode("utf-8", "replace")) for text in (now.get(path, b""), data))
        new += [f"{path}: {name}" for name in is_there if name not in was_there]
        gone += len(was_there.keys() - is_there.keys())
    grown = sum(ran.counts.get(kind, 0) - base.counts.get(kind, 0) for kind in ("tests", "inner"))
    return new if grown <= 0 < len(new) - gone else []


def _is_left_out(file: Path, named: Collection[str], files: Collection[str]) -> bool:
    """Return True if the ids of a run name files beside this one, and not it.

    Args:
        file: a test file of whose name, without its suffix, the ids hold nothing.
        named: the words of the ids; those of Python's tests have the names of modules.
        files: the last part of what they begin with, which elsewhere is the name of a file, if any.
    """
    beside = file.parent.glob(f"*{file.suffix}")
    if file.suffix == ".py":
        return any(each.stem in named for each in beside)
    return file.name not in files and any(each.name in files for each in beside)


def _failing(path: str, data: bytes) -> Hole:
    """Return what makes a test file fail at its begin."""
    from codeintel_index import Hollow

    first = data.find(b"\n") + 1 if data.startswith((b"#!", b"<?")) else 0
    return path, Hollow("", first, first, _FAILS.get(Path(path).suffix, b"codeintel\n"))


def _read_by_tests(texts: dict[str, bytes], tests: dict[str, bytes]) -> list[str]:
    """Return the code whose file name, with its suffix, a changed test holds: it may read the text of the code.

    Of data and documents there is nothing but their text to look at.
    """
    from codeintel_index import find_language

    code = [path for path in texts if not ((language := find_language(path)) and language.is_data)]
    return [path for path in code if any(Path(path).name.encode() in test for test in tests.values())]


def _added(path: str, data: bytes, more: bytes) -> Hole:
    """Return what adds to the end of a file."""
    from codeintel_index import Hollow

    return path, Hollow("", len(data), len(data), more)


def _lenient(
    search: Trials, texts: dict[str, bytes], old: dict[str, bytes], tests: dict[str, bytes]
) -> tuple[str, ...]:
    """Return the tests that must fail and pass, where code that could see to that came with the change."""
    reaches = any(len(_REACH.findall(data)) > len(_REACH.findall(old[path])) for path, data in texts.items())
    path = next((path for path in tests if path.endswith(".py")), "")
    if not reaches or not path or search.is_late():
        return ()
    again = search.run([_added(path, tests[path], _LENIENT)])
    if again is None:
        return ()
    if again.cases:
        return tuple(name for name, result in again.cases.items() if "odeintel" in name and result == PASSED)
    before = search.usual.counts
    more, *failed = (again.counts.get(name, 0) - before.get(name, 0) for name in ("tests", "failures", "errors"))
    return ("TestCodeintel",) if more > sum(failed) else ()


def _ended_early(
    search: Trials, texts: dict[str, bytes], old: dict[str, bytes], tests: dict[str, bytes]
) -> tuple[str, ...]:
    """Return a test of Rust that must fail and passes, where something that came with the change may end its process.

    The runner says how many tests it is about to run: one more than without it, or the test is not built.
    """
    ends = any(len(_ENDS.findall(data)) > len(_ENDS.findall(old[path])) for path, data in texts.items())
    found = []
    for path in (path for path in tests if path.endswith(".rs") and ends and not search.is_late()):
        again = search.run([_added(path, tests[path], _PANICS)])
        announced = [sum(map(int, _ANNOUNCED.findall(ran.output))) for ran in (search.usual, again) if ran is not None]
        if again is not None and announced[1:] == [announced[0] + 1] and again.exit == 0 and not again.has_failures():
            found.append(f"{path}: codeintel_must_fail")
    return tuple(found)


def _names(holes: Sequence[Hole]) -> list[str]:
    return [f"{path}:{one.line} {one.name}" if one.line else f"{path}: {one.name}" for path, one in holes]


def _others(holes: Sequence[Hole], names: set[str]) -> list[Hole]:
    return [hole for hole in holes if not names & {*_names([hole])}]


def _named(holes: Sequence[Hole]) -> Named:
    return comparison.named(_names(holes))


def _own(place: Checkout, paths: Iterable[str]) -> dict[str, bytes]:
    """Read those files that lie in the checkout itself: through a link a file of the user's would be written."""
    root = place.root.resolve()
    files = {path: root / path for path in paths}
    return {
        path: read_file(place.root, path, MOST_BYTES)
        for path, file in files.items()
        if file.is_file() and file.resolve() == file and file.stat().st_size <= MOST_BYTES
    }
