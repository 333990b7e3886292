"""`.vscode/mcp.json` with comments, read by VS Code's own parser. Runs where CODEINTEL_TRY_JSONC is its npm folder.

Tried with jsonc-parser 3.3.1, which VS Code reads its settings with; besides with 1,500 generated texts.
"""

import json
import os
import subprocess

import pytest

from codeintel_templates import find_client
from codeintel_templates.json_text import JsonFormat

PARSER = os.environ.get("CODEINTEL_TRY_JSONC", "")  # read here: no test sees variables of this prefix
pytestmark = pytest.mark.skipif(not PARSER, reason="CODEINTEL_TRY_JSONC names no jsonc-parser to try")

READ = """
const { parse } = require(process.argv[1]);
const errors = [];
const value = parse(require("fs").readFileSync(0, "utf8"), errors, { allowTrailingComma: true });
console.log(JSON.stringify({ value, errors }));
"""
OTHERS = '"servers": {"other": {"command": "x", "args": ["//", "/* , */"]}'


@pytest.mark.parametrize(
    "text",
    [
        "// mine\n{}",
        '{\n  "inputs": [], // none\n}\n',
        "{\n  /* two\n     lines */ " + OTHERS + "} // last\n}\n",
        "{\r\n\t" + OTHERS + ", // beside\r\n\t}, /* and */\r\n}\r\n",
        '{"servers": {/* empty */}, "inputs": [1, ],}',
    ],
)
@pytest.mark.parametrize("change", ["put", "put and dropped"])
def test_what_we_make_of_a_file_is_read_without_a_complaint(change: str, text: str) -> None:
    client, jsonc = find_client("vscode"), JsonFormat(comments=True)
    value = client.entry(["codeintel"])
    made = jsonc.put(text, client.entry_keys, value)
    if change != "put":
        made = jsonc.drop(made, client.entry_keys, 0)
    done = subprocess.run(["node", "-e", READ, PARSER], input=made, capture_output=True, text=True, check=True)
    read = json.loads(done.stdout)
    assert read["errors"] == []
    ours = read["value"].get("servers", {}).get("code-intel")
    assert ours == (value if change == "put" else None)
