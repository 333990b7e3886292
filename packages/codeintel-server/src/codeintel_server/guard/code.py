"""Code handed to an interpreter on the command line or by a here-document: what it plainly writes and runs.

Paths that are put together from strings are read as one; a loop over names or a glob makes a pattern of them. Code
that computes its paths is left to the comparison after it ran.
"""

from __future__ import annotations

import re

from codeintel_server.guard.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class _Pattern:
    """A pattern that is compiled once a text holds one of its words: to compile one takes half a millisecond.

    A match must hold at least one of the words of two letters and more that the pattern spells.
    """

    __slots__ = ("_text", "_words")

    def __init__(self, text: str) -> None:
        self._text = text
        self._words: tuple[str, ...] | None = None

    def _fits(self, text: str) -> bool:
        if self._words is None:
            bare = self._text
            for part in (_QUOTED, _QUOTED_FILE, _MODE):
                bare = bare.replace(part, "")
            self._words = tuple(word.lower() for word in _LITERALS.findall(_NO_LITERALS.sub("", bare)))
        folded = text.lower()
        return any(word in folded for word in self._words)

    def matches(self, text: str) -> list[re.Match[str]]:
        """Return all matches in a text."""
        return list(re.finditer(self._text, text)) if self._fits(text) else []

    def sub(self, new: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        """Return the text with its matches replaced."""
        return re.sub(self._text, new, text, count=count) if self._fits(text) else text


_NO_LITERALS = re.compile(r"\\[a-zA-Z]|\?P[<=]\w+[>)]|\?i:|\w[?*]")
_LITERALS = re.compile(r"[A-Za-z_]{2,}")
_QUOTED = r"""(?:[rRbBuUfF]{0,2})(?P<q>['"`])(?P<path>(?:(?!(?P=q))[^\n\\])+)(?P=q)"""
_TEXT = r"""(?:[rRbBuUfF]{0,2})(['"`])((?:(?!\1)[^\n\\])+)\1"""
_MODE = r"""\s*,\s*(?:mode\s*=\s*)?['"][^'"]*[wax+][^'"]*['"]"""
_QUOTED_FILE = r"""(?P<q>['"`])(?P<path>[^\n\\'"` ]+\.\w{1,8})(?P=q)"""
_PATH_METHODS = (
    r"write_text|write_bytes|unlink|touch|rename|rmdir|chmod|symlink_to|hardlink_to|open\s*\(\s*(?:mode\s*=\s*)?"
    r"['\"][wax+]|replace\s*\([^,\n]*\)"  # that of a text takes two
)
_CALLS = tuple(
    map(
        _Pattern,
        (
            rf"\b(?:open|fopen)\s*\(\s*{_QUOTED}{_MODE}",
            rf"\bopen\s*\(\s*{_QUOTED}\s*,[^)\n]*\bO_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)",
            rf"\bopen\s*\(\s*f\s*->.*?,\s*{_QUOTED}{_MODE}",
            rf"(?<![\w)\]]){_QUOTED}\s*\.\s*(?:{_PATH_METHODS})",
            r"\b(?:os|shutil)\s*\.\s*(?:remove|unlink|rename|replace|truncate|rmdir|chmod|link|symlink|move|rmtree)"
            rf"\s*\(\s*{_QUOTED}",
            rf"\b(?:os|shutil)\s*\.\s*(?:rename|replace|link|symlink|copy\w*|move)\s*\([^,()]+,\s*{_QUOTED}",
            rf"\b(?:input|FileInput)\s*\(\s*(?:files\s*=\s*)?[(\[]?\s*{_QUOTED}[^\n]*inplace\s*=\s*(?:True|1)",
            rf"@ARGV\s*=\s*\(?\s*{_QUOTED}.*?\$\^I\s*=",
            r"\b(?:fs::(?:write|remove\w*|rename|create\w*)|File::create|os\.(?:WriteFile|Remove(?:All)?|Create|Truncate|Rename))"
            rf"\s*\(\s*{_QUOTED}",
            rf"\bio\s*\.\s*output\s*\(\s*{_QUOTED}",
            rf"\b(?:write[\w.]*|writefile)\s*\([^()\n]*,\s*{_QUOTED_FILE}",
            rf"\boutput_(?:file|dir)\s*=\s*{_QUOTED}",
            rf"\bwith-open-file\s*\(\s*\w+\s+{_QUOTED}[^)]*:(?:output|io)\b",
            r"(?i:\bfile\s*\(\s*(?:write|append|touch|remove|generate output))\s+\"?(?P<path>[\w./-]+)",
            rf"\b(?:writeFile|writeTextFile|appendFile|unlink|rm|rmdir|truncate|createWriteStream|rename|cp|write_file"
            rf"|outputFile|file_put_contents|touch)(?:Sync)?\s*\(\s*{_QUOTED}",
            rf"\b(?:copyFile|rename|cp)(?:Sync)?\s*\([^,()]+,\s*{_QUOTED}",
            rf"\b(?:Deno|Bun)\s*\.\s*(?:write\w*|remove\w*|rename\w*)\s*\(\s*{_QUOTED}",
            r"\b(?:File|IO|FileUtils|Pathname)\s*\.\s*(?:write!?|binwrite|delete|rename|truncate|rm\w*!?|touch|mv|cp|unlink)"
            rf"\s*\(?\s*{_QUOTED}",
            rf"\b(?:File|IO)\s*\.\s*open\s*\(?\s*{_QUOTED}{_MODE}",
            rf"\b(?:io\s*\.\s*open|os\s*\.\s*rename)\s*\(?\s*{_QUOTED}{_MODE}",
            rf"\b(?:unlink|rename|truncate)\s*\(?\s*{_QUOTED}",
            rf"\bwriteLines\s*\([^()]*,\s*{_QUOTED}",
            rf"\b(?:file\.remove|unlink|sink|file\.create)\s*\(\s*{_QUOTED}",
            rf"(?:^|[\s;(])write\s*\(\s*{_QUOTED}",
            rf"\bnew\s+(?:File|java\.io\.File|FileWriter)\s*\(\s*{_QUOTED}\s*\)(?:\s*\.\s*(?:text\s*=|write|delete|append)|\s*;)",
            rf"(?<![\w.])(?:remove(?:_tree)?|unlink|rmtree|move|rename|truncate|delete)\s*\(\s*{_QUOTED}",
            rf"\bIO::File\s*->\s*new\s*\(\s*{_QUOTED}{_MODE}",
            rf"\bIO\.File\]::(?:Write|Append|Create|Delete|Move|Copy|Replace|OpenWrite)\w*\(\s*{_QUOTED}",
            rf"\)\s*\.\s*(?:remove|unlink|rename|rmtree|rmdir|truncate)\s*\(\s*{_QUOTED}",
            rf"(?<![\w.])(?:copy|copyfile|copytree|move|rename|urlretrieve)\s*\([^,()]+,\s*{_QUOTED}",
            rf"\.\s*urlretrieve\s*\([^,()]+,\s*{_QUOTED}",
            rf"\b(?:basicConfig|FileHandler)\s*\((?:[^()\n]*\bfilename\s*=)?\s*{_QUOTED}",
            rf"\b(?:mkstemp|mkdtemp|NamedTemporaryFile)\s*\([^()\n]*\bdir\s*=\s*{_QUOTED}",
            rf"\bpath\s*\(\s*{_QUOTED}\s*\)\s*->\s*(?:spew|append|remove|touch|move|edit)",
            rf"\b(?:cat|write[\w.]*|saveRDS|dump|dput|sink|save)\s*\([^()\n]*\b(?:file|con|path)\s*=\s*{_QUOTED}",
            rf"\bFiles\s*\.\s*(?:write\w*|delete\w*|create\w*|move|newBufferedWriter|newOutputStream)\s*\(\s*{_QUOTED}",
            rf"\bFiles\s*\.\s*(?:copy|move)\s*\([^,()]+,\s*{_QUOTED}",
            rf"\bFile\s*\(\s*{_QUOTED}\s*\)\s*\.\s*(?:write\w*|delete\w*|append\w*|renameTo|createNewFile|bytes\s*=)",
            rf"\bFile(?:Writer|OutputStream)\s*\(\s*{_QUOTED}",
            rf"\b(?:removeItem|createFile|createDirectory|moveItem|write)\s*\([^()\n]*\b(?:atPath|toFile|toPath)\s*:\s*{_QUOTED}",
            rf"\bfile:(?:write_file|delete|rename|copy|make_dir)\s*\(\s*{_QUOTED}",
            r"\(\s*(?:[\w./]+/)?(?:spit|delete-file|delete-directory|rename-file|write-file|call-with-output-file"
            rf"|with-output-to-file|open-output-file|delete|delete-tree)\s+{_QUOTED}",
            rf"\b(?:writeFile|appendFile|removeFile|Sys\.(?:remove|rename)|open_out(?:_bin)?)\s+{_QUOTED}",
            rf"\.\s*(?:to_(?:csv|json|excel|parquet|pickle|html|feather)|save\w*|imwrite|tofile|write_\w+)\s*\(\s*{_QUOTED_FILE}",
            rf"\b(?:ZipFile|FileIO|TarFile|RarFile|openSync|File|shelve\.open)\s*\(\s*{_QUOTED}{_MODE}",
            rf"\b(?:symlink|link)Sync\s*\([^,()]+,\s*{_QUOTED}",
            r"\bfile\s+(?:delete|rename|copy|mkdir)\s+(?:-force\s+)?(?P<path>[\w./-]+)",
            r"\bopen\s+(?P<path>[\w./-]+)\s+[wa]\+?\b",
            r"\bopen\s*\(?\s*(?:my\s+)?[$\w]+\s*,\s*['\"]\s*(?:\+?>>?|\+<)\s*(?:['\"]\s*,\s*['\"])?(?P<path>[^'\"\s;)]+)",
        ),
    )
)
_STRONG = (
    r"(?i:write|save|delete|remove(?=\w)|unlink|erase|rmtree|rename|trunc|chmod|touch|spit|spew|overwrite|create|temp-file"
    r"|spurt|utime|output|sysopen)"
    r"(?!\w*(?i:read|hash|prefix|suffix|check))[\w!?-]*"
)
_WEAK = (
    r"(?:(?i:dump|export|copy|move|download|retrieve|fetch|convert|extract|render|to-file)[\w-]*"
    r"|\b(?:cp|mv|(?:sym|hard)?link)\w*|\bto_\w+)"
)
_KEYWORD = r"(?:\w+\s*(?:=>?|:)\s*)?"
_TOUCHES = (
    rf"{_STRONG}\s*[\[( ]\s*(?:glob\s*\(?\s*)?{_KEYWORD}{_QUOTED}",
    rf"(?:{_STRONG}|{_WEAK})[!?]?[\s(][^(){{}}\n;]{{0,200}}[,\s]\s*{_KEYWORD}{_QUOTED}",
    rf"{_QUOTED}\s*\)*\s*(?:\.|->|:)\s*(?:\w+\.)?{_STRONG}",
    rf"{_QUOTED}\s*\)+\s*<<",
    rf"\b(?:unlink|remove|rmtree|rmdir|truncate|rename)\s*,\s*[\[(]?\s*{_QUOTED}",
    rf"\bconnect\s*\(\s*{_QUOTED}(?=.*?\b(?i:insert\s+into|update|delete\s+from|create|drop|alter|vacuum)\b)",
    rf"[(,]\s*(?:out\w*|dest\w*|cfile|log_?file)\s*=\s*{_QUOTED}",
    rf"\(\s*{_QUOTED}\s*,\s*['\"][rb]*[wax+][bt+]*['\"]",
)
_LOOKS = re.compile(r"(?i)exist|is_?file|is_?dir|read|load|parse|access|stat\b|test|import_module|glob")
_UNTOLD = _Pattern(
    rf"\bf?open\s*\(\s*(?!['\"])[^\n]*?{_MODE}|\.\s*(?:write_text|write_bytes)\s*\(|\bwriteFile(?:Sync)?\s*\(\s*(?!['\"`])"
    r"|\b(?:os|shutil)\s*\.\s*(?:remove|unlink|rename|replace|rmtree|truncate)\s*\(\s*(?!['\"])"
    r"|\bFile\s*\.\s*(?:write|delete|rename)\s*\(?\s*(?!['\"])|\bfile_put_contents\s*\(\s*(?!['\"])"
    r"|\b(?:append|truncate|unlink|rm|rename|cp|copyFile)Sync\s*\(\s*[a-z]"
)
_ELSEWHERE = re.compile(r"(?i)te?mp|StringIO|BytesIO|devnull|/dev/|/var/|~|home|cache|build|dist|stdout|stderr")
_RUNS = _Pattern(
    r"\b(?:system|popen|subprocess\s*\.\s*\w+|\w+\s*\.\s*(?:call|check_call|check_output|run|Popen)|run|exec\w*|spawn\w*"
    r"|shell_exec|passthru|create_subprocess_\w+|Popen|check_call|check_output|getoutput|getstatusoutput|call)\s*\(?\s*(?P<list>[\[(]?)\s*(?P<said>['\"`].*)"
)
_SHELL_TEXT = re.compile(
    r"do shell script \"([^\"]+)\"|(?<![\w'\"=(,])`([^`\n]+)`"
    r"|%x[\[({]([^\])}\n]+)"
    r"|\bopen\b[^;\n'\"]*['\"]\s*\|-?\s*(?:['\"]\s*,\s*['\"])?([^'\"\n]+)['\"]"  # of Perl: to a program
)
_NOTEBOOK_LINES = re.compile(r"^\s*!\s*([a-z][^\n]*)", re.MULTILINE)
_UNPACKS = _Pattern(rf"\b(?:extractall|unpack_archive)\s*\((?:[^()'\"]*,)?\s*(?:path\s*=\s*)?(?:{_QUOTED})?")
_WALKS = _Pattern(rf"\bos\s*\.\s*(?:walk|scandir|listdir)\s*\(\s*{_QUOTED}")
_OPENS_COMPUTED = _Pattern(
    rf"\bopen\s*\(\s*(?!['\"])[^\n]*?{_MODE}|\b(?:os|shutil)\s*\.\s*(?:remove|unlink|move)\s*\(\s*(?!['\"])"
)
_STRING = re.compile(r"""(['"`])((?:(?!\1)[^\\\n]|\\.)*)\1""")
_AWK_WRITES = re.compile(
    r'\bprintf?\b[^;}\n>|]*>>?\s*(?:"(?P<path>[^"]+)"'
    r'|\(?(?P<name>[a-zA-Z_]\w*(?:\[\d+\])?)\s*(?:"(?P<tail>[^"]*)")?\)?\s*(?=[;}\n]|$))'
)
_AWK_RUNS = re.compile(r'\bsystem\s*\(\s*"([^"]+)"|\|&?\s*"([^"]+)"|"([^"]+)"\s*\|&?\s*getline')
_JOINED = _Pattern(
    r"""(?:\b(?:os\.)?path|\brequire\(\s*['"](?:node:)?path['"]\s*\))\.join\s*\(\s*((?:['"][^'"\n]+['"]\s*,?\s*)+)\)"""
)
_PATH = _Pattern(rf"(?:\b[a-z]+\.)*\b(?:Pure|Posix)?Paths?(?:\.(?:of|get))?\s*\(\s*{_TEXT}\s*(\)|,\s*)")
_SLASHED = re.compile(rf"{_TEXT}\s*\)?\s*/\s*(['\"])([^'\"\n]+)\3")
_BRACKETED = re.compile(rf"(?<!\w)\(\s*{_TEXT}\s*\)")
_ADDED = re.compile(r"""(['"])([^'"\n]*)\1\s*\+\s*(['"])([^'"\n]*)\3""")
_CHARACTER = _Pattern(r"\bchr\(\s*(4[5-9]|5[0-7]|6[5-9]|[789]\d|1[01]\d|12[012])\s*\)")
_JOINPATH = _Pattern(rf"{_TEXT}\s*\.\s*joinpath\(\s*(['\"])([^'\"\n]+)\3\s*\)")
_TAKEN = _Pattern(r"=\s*shift\b|\[\s*,\s*,\s*(\w+)\s*\]\s*=\s*process\.argv")
_SETTING = _Pattern(
    r"\bos\.(?:environ(?:\.get\(|\[)|getenv\()\s*(['\"])(?P<python>\w+)\1[^)\]\n]*[)\]]"
    r"|\bprocess\.env\.(?P<node>\w+)|\bENV(?:\[|\.fetch\()\s*['\"](?P<ruby>\w+)['\"]\s*[)\]]|\$ENV\{\s*['\"]?(?P<perl>\w+)['\"]?\s*\}"
)
_RENAMED = _Pattern(r"\bfrom\s+[\w.]+\s+import\s+(\w+)\s+as\s+(\w+)|\bimport\s+([\w.]+)\s+as\s+(\w+)")
_GETATTR = _Pattern(r"\bgetattr\(\s*(\w+)\s*,\s*['\"](\w+)['\"]\s*\)")
_DESTRUCTURED = _Pattern(r"\{([^{}]*)\}\s*(?:=\s*(?:await\s+)?(?:require|import)\b|from\b)")
_HIDDEN = _Pattern(
    r"\b(?:exec|eval|Function|instance_eval)\b[^;]*\b(?:b64decode|fromhex|unhexlify|decompress|atob|Base64|base64|decode64"
    r"|rot13|base64_decode)\b"
)
_EACH = _Pattern(
    rf"(?:\bDir\s*(?:\.glob\s*\(|\[)\s*)?{_TEXT}\s*[\])]?\s*\.\s*each\s*(?:do|\{{)\s*\|\s*(\w+)"
    rf"|\bglob\s*\(\s*{_TEXT.replace('1', '4')}\s*\)\s+as\s+(\$\w+)"
)
_STRINGS = r"""['"]([^'"\n]+)['"]"""
_GLOB = _Pattern(rf"\bglob\.i?glob\s*\(\s*{_TEXT}\s*(?:,[^)\n]*)?\)")
_PATH_GLOB = _Pattern(rf"{_TEXT}\s*\.\s*(?:r?glob)\s*\(\s*(['\"])([^'\"\n]+)\3\s*\)")
_LOOP = _Pattern(
    r"\bfor\s+(\w+)\s+in\s+(?:sorted\()?"
    rf"(?:{_TEXT.replace('1', '2')}|[\[(]((?:\s*['\"][^'\"\n]+['\"]\s*,?)+)[\])])\)?\s*(?=[:\])])"
)
_NAMED = re.compile(
    rf"(?:^|;|\s)(?:const |let |var |my )?\s*(\$?\w+)\s*=\s*({_TEXT.replace('1', '3')})\s*(?=;|$|,)", re.MULTILINE
)


def written(text: str) -> list[Word]:
    """Return the paths that a piece of code plainly writes, deletes or renames."""
    text = _plain(text)
    found = [match["path"] for call in _CALLS for match in call.matches(text)]
    inner = re.findall(r"\bexec\s*\(\s*\"((?:[^\"\\]|\\.)*)\"", text)
    return [Word(path, is_pattern=True) for path in found] + [word for part in inner for word in written(part)]


def touched(text: str) -> list[str]:
    """Return the strings that stand where a call whose name means a change takes its path."""
    text = _plain(text)
    return [found["path"] for pattern in _TOUCHES for found in re.finditer(pattern, text)]


def strings(text: str) -> list[str]:
    """Return the strings of a piece of code."""
    return [found[2] for found in _STRING.finditer(_plain(text))]


def may_look(text: str) -> bool:
    """Say whether a piece of code reads, or asks what is there: a path in it may be of a file that is not."""
    return _LOOKS.search(text) is not None


def is_untold(text: str) -> bool:
    """Say whether a piece of code plainly writes files, and nothing in it says which."""
    return bool(_UNTOLD.matches(text)) and not is_elsewhere(text)


def is_elsewhere(text: str) -> bool:
    """Say whether a piece of code names a place outside of the project: what it writes may lie there."""
    return _ELSEWHERE.search(text) is not None


def with_arguments(text: str, arguments: list[str]) -> str:
    """Return the code with its arguments in the place of what stands for them."""
    for at, word in enumerate(arguments, 1):
        name = rf"\bsys\.argv\[{at}\]|\bprocess\.argv\[{at + 1}\]|\b(?:ARGV|argv)\[{at - 1}\]|\bos\.Args\[{at}\]"
        text = re.sub(name, lambda _, word=word: repr(word), text)  # type: ignore[misc]
    return _TAKEN.sub(lambda found: f"{found[1] or ''} = {arguments[0]!r}", text, count=1) if arguments else text


def with_settings(text: str, known: dict[str, str]) -> str:
    """Return the code with what the line has set in the place of variables of the environment."""

    def said(found: re.Match[str]) -> str:
        name = found[found.lastgroup or 0]
        return repr(known[name]) if name in known else found[0]

    return _SETTING.sub(said, text)


def is_hidden(text: str) -> bool:
    """Say whether a piece of code runs what it first decodes."""
    return bool(_HIDDEN.matches(text))


def _plain(text: str) -> str:
    """Return the code with paths put together, and names replaced where they are used, until nothing changes."""
    text = _named_fully(text)
    for name, alias, module, short in (found.groups() for found in _RENAMED.matches(text)):
        text = re.sub(rf"\b{alias or short}\b(?=\s*[.(])", name or module, text)
    for _ in range(6):
        before = text
        text = _CHARACTER.sub(lambda found: f'"{chr(int(found[1]))}"', text)
        text = _ADDED.sub(r'"\2\4"', text)
        text = _JOINPATH.sub(r'"\2/\4"', text)
        text = _GETATTR.sub(r"\1.\2", text)
        text = _GLOB.sub(r'"\2"', text)
        text = _JOINED.sub(lambda found: f'"{"/".join(re.findall(_STRINGS, found[1]))}"', text)
        text = _PATH.sub(lambda found: f'"{found[2]}"' + ("" if found[3] == ")" else " / ("), text)
        text = re.sub(r"/ \(\s*(['\"])([^'\"\n]+)\1\s*\)", r'/ "\2"', text)
        text = _SLASHED.sub(lambda found: f'"{found[2].rstrip("/")}/{found[4]}"', text)
        text = _PATH_GLOB.sub(lambda found: f'"{found[2]}/{found[4]}"', text)
        text = _BRACKETED.sub(r'"\2"', text)
        text = _replaced(text)
        if text == before:
            break
    return text


def _named_fully(text: str) -> str:
    """Return the code with functions by the names of their modules, not by short ones of its own."""
    for names in (found[1] for found in _DESTRUCTURED.matches(text)):
        for name, short in re.findall(r"(\w+)\s*(?::|\bas\b)\s*(\w+)", names):
            text = re.sub(rf"\b{short}\b(?=\s*\()", name, text)
    return text


def _replaced(text: str) -> str:
    """Return the code with each name that is given one string put in its place; a loop gives all of its strings."""
    values: dict[str, set[str]] = {}
    for found in _NAMED.finditer(text):
        values.setdefault(found[1], set()).add(found[4])
    for found in _LOOP.matches(text):
        many = re.findall(_STRINGS, found[4] or "")
        values.setdefault(found[1], set()).add(
            found[3] or (f"{{{','.join(many)}}}" if len(many) > 1 else "".join(many))
        )
    for found in _EACH.matches(text):
        values.setdefault(found[3] or found[6], set()).add(found[2] or found[5])
    for name, given in values.items():
        if len(given) == 1:
            value = f'"{min(given)}"'
            bare = rf"(?<![\w$.'\"]){re.escape(name)}(?=\s*(?:[,){';' * (name[0] == '$')}]|/|\.\w+\s*\())"
            text = re.sub(bare, lambda _, value=value: value, text)  # type: ignore[misc]
    return text


def commands(text: str) -> list[str]:
    """Return the command lines that a piece of code plainly runs; a list of words is joined to one."""
    found = []
    for match in _RUNS.matches(_named_fully(text)):
        strings = [(string[2], string.end()) for string in _STRING.finditer(match["said"])]
        end = match["said"].find("]") if match["list"] == "[" else -1
        words = [word for word, at in strings if end < 0 or at <= end]
        rest = match["said"][strings[0][1] :].lstrip() if strings else ""
        if match["list"] == "[" or (rest[:1] == "," and rest[1:].lstrip()[:1] == "["):
            found.append(" ".join("'" + word.replace("'", "'\\''") + "'" for word in words))
        else:
            found += words[:1]
    return found + ["".join(said) for said in _SHELL_TEXT.findall(text)] + _NOTEBOOK_LINES.findall(text)


def unpacked(text: str) -> list[str]:
    """Return the folders in which a piece of code unpacks an archive, or rewrites whatever it finds."""
    text = _plain(text)
    found = [match["path"] or "." for match in _UNPACKS.matches(text)]
    if _OPENS_COMPUTED.matches(text):
        found += [match["path"] for match in _WALKS.matches(text)]
    return found


def written_by_awk(program: str, given: dict[str, str]) -> list[str]:
    """Return the paths that an awk program prints to; `given` are its variables."""
    found = []
    for match in _AWK_WRITES.finditer(program):
        known = given.get(match["name"] or "", "")
        found.append(match["path"] or (known and known + (match["tail"] or "")))
    return [path for path in found if path]


def commands_of_awk(program: str) -> list[str]:
    """Return the command lines that an awk program runs."""
    return ["".join(found) for found in _AWK_RUNS.findall(program)]
