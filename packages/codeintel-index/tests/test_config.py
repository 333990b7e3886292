"""Configuration: every mistake is named by its key."""

import json
from pathlib import Path

import pytest

from codeintel_index import Index, IndexConfig
from codeintel_index.errors import BadConfig, NotAFile

SEEDS = {
    "version": "1.0",
    "embedding_model": "multilingual-e5-small",
    "source_dirs": ["src", "lib"],
    "exclude_patterns": ["**/node_modules/**"],
    "chunk_strategy": "ast",
    "chunk_max_tokens": 256,
    "sync_ttl_hours": 1,
    "sync_on_start": True,
    "chroma": {"mode": "http", "host": "chroma", "port": 9000, "ssl": True, "tenant": "t", "database": "d"},
    "git": {"merge": "squash"},
    "limits": {},
}


def read(tmp_path: Path, document: object, **environ: str) -> IndexConfig:
    place = tmp_path / "config.json"
    place.write_text(json.dumps(document), "utf-8")
    return IndexConfig.from_file(place, environ)


def test_every_key_of_a_full_file_is_taken(tmp_path: Path) -> None:
    config = read(tmp_path, SEEDS)
    assert config == IndexConfig(
        source_dirs=("src", "lib"),
        exclude_patterns=("**/node_modules/**",),
        chunk_max_tokens=256,
        embedding_model="multilingual-e5-small",
        chroma_mode="http",
        chroma_host="chroma",
        chroma_port=9000,
        chroma_ssl=True,
        chroma_tenant="t",
        chroma_database="d",
    )
    assert config.warnings == ()


def test_a_missing_file_means_the_defaults(tmp_path: Path) -> None:
    assert IndexConfig.from_file(tmp_path / "none.json", {}) == IndexConfig()


def test_an_unknown_key_is_a_warning_with_the_nearest_one(tmp_path: Path) -> None:
    config = read(tmp_path, {"source_dir": ["a"], "chroma": {"hosts": "x"}, "zzzz": 1})
    assert config.warnings == (
        ".code-intel/config.json, line 1: unknown key 'source_dir'; did you mean 'source_dirs'?",
        ".code-intel/config.json, line 1: unknown key 'zzzz'",
        ".code-intel/config.json, line 1: unknown key 'chroma.hosts'; did you mean 'chroma.host'?",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '{\n "chunk_max_tokens": 99,\n\n "chunk_max_tokens": "many"}',
            "line 4: chunk_max_tokens: must be a whole number",
        ),
        ('{"exclude_patterns": [\n"]\\"{",\n"x"\n],\n"chroma": {\n"port":\n"a"}}', "line 6: chroma.port: must be"),
        ('{"chroma": {"host": "x"},\n"source_dirs": {"host": 1}}', "line 2: source_dirs: must be a list of texts"),
        ('{\n\n"a": {"chroma": 1},\n"chroma": null}', "line 4: chroma: must be an object, not null"),
        ('{"a": 1,\n  b: 2}', "line 2: is not JSON at column 3"),
        ("[]", "config.json: must hold an object, not a list"),
        ("[" * 100_000, "config.json: is nested too deeply"),
        ('{"a": ' + "9" * 5_000 + "}", "config.json: holds a number of too many digits"),
        ('{"a": "' + "x" * 300_000 + '"}', "config.json: is larger than 256000 bytes"),
        ('{\n"a": "\udcff"}', "line 2: is not UTF-8"),
    ],
)
def test_an_error_names_the_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "config.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(BadConfig) as caught:
        IndexConfig.from_file(tmp_path / "config.json", {})
    assert said in str(caught.value)
    assert str(caught.value).startswith(".code-intel/config.json")


def test_an_error_of_the_environment_names_the_variable(tmp_path: Path) -> None:
    with pytest.raises(BadConfig) as caught:
        read(tmp_path, {"chroma": {"port": 1}}, CODEINTEL_CHROMA_PORT="far")
    assert str(caught.value) == (
        "environment variable CODEINTEL_CHROMA_PORT: chroma.port: must be a whole number, not a text ('far')"
    )


@pytest.mark.parametrize(
    ("document", "key"),
    [
        ({"source_dirs": "src"}, "source_dirs"),
        ({"source_dirs": [1]}, "source_dirs"),
        ({"chunk_max_tokens": "many"}, "chunk_max_tokens"),
        ({"chunk_max_tokens": True}, "chunk_max_tokens"),
        ({"chunk_max_tokens": 1}, "chunk_max_tokens"),
        ({"sync_ttl_hours": 0}, "sync_ttl_hours"),
        ({"embedding_model": None}, "embedding_model"),
        ({"chroma": []}, "chroma"),
        ({"chroma": {"port": "8000"}}, "chroma.port"),
        ({"chroma": {"mode": "cloud"}}, "chroma.mode"),
        ([], ""),
    ],
)
def test_a_wrong_type_is_an_error_with_the_path_of_the_key(tmp_path: Path, document: object, key: str) -> None:
    with pytest.raises(BadConfig) as caught:
        read(tmp_path, document)
    assert caught.value.key == key


@pytest.mark.parametrize("data", [b"{", b"\xff\xfe"])
def test_a_file_that_is_not_json_is_an_error(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "config.json").write_bytes(data)
    with pytest.raises(BadConfig):
        IndexConfig.from_file(tmp_path / "config.json", {})


def test_the_environment_overrides_the_file(tmp_path: Path) -> None:
    environ = {
        "CODEINTEL_CHUNK_MAX_TOKENS": "300",
        "CODEINTEL_SOURCE_DIRS": "a:b",
        "CODEINTEL_CHROMA_SSL": "true",
        "CODEINTEL_EMBEDDING_MODEL": "default",
    }
    config = read(tmp_path, {"chunk_max_tokens": 100}, **environ)
    assert (config.chunk_max_tokens, config.source_dirs, config.chroma_ssl) == (300, ("a", "b"), True)
    with pytest.raises(BadConfig, match="chunk_max_tokens"):
        read(tmp_path, {}, CODEINTEL_CHUNK_MAX_TOKENS="lots")


def test_the_projects_own_file_is_read_on_open(shop: Path) -> None:
    (shop / ".code-intel").mkdir()
    (shop / ".code-intel/config.json").write_text('{"source_dirs": ["shop"], "colour": 1}', "utf-8")
    with Index.open(shop) as index:
        assert all(path.startswith("shop/") for path in index.source_files())
        assert index.files("*.md").total == 2  # listed, though not indexed (docs/adr/0024)
        assert index.stats().notices == (".code-intel/config.json, line 1: unknown key 'colour'",)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotAFile):
        Index.open(tmp_path / "none")


def test_the_data_folder_may_lie_elsewhere(shop: Path, tmp_path: Path) -> None:
    for place in (tmp_path / "data", shop / "cache/index"):
        with Index.open(shop, IndexConfig(data_dir=place)) as index:
            index.sync()
            assert (place / "index.db").is_file()
            assert index.source_files() == sorted(index.files("*"))
            assert not [path for path in index.source_files() if path.startswith("cache/")]


@pytest.mark.parametrize("pattern", ["a*" * 5 + "b", "**/" * 5 + "x", "x" * 1001])
def test_an_exclude_pattern_that_could_be_tried_in_too_many_ways_is_refused(pattern: str) -> None:
    with pytest.raises(BadConfig, match="exclude_patterns"):
        IndexConfig(exclude_patterns=(pattern,))
