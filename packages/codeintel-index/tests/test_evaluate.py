"""The figures are those worked out by hand, and questions come from files and from history, mistakes told by line."""

import json
import math
import sys
from pathlib import Path

import pytest

from codeintel_index import Index
from codeintel_index.cli import app as cli
from codeintel_index.errors import BadQuestions, NoHistory
from codeintel_index.evaluate.measure import measure, searching, summarize
from codeintel_index.evaluate.metrics import Answer, Target, depth_of_budget, ndcg, percentiles, ranks, recall
from codeintel_index.evaluate.questions import Question, mine_questions, read_questions
from codeintel_index.testing import git, make_repo, write_files

KNOWN = ("shop/cart.py", "shop/money.py")


def answers(*paths: str) -> list[Answer]:
    return [Answer(path, 1, 10, 400) for path in paths]


def questions(folder: Path, *lines: str) -> Path:
    place = folder / "questions.jsonl"
    place.write_text("\n".join(lines), encoding="utf-8")
    return place


def test_a_target_is_hit_by_the_first_answer_from_its_file() -> None:
    found = ranks([Target("a/x.py"), Target("b.py"), Target("c.py")], answers("b.py", "a/x.py", "a/x.py", "b.py"))
    assert found == [2, 1, 0]


def test_either_path_may_be_the_end_of_the_other_by_whole_folders() -> None:
    assert ranks([Target("src/a/x.py")], answers("x.py")) == [1]
    assert ranks([Target("x.py")], answers("src/a/x.py")) == [1]
    assert ranks([Target("x.py")], answers("ax.py", "x.pyx")) == [0]


@pytest.mark.parametrize(("start", "end", "rank"), [(10, 12, 1), (1, 1, 1), (11, 12, 2), (21, 30, 0)])
def test_a_target_with_lines_is_hit_where_they_overlap(start: int, end: int, rank: int) -> None:
    assert ranks([Target("a.py", start, end)], [Answer("a.py", 1, 10), Answer("a.py", 11, 20)]) == [rank]


def test_ndcg_by_hand() -> None:
    assert ndcg([1]) == 1
    assert ndcg([2]) == pytest.approx(1 / math.log2(3))
    assert ndcg([1, 2]) == pytest.approx(1)
    # ranks 1 and 4 of two: (1 + 1/log2 5) / (1 + 1/log2 3)
    assert ndcg([1, 4]) == pytest.approx((1 + 0.430676558) / (1 + 0.630929754))
    assert ndcg([3, 0]) == pytest.approx(0.5 / 1.630929754)
    assert ndcg([11]) == ndcg([0]) == ndcg([]) == 0


def test_the_ideal_has_room_for_ten() -> None:
    assert ndcg([*range(1, 11), 0, 0]) == pytest.approx(1)


def test_recall_counts_targets_within_the_depth() -> None:
    assert recall([1, 10, 11, 0]) == 0.5
    assert recall([3, 4], depth=3) == 0.5
    assert recall([]) == 0


def test_a_budget_holds_whole_answers_only() -> None:
    chunks = [400, 400, 400]  # 100 tokens each
    assert [depth_of_budget(chunks, tokens) for tokens in (99, 100, 250, 300, 1000)] == [0, 1, 2, 3, 3]


def test_percentiles_of_few_and_many() -> None:
    assert percentiles([]) == (0, 0)
    assert percentiles([7.0]) == (7, 7)
    assert percentiles([float(n) for n in range(101)]) == (50, 95)


def test_questions_are_read_with_and_without_lines(tmp_path: Path) -> None:
    place = questions(
        tmp_path,
        '{"query": "sum", "relevant": ["shop/money.py:3-9", "shop/cart.py:4"]}',
        "",
        '{"query": "cart", "relevant": ["shop/cart.py"]}',
    )
    assert read_questions(place, KNOWN) == [
        Question("sum", (Target("shop/money.py", 3, 9), Target("shop/cart.py", 4, 4))),
        Question("cart", (Target("shop/cart.py"),)),
    ]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{nonsense", "not JSON"),
        ("[]", '"query" must be a text'),
        ('{"query": " ", "relevant": ["shop/cart.py"]}', '"query" must be a text'),
        ('{"query": "x"}', '"relevant" must be a list of paths'),
        ('{"query": "x", "relevant": []}', '"relevant" must be a list of paths'),
        ('{"query": "x", "relevant": ["shop/till.py"]}', "'shop/till.py' is not an indexed file"),
        ('{"query": "x", "relevant": ["shop/cart.py:9-3"]}', "the lines 9-3 run backwards"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str, why: str) -> None:
    place = questions(tmp_path, '{"query": "ok", "relevant": ["shop/cart.py"]}', line)
    with pytest.raises(BadQuestions, match=r"questions\.jsonl:2: ") as caught:
        read_questions(place, KNOWN)
    assert why in str(caught.value)


def test_no_file_and_no_question_are_told(tmp_path: Path) -> None:
    with pytest.raises(BadQuestions, match="No such file"):
        read_questions(tmp_path / "none.jsonl", KNOWN)
    with pytest.raises(BadQuestions, match="no question"):
        read_questions(questions(tmp_path, ""), KNOWN)


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """A repository whose commits are some of use and some not."""
    root = make_repo(tmp_path / "p", {"a.py": "a = 1\n", "b.py": "b = 1\n", "gone.py": "c = 1\n", "n.md": "n\n"})

    def commit(subject: str, *paths: str) -> None:
        write_files(
            root, {path: f"{(root / path).read_text() if (root / path).exists() else ''}x = 2\n" for path in paths}
        )
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--message", subject)

    commit("feat(core): teach a and b to count (#12)", "a.py", "b.py", "n.md", "tests/test_a.py")
    commit("Fix typo", "a.py")
    commit("Bump version of the package", "a.py")
    commit("Describe everything in the notes", "n.md")
    commit("Move many files around at once", *(f"m{n}.py" for n in range(6)))
    commit("Make the gone file better", "gone.py", "b.py")
    git(root, "rm", "--quiet", "gone.py")
    git(root, "commit", "--quiet", "--message", "Drop what nobody needs")
    return root


def test_history_yields_telling_commits_and_the_code_they_touched(history: Path) -> None:
    known = ["a.py", "b.py", "n.md", "tests/test_a.py", *(f"m{n}.py" for n in range(6))]
    assert mine_questions(history, known, 10) == [
        Question("Make the gone file better", (Target("b.py"),)),
        Question("teach a and b to count", (Target("a.py"), Target("b.py"))),
    ]
    assert len(mine_questions(history, known, 1)) == 1


def test_a_folder_of_a_repository_has_the_history_of_its_files(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "p", {"in/a.py": "a = 1\n", "out.py": "b = 1\n"}, commit=False)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "count with great care")
    assert mine_questions(root / "in", ["a.py"], 5) == [Question("count with great care", (Target("a.py"),))]


def test_without_history_there_are_no_questions(tmp_path: Path, shop: Path) -> None:
    with pytest.raises(NoHistory, match="not a git repository"):
        mine_questions(tmp_path, [], 5)
    with pytest.raises(NoHistory, match="no commit with a telling subject"):
        mine_questions(shop, ["shop/cart.py"], 5)


def test_an_index_is_measured(dense: Index) -> None:
    asked = [
        Question("mail a receipt to the customer", (Target("shop/mail.py"),)),
        Question("parse_price", (Target("shop/money.py", 20, 24), Target("shop/nowhere.py"))),
    ]
    found = summarize("here", list(measure(searching(dense), asked)))
    assert (found.source, found.questions) == ("here", 2)
    assert found.ndcg_10 == pytest.approx((1 + 1 / 1.630929754) / 2)
    assert found.recall_10 == found.recall_2k == found.recall_8k == 0.75
    assert 0 < found.p50_ms <= found.p95_ms


def test_a_small_budget_holds_less_than_ten_answers() -> None:
    found = [Answer(f"{n}.py", 1, 9, 4000, 1000) for n in range(10)]  # 1,000 tokens each, of which 250 are shown
    asked = [Question("q", tuple(Target(f"{n}.py") for n in range(10)))]
    (outcome,) = measure(lambda query, limit: found[:limit], asked)
    assert (outcome.recall_2k, outcome.recall_8k, outcome.shown_2k, outcome.recall_10) == (0.2, 0.8, 0.8, 1)


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["codeintel-index", "eval", *arguments])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    return stopped.value.code if isinstance(stopped.value.code, int) else 0


def test_the_command_measures_a_file_of_questions(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = questions(
        shop.parent,
        '{"query": "mail a receipt", "relevant": ["shop/mail.py"]}',
        '{"query": "shopping cart", "relevant": ["docs/money.md"]}',
    )
    assert call(monkeypatch, str(place), "--root", str(shop), "--misses") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"2 questions from {place}"
    assert [line.split("  ")[1] for line in lines if line.startswith("0.")] == ["shopping cart"]
    assert call(monkeypatch, str(place), "--root", str(shop), "--json") == 0
    assert json.loads(capsys.readouterr().out)["questions"] == 2


def test_the_command_measures_history_and_tells_mistakes(
    history: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "--from-history", "1", "--root", str(history), "--json") == 0
    assert json.loads(capsys.readouterr().out)["questions"] == 1
    assert call(monkeypatch, "--from-history", "many", "--root", str(history)) == 2
    assert "not a number of commits" in capsys.readouterr().err
    assert call(monkeypatch, "--root", str(history)) == 2
    assert "--from-history" in capsys.readouterr().err
    assert call(monkeypatch, str(history / "none.jsonl"), "--root", str(history)) == 2
    assert "none.jsonl" in capsys.readouterr().err
