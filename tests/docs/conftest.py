"""A project with codeintel and one session that ended, for all pages, and a shell as its user has it."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_server.testing import install_programs, own_world

SHOP = {
    "src/basket.py": '"""Prices."""\n\n\ndef total(prices):\n    """What all costs."""\n    return sum(prices)\n',
    "tests/test_basket.py": "from basket import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]\n',
}
PLAY = shlex.join((sys.executable, str(Path(__file__).with_name("play.py"))))
BEGIN = f"git init -q -b main; codeintel init --client claude --yes; git add --all; git commit -qm Shop; {PLAY}"
Shell = Callable[[str, Path], None]


@pytest.fixture(scope="session")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """Runs a script in a folder; nothing of the machine's configuration, our commands first on PATH, a name for git."""
    with pytest.MonkeyPatch.context() as patch:
        own_world(patch, tmp_path_factory.mktemp("state"))
        patch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        install_programs(patch, tmp_path_factory.mktemp("programs"))
        for role in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{role}_NAME", "A user")
            patch.setenv(f"GIT_{role}_EMAIL", "user@example.invalid")
        environment = dict(os.environ)

    def run(script: str, where: Path) -> None:
        command = ["bash", "-euo", "pipefail", "-c", script]
        done = subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]

    return run


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory, shell: Shell) -> Path:
    """The project; copy it before you change it."""
    root = tmp_path_factory.mktemp("pages") / "shop"
    for name, text in SHOP.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    shell(BEGIN, root)
    return root
