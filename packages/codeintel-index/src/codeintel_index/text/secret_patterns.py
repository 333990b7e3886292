"""What a secret looks like: one table. A row is a form that an issuer gives its tokens; add rows to it.

`marks` are texts of which every token of the row holds one: looking for them is cheap, the expression is not. The
group `secret` of the expression is what is hidden; what precedes it says what it was. Values that only a name
beside them makes a secret (`password = "…"`) are found by `NAMES` and by how random they are.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """One form of secret."""

    name: str
    marks: tuple[bytes, ...]
    form: re.Pattern[bytes]


def _kind(name: str, marks: str, form: str) -> Kind:
    return Kind(name, tuple(marks.encode().split()), re.compile(form.encode()))


# All of these hold at least twenty letters, digits, `_` and `-` in a row, which is what is looked for first.
KINDS: tuple[Kind, ...] = (
    _kind("aws access key", "AKIA ASIA", r"\b(?:AKIA|ASIA)(?P<secret>[A-Z2-7]{16})\b"),
    _kind("google api key", "AIza", r"\bAIza(?P<secret>[\w-]{35})(?![\w-])"),
    _kind("google oauth", "GOCSPX-", r"\bGOCSPX-(?P<secret>[\w-]{28})(?![\w-])"),
    _kind("github", "ghp_ gho_ ghu_ ghs_ ghr_", r"\bgh[pousr]_(?P<secret>[A-Za-z0-9]{36,255})\b"),
    _kind("github", "github_pat_", r"\bgithub_pat_(?P<secret>[A-Za-z0-9]{22}_[A-Za-z0-9]{59})\b"),
    _kind("gitlab", "glpat- gldt- glrt- glptt-", r"\bgl(?:pat|dt|rt|ptt)-(?P<secret>[\w-]{20,64})"),
    _kind("slack", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-", r"\bxox[abeoprs]-(?P<secret>[A-Za-z0-9-]{20,})"),
    _kind("stripe", "sk_live_ rk_live_ sk_test_ rk_test_", r"\b[sr]k_(?:live|test)_(?P<secret>[A-Za-z0-9]{16,247})\b"),
    _kind("stripe", "whsec_", r"\bwhsec_(?P<secret>[A-Za-z0-9+/=]{24,})"),
    _kind("anthropic", "sk-ant-", r"\bsk-ant-(?P<secret>[\w-]{40,})"),
    _kind("openai", "sk-proj- sk-svcacct- sk-admin-", r"\bsk-(?:proj|svcacct|admin)-(?P<secret>[\w-]{40,})"),
    _kind("openai", "T3BlbkFJ", r"\bsk-(?P<secret>[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})\b"),
    _kind("hugging face", "hf_", r"\bhf_(?P<secret>[A-Za-z]{34})\b"),
    _kind("npm", "npm_", r"\bnpm_(?P<secret>[A-Za-z0-9]{36})\b"),
    _kind("pypi", "pypi-AgE", r"\bpypi-AgE(?P<secret>[\w-]{50,})"),
    _kind("rubygems", "rubygems_", r"\brubygems_(?P<secret>[a-f0-9]{48})\b"),
    _kind("docker", "dckr_pat_", r"\bdckr_pat_(?P<secret>[\w-]{27})"),
    _kind("digitalocean", "doo_v1_ dop_v1_ dor_v1_", r"\bdo[opr]_v1_(?P<secret>[a-f0-9]{64})\b"),
    _kind("databricks", "dapi", r"\bdapi(?P<secret>[a-f0-9]{32})\b"),
    _kind("shopify", "shpat_ shpca_ shppa_ shpss_", r"\bshp(?:at|ca|pa|ss)_(?P<secret>[a-fA-F0-9]{32})\b"),
    _kind("square", "EAAA sq0atp- sq0csp-", r"\b(?:EAAA|sq0(?:atp|csp)-)(?P<secret>[\w-]{43,60})(?![\w-])"),
    _kind("linear", "lin_api_", r"\blin_api_(?P<secret>[A-Za-z0-9]{40})\b"),
    _kind("postman", "PMAK-", r"\bPMAK-(?P<secret>[a-f0-9]{24}-[a-f0-9]{34})\b"),
    _kind("new relic", "NRAK-", r"\bNRAK-(?P<secret>[A-Z0-9]{27})\b"),
    _kind("atlassian", "ATATT3", r"\bATATT3(?P<secret>[\w=-]{100,})"),
    _kind("grafana", "glsa_", r"\bglsa_(?P<secret>[A-Za-z0-9]{32}_[a-f0-9]{8})\b"),
    _kind("planetscale", "pscale_", r"\bpscale_(?:tkn|pw|oauth)_(?P<secret>[\w.=-]{32,})"),
    _kind("age", "AGE-SECRET-KEY-1", r"\bAGE-SECRET-KEY-1(?P<secret>[0-9A-Z]{58})\b"),
)

# Tokens in parts: what is long in them does not begin with their mark.
JOINED: tuple[Kind, ...] = (
    _kind("jwt", "eyJ", r"\beyJ[\w-]{8,}\.eyJ(?P<secret>[\w-]{8,}\.[\w-]{16,})"),
    _kind("google oauth", "ya29.", r"\bya29\.(?P<secret>[\w-]{20,})"),
    _kind("sendgrid", "SG.", r"\bSG\.(?P<secret>[\w-]{22}\.[\w-]{43})(?![\w-])"),
    _kind("vault", "hvs.", r"\bhvs\.(?P<secret>[\w-]{24,})"),
    _kind("terraform", ".atlasv1.", r"\b(?P<secret>[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,})"),
    _kind("telegram", ":AA", r"(?<!\d)\d{8,10}:AA(?P<secret>[\w-]{33})(?![\w-])"),
    _kind("slack webhook", "hooks.slack.com", r"hooks\.slack\.com/services/(?P<secret>T\w{8,}/B\w{8,}/\w{20,})"),
    _kind("discord webhook", "/webhooks/", r"discord(?:app)?\.com/api/webhooks/(?P<secret>\d{17,20}/[\w-]{60,})"),
    _kind(
        "azure", "AccountKey= SharedAccessKey=", r"(?:Account|SharedAccess)Key=(?P<secret>[A-Za-z0-9+/]{43,86}={1,2})"
    ),
)

# A user's password in a URL.
URL = re.compile(rb"://(?P<user>[^\s:/?#@\"'<>`]{0,64}):(?P<secret>[^\s@/\"'<>`\[\]{}]{3,200})@")
# A password in a connection string, which says in the same line, before it, to whom it belongs.
DATABASE = re.compile(rb"[;\"' ](?:password|pwd)=(?P<secret>[^;\"'\s]{6,100})", re.IGNORECASE)
SERVER = re.compile(rb"(?:server|data source|host|addr)=[^\n]*\Z", re.IGNORECASE)
BEFORE = 300  # bytes looked at
HEADER = re.compile(
    rb"authorization[\"']?\]?\s{0,4}[:=,]\s{0,4}[\"'`]?(?:bearer|basic|token)\s{1,4}(?P<secret>[\w.~+/=-]{16,})",
    re.IGNORECASE,
)

PRIVATE_KEY = re.compile(rb"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----")
END = b"-----END"
LONGEST_KEY = 20_000  # bytes
KEY_LINE = re.compile(rb"[A-Za-z0-9+/]{40,}={0,2}")  # one of these makes a block a key
KEY_PART = re.compile(rb"[A-Za-z0-9+/]{16,}={0,2}|^[ \t]*[A-Za-z0-9+/]{1,15}={0,2}\r?$", re.MULTILINE)
KEY_BODY = re.compile(rb"[A-Za-z0-9+/=\s\\]*")  # of a block without an end

# Names whose values are secrets, in lower case, and how a value follows one in a line.
NAMES = (b"passw", b"pwd", b"secret", b"token", b"apikey", b"_key", b"-key", b"credential")
ASSIGNED = re.compile(
    rb"(?:passw(?:or)?d|pwd|secret|token|(?:api|access|auth|private|signing|encryption|account)[_-]?key|credential)s?"
    rb"[\w-]{0,40}[\"'\]]{0,2}\s{0,4}(?::\s{0,2}[\w\[\]. |?]{1,30}=|=>|:=|[:=])\s{0,4}"
    rb"(?:[\"'`](?P<secret>[^\"'`\s]{8,200})[\"'`]|(?P<bare>[A-Za-z0-9+/_=.~-]{16,200})[ \t]*\r?\Z)",
    re.IGNORECASE,
)

# What people write where a secret would stand: no secret, or every example would be one.
PLACEHOLDER = re.compile(
    rb"example|placeholder|://|your|change_?-?me|redacted|dummy|sample|insert|replace|xxxx|\.\.\.|\*\*\*|[$%<{]|"
    rb"0123456|1234567|abcdefg|(.)\1{5}",
    re.IGNORECASE | re.DOTALL,
)
WEAK = re.compile(
    rb"(?>password|passwd|pass|pwd|secret|token|test|fake|mock|demo|foo|bar|postgres|mysql|root|admin|guest|username|"
    rb"user|default|none|null|true|false|key|my|some|secure|super|strong|valid|invalid|wrong|[\d_.!@-])++",
    re.IGNORECASE,
)
# The parts of identifiers, paths and prose. Random values fall into shorter ones, some of which cannot be pronounced.
PARTS = re.compile(rb"[A-Z]?[a-z]+|[A-Z]+|\d+")
VOWELS = frozenset(b"aeiouyAEIOUY")
SHORTEST_PARTS = 2.6  # characters, on average
