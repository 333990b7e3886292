"""docs/configuration.md: the keys of config.json and context.yml, from the schemas that editors use for completion."""

import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from codeintel_index.config import IndexConfig
from codeintel_session.machine.limits import Limits
from codeintel_templates import read_template
from docs_pages import cell

INTERNAL = ("data_dir", "warnings")
INTRODUCTION = """`codeintel init` writes three files in `.code-intel/` for you to commit: `config.json` says what to
index and how to merge work, `context.yml` which rules apply, and `phase_contract.yml` what the agent reads and submits
([the contract file](contract.md)). Each names its schema, so that an editor completes and checks keys. A missing key
has its default. An unknown key causes a warning with its line and the nearest known key. An invalid value is an error
that names key and line, and no session starts until it is fixed.
"""


def configuration() -> Iterator[str]:
    """The page, line by line."""
    yield "# Configuration\n"
    yield INTRODUCTION
    yield from _file("config.json", _schema("config"))
    yield '```json title=".code-intel/config.json"'
    yield '{\n  "source_dirs": ["src", "tests"],\n  "exclude_patterns": ["**/generated/**"]\n}'
    yield "```\n"
    yield from _file("context.yml", _schema("context"))
    yield '```yaml title=".code-intel/context.yml"'
    yield "doc_research:\n  docs_path: [docs/, adr/]\ndocument_search:\n  exclude_patterns: ['docs/old/**']"
    yield "```\n"
    yield from _environment()


def _schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(read_template(f"code-intel/schemas/{name}.schema.json"))
    return found


def _file(name: str, schema: dict[str, Any]) -> Iterator[str]:
    yield f"## {name}\n"
    yield "| key | type | default | meaning |"
    yield "|---|---|---|---|"
    yield from _rows("", schema)
    yield ""


def _rows(prefix: str, schema: dict[str, Any]) -> Iterator[str]:
    for name, each in schema["properties"].items():
        if name == "$schema":
            continue
        default = f"`{json.dumps(each['default'])}`" if "default" in each else ""
        yield f"| `{prefix}{name}` | {_kind(each)} | {default} | {cell(each.get('description'))} |"
        if "properties" in each:
            yield from _rows(f"{prefix}{name}.", each)


def _kind(each: dict[str, Any]) -> str:
    if "enum" in each:
        return ", ".join(f"`{value}`" for value in each["enum"])
    kinds = [each["type"]] if isinstance(each["type"], str) else each["type"]
    bounds = [f"{each[key]}" for key in ("minimum", "maximum") if key in each]
    limits = f", {' to '.join(bounds)}" if bounds else ", above 0" if "exclusiveMinimum" in each else ""
    return " or ".join(kind for kind in kinds if kind != "null") + limits


def _environment() -> Iterator[str]:
    yield "## Environment\n"
    yield "Each of these overrides the key in `config.json`; separate the entries of a list as in `PATH`.\n"
    yield "| variable | key |"
    yield "|---|---|"
    for each in fields(IndexConfig):
        if each.name not in INTERNAL:
            yield f"| `CODEINTEL_{each.name.upper()}` | `{each.name.replace('chroma_', 'chroma.', 1)}` |"
    for key in ("sync_on_start", "git.merge", *(f"limits.{name}" for name in Limits.model_fields)):
        yield f"| `CODEINTEL_{key.replace('.', '_').upper()}` | `{key}` |"
    yield "| `CODEINTEL_LOG` | the log level on stderr, for example `DEBUG` |"
    yield "| `CODEINTEL_HTTP_TOKEN` | the token of `codeintel serve --http` |"
    yield "| `CODEINTEL_RG` | the path of ripgrep, to replace the bundled one |"
    yield "| `CODEINTEL_CTAGS` | the path of Universal Ctags, if it is not on PATH |"
    yield "| `CLAUDE_PROJECT_DIR` | the project, if neither the call nor `--project` names one |\n"
