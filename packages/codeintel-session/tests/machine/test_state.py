"""The state is data: it comes back from its dump as it was, and refuses what it is not."""

import pytest
from pydantic import ValidationError

from codeintel_session.machine.state import SessionState
from codeintel_session.testing import state_at


def test_file_names_that_are_no_unicode_come_back_as_they_were() -> None:
    state = state_at(4, dirty_at_start={"caf\udce9.txt": "digest", "plain.txt": "deleted"})
    assert SessionState.model_validate(state.model_dump()) == state


def test_a_phase_is_named_with_its_substep() -> None:
    assert [state_at(step).phase_state.name for step in (4, 13)] == ["QUERY_FRAME", "READY implement"]


def test_a_file_name_is_text() -> None:
    with pytest.raises(ValidationError, match="a file name is text"):
        state_at(4, dirty_at_start={1: "digest"})
