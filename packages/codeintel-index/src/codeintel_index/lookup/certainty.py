"""How certain it is that a line which names a symbol means it: likely or possible.

Names alone decide nothing where several definitions share one, so what precedes the name does: a receiver whose
type is the class that defines it or one related by inheritance, a module or an import that leads there, the scope of
the line. A type is read from the nearest declaration of the receiver in the text of its file. What cannot be decided is
likely for a name that is defined once, possible for one that is shared.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path

from codeintel_index.languages.table import family_of, language_id
from codeintel_index.lookup.definitions import folded
from codeintel_index.paths import MAX_BYTES
from codeintel_index.project_file import read_file
from codeintel_index.results import Symbol
from codeintel_index.store.reader import Reader
from codeintel_index.syntax.definitions import CALLABLE, CLASS_LIKE
from codeintel_index.syntax.parsing import innermost

LIKELY, POSSIBLE = "likely", "possible"
CACHED = 1024
_ACCESS = re.compile(r"(?:\.|->|::|#|\\)\s*$")
_OWNER = re.compile(r"([\w$@]+[?!]?)(?:<[^<>]*>)?\s*(?:\?|!|&)?(?:\.|->|::|#|\\)\s*$")
_CALLED = re.compile(r"(?:\bnew\s+)?([\w$]+)(?:<[^<>]*>)?\s*$")
_ITSELF = frozenset({"self", "this", "cls", "super", "static", "parent", "Self", "$this"})
_ABOVE = frozenset({"super", "parent"})  # of these, those that mean what the class around derives from
_KEYWORD = re.compile(r"\s*=(?![=>~])")
_KEY = re.compile(r"[\"']?\s*(?::(?!:)|=>)")
_SETS = r"^[ \t]*(?:(?:const|let|var|val|auto|final)[ \t]+)?%s(?:[ \t]*:=|[ \t]*:[^=\n]+=[ \t]|[ \t]+=[ \t])"
_PARAMETER = re.compile(r"[(,][ \t\n*&.$]*([A-Za-z_]\w*)[ \t]*(?=[:,)=?])")
_NO_TYPES = frozenset(
    {
        "return",
        "new",
        "else",
        "case",
        "throw",
        "await",
        "yield",
        "delete",
        "const",
        "in",
        "of",
        "and",
        "or",
        "not",
        "if",
    }
    | {"auto", "var", "val", "let", "final", "static", "typename", "import", "from", "as", "del", "assert", "print"}
)
# Languages whose members are named without a receiver from within their class, and those without imports in a folder.
_IMPLICIT = frozenset({"java", "c", "cpp", "csharp", "ruby", "kotlin", "swift", "scala"})
_SHARING = frozenset({"go", "java", "kotlin", "csharp", "swift", "c", "cpp", "scala"})


class Judge:
    """Judges the lines that name one word. `targets` are the definitions meant, `others` those that share its name."""

    def __init__(self, root: Path, reader: Reader, targets: Sequence[Symbol], others: Sequence[Symbol]) -> None:
        self._root, self._reader = root, reader
        self._targets = targets
        # A prototype only announces the definition.
        places = {(each.path, each.parent) for each in (*targets, *others) if each.kind != "prototype"}
        self._is_shared = len(places) > 1
        self._families = {family_of(each.path) for each in targets}
        self._owners = {_last(each.parent) for each in targets} - {""}
        self._related = self._owners | reader.relatives(self._owners)
        self._other_owners = {_last(each.parent) for each in others} - self._owners
        # What derives from the owner and has a member of its own hides the owner's from all that derives from it.
        self._hidden = reader.derived(self._other_owners & reader.derived(self._owners)) - self._owners
        related = self._related - self._other_owners - self._hidden
        self._types = self._owners | {each for each in related if reader.count_definitions(each, 1)}
        self._here: dict[str, list[Symbol]] = {}
        for each in targets:
            self._here.setdefault(each.path, []).append(each)
        self._members = [each for each in targets if each.parent]
        self._free = [each for each in targets if not each.parent]
        self._modules = {folded(part) for each in targets for part in _parts(each.path)}
        self._other_places = {each.path for each in others if not each.parent}
        # A shared name is on thousands of lines: what a line is judged by is worked out once for its file or word.
        self._family = lru_cache(maxsize=CACHED)(family_of)
        self._symbols = lru_cache(maxsize=64)(reader.symbols)
        self._outlines = lru_cache(maxsize=64)(self._outline)
        self._is_like_owner = lru_cache(maxsize=CACHED)(lambda name: any(_alike(name, each) for each in self._owners))
        self._imports_it = lru_cache(maxsize=CACHED)(self._find_import)
        self._text = lru_cache(maxsize=8)(self._read)
        self._declared = lru_cache(maxsize=256)(self._find_declared)
        self._setting = lru_cache(maxsize=256)(self._find_setting)

    def certainty(self, path: str, number: int, text: str, starts: Sequence[int], word: str) -> str:
        """Judge a line of code: the best of what its occurrences of the word say."""
        if not self._targets or self._family(path) not in self._families:
            return POSSIBLE
        fits = any(self._fits(path, number, text[:start], text[start + len(word) :], word) for start in starts or (0,))
        return LIKELY if fits else POSSIBLE

    def _fits(self, path: str, number: int, before: str, after: str, word: str) -> bool:
        if _ACCESS.search(before):
            return self._fits_receiver(path, number, before, word)
        if _KEYWORD.match(after) and before.rstrip().endswith(("(", ",")):
            return any(each.kind in ("field", "attribute") for each in self._targets)
        if _KEY.match(after) and before.rstrip().endswith(("{", ",", "'", '"')) and not self._free:
            return not self._is_shared
        return self._fits_bare(path, number, word)

    def _fits_receiver(self, path: str, number: int, before: str, word: str) -> bool:
        owner, constructed = _receiver(before, word)
        if owner in _ITSELF:
            return not self._members or self._fits_itself(owner, self._class_around(path, number))
        if owner in self._types:
            return True
        if constructed:
            return False if owner[:1].isupper() else not self._is_shared
        if not owner:
            return not self._is_shared
        if self._free and not self._members:
            return folded(owner) in self._modules or (not self._is_shared and not self._type_of(path, number, owner))
        kind = self._type_of(path, number, owner)
        if kind:
            return kind in self._types
        return not self._is_shared or self._is_like_owner(owner)

    def _fits_itself(self, owner: str, around: str) -> bool:
        """Whether a member of the class around, or of what it derives from, can be the one meant: a class that has a
        member of its own means that one."""
        if around in self._hidden or around in (self._owners if owner in _ABOVE else self._other_owners):
            return False
        return around in self._related | {""}

    def _fits_bare(self, path: str, number: int, word: str) -> bool:
        if self._is_shared and self._is_shadowed(path, number, word):
            return False
        if any(self._is_visible(each, number) for each in self._here.get(path, ())):
            return True
        if not self._free and self._has_local:
            return False
        if self._members and not self._free:
            if language_id(path) not in _IMPLICIT:
                return not self._is_shared and self._members[0].kind not in CALLABLE
            around = self._class_around(path, number)
            return around in self._related or self._imports_it(path, word) or not (self._is_shared or around)
        if path in self._other_places:
            return False
        return not self._is_shared or self._imports_it(path, word) or self._shares_folder(path)

    def _is_visible(self, target: Symbol, number: int) -> bool:
        """Whether a bare use in the target's own file can mean it: a method needs its class around the line."""
        classes = (each.name for each in self._outlines(target.path)[0])
        if target.kind in CALLABLE and target.parent and _last(target.parent) in classes:
            return language_id(target.path) in _IMPLICIT and self._class_around(target.path, number) in self._related
        home = self._home(target)
        return home is None or home.line <= number <= home.end_line

    @cached_property
    def _has_local(self) -> bool:
        return any(self._home(each) is not None for each in self._targets)

    def _home(self, target: Symbol) -> Symbol | None:
        """The function that a definition is within, so that nothing outside of it sees it."""
        around = _last(target.parent)
        for each in self._outlines(target.path)[1] if around else ():
            if each.name == around and each.line <= target.line <= each.end_line:
                return each
        return None

    def _is_shadowed(self, path: str, number: int, word: str) -> bool:
        """Whether the word is a parameter of a function around a line, or a variable that the innermost one sets."""
        around = [each for each in self._outlines(path)[1] if each.line <= number <= each.end_line]
        if any(each in self._here.get(path, ()) for each in around):
            return False  # within the definition itself, or one of its name
        if any(word in _parameters(each.signature) for each in around):
            return True
        inner = innermost(around, number)
        return inner is not None and (inner.line, inner.end_line) in self._setting(path, word)

    def _find_setting(self, path: str, word: str) -> frozenset[tuple[int, int]]:
        """The lines of the functions that set a variable of a name and do not define anything of it."""
        text, callables = self._text(path), self._outlines(path)[1]
        rows = [text.count("\n", 0, at.end()) + 1 for at in re.finditer(_SETS % re.escape(word), text, re.MULTILINE)]
        defined = [each.line for each in self._symbols(path) if each.name == word]
        around = [innermost(callables, row) for row in rows]
        return frozenset(
            (each.line, each.end_line)
            for each in around
            if each is not None and not any(each.line < line <= each.end_line for line in defined)
        )

    def _outline(self, path: str) -> tuple[list[Symbol], list[Symbol]]:
        """The classes and the callables of a file."""
        symbols = self._symbols(path)
        return [each for each in symbols if each.kind in CLASS_LIKE], [
            each for each in symbols if each.kind in CALLABLE
        ]

    def _class_around(self, path: str, number: int) -> str:
        """The class or receiver type around a line, "" at the top of the file."""
        classes, callables = self._outlines(path)
        symbol = innermost(classes, number)
        if symbol is not None:
            return symbol.name
        method = innermost(callables, number)
        return _last(method.parent) if method is not None else ""

    def _find_import(self, path: str, word: str) -> bool:
        """Whether the file imports the word from a module that is called as the target's file, folder or class."""
        wanted = self._modules | {folded(owner) for owner in self._owners}
        for each in self._reader.imports_of(path):
            named = {folded(part) for part in re.split(r"[^\w-]+", each.module) if part}
            if (word in each.names or "*" in each.names) and (not named or named & wanted):
                return True
        return False

    def _shares_folder(self, path: str) -> bool:
        folder = path.rpartition("/")[0]
        return language_id(path) in _SHARING and any(each.path.rpartition("/")[0] == folder for each in self._free)

    def _read(self, path: str) -> str:
        try:
            return read_file(self._root, path, MAX_BYTES).decode("utf-8", "replace")
        except OSError:  # gone, or too large to be source: its receivers have no known type
            return ""

    def _type_of(self, path: str, number: int, name: str) -> str:
        """The type of a name by its nearest declaration above a line, else by the first one below; "" if unknown."""
        rows, kinds = self._declared(path, name)
        above = bisect_right(rows, number)
        return kinds[max(0, above - 1)] if kinds else ""

    def _find_declared(self, path: str, name: str) -> tuple[list[int], list[str]]:
        """The lines that declare a name, and the types they give it."""
        text = self._text(path)
        rows: list[int] = []
        kinds: list[str] = []
        row, counted, at = 1, 0, text.find(name)
        while at >= 0:
            kind = _declared_type(text, at, at + len(name))
            if kind and kind not in _NO_TYPES:
                row, counted = row + text.count("\n", counted, at), at
                rows.append(row)
                kinds.append(re.sub(r"^New(?=[A-Z])", "", _last(re.sub(r"::|->", ".", kind))))
            at = text.find(name, at + len(name))
        return rows, kinds


_TYPE_BEHIND = re.compile(
    r"\??[ \t]*:[ \t]*[\"']?(?:(?:Optional|list|List|readonly|mut)\b[\[<\s]*|&)?((?:\w+\.)*[A-Z]\w*)"
    r"(?=[ \t]*(?:[\[\](){},;=|<>\"'&\n]|$))"
    r"|(?:[ \t]*:[^=\n(]+)?[ \t]*:?=[ \t]*(?:await[ \t]+)?(?:new[ \t]+|&)?((?:\w+(?:\.|::))*_?[A-Z]\w*)[ \t]*[({<]"
    r"|[ \t]*=[ \t]*new[ \t]+([\w.:]+)"
    r"|[ \t]+\*?(?:\w+\.)?([A-Z]\w*)[ \t]*[,)]"  # Go
)
_TYPE_BEFORE = re.compile(
    r"(?:^|[^\w.:])([A-Za-z_][\w.]*(?:::\w+)*)(?:<[^;()]*>)?(?:\[\])*(?:[ \t]*[*&]+[ \t]*|[ \t]+)(?:const[ \t]+)?$"
    r"|\b([A-Z]\w*)\(.*\)[ \t]+as[ \t]+$"
)
_ENDS_DECLARATION = re.compile(r"[ \t]*(?:[=;,){\n]|:(?!:)|$)")
_LOOKED_AT = 120  # characters before a name


def _declared_type(text: str, start: int, end: int) -> str:
    """The type that the text around a name gives it: an annotation, a constructor, a type before or (Go) behind it."""
    if text[start - 1 : start].isalnum() or text[start - 1 : start] in ("_", ".") or text[end : end + 1].isalnum():
        return ""
    if found := _TYPE_BEHIND.match(text, end):
        return next(group for group in found.groups() if group)
    if _ENDS_DECLARATION.match(text, end):
        line = max(text.rfind("\n", 0, start) + 1, start - _LOOKED_AT)
        if found := _TYPE_BEFORE.search(text[line:start]):
            return found[1] or found[2]
    return ""


def _receiver(before: str, word: str) -> tuple[str, bool]:
    """Find what precedes the last dot: a name, or what is called there; a chain of calls of the word leads on to its
    own receiver.
    """
    while True:
        named = _OWNER.search(before)
        if named:
            return named[1], False
        head = _without_call(_ACCESS.sub("", before).rstrip().rstrip("?!&"))
        called = _CALLED.search(head) if head is not None else None
        if head is None or called is None:
            return "", False
        if called[1] != word:
            return called[1], True
        before = head[: called.start()]


def _without_call(text: str) -> str | None:
    """`sb.append(f(x))` → `sb.append`; None where the text ends with no call that begins on this line."""
    if not text.endswith((")", "]")):
        return None
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] in ")]") - (text[at] in "([")
        if depth == 0:
            return text[:at]
    return None


@lru_cache(maxsize=CACHED)
def _parameters(signature: str) -> frozenset[str]:
    """The names of a callable's parameters, as far as the name comes first; a type before it names none."""
    return frozenset(_PARAMETER.findall(signature))


def _parts(path: str) -> list[str]:
    folders, _, name = path.rpartition("/")
    return [name.partition(".")[0], *folders.split("/")[-2:]]


def _alike(name: str, owner: str) -> bool:
    """Whether a variable is called after a class: `cart`, `shopping_cart` or `_cart` after Cart."""
    plain, kind = name.lower().replace("_", "").lstrip("$@"), owner.lower().replace("_", "")
    return len(plain) > 2 and (plain == kind or plain.endswith(kind) or (len(plain) > 3 and kind.endswith(plain)))


def _last(dotted: str) -> str:
    return dotted.rpartition(".")[2]
