"""What a client is: the files it is given, and how its hook speaks.

The hook of a client imports this at every call of a tool, so it stays within the standard library, and avoids what of
it is slow to import (`typing`, `dataclasses`, `pathlib`).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, ClassVar

    Document = Mapping[str, Any]
    Answer = dict[str, Any]

SKILL = "code/SKILL.md"
"""The template of the /code skill, which the server also serves as the MCP prompt `code`."""
NAME = "code-intel"
"""The server's name in a client's configuration, so that tools are `mcp__code-intel__...`."""
_OURS = (f"_{NAME}__", f"_{NAME.replace('-', '_')}__")
_PATHS = """
path paths file files file_path filepath file_paths filename file_name notebook_path target_file targetfile
absolute_path relative_path source destination dest old_path new_path uri dirpath fspath pathinproject
output_path output_file outputpath target_path source_path save_path
"""
PATHS = frozenset(_PATHS.split())
"""The arguments of tools that name a file, in lower case."""
READING = (
    "read",
    "get",
    "list",
    "search",
    "find",
    "view",
    "glob",
    "grep",
    "query",
    "fetch",
    "show",
    "look",
    "ls",
    "stat",
)
"""How the names of tools begin that only show something."""
_SHOWING = """
read get list search find view query fetch show glob grep tree diff status log blame overview symbols diagnostics info
outline open upload
"""
SHOWING = frozenset(_SHOWING.split())
"""Words in a tool's name that say, at any place, that it only shows something."""
_CHANGING = """
write edit replace delete remove rename move insert update create apply save set format fix organize modify patch add
append copy commit reset restore checkout download generate
"""
CHANGING = frozenset(_CHANGING.split())
"""Words in a tool's name that say that it changes something, whatever else the name says."""
FOLDERS = ("directory", "cwd", "workdir", "working_directory")
"""The arguments that name the folder in which a tool runs its command."""
LINES = ("command", "cmd", "command_line", "commandLine", "input", "chars")
CODE = ("code", "script", "source")
PATCHES = ("patch", "patchText", "patch_text", "input", "diff")
TIMEOUT_S = 10
FORGETS = "compact|resume|clear"
"""The ways a client starts in which it has forgotten the state of our session."""


class Event:
    """A call that a client is about to make, or has made: the files it names, and its command line.

    Args:
        folder: the folder that relative paths start from.
        tool: the tool's name, as the client reports it.
        moment: `write` for a call that is still to be made and may change files, `read` for one that showed files,
            `done` for one that was made and may have changed files, "" for any other.
    """

    __slots__ = ("folder", "line", "moment", "paths", "tool")

    def __init__(
        self,
        folder: str,
        tool: str = "",
        paths: Sequence[str] = (),
        line: str = "",
        moment: str = "",
    ) -> None:
        self.folder = folder
        self.tool = tool
        self.paths = tuple(paths)
        self.line = line
        self.moment = moment


class Text:
    """A file that a client is given as a whole: its place, its component, the template it comes from.

    A file that is the user's from the start, `is_theirs`, is put only where none of the files in `unless` exists.
    """

    __slots__ = ("component", "file", "is_theirs", "source", "unless")

    def __init__(
        self, file: str, component: str, source: str, is_theirs: bool = False, unless: tuple[str, ...] = ()
    ) -> None:
        self.file = file
        self.component = component
        self.source = source
        self.is_theirs = is_theirs
        self.unless = unless


class Client:
    """A client: what it is given, and how its hook speaks. Methods and attributes fit Claude Code unless overridden.

    Attributes:
        name: the name on the command line.
        next_step: what its user does after the installation.
        programs: names of its program, and `homes` folders in the user's home, either of which shows that it is
            installed; `reader` is the line that has it answer a prompt on standard input, without leave to write, ""
            where we know of none; `marks` are files and folders of a project that is worked on with it.
        texts: files it is given as a whole: a skill, rules.
        plugin_texts: files of its plugin that are given as a whole.
        entry_file: the file of its configuration that our server is entered in, at `entry_keys`; `entry_mode` is the
            mode of the manifest: `merge_json`, `merge_jsonc` (with comments) or `merge_toml`. `entry_beside` is what
            such a file holds besides, when it is new.
        project_word: the word of the entry that the client replaces by the project's folder; "" if it has none.
        hooks_file: the file that holds its hooks, at `hooks_keys`; "" for a client without hooks. `hooks_beside` is
            what such a file holds besides, when it is new. If this is `entry_file`, both are merged into it, below
            `mcpServers` and `hooks`.
        edits: the tools that change files, as its hooks report them; `shells` run commands, `reads` show files.
        others: the pattern of the names that tools of other MCP servers have, as its hooks report and match them.
        after_event: the event of its hooks after a call, and `prompt_event` that of a prompt of its user.
        asks: whether it asks its user when a hook says so. One that does not lets the call pass then, which is why a
            fault of the guard denies there while a session runs.
    """

    name = ""
    next_step = ""
    programs: tuple[str, ...] = ()
    reader = ""
    homes: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    texts: tuple[Text, ...] = ()
    plugin_texts: tuple[Text, ...] = ()
    entry_file = ""
    entry_keys: tuple[str, ...] = ("mcpServers", NAME)
    entry_mode = "merge_json"
    entry_beside: ClassVar[Document] = {}
    project_word = ""
    hooks_file = ""
    hooks_keys: tuple[str, ...] = ("hooks",)
    hooks_beside: ClassVar[Document] = {}
    edits: tuple[str, ...] = ()
    shells: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    others = ""
    after_event = "PostToolUse"
    prompt_event = "UserPromptSubmit"
    asks = False

    def entry(self, command: Sequence[str]) -> Answer:
        """Return our entry for the command that starts the server. It is committed, so it holds no absolute path."""
        return {"command": command[0], "args": [*command[1:], "serve"]}

    def words(self, entry: Document) -> list[str]:
        """Return the command line of an entry, as its client starts it."""
        given = entry.get("args", ())
        return [str(entry.get("command", "")), *(map(str, given) if isinstance(given, list | tuple) else ())]

    def hooks(self, command: Sequence[str]) -> Answer:
        """Return our hooks, lists by event, for the command that starts the server; {} for a client without a file.

        The program is named without a shell around it: where it is missing the client gets exit code 127, which Claude
        Code and Codex do not take for a refusal (tried; Cursor's documentation says the same), so that a machine
        without codeintel can still be worked on.
        """
        if not self.hooks_file:
            return {}
        guard = self.guard_line(command)
        return {
            "PreToolUse": [group((*self.edits, *self.shells), guard), group(self.others, guard)],
            "PostToolUse": [group((*self.reads, *self.shells), guard), group(self.others, guard)],
            "UserPromptSubmit": [{"hooks": [_hook(guard)]}],
            "SessionStart": [group(FORGETS, brief_line(command))],
        }

    def plugin(self, about: Document, command: Sequence[str]) -> dict[str, Answer]:
        """Return the documents of the plugin that a user installs instead of files in a project, by their place in it.

        Its texts are `plugin_texts`. A client without plugins has none. `about` says what the plugin is.
        """
        return {}

    def prompt(self, document: Document) -> str | None:
        """Return what the user typed, None for a document of its hook that is about something else."""
        name = str(document.get("hook_event_name", document.get("hookEventName", "")))
        return str(document.get("prompt", "")) if name.lower() == self.prompt_event.lower() else None

    def read(self, document: Document) -> Event:
        """Return the call that a document of its hook is about.

        A tool that is not known to read is taken to write the files it names.
        """
        name = str(document.get("hook_event_name", document.get("hookEventName", "PreToolUse")))
        tool = str(document.get("tool_name", document.get("toolName", "")))
        given = document.get("tool_input", document.get("toolInput")) or {}
        if isinstance(given, str):
            import json

            given = json.loads(given) if given.lstrip().startswith("{") else {"command": given}
        folder = str(document.get("cwd") or ".")
        is_before = name.lower() != self.after_event.lower()
        if self.is_reading(tool):
            return Event(folder, tool, named_paths(given), moment="" if is_before else "read")
        if not is_before:
            return Event(folder, tool, moment="done")
        if given.get("command") == "view" and "path" in given:
            return Event(folder, tool)
        patched = [path for key in PATCHES for path in patched_paths(given.get(key, ""))]
        if tool == "apply_patch":
            return Event(folder, tool, patched or patched_paths(given.get("command", "")), "", "write")
        folder = "/".join([folder, *(given[key] for key in FOLDERS[:1] if isinstance(given.get(key), str))])
        return Event(folder, tool, [*named_paths(given), *patched], given_line(tool, given), "write")

    def is_reading(self, tool: str) -> bool:
        """Say whether a tool only shows files: one of `reads`, one of our server, or one whose name says so."""
        if tool in self.reads or any(ours in tool for ours in _OURS):
            return True
        *_, last = tool.split("__")
        words = {*name_words(last)}
        return tool not in (*self.edits, *self.shells) and (
            not CHANGING & words and (last.lower().startswith(READING) or bool(SHOWING & words))
        )

    def answer(self, decision: str, reason: str) -> Answer:
        """Return the answer to such a document for a decision, `deny` or `ask`."""
        return {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": decision,
                "permissionDecisionReason": reason,
            }
        }

    def tell(self, reason: str) -> Answer:
        """Return the answer to such a document after the call, which gives the agent something to read."""
        return {"decision": "block", "reason": reason}

    def brief(self, text: str) -> str:
        """Return what its hook prints so that the agent reads a text: as it is, or as a document."""
        return text

    def edit(self, path: str, folder: str) -> Answer:
        """Return the document for an edit of a file by the first of `edits`, to try a hook with."""
        call = {"tool_name": self.edits[0], "tool_input": {"file_path": path}}
        return {"hook_event_name": "PreToolUse", **call, "cwd": folder}

    def guard_line(self, command: Sequence[str]) -> str:
        """Return the line that runs the guard, which is reached as the server is, beside `codeintel`."""
        import shlex

        *before, program = command
        folder, slash, _ = program.rpartition("/")
        return f"{shlex.join([*before, f'{folder}{slash}codeintel-guard'])} --client {self.name}"


def named_paths(given: object) -> list[str]:
    """Return the files that the arguments of a tool name, at any depth."""
    if isinstance(given, list):
        return [path for part in given for path in named_paths(part)]
    found: list[str] = []
    for key, value in given.items() if isinstance(given, dict) else ():
        values = value if isinstance(value, list) else [value]
        if key.lower() in PATHS and isinstance(value, dict):
            found += value
        if key.lower() in PATHS:
            found += [str(one["name"]) for one in values if isinstance(one, dict) and "name" in one]
            found += [one.removeprefix("file://") for one in values if isinstance(one, str) and one]
        found += [path for one in values for path in named_paths(one)]
    return found


def name_words(name: str) -> list[str]:
    """Return the words of a tool's name: `NotebookRead`, `search_replace`."""
    spelled = "".join(f" {sign.lower()}" if sign.isupper() else sign if sign.isalnum() else " " for sign in name)
    return spelled.split()


def given_line(tool: str, given: Document) -> str:
    """Return the command line that a tool is given; code that it is given counts as what an interpreter runs."""
    if isinstance(given.get("script"), str) and {"bash", "shell", "sh", "terminal"} & {*name_words(tool)}:
        return str(given["script"])
    for key in LINES:
        if given.get(key) and (key != "input" or isinstance(given[key], list)):
            return command_line(given[key])
    if isinstance(given.get("args"), list) and all(isinstance(word, str) for word in given["args"]):
        return command_line(given["args"])
    for key in CODE:
        if isinstance(given.get(key), str) and len(given) < 4:
            return f"python -c {command_line([given[key]])}"
    return ""


def patched_paths(patch: object) -> list[str]:
    """Return the files of a patch with `*** Update File:` headers; one given as words has the program before it."""
    text = "\n".join(map(str, patch)) if isinstance(patch, list) else str(patch)
    if "*** " not in text:
        return []
    import re

    headers = re.finditer(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$", text, re.MULTILINE)
    return [header[1].strip() for header in headers]


def command_line(command: object) -> str:
    """Return the line of a command; one given as words is what a shell gets by -c, or a program with its words."""
    if isinstance(command, list):
        words = [str(word) for word in command]
        if len(words) >= 3 and words[1] in ("-c", "-lc"):
            return words[2]
        return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
    return str(command)


def plugin_documents(manifest: str, client: Client, about: Document, command: Sequence[str]) -> dict[str, Answer]:
    """Return the documents of a plugin in the form of Claude Code; `manifest` is the place of the one about it."""
    return {
        manifest: {**about},
        ".mcp.json": {"mcpServers": {NAME: client.entry(command)}},
        "hooks/hooks.json": {"hooks": client.hooks(command)},
    }


def extension_documents(manifest: str, client: Client, about: Document, command: Sequence[str]) -> dict[str, Answer]:
    """Return the documents of a plugin in the form of Gemini CLI, whose manifest holds the server."""
    known = {name: about[name] for name in ("name", "version", "description")}
    return {
        manifest: {**known, "mcpServers": {NAME: client.entry(command)}},
        "hooks/hooks.json": {"hooks": client.hooks(command)},
    }


def group(tools: Sequence[str] | str, line: str) -> Answer:
    """Return an item in a list of hooks, in the form of Claude Code: a command for the tools that match."""
    matcher = tools if isinstance(tools, str) else "|".join(tools)
    return {"matcher": matcher, "hooks": [_hook(line)]}


def _hook(line: str) -> Answer:
    return {"type": "command", "command": line, "timeout": TIMEOUT_S}


def brief_line(command: Sequence[str], client: str = "") -> str:
    """Return the line that prints the state of a session, in the form of a client where it needs one."""
    import shlex

    return shlex.join([*command, "brief", *(("--client", client) if client else ())])


def lenient(line: str) -> str:
    """Return a line that ends with 0 where its program is missing, in bash and in PowerShell alike.

    For clients that take any other exit code of a hook for a refusal.
    """
    return f"{line}; exit 0"
