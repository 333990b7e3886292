"""Both layers of the context through a client: rules of the project, and rules found for one task."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeintel_server.demo.change import Change
from codeintel_server.demo.player import Player, Script
from codeintel_server.testing import Caller, in_memory, play_to
from codeintel_session.testing import Repo

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]

RULES = "# Rules\n\nWe are many.\n\n- Keep it small\n1. Test it\n"
LONG = RULES + "And more of us.\n" * 200
"""Longer than what is given whole."""
CONTEXT = ".code-intel/context.yml"


async def start(call: Caller, query: str = "how are numbers counted?", **more: Any) -> dict[str, Any]:
    return await call("start_session", intent="QUESTION", query=query, discard_active=True, **more)


def notices(reply: dict[str, Any]) -> str:
    return "\n".join(reply.get("notices", []))


async def test_until_the_agent_has_summarized_long_rules_their_headings_and_items_stand_for_them(
    call: Caller, repo: Path
) -> None:
    (repo / "CLAUDE.md").write_text(LONG, encoding="utf-8")
    first = await start(call)
    assert first["project_rules"] == "# Rules\n- Keep it small\n1. Test it"
    assert "CLAUDE.md" in notices(first)
    assert "update_context" in notices(first)
    stored = await call("update_context", summary="DO: keep it small. DON'T: skip tests.")
    assert stored["content_hash"] == hashlib.sha256(LONG.encode()).hexdigest()[:16]
    second = await start(call)
    assert second["project_rules"] == "DO: keep it small. DON'T: skip tests."
    assert "update_context" not in notices(second)


async def test_the_outcome_names_a_summary_of_the_rules_that_was_stored_meanwhile(call: Caller, change: Change) -> None:
    await call("update_context", summary="DO: stored before it began")
    player = await play_to(call, change, 12)
    await call("update_context", summary=f"DO: {'ask ' * 40}")
    while player.reply["phase"] != "SESSION_COMPLETE":
        await player.one_step()
    said = player.reply["message"].partition("stored this summary of the project's rules for later sessions: ")[2]
    assert said.startswith(f'"DO: {"ask " * 24}…". ')


async def test_short_rules_are_given_whole_and_nobody_is_asked_for_a_summary(call: Caller, repo: Path) -> None:
    (repo / "CLAUDE.md").write_text(RULES, encoding="utf-8")
    reply = await start(call)
    assert reply["project_rules"] == RULES.strip()
    assert "update_context" not in notices(reply)


async def test_a_changed_source_calls_for_a_new_summary_and_the_later_summary_holds(call: Caller, repo: Path) -> None:
    source = repo / "CLAUDE.md"
    source.write_text(LONG, encoding="utf-8")
    await call("update_context", summary="old")
    source.write_text(LONG + "- Mind the tests\n", encoding="utf-8")
    changed = await start(call)
    assert "- Mind the tests" in changed["project_rules"]
    assert "update_context" in notices(changed)
    await call("update_context", summary="newer")
    await call("update_context", summary="newest")
    assert (await start(call))["project_rules"] == "newest"


@pytest.mark.parametrize("digest", ["", '  content_hash: "0123456789abcdef"\n'])
async def test_a_summary_that_the_user_wrote_wins_and_is_never_touched(call: Caller, repo: Path, digest: str) -> None:
    (repo / "AGENTS.md").write_text(LONG, encoding="utf-8")
    text = f"# ours\nproject_rules:\n  summary: 'DO: ask'  # mine\n{digest}"
    Repo(repo).write(CONTEXT, text)
    await call("update_context", summary="DO: it")
    reply = await start(call)
    assert (reply["project_rules"], "update_context" in notices(reply)) == ("DO: ask", False)
    assert (repo / CONTEXT).read_text(encoding="utf-8") == text


@pytest.mark.parametrize("text", ["", "[]", "{", '{"content_hash": 1, "summary": 2}', "[" * 5000])
async def test_a_cache_that_is_damaged_is_as_none(call: Caller, repo: Path, text: str) -> None:
    (repo / "CLAUDE.md").write_text(LONG, encoding="utf-8")
    await call("update_context", summary="mine")
    (repo / ".code-intel/cache/rules.json").write_text(text, encoding="utf-8")
    assert (await start(call))["project_rules"].startswith("# Rules")


async def test_a_cache_that_another_wrote_is_as_none(call: Caller, repo: Path) -> None:
    """An agent wrote rules for all later sessions there, with the right digest of the source."""
    (repo / "CLAUDE.md").write_text(LONG, encoding="utf-8")
    await call("update_context", summary="mine")
    cache = repo / ".code-intel/cache/rules.json"
    cache.write_text(cache.read_text(encoding="utf-8").replace("mine", "evil"), encoding="utf-8")
    assert (await start(call))["project_rules"].startswith("# Rules")


@pytest.mark.parametrize("flags", [[], ["--fast"], ["--quick"], ["--only-verify"], ["--no-verify"]])
async def test_at_the_end_git_status_shows_what_it_showed_at_the_start(
    repo: Path, change: Change, git: Callable[..., str], flags: list[str]
) -> None:
    """Also in a project whose files of codeintel are committed, where the rules are summarized on the way."""
    Repo(repo).write(CONTEXT, "doc_research:\n  enabled: true\n")
    Repo(repo).write(".code-intel/.gitignore", "/agreements/\n/chroma/\n/logs/\n/sessions/\n/index.db*\n/*.lock\n")
    (repo / "CLAUDE.md").write_text(LONG, encoding="utf-8")
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "With codeintel")
    Repo(repo).write("mine.txt", "not committed\n")
    before = git(repo, "status", "--porcelain")
    async with in_memory(repo) as call:
        await call("update_context", summary="DO: keep it small.")
        end = await Player(call.client, change, Script(answers=False, flags=flags)).play()
        assert end["phase"] == "SESSION_COMPLETE"
    after = git(repo, "status", "--porcelain").splitlines()
    task = [line for line in after if line not in before.splitlines()]
    assert task == ([" M src/stats.py"] if "--quick" in flags else [])


async def test_a_summary_is_needed_and_bounded(call: Caller, repo: Path) -> None:
    (repo / "CLAUDE.md").write_text(LONG, encoding="utf-8")
    assert (await call("update_context", summary="  "))["success"] is False
    assert not (repo / ".code-intel/cache/rules.json").exists()
    await call("update_context", summary="x" * 50_000)
    assert len((await start(call))["project_rules"]) == 2048


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"no list and no heading", "no list and no heading"),
        (b"no list and no heading\n" * 200, ""),
        (b"- caf\xe9\n", "- caf\ufffd"),
        (b"- " + b"x" * 3000 + b"\n- y\n", ""),
        (b"- item\n" * 300_000, "\n".join(["- item"] * 292)),
    ],
    ids=[
        "empty",
        "plain",
        "long and plain",
        "latin",
        "long item",
        "two megabytes",
    ],  # they get into the environment
)
async def test_any_rules_file_gives_an_extract_of_two_kilobytes_at_most(
    call: Caller, repo: Path, data: bytes, text: str
) -> None:
    (repo / "CLAUDE.md").write_bytes(data)
    reply = await start(call)
    assert reply["success"]
    assert reply["project_rules"] == text


async def test_a_source_that_is_not_there_or_outside_is_told_and_the_next_one_is_taken(
    call: Caller, repo: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret.md").write_text("- secret\n", encoding="utf-8")
    (repo / "AGENTS.md").write_text("- ours\n", encoding="utf-8")
    (repo / ".code-intel").mkdir(exist_ok=True)
    for name in ("../secret.md", "RULES.md"):
        (repo / CONTEXT).write_text(f"project_rules:\n  source: {name}\n", encoding="utf-8")
        reply = await start(call)
        assert reply["project_rules"] == "- ours"
        assert f"there is no file {name!r} in the project" in notices(reply)


async def test_without_any_rules_file_the_summary_stands_alone(call: Caller) -> None:
    assert (await start(call))["project_rules"] == ""
    await call("update_context", summary="DO: ask first")
    assert (await start(call))["project_rules"] == "DO: ask first"


async def test_documents_are_found_by_folder_and_pattern_and_ranked_by_the_request(call: Caller, repo: Path) -> None:
    texts = {
        "docs/counting.md": "Counting numbers: lists of numbers are counted lazily.",
        "docs/other.md": "Letters are written by hand, with numbers at the end.",
        "docs/old/counting.md": "Counting numbers, as it was.",
        "docs/counting.txt": "Counting numbers.",
        "notes/counting.md": "Counting numbers.",
        "docs/unrelated.md": "Bread.",
    }
    for path, text in texts.items():
        Repo(repo).write(path, text)
    Repo(repo).write(CONTEXT, "document_search:\n  exclude_patterns: ['docs/old/**']\n")
    reply = await start(call, "how do we count numbers in lists?")
    assert reply["phase"] == "DOCUMENT_RESEARCH"
    assert "docs/counting.md, docs/other.md" in notices(reply)
    for path in ("docs/old/counting.md", "docs/counting.txt", "notes/counting.md", "docs/unrelated.md"):
        assert path not in notices(reply)


async def test_the_prompts_to_research_with_are_the_flags_else_the_projects_else_the_contracts(
    call: Caller, repo: Path
) -> None:
    Repo(repo).write("docs/counting.md", "Counting numbers.")
    assert (await start(call))["resources"] == [".code-intel/doc_research/default.md"]
    Repo(repo).write(".code-intel/doc_research/deep.md", "Look deep.")
    Repo(repo).write(CONTEXT, "doc_research:\n  default_prompts: [deep.md]\n")
    assert (await start(call))["resources"] == [".code-intel/doc_research/deep.md"]
    Repo(repo).write(".code-intel/doc_research/wide.md", "Look wide.")
    flags = ["--doc-research=wide"]
    assert (await start(call, flags=flags))["resources"] == [".code-intel/doc_research/wide.md"]


async def test_rules_with_a_source_that_does_not_exist_are_refused_and_nothing_is_kept(
    call: Caller, repo: Path
) -> None:
    Repo(repo).write("docs/counting.md", "Counting numbers.\n")
    await start(call)
    for source in ("docs/counting.md:9", "docs/counting.md", "docs/none.md:1", "../secret.md:1"):
        rules = [{"rule": "Count lazily", "source": source}]
        data = {"summary": "Read.", "documents_reviewed": ["docs/counting.md"], "mandatory_rules": rules}
        reply = await call("submit_phase", data=data)
        assert (reply["success"], reply["phase"]) == (False, "DOCUMENT_RESEARCH")
        assert source in " ".join(reply["problems"])
    status = await call("get_session_status")
    assert (status["phase"], status["completed_steps"]) == ("DOCUMENT_RESEARCH", [])


async def test_rules_found_come_once_and_whole_for_the_plan(call: Caller, repo: Path, change: Change) -> None:
    Repo(repo).write("docs/counting.md", "Count numbers lazily; total and mean.\n")
    player = await play_to(call, change, 3, answers=False)
    rules = [{"rule": f"Count lazily, rule {n} " + "x" * 80, "source": "docs/counting.md:1"} for n in range(30)]
    await player.submit("Read.", documents_reviewed=["docs/counting.md"], mandatory_rules=rules)
    told: dict[str, str] = {}
    while player.reply["phase"] != "SESSION_COMPLETE":
        place = f"{player.reply['phase']} {player.reply.get('substep', '')}".strip()
        told[place] = next((text for text in player.reply.get("notices", []) if "Count lazily" in text), "")
        await player.one_step()
    assert [place for place, text in told.items() if text] == ["READY plan"]
    assert "docs/counting.md:1" in told["READY plan"]
    assert len(told["READY plan"].encode()) < 1200


@pytest.mark.parametrize("there", [(), (".claude/CLAUDE.md",), ("AGENTS.md",)])
async def test_the_usual_name_stands_for_whichever_usual_file_there_is(
    call: Caller, repo: Path, there: tuple[str, ...]
) -> None:
    (repo / ".code-intel").mkdir()
    (repo / ".code-intel/context.yml").write_text('project_rules:\n  source: "CLAUDE.md"\n', encoding="utf-8")
    for name in there:
        (repo / name).parent.mkdir(exist_ok=True)
        (repo / name).write_text("- Never use eval\n", encoding="utf-8")
    reply = await start(call)
    assert "there is no file" not in notices(reply)
    assert reply.get("project_rules", "") == "- Never use eval" * len(there)
