"""Code handed to an interpreter on the command line or by a here-document: the files it plainly writes.

Only plain text is read: a call that writes, and a string beside it. Code that puts its path together is left to the
comparison at the next submission.
"""

import re

_STRING = r"""(?:[rRbBuUfF]{0,2})(?P<q>['"`])(?P<path>[^'"`\n]+)(?P=q)"""
_CALLS = (
    re.compile(rf"\bopen\s*\(\s*{_STRING}\s*,\s*(?:mode\s*=\s*)?['\"][^'\"]*[wax+][^'\"]*['\"]"),
    re.compile(
        rf"\b(?:Path|PurePath|PosixPath)\s*\(\s*{_STRING}\s*\)\s*\.\s*(?:write_text|write_bytes|unlink|touch|rename"
        r"|replace|rmdir|chmod|symlink_to|hardlink_to|open\s*\(\s*['\"][wax])"
    ),
    re.compile(rf"\bos\s*\.\s*(?:remove|unlink|rename|replace|truncate|rmdir|chmod|link|symlink)\s*\(\s*{_STRING}"),
    re.compile(rf"\bos\s*\.\s*(?:rename|replace|link|symlink)\s*\([^,)]+,\s*{_STRING}"),
    re.compile(rf"\bshutil\s*\.\s*move\s*\(\s*{_STRING}"),
    re.compile(rf"\bshutil\s*\.\s*rmtree\s*\(\s*{_STRING}"),
    re.compile(rf"\bshutil\s*\.\s*(?:copy\w*|move)\s*\([^,)]+,\s*{_STRING}"),
    re.compile(rf"\b(?:writeFile|appendFile|unlink|rm|truncate|createWriteStream|rename|cp)(?:Sync)?\s*\(\s*{_STRING}"),
    re.compile(rf"\b(?:copyFile|rename|cp)(?:Sync)?\s*\([^,)]+,\s*{_STRING}"),
    re.compile(rf"\bDeno\s*\.\s*(?:write\w+|remove\w*)\s*\(\s*{_STRING}"),
    re.compile(rf"\bBun\s*\.\s*write\s*\(\s*{_STRING}"),
    re.compile(rf"\bFile\s*\.\s*(?:write|delete|rename|truncate)\s*\(?\s*{_STRING}"),
    re.compile(rf"\bFile\s*\.\s*open\s*\(?\s*{_STRING}\s*,\s*['\"][^'\"]*[wa+]"),
    re.compile(rf"\b(?:file_put_contents|unlink|rename|touch)\s*\(\s*{_STRING}"),
    re.compile(rf"\bfopen\s*\(\s*{_STRING}\s*,\s*['\"][^'\"]*[waxc+]"),
    re.compile(rf"\bio\s*\.\s*open\s*\(\s*{_STRING}\s*,\s*['\"][^'\"]*[wa+]"),
    re.compile(
        r"\bopen\s*\(?\s*(?:my\s+)?[$\w]+\s*,\s*['\"]\s*(?:\+?>>?|\+<)\s*['\"]?\s*,?\s*['\"]?(?P<path>[^'\"\s;)]+)"
    ),
)
_RUN = re.compile(
    r"""\b(?:os\s*\.\s*system|os\s*\.\s*popen|subprocess\s*\.\s*\w+|execSync|exec|system|shell_exec|passthru)\s*\(\s*"""
    r"""(?P<q>['"`])(?P<command>[^\n]*?)(?P=q)"""
)
_AWK_WRITES = re.compile(r'\bprintf?\b[^;}\n>]*>>?\s*"(?P<path>[^"]+)"')
_NAMED = re.compile(
    r"(?:^|;)\s*(?:const |let |var |my )?\s*(?P<name>\$?\w+)\s*="
    rf"\s*(?P<value>(?:pathlib\.)?(?:Path\()?{_STRING}\)?)\s*(?=;|$)",
    re.MULTILINE,
)


def written(code: str) -> list[str]:
    """Paths that a piece of code plainly writes, deletes or renames."""
    text = _filled(code)
    return [match["path"] for call in _CALLS for match in call.finditer(text)]


def _filled(code: str) -> str:
    """The code with names that are given a plain string once replaced by it, where they are used."""
    values: dict[str, list[str]] = {}
    for found in _NAMED.finditer(code):
        values.setdefault(found["name"], []).append(found["value"])
    for name, given in values.items():
        if len(given) == 1:
            value = given[0]
            bare = rf"(?<![\w$.]){re.escape(name)}(?=\s*(?:[,)]|\.\w+\())"
            code = re.sub(bare, lambda _, value=value: value, code)  # type: ignore[misc]
    return code


def commands(code: str) -> list[str]:
    """Command lines that a piece of code plainly runs."""
    return [match["command"] for match in _RUN.finditer(code)]


def written_by_awk(program: str) -> list[str]:
    """Paths that an awk program prints to."""
    return [match["path"] for match in _AWK_WRITES.finditer(program)]
