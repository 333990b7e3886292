"""The session of codeintel: the machine, checkpoints, tasks and git.

This module is the public face: sibling packages import from here, never from a module below (held by import-linter).
A name is loaded when it is first used, so that importing the package costs nothing.
"""

from typing import TYPE_CHECKING

from codeintel_contract import load_on_use

if TYPE_CHECKING:
    from codeintel_session.audit.history import has_failed as has_failed, last_outcomes as last_outcomes
    from codeintel_session.audit.logs import (
        ChainLog as ChainLog,
        decision_log as decision_log,
        faults_in as faults_in,
        outcome_log as outcome_log,
    )
    from codeintel_session.audit.replay import (
        Replay as Replay,
        ReplayedLine as ReplayedLine,
        count_missing as count_missing,
        find_contract_source as find_contract_source,
        numbered_entries as numbered_entries,
        replay_session as replay_session,
    )
    from codeintel_session.diagram import DIAGRAM_FORMATS as DIAGRAM_FORMATS, draw_flow as draw_flow
    from codeintel_session.git import (
        GitFault as GitFault,
        GitRepository as GitRepository,
        NotARepository as NotARepository,
    )
    from codeintel_session.git.process import GitProcess as GitProcess, stop_reading as stop_reading
    from codeintel_session.git.session_diff import (
        LOOKING as LOOKING,
        changes_of as changes_of,
        one_moment as one_moment,
    )
    from codeintel_session.integrity.left_behind import changed_since as changed_since, is_outside as is_outside
    from codeintel_session.lifecycle.session_start import read_intent as read_intent, state_at as state_at
    from codeintel_session.machine.checklist import parse_evidence as parse_evidence
    from codeintel_session.machine.decide import summary_key as summary_key
    from codeintel_session.machine.limits import Limits as Limits
    from codeintel_session.machine.observations import Cost as Cost, ToolCall as ToolCall
    from codeintel_session.machine.outcome import (
        choices_of as choices_of,
        outcome_words as outcome_words,
        proof_of as proof_of,
    )
    from codeintel_session.machine.receipts import (
        assess_receipt as assess_receipt,
        find_warnings as find_warnings,
        shown as shown,
    )
    from codeintel_session.machine.regressions import read_tests as read_tests
    from codeintel_session.machine.state import (
        BaseRun as BaseRun,
        BaseTests as BaseTests,
        Named as Named,
        ObservedCall as ObservedCall,
        Receipt as Receipt,
        SessionState as SessionState,
        Spent as Spent,
    )
    from codeintel_session.machine.steps import ROWS as ROWS, STEPS as STEPS, active_tags as active_tags
    from codeintel_session.machine.test_files import (
        goes_with_tests as goes_with_tests,
        is_collected as is_collected,
        is_expected_data as is_expected_data,
        runs_by_hand as runs_by_hand,
        steers as steers,
    )
    from codeintel_session.machine.user_words import AskedWords as AskedWords, Prompt as Prompt, Who as Who
    from codeintel_session.machine.verdict import MessageRef as MessageRef
    from codeintel_session.ports import Clock as Clock, Ports as Ports, SystemClock as SystemClock, Verifier as Verifier
    from codeintel_session.replies.brief import (
        damaged_checkpoints as damaged_checkpoints,
        leave_mark as leave_mark,
        newest_state as newest_state,
        write_brief as write_brief,
    )
    from codeintel_session.replies.reply import (
        Reply as Reply,
        bound_reply as bound_reply,
        json_size as json_size,
        refusal_reply as refusal_reply,
        render_message as render_message,
    )
    from codeintel_session.service import SessionService as SessionService
    from codeintel_session.storage.atomic import (
        change_atomically as change_atomically,
        write_atomically as write_atomically,
    )
    from codeintel_session.storage.checkpoints import (
        CheckpointStore as CheckpointStore,
        readable as readable,
    )
    from codeintel_session.storage.home import ensure_home as ensure_home
    from codeintel_session.storage.ignored_files import copies_of as copies_of, ignored_since as ignored_since
    from codeintel_session.storage.lock import is_session_running as is_session_running
    from codeintel_session.storage.seal import Seal as Seal
    from codeintel_session.submission.elicitation import UserAnswer as UserAnswer
    from codeintel_session.submission.submission import Row as Row, parse_row as parse_row
    from codeintel_session.submission.user_decisions import (
        answer_to as answer_to,
        keep_answer as keep_answer,
        request_of as request_of,
    )
    from codeintel_session.tools.session_tools import (
        PHASES_THAT_ADD_FILES as PHASES_THAT_ADD_FILES,
        add_explored_files as add_explored_files,
        change_scope as change_scope,
        check_write_target as check_write_target,
        cleanup_question as cleanup_question,
        cleanup_stale_branches as cleanup_stale_branches,
        last_changed as last_changed,
        note_rules as note_rules,
        open_questions as open_questions,
        record_outcome as record_outcome,
        review_changes as review_changes,
    )
    from codeintel_session.verification.receipts import (
        describe_receipt as describe_receipt,
        keep_receipt as keep_receipt,
        receipt_warnings as receipt_warnings,
    )
    from codeintel_session.verification.versions import (
        Versions as Versions,
        find_versions as find_versions,
        is_script as is_script,
    )

__getattr__ = load_on_use(globals())
