"""Files whose contents are secrets by name: never indexed, never searched. The table is the rule; add rows to it."""

import re

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
