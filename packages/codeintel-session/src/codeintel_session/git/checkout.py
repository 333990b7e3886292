"""Check out a tree of the session into a folder outside the project, with the history that version tools read.

The files are written from the user's repository, so that its filters and line endings apply; the folder's own
repository borrows the user's objects and adds nothing to them. The tree is committed there, as it is where a CI checks
it out: commands that end in `git diff --exit-code` compare what they generate with it. All commands run without hooks.
A submodule that the session moved is checked out in the same way, from the project's own clone of it; another one is a
link to the project's, with all that was built in it.
"""

import os
import shutil
from collections.abc import Collection
from pathlib import Path

from codeintel_session.git import content
from codeintel_session.git.names import HEADS, names_in, nul
from codeintel_session.git.process import GitProcess
from codeintel_session.git.refs import IDENTITY
from codeintel_session.git.trees import LINK, SessionTrees
from codeintel_session.git.worktree import WorkTree


def check_out(tree: WorkTree, trees: SessionTrees, version: str, folder: Path, moved: Collection[str]) -> None:
    """Write a tree into a folder, which must not exist yet; submodules become links to the project's, those of `moved`
    are written as well."""
    folder.mkdir(parents=True)
    _add_repository(tree, folder, trees.env["GIT_OBJECT_DIRECTORY"])
    index = _commit(tree, trees, folder, version)
    tree.git.read("checkout-index", "--all", "--force", f"--prefix={folder}{os.sep}", env=index)
    for path, commit in _modules(tree.git, env=index).items():
        _fill(tree, path, commit if path in moved else "", folder)


def overlay(tree: WorkTree, trees: SessionTrees, version: str, folder: Path, paths: Collection[str]) -> None:
    """Write only `paths` of a tree into a folder that holds another one; a path that the tree lacks is removed."""
    for path in paths:
        _remove(folder / path)
    index = _commit(tree, trees, folder, version)
    known = tree.git.read("--literal-pathspecs", "ls-files", "-z", "--", *paths, env=index).out if paths else b""
    if present := names_in(known):
        words = ("checkout-index", "--force", f"--prefix={folder}{os.sep}", "-z", "--stdin")
        tree.git.read(*words, stdin=nul(present), env=index)
    for path, commit in _modules(tree.git, paths, index).items() if paths else ():
        _fill(tree, path, commit, folder)


def list_created(folder: Path) -> list[str]:
    """List the files below a checkout that its tree lacks and its ignore rules do not name, without repositories."""
    found = GitProcess(folder).read("ls-files", "--others", "--exclude-standard", "-z").out
    return [path for path in names_in(found) if not path.endswith("/")]


def list_tracked(folder: Path) -> list[str]:
    """List the files below a checkout that its tree holds."""
    return names_in(GitProcess(folder).read("ls-files", "-z").out)


def list_changed(folder: Path, paths: Collection[str]) -> list[str]:
    """List those of the paths that a checkout holds otherwise than its commit, by the filters that everybody has."""
    if not paths:
        return []
    words = ("--literal-pathspecs", "diff", "--name-only", "--no-ext-diff", "--relative", "-z", "HEAD", "--", *paths)
    return names_in(GitProcess(folder).read(*words).out)


def list_other_modules(folder: Path, paths: Collection[str]) -> list[str]:
    """List those of the paths that are submodules which a checkout lacks, or holds otherwise than its commit says."""
    modules = _modules(GitProcess(folder), paths) if paths else {}
    return [path for path, commit in modules.items() if not _holds(folder / path, commit)]


def _holds(folder: Path, commit: str) -> bool:
    if not (folder / ".git").is_dir():  # without one git would find the repository around it
        return False
    git = GitProcess(folder)
    return git.probe("rev-parse", "HEAD").text == commit and not git.read("diff", "--name-only", "HEAD", "--").out


def _modules(git: GitProcess, paths: Collection[str] = (), env: dict[str, str] | None = None) -> dict[str, str]:
    """Return the submodules of an index with their commits, all of them or those among the paths."""
    listed = git.read("--literal-pathspecs", "ls-files", "--stage", "-z", "--", *paths, env=env).out
    rows = (line.split("\t", 1) for line in names_in(listed) if line.startswith(LINK))
    return {path: facts.split(" ")[1] for facts, path in rows}


def _fill(outer: WorkTree, path: str, commit: str, folder: Path) -> None:
    """Write a submodule's commit, with the submodules in it; where the project's clone lacks it, link to that clone."""
    tree, place = outer.inner(path), folder / path
    if not commit or tree is None or tree.commit(commit) is None:
        _link(outer.root / path, place)
        return
    place.mkdir(parents=True, exist_ok=True)
    _add_repository(tree, place)
    GitProcess(place).read("read-tree", commit)
    (place / ".git" / "HEAD").write_bytes(os.fsencode(f"{commit}\n"))
    index = {"GIT_INDEX_FILE": str(place / ".git" / "index")}
    tree.git.read("checkout-index", "--all", "--force", f"--prefix={place}{os.sep}", env=index)
    for inner, of in _modules(tree.git, env=index).items():
        _fill(tree, inner, of, place)


def _add_repository(tree: WorkTree, folder: Path, *objects: str) -> None:
    """Give the folder a repository with the user's history and tags, so that `git describe` works in it."""
    kind = "sha1" if tree.id_width == 40 else "sha256"
    GitProcess(folder).read("init", "--quiet", "--template=", f"--object-format={kind}")
    home = folder / ".git"
    (home / "objects" / "info").mkdir(parents=True, exist_ok=True)
    borrowed = (str(tree.objects), *objects)
    (home / "objects" / "info" / "alternates").write_bytes(b"".join(os.fsencode(place) + b"\n" for place in borrowed))
    if (tree.common_dir / "shallow").is_file():
        shutil.copyfile(tree.common_dir / "shallow", home / "shallow")
    tags = tree.refs("refs/tags/")
    lines = [f"{tag} {name}\n" for name, tag in sorted(tags.items())]
    (home / "packed-refs").write_bytes(os.fsencode("".join(lines)))


def _commit(tree: WorkTree, trees: SessionTrees, folder: Path, version: str) -> dict[str, str]:
    """Put the folder's HEAD on a commit of the tree, above the user's HEAD if its tree is another one.

    Return the environment in which the user's repository, with its filters, reads the folder's index of that tree.
    """
    git, home = GitProcess(folder), folder / ".git"
    git.read("read-tree", version)
    index = {**trees.env, "GIT_INDEX_FILE": str(home / "index")}
    found = tree.git.probe("rev-parse", "HEAD^{commit}", "HEAD^{tree}")
    if found.status != 0:  # there is no commit
        return index
    head, last = found.text.split("\n")
    commit = head
    if last != version:
        commit = git.read("commit-tree", version, "-p", head, "-m", "What is verified", env=IDENTITY).text
    branch = tree.branch()
    if branch:
        place = home / HEADS / branch
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(os.fsencode(f"{commit}\n"))
    (home / "HEAD").write_bytes(os.fsencode(f"ref: {HEADS}{branch}\n" if branch else f"{commit}\n"))
    return index


def _link(source: Path, target: Path) -> None:
    if content.exists(source.parent, source.name) and any(source.iterdir()):
        if target.is_dir() and not target.is_symlink():
            target.rmdir()
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(source, target_is_directory=True)


def _remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)
