"""Documents that matter, on the layouts of real projects: pages about the changed thing, and guides for contributors.

The trees are small copies of cobra, rack, flask and express: the same names, a few lines of each file.
"""

from pathlib import Path

import pytest

from codeintel_server.project.configuration import Context
from codeintel_server.project.documents import OFFERED, find_documents
from codeintel_session.testing import Repo, make_repo

COBRA = {
    "README.md": "# Cobra\n\nCobra is a library for command line applications.\n",
    "CONTRIBUTING.md": "# Contributing\n\nSign the CLA. Run `make test`.\n",
    "CONDUCT.md": "## Completions and descriptions of conduct\n",
    "LICENSE.txt": "Apache\n",
    "site/content/_index.md": "",
    "site/content/active_help.md": "# Active Help\n\nMessages that are shown while completion runs.\n",
    "site/content/completions/_index.md": (
        "# Generating shell completions\n\n## Completion descriptions\n\nUse `ShellCompDirectiveNoFileComp` and "
        "completion descriptions.\n"
    ),
    "site/content/docgen/man.md": "# Generating Man Pages\n\n`doc.GenManTree` needs a header.\n",
    "site/content/user_guide.md": "# User Guide\n\nFlags, and `MarkFlagsMutuallyExclusive` of a command.\n",
}
RACK = {
    "README.md": "# Rack\n\nA modular web server interface.\n",
    "CHANGELOG.md": "# Changelog\n\n- `Rack::Lint` checks more.\n",
    "CONTRIBUTING.md": "# Contributing\n\nAdd an entry to the changelog.\n",
    "SPEC.rdoc": "= The Input Stream\n\nrack.input must respond to gets, each and read. Rewind is optional.\n",
    "UPGRADE-GUIDE.md": "# Upgrade\n\n`Rack::Utils.parse_cookies_header` is stricter.\n",
    "test/multipart/readme.md": "Multipart input.\n",
}
FLASK = {
    "README.md": "# Flask\n",
    "CHANGES.rst": "Version 3.1\n-----------\n\n-   Add `PROVIDE_AUTOMATIC_OPTIONS`.\n",
    "docs/changes.rst": "Changes\n=======\n\n.. include:: ../CHANGES.rst\n",
    "docs/contributing.rst": "Contributing\n============\n\nSee the guide.\n",
    "docs/config.rst": "Configuration\n=============\n\n.. py:data:: PROVIDE_AUTOMATIC_OPTIONS\n",
    "docs/views.rst": "Class-based views\n=================\n\n`View.provide_automatic_options` of a view.\n",
    "docs/deploying/nginx.rst": "nginx\n=====\n\nA proxy.\n",
    ".github/ISSUE_TEMPLATE/bug-report.md": "Describe the config and the view.\n",
}
EXPRESS = {
    "Readme.md": "# Express\n\nFast web framework.\n",
    "History.md": "5.1.0\n=====\n\n* Fix `res.send` with a `Content-Length`\n",
    "LICENSE": "MIT\n",
    "examples/README.md": "# Examples of res.send\n",
    "examples/markdown/views/index.md": "# {title}\n",
}
MDX = {
    "package.json": "{}\n",
    "website/docs/guides/routing.mdx": "# Routing\n\nThe `createRouter` function.\n",
    "packages/router/docs/api.mdx": "# API\n\n## createRouter\n",
    "packages/router/CHANGELOG.md": "# Changelog of createRouter\n",
}


@pytest.mark.parametrize(
    ("files", "query", "found"),
    [
        (
            COBRA,
            "customise the completion descriptions for zsh",
            ("site/content/completions/_index.md", "CONTRIBUTING.md"),
        ),
        (COBRA, "GenManTree panics without a header", ("site/content/docgen/man.md", "CONTRIBUTING.md")),
        (
            RACK,
            "Rack::Utils.parse_cookies_header should not fail",
            ("UPGRADE-GUIDE.md", "CONTRIBUTING.md", "CHANGELOG.md"),
        ),
        (RACK, "check that rack.input can rewind", ("SPEC.rdoc", "CONTRIBUTING.md", "CHANGELOG.md")),
        (
            FLASK,
            "provide_automatic_options=True of a view should win over PROVIDE_AUTOMATIC_OPTIONS",
            ("docs/views.rst", "docs/config.rst", "docs/contributing.rst", "CHANGES.rst"),
        ),
        (EXPRESS, "res.send() adds a Content-Length header", ("History.md",)),
        (MDX, "createRouter fails", ("packages/router/docs/api.mdx", "website/docs/guides/routing.mdx")),
    ],
)
def test_the_pages_about_a_change_come_first_and_the_guides_after_them(
    tmp_path: Path, files: dict[str, str], query: str, found: tuple[str, ...]
) -> None:
    root = make_repo(tmp_path / "project", files).root
    assert find_documents(root, Context(), query) == found


def test_whoever_asks_a_question_gets_no_guide_for_contributors(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "project", RACK).root
    assert find_documents(root, Context(), "can rack.input rewind", with_guides=False) == ("SPEC.rdoc",)


def test_no_more_than_five_are_offered_however_many_name_the_thing(tmp_path: Path) -> None:
    pages = {f"docs/page{number:02}.md": "# count_all\n\ncount_all counts.\n" for number in range(40)}
    root = make_repo(tmp_path / "project", {**pages, "CONTRIBUTING.md": "# C\n", "CHANGES.txt": "1\n"}).root
    found = find_documents(root, Context(), "count_all is slow")
    assert (len(found), found[-1]) == (OFFERED, "CONTRIBUTING.md")


def test_folders_that_the_user_named_are_searched_and_not_the_usual_ones(tmp_path: Path) -> None:
    files = {"notes/a.rst": "count_all\n", "docs/b.md": "count_all\n", ".code-intel/context.yml": "doc_research:\n"}
    root = make_repo(tmp_path / "project", files).root
    Repo(root).write(".code-intel/context.yml", "doc_research:\n  docs_path: [notes/]\n")
    assert find_documents(root, Context.read(root), "count_all") == ("notes/a.rst",)
