"""Build a release into a folder: the five wheels, what they need with hashes, the plugins, and where all that is from.

    uv run python scripts/release.py dist/release             # build
    uv run python scripts/release.py dist/release --install   # build, install into an empty environment, try it

The folder is all that is needed beside a registry: `requirements.txt` in it names every file by its hash, ours
included.
"""

import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from codeintel_templates.plugins import write_plugins

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("contract", "index", "session", "templates", "server")
"""In the order of their dependencies, so that each can be installed as soon as it is published."""


def build(folder: Path, *, allow_changes: bool = False) -> None:
    """Build everything into a new or empty folder."""
    if folder.exists() and any(folder.iterdir()):
        sys.exit(f"{folder} is not empty: name a new folder")
    if (changed := output("git", "status", "--porcelain")) and not allow_changes:
        sys.exit(f"commit first, so that the release is a commit's:\n{changed}")
    moment = {"SOURCE_DATE_EPOCH": output("git", "log", "-1", "--format=%ct")}
    folder.mkdir(parents=True, exist_ok=True)
    for package in PACKAGES:
        run("uv", "build", "--quiet", "--package", f"codeintel-{package}", "--out-dir", str(folder), variables=moment)
    (folder / ".gitignore").unlink(missing_ok=True)  # uv puts it there
    write_plugins(folder / "plugins", ["codeintel"])
    locked = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    (folder / "requirements.txt").write_text(own_lines(folder) + locked, encoding="utf-8", newline="\n")
    text = json.dumps(provenance(folder, is_changed=bool(changed)), indent=2) + "\n"
    (folder / "provenance.json").write_text(text, encoding="utf-8", newline="\n")


def own_lines(folder: Path) -> str:
    """Return our wheels as requirements with hashes, in the order of their dependencies."""
    lines = []
    for package in PACKAGES:
        (wheel,) = folder.glob(f"codeintel_{package}-*.whl")
        version = wheel.name.split("-")[1]
        lines.append(f"codeintel-{package}=={version} --hash=sha256:{digest(wheel)}\n")
    return "".join(lines)


def provenance(folder: Path, *, is_changed: bool) -> dict[str, object]:
    """Return what a release was made of and by, and what it consists of."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        "commit": output("git", "rev-parse", "HEAD"),
        "tree": output("git", "rev-parse", "HEAD^{tree}"),
        "uncommitted_changes": is_changed,
        "tools": {
            "python": platform.python_version(),
            "uv": output("uv", "--version").split()[1],
            "git": output("git", "--version").split()[2],
            "system": f"{platform.system()} {platform.machine()}",
        },
        "files": {path.relative_to(folder).as_posix(): f"sha256:{digest(path)}" for path in files},
    }


def install(folder: Path) -> None:
    """Install a release into an empty environment, every file checked by its hash, and try it there."""
    with tempfile.TemporaryDirectory() as place:
        env, project = Path(place, "env"), Path(place, "project")
        run("uv", "venv", "--quiet", "--python", sys.executable, str(env))
        python = env / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        pip = ("uv", "pip", "install", "--quiet", "--python", str(python))
        run(*pip, "--require-hashes", "--no-deps", "--find-links", str(folder), "-r", str(folder / "requirements.txt"))
        run("uv", "pip", "check", "--quiet", "--python", str(python))
        run("git", "init", "--quiet", str(project))
        run(str(python), "-m", "codeintel_server", "init", "--minimal", "--client", "claude", at=project)
        run(str(python), "-m", "codeintel_server", "serve", at=project)
    sys.stdout.write(f"{folder}: installed with every hash checked; init and serve work\n")


def digest(path: Path) -> str:
    """Return the sha256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def output(*command: str) -> str:
    """Return what a command prints."""
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def run(*command: str, at: Path = ROOT, variables: Mapping[str, str] | None = None) -> None:
    """Run a command, and end with what it said if it fails."""
    environment = {**os.environ, **(variables or {})}
    done = subprocess.run(
        command, cwd=at, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def main() -> None:
    """Build, and with `--install` install."""
    words = [word for word in sys.argv[1:] if word != "--install"]
    if len(words) != 1:
        sys.exit(__doc__)
    build(Path(words[0]).resolve())
    if "--install" in sys.argv:
        install(Path(words[0]).resolve())


if __name__ == "__main__":
    main()
