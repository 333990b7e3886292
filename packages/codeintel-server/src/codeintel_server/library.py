"""The prompts, verifiers, documents and contract of one project; the built-in ones where it has none.

Implements `codeintel_session.ports.Library`. A folder of the project that exists is taken as it is: a
prompt the user removed stays removed.
"""

import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from codeintel_contract.loader import Contract, ContractFileError, load
from codeintel_contract.suggest import did_you_mean
from codeintel_contract.violations import ContractViolation
from codeintel_server.documents import find_documents
from codeintel_server.projectconfig import CONTEXT, Context, ServerConfig, invalid
from codeintel_server.verifierfile import read_verifier
from codeintel_session.adapters.home import ensure_home
from codeintel_session.ports import Verifier

CONTRACT = "phase_contract.yml"


class ProjectLibrary:
    """What `.code-intel` of one project holds."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / ".code-intel"

    @cached_property
    def context(self) -> Context:
        """context.yml, or its defaults."""
        return Context.read(self.root)

    def check(self) -> None:
        """Read everything once.

        Raises:
            ContractViolation: `config_invalid` or `contract_invalid` for the first file that is broken.
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
        return tuple(f"{name.removesuffix('.md')}.md" for name in self.context.prompts)

    def verifiers(self) -> Mapping[str, Verifier]:
        """Verifiers by file name, from the project or else the built-in ones.

        Raises:
            ContractViolation: `config_invalid`, naming the file, the line and the key.
        """
        own = self.home / "verifiers"
        if own.is_dir():
            texts = {path.name: path.read_bytes() for path in sorted(own.glob("*.md"))}
        else:
            from codeintel_templates import texts as templates

            texts = {name.rpartition("/")[2]: templates.read(name).encode() for name in sorted(_built_in("verifiers"))}
        return {name: read_verifier(name, text) for name, text in texts.items()}

    def trusted(self) -> bool:
        """Whether the user agreed to the verifiers' commands as they stand now."""
        from codeintel_server.trust import is_trusted

        return is_trusted(self)

    def documents(self, query: str) -> tuple[str, ...]:
        """Documents that may bear on the request, best first."""
        return find_documents(self.root, self.context, query) if self.context.research_enabled else ()

    def contract(self, pinned: str | None = None) -> Contract:
        """The project's contract, kept beside the sessions so that a resumed one finds it again.

        Raises:
            ContractViolation: `contract_invalid`, with file and line; `contract_lost`, if the project has another one
                by now and what was kept is not what was pinned.
        """
        if pinned is not None and self.contract_source() != pinned:
            return self._load(self._kept(pinned) if pinned else None)
        contract = self._load(self._own_contract())
        self._keep()
        return contract

    def _kept(self, pinned: str) -> Path:
        path = self._place(pinned)
        if not path.is_file() or _digest(path) != pinned:
            raise ContractViolation("tool_errors.get_session_status.contract_lost", path=CONTRACT)
        return path

    def _place(self, source: str) -> Path:
        return self.home / "sessions" / f"contract-{source[:32]}.yml"

    def contract_source(self) -> str:
        """Digest of the project's own contract file, "" if it has none."""
        own = self._own_contract()
        return _digest(own) if own else ""

    def _load(self, path: Path | None) -> Contract:
        try:
            return load(path)
        except ContractFileError as error:
            raise ContractViolation(
                "tool_errors.start_session.contract_invalid",
                path=CONTRACT if error.path is None else error.path.relative_to(self.root).as_posix(),
                line=error.line,
                problem=error.problem,
            ) from error

    def _own_contract(self) -> Path | None:
        path = self.home / CONTRACT
        return path if path.is_file() else None

    def _keep(self) -> None:
        own = self._own_contract()
        if own is None:
            return
        ensure_home(self.root)
        kept = self._place(_digest(own))
        if not kept.exists() or _digest(kept) != _digest(own):
            kept.write_bytes(own.read_bytes())

    def contract_digest(self) -> str:
        """Digest of the contract on disk now; "" if it does not load."""
        try:
            return load(self._own_contract()).digest
        except ContractFileError:
            return ""


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def trouble(root: Path) -> str:
    """Why no session can begin on the project's files as they are: file, line and key. "" if they can be used."""
    from codeintel_index.config import IndexConfig
    from codeintel_index.errors import BadConfig

    try:
        ServerConfig.read(root)
        ProjectLibrary(root).check()
        IndexConfig.from_file(root / ".code-intel" / "config.json")
    except ContractViolation as violation:
        return "; ".join(violation.problems) or str(violation)
    except BadConfig as fault:
        return str(fault)
    return ""


def _built_in(folder: str) -> list[str]:
    from codeintel_templates import texts as templates

    prefix = f"code-intel/{folder}/" if folder else "code-intel/"
    return [name for name in templates.names() if name.startswith(prefix) and "/" not in name[len(prefix) :]]
