"""What init finds in a project, and what it makes of it."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from codeintel_server.cli import app
from codeintel_server.project.detect import MANY, NODE, VITEST, detect
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.verification.trust import is_trusted, trust
from codeintel_session.testing import make_repo

pytestmark = pytest.mark.draws(6)

run = CliRunner().invoke

PYPROJECT = '[project]\nname = "x"\n[dependency-groups]\ndev = ["pytest>=8"]\n'


@pytest.fixture(autouse=True)
def _python_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


def project(tmp_path: Path, files: dict[str, str]) -> Path:
    return make_repo(tmp_path / "project", files).root


@pytest.mark.skipif(os.name == "nt", reason="no links of the shell's kind")
def test_a_system_with_python3_alone_is_not_sent_to_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project(tmp_path, {"pyproject.toml": PYPROJECT})
    (tmp_path / "bin").mkdir()
    for name in ("python3", "git"):
        (tmp_path / "bin" / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert detect(root).proposals.test_command.startswith("python3 -m pytest")


CTEST = "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure"


@pytest.mark.parametrize(
    ("files", "line"),
    [
        ({"pyproject.toml": PYPROJECT}, 'python -m pytest -q --junitxml "$CODEINTEL_JUNIT"'),
        ({"pyproject.toml": PYPROJECT, "uv.lock": ""}, 'uv run pytest -q --junitxml "$CODEINTEL_JUNIT"'),
        ({"setup.py": "", "tests/conftest.py": ""}, 'python -m pytest -q --junitxml "$CODEINTEL_JUNIT"'),
        ({"requirements.txt": "django"}, ""),
        ({"pyproject.toml": "not = = toml"}, ""),
        ({"package.json": '{"scripts": {"test": "vitest run"}}', "pnpm-lock.yaml": ""}, "pnpm test"),
        ({"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'}, ""),
        ({"package.json": '{"scripts": {"test": "vitest run"}}'}, f"npm test -- {VITEST}"),
        ({"package.json": '{"scripts": {"test": "node --test a/"}}', "yarn.lock": ""}, f"{NODE} yarn test"),
        ({"package.json": '{"scripts": ["test"]}'}, ""),
        ({"package.json": '{"scripts": {"test": 5}}'}, ""),
        ({"composer.json": '{"scripts": "test"}'}, ""),
        ({"pyproject.toml": "tool = 'pytest'"}, 'python -m pytest -q --junitxml "$CODEINTEL_JUNIT"'),
        ({"package.json": "[]"}, ""),
        ({"package.json": "{"}, ""),
        ({"go.mod": "module x"}, "go test ./..."),
        ({"Cargo.toml": ""}, "cargo test --quiet"),
        ({"pom.xml": "", "mvnw": ""}, "./mvnw -q test"),
        ({"build.gradle.kts": ""}, "gradle test"),
        ({"App.sln": ""}, "dotnet test"),
        ({"composer.json": "{}", "phpunit.xml.dist": ""}, "vendor/bin/phpunit"),
        ({"Gemfile": "", "spec/a_spec.rb": ""}, "bundle exec rspec"),
        ({"Gemfile": ""}, ""),
        ({"go.mod": "module x", "package.json": '{"scripts": {"test": "jest"}}'}, "npm test && go test ./..."),
        (
            {"the api/go.mod": "module x", "web/package.json": '{"scripts": {"test": "jest"}}', "vendor/go.mod": ""},
            "(cd web && npm test) && (cd 'the api' && go test ./...)",
        ),
        ({"CMakeLists.txt": "enable_testing()\nadd_test(a a)"}, CTEST),
        ({"CMakeLists.txt": "project(a)", "Makefile": "test: a\n"}, ""),
        ({"Makefile": "all:\n\techo\n\ntests: all\n\t./run\n"}, "make tests"),
        ({"Makefile": "test := a\n"}, ""),
        ({"go.mod": "module x", "tools/go.mod": "module y"}, "go test ./..."),
    ],
)
def test_the_test_command_is_read_off_the_projects_own_files(tmp_path: Path, files: dict[str, str], line: str) -> None:
    assert detect(project(tmp_path, files)).proposals.test_command == line


def test_a_report_is_asked_for_only_where_the_one_command_writes_it(tmp_path: Path) -> None:
    python = project(tmp_path / "a", {"pyproject.toml": PYPROJECT})
    mixed = project(tmp_path / "b", {"pyproject.toml": PYPROJECT, "go.mod": "module x"})
    assert detect(python).proposals.test_report == "junit"
    assert detect(mixed).proposals.test_report == "none"
    assert detect(mixed).proposals.test_match == ("**/*.py", "**/*.go")


def test_languages_are_those_of_code_and_documents_those_of_their_folders(tmp_path: Path) -> None:
    files = {"src/a.py": "x = 1\n", "src/b.py": "x = 1\n", "web/c.ts": "let x = 1\n", "README.md": "# x\n"}
    found = detect(project(tmp_path, files | {"documentation/how.md": "# How\n", "docs/logo.svg": "<svg/>"}))
    assert found.languages == {"python": 2, "typescript": 1}
    assert (found.documents, found.proposals.docs_path) == (1, ("documentation/",))


def test_the_index_is_narrowed_only_where_most_of_a_large_project_is_something_else(tmp_path: Path) -> None:
    sources = {"src/a.py": "x = 1\n", "web/b.ts": "let x = 1\n", "docs/how.md": "# How\n"}
    data = {f"data/{number}.csv": "1,2\n" for number in range(MANY + 1)}
    assert detect(project(tmp_path / "a", sources | data)).proposals.source_dirs == ("src", "web", "docs")
    assert detect(project(tmp_path / "b", sources | {"data/1.csv": "1\n"})).proposals.source_dirs == ()
    assert detect(project(tmp_path / "c", sources | data | {"setup.py": "x = 1\n"})).proposals.source_dirs == ()


def test_init_writes_what_it_found_and_says_it(tmp_path: Path) -> None:
    root = project(tmp_path, {"pyproject.toml": PYPROJECT, "src/a.py": "x = 1\n"})
    done = run(app, ["init", str(root)])
    assert done.exit_code == 0
    assert "languages: python (1)" in done.output
    assert "codeintel trust, in a terminal, lets the" in done.output
    front = yaml.safe_load((root / ".code-intel/verifiers/tests.md").read_text(encoding="utf-8").split("---")[1])
    assert front["command"].startswith("python -m pytest")
    verifier = ProjectLibrary(root).verifiers()["tests.md"]
    assert (verifier.report, front["match"], is_trusted(ProjectLibrary(root))) == ("junit", ["**/*.py"], False)


def test_a_second_init_changes_nothing_though_the_project_did(tmp_path: Path) -> None:
    root = project(tmp_path, {"pyproject.toml": PYPROJECT})
    run(app, ["init", str(root)])
    (root / "go.mod").write_text("module x\n", encoding="utf-8")
    assert "0 changed" in run(app, ["init", str(root)]).output


def test_with_yes_the_test_command_is_trusted_at_once(tmp_path: Path) -> None:
    root = project(tmp_path, {"go.mod": "module x\n"})
    assert "Trusted. Run `codeintel trust` after" in run(app, ["init", str(root), "--yes"]).output
    assert is_trusted(ProjectLibrary(root))


def test_a_dry_run_looks_and_writes_nothing(tmp_path: Path) -> None:
    root = project(tmp_path, {"go.mod": "module x\n"})
    assert "go test" in run(app, ["init", str(root), "--dry-run"]).output
    assert not (root / ".code-intel").exists()


def test_from_a_folder_inside_the_repository_its_top_is_set_up_and_taken_back(tmp_path: Path) -> None:
    root = project(tmp_path, {"go.mod": "module x\n", "cmd/main.go": "package main\n"})
    said = run(app, ["init", str(root / "cmd")]).output
    assert (f"project  {root}, the top of the git repository" in said, "go test" in said) == (True, True)
    assert not (root / "cmd/.code-intel").exists()
    assert "0 changed" in run(app, ["upgrade", str(root / "cmd")]).output
    run(app, ["uninstall", str(root / "cmd"), "--purge"])
    assert sorted(path.name for path in root.iterdir()) == [".git", "cmd", "go.mod"]


def test_where_there_is_no_repository_init_says_what_it_takes(tmp_path: Path) -> None:
    said = run(app, ["init", str(tmp_path)])
    assert (said.exit_code, "git init, and a first commit" in said.output) == (0, True)


class TestDoctor:
    def test_finds_a_project_that_was_initialized_in_good_health(self, repo: Path, tmp_path: Path) -> None:
        run(app, ["init", str(repo), "--command", "git"])
        done = run(app, ["doctor", str(repo)])
        assert done.exit_code == 0
        for line in ("git: 2.", "ripgrep: 1", "settings: config.json", ".mcp.json: starts git"):
            assert line in done.output, line

    def test_names_what_is_broken_and_what_to_do(self, repo: Path) -> None:
        run(app, ["init", str(repo), "--client", "all", "--command", "no-such-program"])
        (repo / ".code-intel/config.json").write_text('{"chunk_max_tokens": "many"}', encoding="utf-8")
        (repo / ".cursor/mcp.json").write_text("{", encoding="utf-8")
        (repo / ".vscode/mcp.json").write_text("{}", encoding="utf-8")
        done = run(app, ["doctor", str(repo), "--json"])
        told = json.loads(done.output)
        found = {finding["check"]: (finding["level"], finding["said"]) for finding in told["findings"]}
        assert (done.exit_code, told["healthy"]) == (1, False)
        assert "chunk_max_tokens" in found["settings"][1]
        assert found[".cursor/mcp.json"][0] == "broken"
        assert found[".vscode/mcp.json"] == ("note", "has no entry code-intel")
        assert found[".mcp.json"][1] == "starts 'no-such-program', which is not on PATH"
        assert all(finding["remedy"] for finding in told["findings"] if finding["level"] != "ok")

    def test_starts_no_program_that_a_file_of_the_repository_names(self, repo: Path, tmp_path: Path) -> None:
        evil = tmp_path / "evil"
        evil.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n", encoding="utf-8")
        evil.chmod(0o755)
        entry = {"mcpServers": {"code-intel": {"command": str(evil), "args": ["codeintel", "serve"]}}}
        (repo / ".mcp.json").write_text(json.dumps(entry), encoding="utf-8")
        (repo / ".claude").mkdir()
        hook = {"type": "command", "command": f"{evil} codeintel-guard --client claude"}
        hooks = {"hooks": {"PreToolUse": [{"matcher": "Edit", "hooks": [hook]}]}}
        (repo / ".claude/settings.json").write_text(json.dumps(hooks), encoding="utf-8")
        said = run(app, ["doctor", str(repo)]).output
        assert said.count("is not tried") == 2
        assert not (tmp_path / "ran").exists()

    def test_a_program_that_only_our_own_environment_has_is_not_on_the_path_of_a_client(
        self, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        own = Path(sys.prefix) / ("Scripts" if os.name == "nt" else "bin")
        git = shutil.which("git")
        assert git is not None
        monkeypatch.setenv("PATH", os.pathsep.join([str(own), str(Path(git).parent)]))
        if shutil.which("codeintel", path=str(Path(git).parent)):
            pytest.skip("codeintel is installed beside git")
        run(app, ["init", str(repo)])
        entry = json.loads((repo / ".mcp.json").read_text(encoding="utf-8"))["mcpServers"]["code-intel"]
        assert (entry["command"], entry["args"][:3]) == ("uvx", ["--from", "codeintel-server", "codeintel"])
        monkeypatch.setenv("PATH", str(own))
        assert ".mcp.json: starts 'uvx', which is not on PATH" in run(app, ["doctor", str(repo)]).output

    def test_starts_the_server_as_a_client_does(
        self, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        place = tmp_path / "bin/codeintel"
        place.parent.mkdir()
        monkeypatch.setenv("PATH", os.pathsep.join([str(place.parent), os.environ["PATH"]]))
        for line, said in (
            (f"exec '{sys.executable}' -m codeintel_server \"$@\"", "answers"),
            ("exit 3", "ends with 3"),
        ):
            place.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
            place.chmod(0o755)
            run(app, ["init", str(repo), "--command", "codeintel"])
            assert said in next(
                row for row in run(app, ["doctor", str(repo)]).output.splitlines() if ".mcp.json" in row
            )

    def test_reads_the_files_of_clients_as_they_do(self, repo: Path) -> None:
        (repo / ".vscode").mkdir()
        (repo / ".vscode/mcp.json").write_bytes(b'\xef\xbb\xbf{"servers": {}, // none yet\n}')
        run(app, ["init", str(repo), "--client", "vscode", "--command", "git"])
        assert ".vscode/mcp.json: starts git" in run(app, ["doctor", str(repo)]).output

    def test_sees_that_there_is_no_repository_no_commit_or_no_project(self, tmp_path: Path, repo: Path) -> None:
        outside = run(app, ["doctor", str(tmp_path)])
        assert (outside.exit_code, "not in a git repository" in outside.output) == (0, True)
        assert "not initialized" in run(app, ["doctor", str(repo)]).output
        empty = make_repo(tmp_path / "empty", commit=False).root
        assert "no commit yet" in run(app, ["doctor", str(empty)]).output

    @pytest.mark.parametrize(
        ("command", "missing"),
        [
            ("no-such-runner test", True),
            ("tools/none.sh", True),
            ("src/stats.py --all", False),
            ("git status", False),
            ("cd web && no-such-runner", False),
            ("CI=1 no-such-runner", True),
            ("git status && no-such-runner -x", True),
            ("git status | no-such-runner", True),
            ("git status > no-such-file", False),
            ("python tools/none.py", True),
            ("python src/stats.py --out=build/none.xml", False),
        ],
    )
    def test_finds_a_verifier_whose_program_is_not_there(self, repo: Path, command: str, missing: bool) -> None:
        verifier = repo / ".code-intel/verifiers/unit.md"
        verifier.parent.mkdir(parents=True)
        verifier.write_text(f"---\ncommand: {command}\n---\nRun it.\n", encoding="utf-8")
        done = run(app, ["doctor", str(repo)])
        word = next((word for word in command.split() if "no" in word), "")
        assert (f"unit.md runs {word}, which is not found" in done.output) is missing
        assert done.exit_code == missing

    def test_tells_whether_commands_are_trusted_and_where_a_session_stands(self, repo: Path) -> None:
        verifier = repo / ".code-intel/verifiers/unit.md"
        verifier.parent.mkdir(parents=True)
        verifier.write_text("---\ncommand: make check\n---\nRun it.\n", encoding="utf-8")
        assert "not trusted: unit.md" in run(app, ["doctor", str(repo)]).output
        trust(ProjectLibrary(repo))
        assert "trusted: unit.md" in run(app, ["doctor", str(repo)]).output
