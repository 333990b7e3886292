"""How right references are, against language servers.

    uv run python benchmarks/accuracy/references.py REPOSITORY … --servers FOLDER [--misses N]

FOLDER is one in which `npm install pyright typescript-language-server typescript@5` was run; the servers are truth for
Python, JavaScript and TypeScript. Names are drawn by a fixed seed from what the repository defines outside of tests:
such as one definition has alone, and such as several share, asked as people write them (`Class.method`, `module.name`).
A likely line counts as wrong if the server finds another definition for it; where it finds none, as for a parameter
without a type, the line is undecided. Repositories with stubs (.pyi, .d.ts) beside their code mislead the servers.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, NamedTuple

from truth import SCRIPTS, tracked

from codeintel_index import Index, IndexConfig
from codeintel_index.languages.file_kinds import kind_of
from codeintel_index.results import Symbol

SERVERS = {".py": "pyright-langserver", **dict.fromkeys(SCRIPTS, "typescript-language-server")}
LANGUAGES = {
    ".py": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascriptreact",
}
KINDS = ("function", "method", "class", "property", "interface")
UNIQUE, SHARED = 20, 30
Place = tuple[str, int]


class Asked(NamedTuple):
    """A name as it is asked, and the definition that is meant."""

    name: str
    symbol: Symbol


class LanguageServer:
    """A client of one language server over a checkout; requests wait for their answers."""

    def __init__(self, command: Path, root: Path) -> None:
        self._root = root
        self._process = subprocess.Popen(
            [str(command), "--stdio"],
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in: IO[bytes] = self._process.stdin
        self._out: IO[bytes] = self._process.stdout
        self._last = 0
        self._open: set[str] = set()
        folders = [{"uri": root.as_uri(), "name": root.name}]
        self.request("initialize", processId=None, rootUri=root.as_uri(), workspaceFolders=folders, capabilities={})
        self._send(method="initialized", params={})

    def _send(self, **message: object) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._in.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._in.flush()

    def _receive(self) -> dict[str, Any]:
        length = 0
        while (line := self._out.readline().strip()) or not length:
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
            elif not line and self._process.poll() is not None:
                raise SystemExit("the language server ended")
        found: dict[str, Any] = json.loads(self._out.read(length))
        return found

    def request(self, method: str, **params: object) -> Any:
        """Return the result of a request; what the server asks meanwhile is answered with nothing."""
        self._last += 1
        number = self._last
        self._send(id=number, method=method, params=params)
        while True:
            message = self._receive()
            if message.get("id") == number and "method" not in message:
                return message.get("result")
            if "id" in message and "method" in message:
                items = message.get("params", {}).get("items", ()) if message["params"] else ()
                self._send(id=message["id"], result=[None for _ in items] if items else None)

    def open(self, path: str) -> None:
        """Tell the server that a file is open, once."""
        if path in self._open:
            return
        self._open.add(path)
        suffix = Path(path).suffix
        language = LANGUAGES.get(suffix, "typescriptreact" if suffix == ".tsx" else "typescript")
        text = (self._root / path).read_text("utf-8", "replace")
        document = {"uri": (self._root / path).as_uri(), "languageId": language, "version": 1, "text": text}
        self._send(method="textDocument/didOpen", params={"textDocument": document})

    def references(self, path: str, line: int, column: int) -> set[Place]:
        """Find the lines that refer to what stands at a place (1-based line, 0-based column)."""
        return self._places("references", path, line, column, context={"includeDeclaration": False})

    def definitions(self, path: str, line: int, column: int) -> set[Place]:
        """Find the definitions of what stands at a place; none where the server cannot tell."""
        return self._places("definition", path, line, column)

    def _places(self, what: str, path: str, line: int, column: int, **further: object) -> set[Place]:
        self.open(path)
        found = self.request(
            f"textDocument/{what}",
            textDocument={"uri": (self._root / path).as_uri()},
            position={"line": line - 1, "character": column},
            **further,
        )
        prefix = self._root.as_uri() + "/"
        return {
            (each["uri"].removeprefix(prefix), each["range"]["start"]["line"] + 1)
            for each in ([found] if isinstance(found, dict) else found or ())
        }

    def close(self) -> None:
        """End the server."""
        self._process.kill()
        self._process.wait()


def drawn(index: Index, paths: list[str]) -> Iterator[tuple[str, list[Asked]]]:
    """Names that one definition has alone, and names that several share."""
    by_name: defaultdict[str, list[Symbol]] = defaultdict(list)
    counts: Counter[str] = Counter()
    for path in paths:
        for symbol in index.symbols(path):
            counts[symbol.name] += 1
            if symbol.kind in KINDS and kind_of(path) == "code" and len(symbol.name) > 2:
                by_name[symbol.name].append(symbol)
    chance = random.Random(5)
    unique = [found[0] for name, found in sorted(by_name.items()) if counts[name] == 1]
    shared = [chance.choice(found) for name, found in sorted(by_name.items()) if counts[name] > 1]
    yield "unique", [Asked(each.name, each) for each in chance.sample(unique, min(UNIQUE, len(unique)))]
    yield "shared", [Asked(_written(each), each) for each in chance.sample(shared, min(SHARED, len(shared)))]


def _written(symbol: Symbol) -> str:
    container = symbol.parent.rpartition(".")[2] or Path(symbol.path).stem
    return f"{container}.{symbol.name}"


def score(index: Index, server: LanguageServer, root: Path, asked: list[Asked], misses: int) -> str:
    """Precision of likely lines, share of the right lines that are likely, and that are in the answer at all."""
    likely_right = likely_all = right_all = right_answered = open_lines = 0
    for name, symbol in asked:
        column = _column(root, symbol.name, (symbol.path, symbol.line))
        if column < 0:
            continue
        defined = {(each.path, each.line) for each in index.definitions(symbol.name, limit=5000)}
        truth = server.references(symbol.path, symbol.line, column) - defined
        found = index.references(name, limit=5000)
        likely = {(each.path, each.line) for each in found if each.certainty == "likely"} - defined
        undecided: set[Place] = set()
        for path, line in likely - truth:
            meant = server.definitions(path, line, _column(root, symbol.name, (path, line)))
            if not meant:
                undecided.add((path, line))
            elif (symbol.path, symbol.line) in meant:
                truth.add((path, line))
        likely -= undecided
        open_lines += len(undecided)
        answered = {(each.path, each.line) for each in found}
        truth = {(path, line) for path, line in truth if Path(path).suffix in SERVERS and (root / path).is_file()}
        likely_right += len(likely & truth)
        likely_all += len(likely)
        right_all += len(truth)
        right_answered += len(truth & answered)
        if misses and likely - truth:
            shown = ", ".join(f"{path}:{line}" for path, line in sorted(likely - truth)[:misses])
            sys.stderr.write(
                f"  {name} ({symbol.path}:{symbol.line}): {len(likely - truth)} of {len(likely)}: {shown}\n"
            )
        if misses and truth - answered:
            sys.stderr.write(f"  {name}: not answered {sorted(truth - answered)[:misses]}\n")
    precision, complete = likely_right / max(1, likely_all), right_answered / max(1, right_all)
    recall = likely_right / max(1, right_all)
    return f"{len(asked)} | {right_all} | {precision:.2f} | {open_lines} | {recall:.2f} | {complete:.3f}"


def _column(root: Path, name: str, place: Place) -> int:
    """The place of a name in a line, -1 where it is not there."""
    line = (root / place[0]).read_text("utf-8", "replace").split("\n")[place[1] - 1]
    found = re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", line)
    return found.start() if found else -1


def report(root: Path, servers: Path, misses: int) -> str:
    """Return the row of one repository."""
    counts = Counter(Path(path).suffix for path in tracked(root))
    command = max(set(SERVERS.values()), key=lambda each: sum(counts[end] for end in SERVERS if SERVERS[end] == each))
    paths = [path for path in tracked(root) if SERVERS.get(Path(path).suffix) == command]
    server = LanguageServer(servers / "node_modules" / ".bin" / command, root)
    config = IndexConfig(embedding_model="off")
    try:
        with tempfile.TemporaryDirectory() as folder, Index.open(root, replace(config, data_dir=Path(folder))) as index:
            index.sync()
            for path in () if (root / "tsconfig.json").exists() else paths:
                server.open(path)
            sys.stderr.write(f"{root.name}\n")
            rows = [score(index, server, root, asked, misses) for _, asked in drawn(index, paths)]
    finally:
        server.close()
    return f"| {root.name} | {' | '.join(rows)} |\n"


def main() -> None:
    """Print a table with a row for each repository."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--servers", required=True, type=Path, help="a folder with the language servers")
    parser.add_argument("--misses", type=int, default=0, help="show so many wrong and missing lines of each name")
    chosen = parser.parse_args()
    shares = "lines | likely right | undecided | right likely | right answered"
    columns = " | ".join(f"{kind} names | {shares}" for kind in ("unique", "shared"))
    sys.stdout.write(f"| repository | {columns} |\n{'|---' * 13}|\n")
    for root in chosen.repositories:
        sys.stdout.write(report(root.resolve(), chosen.servers.resolve(), chosen.misses))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
