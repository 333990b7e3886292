"""Field trials: a real coding agent, a real repository, and a task from the repository's own later history.

`prepare` checks out the parent of a commit without anything later, keeps the commit's tests aside as the hidden judge,
and installs codeintel as a user would. `hold` keeps the server open and writes every call to a file; `call` makes one
call, so that any agent with a shell can use the tools. `judge` runs the hidden tests on what the agent merged, and
`row` counts what the session took. README.md describes the method.
"""

import argparse
import asyncio
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.types import TextContent
from wcmatch.glob import BRACE, GLOBSTAR, globmatch

TOKEN_CHARS = 4
"""Characters counted as one token."""
MOST_BYTES = 4_000_000
"""Longest request or reply that passes the socket."""


def git(folder: Path, *words: str) -> str:
    """Run git in a folder and return what it prints."""
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def prepare(arguments: argparse.Namespace) -> None:
    """Make FOLDER/project, FOLDER/hidden and FOLDER/task.json from a commit of a repository."""
    folder, source = Path(arguments.folder).resolve(), str(Path(arguments.source).resolve())
    project, hidden = folder / "project", folder / "hidden"
    project.mkdir(parents=True)
    commit = git(Path(source), "rev-parse", "--verify", f"{arguments.commit}^{{commit}}")
    parent = git(Path(source), "rev-parse", "--verify", f"{commit}^")
    git(project, "init", "--quiet", "--initial-branch=main")
    any_commit = "git -c uploadpack.allowAnySHA1InWant=true upload-pack"
    git(project, "fetch", "--quiet", "--no-tags", f"--upload-pack={any_commit}", source, parent)
    git(project, "reset", "--quiet", "--hard", parent)
    git(project, "config", "user.name", "Field trial")
    git(project, "config", "user.email", "field@example.com")
    for path in git(Path(source), "diff", "--name-only", "--diff-filter=d", parent, commit).splitlines():
        if globmatch(path, arguments.tests, flags=GLOBSTAR | BRACE):
            (hidden / path).parent.mkdir(parents=True, exist_ok=True)
            shown = subprocess.run(["git", "show", f"{commit}:{path}"], cwd=source, check=True, capture_output=True)
            (hidden / path).write_bytes(shown.stdout)
    if not hidden.exists():
        raise SystemExit(f"The commit changes no file that --tests names: {', '.join(arguments.tests)}")
    if arguments.setup:
        subprocess.run(arguments.setup, shell=True, cwd=project, check=True)
        # What the setup leaves behind belongs to the machine: it must not become part of the project's first commit.
        made = git(project, "ls-files", "--others", "--exclude-standard", "--directory")
        with (project / ".git/info/exclude").open("a", encoding="utf-8") as excluded:
            excluded.writelines(f"/{path}\n" for path in made.splitlines())
    if not arguments.alone:
        subprocess.run([*command(), "init", "--client", "claude", "--yes"], cwd=project, check=True)
        git(project, "add", "--all")
        git(project, "commit", "--quiet", "-m", "Install codeintel")
    task = {"source": Path(source).name, "commit": commit, "base": git(project, "rev-parse", "HEAD")}
    (folder / "task.json").write_text(json.dumps(task, indent=1), encoding="utf-8")


def command() -> list[str]:
    """Return the command that starts codeintel; CODEINTEL replaces the one on PATH."""
    return shlex.split(os.environ.get("CODEINTEL", "codeintel"))


async def hold(arguments: argparse.Namespace) -> None:
    """Keep a server of FOLDER/project open and answer the calls of FOLDER/socket until it is killed."""
    folder = Path(arguments.folder).resolve()
    (folder / "socket").unlink(missing_ok=True)
    first, *rest = command()
    project = folder / "project"
    parameters = StdioServerParameters(
        command=first, args=[*rest, "serve", "--project", str(project)], cwd=project, env=dict(os.environ)
    )
    with (folder / "server.log").open("a", encoding="utf-8") as log:
        async with stdio_client(parameters, errlog=log) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            calls = Calls(session, folder / "calls.jsonl")
            # A path that a socket cannot have is a matter of its length; relative to the folder it is always short.
            os.chdir(folder)
            server = await asyncio.start_unix_server(calls.answer, "socket", limit=MOST_BYTES)
            async with server:
                await server.serve_forever()


class Calls:
    """Answers one call a connection, and writes each to a file."""

    def __init__(self, session: ClientSession, file: Path) -> None:
        self.session = session
        self.file = file

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read a request line, call the tool, write its reply."""
        request = json.loads(await reader.readline())
        began = time.time()
        if request["tool"] == "tools/list":
            listed = await self.session.list_tools()
            reply = "\n".join(f"{one.name}: {one.description} {json.dumps(one.input_schema)}" for one in listed.tools)
        elif request["tool"] == "resources/read":
            read = await self.session.read_resource(request["args"]["uri"])
            reply = "\n".join(str(getattr(one, "text", "")) for one in read.contents)
        else:
            result = await self.session.call_tool(request["tool"], request["args"])
            reply = "".join(one.text for one in result.content if isinstance(one, TextContent))
        line = {**request, "t": round(began, 2), "ms": round((time.time() - began) * 1000), "reply": reply}
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        writer.write(reply.encode())
        await writer.drain()
        writer.close()


def call(arguments: argparse.Namespace) -> None:
    """Make one call through FOLDER/socket and print the reply; "-" reads the arguments from standard input."""
    given = sys.stdin.read() if arguments.arguments == "-" else arguments.arguments
    os.chdir(arguments.folder)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect("socket")
        connection.sendall((json.dumps({"tool": arguments.tool, "args": json.loads(given)}) + "\n").encode())
        reply = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    sys.stdout.write(reply.decode() + "\n")


def judge(arguments: argparse.Namespace) -> None:
    """Run the hidden tests on a copy of what stands in FOLDER/project and print how they ended."""
    folder = Path(arguments.folder).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, "copy")
        shutil.copytree(folder / "project", copy, symlinks=True)
        # With the time of now: a build that was copied is newer than the hidden tests, and would pass for theirs.
        shutil.copytree(folder / "hidden", copy, dirs_exist_ok=True, copy_function=shutil.copy)
        done = subprocess.run(arguments.command, shell=True, cwd=copy, capture_output=True, text=True)
    sys.stdout.write((done.stdout + done.stderr)[-arguments.chars :] + f"\nexit {done.returncode}\n")
    status = git(folder / "project", "status", "--porcelain")
    sys.stdout.write(f"git status: {status or 'clean'}\n")


PHASE_OF_FIELD = {
    "documents_reviewed": "DOCUMENT_RESEARCH",
    "target_symbols": "QUERY_FRAME",
    "explored_files": "EXPLORATION",
    "needs_more_information": "Q1",
    "search_results": "SEMANTIC",
    "has_unverified_hypotheses": "Q2",
    "hypotheses_verified": "VERIFICATION",
    "needs_impact_analysis": "Q3",
    "impact_summary": "IMPACT_ANALYSIS",
    "tasks": "READY_PLAN",
    "task_id": "READY_IMPL",
    "verifier_used": "POST_IMPL_VERIFY",
    "review_prompt_used": "PRE_COMMIT",
    "quality_prompt_used": "QUALITY_REVIEW",
}
"""The field that only payloads of this phase have."""
PHASE_BEFORE = {"POST_IMPL_VERIFY": "READY_COMPLETE", "SESSION_COMPLETE": "MERGE"}
"""The phases whose payloads have no such field, by the phase that the reply names."""


FETCHES = {"check_write_target", "get_session_status", "run_verifier", "review_changes"}
"""What fetches something that a reply holds, so that a replay leaves it out."""
WAITS = {"READY_IMPL": {"READY_PLAN"}, "PRE_COMMIT": {"POST_IMPL_VERIFY", "READY_COMPLETE"}}
"""The phases before which something is done outside of the server, and the phases of a row that they end."""


async def replay(arguments: argparse.Namespace) -> None:
    """Play a recorded session on FOLDER/project again, in as few calls as it needs, and print what is refused now.

    Lookups are made as they were. Submissions are sent in rows, each as late as possible. The record does not hold the
    agent's edits: the files of the commit that solves the task take their place, and evidence names them alone.
    """
    folder = Path(arguments.folder).resolve()
    project = folder / "project"
    first, *rest = command()
    parameters = StdioServerParameters(
        command=first, args=[*rest, "serve", "--project", str(project)], cwd=project, env=dict(os.environ)
    )
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        player = Replay(session, project, json.loads((folder / "task.json").read_text("utf-8")), arguments.source)
        for line in Path(arguments.record).read_text("utf-8").splitlines():
            await player.play(json.loads(line))
        await player.submit()
    sys.stdout.write(json.dumps(player.told, indent=1, ensure_ascii=False) + "\n")


def accepted_of(recorded: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the payloads of a recorded call that were accepted, each with its phase."""
    data = recorded["args"].get("data", {})
    reply = read_reply(recorded["reply"])
    row = data if isinstance(data, list) else [data]
    names = reply.get("accepted", [""] if reply.get("success") and isinstance(data, dict) else [])
    of_field = (
        (payload, next((PHASE_OF_FIELD[name] for name in payload if name in PHASE_OF_FIELD), "")) for payload in row
    )
    bare = PHASE_BEFORE.get(str(reply.get("phase")), "")
    phases = [(payload, phase or str(payload.get("phase", bare))) for payload, phase in of_field]
    return [{**payload, "phase": name or phase} for (payload, phase), name in zip(phases, names, strict=False)]


class Replay:
    """Plays recorded calls. `told` counts calls and lists what was refused."""

    def __init__(self, session: ClientSession, project: Path, task: dict[str, str], source: str) -> None:
        self.session = session
        self.project = project
        self.task = task
        self.source = source
        self.row: list[dict[str, Any]] = []
        self.reply: dict[str, Any] = {}
        self.told: dict[str, Any] = {
            "recorded": 0,
            "calls": 0,
            "submissions": 0,
            "bytes": 0,
            "refused": [],
            "phases": [],
        }

    async def play(self, recorded: dict[str, Any]) -> None:
        """Make a recorded call again, unless a reply of another one holds what it fetched."""
        self.told["recorded"] += 1
        if recorded["tool"] in ("add_explored_files", "semantic_search"):  # they belong to the phase that comes next
            await self.submit()
        if recorded["tool"] != "submit_phase":
            if recorded["tool"] not in FETCHES and recorded["tool"] != "tools/list":
                await self._call(recorded["tool"], recorded["args"])
            return
        for payload in accepted_of(recorded):
            if WAITS.get(payload["phase"], set()).intersection(waiting["phase"] for waiting in self.row):
                await self.submit()
            if payload["phase"] == "READY_IMPL":
                self._edit(payload["checklist"])
            self.row.append({name: value for name, value in payload.items() if name != "tools_used"})
            if payload.get("issues"):  # the flow goes back, and what follows answers the reply
                await self.submit()

    async def submit(self) -> None:
        """Submit what waits. A payload for a phase that is left out now ends a row, and is left out, too."""
        row, self.row = self.row, []
        while row:
            if self.reply.get("phase") == "DOCUMENT_RESEARCH" != row[0]["phase"]:  # the recorded server found none
                row = [{"phase": "DOCUMENT_RESEARCH", "documents_reviewed": self._documents()}, *row]
            self.told["submissions"] += 1
            reply = await self._call("submit_phase", {"data": row})
            self.told["phases"].append(
                f"{reply.get('phase')} {reply.get('substep', '')} {reply.get('warning', '')}".strip()
            )
            self.told["outcome"] = reply.get("outcome")
            offset = reply.get("next_offset")
            while reply.get("truncated") and offset:  # the diff is longer than a page
                page = await self._call("review_changes", {"offset": offset})
                offset = page.get("next_offset")
            done = len([name for name in reply.get("accepted", ()) if any(name == one["phase"] for one in row)])
            row = row[done or 1 :] if reply.get("success") else []

    def _documents(self) -> list[str]:
        listed = [one.partition(": ")[2].rstrip(".").split(", ") for one in self.reply.get("notices", ())]
        return next((found for found in listed if (self.project / found[0]).is_file()), [])

    async def _call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = await self.session.call_tool(tool, arguments)
        text = "".join(one.text for one in result.content if isinstance(one, TextContent))
        reply = read_reply(text)
        self.told["calls"] += 1
        self.told["bytes"] += len(text)
        if tool in ("start_session", "submit_phase"):
            self.reply = reply
        if reply.get("success") is False:
            self.told["refused"].append(f"{tool}: {reply.get('error')}: {reply.get('problems')}")
        return reply

    def _edit(self, checklist: list[dict[str, Any]]) -> None:
        """Take the files from the solution, and name them as evidence."""
        for item in checklist:
            given = item.get("evidence") or []
            places = [given] if isinstance(given, str) else given
            if places:
                item["evidence"] = list(dict.fromkeys(place.rpartition(":")[0] for place in places))
            for path in item.get("evidence") or []:
                self._solve(path)

    def _solve(self, path: str) -> None:
        shown = subprocess.run(["git", "show", f"{self.task['commit']}:{path}"], cwd=self.source, capture_output=True)
        if shown.returncode == 0:
            (self.project / path).parent.mkdir(parents=True, exist_ok=True)
            (self.project / path).write_bytes(shown.stdout)
        if not git(self.project, "status", "--porcelain", "--", path) and not git(
            self.project, "diff", "--name-only", self.task["base"], "--", path
        ):  # the solution leaves it alone, the recorded agent did not
            line = {".py": "REPLAYED = {}", ".js": "var replayed = {};"}.get(Path(path).suffix, "Replayed.")
            with (self.project / path).open("a", encoding="utf-8") as file:
                file.write(f"\n{line}\n")


def row(arguments: argparse.Namespace) -> None:
    """Print what a session took: calls, submissions, refusals, tokens of arguments and replies."""
    lines = [json.loads(line) for line in Path(arguments.folder, "calls.jsonl").read_text("utf-8").splitlines()]
    replies = [read_reply(line["reply"]) for line in lines]
    refused = [
        f"{line['tool']}: {reply.get('error')}: {reply.get('message')}"
        for line, reply in zip(lines, replies, strict=True)
        if reply.get("success") is False
    ]
    found: dict[str, Any] = {
        "calls": len(lines),
        "submissions": sum(line["tool"] == "submit_phase" for line in lines),
        "tools": dict(Counter(line["tool"] for line in lines).most_common()),
        "tokens_of_arguments": sum(len(json.dumps(line["args"])) for line in lines) // TOKEN_CHARS,
        "tokens_of_replies": sum(len(line["reply"]) for line in lines) // TOKEN_CHARS,
        "refused": refused,
        "outcome": next((reply["outcome"] for reply in reversed(replies) if reply.get("outcome")), None),
    }
    sys.stdout.write(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def read_reply(text: str) -> dict[str, Any]:
    """Return a reply as an object; {} for text that is none."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def main() -> None:
    """Read the command line and run one command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("prepare", help=prepare.__doc__)
    one.add_argument("source", help="a clone of the repository")
    one.add_argument("commit", help="the commit that solves the task")
    one.add_argument("folder", help="an empty folder")
    one.add_argument("--tests", action="append", required=True, metavar="GLOB", help="its tests, hidden from the agent")
    one.add_argument("--setup", metavar="CMD", help="installs the dependencies, in the project")
    one.add_argument("--alone", action="store_true", help="for the agent without the server")
    one.set_defaults(run=prepare)
    one = commands.add_parser("hold", help=hold.__doc__)
    one.add_argument("folder")
    one.set_defaults(run=lambda arguments: asyncio.run(hold(arguments)))
    one = commands.add_parser("call", help=call.__doc__)
    one.add_argument("folder")
    one.add_argument("tool", help="a tool's name, tools/list or resources/read")
    one.add_argument("arguments", nargs="?", default="{}", help="JSON, or - for standard input")
    one.set_defaults(run=call)
    one = commands.add_parser("judge", help=judge.__doc__)
    one.add_argument("folder")
    one.add_argument("command", help="runs the hidden tests")
    one.add_argument("--chars", type=int, default=1500, help="how much of its output is printed")
    one.set_defaults(run=judge)
    one = commands.add_parser("replay", help="play a recorded session again")
    one.add_argument("record", help="the calls of a session, a line each")
    one.add_argument("source", help="the clone that `prepare` took the task from")
    one.add_argument("folder")
    one.set_defaults(run=lambda arguments: asyncio.run(replay(arguments)))
    one = commands.add_parser("row", help=row.__doc__)
    one.add_argument("folder")
    one.set_defaults(run=row)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
