"""What a client sends: flags, payloads, and the pseudo-schema they are checked with. One refusal or a value.

The first byte says which: `f` flags, `s` a pseudo-schema, any other a payload of one of the contract's keys.
"""

import json

import atheris
from harness import fuzz

with atheris.instrument_imports(include=["codeintel_contract"]):
    from codeintel_contract.flags import FLAG_NAMES, OPTIONS, Flags, check_combination, parse_flags
    from codeintel_contract.loader import load_contract
    from codeintel_contract.names import Intent, Key
    from codeintel_contract.payloads import PAYLOADS
    from codeintel_contract.pseudo_schema import PseudoSchemaError, compile_shape, parse
    from codeintel_contract.validate import decode_payload, read_payload
    from codeintel_contract.violations import ContractViolation

CONTRACT = load_contract(None)
KEYS = tuple(Key)
EXAMPLE = {"str": "a", "int": 1, "bool": True, "dict": {"a.py": "will_modify"}}


def seeds() -> list[bytes]:
    """Every field of the contract as a schema, every option, an example payload for every key."""
    found = [b"s" + text.encode() for entry in CONTRACT.phases.values() for text in entry.expected_payload.values()]
    found += [b"f" + json.dumps([f"{row.long}={row.value}" if row.value else row.long]).encode() for row in OPTIONS]
    found += [b"f" + json.dumps({name: True}).encode() for name in FLAG_NAMES]
    for number, key in enumerate(KEYS):
        fields = CONTRACT.phases[key].expected_payload
        payload = {
            name: EXAMPLE.get(text.split("?")[0].split(" ")[0], [{"item": "i"}]) for name, text in fields.items()
        }
        found += [bytes([number]) + text.encode() for text in (json.dumps(payload), json.dumps(json.dumps(payload)))]
    return found


def target(data: bytes) -> None:
    """One input of one kind."""
    kind, text = data[:1], data[1:].decode("utf-8", "replace")
    if kind == b"f":
        flags(text)
    elif kind == b"s":
        schema(text)
    elif kind:
        payload(KEYS[kind[0] % len(KEYS)], text)


def flags(text: str) -> None:
    """Flags as the JSON they come in, or as one option."""
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        raw = text.split("\n")
    try:
        for intent in Intent:
            found, notices = check_combination(parse_flags(raw), intent)
            assert isinstance(found, Flags)
            assert all(f"warnings.{name}" in CONTRACT.messages for name in notices)
    except ContractViolation as violation:
        spoken(violation)


def schema(text: str) -> None:
    """A schema that parses says the same in its canonical spelling, and judges any value."""
    try:
        tree = parse(text)
    except PseudoSchemaError as error:
        placed(error, text)
        return
    assert parse(str(tree)) == tree
    for value in (None, "a", 1, [], [{}], {"a": 1}):
        compile_shape({"a": text}).check({"a": value})


def placed(error: PseudoSchemaError, text: str) -> None:
    """The column lies in the text, or just behind it."""
    assert 1 <= error.column <= len(text) + 1


def payload(key: Key, text: str) -> None:
    """A payload as text, read as the server does."""
    try:
        found = read_payload(CONTRACT, key, decode_payload(text))
    except ContractViolation as violation:
        spoken(violation)
    else:
        assert type(found) is PAYLOADS[key]


def spoken(violation: ContractViolation) -> None:
    """A refusal has words, and says what is wrong line by line."""
    assert CONTRACT.message(violation.key, violation.values).message
    assert violation.problems
    assert all("\n" not in line for line in violation.problems)


if __name__ == "__main__":
    fuzz(target, seeds())
