"""Search answers with the code that is meant, from both halves or from the lexical one alone."""

from codeintel_index import Index


def best(index: Index, query: str) -> tuple[str, str]:
    hit = index.search(query, collection="forest").hits[0]
    return hit.path, hit.symbol


def test_a_sentence_finds_the_function_that_does_it(synced: Index) -> None:
    assert best(synced, "mail a receipt to the customer") == ("shop/mail.py", "send_receipt")


def test_a_name_finds_its_definition_before_its_uses(synced: Index) -> None:
    assert best(synced, "parse_price") == ("shop/money.py", "parse_price")


def test_vectors_take_part_once_they_are_made(synced: Index) -> None:
    assert synced.search("receipt").dense == ""


def test_a_search_on_an_index_that_was_never_synced_syncs_first(index: Index) -> None:
    assert best(index, "mail a receipt to the customer") == ("shop/mail.py", "send_receipt")
