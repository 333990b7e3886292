"""What is known of a project when its files are written: the answers that would else be the user's to type.

A proposal fills places of our own starting points and nothing else; the user changes them there. They are kept in the
record, so that an upgrade proposes the same.
"""

import json

from pydantic import BaseModel, ConfigDict

NO_DOCS = ("docs/",)
"""Where documents are looked for as long as nobody knows better."""


class Suite(BaseModel):
    """Tests that one command runs, and the verifier that is made of it: `verifiers/NAME.md`.

    Args:
        name: the name of the verifier.
        command: the shell line that runs them, from the project's folder.
        report: `junit` if that line writes one where `$CODEINTEL_JUNIT` says, `junit:GLOB` if elsewhere, else `none`.
        match: globs of the files whose change these tests judge.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = "tests"
    command: str
    report: str = "none"
    match: tuple[str, ...] = ("**/*",)


class Proposals(BaseModel):
    """Places of the starting points, each empty or at its default where nothing was found.

    Args:
        source_dirs: folders to index; none means the whole project.
        docs_path: folders and files in which rules may stand.
        suites: the project's tests; a verifier is made of each.
        reader: the shell line that reads each change beside its request; a verifier is made of it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source_dirs: tuple[str, ...] = ()
    docs_path: tuple[str, ...] = NO_DOCS
    suites: tuple[Suite, ...] = ()
    reader: str = ""


def fill_config(text: str, found: Proposals) -> str:
    """Return `config.json` with the folders to index."""
    return _put(text, '"source_dirs": []', f'"source_dirs": {json.dumps(found.source_dirs, ensure_ascii=False)}')


def fill_context(text: str, found: Proposals) -> str:
    """Return `context.yml` with the places of documents."""
    return _put(text, f"docs_path:{_listed(NO_DOCS, 4)}", f"docs_path:{_listed(found.docs_path, 4)}")


def fill_suite(suite: Suite, text: str, found: Proposals) -> str:
    """Return the verifier of a suite: its name, its command, its report and the files it judges."""
    text = _put(text, f"match:{_listed(('**/*',), 2)}", f"match:{_listed(suite.match, 2)}")
    text = _put(text, 'command: ""', f"command: {json.dumps(suite.command, ensure_ascii=False)}")
    text = _put(text, "report: none", f"report: {suite.report}")
    text = _put(text, 'run_verifier("tests")', f"run_verifier({json.dumps(suite.name)})")
    return _put(text, "`tests.md`", f"`{suite.name}.md`")


def fill_reader(text: str, found: Proposals) -> str:
    """Return the verifier that reads, with its command."""
    return _put(text, 'command: ""', f"command: {json.dumps(found.reader, ensure_ascii=False)}")


def _listed(values: tuple[str, ...], indent: int) -> str:
    # JSON text is YAML: a name with a colon or a quote in it stays one name.
    return "".join(f"\n{' ' * indent}- {json.dumps(value, ensure_ascii=False)}" for value in values) or " []"


def _put(text: str, place: str, value: str) -> str:
    if text.count(place) != 1:
        raise ValueError(f"the template has no single place {place!r}")
    return text.replace(place, value)
