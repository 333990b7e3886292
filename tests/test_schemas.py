"""The schemas that editors complete by say what the code accepts: no key more, none less, the same defaults."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from codeintel_contract.loader import default_text
from codeintel_index.config import CHROMA_KEYS, OTHERS, IndexConfig
from codeintel_index.errors import BadConfig
from codeintel_server.project.configuration import ContextFile, ServerFile
from codeintel_templates import Proposals, Suite, apply, plan, template_names

pytestmark = pytest.mark.draws(18)

NAMES = {"config.json": "config", "context.yml": "context", "phase_contract.yml": "phase_contract"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    apply(
        plan(
            tmp_path,
            proposals=Proposals(source_dirs=("src",), docs_path=("docs/",), suites=(Suite(command="make check"),)),
        )
    )
    return tmp_path / ".code-intel"


def schema(home: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((home / f"schemas/{name}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(found)
    return found


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))  # JSON is YAML


@pytest.mark.parametrize(("file", "name"), NAMES.items())
def test_what_init_writes_is_valid_and_names_its_schema(home: Path, file: str, name: str) -> None:
    jsonschema.validate(read(home / file), schema(home, name))
    assert (
        f"./schemas/{name}.schema.json"
        in (home / file).read_text(encoding="utf-8").split("\n", 2)[0 if name != "config" else 1]
    )


def test_config_json_has_the_keys_and_defaults_of_the_code(home: Path) -> None:
    properties = schema(home, "config")["properties"]
    own = {each.name: each for each in fields(IndexConfig) if not each.name.startswith(("chroma_", "data_", "warn"))}
    assert set(properties) == {*own, *OTHERS}
    assert set(properties["chroma"]["properties"]) == set(CHROMA_KEYS)
    default = IndexConfig()
    for name in own:
        value = getattr(default, name)
        assert properties[name]["default"] == (list(value) if isinstance(value, tuple) else value), name
    for name in CHROMA_KEYS:
        assert properties["chroma"]["properties"][name]["default"] == getattr(default, f"chroma_{name}"), name
    models = ServerFile.model_json_schema()["$defs"]
    assert properties["git"]["properties"]["merge"]["enum"] == models["_Git"]["properties"]["merge"]["enum"]
    told = ("default", "minimum", "maximum")
    assert {name: [each[key] for key in told] for name, each in properties["limits"]["properties"].items()} == {
        name: [each[key] for key in told] for name, each in models["Limits"]["properties"].items()
    }


@pytest.mark.parametrize(
    "wrong",
    [
        {"chunk_max_tokens": 8},
        {"chunk_max_tokens": "512"},
        {"sync_ttl_hours": 0},
        {"source_dirs": "src"},
        {"chroma": {"mode": "remote"}},
        {"chroma": []},
    ],
)
def test_a_wrong_value_is_refused_by_both(home: Path, tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, schema(home, "config"))
    (tmp_path / "config.json").write_text(json.dumps(wrong), encoding="utf-8")
    with pytest.raises(BadConfig):
        IndexConfig.from_file(tmp_path / "config.json", {})


def test_context_yml_has_the_defaults_of_the_code(home: Path) -> None:
    research = schema(home, "context")["properties"]["doc_research"]["properties"]
    search = schema(home, "context")["properties"]["document_search"]["properties"]
    default = ContextFile()
    properties = schema(home, "context")["properties"]
    sections = {name: keys for name, keys in default.model_dump().items() if isinstance(keys, dict)}
    assert {name: set(properties[name]["properties"]) for name in sections} == {
        name: set(keys) for name, keys in sections.items()
    }
    assert research["enabled"]["default"] is default.doc_research.enabled
    assert tuple(research["docs_path"]["default"]) == default.doc_research.docs_path
    assert tuple(search["include_patterns"]["default"]) == default.document_search.include_patterns
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"doc_reserch": {}}, schema(home, "context"))


def test_a_contract_of_one_phrase_is_valid_and_an_unknown_tool_is_not(home: Path) -> None:
    shape = schema(home, "phase_contract")
    jsonschema.validate({"phases": {"Q1": {"instruction": "Think."}}}, shape)
    jsonschema.validate(yaml.safe_load(default_text()), shape)
    for wrong in ({"phases": {"Q4": {}}}, {"phases": {"Q1": {"required_tools": ["search_tekst"]}}}, {"phase": {}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, shape)


def test_the_schemas_are_templates_like_all_others() -> None:
    assert {"code-intel/schemas/config.schema.json", "code-intel/schemas/context.schema.json"} <= set(template_names())
