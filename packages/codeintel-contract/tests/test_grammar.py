"""The grammar of the pseudo-schema: what it reads, how it prints, where it points when it refuses."""

import pytest
from hypothesis import given, settings, strategies as st

from codeintel_contract import grammar
from codeintel_contract.grammar import Choice, Either, FieldType, ListOf, Member, Plain, PseudoSchemaError, Record

WORDS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
VALUES = st.text(st.characters(exclude_characters="'"), max_size=8)


def _records(inner: st.SearchStrategy[grammar.Node]) -> st.SearchStrategy[Record]:
    members = st.builds(Member, WORDS, st.booleans(), st.none() | inner)
    unique = st.lists(members, min_size=1, max_size=4, unique_by=lambda member: member.name)
    return unique.map(lambda found: Record(tuple(found)))


def _union(found: list[grammar.Node]) -> grammar.Node:
    """A union holds no union: the grammar has no brackets for one."""
    single = tuple(node for node in found if not isinstance(node, Either))
    return Either(single) if len(single) > 1 else found[0]


def _larger(inner: st.SearchStrategy[grammar.Node]) -> st.SearchStrategy[grammar.Node]:
    unions = st.lists(inner, min_size=2, max_size=3).map(_union)
    return st.one_of(inner.map(ListOf), _records(inner), unions)


SIMPLE = st.one_of(
    st.sampled_from(grammar.PLAIN).map(Plain),
    st.lists(VALUES, min_size=1, max_size=4, unique=True).map(lambda found: Choice(tuple(found))),
)
NODES = st.recursive(SIMPLE, _larger, max_leaves=8)
COMMENTS = st.text(max_size=20).map(str.strip)
FIELDS = st.builds(FieldType, NODES, st.booleans(), COMMENTS)


def outcome(text: str) -> FieldType | PseudoSchemaError:
    try:
        return grammar.parse(text)
    except PseudoSchemaError as error:
        return error


def _depth(node: grammar.Node | None) -> int:
    match node:
        case ListOf(item):
            return 1 + _depth(item)
        case Record(members):
            return 1 + max(_depth(member.type) for member in members)
        case Either(options):
            return max(map(_depth, options))
        case _:
            return 1


@settings(deadline=None)
@given(FIELDS.filter(lambda field: _depth(field.type) <= grammar.MAX_DEPTH))
def test_what_is_printed_parses_to_the_same_tree(field: FieldType) -> None:
    assert grammar.parse(str(field)) == field


@settings(deadline=None)
@given(st.text(max_size=60) | st.text("strlidcbon[]{}?:|,'() \n", max_size=60))
def test_any_text_either_parses_or_is_refused_with_a_column_inside_it(text: str) -> None:
    match outcome(text):
        case PseudoSchemaError() as error:
            assert 1 <= error.column <= len(text) + 1
            assert error.text == text
        case field:
            assert grammar.parse(str(field)) == field


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("str", FieldType(Plain("str"))),
        (" int ? ", FieldType(Plain("int"), optional=True)),
        ("list[str] (if passed=false)", FieldType(ListOf(Plain("str")), optional=True, comment="if passed=false")),
        ("dict? (a (nested) one)", FieldType(Plain("dict"), optional=True, comment="a (nested) one")),
        ("str: 'a' | 'b c'", FieldType(Choice(("a", "b c")))),
        (
            "{a, b?, c: list[bool]}",
            FieldType(Record((Member("a"), Member("b", True), Member("c", False, ListOf(Plain("bool")))))),
        ),
        ("str | int", FieldType(Either((Plain("str"), Plain("int"))))),
        ("str: 'a' | int", FieldType(Either((Choice(("a",)), Plain("int"))))),
        ("str: 'a' | str: 'b'", FieldType(Either((Choice(("a",)), Choice(("b",)))))),
        ("{s?: str: 'x' | 'y', t}", FieldType(Record((Member("s", True, Choice(("x", "y"))), Member("t"))))),
        ("str: 'a'|'b'", FieldType(Choice(("a", "b")))),
        ("str ( a )  ", FieldType(Plain("str"), comment="a")),
        ("list[\n  {id}\n]", FieldType(ListOf(Record((Member("id"),))))),
    ],
)
def test_reads_every_form(text: str, tree: FieldType) -> None:
    assert grammar.parse(text) == tree


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("", 1, "expected a type (str, int, bool, dict, list[...] or {...}), found the end"),
        ("strr", 1, "unknown type 'strr', did you mean 'str'?"),
        ("any", 1, "unknown type 'any'"),
        ("list", 5, "expected '[', found the end"),
        ("list[lst]", 6, "unknown type 'lst', did you mean 'list'?"),
        ("list[str", 9, "expected ']', found the end"),
        ("list[str?]", 9, "expected ']', found '?'"),
        ("{}", 2, "expected a field name, found '}'"),
        ("{a b}", 4, "expected '}', found 'b'"),
        ("{a, a}", 5, "field 'a' appears twice"),
        ("{a: }", 5, "expected a type (str, int, bool, dict, list[...] or {...}), found '}'"),
        ("str: a", 6, "expected a value in single quotes, found 'a'"),
        ("str: 'a", 6, 'expected a value in single quotes, found "\'"'),
        ("str: 'a' | 'a'", 12, "value 'a' appears twice"),
        ("'a' | 'b'", 1, 'expected a type (str, int, bool, dict, list[...] or {...}), found "\'"'),
        ("str |", 6, "expected a type (str, int, bool, dict, list[...] or {...}), found the end"),
        ("str??", 5, "expected '|', '?', a (comment) or the end, found '?'"),
        ("str (open", 5, "the (comment) is not closed, or something follows it"),
        ("str (a) b", 5, "the (comment) is not closed, or something follows it"),
        ("str list", 5, "expected '|', '?', a (comment) or the end, found 'list'"),
        ("list[" * 12 + "str" + "]" * 12, 61, "nested deeper than 12"),
    ],
)
def test_points_at_the_column_where_the_text_leaves_the_grammar(text: str, column: int, problem: str) -> None:
    with pytest.raises(PseudoSchemaError) as caught:
        grammar.parse(text)
    assert (caught.value.column, caught.value.problem) == (column, problem)
    assert str(caught.value) == f"{problem} (column {column})"


def test_depth_is_that_of_one_branch_and_not_of_all_before_it() -> None:
    beside = ", ".join(f"a{at}: list[list[str]]" for at in range(20))
    deepest = "list[" * 10 + "str" + "]" * 10
    assert grammar.parse(f"{{{beside}, b: {deepest}}}")
    with pytest.raises(PseudoSchemaError, match="nested deeper than 12"):
        grammar.parse(f"{{{beside}, b: list[{deepest}]}}")
    with pytest.raises(PseudoSchemaError, match="nested deeper than 12"):
        grammar.parse("list[" * 10 + "{a: str, b: list[list[str]]}" + "]" * 10)


@pytest.mark.parametrize(
    "text",
    ["str", "int?", "list[str]? (why not)", "{a, b?: int, c: str: 'x' | 'y'}", "str | {path: str}", "dict (any)"],
)
def test_the_canonical_spelling_is_what_a_person_would_write(text: str) -> None:
    assert str(grammar.parse(text)) == text


def test_refuses_a_bottomless_text_without_running_out_of_stack() -> None:
    with pytest.raises(PseudoSchemaError, match="nested deeper"):
        grammar.parse("{a: list[" * 100_000)
