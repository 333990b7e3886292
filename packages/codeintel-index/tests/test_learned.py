"""The Map: what was learned is kept as files, answers alone when it is sure, and is never answered when it is stale."""

import datetime
from pathlib import Path

import pytest

from codeintel_index import Index
from codeintel_index.learned import agreements as agreement
from codeintel_index.learned.agreements import BadAgreement
from codeintel_index.learned.recall import decay, outcome_weight
from codeintel_index.learned.similarity import is_same_question
from codeintel_index.results import MapEntry
from codeintel_index.testing import write_files

pytestmark = pytest.mark.draws(18)

QUERY = "how is the basket summed up"


def entry(term: str = QUERY, symbol: str = "add_prices", path: str = "shop/money.py", **more: object) -> MapEntry:
    values: dict[str, object] = {
        "similarity": 0.8,
        "session_id": "s1",
        "intent": "MODIFY",
        "learned_at": ago(0),
        **more,
    }
    return MapEntry(term, symbol, path, **values)  # type: ignore[arg-type]


def ago(days: float) -> str:
    return (datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=days)).isoformat(timespec="seconds")


def test_a_repeated_query_is_answered_by_the_map_alone(dense: Index) -> None:
    dense.learn([entry()])
    page = dense.search(QUERY)
    assert page.shortcut
    assert [(hit.path, hit.symbol, hit.collection) for hit in page.hits] == [("shop/money.py", "add_prices", "map")]
    assert page.hits[0].score >= 0.7


def test_another_query_goes_to_the_forest(dense: Index) -> None:
    dense.learn([entry()])
    page = dense.search("mail a receipt to the customer")
    assert not page.shortcut
    assert {hit.collection for hit in page.hits} == {"forest"}
    assert not dense.search(QUERY, "forest").shortcut


def test_the_map_can_be_asked_alone(dense: Index) -> None:
    dense.learn([entry(), entry(term="something about letters", symbol="send_receipt", path="shop/mail.py")])
    hits = dense.search("letters", "map").hits
    assert [hit.symbol for hit in hits] == ["send_receipt"]


def test_an_entry_whose_symbol_is_gone_is_not_answered(dense: Index) -> None:
    dense.learn([entry()])
    write_files(dense.root, {"shop/money.py": "def something_else(): ...\n"})
    dense.sync()
    page = dense.search(QUERY)
    assert not page.shortcut
    assert dense.search(QUERY, "map").hits == ()
    assert len(dense.map_entries()) == 1


def test_an_entry_follows_its_symbol_to_another_file(dense: Index) -> None:
    dense.learn([entry()])
    (dense.root / "shop/money.py").rename(dense.root / "shop/cash.py")
    dense.sync()
    assert dense.search(QUERY).hits[0].path == "shop/cash.py"


REPAY = "def repay(order):\n    return gateway.credit(order.card, order.paid)\n"
REFUND = "refund an order"


def change(index: Index, files: dict[str, str]) -> None:
    write_files(index.root, files)
    index.sync()


@pytest.fixture
def refunds(dense: Index) -> Index:
    """An index whose Map answers REFUND alone."""
    change(dense, {"shop/refunds.py": REPAY})
    dense.learn([entry(term=REFUND, symbol="repay", path="shop/refunds.py")])
    assert dense.search(REFUND).shortcut
    return dense


def test_a_name_that_means_other_code_by_now_is_not_answered(refunds: Index) -> None:
    change(refunds, {"shop/refunds.py": "def repay(file):\n    return compress(archive(file))\n"})
    assert not refunds.search(REFUND).shortcut
    assert refunds.search(REFUND, "map").hits == ()


def test_the_same_name_in_another_file_is_no_move_unless_the_code_is_the_same(refunds: Index) -> None:
    (refunds.root / "shop/refunds.py").unlink()
    change(refunds, {"shop/debts.py": "def repay(loan):\n    raise Overdue(loan.creditor)\n"})
    assert not refunds.search(REFUND).shortcut
    change(refunds, {"shop/bank.py": REPAY})
    assert refunds.search(REFUND).hits[0].path == "shop/bank.py"


def test_a_definition_that_grew_is_still_the_one_learned(refunds: Index) -> None:
    change(refunds, {"shop/refunds.py": "\n\n" + REPAY.replace(":\n", ":\n    log.info(order)\n    check(order)\n")})
    assert refunds.search(REFUND).shortcut


@pytest.mark.parametrize(
    ("learned", "asked", "same"),
    [
        ("convert objects to json", "Convert objects to JSON!", True),
        ("convert objects to json", "convert json to objects", False),
        ("convert objects to json", "convert objects from json", False),
        ("reserve stock before payment", "reserve stock after payment", False),
        ("warn when stock is low", "warn when stock is not low", False),
        ("open a connection to the database", "close the connection to the database", False),
        ("wait 10 seconds", "wait 20 seconds", False),
        ("add up the prices of the basket", "please add up the basket's prices", True),
        ("add up the prices of the basket", "sum prices of the basket", True),  # the code says sum
    ],
)
def test_like_questions_for_other_things_are_told_apart(learned: str, asked: str, same: bool) -> None:
    assert is_same_question(asked, learned, "add_prices shop/money.py return sum(prices)") is same


def test_an_outcome_told_twice_is_the_later_one(dense: Index) -> None:
    dense.learn([entry()])
    dense.judge("s1", succeeded=False)
    assert not dense.search(QUERY).shortcut
    dense.judge("s1", succeeded=True)
    assert dense.search(QUERY).shortcut


def test_what_was_learned_fades_by_the_clock_that_is_given(dense: Index) -> None:
    dense.learn([entry(learned_at="2026-01-01")])
    for days, sure in ((0, True), (40, True), (60, False)):
        then = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(days=days)
        with Index.open(dense.root, dense.config, lambda then=then: then) as later:  # type: ignore[misc]  # bound now
            assert later.search(QUERY).shortcut is sure, days


def test_success_counts_for_and_failure_counts_against() -> None:
    assert outcome_weight(entry(successes=1, failures=0)) == 1
    assert outcome_weight(entry(successes=5, failures=0)) == 1
    weights = [outcome_weight(entry(successes=1, failures=n)) for n in range(4)]
    assert weights == sorted(weights, reverse=True)
    assert outcome_weight(entry(successes=1, failures=1)) < 0.7


def test_what_was_learned_fades_to_half_in_ninety_days() -> None:
    now = datetime.datetime(2026, 11, 21, tzinfo=datetime.UTC)
    assert decay(entry(learned_at="2026-08-23"), now) == pytest.approx(0.5)
    assert decay(entry(learned_at="2026-05-25T00:00:00+00:00"), now) == pytest.approx(0.25)
    assert decay(entry(learned_at="2026-11-24"), now) == 1


def test_an_old_entry_no_longer_answers_alone(dense: Index) -> None:
    dense.learn([entry(learned_at=ago(60))])
    assert not dense.search(QUERY).shortcut
    assert dense.search(QUERY, "map").hits[0].score < 0.7


def test_learning_the_same_in_another_session_adds_up(dense: Index) -> None:
    dense.learn([entry()])
    dense.learn([entry()])  # the same session resumed: nothing is counted twice
    dense.learn([entry(session_id="s2")])
    (known,) = dense.map_entries()
    assert (known.successes, known.failures) == (2, 0)


def test_a_failure_after_a_success_demotes(dense: Index) -> None:
    dense.learn([entry()])
    dense.learn([entry(successes=0, failures=1)])
    (known,) = dense.map_entries()
    assert (known.successes, known.failures) == (0, 1)
    assert not dense.search(QUERY).shortcut


def test_a_session_can_be_demoted_or_forgotten_as_a_whole(dense: Index) -> None:
    dense.learn([entry(), entry(term="another term")])
    dense.learn([entry(session_id="s2")])
    assert dense.judge("s1", succeeded=False) == 2
    assert {(e.term, e.successes, e.failures) for e in dense.map_entries()} == {(QUERY, 1, 1), ("another term", 0, 1)}
    assert dense.forget("s1") == 2
    assert [(e.term, e.successes, e.failures) for e in dense.map_entries()] == [(QUERY, 1, 0)]
    assert dense.forget("nobody") == 0


def test_the_files_are_the_truth(dense: Index) -> None:
    dense.learn([entry()])
    (place,) = (dense.data_dir / "agreements").glob("*.md")
    assert place.name.startswith("how-is-the-basket-summed-up-")
    place.write_text(place.read_text("utf-8").replace("add_prices", "parse_price"), "utf-8")
    assert dense.search(QUERY).hits[0].symbol == "parse_price"
    place.unlink()
    assert not dense.search(QUERY).shortcut
    assert dense.map_entries() == []


def test_a_file_that_is_no_agreement_is_named_and_left_alone(dense: Index) -> None:
    dense.learn([entry()])
    write_files(dense.data_dir, {"agreements/broken.md": "no front matter\n"})
    assert len(dense.map_entries()) == 1
    assert any("broken.md" in note for note in dense.stats().notices)
    assert (dense.data_dir / "agreements/broken.md").exists()


@pytest.mark.parametrize(
    "text", ['a "quoted": term', "line\nbreak", "日本語 {x} [y] # z", " - dash", "---", "'", "yes", "12"]
)
def test_any_text_survives_the_file(text: str) -> None:
    written = agreement.of(entry(term=text, session_id=text, evidence="because\n---\nof: this", verified_by=text))
    read = agreement.loads(agreement.dumps(written))
    assert read == written


def test_a_file_written_by_hand_is_read() -> None:
    text = """---
doc_type: agreement
nl_term: login feature
symbol: AuthService
path: app/auth.py
similarity: 0.82
# a remark
session_id: session_1
intent: MODIFY
learned_at: 2026-01-18
---
It was so.
"""
    read = agreement.loads(text).entry
    assert (read.term, read.symbol, read.similarity, read.successes) == ("login feature", "AuthService", 0.82, 1)
    assert read.evidence == "It was so."


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("doc_type: agreement", "doc_type: note"),
        ("symbol: S", ""),
        ("similarity: 0.5", "similarity: 3"),
        ("similarity: 0.5", 'similarity: "high"'),
        ("learned_at: 2026-01-18", "learned_at: yesterday"),
        ("intent: I", "- a list"),
        ("intent: I", 'outcomes: {"s": 1}'),
        ("intent: I", "outcomes: [1]"),
        ("intent: I", 'intent: "unclosed'),
        ("---", "***"),
    ],
)
def test_a_broken_file_is_refused(old: str, new: str) -> None:
    head = ["---", "doc_type: agreement", "nl_term: T", "symbol: S", "path: p", "similarity: 0.5", "session_id: s"]
    text = "\n".join([*head, "intent: I", "learned_at: 2026-01-18", "---", ""])
    agreement.loads(text)
    with pytest.raises(BadAgreement):
        agreement.loads(text.replace(old, new))


def test_learning_before_any_sync_works(index: Index) -> None:
    index.learn([entry()])
    assert index.search(QUERY).shortcut


def test_an_entry_without_a_symbol_is_about_its_file(dense: Index) -> None:
    dense.learn([entry(symbol="", path="README.md"), entry(term="gone", symbol="", path="gone.md")])
    assert dense.search(QUERY).hits[0].path == "README.md"
    assert dense.search("gone", "map").hits == ()


def test_no_temporary_files_are_left(dense: Index) -> None:
    dense.learn([entry(term=f"term {n}") for n in range(5)])
    assert [path.suffix for path in Path(dense.data_dir / "agreements").iterdir()] == [".md"] * 5
