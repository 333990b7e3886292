"""What a project may set for its index. One dataclass holds every key, its type and its default; nothing else does.

Values come from `.code-intel/config.json` (the server keeps its own keys in the same file: they are known here and
left alone), then from `CODEINTEL_*` in the environment. A wrong type is an error that names the key and its line; a key
nobody knows is a warning that names the nearest one.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from codeintel_index.errors import BadConfig
from codeintel_index.globs import too_costly
from codeintel_index.settings import Settings, kind_of

DATA_DIR = ".code-intel"
OTHERS = ("$schema", "version", "chunk_strategy", "sync_on_start", "git", "limits", "chroma")
INNER = ("data_dir", "warnings")
"""Fields that no file sets."""
DEFAULT_MODEL = "default"
CHROMA_KEYS = ("mode", "host", "port", "ssl", "tenant", "database", "project", "token", "headers", "ca")
SECRETS = ("chroma_token", "chroma_headers")


@dataclass(frozen=True, slots=True)
class IndexConfig:
    """Settings of an index; checked when made, `BadConfig` names the key.

    source_dirs: folders to index, relative to the root; missing ones are skipped, none existing means the whole tree.
    exclude_patterns: gitignore-style patterns on top of the project's own .gitignore.
    chunk_max_tokens: upper size of a chunk, in tokens (about four characters each).
    sync_ttl_hours: age after which a host that syncs in the background should do so again; queries never wait for it.
    data_dir: where the index lives; None means `<root>/.code-intel`.
    chroma_*: `persistent` keeps vectors in `index.db` and has a folder of Chroma follow behind, `off` has none, `http`
        keeps them on a Chroma server. `project` names what checkouts share there; "" means the repository's first
        commit, which worktrees and clones have in common. `token` and `headers` (lines of `Name: value`) are sent with
        each request, `ca` is a file of certificates to trust.
    """

    source_dirs: tuple[str, ...] = ()
    exclude_patterns: tuple[str, ...] = ("**/node_modules/**", "**/__pycache__/**")
    chunk_max_tokens: int = 512
    sync_ttl_hours: float = 1.0
    embedding_model: str = DEFAULT_MODEL
    data_dir: Path | None = None
    chroma_mode: str = "persistent"
    chroma_host: str = "localhost"
    chroma_port: int = 8000
    chroma_ssl: bool = False
    chroma_tenant: str = "default_tenant"
    chroma_database: str = "default_database"
    chroma_project: str = ""
    chroma_token: str = field(default="", repr=False)
    chroma_headers: str = field(default="", repr=False)
    chroma_ca: str = ""
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
        if self.chroma_mode not in ("persistent", "off", "http"):
            raise BadConfig("chroma.mode", f"must be persistent, off or http, not {self.chroma_mode!r}")

    @property
    def embeds_while_parsing(self) -> bool:
        """Whether vectors are made with the rows: the default model takes little time, and asks nobody."""
        return self.embedding_model == DEFAULT_MODEL and self.chroma_mode != "http"

    @classmethod
    def from_file(cls, path: Path | str, environ: Mapping[str, str] | None = None) -> "IndexConfig":
        """Read a `config.json`; a missing file gives the defaults. Unknown keys end up in `.warnings`."""
        settings = Settings.read(Path(path), environ)
        given = _given(settings)
        _check_form(settings)
        _check_secrets(settings)
        own = [each.name for each in fields(cls) if not each.name.startswith("chroma_") and each.name not in INNER]
        warnings = (*settings.unknown("", (*own, *OTHERS)), *settings.unknown("chroma", CHROMA_KEYS))
        try:
            return cls(**given, warnings=warnings)  # type: ignore[arg-type]  # __post_init__ checks every value
        except BadConfig as error:
            raise settings.wrong(error.key, error.why) from None


def _check_form(settings: Settings) -> None:
    """Keys that say what form the file has, and have one value so far."""
    if not isinstance(settings.data.get("version", ""), str):
        raise settings.wrong("version", "must be a text")
    if settings.data.get("chunk_strategy", "ast") != "ast":
        raise settings.wrong("chunk_strategy", "must be 'ast', the only strategy there is")


def _check_secrets(settings: Settings) -> None:
    """Let no repository name the host that a token of the environment is sent to."""
    for key in ("chroma.token", "chroma.headers"):
        if settings.override(key) and not settings.override("chroma.host"):
            host = settings.variable("chroma.host")
            raise settings.wrong(key, f"needs {host} beside it: a secret is sent only to a host that you name yourself")


def _given(settings: Settings) -> dict[str, object]:
    """What the file says for each field, and above it what the environment says."""
    found: dict[str, object] = {}
    chroma = settings.section("chroma")
    for each in fields(IndexConfig):
        key = _key(each.name)
        if each.name in INNER:
            continue
        source, name = (chroma, key.partition(".")[2]) if "." in key else (settings.data, key)
        if name in source:
            found[each.name] = source[name]
        if (text := settings.override(key)) is not None:
            found[each.name] = _parsed(each.type, text)
    return found


def _key(name: str) -> str:
    return name.replace("chroma_", "chroma.", 1)


def _parsed(kind: object, text: str) -> object:
    """The text of an environment variable as the field's type; what does not parse is left for `_typed` to refuse."""
    if kind == tuple[str, ...]:
        return tuple(part for part in text.split(os.pathsep) if part)
    if kind is str:
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


_KINDS: dict[object, str] = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def _shown(value: object) -> str:
    return f"{kind_of(value)} ({value!r:.60})" if isinstance(value, str | int | float) else kind_of(value)


def _typed(name: str, kind: object, value: object) -> object:
    key = _key(name)
    if kind == tuple[str, ...]:
        if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
            raise BadConfig(key, f"must be a list of texts, not {_shown(value)}")
        return tuple(value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    wanted = (Path, type(None)) if name == "data_dir" else (kind,)
    if name == "data_dir" and isinstance(value, str):
        return Path(value)
    if not isinstance(value, wanted) or (isinstance(value, bool) and kind is not bool):  # type: ignore[arg-type]
        shown = kind_of(value) if name in SECRETS else _shown(value)
        raise BadConfig(key, f"must be {_KINDS.get(kind, 'a path')}, not {shown}")
    return value
