"""Markup refers to markup by class, id and file name: style sheets to pages and back, pages to scripts.

Read with regular expressions on purpose: templates are rarely valid HTML, and one wrong class costs a line in a list.
"""

import posixpath
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from codeintel_index.errors import NotAFile
from codeintel_index.paths import read_source
from codeintel_index.results import ImpactItem
from codeintel_index.tools.grep import lines_naming
from codeintel_index.tools.ripgrep import RawLine, Search

PURE = (".html", ".htm", ".css", ".scss", ".sass", ".less", ".md")
NOT_PURE = (".blade.php", ".vue", ".jsx", ".tsx", ".svelte")
SHEETS = (".css", ".scss", ".sass", ".less")
PAGES = (".html", ".htm")
PAGE_LIKE = "*.{html,htm,jsx,tsx,vue,svelte,php,erb,hbs,ejs,twig,njk,js,mjs,ts}"
SHEET_LIKE = "*.{css,scss,sass,less,js,mjs,ts,jsx,tsx}"
ANY = "*.{html,htm,md,jsx,tsx,vue,svelte,php,erb,hbs,ejs,twig,njk,js,mjs,ts,css,scss,sass,less,json,yml,yaml}"
MAX_WORDS = 200
MAX_LINES = 20
_BODY = re.compile(r"/\*.*?(?:\*/|\Z)|//[^\n]*|\"[^\"\n]*\"|'[^'\n]*'|url\([^)]{0,2000}\)", re.DOTALL)
_SELECTOR = re.compile(r"[.#](-?[A-Za-z_][\w-]*)")
_DECLARATION = re.compile(r":[^;{}]{0,500}(?=[;}])")
_LINK = re.compile(r"\b(?:href|src)\s*=\s*[\"']([^\"':]+)[\"']")
_ATTRIBUTE = re.compile(r"\b(?:class|className|id)\s*=\s*[\"']([^\"']*)[\"']")


def is_pure(path: str) -> bool:
    """Whether a file is markup that no program logic hides in."""
    return path.lower().endswith(PURE) and not path.lower().endswith(NOT_PURE)


def cross_references(root: Path, target: str, search: Search) -> list[ImpactItem]:
    """Find the files that use what a style sheet or page defines, or that name the file."""
    found: dict[str, dict[int, set[str]]] = {path: {} for path in _linked(root, target)}
    words, where, fits = _asked(root, target)
    if words:
        for line in _lines(root, words, where, search):
            named = {word for word in words if fits(word).search(line.text)}
            if named and line.path != target:
                found.setdefault(line.path, {})[line.number] = named
    name = target.rpartition("/")[2]
    for line in _lines(root, [name], ANY, search):
        if line.path != target and line.starts:
            found.setdefault(line.path, {}).setdefault(line.number, {name})
    return [_item(path, lines) for path, lines in sorted(found.items())]


def selectors(text: str) -> list[str]:
    """Extract the classes and ids of a style sheet's selectors."""
    return list(dict.fromkeys(_SELECTOR.findall(_DECLARATION.sub("", _BODY.sub(" ", text)))))


def attributes(text: str) -> list[str]:
    """Extract the classes and ids that a page's elements have."""
    return list(dict.fromkeys(word for found in _ATTRIBUTE.findall(text) for word in found.split() if word.isascii()))


def _asked(root: Path, target: str) -> tuple[list[str], str, Callable[[str], re.Pattern[str]]]:
    """The words to look for, in which files, and what an occurrence must look like."""
    if not target.lower().endswith((*SHEETS, *PAGES)):
        return [], "", _as_word
    text = _text(root, target)
    if target.lower().endswith(SHEETS):
        return selectors(text)[:MAX_WORDS], PAGE_LIKE, _as_word
    return attributes(text)[:MAX_WORDS], SHEET_LIKE, _as_selector


def _linked(root: Path, target: str) -> list[str]:
    """Files of the project that a page loads."""
    if not target.lower().endswith(PAGES):
        return []
    folder = target.rpartition("/")[0]
    links = (link.partition("?")[0].partition("#")[0] for link in _LINK.findall(_text(root, target)))
    places = (posixpath.normpath(link[1:] if link.startswith("/") else posixpath.join(folder, link)) for link in links)
    return [place for place in dict.fromkeys(places) if not place.startswith("..") and (root / place).is_file()]


def _text(root: Path, path: str) -> str:
    try:
        return read_source(root, path)[1].decode("utf-8", "replace")
    except NotAFile:
        return ""  # deleted or new: only its name can be mentioned


def _as_word(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")


def _as_selector(word: str) -> re.Pattern[str]:
    return re.compile(rf"[.#\"' `]{re.escape(word)}(?![\w-])")


def _lines(root: Path, words: list[str], glob: str, search: Search) -> list[RawLine]:
    return [line for line in lines_naming(root, words, replace(search, glob=glob)) if line.starts]


def _item(path: str, lines: dict[int, set[str]]) -> ImpactItem:
    names = sorted(set().union(*lines.values()))
    return ImpactItem(path, "markup", tuple(sorted(lines))[:MAX_LINES], tuple(names))
