"""Write `requirements.lock`: every package that the tests ran with, by version and hash, and no registry.

`uv.lock` names the registry it was resolved from, so it is not committed. What of it an installation needs is exported
here, and can be installed from any registry: `pip install --require-hashes -r requirements.lock`. `--check` fails where
the file is not what the workspace resolves to.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.lock"
EXPORT = (
    "uv",
    "export",
    "--quiet",
    "--all-packages",
    "--no-emit-workspace",
    "--no-dev",
    "--extra=languages",
    "--no-header",
    "--no-annotate",
)
HEAD = "# Made by scripts/requirements_lock.py of what the tests ran with. Install it with --require-hashes.\n"
HASH = re.compile(r"--hash=(\w+:[0-9a-f]+)")


def export() -> str:
    """Return the text of the lock as the workspace resolves now."""
    done = subprocess.run(EXPORT, cwd=ROOT, check=True, capture_output=True, text=True)
    return HEAD + done.stdout


def read(text: str) -> dict[str, frozenset[str]]:
    """Return the hashes of each name and version; how conditions are written depends on the version of uv."""
    lines = text.replace("\\\n", " ").splitlines()
    rows = [line for line in lines if line.strip() and not line.startswith("#")]
    return {row.partition("--hash")[0].partition(";")[0].strip(): frozenset(HASH.findall(row)) for row in rows}


def differences(locked: str, resolved: str) -> list[str]:
    """List what the lock lacks or has too much. One registry may hold other files of a version than another."""
    old, new = read(locked), read(resolved)
    found = [f"not locked: {name}" for name in new.keys() - old.keys()]
    found += [f"not resolved any more: {name}" for name in old.keys() - new.keys()]
    both = old.keys() & new.keys()
    found += [f"not one file in common: {name}" for name in both if new[name] and old[name].isdisjoint(new[name])]
    return sorted(found)


def main() -> None:
    """Write the file, or with `--check` compare it."""
    text = export()
    if sys.argv[1:] != ["--check"]:
        LOCK.write_text(text, encoding="utf-8", newline="\n")
        return
    if found := differences(LOCK.read_text(encoding="utf-8"), text):
        sys.exit("\n".join([*found, "requirements.lock is not current: uv run python scripts/requirements_lock.py"]))


if __name__ == "__main__":
    main()
