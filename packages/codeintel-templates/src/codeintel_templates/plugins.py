"""The plugins: what a user installs once in a client, so that no file of ours has to stand in a project.

They are made of what the modules of the clients put into projects, so that both always say the same. The folder that
holds them is a marketplace of Claude Code and of Codex, and so one that either installs from.
"""

import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from . import texts
from .clients import all_clients
from .clients.client import NAME
from .errors import UsageError

MARKETPLACE = "codeintel"
ABOUT = "Makes the agent understand the code before it changes it, and checks that it did"


def plugin_files(command: Sequence[str]) -> dict[str, str]:
    """Return the files of all plugins and of the marketplaces, by their place in the folder that holds them."""
    about = {
        "name": NAME,
        "version": version("codeintel-templates"),
        "description": ABOUT,
        "author": {"name": MARKETPLACE},
        "license": "MIT",
    }
    found = {name: _text(document) for name, document in _marketplaces().items()}
    for client in all_clients():
        documents = client.plugin(about, command)
        found |= {f"{client.name}/{place}": _text(document) for place, document in documents.items()}
        found |= {f"{client.name}/{text.file}": texts.read_template(text.source) for text in client.plugin_texts}
    return found


def write_plugins(folder: Path, command: Sequence[str]) -> list[str]:
    """Write the plugins into a folder that is new or empty, and return the files.

    Raises UsageError: something is there.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not empty: name a new folder, so that nothing in it is lost")
    files = plugin_files(command)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return sorted(files)


def _marketplaces() -> Mapping[str, object]:
    owned = {"name": MARKETPLACE, "owner": {"name": MARKETPLACE}, "metadata": {"description": ABOUT}}
    policy = {"installation": "AVAILABLE", "authentication": "ON_INSTALL"}
    codex = {"source": {"source": "local", "path": "./codex"}, "policy": policy, "category": "Developer Tools"}
    return {
        ".claude-plugin/marketplace.json": {
            **owned,
            "plugins": [{"name": NAME, "source": "./claude", "description": ABOUT}],
        },
        ".agents/plugins/marketplace.json": {
            "name": MARKETPLACE,
            "interface": {"displayName": MARKETPLACE},
            "plugins": [{"name": NAME, **codex}],
        },
    }


def _text(document: object) -> str:
    return json.dumps(document, indent=2) + "\n"
