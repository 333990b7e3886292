"""Reading a query: whether it is a name or a sentence, which symbols it names, what it asks for.

`ask` routes a question in plain words: names go to definitions, quoted text to text search, the rest to Forest search.
Its answer lists what was run, so that the caller can repeat or refine it.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise

from codeintel_index.results import GrepResult, Hit, Symbol
from codeintel_index.text.tokens import STOP_WORDS, query_terms

MAX_TERMS = 24
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:::|->|\.|\\|#)[A-Za-z_$][\w$]*)*(?:\(\))?")
_SEPARATOR = re.compile(r"::|->|[.\\#]")
_TELLING = re.compile(r"[A-Za-z0-9]_|_[A-Za-z]|[a-z0-9][A-Z]|^[A-Z]{2,}[a-z]|::|->|\w\.[a-z]\w|\\|\(\)$")
# A query that says one of these words wants that kind of file, so the kind is not pushed down.
ASKS = {
    "test": {"test", "tests", "testing", "spec", "specs", "unittest", "pytest", "coverage", "assertion", "assertions"},
    "example": {"example", "examples", "sample", "demo", "tutorial", "benchmark", "benchmarks"},
    "docs": {"doc", "docs", "documentation", "readme", "guide", "changelog", "licence", "license"},
    "legacy": {"legacy", "compat", "compatibility", "deprecated", "backwards", "backward"},
    "config": {"config", "configuration", "settings", "yaml", "toml", "json", "manifest", "workflow", "ci"},
    "factory": {"factory", "factories", "fixture", "fixtures", "seed", "seeder", "seeds"},
    "migration": {"migration", "migrations", "migrate", "alembic"},
    "generated": {"generated", "lock", "protobuf", "bundle"},
    "vendored": {"vendor", "vendored", "third"},
    "stub": {"stub", "stubs", "typing", "declaration", "declarations"},
    "reexport": {"export", "exports", "package", "init"},
}


@dataclass(frozen=True)
class Query:
    """A query and what it says by itself, without looking at any file."""

    text: str

    @cached_property
    def terms(self) -> list[str]:
        """Distinct search terms, at most 24."""
        return query_terms(self.text)[:MAX_TERMS]

    @cached_property
    def is_symbol(self) -> bool:
        """Whether the whole query is one identifier that shows by its form that it is one."""
        text = self.text.strip()
        return bool(_IDENTIFIER.fullmatch(text)) and (bool(_TELLING.search(text)) or text[:1].isupper())

    @cached_property
    def is_word(self) -> bool:
        """Whether the query is a single plain word."""
        return not self.is_symbol and bool(re.fullmatch(r"\w+", self.text.strip()))

    @cached_property
    def names(self) -> list[str]:
        """Identifiers the query names: the last parts of qualified ones, as written."""
        telling = [self.text.strip()] if self.is_name else filter(_TELLING.search, _IDENTIFIER.findall(self.text))
        return list(dict.fromkeys(_SEPARATOR.split(each.removesuffix("()"))[-1] for each in telling))

    @property
    def is_name(self) -> bool:
        """Whether the query is a single name or word."""
        return self.is_symbol or self.is_word

    @cached_property
    def types(self) -> list[str]:
        """Words of a sentence that begin with a capital and so may be names of types."""
        found = [] if self.is_name else re.findall(r"\b[A-Z]\w*", self.text)
        return [each for each in dict.fromkeys(found) if each not in self.names and each.lower() not in STOP_WORDS]

    @cached_property
    def joined(self) -> list[str]:
        """Two and three neighbouring words as one term, for code that writes them so; not those that are `terms`."""
        words = re.findall(r"[a-z0-9]+", self.text.lower())[:MAX_TERMS]
        pairs = map("".join, pairwise(words))
        triples = map("".join, zip(words, words[1:], words[2:], strict=False))
        return [each for each in dict.fromkeys((*pairs, *triples)) if each not in self.terms]

    def asks_for(self, kind: str) -> bool:
        """Whether the query's words ask for files of a kind (see `kinds`)."""
        return not ASKS.get(kind, set()).isdisjoint(self._words)

    @cached_property
    def _words(self) -> set[str]:
        return set(re.findall(r"[a-z]+", self.text.lower()))


MAX_EACH = 5
MAX_FOUND = 20
_QUOTED = re.compile(r"\"([^\"\n]{2,200})\"|'([^'\n]{2,200})'(?!\w)|`([^`\n]{2,200})`|“([^”\n]{2,200})”")
_NAME = re.compile(r"[A-Za-z_$][\w$.:]*(?:\(\))?")


def ask(
    question: str,
    definitions: Callable[[str], Sequence[Symbol]],
    text: Callable[[list[str]], list[GrepResult]],
    search: Callable[[str], list[Hit]],
) -> dict[str, object]:
    """Answer with plain data: `ran` (tool, argument, found), `definitions`, `matches`, `hits`."""
    quoted = [next(filter(None, groups)) for groups in _QUOTED.findall(question)][:MAX_EACH]
    rest = " ".join(_QUOTED.sub(" ", question).split())
    names = [*Query(rest).names, *(each for each in quoted if _NAME.fullmatch(each))][:MAX_EACH]
    ran: list[dict[str, object]] = []
    found: list[Symbol] = []
    for name in dict.fromkeys((*names, *Query(rest).types)):
        here = definitions(name)
        if not here and name not in names:
            continue  # any word may begin with a capital
        ran.append({"tool": "find_definitions", "argument": name, "found": len(here)})
        found += here
    results = text(quoted) if quoted else []
    ran += [{"tool": "search_text", "argument": each.pattern, "found": each.total} for each in results]
    hits = search(rest) if rest and Query(rest).terms else []
    if rest:
        ran.append({"tool": "forest_search", "argument": rest, "found": len(hits)})
    return {
        "query": question,
        "ran": ran,
        "definitions": [asdict(symbol) for symbol in found[:MAX_FOUND]],
        "matches": [asdict(match) for each in results for match in each.matches][:MAX_FOUND],
        "hits": [asdict(hit) for hit in hits],
    }
