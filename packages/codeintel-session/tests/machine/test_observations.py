"""What a tool call adds: the phase's log, and what was seen for good."""

from codeintel_session.machine.limits import FILES_PER_CALL
from codeintel_session.machine.observations import Cost, ToolCall, observe
from codeintel_session.machine.state import Spent
from codeintel_session.testing import state_at


def test_a_call_adds_files_seen_and_their_folders() -> None:
    after = observe(state_at(5), ToolCall("search_text", shown=("a/x.py", "y.py"), listed=("b/z.py",), count=2))
    assert after.seen == ("a/x.py", "y.py")
    assert after.listed == ("", "a", "b")
    assert after.observed[0].files == ("a/x.py", "y.py")


def test_a_failed_call_is_logged_and_proves_nothing() -> None:
    after = observe(state_at(5), ToolCall("find_references", ok=False, shown=("a.py",), subject="f"))
    assert (len(after.observed), after.seen) == (1, ())


def test_a_refuted_hypothesis_stands_until_something_was_looked_at() -> None:
    refuted = state_at(10, refuted=("it is sorted",))
    assert observe(refuted, ToolCall("search_text", ok=False, shown=("a.py",))).refuted == ("it is sorted",)
    assert observe(refuted, ToolCall("search_text")).refuted == ("it is sorted",)
    assert observe(refuted, ToolCall("search_text", shown=("a.py",))).refuted == ()


def test_the_files_to_verify_are_kept() -> None:
    after = observe(state_at(5), ToolCall("find_references"))
    after = observe(after, ToolCall("analyze_impact", must_verify=("a.py",)))
    assert after.must_verify == ("a.py",)
    assert observe(after, ToolCall("analyze_impact", must_verify=())).must_verify == ()


def test_long_answers_do_not_swell_the_log_but_all_of_them_is_seen() -> None:
    paths = tuple(f"{number}.py" for number in range(500))
    after = observe(state_at(5), ToolCall("search_text", shown=paths, subject="s" * 900))
    assert len(after.observed[0].files) == FILES_PER_CALL
    assert len(after.observed[0].subject) == 200
    assert after.seen == paths


def test_costs_add_up_and_a_file_is_counted_when_it_is_first_shown() -> None:
    state = observe(state_at(5), ToolCall("read_lines", shown=("a.py",), sizes={"a.py": 400}))
    state = observe(state, Cost(given=20, returned=80, is_lookup=True))
    state = observe(state, ToolCall("search_text", shown=("a.py", "b.py"), sizes={"a.py": 400, "b.py": 40}))
    state = observe(state, Cost(given=10, returned=50, is_lookup=True))
    state = observe(state, Cost(given=5, returned=7))
    want = Spent(calls=3, given=35, returned=137, lookups=2, lookup_bytes=130, files=2, file_bytes=440)
    assert state.spent == want


def test_searches_that_asked_the_map_and_those_it_answered_are_counted() -> None:
    state = state_at(7)
    for recalled in (True, False, None, True):
        state = observe(state, ToolCall(tool="semantic_search", recalled=recalled))
    assert state.recall == {"asked": 3, "answered": 2}
    failed = observe(state, ToolCall(tool="semantic_search", ok=False, recalled=True))
    assert failed.recall == state.recall


def test_a_call_is_logged_as_it_was() -> None:
    state = observe(state_at(7), ToolCall("find_references", "d1", True, ("a.py",), ("b/c.py",), "f", 4))
    (call,) = state.observed
    assert (call.tool, call.digest, call.ok, call.files, call.subject, call.count) == (
        "find_references",
        "d1",
        True,
        ("a.py",),
        "f",
        4,
    )


def test_ranges_whose_text_was_shown_are_joined() -> None:
    state = observe(state_at(7), ToolCall("read_lines", lines=(("a.py", 10, 20), ("b.py", 1, 3))))
    state = observe(state, ToolCall("get_function_at_line", lines=(("a.py", 21, 25), ("a.py", 1, 2), ("a.py", 12, 13))))
    assert state.lines_shown == {"a.py": ((1, 2), (10, 25)), "b.py": ((1, 3),)}
    assert observe(state, ToolCall("read_lines", ok=False, lines=(("c.py", 1, 9),))).lines_shown == state.lines_shown
