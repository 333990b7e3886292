"""What a project may set for its index. One dataclass holds every key, its type and its default; nothing else does.

Values come from `.code-intel/config.json` (the server keeps its own keys in the same file: they are known here and
left alone), then from `CODEINTEL_*` in the environment. A wrong type is an error that names the key; a key nobody
knows is a warning that names the nearest one.
"""

import difflib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from codeintel_index.errors import BadConfig
from codeintel_index.globs import too_costly

DATA_DIR = ".code-intel"
OTHERS = ("$schema", "version", "chunk_strategy", "sync_on_start", "git", "limits", "chroma")
CHROMA_KEYS = ("mode", "host", "port", "ssl", "tenant", "database", "project")
ENV_PREFIX = "CODEINTEL_"


@dataclass(frozen=True, slots=True)
class IndexConfig:
    """Settings of an index; checked when made, `BadConfig` names the key.

    source_dirs: folders to index, relative to the root; missing ones are skipped, none existing means the whole tree.
    exclude_patterns: gitignore-style patterns on top of the project's own .gitignore.
    chunk_max_tokens: upper size of a chunk, in tokens (about four characters each).
    sync_ttl_hours: age after which a host that syncs in the background should do so again; queries never wait for it.
    data_dir: where the index lives; None means `<root>/.code-intel`.
    chroma_*: `persistent` keeps vectors in the data folder, `http` on a Chroma server. `project` names what checkouts
        share there; "" stands for the repository's first commit, which worktrees and clones have in common.
    """

    source_dirs: tuple[str, ...] = ()
    exclude_patterns: tuple[str, ...] = ("**/node_modules/**", "**/__pycache__/**")
    chunk_max_tokens: int = 512
    sync_ttl_hours: float = 1.0
    embedding_model: str = "default"
    data_dir: Path | None = None
    chroma_mode: str = "persistent"
    chroma_host: str = "localhost"
    chroma_port: int = 8000
    chroma_ssl: bool = False
    chroma_tenant: str = "default_tenant"
    chroma_database: str = "default_database"
    chroma_project: str = ""
    warnings: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        for each in fields(self):
            value = _typed(each.name, each.type, getattr(self, each.name))
            object.__setattr__(self, each.name, value)
        if not 32 <= self.chunk_max_tokens <= 8192:
            raise BadConfig("chunk_max_tokens", f"must be between 32 and 8192, not {self.chunk_max_tokens}")
        for pattern in self.exclude_patterns:
            if why := too_costly(pattern):
                raise BadConfig("exclude_patterns", f"{pattern[:80]!r}: {why}")
        if self.sync_ttl_hours <= 0:
            raise BadConfig("sync_ttl_hours", f"must be above 0, not {self.sync_ttl_hours:g}")
        if self.chroma_mode not in ("persistent", "http"):
            raise BadConfig("chroma.mode", f"must be persistent or http, not {self.chroma_mode!r}")

    @classmethod
    def from_file(cls, path: Path | str, environ: Mapping[str, str] | None = None) -> "IndexConfig":
        """Read a `config.json`; a missing file gives the defaults. Unknown keys end up in `.warnings`."""
        document = _document(Path(path))
        flat, warnings = _flatten(document)
        flat.update(_from_environment(os.environ if environ is None else environ))
        return cls(**flat, warnings=tuple(warnings))  # type: ignore[arg-type]  # __post_init__ checks every value


def _document(path: Path) -> dict[str, object]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise BadConfig("", f"{path.name} cannot be read: {error}") from error
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadConfig("", f"{path.name} is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise BadConfig("", f"{path.name} must hold an object, not {type(document).__name__}")
    return document


def _flatten(document: dict[str, object]) -> tuple[dict[str, object], list[str]]:
    own = [each.name for each in fields(IndexConfig) if each.name not in ("data_dir", "warnings")]
    own = [name for name in own if not name.startswith("chroma_")]
    flat = {key: value for key, value in document.items() if key in own}
    warnings = [_unknown(key, [*own, *OTHERS]) for key in document if key not in own and key not in OTHERS]
    chroma = document.get("chroma", {})
    if not isinstance(chroma, dict):
        raise BadConfig("chroma", f"must be an object, not {type(chroma).__name__}")
    flat.update({f"chroma_{key}": value for key, value in chroma.items() if key in CHROMA_KEYS})
    warnings += [
        _unknown(f"chroma.{key}", [f"chroma.{k}" for k in CHROMA_KEYS]) for key in chroma if key not in CHROMA_KEYS
    ]
    return flat, warnings


def _unknown(key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.6)
    return f"unknown key {key!r}" + (f"; did you mean {near[0]!r}?" if near else "")


def _from_environment(environ: Mapping[str, str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for each in fields(IndexConfig):
        text = environ.get(ENV_PREFIX + each.name.upper())
        if text is not None and each.name not in ("data_dir", "warnings"):
            found[each.name] = _parsed(each.type, text)
    return found


def _parsed(kind: object, text: str) -> object:
    """The text of an environment variable as the field's type; what does not parse is left for `_typed` to refuse."""
    if kind == tuple[str, ...]:
        return tuple(part for part in text.split(os.pathsep) if part)
    if kind is str:
        return text
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _typed(name: str, kind: object, value: object) -> object:
    key = name.replace("chroma_", "chroma.", 1)
    if kind == tuple[str, ...]:
        if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
            raise BadConfig(key, f"must be a list of texts, not {value!r}")
        return tuple(value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    wanted = (Path, type(None)) if name == "data_dir" else (kind,)
    if name == "data_dir" and isinstance(value, str):
        return Path(value)
    if not isinstance(value, wanted) or (isinstance(value, bool) and kind is not bool):  # type: ignore[arg-type]
        raise BadConfig(key, f"must be {getattr(kind, '__name__', 'a path')}, not {value!r}")
    return value
