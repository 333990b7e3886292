"""Field trials: a real coding agent, a real repository, and a task from the repository's own later history.

`prepare` checks out the parent of a commit without anything later, keeps the commit's tests aside as the hidden judge,
and installs codeintel as a user would. `run` types the request and gives it to any agent's command, with the tools;
afterwards it runs the hidden tests on what the agent merged and writes what the session took. The parts of it are
commands, too: `hold`, `type`, `call`, `judge`, `row`. README.md describes the method.
"""

import argparse
import asyncio
import contextlib
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wcmatch.glob import BRACE, GLOBSTAR, globmatch

if TYPE_CHECKING:  # an agent makes a process for each call, which only passes a line on
    from mcp import ClientSession

TOKEN_CHARS = 4
"""Characters counted as one token."""
CLIENT = {"name": "claude-code", "version": "2.1"}
"""The client whose hooks `init` installs: prompts that these kept count as typed to it."""
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
            mode = git(Path(source), "ls-tree", "--full-tree", commit, "--", path).partition(" ")[0]
            if mode == "120000":
                os.symlink(os.fsdecode(shown.stdout), hidden / path)
            else:
                (hidden / path).write_bytes(shown.stdout)
                (hidden / path).chmod(int(mode, 8) & 0o777)
    if not hidden.exists():
        raise SystemExit(f"The commit changes no file that --tests names: {', '.join(arguments.tests)}")
    if arguments.setup:
        subprocess.run(arguments.setup, shell=True, cwd=project, check=True)
        # What the setup leaves behind belongs to the machine: it must not become part of the project's first commit.
        made = git(project, "ls-files", "--others", "--exclude-standard", "--directory")
        with (project / ".git/info/exclude").open("a", encoding="utf-8") as excluded:
            excluded.writelines(f"/{path}\n" for path in made.splitlines())
    if not arguments.alone:
        reader = ["--reader", arguments.reader] if arguments.reader else []
        subprocess.run([*command(), "init", "--client", "claude", "--yes", *reader], cwd=project, check=True)
        if arguments.mcp:
            record_calls(folder)
        git(project, "add", "--all")
        git(project, "commit", "--quiet", "--allow-empty", "-m", "Install codeintel")  # git may ignore all of it
    base = git(project, "rev-parse", "HEAD")
    task = {"source": Path(source).name, "commit": commit, "base": base, "alone": arguments.alone, "mcp": arguments.mcp}
    (folder / "task.json").write_text(json.dumps(task, indent=1), encoding="utf-8")


def command() -> list[str]:
    """Return the command that starts codeintel; CODEINTEL replaces the one on PATH."""
    return shlex.split(os.environ.get("CODEINTEL", "codeintel"))


def record_calls(folder: Path) -> None:
    """Have the client's own entry start the server through `record`, which keeps the calls."""
    path = folder / "project/.mcp.json"
    entries = json.loads(path.read_text("utf-8"))
    words = [sys.executable, str(Path(__file__).resolve()), "record", str(folder)]
    entries["mcpServers"]["code-intel"] |= {"command": words[0], "args": words[1:]}
    path.write_text(json.dumps(entries, indent=2) + "\n", encoding="utf-8")


def record(arguments: argparse.Namespace) -> None:
    """Start the server of FOLDER/project for an MCP client on standard input, and keep its calls of tools."""
    folder = Path(arguments.folder).resolve()
    words = [*command(), "serve", "--project", str(folder / "project")]
    server = subprocess.Popen(words, cwd=folder / "project", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    given, got = server.stdin, server.stdout
    assert given is not None
    assert got is not None
    asked: dict[object, dict[str, Any]] = {}

    def pass_on() -> None:
        for line in sys.stdin.buffer:
            message = read_reply(line.decode())
            if message.get("method") == "tools/call":
                asked[message.get("id")] = message["params"] | {"t": time.time()}
            given.write(line)
            given.flush()
        given.close()

    threading.Thread(target=pass_on, daemon=True).start()
    for line in got:
        message = read_reply(line.decode())
        if one := asked.pop(message.get("id"), None):
            text = "".join(part.get("text", "") for part in message.get("result", {}).get("content", ()))
            kept = {"tool": one["name"], "args": one.get("arguments", {}), "t": round(one["t"], 2), "reply": text}
            with (folder / "calls.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(kept) + "\n")
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()


async def hold(arguments: argparse.Namespace) -> None:
    """Keep a server of FOLDER/project open and answer the calls of FOLDER/socket until it is killed."""
    from mcp import ClientSession, StdioServerParameters, stdio_client
    from mcp.types import Implementation

    folder = Path(arguments.folder).resolve()
    (folder / "socket").unlink(missing_ok=True)
    first, *rest = command()
    project = folder / "project"
    parameters = StdioServerParameters(
        command=first, args=[*rest, "serve", "--project", str(project)], cwd=project, env=dict(os.environ)
    )
    with (folder / "server.log").open("a", encoding="utf-8") as log:
        async with (
            stdio_client(parameters, errlog=log) as (read, write),
            ClientSession(read, write, client_info=Implementation(**CLIENT)) as session,
        ):
            await session.initialize()
            calls = Calls(session, folder / "calls.jsonl")
            # A path that a socket cannot have is a matter of its length; relative to the folder it is always short.
            os.chdir(folder)
            server = await asyncio.start_unix_server(calls.answer, "socket", limit=MOST_BYTES)
            async with server:
                await server.serve_forever()


def text_of(content: Iterable[object]) -> str:
    """Return the text of what a tool replied."""
    return "".join(getattr(one, "text", "") for one in content)


class Calls:
    """Answers one call a connection, and writes each to a file."""

    def __init__(self, session: "ClientSession", file: Path) -> None:
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
            reply = text_of(result.content)
        line = {**request, "t": round(began, 2), "ms": round((time.time() - began) * 1000), "reply": reply}
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        writer.write(reply.encode())
        await writer.drain()
        writer.close()


def guard(project: Path, event: str, **more: object) -> None:
    """Tell the hook that `init` installed for the client about an event, as the client does."""
    document = {"hook_event_name": event, "session_id": "trial", "cwd": str(project), **more}
    hook = [str(Path(command()[0]).with_name("codeintel-guard")), "--client", "claude"]
    found = shutil.which(hook[0]) or shutil.which("codeintel-guard")
    if found is None:
        raise SystemExit("codeintel-guard is not on PATH, nor beside codeintel")
    subprocess.run([found, *hook[1:]], cwd=project, input=json.dumps(document), text=True, check=True)


def type_prompt(arguments: argparse.Namespace) -> None:
    """Have the client's hook keep a prompt as what the user typed; "-" reads it from standard input."""
    text = sys.stdin.read() if arguments.prompt == "-" else arguments.prompt
    guard(Path(arguments.folder).resolve() / "project", "UserPromptSubmit", prompt=text)


BRIDGE = """The tools of the MCP server code-intel are reached by a shell command that prints the reply:

    {call} TOOL 'JSON'

{call} tools/list lists them, and {call} resources/read '{{"uri": "..."}}' reads a resource. "-" in the place of
the JSON reads it from standard input. .claude/skills/code/SKILL.md says how to work with them."""
RULES = """Work in the current folder and nowhere else. Nobody answers questions. Do the work; fake nothing. Do not look
for later versions of this project, nor at the source of the tools. At the end say of every refusal whether it was fair,
which sentences you had to read twice, and which part of your effort the process took, in percent."""


def run(arguments: argparse.Namespace) -> None:
    """Have an agent's command do the task of FOLDER/request.txt, judge the result, and print and keep a row."""
    folder = Path(arguments.folder).resolve()
    project, request = folder / "project", (folder / "request.txt").read_text(encoding="utf-8").strip()
    task = json.loads((folder / "task.json").read_text("utf-8"))
    alone, bridged = bool(task["alone"]), not task["mcp"]
    call_words = shlex.join([sys.executable, str(Path(__file__).resolve()), "call", str(folder)])
    prompt = request if alone else f"/code {request}"
    told = [prompt, *([] if alone or not bridged else [BRIDGE.format(call=call_words)]), RULES]
    began, ended = time.time(), None  # without an exit code it was stopped at its limit
    with contextlib.ExitStack() as held:
        if not alone:
            guard(project, "UserPromptSubmit", prompt=prompt)
            if bridged:
                held.enter_context(holding(folder))
        with (folder / "agent.log").open("w", encoding="utf-8") as log, contextlib.suppress(subprocess.TimeoutExpired):
            done = subprocess.run(
                arguments.agent,
                shell=True,
                cwd=project,
                input="\n\n".join(told),
                text=True,
                stdout=log,
                stderr=log,
                timeout=arguments.limit,
            )
            ended = done.returncode
    found = {"task": folder.name, "alone": alone, "agent_exit": ended, "seconds": round(time.time() - began)}
    if arguments.judge:
        found |= judged(folder, arguments.judge)
    if (folder / "calls.jsonl").is_file():
        found |= counted(folder)
    (folder / "row.json").write_text(json.dumps(found, indent=1, ensure_ascii=False), encoding="utf-8")
    sys.stdout.write(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


@contextlib.contextmanager
def holding(folder: Path) -> Iterator[None]:
    """Keep a server of FOLDER/project open in a process of its own."""
    server = subprocess.Popen([sys.executable, str(Path(__file__).resolve()), "hold", str(folder)])
    try:
        while not (folder / "socket").exists():
            if server.poll() is not None:
                raise SystemExit(f"The server did not start: see {folder / 'server.log'}")
            time.sleep(0.1)
        yield
    finally:
        server.terminate()
        server.wait()
        (folder / "socket").unlink(missing_ok=True)


def call(arguments: argparse.Namespace) -> None:
    """Make one call through FOLDER/socket and print the reply; "-" reads the arguments from standard input."""
    given = json.loads(sys.stdin.read() if arguments.arguments == "-" else arguments.arguments)
    if not isinstance(given, dict):
        raise SystemExit('The arguments of a tool are an object, such as {"data": [...]}.')
    os.chdir(arguments.folder)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect("socket")
        connection.sendall((json.dumps({"tool": arguments.tool, "args": given}) + "\n").encode())
        reply = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    sys.stdout.write(reply.decode() + "\n")


def judge(arguments: argparse.Namespace) -> None:
    """Run the hidden tests on a copy of what stands in FOLDER/project and print how they ended."""
    found = judged(Path(arguments.folder).resolve(), arguments.command)
    sys.stdout.write(str(found["output"])[-arguments.chars :] + f"\nexit {found['hidden_exit']}\n")
    sys.stdout.write(f"git status: {found['git_status'] or 'clean'}\n")


def judged(folder: Path, command_line: str) -> dict[str, object]:
    """Return how the hidden tests ended on a copy of the result, and what git status says of the result."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, "copy")
        of_server = shutil.ignore_patterns("index.db*", "chroma")  # it may still be closing them
        shutil.copytree(folder / "project", copy, symlinks=True, ignore=of_server)
        for file in (folder / "hidden").rglob("*"):
            if file.is_symlink() or file.is_file():
                place = copy / file.relative_to(folder / "hidden")
                place.parent.mkdir(parents=True, exist_ok=True)
                place.unlink(missing_ok=True)
                # With the time of now: a build that was copied is newer than the hidden tests, and passes for theirs.
                shutil.copy(file, place, follow_symlinks=False)
        done = subprocess.run(command_line, shell=True, cwd=copy, capture_output=True, text=True)
    status = git(folder / "project", "status", "--porcelain")
    return {"hidden_exit": done.returncode, "output": (done.stdout + done.stderr)[-4000:], "git_status": status}


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
    from mcp import ClientSession, StdioServerParameters, stdio_client

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

    def __init__(self, session: "ClientSession", project: Path, task: dict[str, str], source: str) -> None:
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
        text = text_of(result.content)
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
    sys.stdout.write(json.dumps(counted(Path(arguments.folder)), indent=1, ensure_ascii=False) + "\n")


def counted(folder: Path) -> dict[str, Any]:
    """Return what a session took, by its FOLDER/calls.jsonl."""
    lines = [json.loads(line) for line in (folder / "calls.jsonl").read_text("utf-8").splitlines()]
    replies = [read_reply(line["reply"]) for line in lines]
    refused = [
        f"{line['tool']}: {reply.get('error')}: {reply.get('message')}"
        for line, reply in zip(lines, replies, strict=True)
        if reply.get("success") is False
    ]
    return {
        "calls": len(lines),
        "submissions": sum(line["tool"] == "submit_phase" for line in lines),
        "tools": dict(Counter(line["tool"] for line in lines).most_common()),
        "tokens_of_arguments": sum(len(json.dumps(line["args"])) for line in lines) // TOKEN_CHARS,
        "tokens_of_replies": sum(len(line["reply"]) for line in lines) // TOKEN_CHARS,
        "refused": refused,
        "outcome": next((reply["outcome"] for reply in reversed(replies) if reply.get("outcome")), None),
    }


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
    one.add_argument("--reader", metavar="CMD", help="a command that reads the change before it is merged")
    one.add_argument("--mcp", action="store_true", help="for an agent whose own client reads .mcp.json")
    one.set_defaults(run=prepare)
    one = commands.add_parser("run", help=run.__doc__)
    one.add_argument("folder")
    one.add_argument("--agent", required=True, metavar="CMD", help="gets the request on its standard input")
    one.add_argument("--judge", metavar="CMD", help="runs the hidden tests")
    one.add_argument("--limit", type=float, default=3600, metavar="S", help="seconds the agent may take")
    one.set_defaults(run=run)
    one = commands.add_parser("record", help=record.__doc__)
    one.add_argument("folder")
    one.set_defaults(run=record)
    one = commands.add_parser("type", help=type_prompt.__doc__)
    one.add_argument("folder")
    one.add_argument("prompt")
    one.set_defaults(run=type_prompt)
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
