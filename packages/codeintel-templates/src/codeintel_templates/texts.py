"""The texts as shipped, by name. A name is the path below `files/`; nothing else opens that folder."""

import json
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable


def read_template(name: str) -> str:
    """Return the text of a template, front matter included.

    Raises KeyError: no template has this name; `template_names()` lists them.
    """
    if name not in template_names():
        raise KeyError(name)
    return _root().joinpath(*name.split("/")).read_text(encoding="utf-8")


def template_body(name: str) -> str:
    """Return the text of a template without its front matter."""
    text = read_template(name)
    if not text.startswith("---\n"):
        return text
    return text.split("\n---\n", 1)[1].lstrip("\n")


def template_names() -> tuple[str, ...]:
    """Return the names of all templates, sorted."""
    return tuple(sorted(_walk(_root(), "")))


def phase_contract() -> str:
    """Return the default phase contract, which only codeintel-contract holds."""
    return files("codeintel_contract").joinpath("phase_contract.yml").read_text(encoding="utf-8")


def contract_schema() -> str:
    """Return the JSON schema of a project's phase contract, in which everything may be left out."""
    from codeintel_contract import project_schema

    return json.dumps({**project_schema(), "title": "codeintel: .code-intel/phase_contract.yml"}, indent=2) + "\n"


def _root() -> Traversable:
    return files("codeintel_templates").joinpath("files")


def _walk(folder: Traversable, prefix: str) -> Iterator[str]:
    for item in folder.iterdir():
        if item.is_dir():
            yield from _walk(item, f"{prefix}{item.name}/")
        else:
            yield prefix + item.name
