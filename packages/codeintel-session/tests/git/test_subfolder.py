"""A project in a folder of its repository: its paths are its own, and git still sees the whole work tree."""

import pytest

from codeintel_session.git import GitRepository, MergeConflict
from codeintel_session.git.subfolder import to_git, to_project


@pytest.fixture
def api(box) -> GitRepository:
    box.commit(**{"services/api/app.py": "a\n", "services/web/app.js": "w\n", "libs/shared.py": "s\n"})
    return GitRepository.of_project(box.root / "services/api")


@pytest.mark.parametrize(
    ("inside", "of_git"),
    [
        ("app.py", "services/api/app.py"),
        ("src/app.py", "services/api/src/app.py"),
        ("../web/app.js", "services/web/app.js"),
        ("../../libs/shared.py", "libs/shared.py"),
        ("../apis.py", "services/apis.py"),
    ],
)
def test_each_path_of_git_has_one_name_in_the_project(inside: str, of_git: str) -> None:
    assert (to_project("services/api", of_git), to_git("services/api", inside)) == (inside, of_git)
    assert (to_project("", of_git), to_git("", of_git)) == (of_git, of_git)


def test_a_path_that_leads_out_of_the_repository_is_never_taken_for_one_of_it() -> None:
    assert to_git("services/api", "../../../etc/passwd") == "../etc/passwd"


def test_changes_of_the_whole_work_tree_are_seen_from_the_folder(box, api: GitRepository) -> None:
    base = api.head_commit()
    box.write("services/api/app.py", "a\nb\n")
    box.write("services/api/.code-intel/sessions/x.json", "{}")
    box.write("libs/shared.py", "changed\n")
    box.git("mv", "services/web/app.js", "services/web/page.js")
    found = {change.path: change for change in api.changes(base, {})}
    assert sorted(found) == ["../../libs/shared.py", "../web/page.js", "app.py"]
    assert found["../web/page.js"].old_path == "../web/app.js"
    assert sorted(api.dirty()) == ["../../libs/shared.py", "../web/app.js", "../web/page.js", "app.py"]
    assert api.changes(base, api.dirty())
    assert all(change.preexisting for change in api.changes(base, api.dirty()))
    assert "+b" in api.diff_text(base, "app.py")
    assert "+b" in api.patches(base)["app.py"]
    assert (api.text_at(base, "app.py"), api.text_at(base, "../../libs/shared.py")) == ("a\n", "s\n")
    assert api.file_digest("../../libs/shared.py") == api.file_digest("../../libs/shared.py") != api.file_digest("no")


def test_a_commit_and_a_discard_touch_the_named_paths_alone(box, api: GitRepository, session: str) -> None:
    base = api.head_commit()
    box.write("services/api/app.py", "a\nb\n")
    box.write("services/api/new.py", "n\n")
    box.write("libs/shared.py", "changed\n")
    contents = {change.path: change.content for change in api.changes(base, {}) if change.path == "app.py"}
    api.commit_paths(["app.py"], "Change", session, (base,), contents=contents)
    assert box.git("show", "--name-only", "--format=", "HEAD") == "services/api/app.py"
    api.discard(["new.py"], base, session)
    assert box.status() == [" M libs/shared.py"]


def test_a_version_is_checked_out_whole_and_overlaid_by_paths_of_the_project(box, api: GitRepository, tmp_path) -> None:
    base, old = api.head_commit(), api.trees.take()
    box.write("services/api/app.py", "new\n")
    version = api.as_committed(api.trees.take(), base)
    api.check_out(version, tmp_path / "out", ())
    assert (tmp_path / "out/libs/shared.py").is_file()
    assert (tmp_path / "out/services/api/app.py").read_text() == "new\n"
    assert api.compare(old, version) == {"app.py": "modified"}
    assert api.as_committed(version, base, ["app.py"]) == old
    api.overlay(old, tmp_path / "out", ["app.py"])
    assert (tmp_path / "out/services/api/app.py").read_text() == "a\n"


def test_a_conflict_names_files_as_the_project_does(box, api: GitRepository, session: str) -> None:
    task = api.create_task_branch(session, "main")
    box.commit(**{"services/api/app.py": "ours\n"})
    box.git("switch", "-q", "main")
    box.commit(**{"services/api/app.py": "theirs\n"})
    box.git("switch", "-q", task)
    with pytest.raises(MergeConflict) as caught:
        api.merge(task, "main", "no-ff", session, "Merge")
    assert caught.value.paths == ("app.py",)


def test_ignored_folders_and_records_of_other_projects_are_found_above(box, api: GitRepository) -> None:
    box.commit(**{".gitignore": "node_modules/\nbuild/\n", "services/web/.code-intel/manifest.json": "{}"})
    box.write("node_modules/x/index.js", "")
    box.write("services/api/node_modules/y/index.js", "")
    box.write("services/api/build/x.o", "")
    assert api.ignored() == ["../../node_modules/", "build/", "node_modules/"]
    assert api.find(".code-intel/manifest.json") == ["../web/.code-intel/manifest.json"]
    assert (api.ignores("build"), api.ignores("app.py")) == (True, False)
