"""Whatever the session does in whatever order, the user's uncommitted work and every commit survive.

The number of examples is small by default; CODEINTEL_GIT_EXAMPLES raises it.
"""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, event, given, settings, strategies as st

from codeintel_session.git import GitFault

EXAMPLES = int(os.environ.get("CODEINTEL_GIT_EXAMPLES", settings.default.max_examples // 5))
TRACKED = ("u1", "dir/u 2", "-u3")
NEW = ("n1", "dir/n\n2", "é")
OWN = ("s1", "dir/s2", "new/s3")

tracked_kinds = st.sampled_from(["clean", "edited", "staged", "both", "deleted", "removed", "mode"])
new_kinds = st.sampled_from(["absent", "untracked", "staged", "both", "intended", "ignored"])
contents = st.sampled_from([b"", b"x", b"x\ny\n", b"\r\nmixed\n", b"\0\xff", b"old\n"])
operations = st.sampled_from(
    ["branch", "edit", "edit", "commit", "failing commit", "base", "discard", "merge", "delete", "stale", "undo"]
)
any_steps = st.lists(st.tuples(operations, st.integers(0, 11), contents), min_size=2, max_size=8)


def after_some_work(walk):
    """Begin as sessions do, so that merges and deletions meet something."""
    return [("branch", 0, b""), ("edit", walk[0][1] % 9, walk[0][2] + b"!"), ("commit", 0, b""), *walk]


steps = st.one_of(any_steps, any_steps.map(after_some_work), any_steps.map(after_some_work))


def given_state(box, tracked, new):
    """Leave the user's uncommitted work in the tree."""
    for name in (*TRACKED, "s1", "dir/s2"):
        box.write(name, "old\n")
    box.write(".gitignore", "*.ignored\n")
    box.commit()
    for name, kind in zip(TRACKED, tracked, strict=True):
        {"deleted": lambda n: (box.root / n).unlink(), "mode": lambda n: (box.root / n).chmod(0o755)}.get(
            kind, lambda n: None
        )(name)
        if kind == "removed":
            box.git("rm", "-q", "--", name)
        put(box, name, kind)
    for name, kind in zip(NEW, new, strict=True):
        put(
            box,
            name + ".ignored" if kind == "ignored" else name,
            {"untracked": "edited", "ignored": "edited"}.get(kind, kind),
        )


def put(box, name, kind):
    if kind in ("staged", "both"):
        box.write(name, "mine, staged\n")
        box.git("add", "--", name)
    if kind in ("edited", "both", "intended"):
        box.write(name, b"mine\r\nedited \xff\n")
    if kind == "intended":
        box.git("add", "-N", "--", name)


def users_work(box, paths):
    """Bytes, modes and staged entries of these paths."""
    work = {}
    for path in paths:
        here = box.root / path
        work[path] = (here.read_bytes(), here.stat().st_mode) if here.exists() else None
    return work, box.git("--literal-pathspecs", "ls-files", "-z", "--stage", "--", *paths) if paths else ""


def dirty_paths(box):
    """Ask git itself, not the adapter, what is uncommitted (ignored files included)."""
    listed = box.git("status", "--porcelain", "-z", "-uall", "--ignored", "--no-renames")
    return sorted({record[3:] for record in listed.split("\0") if record})


def commits(box):
    return set(box.git("rev-list", "--all").split())


def perform(box, repo, base, step):
    """Do one thing a session, or a colleague, may do; refusals are fine."""
    what, number, text = step
    path, current = OWN[number % 3], repo.current_branch() or ""
    session = "s1" if number > 8 else "s0"
    task = current if current.startswith("llm_task_") else f"llm_task_{session}_from_main"
    if what == "edit":
        (box.root / path).unlink(missing_ok=True) if number > 9 else box.write(path, text)
    elif what == "branch":
        repo.create_task_branch(session, "main")
    elif what == "commit":
        repo.commit_paths([name for name in OWN if name in repo.dirty()], "work", session)
    elif what == "failing commit":
        box.hook("pre-commit", "exit 1\n")
        try:
            repo.commit_paths(list(OWN), "work", session)
        finally:
            (box.root / ".git/hooks/pre-commit").unlink()
    elif what == "base":
        colleague(box, (*OWN, *TRACKED, *NEW, "n1.ignored")[number % 10], text)
    elif what == "discard":
        repo.discard([path], base, session)
    elif what == "merge":
        repo.merge(task, "main", ("no-ff", "squash", "ff")[number % 3], session, "merge")
    elif what == "delete":
        repo.delete_branches([task])
    elif what == "stale":
        repo.merge_stale(repo.stale_task_branches(None))
    elif what == "undo":
        for entry in repo.undo_list()[:1]:
            repo.undo(entry["ref"])


def colleague(box, path, text):
    """Move main on without touching the work tree, unless HEAD stands there."""
    if box.git("symbolic-ref", "--short", "HEAD") == "main":
        return
    env_index = box.root / ".git/colleague"
    blob = box.root.parent / "blob"
    blob.write_bytes(text + b"colleague\n")
    name = box.git("hash-object", "-w", "--no-filters", str(blob))
    with_index = ("-c", f"alias.x=!GIT_INDEX_FILE='{env_index}' git", "x")
    box.git(*with_index, "read-tree", "main")
    box.git(*with_index, "update-index", "--add", "--cacheinfo", f"100644,{name},{path}")
    tree = box.git(*with_index, "write-tree")
    box.git("update-ref", "refs/heads/main", box.git("commit-tree", tree, "-p", "main", "-m", "colleague"))
    env_index.unlink()


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(st.tuples(*[tracked_kinds] * 3), st.tuples(*[new_kinds] * 3), steps)
def test_the_users_work_and_every_commit_survive(blank, sandbox, tracked, new, walk):
    with tempfile.TemporaryDirectory() as folder:
        box = sandbox(shutil.copytree(blank, Path(folder, "repo")))
        given_state(box, tracked, new)
        repo, base, mine = box.repo, box.head(), dirty_paths(box)
        # git brings a file back that is only missing; that loses nothing, and is not ours to change.
        mine = [path for path in mine if path not in TRACKED or tracked[TRACKED.index(path)] != "deleted"]
        before = users_work(box, mine)
        for step in walk:
            held = commits(box)
            outcome = "refused"
            with contextlib.suppress(GitFault):
                perform(box, repo, base, step)
                outcome = "done"
            event(f"{step[0]}: {outcome}")
            assert users_work(box, mine) == before, step
            assert held <= commits(box), step
            assert not list((box.root / ".git").glob("codeintel-*"))
            assert not list((box.root / ".git").rglob("*.lock"))
        edited_by_session_survives(box, repo, base)


def edited_by_session_survives(box, repo, base):
    """What stands in the session's files can be thrown away and is still found in the trash."""
    for path in OWN:
        here = box.root / path
        if here.exists() and path in {one.path for one in repo.changes(base, {})}:
            content = here.read_bytes()
            ref = repo.discard([path], base, "last")
            assert box.git("cat-file", "-s", f"{ref}:{path}") == str(len(content))
