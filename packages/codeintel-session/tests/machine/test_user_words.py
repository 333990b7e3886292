"""What counts as the user's own word, and what is left unknown rather than held against an agent."""

from dataclasses import replace

import pytest

from codeintel_contract import Flags, Intent
from codeintel_session.machine.user_words import (
    Prompt,
    decides,
    left_out,
    names_flag,
    options_left,
    quoted,
    repository_at_request,
    requests_left,
    who_asked,
    who_chose,
    words_of_request,
)

FIX = "Fix the parser, it drops the last line of a file"


def typed(*texts: str, is_cut: bool = False) -> list[Prompt]:
    return [Prompt(f"2026-11-21T10:00:0{number}", text, is_cut) for number, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("query", "prompts", "who"),
    [
        (FIX, [], "unknown"),
        (FIX, typed(FIX), "user"),
        (FIX, typed(f"/code --fast {FIX}. Thanks!"), "user"),
        ("fix the PARSER,  it drops the last line of a file", typed(FIX), "user"),
        ("Fix the parser: it drops a file's last line", typed(FIX), "user"),
        ("Fix parser that drops the last line of a file in Windows", typed("it is about Windows", FIX), "user"),
        ("Delete the login checks of the admin page", typed(FIX), "agent"),
        ("Delete the login checks of the admin page", typed(FIX, is_cut=True), "unknown"),
    ],
)
def test_a_request_is_the_users_if_a_prompt_holds_it(query: str, prompts: list[Prompt], who: str) -> None:
    assert who_asked(query, prompts) == who


@pytest.mark.parametrize(
    ("flag", "text", "named"),
    [
        ("fast", "/code --fast fix it", True),
        ("fast", "/code -f fix it", True),
        ("fast", "$code -f fix it", True),
        ("fast", "use fast mode here", True),
        ("no_verify", "run it with no_verify please", True),
        ("no_verify", "--no-verify, I test it myself", True),
        ("no_doc", "/code --no-doc-research fix it", True),
        ("no_intervention", "/code -ni fix it", True),
        ("no_verify", "/code --no-quality --no-verify fix it", True),
        ("quick", "/code -q fix it", True),
        ("fast", "make the parser fast", False),
        ("fast", "rm -f the old file", False),
        ("quick", "a quick fix of the parser", False),
        ("fast", "/code --fastest fix it", False),
        ("fast", "do not use --fast here", False),
        ("no_verify", "never pass --no-verify to git", False),
        ("no_verify", "go on without no_verify", False),
        ("no_quality", "the quality is no concern", False),
        ("no_doc", "there is no doc about it", False),
    ],
)
def test_a_flag_is_named_by_its_option_and_not_by_a_word_like_it(flag: str, text: str, named: bool) -> None:
    assert names_flag(flag, text) is named


def test_only_flags_that_leave_steps_out_need_somebody_who_chose_them() -> None:
    assert who_chose(Flags(gate_level="full", only_verify=True), FIX, typed(FIX)) == {}
    assert who_chose(Flags(fast=True, no_doc=True), FIX, typed(f"/code --fast {FIX}")) == {
        "fast": "user",
        "no_doc": "agent",
    }


def test_a_flag_for_an_earlier_task_is_not_one_for_this() -> None:
    earlier = typed("/code --fast rename the index", f"/code {FIX}")
    assert who_chose(Flags(fast=True), FIX, earlier) == {"fast": "agent"}
    later = typed(f"/code {FIX}", "and use --fast")
    assert who_chose(Flags(fast=True), FIX, later) == {"fast": "user"}


def test_without_prompts_or_with_a_part_of_one_nobody_can_say() -> None:
    assert who_chose(Flags(fast=True), FIX, []) == {"fast": "unknown"}
    assert who_chose(Flags(fast=True), FIX, typed(FIX, is_cut=True)) == {"fast": "unknown"}


@pytest.mark.parametrize(
    ("choice", "text", "said"),
    [
        ("merge", "merge", True),
        ("merge", "Merge it.", True),
        ("delete", "please delete the old branch", True),
        ("delete", "drop these branches", True),
        ("merge", "delete the branch", False),
        ("merge", "do not merge the branch", False),
        ("delete", "delete the login page", False),
        ("continue", "continue on the branch", False),
    ],
)
def test_a_decision_about_branches_is_told_from_other_words(choice: str, text: str, said: bool) -> None:
    assert decides(choice, typed(text)) is said


@pytest.mark.parametrize(
    ("query", "text", "lacking"),
    [
        ("Add a function to the parser", "/code --fast Add a function to the parser", ""),
        ("add a Function to the parser.", "/code -g=full -f Add a function to the parser", ""),
        (
            "Add a function to the parser.",
            "/code Add a function to the parser. Reject empty names with ValueError.",
            "reject, empty, names, value, error",
        ),
        (
            "Add a function third_price(price) to shop/pricing.py, a third rounded down. Cover it with a test.",
            "/code Add a function third_price(price) to shop/pricing.py, a third rounded down. Cover it with a test. "
            "Negative prices are an error. Thanks!",
            "negative, prices, error",
        ),
        ("Add a function", "please add a function, and reject empty names with an error as before", ""),
        ("Make spaces one, but do change tabs", "/code Make spaces one, but do not change tabs", "not"),
        ("Make spaces one, and never change tabs", "/code Make spaces one, but do not change tabs", ""),
        ("Never make lines one, but do change tabs", "/code Never make lines one, but do not change tabs", "not"),
        ("Rename the class", "/code Add a function to the parser, reject empty names", ""),
    ],
)
def test_a_request_that_is_a_part_of_the_command_is_told_by_the_words_it_lacks(
    query: str, text: str, lacking: str
) -> None:
    assert left_out(query, typed(text)) == lacking
    assert left_out(query, typed(text, is_cut=True)) == ""


PASTED = {
    "log": "".join(f"2026-11-{day:02d} 09:00:{day:02d} cart={day:05d} sku=tea, not found\n" for day in range(1, 29)),
    "log by hours": "".join(f"09:{at:02d} GET /page/{at} 404 no such page\n" for at in range(28)),
    "levels": "INFO shop starts\nWARN no settings, never mind\n[ERROR] cannot open the till\nINFO shop ends\n",
    "trace": "Traceback (most recent call last):\n"
    '  File "shop/cart.py", line 3, in total\n'
    "    return prices[sku] * quantity\n"
    "KeyError: 'no price without a catalog'\n",
    "frames": "TypeError: prices is not a function\n    at total (/shop/cart.js:3:14)\n    at main (/a.js:9:1)\n",
    "pytest": "=========== FAILURES ===========\n____ test_total ____\n\n    def test_total():\n"
    ">       assert total() == 300\nE       assert 200 == 300\n\ntests/test_cart.py:4: AssertionError\n"
    "FAILED tests/test_cart.py::test_total - assert not 200 == 300\n",
    "fence": "```python\nprices = {}\n\nraise LookupError('never without a catalog')\n```\n",
    "quote": "> Dear shop,\n> the total of my cart was wrong, do not send me another bill.\n> Yours, a customer\n",
    "code": "function total(prices) {\n  if (!prices.length) {\n    never(prices);\n  }\n}\n",
    "document": " ".join(
        f"Clause{number} says that no customer{number} pays without bill{number}." for number in range(120)
    ),
}


@pytest.mark.parametrize("kind", PASTED)
def test_what_was_pasted_beside_a_request_need_not_be_repeated(kind: str) -> None:
    asked = "Make Cart.total count every piece."
    for text in (f"/code {asked} See below:\n\n{PASTED[kind]}", f"/code Look at this:\n\n{PASTED[kind]}\n{asked}"):
        assert left_out(asked, typed(text)) == ""
        announced = f"/code {asked} Here is what the shop's till printed yesterday evening:\n{PASTED[kind]}"
        assert left_out(asked, typed(announced)) == ""


@pytest.mark.parametrize("kind", [kind for kind in PASTED if kind != "document"])
def test_what_was_written_beside_a_pasted_block_is_still_missed(kind: str) -> None:
    text = f"/code Make Cart.total count every piece.\n\n{PASTED[kind]}\nAnd refuse negative quantities."
    assert left_out("Make Cart.total count every piece.", typed(text)) == "refuse, negative, quantities"


@pytest.mark.parametrize(
    "lines",
    [
        "- reject empty names:\n    - with a ValueError\n    - and a message\n    1. that names the field\n",
        "09:30 the shop opens with a bell\n18:00 it closes with a horn\n",
        "WARNING: reject empty names with a message\n",
    ],
    ids=["nested list", "two times", "one shout"],
)
def test_lists_and_single_lines_that_look_like_output_are_the_users_own(lines: str) -> None:
    assert left_out("Add a shop to the parser", typed(f"/code Add a shop to the parser.\n{lines}")) != ""
    told = f"/code Add a shop to the parser. Here reject empty names:\n- {lines}"
    assert "empty" in left_out("Add a shop to the parser", typed(told))


@pytest.mark.parametrize(
    ("before", "since", "words"),
    [
        ([], [], ["Add mean to stats"]),
        (["Hello", "/code Add mean to stats, not to maths"], [], ["/code Add mean to stats, not to maths"]),
        (
            ["Add mean to stats and maths", "for lists"],
            ["and a test"],
            ["Add mean to stats and maths", "for lists", "and a test"],
        ),
        (
            ["Add mean to stats and maths", "Add mean to stats"],
            [],
            ["Add mean to stats and maths", "Add mean to stats"],
        ),
        (["Hello", "Add mean, then a test", "to stats"], [], ["Add mean, then a test", "to stats"]),
        (["Paint it blue"], ["and a test", "and a test"], ["and a test", "Add mean to stats"]),
    ],
)
def test_what_was_asked_for_is_in_the_users_words_where_they_are_known(
    before: list[str], since: list[str], words: list[str]
) -> None:
    said = [Prompt("2026-01-01T00:00:01", text) for text in before]
    later = [Prompt("2026-01-01T00:00:09", text) for text in since]
    found = words_of_request("Add mean to stats", [*said, *later], "2026-01-01T00:00:05")
    assert [*found.asked, *filter(None, [found.told])] == words
    assert found.before == tuple(text for text in before if text not in words), "what is no part of it is told, too"


@pytest.mark.parametrize(
    ("done_at", "first", "last"), [("", "0", "2"), ("0", "1", "2"), ("1", "2", "2"), ("2", "2", "2"), ("9", "2", "2")]
)
def test_a_request_counts_from_when_it_was_typed_first_since_it_was_done(done_at: str, first: str, last: str) -> None:
    texts = ("Add mean to stats", "Add mean to stats, please", "Once more: add mean to stats", "thank you")
    prompts = [
        Prompt(
            str(at),
            text,
            tips=(str(at),),
            branch=str(at),
            stashes=(text,),
            head=f"commit {at}",
            settings={text: str(at)},
        )
        for at, text in enumerate(texts)
    ]
    found = repository_at_request("Add mean to stats", prompts, done_at)
    assert found == (
        (first,),
        last,
        (texts[int(first)],),
        first,
        ((first, f"commit {first}"),),
        {texts[int(first)]: first},
    )
    assert words_of_request("Add mean to stats", prompts, "9", done_at).asked == texts[int(first) :]
    assert repository_at_request("Paint it blue", prompts, done_at) == ((), "", (), "", (), {})
    assert repository_at_request("Add mean to stats", [replace(prompts[0], head="")]).heads == ()


@pytest.mark.parametrize(
    ("typed", "flags", "lacking"),
    [
        ("/code -q Add mean to stats", Flags(), "-q"),
        ("/code -q Add mean to stats", Flags(quick=True), ""),
        ("$code --no-verify -g=full Add mean to stats", Flags(gate_level="full"), "--no-verify"),
        ("/code -g=f Add mean to stats", Flags(), "-g=f"),
        ("/code -g=auto Add mean to stats", Flags(), ""),
        ("/code --fast -q Add mean to stats", Flags(quick=True), ""),
        ("/code -q --only-verify Add mean to stats", Flags(), ""),
        ("/code --doc-research=a,b Add mean to stats", Flags(doc_research=("a", "b")), ""),
        ("/code --doc-research=a,b Add mean to stats", Flags(doc_research=("a",)), "--doc-research=a,b"),
        ("/code -r -c Add mean to stats", Flags(), ""),
        ("/code Add mean to stats -q", Flags(), ""),
        ("/code Add -f for mean to stats", Flags(), ""),
        ("/code -x Add mean to stats", Flags(), ""),
        ("Add mean to stats with -q", Flags(), ""),
        ("/code -q Paint it blue", Flags(), ""),
    ],
)
def test_options_that_the_user_typed_and_the_session_lacks_are_known(typed: str, flags: Flags, lacking: str) -> None:
    prompts = [Prompt("1", typed), Prompt("2", "thank you")]
    assert options_left(flags, Intent.MODIFY, "Add mean to stats", prompts) == lacking


def test_an_option_does_not_count_where_the_request_was_typed_again_without_it() -> None:
    again = [Prompt("1", "/code -q Add mean to stats"), Prompt("2", "Add mean to stats and merge it")]
    assert options_left(Flags(), Intent.MODIFY, "Add mean to stats", again) == ""


def test_an_investigation_has_the_option_for_one_without_the_flag() -> None:
    typed_ = [Prompt("1", "/code -e Add mean to stats")]
    assert options_left(Flags(), Intent.QUESTION, "Add mean to stats", typed_) == ""
    assert options_left(Flags(), Intent.MODIFY, "Add mean to stats", typed_) == "-e"


def test_of_many_prompts_the_first_and_the_last_are_quoted() -> None:
    assert quoted("abcde") == tuple("abcde")
    assert quoted("abcdefg") == ("a", "b", "c", "2 more between", "f", "g")


def test_a_prompt_that_was_kept_in_part_stands_beside_the_request_of_the_agent() -> None:
    cut = [Prompt("2026-01-01T00:00:01", "Add mean to stats, and", is_cut=True)]
    words = words_of_request("Add mean to stats", cut, "2026-01-01T00:00:05")
    assert (words.asked, words.told) == (("Add mean to stats, and [a part of it was not kept]",), "Add mean to stats")


def test_long_prompts_before_the_request_are_shown_in_part_and_of_many_the_last() -> None:
    texts = [*(f"{at:02}" + "x" * 11_000 for at in range(30)), "short", "Add mean to stats"]
    prompts = [Prompt(f"2026-01-01T00:00:{at:02}", text) for at, text in enumerate(texts)]
    before = words_of_request("Add mean to stats", prompts, "2026-01-01T00:00:59").before
    assert before[0] == "[earlier prompts are not shown]"
    assert [text[:2] for text in before[1:]] == [*(f"{at:02}" for at in range(11, 30)), "sh"]
    assert before[1] == texts[11][:10_000] + " [the rest is not shown]"
    assert sum(map(len, before)) <= 200_000 + len(before[0])


@pytest.mark.parametrize(
    ("typed", "query", "lacking"),
    [
        (["/code Paint it blue", "Add mean to stats"], "Add mean to stats", ["/code Paint it blue"]),
        (["/code --fast Paint it blue", "/code Add mean to stats"], "Paint it blue", ["/code Add mean to stats"]),
        (["Paint it blue", "/code Add mean to stats"], "Add mean to stats", []),
        (["/code", "/code -f", "/code Add mean to stats"], "Add mean to stats", []),
        (["Add mean to stats", "/code -f ok, go ahead now"], "Add mean to stats", []),
        (["/code Paint it blue, and add mean to stats", "/code Add mean to stats"], "Add mean to stats", []),
        (["/code Paint it blue", "/code Add mean to stats"], "Paint it blue and add mean to stats", []),
        (["/code Paint it blue", "/code Add mean to stats"], "Compute another number entirely", []),
    ],
)
def test_requests_that_no_session_took_up_are_known(typed: list[str], query: str, lacking: list[str]) -> None:
    prompts = [Prompt("1", "/code Of an earlier session"), *(Prompt("3", text) for text in typed)]
    assert requests_left(query, prompts, "2") == lacking
