"""Secrets inside of files: what is hidden, what is not, and that no way of asking shows them.

No token stands here: each is drawn when a test runs, so that nobody's scanner has anything to find.
"""

import json
import random
import re
import string
from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_index import Index
from codeintel_index.results import MapEntry
from codeintel_index.testing import make_repo, write_files
from codeintel_index.text.redaction import find_secrets, mask_all, mask_text, masked, sign_of, signed_text

pytestmark = pytest.mark.draws(18)

Rows = Callable[..., list[tuple[object, ...]]]
RANDOM = random.Random(20261121)
LETTERS, DIGITS, LOWER_HEX = string.ascii_letters, string.digits, "0123456789abcdef"
WORD = LETTERS + DIGITS


def drawn(count: int, alphabet: str = WORD) -> str:
    return "".join(RANDOM.choices(alphabet, k=count))


def pem(lines: int = 6, kind: str = "RSA PRIVATE KEY", last: int = 20) -> str:
    body = [drawn(64, WORD + "+/") for _ in range(lines)] + [drawn(last) + "=="]
    return "\n".join([f"-----BEGIN {kind}-----", *body, f"-----END {kind}-----"])


def jwt() -> str:
    return f"eyJ{drawn(33)}.eyJ{drawn(60)}.{drawn(43)}"


# The secret part of each text; everything else of it must stay readable.
TOKENS: dict[str, tuple[str, str, str]] = {
    "aws access key": ("id = 'AKIA", drawn(16, string.ascii_uppercase + "234567"), "'"),
    "google": ("key: AIza", drawn(35), ""),
    "google oauth client": ("GOCSPX-", drawn(28), ""),
    "google oauth token": ("ya29.", drawn(60), ""),
    "github": ("git clone https://ghp_", drawn(36), "@github.com/a/b"),
    "github fine-grained": ("GH = github_pat_", f"{drawn(22)}_{drawn(59)}", ""),
    "gitlab": ("glpat-", drawn(20), ""),
    "slack": ("xoxb-", f"{drawn(12, DIGITS)}-{drawn(12, DIGITS)}-{drawn(24)}", " "),
    "slack webhook": ("https://hooks.slack.com/services/", f"T{drawn(9)}/B{drawn(9)}/{drawn(24)}", ""),
    "discord webhook": ("https://discord.com/api/webhooks/", f"{drawn(18, '123456789')}/{drawn(68)}", ""),
    "stripe": ("sk_live_", drawn(24), ""),
    "stripe webhook": ("whsec_", drawn(32), ""),
    "anthropic": ("sk-ant-", f"api03-{drawn(90)}", ""),
    "openai": ("sk-proj-", drawn(60), ""),
    "hugging face": ("hf_", drawn(34, LETTERS), ""),
    "npm": ("NPM npm_", drawn(36), ""),
    "pypi": ("pypi-AgE", drawn(120), ""),
    "docker": ("dckr_pat_", drawn(27), ""),
    "digitalocean": ("dop_v1_", drawn(64, LOWER_HEX), ""),
    "databricks": ("dapi", drawn(32, LOWER_HEX), ""),
    "shopify": ("shpat_", drawn(32, LOWER_HEX), ""),
    "square": ("sq0csp-", drawn(43), ""),
    "linear": ("lin_api_", drawn(40), ""),
    "postman": ("PMAK-", f"{drawn(24, LOWER_HEX)}-{drawn(34, LOWER_HEX)}", ""),
    "new relic": ("NRAK-", drawn(27, string.ascii_uppercase + DIGITS), ""),
    "atlassian": ("ATATT3", drawn(180), ""),
    "grafana": ("glsa_", f"{drawn(32)}_{drawn(8, LOWER_HEX)}", ""),
    "planetscale": ("pscale_tkn_", drawn(43), ""),
    "age": ("AGE-SECRET-KEY-1", drawn(58, string.ascii_uppercase + DIGITS), ""),
    "rubygems": ("rubygems_", drawn(48, LOWER_HEX), ""),
    "sendgrid": ("SG.", f"{drawn(22)}.{drawn(43)}", ""),
    "vault": ("hvs.", drawn(90), ""),
    "terraform": ("credentials ", f"{drawn(14)}.atlasv1.{drawn(67)}", ""),
    "telegram": (f"bot{drawn(9, '123456789')}:AA", drawn(33), "/getMe"),
    "azure": ("AccountName=shop;AccountKey=", f"{drawn(86)}==", ";Endpoint=x"),
    "url": ("postgres://shop:", "Tr0ub4dor&3", "@db.internal:5432/shop"),
    "ado": ("Server=db;Database=shop;User Id=app;Password=", "Gr8Wall!ofChina", ";Encrypt=true"),
    "header": ("curl -H 'Authorization: Bearer ", drawn(40), "'"),
    "python": ('API_KEY = "', drawn(32), '"'),
    "annotated": ('password: str = "', "Tr0ub4dor&3", '"  # mine'),
    "json": ('{"clientSecret": "', drawn(40, LOWER_HEX), '"}'),
    "ruby": (":secret_key_base => '", drawn(128, LOWER_HEX), "'"),
    "go": ("authToken := `", drawn(24), "`"),
    "environment": ("export DB_PASSWORD=", drawn(24), ""),
    "yaml": ("  signing-key: ", drawn(44), ""),
    "subscript": ('os.environ["SECRET_TOKEN"] = "', drawn(30), '"'),
}

HARMLESS = {
    "git sha": f"commit {drawn(40, LOWER_HEX)}",
    "lock file": f'"integrity": "sha512-{drawn(86)}==", "resolved": "https://r/a-1.2.3.tgz#{drawn(40, LOWER_HEX)}"',
    "cargo lock": f'checksum = "{drawn(64, LOWER_HEX)}"',
    "go sum": f"example.com/mod v1.2.3 h1:{drawn(43)}=",
    "requirements": f"requests==2.0 --hash=sha256:{drawn(64, LOWER_HEX)}",
    "uuid": 'id = "6ef728de-ba68-4e59-acb9-6e502c28ae0b"',
    "base64 data": f'PIXEL = "data:image/png;base64,{drawn(200, WORD + "+/")}"',
    "long identifier": "token = self.configuration.authentication_token_of_the_second_service",
    "camel case": 'tokenName = "AccessTokenExpirationPolicyV2Handler"',
    "kebab case": 'secret_name: "shop-api-credentials-2"',
    "placeholders": 'api_key = "your-api-key-here"\npassword = "changeme123"\ntoken = "<TOKEN_2>"\nsk_test_xxxxxxxxx',
    "templates": 'password = "${DB_PASSWORD_1}"\npostgres://user:{password1}@db/shop\nsecret: {{ .Values.s3cret }}',
    "documented example": "AKIAIOSFODNN7EXAMPLE and postgres://user:password@localhost/db and redis://:secret@cache",
    "weak test passwords": 'password = "test1234"\npassword="password123"\nPASSWORD = "root_1"',
    "code": "token = tokens[0]; secret = load_secret(path1); password = get_password2()",
    "a url beside": 'access_token_url = "http://127.0.0.1:10421/v1.0/oauth2/accessToken"',
    "path": 'private_key_file = "/etc/shop/keys/2024/server1.key"',
    "minified": "function(e,t){var n=e.token,r=t.secret;return n===r?1:0}" * 40,
    "public key": f"-----BEGIN PUBLIC KEY-----\n{drawn(64)}\n-----END PUBLIC KEY-----",
    "certificate": f"-----BEGIN CERTIFICATE-----\n{drawn(64)}\n-----END CERTIFICATE-----",
    "code about keys": 'if "-----BEGIN PRIVATE KEY-----" in text:\n    return loadTheKeyFromThisTextAndCheckIt(text)\n',
    "css": ".sk-circle-fade-dot-of-the-loading-animation-with-a-long-name { }",
    "digits": "token_count = 12345678901234567890",
    "basic words": "Authorization: Bearer client-secret-abc",
}


@pytest.mark.parametrize("name", TOKENS)
def test_a_secret_is_hidden_and_what_stands_around_it_is_not(name: str) -> None:
    before, secret, after = TOKENS[name]
    shown = mask_text(f"{before}{secret}{after}\nnext line")
    assert shown == f"{before}{'*' * len(secret)}{after}\nnext line"


@pytest.mark.parametrize("name", TOKENS)
def test_the_same_secret_has_the_same_sign_in_other_places(name: str) -> None:
    before, secret, after = TOKENS[name]
    text = f"{before}{secret}{after}"
    signed = signed_text(f"{text}\nnext line")
    assert secret not in signed
    signs = re.findall("⟨[0-9a-f]{4}⟩", signed)
    assert signs
    assert re.findall("⟨[0-9a-f]{4}⟩", signed_text(f"{text}\n{text}\n")) == signs * 2
    assert re.sub("⟨[0-9a-f]{4}⟩", "", signed) == mask_text(f"{text}\nnext line")
    assert signed_text(text, known=f"It is {secret}.") == text


@pytest.mark.parametrize("name", HARMLESS)
def test_what_only_looks_like_one_is_left(name: str) -> None:
    assert mask_text(HARMLESS[name]) == HARMLESS[name]


def test_of_a_token_in_parts_the_head_stays() -> None:
    token = jwt()
    head, payload, signature = token.split(".")
    assert mask_text(f"t = '{token}'") == f"t = '{head}.eyJ{'*' * (len(payload) - 3)}{'*' * (len(signature) + 1)}'"


@pytest.mark.parametrize("kind", ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY"])
@pytest.mark.parametrize("last", [4, 20, 63])
def test_a_private_key_is_hidden_line_by_line(kind: str, last: int) -> None:
    key = pem(kind=kind, last=last)
    shown = mask_text(f"KEY = '''\n{key}\n'''\nrest = 1\n").split("\n")
    assert [len(line) for line in shown[1:-3]] == [len(line) for line in key.split("\n")]
    assert all(set(line) <= {"*"} for line in shown[2:-4])
    assert (shown[0], shown[1], shown[-2]) == ("KEY = '''", f"-----BEGIN {kind}-----", "rest = 1")


def test_a_private_key_in_one_string_or_without_its_end_is_hidden() -> None:
    key = pem()
    body = key.split("\n")[1:-1]
    for text in (json.dumps({"private_key": key}), "\n".join(key.split("\n")[:-1])):
        assert not [line for line in body if line[:16] in mask_text(text)]


def test_lines_and_lengths_stay_as_they_are() -> None:
    texts = [f"{before}{secret}{after}" for before, secret, after in TOKENS.values()]
    data = "\r\n".join([*texts, pem(), "größe = 1"]).encode()
    hidden = masked(data)
    assert len(hidden) == len(data)
    assert [len(line) for line in hidden.split(b"\n")] == [len(line) for line in data.split(b"\n")]
    assert not find_secrets(hidden)


def test_masking_twice_is_masking_once_and_bytes_that_are_no_text_do_no_harm() -> None:
    data = bytes(range(256)) * 20 + TOKENS["github"][1].encode()
    assert masked(masked(data)) == masked(data)
    assert mask_text("\ud800 half a character") == "\ud800 half a character"


def test_all_texts_of_an_answer_are_masked_and_its_keys_are_not() -> None:
    before, secret, _ = TOKENS["stripe"]
    hidden = before + "*" * len(secret)
    assert mask_all({"a": [before + secret, 1, None, {"b": before + secret}]}) == {
        "a": [hidden, 1, None, {"b": hidden}]
    }


@pytest.mark.parametrize(
    "text",
    [
        "password='" + "a" * 100_000,
        "token=" * 20_000,
        "://" * 30_000,
        "password=;host=a;" * 30_000,
        "secret: " + "aA1-" * 40,
    ],
    ids=["unclosed", "names", "addresses", "pairs", "letters and digits"],
)
def test_no_text_makes_it_slow(text: str) -> None:
    assert masked(text.encode() * 3) is not None  # a pattern that backtracks would not come back


KEY = pem()
PASSWORD = drawn(30)
LEAKY = {
    "src/leaky.py": f'"""Connects."""\n\nAPI_SECRET = "{PASSWORD}"\n\n\ndef connect():\n    return API_SECRET\n',
    "src/keys.py": f'SIGNING = """\n{KEY}\n"""\n\n\ndef sign(value):\n    return SIGNING, value\n',
    "conf/secrets.yaml": f"database:\n  login: {PASSWORD}\n",
    "conf/settings.toml": f'[shop]\npassword = "{PASSWORD}"\n',
}


@pytest.fixture
def leaky(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "leaky", LEAKY)


def answers_of(index: Index) -> list[object]:
    """What every way of asking says about the files with secrets in them."""
    paths = list(LEAKY)
    return [
        *(index.structure(path) for path in paths),
        *(index.symbols(path) for path in paths),
        *(index.function_at(path, line) for path in paths for line in range(1, index.structure(path).lines + 1)),
        *(index.read_lines(path) for path in paths),
        index.grep("SECRET|SIGNING|password|login|[a-zA-Z0-9/+]{30}", context_lines=20),
        index.references("API_SECRET"),
        index.references("SIGNING"),
        index.definitions("API_SECRET"),
        index.definitions("SIGNING"),
        index.search("api secret password signing key"),
        index.ask(f'where is "{PASSWORD}"'),
        *(index.chunk(hit.chunk_id) for hit in index.search("signing connect").hits),
        index.impact(paths),
    ]


@pytest.mark.sample
@pytest.mark.parametrize("engine", ["ripgrep", "python-re"])
def test_no_answer_shows_a_secret(leaky: Path, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if engine == "python-re":
        monkeypatch.setenv("CODEINTEL_RG", "none")
    with Index.open(leaky) as index:
        index.sync()
        said = repr(answers_of(index)).replace(f'where is "{PASSWORD}"', "").replace(f"'argument': '{PASSWORD}'", "")
    assert PASSWORD not in said
    assert not [line for line in KEY.split("\n")[1:-1] if line in said]
    assert "API_SECRET" in said
    assert "-----BEGIN RSA PRIVATE KEY-----" in said


def test_no_row_and_no_word_of_the_index_holds_a_secret(leaky: Path) -> None:
    with Index.open(leaky) as index:
        index.sync()
        index.wait_dense()
        found = index.search(PASSWORD).hits
    stored = b"".join(place.read_bytes() for place in (leaky / ".code-intel").rglob("*") if place.is_file())
    assert b"API_SECRET" in stored
    assert PASSWORD.encode() not in stored
    assert PASSWORD.lower().encode() not in stored
    assert not [line for line in KEY.split("\n")[1:-2] if line.encode() in stored]
    assert not [hit for hit in found if PASSWORD in hit.snippet]


def test_a_file_that_is_a_secret_by_its_name_tells_its_lines_and_nothing_else(leaky: Path) -> None:
    with Index.open(leaky) as index:
        found = index.structure("conf/secrets.yaml")
        assert (found.lines, found.symbols, found.doc) == (2, (), "")
        assert index.function_at("conf/secrets.yaml", 2) is None


def test_what_a_request_says_is_masked_before_it_is_learned(leaky: Path) -> None:
    with Index.open(leaky) as index:
        index.sync()
        term = f'why is token="{PASSWORD}" refused'
        index.learn([MapEntry(term, "connect", "src/leaky.py", 1.0, "s1", "MODIFY", "2026-11-21T10:00:00+00:00")])
        kept = [path.read_text(encoding="utf-8") for path in (leaky / ".code-intel/agreements").glob("*.md")]
    assert len(kept) == 1
    assert "refused" in kept[0]
    assert PASSWORD not in kept[0]


def test_rows_of_an_index_that_knew_fewer_secrets_are_made_again(
    leaky: Path, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched, Index.open(leaky) as index:
        patched.setattr("codeintel_index.sync.worker.masked", bytes)
        patched.setattr("codeintel_index.store.database.fingerprint", lambda tokens: 7)
        index.sync()
    with Index.open(leaky) as index:
        index.sync()
    assert not [text for (text,) in rows(leaky, "SELECT text FROM chunks") if PASSWORD in str(text)]


def test_a_line_in_the_middle_of_a_key_is_known_by_its_file(leaky: Path) -> None:
    middle = KEY.split("\n")[3]
    write_files(leaky, {"data.txt": f"{drawn(64)}\n"})
    with Index.open(leaky) as index:
        in_key = index.grep(middle[:20], fixed=True)[0].matches
        harmless = index.grep("^[A-Za-z0-9]{64}$", path="data.txt")[0].matches
    assert [(match.path, set(match.text)) for match in in_key] == [("src/keys.py", {"*"})]
    assert "*" not in harmless[0].text


def test_a_value_by_itself_has_the_sign_that_it_has_in_a_text() -> None:
    key = "sk_test_51NfKq8Lw2Zt7Yb3Xc9Vd4Mh"
    assert signed_text(f"stripe_key = {key}").endswith(sign_of(key))
    assert sign_of("...") == ""
    assert sign_of(key) != sign_of(key.swapcase())
