"""Asking the user through the client, in both eras of the protocol; None where the client cannot ask.

The handshake revisions send a request of their own in the middle of the call. The sessionless one ends
the call with the question, and the client repeats the call with the answer: it counts only for the very
question that was asked, which `request_state` (sealed by the SDK) carries.
"""

import hashlib
from typing import TYPE_CHECKING, Any, Literal

from mcp.server.elicitation import AcceptedElicitation, render_elicitation_schema
from mcp.server.mcpserver import Context
from mcp.types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from mcp.types.version import is_version_at_least
from pydantic import create_model

if TYPE_CHECKING:
    from codeintel_session import UserAnswer


KEY = "codeintel-question"
CALL_ENDS_WITH_THE_QUESTION = "2026-07-28"


def can_ask(context: Context[Any, Any] | None) -> bool:
    """True if the client declared that it can put a form before the user."""
    capabilities = context.client_capabilities if context is not None else None
    asking = capabilities.elicitation if capabilities is not None else None
    return asking is not None and (asking.form is not None or asking.url is None)


async def ask(context: Context[Any, Any], text: str, options: tuple[str, ...]) -> "UserAnswer | InputRequiredResult":
    """The user's answer, or the result that makes the client ask and call again."""
    kind: Any = Literal[options] if options else str
    form = create_model("Answer", answer=(kind, ...))
    version = context.protocol_version
    if version is None or not is_version_at_least(version, CALL_ENDS_WITH_THE_QUESTION):
        result = await context.elicit(text, form)
        data = result.data.model_dump() if isinstance(result, AcceptedElicitation) else {}
        return _answer(result.action, data)
    mark = hashlib.sha256(text.encode()).hexdigest()
    given = (context.input_responses or {}).get(KEY)
    if isinstance(given, ElicitResult) and context.request_state == mark:
        data = form.model_validate(given.content or {}).model_dump() if given.action == "accept" else {}
        return _answer(given.action, data)
    question = ElicitRequestFormParams(message=text, requested_schema=render_elicitation_schema(form))
    return InputRequiredResult(input_requests={KEY: ElicitRequest(params=question)}, request_state=mark)


def _answer(action: Literal["accept", "decline", "cancel"], data: dict[str, Any]) -> "UserAnswer":
    from codeintel_session import UserAnswer

    return UserAnswer(action, str(data.get("answer", "")))
