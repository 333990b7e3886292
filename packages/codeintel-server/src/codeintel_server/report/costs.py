"""Say what calls cost in tokens. A token is taken as four bytes of JSON, which is near enough for English and code."""

from codeintel_server.report.model import Costs
from codeintel_session import Spent

BYTES = 4


def costs_of(spent: Spent) -> Costs:
    """Return costs in tokens, at four bytes each."""
    return Costs(
        calls=spent.calls,
        arguments=spent.given // BYTES,
        replies=spent.returned // BYTES,
        lookups=spent.lookups,
        lookup_tokens=spent.lookup_bytes // BYTES,
        files=spent.files,
        file_tokens=spent.file_bytes // BYTES,
    )
