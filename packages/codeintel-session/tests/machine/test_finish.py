"""Steps 17 to 19 and the ends: exactly what was reviewed is committed, and only what was reviewed is merged."""

from dataclasses import replace
from typing import Any

import pytest

from codeintel_contract.flags import Flags
from codeintel_contract.names import Intent
from codeintel_contract.violations import ContractViolation
from codeintel_session.machine.decide import current
from codeintel_session.machine.facts import Changed, Facts, VerifierFact
from codeintel_session.machine.state import Counters, PhaseState, Receipt, ShownDiff
from codeintel_session.machine.verdict import Commit, Discard, EndSession, FoldCommits, MergeBranch, MessageRef
from codeintel_session.testing import judge, saw, state_at

REVIEW = saw(state_at(17, explored=("a.py", "b.py", "user.py")), ["review_changes"])
CHANGES = (
    Changed("a.py", "modified"),
    Changed("b2.py", "renamed", old_path="b.py", folder=""),
    Changed("junk.txt", "added", folder=""),
    Changed("user.py", "modified", preexisting=True),
)
PROMPTS = ("garbage_detection.md",)
DROP = {"path": "junk.txt", "decision": "discard", "reason": "left over"}


def committed(
    files: list[Any],
    changes: tuple[Changed, ...] = CHANGES,
    state: Any = REVIEW,
    message: str = " Mend it \ncode-intel-Verified : abc\n",
    **facts: Any,
) -> Any:
    known = Facts(prompts=PROMPTS, changes=changes, **facts)
    fields = {
        "review_prompt_used": "garbage_detection",
        "commit_message": message,
        "tools_used": ["review_changes"],
    }
    seen = {change.path: ShownDiff(content="", parts=(1,), total=1) for change in changes}
    planned = state.model_copy(update={"planned_files": ("b2.py",), "shown": seen})
    return judge(planned, known, reviewed_files=files, **fields)


def test_the_kept_paths_are_committed_and_the_discarded_put_back_first() -> None:
    effects = committed(["a.py", {"path": "b2.py"}, DROP], state=explored("b2.py")).effects
    assert effects == (
        Discard(("junk.txt",)),
        Commit(("a.py", "b2.py", "b.py", "junk.txt"), "Mend it", contents=(("a.py", ""), ("b2.py", ""))),
    )


@pytest.mark.parametrize(
    ("query", "message", "named"),
    [
        ("Count pieces. Start the commit message with SHOP-118 and a colon.", "Count pieces", {"lacks": "SHOP-118"}),
        ("Count pieces. Start the commit message with SHOP-118 and a colon.", "shop-118: Count pieces", {}),
        ("Name #7 in the message of the commit (see SHOP-1)", "Fix that", {"lacks": "#7, SHOP-1"}),
        ("Do as SHOP-118 says; the message `commit` prints is wrong", "Mend it", {}),
        ("Mend it", "Mend it [skip ci]\n\nCloses #31\nReviewed-by: Ada", {}),
        ("Mend it as #31 says", "Mend it\n\nFixes #31", {}),
        ("Mend it", "Fixes the parser, issue #3 stays\n\nCo-authored-by: Claude", {}),
    ],
)
def test_what_the_message_lacks_or_sets_off_is_said(query: str, message: str, named: dict[str, str]) -> None:
    state = explored("b2.py").model_copy(update={"query": query})
    told = committed(["a.py", "b2.py", DROP], state=state, message=message).warnings
    found = {one.key.rpartition("_")[2]: one.values["words"] for one in told if "message" in one.key}
    acts = found.pop("acts", "")
    assert found == named
    assert acts == ("[skip ci], Closes #31, Reviewed-by: Ada" if "[skip ci]" in message else "")


@pytest.mark.parametrize(
    ("message", "named", "asked"),
    [
        ("Mend it ***NO_CI***\n\nskip-checks: true", ["***NO_CI***, skip-checks: true"], "Mend it, and skip the CI"),
        ("feat!: mend it\n\nBREAKING CHANGE: new", ["feat!:, BREAKING CHANGE:"], "Mend it, it is a breaking change"),
        ("fix(parser)!: mend it", ["fix(parser)!:"], "Mend it, incompatible with before"),
        ("Mend it\n\nFixes GH-12", ["Fixes GH-12"], "Mend GH-12"),
        ("Mend it\n\nImplements issue #12", ["Implements issue #12"], "Do what #12 says"),
        ("Mend it\n\nSHOP-7 in time #done", ['"SHOP-7 in time #done"'], "Mend it and say #done"),
        ("Mend it\n\n+semver: major", ["+semver: major"], "Mend it, which is +semver: major"),
        ("Closes https://host/a/issues/13", ["Closes https://host/a/issues/13"], "Mend https://host/a/issues/13"),
        ("Mend it\n\nSigned-off-by: Ada <a@b>", ["Signed-off-by: Ada <a@b>"], "Mend it and sign off"),
        ("Mend it\n\nReviewed-by: Ada", ["Reviewed-by: Ada"], "Mend it, and say Reviewed-by: Ada"),
        ("Mend it\n\nChange-approved-by #1 Ada", ["Change-approved-by #1 Ada"], "Say Change-approved-by #1 Ada"),
        ("Mend it\n\nRelease-As #9.0.0", ["Release-As #9.0.0"], "Mend it and release-as #9.0.0"),
        ("Mend it\n\ndiff --git a/x b/x", ['"diff --git a/x b/x"'], "Mend it with diff --git a/x b/x"),
        ("Mend it\n\nFrom: Eve <e@f>\nMend", ["From: Eve <e@f>"], "Mend it as From: Eve <e@f>"),
        ("Mend it\n\nIt comes\nFrom: the old code", [], "Mend it"),
        ("Mend it\n \nFrom: Eve <e@f>\nMend", ["From: Eve <e@f>"], "Mend it as From: Eve <e@f>"),
        ("Mend it\n\n\t\n\nDate: 2020", ["Date: 2020"], "Mend it as Date: 2020"),
        ("Mend it [skip azp]", ["[skip azp]"], "Mend it, and skip the CI"),
        ("Mend it #minor", ["#minor"], "Mend it, which is #minor"),
        ("fixup! Mend it", ["fixup!"], "Mend it with 'fixup!'"),
        ("Mend it\n\nChange-Id: I0a1b2c3d4e", ["Change-Id: I0a1b2c3d4e"], "Mend it, Change-Id: I0a1b2c3d4e"),
        ("Mend it\n\nCo-authored-by: Eve <e@f>", ["Co-authored-by: Eve <e@f>"], "Mend it as Eve <e@f> did"),
        ("Mend it\n\nCo-authored-by: Claude <noreply@x>", [], "Mend it"),
        ("Mend it\n\nBREAKING CHANGE #1 new", ["BREAKING CHANGE #"], "Mend it, it is a breaking change"),
        ("fix: mend it. A breaking change: none!", [], "Mend it"),
    ],
)
def test_what_acts_is_named_of_both_messages_unless_the_user_asks_for_it(
    message: str, named: list[str], asked: str
) -> None:
    def acting(decision: Any) -> list[str]:
        return [one.values["words"] for one in decision.warnings if one.key == "warnings.message_acts"]

    assert acting(committed(["a.py", "b2.py", DROP], state=explored("b2.py"), message=message)) == named
    assert acting(judge(MERGED, Facts(), summary=message)) == named
    assert acting(judge(MERGED.model_copy(update={"query": asked}), Facts(), summary=message)) == []
    assert acting(judge(MERGED, Facts(said_since=(asked,)), summary=message)) == []
    left = MERGED.model_copy(update={"query": f"Mend it, and leave {asked} open. Do not close {asked} yet."})
    assert acting(judge(left, Facts(), summary=message)) == named


def explored(*more: str) -> Any:
    return REVIEW.model_copy(update={"explored": (*REVIEW.explored, *more)})


def test_both_names_of_a_rename_may_be_reviewed() -> None:
    assert committed(["a.py", "b.py", "b2.py", DROP], state=explored("b2.py")).effects


@pytest.mark.parametrize(
    ("files", "key"),
    [
        (["a.py"], "PRE_COMMIT.files_not_reviewed"),
        (["a.py", "b2.py", DROP, "never.py"], "PRE_COMMIT.files_not_changed"),
        (["a.py", "b2.py", {**DROP, "reason": " "}], "PRE_COMMIT.review_failed"),
        ([{**DROP, "path": name} for name in ("a.py", "b2.py", "junk.txt")], "PRE_COMMIT.nothing_to_commit"),
    ],
)
def test_a_review_with_a_hole_is_refused(files: list[Any], key: str) -> None:
    with pytest.raises(ContractViolation) as caught:
        committed(files, state=explored("b2.py"))
    assert caught.value.key == f"failures.{key}"


def test_a_kept_change_must_have_been_explored_and_a_discarded_one_need_not() -> None:
    with pytest.raises(ContractViolation, match="unexplored_changes"):
        committed(["a.py", "b2.py", "junk.txt"], state=explored("b2.py"))


@pytest.mark.parametrize(
    ("fields", "facts", "key"),
    [
        ({"review_prompt_used": "x"}, {}, "common_failures.prompt_not_found"),
        ({"commit_message": " "}, {}, "failures.PRE_COMMIT.missing_commit_message"),
        ({}, {"on_branch": False}, "failures.PRE_COMMIT.branch_manager_not_found"),
    ],
)
def test_prompt_message_and_branch_must_be_there(fields: dict[str, str], facts: dict[str, Any], key: str) -> None:
    payload = {"review_prompt_used": "garbage_detection", "commit_message": "m", **fields}
    with pytest.raises(ContractViolation) as caught:
        judge(REVIEW, Facts(prompts=PROMPTS, **facts), reviewed_files=[], tools_used=["review_changes"], **payload)
    assert caught.value.key == key


def test_the_users_earlier_changes_are_said_to_be_in_the_commit() -> None:
    mixed = (Changed("user.py", "modified", touched_preexisting=True),)
    assert committed(["user.py"], mixed).warnings[0].values == {"files": "user.py"}


def test_what_somebody_committed_is_reconciled_like_any_other_change() -> None:
    known = explored("gone.py").model_copy(update={"commits": ("c1",)})
    done = (Changed("a.py", "modified", committed=True), Changed("evil.py", "added", committed=True))
    with pytest.raises(ContractViolation, match="unexplored_changes") as caught:
        committed(["a.py"], done, state=known)
    assert caught.value.problems == ("evil.py: added but not planned",)


def test_a_users_file_that_somebody_committed_is_left_out_and_said() -> None:
    committed_by_others = (
        Changed("a.py", "modified"),
        Changed("user.py", "modified", preexisting=True, committed_by_others=True),
    )
    decision = committed(["a.py"], committed_by_others)
    assert decision.effects == (Commit(("a.py",), "Mend it", left_out=("user.py",), contents=(("a.py", ""),)),)
    assert decision.warnings == (MessageRef("warnings.left_out", {"files": "user.py"}),)


def test_a_later_round_commits_what_it_takes_back() -> None:
    changes = (Changed("a.py", "modified", committed=True), Changed("gone.py", "deleted", undone=True))
    known = explored().model_copy(update={"commits": ("c1",)})
    kept = committed(["gone.py"], changes, state=known).effects
    assert kept == (Commit(("gone.py",), "Mend it", contents=(("gone.py", ""),)),)
    discarded = committed([{**DROP, "path": "gone.py"}], changes, state=known).effects
    assert discarded == (Discard(("gone.py",)), Commit(("gone.py",), "Mend it"))
    nothing = committed([], changes[:1], state=known).effects
    assert nothing == (), "what was committed in an earlier round stands"


def reviewed(changes: tuple[Changed, ...], **facts: Any) -> Any:
    known = Facts(prompts=("quality_review.md",), changes=changes, **facts)
    state = state_at(18, explored=("a.py",))
    return judge(state, known, quality_prompt_used="quality_review.md", quality_score="good", issues=[])


def test_an_edit_after_the_commit_goes_back_to_the_review_and_must_be_explored() -> None:
    settled = (Changed("a.py", "modified", committed=True), Changed("u", "added", preexisting=True))
    assert reviewed(settled).state.phase_state.step == 19
    decision = reviewed((Changed("a.py", "modified"),))
    assert (decision.state.phase_state.step, decision.effects) == (17, ())
    assert decision.warnings == (MessageRef("warnings.changed_after_review", {"files": "a.py"}),)
    with pytest.raises(ContractViolation, match="unexplored_changes"):
        reviewed((Changed("b.py", "modified"),))


def test_what_a_review_finds_swept_up_goes_back_to_be_taken_out() -> None:
    decision = reviewed((Changed("user.py", "modified", preexisting=True, committed_by_others=True),))
    assert (decision.state.phase_state.step, decision.effects) == (17, ())


@pytest.mark.parametrize(
    ("shown", "key"),
    [({}, "files_not_shown"), ({"a.py": ShownDiff(content="old", parts=(1,), total=1)}, "changed_since_review")],
)
def test_a_kept_change_must_have_been_shown_as_it_is_now(shown: dict[str, ShownDiff], key: str) -> None:
    facts = Facts(prompts=PROMPTS, changes=(Changed("a.py", "modified", content="new"),))
    fields = {"review_prompt_used": PROMPTS[0], "commit_message": "m", "reviewed_files": ["a.py"]}
    with pytest.raises(ContractViolation, match=key) as caught:
        judge(REVIEW.model_copy(update={"shown": shown}), facts, tools_used=["review_changes"], **fields)
    assert caught.value.problems == ("a.py: call review_changes with this path",)


VERIFIED = {"verified_tree": "t"}


def test_what_changed_after_the_verification_is_verified_again_before_the_commit() -> None:
    state = explored("b2.py").model_copy(update=VERIFIED)
    decision = committed(["a.py", "b2.py", DROP], state=state, since_verified=("a.py", "README.md"))
    assert [(say.key, say.values) for say in decision.warnings] == [
        ("warnings.changed_after_verification", {"files": "a.py"})
    ]
    assert (decision.state.phase_state.step, decision.effects) == (15, ())


def test_what_is_discarded_after_the_verification_is_put_back_first_and_the_rest_verified_again() -> None:
    decision = committed(["a.py", "b2.py", DROP], state=explored("b2.py").model_copy(update=VERIFIED))
    assert decision.effects == (Discard(("junk.txt",)),)
    assert [say.key for say in decision.warnings] == ["warnings.discarded_before_verification"]
    assert decision.state.phase_state.step == 15


def review_of(issues: list[str], facts: Facts, **fields: Any) -> Any:
    state = state_at(18, explored=("a.py",), **fields)
    known = replace(facts, prompts=("quality_review.md",))
    return judge(state, known, quality_prompt_used="quality_review.md", quality_score="fair", issues=issues)


def test_a_quality_review_needs_the_sessions_branch() -> None:
    with pytest.raises(ContractViolation, match="branch_manager_not_found"):
        review_of([], Facts(on_branch=False))


def test_issues_at_the_limit_complete_by_force_but_never_with_what_no_review_saw() -> None:
    spent = Counters(quality_revert_count=state_at(18).limits.quality_reverts)
    forced = review_of(["too long"], Facts(), counters=spent)
    assert (forced.state.forced_completion, forced.state.phase_state.step) == (True, 19)
    stale = review_of(["too long"], Facts(changes=(Changed("a.py", "modified"),)), counters=spent)
    assert [say.key for say in stale.warnings] == ["warnings.changed_after_review"]
    assert (stale.state.forced_completion, stale.state.phase_state.step) == (False, 17)


MERGED = state_at(19, completed_steps=(15, 18), query_from="user")


def test_the_merge_is_one_effect_and_the_end() -> None:
    receipt = Receipt(verifier="run.md", command="c", exit=0, tree="now", at="t")
    facts = Facts(
        merge_mode="squash",
        changes=(Changed("a.py", "modified", committed=True),),
        verifiers={"run.md": VerifierFact("run.md", True, fits=True)},
        tree="now",
    )
    state = MERGED.model_copy(update={"receipts": {"run.md": receipt}})
    decision = judge(state, facts, summary=" all of it ")
    merge, end = decision.effects
    assert isinstance(merge, MergeBranch)
    assert merge.verified
    assert (merge.base, merge.mode, merge.message.splitlines()[-1]) == ("main", "squash", "all of it")
    assert end == EndSession("verified", notes={"no_reader": ""})
    assert end.update() == {"outcome": "verified", "gaps": {}, "doubts": {}, "notes": {"no_reader": ""}}
    assert decision.state.phase_state == PhaseState(current_phase="SESSION_COMPLETE", step=20)
    assert decision.ending is not None
    assert decision.ending.key == "success.MERGE.merge_success"


def test_a_merge_a_crash_cut_off_is_asked_for_again() -> None:
    """The effect recognizes what is done; the branch may still have to go."""
    assert isinstance(judge(MERGED, Facts(on_branch=False, merged=True)).effects[0], MergeBranch)


def test_what_was_committed_after_the_review_must_be_explored_and_goes_back_to_it() -> None:
    late = Facts(late=("a.py", "b\nc.py"), late_commits=("abc1234 Mine",))
    with pytest.raises(ContractViolation, match="unexplored_commits") as caught:
        judge(MERGED.model_copy(update={"explored": ("a.py",)}), late)
    (line,) = caught.value.problems
    assert line.startswith('"b\\nc.py": committed on llm_task_')
    assert line.endswith("but not explored")
    with pytest.raises(ContractViolation, match="unexplored_commits") as caught:
        judge(MERGED.model_copy(update={"explored": ("a.py",)}), Facts(brought=("a.py", "by_hook.py")))
    assert (caught.value.values["files"], caught.value.values["commits"]) == ("by_hook.py", "none")
    explored_all = MERGED.model_copy(update={"explored": ("a.py", "b\nc.py")})
    decision = judge(explored_all, late)
    assert (decision.state.phase_state.step, decision.effects) == (17, ())
    (warning,) = decision.warnings
    assert warning.values == {"files": 'a.py, "b\\nc.py"', "commits": "abc1234 Mine"}


@pytest.mark.parametrize(
    ("state", "facts", "key"),
    [
        (MERGED, Facts(work_gone=True), "work_gone"),
        (state_at(19), Facts(), "quality_review_required"),
        (MERGED, Facts(on_branch=False), "branch_manager_not_found"),
    ],
)
def test_no_merge_without_review_and_branch(state: Any, facts: Facts, key: str) -> None:
    with pytest.raises(ContractViolation) as caught:
        judge(state, facts)
    assert caught.value.key == f"failures.MERGE.{key}"


def test_what_changed_after_the_review_goes_back_before_the_merge() -> None:
    decision = judge(MERGED.model_copy(update={"explored": ("a.py",)}), Facts(changes=(Changed("a.py", "modified"),)))
    assert [say.key for say in decision.warnings] == ["warnings.changed_after_review"]
    assert (decision.state.phase_state.step, decision.effects) == (17, ())


@pytest.mark.parametrize("state", [MERGED, state_at(18)])
def test_what_changed_while_nothing_might_is_reported_before_review_and_merge(state: Any) -> None:
    report = {"id": "t", "description": "d", "status": "completed", "checklist": ({"item": "i"},)}
    moved = state_at(
        state.phase_state.step,
        tasks=(report,),
        moved={"a.py": {"before": "1", "now": "2"}},
        explored=("a.py",),
        completed_steps=state.completed_steps,
    )
    fields = {"quality_prompt_used": "q.md", "quality_score": "good", "issues": []} if state is not MERGED else {}
    decision = judge(moved, Facts(prompts=("q.md",)), **fields)
    assert [say.key for say in decision.warnings] == ["warnings.changed_after_report"]
    assert (decision.state.phase_state.step, decision.effects) == (13, ())


def test_several_commits_are_folded_into_one_before_the_merge_unless_the_project_keeps_them() -> None:
    twice = MERGED.model_copy(update={"commits": ("c1", "c2")})
    assert judge(twice).effects[0] == FoldCommits(MERGED.branch)
    assert isinstance(judge(twice, Facts(fixups="keep")).effects[0], MergeBranch)


@pytest.mark.parametrize("flags", [Flags(no_quality=True), Flags(fast=True)])
def test_a_session_without_quality_review_merges_without_it(flags: Flags) -> None:
    assert judge(state_at(19, flags=flags)).ending is not None


def test_a_session_that_committed_in_place_has_nothing_to_merge() -> None:
    decision = judge(MERGED.model_copy(update={"branch_policy": "in_place"}), Facts(on_branch=False))
    assert [type(effect) for effect in decision.effects] == [EndSession]
    assert decision.ending is not None
    assert decision.ending.key == "success.MERGE.no_task_branch_complete"


def test_a_forced_completion_has_an_outcome_of_its_own() -> None:
    forced = state_at(19, completed_steps=(15,), forced_completion=True, query_from="user")
    facts = Facts(changes=(Changed("a.py", "modified", committed=True),))
    assert judge(forced, facts).effects[-1] == EndSession("forced", {"no_command": ""})


@pytest.mark.parametrize(
    ("step", "flags", "fields", "key"),
    [
        (14, Flags(quick=True, no_verify=True), {}, "READY.session_complete_no_verify_quick"),
        (
            15,
            Flags(quick=True),
            {"verifier_used": "v", "passed": True, "details": ""},
            "POST_IMPL_VERIFY.session_complete_quick",
        ),
    ],
)
def test_every_end_has_its_words(step: int, flags: Flags, fields: dict[str, Any], key: str) -> None:
    facts = Facts(verifiers={"v.md": VerifierFact("v.md", False)})
    decision = judge(state_at(step, flags=flags), facts, **fields)
    assert decision.ending is not None
    assert decision.ending.key == f"success.{key}"


def test_an_investigation_ends_after_its_last_phase() -> None:
    decision = judge(state_at(10, intent=Intent.QUESTION), needs_impact_analysis=False, reason="because it is so")
    assert decision.ending is not None
    assert decision.ending.key == "success.Q3.investigation_complete"


@pytest.mark.parametrize(("phase", "step"), [("NEW_PHASE", 5), ("EXPLORATION", 99), ("SESSION_COMPLETE", 20)])
def test_a_phase_of_another_version_is_said_to_be_unknown(phase: str, step: int) -> None:
    state = state_at(5).model_copy(update={"phase_state": PhaseState(current_phase=phase, step=step)})
    with pytest.raises(ContractViolation, match="unknown_phase"):
        current(state)
