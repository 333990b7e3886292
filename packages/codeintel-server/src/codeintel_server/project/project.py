"""One project, composed: session, index, library, rules. Everything is opened on first use."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from codeintel_index import signed_text
from codeintel_server.guard.prompts import git_settings, kept_prompts
from codeintel_server.project.code import IndexedCode
from codeintel_server.project.configuration import ServerConfig
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.redaction import redacted
from codeintel_server.report.writer import SessionReports
from codeintel_server.verification.clean_runs import CleanRuns
from codeintel_server.verification.trust import state_folder
from codeintel_session import (
    Clock,
    GitRepository,
    Ports,
    Prompt,
    Seal,
    SessionService,
    SystemClock,
)


class TypedPrompts:
    """The prompts that the hook of the user's client kept; implements `codeintel_session.ports.UserWords`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def as_kept(self, text: str) -> str:
        """Return a text with its secrets hidden as in a prompt that was kept."""
        return signed_text(text)

    def settings(self) -> Mapping[str, str]:
        """Return digests of git's settings as they are kept with a prompt."""
        return git_settings(str(self._root))

    def prompts(self, client: str) -> Sequence[Prompt]:
        """Return the last prompts typed to the client with this name, oldest first."""
        entries = kept_prompts(str(self._root), client)
        return [
            Prompt(
                entry["at"],
                entry["text"],
                bool(entry.get("is_cut")),
                _digests(entry.get("tips")),
                str(entry.get("branch", "")),
                _digests(entry.get("stashes")),
                next(iter(_digests([entry.get("head")])), ""),
                _settings(entry.get("settings")),
            )
            for entry in entries
        ]


def _settings(entry: object) -> dict[str, str]:
    """Return the names and digests of an entry; in a file that anybody can write it may be anything."""
    found = entry if isinstance(entry, dict) else {}
    return {name: text for name, text in found.items() if isinstance(name, str) and isinstance(text, str)}


def _digests(entry: object) -> tuple[str, ...]:
    """Return the digests of an entry; what is none, in a file that anybody can write, is left out."""
    found = entry if isinstance(entry, list) else []
    return tuple(each for each in found if isinstance(each, str) and re.fullmatch(r"[0-9a-f]{40,64}", each))


class Project:
    """A project root and all that belongs to it. Tools get this and nothing else. `clock` is the system's if None."""

    def __init__(self, root: Path, clock: Clock | None = None) -> None:
        self.root = root
        self.clock = clock or SystemClock()
        self.library = ProjectLibrary(root)
        self.config = ServerConfig()
        self.code = IndexedCode(root, self.clock)
        self.runs = CleanRuns(root, self.clock)

    @cached_property
    def session(self) -> SessionService:
        """The session service of this root."""
        return SessionService(self._ports())

    def _ports(self) -> Ports:
        git = GitRepository.look_for(self.root)
        self.runs.open(git)
        return Ports(
            root=self.root,
            git=git,
            code=self.code,
            library=self.library,
            clock=self.clock,
            reports=SessionReports(self.root),
            merge_mode=self.config.file.git.merge,
            fixups=self.config.file.git.fixups,
            limits=self.config.file.limits,
            seal=Seal(state_folder()),
            redact=redacted,
            words=TypedPrompts(self.root),
            dependencies=self.runs.dependencies,
            fails_on_base=self.runs.fails_on_base,
        )

    def fresh_configuration(self) -> None:
        """Read the user's files again, all of them, so that a session begins with what they say or not at all.

        Raises:
            ContractViolation: `config_invalid`, `contract_invalid`.
            BadConfig: a key of the index in config.json.
        """
        library = ProjectLibrary(self.root)
        config = ServerConfig.read(self.root)
        library.check()
        self.code.reopen_if_changed()
        self.library, self.config = library, config
        if "session" in self.__dict__:
            self.session.ports = self._ports()

    def warnings(self) -> tuple[str, ...]:
        """What is odd about the user's files and yet usable: keys that nobody knows, a rules file that is not there."""
        return (*self.code.index.config.warnings, *self.config.warnings, *self.library.context.warnings)

    def close(self) -> None:
        """Save the session, stop work in the background, let go of all files."""
        self.runs.close()
        if "session" in self.__dict__:
            self.session.close()
            if self.session.ports.git is not None:
                self.session.ports.git.trees.leave()
        self.code.close()
        self.runs.clear()
