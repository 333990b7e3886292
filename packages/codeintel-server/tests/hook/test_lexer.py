"""Command lines taken apart as a shell would take them."""

import pytest

from codeintel_server.hook.lexer import Unreadable, parse

LINES = {
    "a 'b c' \"d e\" f\\ g": [(["a", "b c", "d e", "f g"], [])],
    "a $'x\\ty\\'z'": [(["a", "x\ty'z"], [])],
    "a $'\u00fc\\u00e4'": [(["a", "\u00fc\u00e4"], [])],
    "a b\\\nc": [(["a", "bc"], [])],
    "a \\\n b": [(["a", "b"], [])],
    "a # b > c\nd": [(["a"], []), (["d"], [])],
    "a#b": [(["a#b"], [])],
    "a 2>&1 >&2 2>&-": [(["a"], [])],
    "a >| x": [(["a"], ["x"])],
    "a &> x": [(["a"], ["x"])],
    "a &>> x": [(["a"], ["x"])],
    "a >& x": [(["a"], ["x"])],
    "a {fd}> x": [(["a", "{fd}"], ["x"])],
    "a 3<> x 4> y": [(["a"], ["x", "y"])],
    "a>x b": [(["a", "b"], ["x"])],
    "a '>' \"> x\" \\> y": [(["a", ">", "> x", ">", "y"], [])],
    "a; b && c || d | e & f": [([name], []) for name in "abcdef"],
    "a $(b > x) c": [(["b"], ["x"]), (["a", "", "c"], [])],
    "a `b`": [(["b"], []), (["a", ""], [])],
    'a "$(b ")" c)"': [(["b", ")", "c"], []), (["a", ""], [])],
    "a <(b) > >(c)": [(["b"], []), (["c"], []), (["a", "", ""], [""])],
    "V=1; W=2; a $V${W}": [([], []), ([], []), (["a", "12"], [])],
    "a $((1 > 2))": [(["a", ""], [])],
    "[[ a > b ]] && c": [(["c"], [])],
    "a foo$ '$V'": [(["a", "foo$", "$V"], [])],
}


@pytest.mark.parametrize(("line", "expected"), LINES.items(), ids=range(len(LINES)))
def test_words_and_redirections(line: str, expected: list[tuple[list[str], list[str]]]) -> None:
    found = [([word.text for word in one.words], [word.text for word in one.targets]) for one in parse(line, {})]
    assert found == expected


@pytest.mark.parametrize(
    ("line", "fed"),
    [
        ("a <<E\nx\ny\nE\nb", ["x\ny\n", ""]),
        ("a <<-E\n\tx\n\tE\nb", ["\tx\n", ""]),
        ("a <<'E' | b\n$x 'q\nE", ["$x 'q\n", ""]),
        ("a <<E; b <<F\n1\nE\n2\nF", ["1\n", "2\n"]),
        ("a <<< x", ["x\n"]),
        ("a <<E\nnever closed", ["never closed\n"]),
    ],
)
def test_here_documents_reach_their_command(line: str, fed: list[str]) -> None:
    assert [command.fed for command in parse(line, {})] == fed


@pytest.mark.parametrize("line", ["a 'b", 'a "b', "a $(b", "a `b", "a $'b", "$(" * 50 + ")" * 50])
def test_a_line_no_shell_would_run_is_unreadable(line: str) -> None:
    with pytest.raises(Unreadable):
        list(parse(line, {}))


def test_what_is_known_at_run_time_only_is_open() -> None:
    (command,) = parse("a $X $1 c", {})
    assert [word.is_open for word in command.words] == [False, True, True, False]
