"""Definitions by names as people write them: qualified by folder, package, parent or class, or with a slip in them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeintel_index import Index
from codeintel_index.testing import make_repo

FILES = {
    "src/flask/app.py": "from .scaffold import Scaffold\n\n\nclass Flask(Scaffold):\n    debug = False\n",
    "src/flask/scaffold.py": "class Scaffold:\n    def route(self): ...\n",
    "src/click/decorators.py": "def option(): ...\n",
    "lib/rack/request.rb": (
        "module Rack\n  class Request\n    module Helpers\n      def host; end\n    end\n"
        "    include Helpers\n  end\nend\n"
    ),
    "lib/response.js": "res.send = function () {};\nconst http = require('http');\n",
    "lib/http.js": "function http() {}\n",
    "src/main/java/org/acme/Text.java": "package org.acme;\nclass Text { boolean isBlank() { return true; } }\n",
    "include/fmt/core.h": "namespace fmt {\nstruct A { bool operator==(int x) const; };\nvoid format_to(int x) {}\n}\n",
    "pkg/v4/schema.ts": "export function object() {}\nexport interface Def { type: string }\n",
    "pkg/v4/schema.test.ts": "function object() {}\n",
    "aa/fields.py": "class Early:\n    option = 1\n",
    "docs/guide.md": "# Installing\n",
    "conf.json": '{"timeout": 1}\n',
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    root: Path = tmp_path_factory.mktemp("written") / "project"
    with Index.open(make_repo(root, FILES)) as index:
        index.sync()
        yield index


@pytest.mark.parametrize(
    ("name", "path", "matched"),
    [
        ("flask.Flask", "src/flask/app.py", ""),
        ("click.option", "src/click/decorators.py", ""),
        ("@click.option(...)", "src/click/decorators.py", ""),
        ("fmt::format_to", "include/fmt/core.h", ""),
        ("fmt::A::operator==", "include/fmt/core.h", ""),
        ("org.acme.Text.isBlank", "src/main/java/org/acme/Text.java", ""),
        ("Text#isBlank()", "src/main/java/org/acme/Text.java", ""),
        ("Rack::Request#host", "lib/rack/request.rb", "inherited"),
        ("Request#host", "lib/rack/request.rb", "inherited"),
        ("Flask.route", "src/flask/scaffold.py", "inherited"),
        ("res.send", "lib/response.js", ""),
        ("z.object", "pkg/v4/schema.ts", "last_name"),
        ("self.debug", "src/flask/app.py", ""),
        ("Response.prototype.send", "lib/response.js", ""),
    ],
)
def test_a_name_is_found_as_people_write_it(written: Index, name: str, path: str, matched: str) -> None:
    found = written.definitions(name)
    assert (found[0].path, found.matched) == (path, matched)


def test_a_name_that_nothing_bears_is_answered_with_the_nearest(written: Index) -> None:
    found = written.definitions("Flask.rout")
    assert (tuple(found), found.nearest) == ((), ("route",))
    assert written.definitions("formatto").nearest == ("format_to",)


def test_code_comes_before_tests_functions_before_fields_what_is_defined_before_what_is_bound(written: Index) -> None:
    assert [each.path for each in written.definitions("object")] == ["pkg/v4/schema.ts", "pkg/v4/schema.test.ts"]
    assert [each.path for each in written.definitions("option")] == ["src/click/decorators.py", "aa/fields.py"]
    assert [each.path for each in written.definitions("http")] == ["lib/http.js", "lib/response.js"]


@pytest.mark.parametrize(
    ("name", "kind", "path"), [("Installing", "section", "docs/guide.md"), ("timeout", "key", "conf.json")]
)
def test_headings_and_keys_are_found_by_their_kinds_and_marked_otherwise(
    written: Index, name: str, kind: str, path: str
) -> None:
    by_kind, by_name = written.definitions(name, kind=kind), written.definitions(name)
    assert [each.path for each in by_kind] == [each.path for each in by_name] == [path]
    assert (by_kind.matched, by_name.matched, written.definitions(name, kind="function").total) == ("", "data", 0)


@pytest.mark.parametrize(
    "name", ["operator", "a<b<c", "名前", "x" * 10_000, "::", "a.b.", "#", "f(((", "<>", "\n", "A::~"]
)
def test_any_name_is_answered(written: Index, name: str) -> None:
    assert written.definitions(name).total == 0


def test_a_file_that_did_not_change_is_not_parsed_for_a_line(written: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeintel_index.lookup.definitions.structure", None)
    found = written.function_at("src/flask/scaffold.py", 2)
    assert found is not None
    assert [each.name for each in (*found.enclosing, found.symbol)] == ["Scaffold", "route"]


def test_source_with_a_stray_nul_is_read(written: Index) -> None:
    (written.root / "nul.java").write_bytes(
        b"class Odd {\n  char zero = '\0';\n  void run() {}\n" + b"  // x\n" * 99 + b"}\n"
    )
    assert [each.name for each in written.symbols("nul.java")] == ["Odd", "zero", "run"]
