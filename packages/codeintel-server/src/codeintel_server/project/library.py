"""The prompts, verifiers, documents and contract of one project; the built-in ones where it has none.

Implements `codeintel_session.ports.Library`, where its methods are described. A folder of the project that exists is
taken as it is: a prompt the user removed stays removed.
"""

import hashlib
import time
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Generic, TypeVar

from codeintel_contract import Contract, ContractFileError, ContractViolation, did_you_mean, load_contract, read_file
from codeintel_server.checked import invalid
from codeintel_server.project.configuration import CONTEXT, Context, ServerConfig
from codeintel_server.project.documents import find_documents
from codeintel_server.verification.trust import digest_of, is_trusted
from codeintel_server.verification.verifier_file import read_verifier
from codeintel_session import Verifier, ensure_home

CONTRACT = "phase_contract.yml"
MAX_BYTES = 1_000_000
"""Length of a prompt, a verifier or a contract that is read."""
MOST_VERIFIERS = 100
"""Each call reads them: of 5,000 it took 10 to 23 s."""


class ProjectLibrary:
    """What `.code-intel` of one project holds."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / ".code-intel"
        self._compiled = _Memory[tuple[str, str]]()
        self._installed = _Memory[bool]()

    @cached_property
    def context(self) -> Context:
        """context.yml, or its defaults."""
        return Context.read(self.root)

    def check(self) -> None:
        """Read everything once.

        Raises ContractViolation: `config_invalid` or `contract_invalid` for the first file that is broken.
        """
        known = self.prompts("doc_research")
        for name in self.research_prompts():
            if name not in known:
                near = did_you_mean(name, known)
                raise invalid(CONTEXT, f"doc_research.default_prompts: there is no doc_research/{name[:80]}{near}")
        self.verifiers()
        self._load(self._own_contract())

    def prompts(self, folder: str) -> tuple[str, ...]:
        """File names in a folder of `.code-intel`; "" is the folder itself, which holds other things as well."""
        own = self.home / folder
        if folder and own.is_dir():
            return tuple(sorted(path.name for path in own.glob("*.md")))
        built_in = {name.rpartition("/")[2] for name in _built_in(folder) if name.endswith(".md")}
        return tuple(sorted(built_in))

    def research_prompts(self) -> tuple[str, ...]:
        """File names in doc_research/ that context.yml names, with their ending."""
        return tuple(f"{name.removesuffix('.md')}.md" for name in self.context.file.doc_research.default_prompts)

    def verifiers(self) -> Mapping[str, Verifier]:
        """Verifiers by file name, from the project or else the built-in ones that need no command of the user.

        Raises ContractViolation: `config_invalid`, naming the file, the line and the key, or the folder of too many.
        """
        own = self.home / "verifiers"
        if own.is_dir():
            files = sorted(own.glob("*.md"))
            if len(files) > MOST_VERIFIERS:
                name = own.relative_to(self.root).as_posix()
                raise invalid(name, f"it holds {len(files)} verifiers, and at most {MOST_VERIFIERS} are read")
            texts = {path.name: self._content(path) for path in files}
        else:
            from codeintel_templates import read_template

            texts = {name.rpartition("/")[2]: read_template(name).encode() for name in sorted(_built_in("verifiers"))}
        known = {name: read_verifier(name, text) for name, text in texts.items()}
        return known if own.is_dir() else {name: one for name, one in known.items() if one.text or one.command}

    def trusted(self) -> bool:
        return is_trusted(self)

    def commands_digest(self) -> str:
        return digest_of(self)

    def documents(self, query: str, *, with_guides: bool) -> tuple[str, ...]:
        if not self.context.file.doc_research.enabled:
            return ()
        return find_documents(self.root, self.context, query, with_guides=with_guides)

    def contract(self, pinned: str | None = None) -> Contract:
        """The contract that a session follows: the project's own if the user trusts it, else the packaged one.

        The project's is kept beside the sessions, so that a resumed one finds the one it began with. That one is
        `pinned` ("" for the packaged one), whatever was trusted since (docs/adr/0031).

        Raises ContractViolation: `contract_invalid`, with file and line; `contract_lost`, if the project has another
        one by now and what was kept is not what was pinned.
        """
        if pinned is None:
            own = self._load(self._own_contract())
            if self.ignores_contract():
                return load_contract(None)
            self._keep()
            return own
        if pinned in ("", self._own_source()):
            return self._load(self._own_contract() if pinned else None)
        return self._load(self._kept(pinned))

    def ignores_contract(self) -> bool:
        """Say whether the project has a contract of its own that is not used, as the user does not trust it."""
        return self._own_digest() not in ("", load_contract(None).digest) and not self._is_trusted_now()

    def _is_trusted_now(self) -> bool:
        try:
            return self.trusted()
        except ContractViolation:  # a verifier that cannot be read: nothing of it is trusted
            return False

    def _kept(self, pinned: str) -> Path:
        path = self._place(pinned)
        if not path.is_file() or _digest(self._content(path)) != pinned:
            raise ContractViolation("tool_errors.get_session_status.contract_lost", path=CONTRACT)
        return path

    def _content(self, path: Path) -> bytes:
        try:
            return read_file(self.root, path, MAX_BYTES)
        except OSError as error:
            raise invalid(path.relative_to(self.root).as_posix(), str(error.strerror)) from error

    def _place(self, source: str) -> Path:
        return self.home / "sessions" / f"contract-{source[:32]}.yml"

    def contract_source(self) -> str:
        """Digest of the project's own contract file; "" if it has none, or none that is used."""
        return "" if self.ignores_contract() else self._own_source()

    def _own_source(self) -> str:
        own = self.contract_bytes()
        return _digest(own) if own else ""

    def contract_bytes(self) -> bytes:
        """The project's own contract file, empty if it has none."""
        own = self._own_contract()
        return self._content(own) if own else b""

    def _load(self, path: Path | None) -> Contract:
        try:
            return load_contract(path, self.root)
        except ContractFileError as error:
            raise ContractViolation(
                "tool_errors.start_session.contract_invalid",
                path=CONTRACT if error.path is None else error.path.relative_to(self.root).as_posix(),
                line=error.line,
                problem=error.problem,
            ) from error

    def _own_contract(self) -> Path | None:
        """The project's contract file, if a person wrote it.

        The copy that `init` made is the packaged contract of some version. This version has its own: it may fill
        other placeholders, so that an old copy would not load after an update.
        """
        path = self.home / CONTRACT
        if not (path.exists() or path.is_symlink()):
            return None
        return None if self._installed.ask(path, partial(self._is_installed, path)) else path

    def _is_installed(self, path: Path) -> bool | None:
        """Say whether `init` or `upgrade` wrote the contract file as it is."""
        from codeintel_templates import TemplatesError, read_record

        try:
            entry = read_record(self.root).files.get(f"{self.home.name}/{CONTRACT}")
            text = self._content(path).replace(b"\r\n", b"\n")  # as the record's digests are made
        except (TemplatesError, ContractViolation):  # whoever loads the file says what is wrong with it
            return None
        return entry is not None and entry.digest == _digest(text)

    def _keep(self) -> None:
        own = self.contract_bytes()
        if not own:
            return
        ensure_home(self.root)
        kept = self._place(_digest(own))
        if not kept.exists() or self._content(kept) != own:
            kept.write_bytes(own)

    def contract_digest(self) -> str:
        """Digest of the contract that a new session would follow; "" if the project's own does not load."""
        return load_contract(None).digest if self.ignores_contract() else self._own_digest()

    def _own_digest(self) -> str:
        """Digest of the project's own contract; "" if it does not load."""
        own = self._own_contract()
        if own is None:
            return load_contract(None).digest
        found = self._compiled.ask(own, partial(self._compile, own))
        return found[1] if found else ""

    def _compile(self, own: Path) -> tuple[str, str] | None:
        """Return the digests of the contract file and of the contract; the last ones, if the file holds the same."""
        last = self._compiled.found
        try:
            source = self._own_source()
            return last if last and last[0] == source else (source, load_contract(own, self.root).digest)
        except (ContractFileError, ContractViolation):
            return None


Found = TypeVar("Found")
Marks = tuple[int, int, int, int]
RACY_NS = 2_000_000_000
"""Marks of a file that was changed this shortly before it was read prove nothing: it may have been changed again."""


class _Memory(Generic[Found]):
    """What was found out about a file, as long as the file cannot have changed since."""

    def __init__(self) -> None:
        self.found: Found | None = None
        self._marks: Marks | None = None
        self._read_at = 0

    def ask(self, path: Path, look: Callable[[], Found | None]) -> Found | None:
        """Return what `look` finds out, None if it fails. Costs a stat while the file stays as it is."""
        marks = _marks(path)
        if marks is None or marks != self._marks or max(marks[:2]) >= self._read_at - RACY_NS:
            self._read_at = time.time_ns()
            self.found = look()
            self._marks = None if self.found is None else marks
        return self.found


def _marks(path: Path) -> Marks | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def config_error(root: Path) -> str:
    """Why no session can begin on the project's files as they are: file, line and key. "" if they can be used."""
    from codeintel_index import BadConfig, IndexConfig

    try:
        ServerConfig.read(root)
        ProjectLibrary(root).check()
        IndexConfig.from_file(root / ".code-intel" / "config.json")
    except ContractViolation as violation:
        return "; ".join(violation.problems) or load_contract(None).message(violation.key, violation.values).message
    except BadConfig as fault:
        return str(fault)
    return ""


def _built_in(folder: str) -> list[str]:
    from codeintel_templates import template_names

    prefix = f"code-intel/{folder}/" if folder else "code-intel/"
    return [name for name in template_names() if name.startswith(prefix) and "/" not in name[len(prefix) :]]
