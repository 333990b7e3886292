"""Secrets: files that are secret by their names, and secrets inside other files, hidden where they stand.

A file whose name says that it holds secrets is never indexed or searched. Everything that the index reads of any other
file passes through here before it is parsed, stored or shown; so does everything that a host of the index logs or
answers. Each byte of a secret becomes one `*`, so that lines and columns stay. `secret_patterns` says what a secret is.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, NamedTuple

from codeintel_index.text.secret_patterns import (
    ASSIGNED,
    BEFORE,
    DATABASE,
    END,
    HEADER,
    JOINED,
    KEY_BODY,
    KEY_LINE,
    KEY_PART,
    KINDS,
    LONGEST_KEY,
    NAMES,
    PARTS,
    PLACEHOLDER,
    PRIVATE_KEY,
    SERVER,
    SHORTEST_PARTS,
    URL,
    VOWELS,
    WEAK,
)

PRIVATE = (
    r"\.env(?:\..+)?",
    r"\.envrc",
    r".+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc)",
    r"id_(?:rsa|dsa|ecdsa|ed25519)(?!.*\.pub$).*",
    r"\.(?:netrc|npmrc|pypirc|pgpass|htpasswd|git-credentials|vault_pass)",
    r"credentials(?:\.json)?",
    r"service[-_]account.*\.json",
    r"secrets?\.(?:json|ya?ml|toml)",
)
# Templates of such files, made to be committed and read.
PUBLIC = (r"\.env\.(?:example|sample|template|dist|defaults)",)

_PRIVATE = re.compile("|".join(f"(?:{row})" for row in PRIVATE), re.IGNORECASE)
_PUBLIC = re.compile("|".join(f"(?:{row})" for row in PUBLIC), re.IGNORECASE)


def is_private(path: str) -> bool:
    """Whether the file's name says that it holds secrets."""
    name = path.rpartition("/")[2]
    return bool(_PRIVATE.fullmatch(name)) and not _PUBLIC.fullmatch(name)


LEAST_OF_A_FORM, LEAST_OF_HEX, LEAST_OF_TEXT = 2.5, 2.8, 3.0  # entropy, in bits a byte
_LONG = re.compile(rb"\b[A-Za-z0-9_\-]{20,}")
_WORD = re.compile(rb"[\w+/-]+")
_HEX = re.compile(rb"[0-9a-fA-F]+")
SHORTEST_RANDOM_HEX = 24


class Secret(NamedTuple):
    """Where a secret is, in bytes; `kind` is a name for people."""

    kind: str
    start: int
    end: int


def masked(data: bytes) -> bytes:
    """Replace secrets by `*`: the bytes stay as long, with the same lines. Without a secret they are returned as is."""
    found = find_secrets(data)
    if not found:
        return data
    hidden = bytearray(data)
    for secret in found:
        hidden[secret.start : secret.end] = b"*" * (secret.end - secret.start)
    return bytes(hidden)


def mask_text(text: str) -> str:
    """Hide the secrets in a text."""
    data = text.encode("utf-8", "surrogatepass")
    hidden = masked(data)
    return text if hidden is data else hidden.decode("utf-8", "surrogatepass")


def signed_text(text: str, known: str = "") -> str:
    """Hide the secrets in a text but those that `known` holds, and put a sign behind each, such as `⟨3f2a⟩`.

    The same value has the same sign in any text, and 16 bits of a digest do not tell it. Of a value the same part need
    not be found in all texts, so its whole words count.
    """
    data, shown_already = text.encode("utf-8", "surrogatepass"), known.encode("utf-8", "surrogatepass")
    shown, at = list[bytes](), 0
    for secret in sorted(find_secrets(data), key=lambda one: (one.start, -one.end)):
        if secret.end > at and data[secret.start : secret.end] not in shown_already:
            start = max(at, secret.start)
            shown += [data[at:start], b"*" * (secret.end - start), _sign(data, secret)]
            at = secret.end
    return b"".join((*shown, data[at:])).decode("utf-8", "surrogatepass")


def sign_of(value: str) -> str:
    """Return the sign of a text that is a secret as a whole, "" if it holds no word."""
    data = value.encode("utf-8", "surrogatepass")
    return _sign(data, Secret("", 0, len(data))).decode()


def _sign(data: bytes, secret: Secret) -> bytes:
    begins = data.rfind(b"\n", 0, secret.start) + 1
    ends = data.find(b"\n", secret.end)
    words = (word.span() for word in _WORD.finditer(data, begins, ends if ends >= 0 else len(data)))
    whole = b" ".join(data[start:end] for start, end in words if start < secret.end and secret.start < end)
    return f"⟨{sha256(whole).hexdigest()[:4]}⟩".encode() if whole else b""


def mask_all(value: Any) -> Any:
    """Hide the secrets in all texts of JSON data; keys stay."""
    if isinstance(value, str):
        return mask_text(value)
    if isinstance(value, dict):
        return {key: mask_all(inner) for key, inner in value.items()}
    return [mask_all(inner) for inner in value] if isinstance(value, list) else value


def blanked(data: bytes) -> bytes:
    """Keep nothing of the bytes but how many lines they have, for a file that is a secret as a whole."""
    return b"\n" * data.count(b"\n") + (b" " if data and not data.endswith(b"\n") else b"")


def find_secrets(data: bytes) -> list[Secret]:
    """Find all secrets in the bytes of a file, in no order; they may overlap."""
    found = list(_private_keys(data))
    long = b"\n".join(_LONG.findall(data))
    for kinds, held in ((KINDS, long), (JOINED, data)) if long else ():
        for kind in kinds:
            if any(mark in held for mark in kind.marks):
                found += _matches(kind.name, kind.form, data)
    lowered = data.lower()
    found += _in_urls(data)
    found += _beside_names(data, lowered)
    if b"authorization" in lowered:
        headers = _matches("authorization header", HEADER, data)
        found += (each for each in headers if not _is_words(data[each.start : each.end]))
    if b";" in data and (b"password=" in lowered or b"pwd=" in lowered):
        passwords = _matches("connection string", DATABASE, data)
        found += (each for each in passwords if SERVER.search(data, max(0, each.start - BEFORE), each.start))
    return found


def _matches(name: str, form: re.Pattern[bytes], data: bytes) -> Iterator[Secret]:
    for match in form.finditer(data):
        if not PLACEHOLDER.search(match["secret"]) and _entropy(match["secret"]) >= LEAST_OF_A_FORM:
            yield Secret(name, *match.span("secret"))


def _private_keys(data: bytes) -> Iterator[Secret]:
    """The parts of private keys in PEM and PGP blocks, also of blocks in a string with `\\n` for line ends."""
    for begin in PRIVATE_KEY.finditer(data):
        start = begin.end()
        end = data.find(END, start, start + LONGEST_KEY)
        if end < 0:
            body = KEY_BODY.match(data, start, start + LONGEST_KEY)
            end = body.end() if body else start
        if KEY_LINE.search(data, start, end):
            for part in KEY_PART.finditer(data, start, end):
                yield Secret("private key", *part.span())


def _in_urls(data: bytes) -> Iterator[Secret]:
    for match in URL.finditer(data):
        secret = match["secret"]
        if secret != match["user"] and not PLACEHOLDER.search(secret) and not WEAK.fullmatch(secret):
            yield Secret("password in a url", *match.span("secret"))


def _beside_names(data: bytes, lowered: bytes) -> Iterator[Secret]:
    """Values that look random in lines that call them a secret."""
    for start, end in _lines_with(NAMES, lowered):
        for match in ASSIGNED.finditer(data, start, end):
            group = "secret" if match["secret"] is not None else "bare"
            if _is_random(match[group]):
                yield Secret("value of a secret name", *match.span(group))


def _lines_with(names: Iterable[bytes], lowered: bytes) -> list[tuple[int, int]]:
    """The lines that hold any of the names, once each."""
    lines: dict[int, int] = {}
    for name in names:
        at = lowered.find(name)
        while at >= 0:
            end = lowered.find(b"\n", at)
            end = len(lowered) if end < 0 else end
            lines[lowered.rfind(b"\n", 0, at) + 1] = end
            at = lowered.find(name, end)
    return list(lines.items())


def _is_random(value: bytes) -> bool:
    """Whether a value was drawn, not thought of: letters and digits mixed, no words, no placeholder."""
    if PLACEHOLDER.search(value) or WEAK.fullmatch(value) or _is_words(value):
        return False
    if _HEX.fullmatch(value):
        return len(value) >= SHORTEST_RANDOM_HEX and _entropy(value) >= LEAST_OF_HEX
    mixed = any(48 <= byte <= 57 for byte in value) and any(chr(byte).isalpha() for byte in value)
    return mixed and _entropy(value) >= LEAST_OF_TEXT


def _is_words(value: bytes) -> bool:
    """Whether a value is made of pronounceable words, as identifiers and paths are."""
    parts = PARTS.findall(value)
    if not parts or sum(map(len, parts)) / len(parts) < SHORTEST_PARTS:
        return False
    said = [part for part in parts if len(part) > 2 and part.islower()]
    return all(VOWELS.intersection(part) for part in said)


def _entropy(value: bytes) -> float:
    """Bits a byte, by how often each occurs."""
    counts = Counter(value).values()
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts)
