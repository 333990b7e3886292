"""Say in plain words what a person reads: phases, outcomes, who chose something, what a run of the tests warns of.

The technical name stays beside the plain one, as logs, flags and documentation use it.
"""

from codeintel_session import MessageRef, Receipt, find_warnings

PHASES = {
    "BRANCH_INTERVENTION": "Decide about old branches",
    "DOCUMENT_RESEARCH": "Read the documents",
    "QUERY_FRAME": "Understand the request",
    "EXPLORATION": "Explore the code",
    "Q1": "Decide: semantic search?",
    "SEMANTIC": "Semantic search",
    "Q2": "Decide: check hypotheses?",
    "VERIFICATION": "Check hypotheses",
    "Q3": "Decide: analyze the impact?",
    "IMPACT_ANALYSIS": "Analyze the impact",
    "READY": "Plan and implement",
    "READY plan": "Plan",
    "READY implement": "Implement",
    "READY complete": "Complete the implementation",
    "POST_IMPL_VERIFY": "Run the tests",
    "VERIFY_INTERVENTION": "Step back after failures",
    "PRE_COMMIT": "Review and commit",
    "QUALITY_REVIEW": "Review the quality",
    "MERGE": "Merge",
    "SESSION_COMPLETE": "End",
}
"""By the name of the phase, with its substep in READY."""

OUTCOMES = {
    "verified": "Verified",
    "unverified": "Not verified",
    "nothing_done": "Nothing done",
    "forced": "Merged with open issues",
    "failed": "Verification failed",
    "answered": "Answered",
    "abandoned": "Given up",
    "discarded": "Put away for another session",
    "running": "Running",
    "paused": "Waiting for a server",
}

ASKED_BY = {
    "user": "Asked by the user",
    "agent": "Worded by the agent: no prompt of the user says this",
    "unknown": "Who worded the request is not known: the client shows the server no prompts of the user",
}

WARNINGS = {
    "warnings.ran_in_place": (
        "The tests ran in the project folder, not in a clean checkout, and nothing was compared with the base: {why}."
    ),
    "warnings.base_tests_fail": "The base's versions of changed tests fail on the new code: {tests}.",
    "warnings.tests_gone": "Tests that the base runs are gone: {tests}.",
    "warnings.green_before": (
        "The new or changed tests pass without the change as well, so none of them tests it: {files}."
    ),
    "warnings.unheard": (
        "These assertions count for nothing: the test passes when they fail, or never reaches them: {places}."
    ),
    "warnings.runner_dependent": (
        "These tests pass under their runner alone; called without it, an assertion of theirs fails: {tests}."
    ),
    "warnings.unnoticed": (
        "No test notices what these do (all tests end as before with an empty body, or one that stops): {names}."
    ),
    "warnings.any_value": (
        "No test looks at what these give (all tests end as before with another value of the same type): {names}."
    ),
    "warnings.equal": (
        "What these gave in the run is equal to values of which it differs, or is both above and below others, so"
        " comparing it proves nothing: {names}."
    ),
    "warnings.unfailing": (
        "These assertions cannot fail, take what they should compare with for a message, or are hidden by what is"
        " around them or by a value that compares in its own way: {places}."
    ),
    "warnings.replaced": (
        "Tests put something of their own in the place of changed code, so they may not test it: {places}."
    ),
    "warnings.borders": (
        "No test looks at these borders (all tests end as before with the other comparison): {names}."
    ),
    "warnings.unrun": "The run does not read these test files, or does not list these tests: {files}.",
    "warnings.unexamined": (
        "Not examined, as it takes too long, is whether tests notice what these do, or what they assert counts:"
        " {names}."
    ),
    "warnings.red_before": "These tests failed before the session, and still fail: {tests}.",
    "warnings.flaky": "These tests failed once, and passed when they were run again: {tests}.",
    "warnings.new_skips": "Tests that are new, or ran on the base, are skipped or expected to fail: {tests}.",
    "warnings.steering_changed": "Files that steer how tests run were changed: {files}.",
    "warnings.pinned": "Tests fail if an empty line is added to these files, so they look at the text: {files}.",
    "warnings.created": "The run itself made data that tests compare with, because it was missing: {files}.",
    "warnings.repeated": (
        "Changed code holds what the changed tests pass and expect; it may be right for these values alone: {places}."
    ),
    "warnings.rewritten": "The checkout did not hold these files as they are committed, before or after: {files}.",
    "warnings.asks_what_runs": (
        "Changed code asks what called it, what runs beside it, or where or when it runs: {files}."
    ),
    "warnings.data_changed": "Data that tests compare with was changed: {files}.",
    "warnings.environment_changed": "Dependencies changed during the session: {files}.",
}
"""What a run warns of, for a reviewer; the contract says the same to the agent, with what to do about it."""

RESULTS = {
    "receipt_broken": "Tests fail that did not fail on the base (exit code {exit}): {tests}.",
    "receipt_failing": "Tests fail (exit code {exit}): {tests}. Nothing was compared with the base: {why}.",
    "receipt_hangs_before": "It does not end within {seconds} s, and neither does the base.",
    "receipt_gone": "Tests that the base runs are gone, and no task says why: {tests}.",
    "receipt_exit": "It ends with exit code {exit}.",
    "receipt_timed_out": "It was stopped after {seconds} s; the base was not.",
    "receipt_red_before": "It ends with exit code {exit}, on the base too, and does not say which tests fail.",
    "receipt_no_tests": "It reports no test.",
    "receipt_lenient": "Tests that must fail passed when they ran beside these: {tests}.",
}
"""Why a run does not pass, by the last part of the contract's key."""


def plain_phase(name: str) -> str:
    """Return a phase in plain words; a name that is unknown here stays as it is."""
    return PHASES.get(name) or PHASES.get(name.partition(" ")[0], name)


def plain_outcome(outcome: str) -> str:
    """Return an outcome in plain words."""
    known, comma, doubts = outcome.partition(", ")
    return f"{OUTCOMES.get(known, known)}{comma}{doubts}"


def run_result(say: MessageRef | None) -> str:
    """Return why a run does not pass, in a reviewer's words; "" if it does."""
    return RESULTS[say.key.rpartition(".")[2]].format(**say.values) if say else ""


def run_warnings(receipt: Receipt) -> list[str]:
    """Return what a run warns of, in a reviewer's words."""
    return [WARNINGS[say.key].format(**say.values) for say in find_warnings(receipt)]


def plain_ending(ending: str) -> str:
    """Return an outcome with what was recorded later in plain words, and the technical name beside them."""
    outcome, comma, later = ending.partition(", ")
    plain = plain_outcome(outcome)
    return f"{plain} ({outcome}){comma}{later}" if plain.lower() != outcome else f"{plain}{comma}{later}"
