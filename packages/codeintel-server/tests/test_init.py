"""What init finds in a project, and what it makes of it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from codeintel_server.cli import app
from codeintel_server.project.detect import (
    GO,
    GRADLE,
    JEST as JESTS,
    MANY,
    MOCHA,
    MOST_SUITES,
    NODE,
    PHPUNIT,
    RSPEC,
    VITEST,
    detect,
)
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.project.programs import missing_words
from codeintel_server.testing import install_programs
from codeintel_server.verification.trust import is_trusted, trust
from codeintel_session.testing import make_repo

pytestmark = pytest.mark.draws(18)

run = CliRunner().invoke

LOUD = ' -v > "$CODEINTEL_JUNIT" 2>&1'
RAKE, RAILS = (
    line + ' > "$CODEINTEL_JUNIT" 2>&1' * (os.name != "nt")
    for line in ("bundle exec rake test TESTOPTS=-v", "bin/rails test -v")
)
PROVE = "prove -lr t" + ' > "$CODEINTEL_JUNIT" 2>&1' * (os.name != "nt")
CARGO = 'cargo test --no-fail-fast > "$CODEINTEL_JUNIT" 2>&1'
PYPROJECT = '[project]\nname = "x"\n[dependency-groups]\ndev = ["pytest>=8"]\n'


@pytest.fixture(autouse=True)
def _python_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


def commands(root: Path) -> list[str]:
    return [suite.command for suite in detect(root).proposals.suites]


def project(tmp_path: Path, files: dict[str, str]) -> Path:
    return make_repo(tmp_path / "project", files).root


@pytest.mark.skipif(os.name == "nt", reason="no links of the shell's kind")
def test_a_system_with_python3_alone_is_not_sent_to_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project(tmp_path, {"pyproject.toml": PYPROJECT})
    (tmp_path / "bin").mkdir()
    for name in ("python3", "git"):
        (tmp_path / "bin" / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert commands(root)[0].startswith("python3 -m pytest")


CTEST = (
    "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure"
    ' --output-junit "$CODEINTEL_JUNIT"'
)

TESTS_OFF = """project(a)
option(A_TESTS "Build (some) tests" {})
option(A_FUZZ "Test more" OFF)
if(A_TESTS)
  enable_testing()
  add_test(a a)
endif()
if(A_FUZZ)
  add_test(fuzz fuzz)  # not what A_TESTS asks for
endif()
"""
TESTS_TWICE = """project(a)
cmake_dependent_option(A_FUZZ "Fuzz" OFF "MAIN" ON)
cmake_dependent_option(A_TESTS
  "Test"
  OFF "MAIN" ON)
if(A_FUZZ)
  enable_testing()
endif()
if(A_TESTS)
  enable_testing()
endif()
"""
TESTS_OR = """project(a)
option(A_ALL "All" OFF)
option(A_TESTS "Test" OFF)
if({})
  enable_testing()
endif()
"""
TESTS_MORE = """project(a)
option(A_GRIND "Test with another tool" OFF)
option(A_OWN "Test" "${BUILD_TESTING}")
include(CTest)
if(A_OWN)
  add_test(a a)
endif()
if(A_GRIND)
  add_test(a grind a)
endif()
"""
TESTS_BELOW = """project(a)
include(CTest)
option(A_TESTS "" off)
if(UNIX AND A_TESTS)
  add_subdirectory(unittests)
endif()
"""


@pytest.mark.parametrize(
    ("files", "line"),
    [
        ({"pyproject.toml": PYPROJECT}, 'python -m pytest -q --junitxml "$CODEINTEL_JUNIT"'),
        (
            {"pyproject.toml": PYPROJECT, "pdm.lock": "", ".venv/pyvenv.cfg": "", ".venv/bin/python": ""},
            'python -m pytest -q --junitxml "$CODEINTEL_JUNIT"',
        ),
        ({"pyproject.toml": PYPROJECT, "uv.lock": ""}, 'uv run pytest -q --junitxml "$CODEINTEL_JUNIT"'),
        ({"setup.py": "", "tests/conftest.py": ""}, 'python -m pytest -q --junitxml "$CODEINTEL_JUNIT"'),
        ({"requirements.txt": "django"}, ""),
        ({"pyproject.toml": "not = = toml"}, ""),
        ({"package.json": '{"scripts": {"test": "vitest run"}}', "pnpm-lock.yaml": ""}, f"pnpm test {VITEST}"),
        ({"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'}, ""),
        ({"package.json": '{"scripts": {"test": "vitest run"}}'}, f"npm test -- {VITEST}"),
        ({"package.json": '{"scripts": {"test": "npm run lint && NODE_ENV=test jest -i"}}'}, f"npm test -- {JESTS}"),
        ({"package.json": '{"scripts": {"test": "node node_modules/jest/bin/jest.js"}}'}, f"npm test -- {JESTS}"),
        ({"package.json": '{"scripts": {"test": "jest"}}', "yarn.lock": ""}, f"yarn test {JESTS}"),
        ({"package.json": '{"scripts": {"test": "nyc --all mocha --reporter spec lib/"}}'}, f"npm test -- {MOCHA}"),
        ({"package.json": '{"scripts": {"test": "jest && npm run types"}}'}, "npm test"),
        ({"package.json": '{"scripts": {"test": "vitest run && tsc"}}'}, "npm test"),
        (
            {"package.json": '{"scripts": {"test": "npm run a && vitest run&& tsc"}}', "node_modules/.bin/vitest": ""},
            f'PATH="$PWD/node_modules/.bin:$PATH" && npm run a && vitest run {VITEST} && tsc',
        ),
        ({"package.json": '{"scripts": {"test": "jest | cat && tsc"}}', "node_modules/.bin/jest": ""}, "npm test"),
        ({"package.json": '{"scripts": {"test": "jest && tsc&"}}', "node_modules/.bin/jest": ""}, "npm test"),
        (
            {"package.json": '{"scripts": {"pretest": "b", "test": "jest && tsc"}}', "node_modules/.bin/jest": ""},
            "npm test",
        ),
        ({"package.json": '{"scripts": {"test": "jest-runner"}}'}, "npm test"),
        ({"package.json": '{"scripts": {"test": "eslint src/jest"}}'}, "npm test"),
        ({"package.json": '{"scripts": {"test": "node --test a/"}}', "yarn.lock": ""}, f"{NODE} yarn test"),
        (
            {"package.json": '{"scripts": {"test": "mocha"}}', "bun.lock": "", "package-lock.json": "{}"},
            f"bun run test {MOCHA}" if shutil.which("bun") else f"npm test -- {MOCHA}",
        ),
        ({"package.json": '{"scripts": ["test"]}'}, ""),
        ({"package.json": '{"scripts": {"test": 5}}'}, ""),
        ({"composer.json": '{"scripts": "test"}'}, ""),
        (
            {
                "pyproject.toml": "[tool.hatch.envs.test.scripts]\n"
                "test = \"coverage run -m unittest discover -p '*tests.py' shop\""
            },
            f"python -m unittest discover -p '*tests.py' shop{LOUD}",
        ),
        (
            {"tox.ini": "[testenv]\ncommands = python -m unittest $EVIL", "tests/test_a.py": "import unittest"},
            f"python -m unittest discover -s tests{LOUD}",
        ),
        (
            {
                ".github/workflows/v.yml": "run: |\n  python -m unittest tests.test_meta.TestVersion.test_valid\n",
                "tox.ini": "[testenv]\ncommands =\n    coverage run -m unittest discover {toxinidir}/tests\n",
            },
            f"python -m unittest discover tests{LOUD}",
        ),
        (
            {
                ".github/workflows/version.yml": "run: |\n  python -m unittest tests.test_meta.TestVersion\n",
                "tests/test_a.py": "import unittest",
            },
            f"python -m unittest discover -s tests{LOUD}",
        ),
        ({"setup.py": "", "runtests.py": "", "tests/model.py": "import unittest"}, "python runtests.py"),
        ({"poetry.lock": "", "pyproject.toml": "", "runtests.py": ""}, "poetry run python runtests.py"),
        ({"test_a.py": "from unittest import TestCase", "poetry.lock": ""}, f"poetry run python -m unittest{LOUD}"),
        (
            {
                "shop/__init__.py": "",
                "shop/tests/__init__.py": "",
                "shop/tests/test_a.py": "import unittest",
                "setup.py": "",
                ".github/workflows/ci.yml": "run: REQUIRE=1 python setup.py build build_ext -i test\n",
            },
            f"python setup.py -q build_ext --inplace && python -m unittest{LOUD}",
        ),
        ({"pyproject.toml": "tool = 'pytest'"}, 'python -m pytest -q --junitxml "$CODEINTEL_JUNIT"'),
        ({"package.json": "[]"}, ""),
        ({"package.json": "{"}, ""),
        ({"go.mod": "module x"}, GO),
        ({"Cargo.toml": "", ".github/workflows/a.yml": "run: cargo build --all-features"}, CARGO),
        (
            {"Cargo.toml": "", ".github/workflows/a.yml": "run: cargo test --all-features"},
            CARGO.replace(" >", " --all-features >"),
        ),
        ({"pom.xml": "", "mvnw": ""}, "./mvnw -q test --fail-at-end"),
        ({"build.gradle.kts": ""}, GRADLE),
        ({"App.sln": ""}, "dotnet test"),
        ({"composer.json": "{}", "phpunit.xml.dist": ""}, f"vendor/bin/phpunit {PHPUNIT}"),
        ({"composer.json": '{"scripts": {"test": "phpunit -v"}}'}, f"composer test -- {PHPUNIT}"),
        ({"composer.json": '{"scripts": {"test": ["@php vendor/bin/pest"]}}'}, f"composer test -- {PHPUNIT}"),
        ({"composer.json": '{"scripts": {"test": ["@lint", "phpunit"]}}'}, "composer test"),
        ({"composer.json": '{"scripts": {"test": ["phpunit", "phpstan"]}}'}, "composer test"),
        ({"composer.json": '{"scripts": {"test": "phpunit && phpstan"}}'}, "composer test"),
        ({"Gemfile": "", "spec/a_spec.rb": ""}, f"bundle exec rspec {RSPEC}"),
        ({"Gemfile": "", "Rakefile": "Rake::TestTask.new", "test/test_a.rb": ""}, RAKE),
        ({"Rakefile": "Rake::TestTask.new", "test/test_a.rb": ""}, RAKE.removeprefix("bundle exec ")),
        ({"Rakefile": "task default: :build", "test/test_a.rb": ""}, ""),
        ({"Gemfile": "", "Rakefile": "task(:test) {}", "test/test_a.rb": ""}, "bundle exec rake test"),
        ({"Gemfile": "", "bin/rails": "", "Rakefile": "", "test/a_test.rb": ""}, RAILS),
        ({"Gemfile": ""}, ""),
        ({"Makefile": "test:\n\tgo test", "go.mod": "module x"}, GO),
        ({"Makefile": "test:\n\tgo test", "go.mod": "module x", "_benchmark/other/a.c": "int x;\n"}, GO),
        ({"CMakeLists.txt": "project(a)\nenable_testing()\nadd_test(a a)"}, CTEST),
        ({"CMakeLists.txt": "PROJECT(a)\nif(A)\n  include( CTest )\nendif()"}, CTEST),
        ({"CMakeLists.txt": "project(a)\nINCLUDE(CTest)", "tests/CMakeLists.txt": "add_test(a a)"}, CTEST),
        ({"CMakeLists.txt": "project(a)\n# include(CTest)", "tests/CMakeLists.txt": "add_test(a a)"}, ""),
        ({"CMakeLists.txt": TESTS_OFF.format("OFF")}, CTEST.replace(" build ", " build -DA_TESTS=ON ", 1)),
        ({"CMakeLists.txt": TESTS_OFF.format("")}, CTEST.replace(" build ", " build -DA_TESTS=ON ", 1)),
        ({"CMakeLists.txt": TESTS_OFF.format("ON")}, CTEST),
        ({"CMakeLists.txt": TESTS_OFF.format("OFF").replace("if(A_TESTS)", "if(NOT A_TESTS)")}, CTEST),
        ({"CMakeLists.txt": TESTS_TWICE}, CTEST.replace(" build ", " build -DA_TESTS=ON ", 1)),
        ({"CMakeLists.txt": TESTS_OR.format("A_ALL OR A_TESTS")}, CTEST.replace(" build ", " build -DA_TESTS=ON ", 1)),
        ({"CMakeLists.txt": TESTS_OR.format("MAIN OR A_TESTS")}, CTEST),
        ({"CMakeLists.txt": TESTS_MORE}, CTEST),
        ({"CMakeLists.txt": TESTS_OFF.format("OFF").replace("if(A_TESTS)", "if(A_TESTS)\nelse()")}, CTEST),
        ({"CMakeLists.txt": TESTS_BELOW}, CTEST.replace(" build ", " build -DA_TESTS=ON ", 1)),
        ({"Makefile.PL": "", "t/deep/a.t": ""}, PROVE),
        ({"cpanfile": "", "lib/A.pm": ""}, ""),
        ({"t/a.t": ""}, ""),
        ({"Package.swift": ".target(name: a)"}, ""),
        ({"Package.swift": ".testTarget(name: a)"}, "swift test"),
        ({"CMakeLists.txt": "project(a)", "Makefile": "# CMAKE generated file\ntest: a\n"}, ""),
        ({"CMakeLists.txt": "project(a)", "Makefile": "test: a\n"}, "make test"),
        ({"CMakeLists.txt": "project(a)\nenable_testing()", "Makefile": "test: a\n"}, CTEST),
        ({"go.mod": "module x", "support/build.gradle": ""}, GO),
        ({"Makefile": "all:\n\techo\n\ntests: all\n\t./run\n"}, "make tests"),
        ({"Makefile": "test := a\n"}, ""),
        ({"go.mod": "module x", "tools/go.mod": "module y"}, GO),
    ],
)
def test_the_test_command_is_read_off_the_projects_own_files(
    tmp_path: Path, files: dict[str, str], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = shutil.which
    monkeypatch.setattr("shutil.which", lambda program, **_: "/bin/bundle" if program == "bundle" else found(program))
    assert commands(project(tmp_path, files)) == ([line] if line else [])


@pytest.mark.parametrize(
    ("here", "files", "line"),
    [
        ("rake", {"Gemfile": "", "Rakefile": "Rake::TestTask.new", "test/a.rb": ""}, RAKE.removeprefix("bundle exec ")),
        ("rake", {"Gemfile": "", "spec/a_spec.rb": ""}, f"bundle exec rspec {RSPEC}"),
        ("rspec", {"Gemfile": "", "spec/a_spec.rb": ""}, f"rspec {RSPEC}"),
        ("npm", {"package.json": '{"scripts": {"test": "jest"}}', "yarn.lock": ""}, f"yarn test {JESTS}"),
        (
            "npm",
            {"package.json": '{"scripts": {"test": "jest"}}', "yarn.lock": "", "node_modules/.bin/jest": ""},
            f"npm test -- {JESTS}",
        ),
    ],
)
def test_a_manager_that_is_missing_is_left_out_where_its_packages_are_there_without_it(
    tmp_path: Path, here: str, files: dict[str, str], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda program, **_: f"/bin/{program}" if program == here else None)
    assert commands(project(tmp_path, files)) == [line]


@pytest.mark.parametrize(
    ("files", "report"),
    [
        ({"pom.xml": "", "src/test/java/ATest.java": ""}, "junit:**/target/surefire-reports/TEST-*.xml"),
        ({"pom.xml": "", "core/src/test/java/ATest.java": ""}, "junit:**/target/surefire-reports/TEST-*.xml"),
        ({"pom.xml": "", "src/main/java/A.java": ""}, "none"),
        (
            {"shared/build.gradle.kts": "", "shared/src/commonTest/A.kt": ""},
            "junit:shared/**/build/test-results/**/TEST-*.xml",
        ),
        ({"a b#/build.gradle": "", "a b#/src/test/A.java": ""}, "junit:a b?/**/build/test-results/**/TEST-*.xml"),
    ],
)
def test_reports_in_a_place_of_their_own_are_looked_for_where_there_are_tests(
    tmp_path: Path, files: dict[str, str], report: str
) -> None:
    (suite,) = detect(project(tmp_path, files)).proposals.suites
    assert suite.report == report


def test_each_tool_of_a_project_has_a_verifier_that_judges_its_files(tmp_path: Path) -> None:
    files = {"pyproject.toml": PYPROJECT, "go.mod": "module x", "Makefile": "check: a\n", "a.c": "int x;\n"}
    python, go, make = detect(project(tmp_path, files)).proposals.suites
    assert (python.name, python.report, python.match) == ("tests-python", "junit", ("**/*.py",))
    assert (go.name, go.report, go.match) == ("tests-go", "junit", ("**/*.go",))
    assert (make.name, make.command) == ("tests-make", "make check")


JEST = '{"scripts": {"test": "jest"}}'


def test_a_monorepo_has_a_verifier_for_each_package_with_its_folder(tmp_path: Path) -> None:
    files = {
        "package.json": '{"workspaces": ["packages/*"]}',
        "pnpm-lock.yaml": "",
        "packages/web/package.json": JEST,
        "packages/web/inner/package.json": JEST,
        "services/the api/v2/go.mod": "module x",
        "services/the api/v2/vendor/y/go.mod": "module y",
        "services/the api/v2/package.json": JEST,
        "examples/one/package.json": JEST,
        ".hidden/package.json": JEST,
        "tools/conftest.py": "",
        "jobs/nightly/tests/conftest.py": "",
    }
    found = {suite.name: (suite.command, suite.match[0]) for suite in detect(project(tmp_path, files)).proposals.suites}
    assert found == {
        "tests-tools": ('cd tools && python -m pytest -q --junitxml "$CODEINTEL_JUNIT"', "tools/**/*.py"),
        "tests-jobs-nightly": (
            'cd jobs/nightly && python -m pytest -q --junitxml "$CODEINTEL_JUNIT"',
            "jobs/nightly/**/*.py",
        ),
        "tests-packages-web": (f"cd packages/web && pnpm test {JESTS}", "packages/web/**/*.js"),
        "tests-services-the-api-v2-node": (
            f"cd 'services/the api/v2' && pnpm test {JESTS}",
            "services/the api/v2/**/*.js",
        ),
        "tests-services-the-api-v2-go": (f"cd 'services/the api/v2' && {GO}", "services/the api/v2/**/*.go"),
    }


def test_of_a_repository_one_folder_can_be_indexed_and_tested_alone(tmp_path: Path) -> None:
    files = {"package.json": JEST, "apps/web/package.json": JEST, "apps/web/docs/a.md": "# A\n", "docs/b.md": "# B\n"}
    root = project(tmp_path, files | {"apps/api/go.mod": "module x"})
    assert run(app, ["init", str(root), "--only", "apps/none"]).exit_code == 2
    assert run(app, ["init", str(root), "--only", "..", "--dry-run"]).exit_code == 2
    said = run(app, ["init", str(root), "--only", "apps/web", "--client", "claude"]).output
    assert "sources: apps/web; nothing else is indexed" in said
    found = detect(root, "apps/web/").proposals
    assert [suite.command for suite in found.suites] == [f"cd apps/web && npm test -- {JESTS}"]
    assert found.docs_path == ("apps/web/docs/",)
    again = run(app, ["init", str(root), "--only", "apps/api"])
    assert (again.exit_code, "change source_dirs" in again.output) == (2, True)


def test_a_folder_without_packages_is_tested_by_the_tools_of_the_root(tmp_path: Path) -> None:
    root = project(tmp_path, {"package.json": JEST, "lib/a.js": "let x = 1\n"})
    assert [suite.command for suite in detect(root, "lib/").proposals.suites] == [f"npm test -- {JESTS}"]


def test_where_there_are_very_many_packages_init_says_how_many_have_no_verifier(tmp_path: Path) -> None:
    root = project(tmp_path, {f"p{number:02}/go.mod": "module x" for number in range(MOST_SUITES + 2)})
    assert "tests of 2 more packages" in run(app, ["init", str(root), "--client", "claude"]).output
    assert len(ProjectLibrary(root).verifiers()) == MOST_SUITES + 3


def test_the_command_of_a_package_runs_in_its_folder(tmp_path: Path) -> None:
    root = project(tmp_path, {"lib/a b/Makefile": "test:\n\tcp note found\n", "lib/a b/note": "x\n"})
    (line,) = commands(root)
    subprocess.run(line, shell=True, cwd=root, check=True, capture_output=True)
    assert (root / "lib/a b/found").is_file()


def test_languages_are_those_of_code_and_documents_those_of_their_folders(tmp_path: Path) -> None:
    files = {"src/a.py": "x = 1\n", "src/b.py": "x = 1\n", "web/c.ts": "let x = 1\n", "README.md": "# x\n"}
    documents = {"Documentation/how.md": "# How\n", "guides/first.markdown": "# First\n", "docs/logo.svg": "<svg/>"}
    found = detect(project(tmp_path, files | documents))
    assert found.languages == {"python": 2, "typescript": 1}
    assert (found.documents, found.proposals.docs_path) == (2, ("Documentation/", "guides/"))


def test_a_test_command_without_its_program_is_shown_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project(tmp_path, {"composer.json": '{"scripts": {"test": "run"}}'})
    monkeypatch.setattr("shutil.which", lambda program, **_: None if program == "composer" else f"/bin/{program}")
    done = run(app, ["init", str(root), "--client", "claude", "--command", "codeintel", "--dry-run"])
    assert "found    tests: composer test\n" in done.output
    assert "not found here, and the tests need it: composer\n" in done.output
    assert "change command in .code-intel/verifiers/tests.md" in done.output


def test_packages_that_nobody_installed_are_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project(tmp_path, {"web/package.json": '{"devDependencies": {"vitest": "4"}}'})
    monkeypatch.setattr("shutil.which", lambda program, **_: f"/bin/{program}")
    assert missing_words(root, "cd web && npm test") == ["node_modules (npm install)"]
    assert missing_words(root, "cd web && npm test", is_prepared=True) == []
    (root / "node_modules").mkdir()  # of a workspace
    assert missing_words(root, "cd web && npm test") == []


@pytest.mark.skipif(os.name == "nt", reason="its shell has other lists of folders")
def test_a_program_of_a_folder_that_the_line_puts_first_is_there(tmp_path: Path) -> None:
    root = project(tmp_path, {"node_modules/.bin/vitest": "", "web/node_modules/.bin/jest": ""})
    for name in ("node_modules/.bin/vitest", "web/node_modules/.bin/jest"):
        (root / name).chmod(0o755)
    first = 'PATH="$PWD/node_modules/.bin:$PATH" && '
    assert missing_words(root, f"{first}vitest run && jest") == ["jest"]
    assert missing_words(root, f"cd web && {first}jest && vitest run") == ["vitest"]


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


def test_trust_is_not_asked_for_where_the_same_commands_were_trusted_in_this_place(tmp_path: Path) -> None:
    """A clone that was deleted and made once more."""
    for said in ("trusted  tests.md", ""):
        root = project(tmp_path / "clone", {"pyproject.toml": PYPROJECT})
        done = run(app, ["init", str(root), "--yes"])
        assert (said in done.output, "codeintel trust, in a terminal" in done.output) == (True, False)
        assert is_trusted(ProjectLibrary(root))
        shutil.rmtree(root)


def test_what_git_ignores_of_it_is_named(repo: Path) -> None:
    (repo / ".gitignore").write_text(".c*\n", encoding="utf-8")
    said = run(app, ["init", str(repo), "--client", "claude"]).output
    assert "git ignores .claude, .code-intel: to share them" in said
    (repo / ".gitignore").write_text("", encoding="utf-8")
    assert "git ignores" not in run(app, ["init", str(repo)]).output


def test_what_prettier_would_reformat_is_named_until_it_ignores_that(repo: Path) -> None:
    assert "Prettier" not in run(app, ["init", str(repo), "--client", "claude"]).output
    (repo / "package.json").write_text('{"devDependencies": {"prettier": "^3"}}', encoding="utf-8")
    said = run(app, ["init", str(repo)]).output
    assert "Prettier would reformat .claude, .code-intel, .mcp.json: if tests check" in said
    (repo / ".prettierignore").write_text(".claude/\n.code-intel/\n.mcp.json\n", encoding="utf-8")
    assert "Prettier" not in run(app, ["init", str(repo)]).output


def test_a_second_init_changes_nothing_though_the_project_did(tmp_path: Path) -> None:
    root = project(tmp_path, {"pyproject.toml": PYPROJECT})
    run(app, ["init", str(root)])
    (root / "go.mod").write_text("module x\n", encoding="utf-8")
    assert "0 changed" in run(app, ["init", str(root)]).output


def test_with_yes_the_test_command_is_trusted_at_once(tmp_path: Path) -> None:
    root = project(tmp_path, {"go.mod": "module x\n"})
    assert "Trusted. Run `codeintel trust` again after" in run(app, ["init", str(root), "--yes"]).output
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


def test_where_there_is_no_repository_init_says_what_it_takes_and_writes_nothing(tmp_path: Path) -> None:
    said = run(app, ["init", str(tmp_path)])
    assert (said.exit_code, "run git init there, make a first commit" in said.output) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_a_record_that_cannot_be_read_is_named_with_what_to_do(tmp_path: Path) -> None:
    root = project(tmp_path, {".code-intel/manifest.json": "{"})
    said = run(app, ["init", str(root)])
    assert (said.exit_code, "manifest.json:1" in said.output, "delete it and run" in said.output) == (2, True, True)
    assert said.exception is None or isinstance(said.exception, SystemExit)


@pytest.mark.parametrize("inside", ["", "notes"])
def test_the_home_folder_is_refused_also_where_it_is_a_repository(
    inside: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = project(tmp_path, {"notes/a.txt": "x\n"})
    before = sorted(home.rglob("*"))
    monkeypatch.setattr(Path, "home", lambda: home)
    said = run(app, ["init", str(home / inside)])
    assert (said.exit_code, "is your home folder" in said.output) == (2, True)
    assert sorted(home.rglob("*")) == before


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without clients; returns the folder for programs."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "home").mkdir()
    for name in ("git", "sh"):
        (tmp_path / "bin" / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    return tmp_path / "bin"


def install(folder: Path, name: str) -> None:
    (folder / name).write_text("#!/bin/sh\n", encoding="utf-8")
    (folder / name).chmod(0o755)


class TestClients:
    @pytest.fixture(autouse=True)
    def _machine(self, machine: Path) -> None:
        """No client is installed but those that a test installs."""

    def test_those_that_are_installed_are_set_up(self, repo: Path, tmp_path: Path, machine: Path) -> None:
        install(machine, "gemini")
        (tmp_path / "home/.codex").mkdir()
        assert "found    clients: codex, gemini" in run(app, ["init", str(repo)]).output
        assert (repo / ".gemini/settings.json").is_file()
        assert (repo / ".codex/config.toml").is_file()
        assert not (repo / ".mcp.json").exists()

    def test_those_that_the_project_is_worked_on_with_come_first(self, repo: Path, machine: Path) -> None:
        install(machine, "gemini")
        (repo / ".cursor").mkdir()
        run(app, ["init", str(repo)])
        assert ((repo / ".cursor/mcp.json").is_file(), (repo / ".gemini").exists()) == (True, False)

    def test_where_there_is_none_it_says_whose_files_it_writes(self, repo: Path) -> None:
        assert "clients: none; files for Claude Code are written" in run(app, ["init", str(repo)]).output
        assert (repo / ".mcp.json").is_file()

    def test_the_user_is_asked_once_where_there_is_a_choice(
        self, repo: Path, machine: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("codeintel_server.cli.init.can_answer", lambda: True)
        install(machine, "gemini")
        install(machine, "qwen")
        done = run(app, ["init", str(repo)], input="emacs\ncodex, qwen\nn\n")
        assert "There is no client 'emacs'." in done.output
        assert [(repo / name).exists() for name in (".codex", ".qwen", ".gemini")] == [True, True, False]
        assert "Set up for" not in run(app, ["init", str(repo)]).output

    def test_several_may_be_named_at_once(self, repo: Path) -> None:
        assert run(app, ["init", str(repo), "--client", "codex,cursor", "--client", "qwen"]).exit_code == 0
        assert all((repo / name).is_dir() for name in (".codex", ".cursor", ".qwen"))


class TestReader:
    """A second reader is offered where a client can be one, and is the user's to add."""

    @pytest.fixture(autouse=True)
    def _claude(self, machine: Path) -> None:
        install(machine, "claude")

    def reader_of(self, root: Path) -> tuple[str, str] | None:
        found = ProjectLibrary(root).verifiers().get("second_reader.md")
        return (found.command, found.report) if found else None

    def test_it_is_offered_and_added_on_request(self, tmp_path: Path) -> None:
        root = project(tmp_path, {"go.mod": "module x\n"})
        said = run(app, ["init", str(root), "--exclude", "hooks"]).output
        assert ("codeintel init --reader 'claude -p'" in said, self.reader_of(root)) == (True, None)
        said = run(app, ["init", str(root), "--reader", "claude -p"]).output
        assert ("2 changed" in said, "codeintel trust" in said, "--reader" in said) == (True, True, False)
        assert self.reader_of(root) == ("claude -p", "findings")
        assert "0 changed" in run(app, ["init", str(root), "--reader", "claude -p"]).output
        assert not (root / ".claude/settings.json").exists()

    @pytest.mark.parametrize("says", [True, False])
    def test_the_user_is_asked(self, tmp_path: Path, says: bool, monkeypatch: pytest.MonkeyPatch) -> None:
        root = project(tmp_path, {"go.mod": "module x\n"})
        for module in ("init", "consent"):
            monkeypatch.setattr(f"codeintel_server.cli.{module}.can_answer", lambda: True)
        done = run(app, ["init", str(root)], input="y\ny\n" if says else "n\ny\n")
        assert (done.exit_code, "It costs a call of that model" in done.output) == (0, True)
        assert self.reader_of(root) == (("claude -p", "findings") if says else None)
        assert ("second_reader.md: claude -p" in done.output, is_trusted(ProjectLibrary(root))) == (says, True)

    @pytest.mark.parametrize(
        ("options", "why"),
        [
            (["--minimal"], "adds a verifier"),
            (["--exclude", "verifiers"], "adds a verifier"),
            (["--include", "mcp"], "adds a verifier"),
            ([], "is there already"),
        ],
    )
    def test_one_that_would_not_be_written_is_refused(self, tmp_path: Path, options: list[str], why: str) -> None:
        root = project(tmp_path, {".code-intel/verifiers/second_reader.md": "---\ncommand: mine\n---\n"})
        done = run(app, ["init", str(root), "--reader", "other -p", *options])
        assert (done.exit_code, why in done.output, (root / ".mcp.json").exists()) == (2, True, False)

    def test_one_that_is_not_installed_is_named(self, tmp_path: Path) -> None:
        said = run(app, ["init", str(project(tmp_path, {"a.py": ""})), "--reader", "no-such-model -p"]).output
        assert "broken   not found here, and the second reader needs it: no-such-model" in said


class TestCommand:
    """The command that init writes starts, however init itself was run."""

    def entry(self, root: Path) -> list[str]:
        found = json.loads((root / ".mcp.json").read_text(encoding="utf-8"))["mcpServers"]["code-intel"]
        return [found["command"], *found["args"]]

    def test_of_an_installation_on_path_it_is_the_name(
        self, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        install_programs(monkeypatch, tmp_path / "bin")
        done = run(app, ["init", str(repo), "--client", "claude"])
        assert (self.entry(repo), "Commit what was written" in done.output) == (["codeintel", "serve"], True)

    def test_of_an_environment_or_a_checkout_it_is_the_path_and_doctor_starts_it(self, repo: Path) -> None:
        done = run(app, ["init", str(repo), "--client", "claude"])
        program = Path(self.entry(repo)[0])
        assert (program.is_absolute(), program.parent) == (True, Path(sys.executable).parent)
        assert "codeintel upgrade --command codeintel" in done.output
        assert "Commit what was written" not in done.output
        said = run(app, ["doctor", str(repo)]).output
        assert f".mcp.json: starts {program}, which answers" in said
        assert ".claude/settings.json: codeintel-guard answers" in said

    def test_of_a_run_by_uvx_it_is_uvx_only_if_that_starts(
        self, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for user in ("project.installation", "cli.init"):
            monkeypatch.setattr(f"codeintel_server.{user}.is_cached", lambda: True)
        uvx = tmp_path / "bin/uvx"
        uvx.parent.mkdir()
        monkeypatch.setenv("PATH", str(uvx.parent), prepend=os.pathsep)
        uvx.write_text("#!/bin/sh\nexit 2\n", encoding="utf-8")
        uvx.chmod(0o755)
        assert "lies in uv's cache" in run(app, ["init", str(repo), "--client", "claude"]).output
        assert Path(self.entry(repo)[0]).is_absolute()
        run(app, ["uninstall", str(repo)])
        uvx.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
        run(app, ["init", str(repo), "--client", "claude"])
        assert self.entry(repo) == ["uvx", "--from", "codeintel-server", "codeintel", "serve"]

    def test_of_a_broken_installation_on_path_it_is_not_the_name(
        self, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        broken = tmp_path / "bin/codeintel"
        broken.parent.mkdir()
        broken.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
        broken.chmod(0o755)
        monkeypatch.setenv("PATH", str(broken.parent), prepend=os.pathsep)
        run(app, ["init", str(repo), "--client", "claude"])
        assert Path(self.entry(repo)[0]).parent == Path(sys.executable).parent

    def test_of_a_second_run_it_is_the_one_before_as_long_as_that_starts(
        self, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        install_programs(monkeypatch, tmp_path / "bin")
        own = str(tmp_path / "bin/codeintel")
        run(app, ["init", str(repo), "--client", "claude", "--command", own])
        run(app, ["init", str(repo)])
        assert self.entry(repo) == [own, "serve"]
        (tmp_path / "bin/codeintel").rename(tmp_path / "bin/codeintel-old")
        run(app, ["init", str(repo)])
        assert self.entry(repo)[0] != own

    def test_one_that_the_user_named_and_that_does_not_start_is_written_and_said(self, repo: Path) -> None:
        done = run(app, ["init", str(repo), "--client", "claude", "--command", "no-such-program"])
        assert "no-such-program does not start the server: no-such-program is not on the PATH" in done.output
        assert self.entry(repo) == ["no-such-program", "serve"]


class TestMinimal:
    def test_git_sees_nothing_but_the_entry_and_uninstall_takes_all_back(
        self, repo: Path, git: Callable[..., str]
    ) -> None:
        before = sorted(repo.rglob("*"))
        assert run(app, ["init", str(repo), "--minimal", "--client", "claude,gemini"]).exit_code == 0
        seen = git(repo, "status", "--porcelain", "--untracked-files=all").split()
        assert seen == ["??", ".gemini/settings.json", "??", ".mcp.json"]
        assert "hooks" not in json.loads((repo / ".gemini/settings.json").read_text(encoding="utf-8"))
        assert "0 changed" in run(app, ["init", str(repo), "--minimal"]).output
        assert run(app, ["doctor", str(repo)]).exit_code == 0
        run(app, ["uninstall", str(repo)])
        assert [path for path in sorted(repo.rglob("*")) if ".git/" not in path.as_posix()] == [
            path for path in before if ".git/" not in path.as_posix()
        ]

    def test_everything_else_can_follow(self, repo: Path, git: Callable[..., str]) -> None:
        (repo / "go.mod").write_text("module x\n", encoding="utf-8")
        run(app, ["init", str(repo), "--minimal", "--client", "claude"])
        run(app, ["init", str(repo)])
        assert (repo / ".code-intel/phase_contract.yml").is_file()
        assert "go test" in (repo / ".code-intel/verifiers/tests.md").read_text(encoding="utf-8")
        assert ".code-intel/manifest.json" in git(repo, "status", "--porcelain", "--untracked-files=all")

    def test_it_takes_nothing_away_from_what_is_set_up(self, repo: Path) -> None:
        run(app, ["init", str(repo), "--client", "claude"])
        ignored = (repo / ".code-intel/.gitignore").read_text(encoding="utf-8")
        run(app, ["init", str(repo), "--minimal", "--client", "codex"])
        assert (repo / ".code-intel/.gitignore").read_text(encoding="utf-8") == ignored
        assert ((repo / ".codex/config.toml").is_file(), (repo / ".codex/hooks.json").exists()) == (True, False)


class TestDoctor:
    def test_finds_a_project_that_was_initialized_in_good_health(self, repo: Path, tmp_path: Path) -> None:
        run(app, ["init", str(repo), "--client", "claude", "--command", "git"])
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
        self, repo: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run(app, ["init", str(repo), "--client", "claude", "--command", "codeintel"])
        monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
        assert ".mcp.json: starts 'codeintel', which is not on PATH" in run(app, ["doctor", str(repo)]).output

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
            run(app, ["init", str(repo), "--client", "claude", "--command", "codeintel"])
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
            ("cd src && no-such-runner", True),
            ("cd src && git status", False),
            ("CI=1 no-such-runner", True),
            ("git status && no-such-runner -x", True),
            ("git status | no-such-runner", True),
            ("git status > no-such-file", False),
            ("python tools/none.py", True),
            ("python src/stats.py --out=build/none.xml", False),
            ("python -m no_such_module -q", True),
            ("python -m unittest no", False),
        ],
    )
    def test_finds_a_verifier_whose_program_is_not_there(self, repo: Path, command: str, missing: bool) -> None:
        verifier = repo / ".code-intel/verifiers/unit.md"
        verifier.parent.mkdir(parents=True)
        verifier.write_text(f"---\ncommand: {command}\n---\nRun it.\n", encoding="utf-8")
        done = run(app, ["doctor", str(repo)])
        word = next((word for word in command.split() if "no" in word), "")
        assert (f"unit.md needs {word}" in done.output) is missing
        assert done.exit_code == missing

    def test_tells_whether_commands_are_trusted_and_where_a_session_stands(self, repo: Path) -> None:
        verifier = repo / ".code-intel/verifiers/unit.md"
        verifier.parent.mkdir(parents=True)
        verifier.write_text("---\ncommand: make check\n---\nRun it.\n", encoding="utf-8")
        assert "not trusted: unit.md" in run(app, ["doctor", str(repo)]).output
        trust(ProjectLibrary(repo))
        assert "trusted: unit.md" in run(app, ["doctor", str(repo)]).output
