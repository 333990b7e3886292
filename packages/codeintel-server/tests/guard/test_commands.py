"""Command lines followed as a shell would: what they write, in which folder."""

from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_server.guard.commands import Unreadable
from codeintel_server.guard.main import only_reads
from codeintel_server.guard.programs import writes

Ask = Callable[..., tuple[str, str]]
LINES = {
    "a > x": ["x"],
    "a >| x; b &> y && c &>> z || d >& w": ["x", "y", "z", "w"],
    "a 2>&1 >&2 2>&- < x": [],
    "a {fd}> x 3<> y 4> z": ["x", "y", "z"],
    "a>x b": ["x"],
    "a '>' \"> x\" \\> y # > z": [],
    "a $(b > x) c": ["x"],
    "a `b > x`": ["x"],
    'a "$(b > x)"': ["x"],
    "a <(b > x) > >(c > y)": ["x", "y"],
    'V=1; W=2; a > $V${W}x"$V"': ["12x1"],
    "a > ${V:-x}": ["x"],
    'echo ${x:-"a}b"} > f': ["f"],
    "a $((1 > 2)); if (( n > 5 )); then b; fi; while (( i > 0 )); do c; done; for ((i=9;i>5;i--)); do d; done": [],
    "[[ a > b ]] && c > x": ["x"],
    'a > $UNKNOWN; rm $1; rm "$dir/x"': [],
    "a > $'x\\ty'": ["x\ty"],
    "a <<E > x\n$(b > y) > z\nE\nc > w": ["x", "y", "w"],
    "a <<-E | tee x\n\tb > y\n\tE": ["x"],
    "for f in x y; do a > $f; done": ["x", "y"],
    "for f in x; do for g in 1 2; do a > $f$g; done; done": ["x1", "x2"],
    "printf 'x\\ny\\n' | while read -r f; do a > $f; done": ["x", "y"],
    "f() { a > $1; b > $2; }; f x y": ["x", "y"],
    "f() { a > x; }": [],
    "f() { f; a > x; }; f": ["x"],
    "a() { b; } > x; a": ["x"],
    "s=(x y); touch ${s[@]}": ["x", "y"],
    "c='touch x'; $c": ["x"],
    'set -- x y; touch "$@"': ["x", "y"],
    "touch {x,y}{1,2}": ["x1", "x2", "y1", "y2"],
    "if a; then b > x; elif c; then d > y; else e > z; fi": ["x", "y", "z"],
    "case $a in b) c > x;; *) d > y;; esac": ["x", "y"],
    "{ a; b; } > x": ["x"],
    "! a > x": ["x"],
    "git checkout v1.2; git checkout notes.md": ["", "notes.md"],  # a tag is no path
}


@pytest.mark.parametrize(("line", "expected"), LINES.items(), ids=range(len(LINES)))
def test_what_a_line_writes(line: str, expected: list[str], tmp_path: Path) -> None:
    assert sorted(write.path for write in writes(line, str(tmp_path))) == sorted(expected)


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        ("cd s && a > x", "s"),
        ("cd s; cd ..; a > x", ""),
        ("(cd s; b); a > x", ""),
        ("cd s | b; a > x", ""),
        ("pushd s; pushd t; popd; a > x", "s"),
        ("cd s; cd - ; a > x", ""),
        ("$(cd s); a > x", ""),
        ("f() { cd s; }; f; a > x", "s"),
        ("sudo -u me sh -c 'cd s && a > x'", "s"),
    ],
)
def test_in_which_folder_it_writes(line: str, folder: str, tmp_path: Path) -> None:
    assert [(write.folder, write.path) for write in writes(line, str(tmp_path))] == [(str(tmp_path / folder), "x")]


def test_after_a_folder_that_is_not_known_only_whole_paths_count(tmp_path: Path) -> None:
    assert [write.path for write in writes("cd $WHERE && a > x && b > /y", str(tmp_path))] == ["/y"]


@pytest.mark.parametrize("line", ["$(" * 50 + ")" * 50, "eval " * 20 + "x", "a" * 500_000, "f() { bash -c f; }; f"])
def test_a_line_that_cannot_be_followed_says_so_or_ends(line: str, tmp_path: Path) -> None:
    if line.startswith(("$(", "aaa", "eval")):
        with pytest.raises(Unreadable):
            writes(line, str(tmp_path))
    else:
        assert writes(line, str(tmp_path)) == []


@pytest.mark.parametrize("line", ["a 'b", 'a "b', "a $(b", "a > ", "if x", "))", "\0", "\ud800 > x"])
def test_a_line_no_shell_would_run_raises_nothing(line: str, tmp_path: Path) -> None:
    writes(line.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape"), str(tmp_path))


@pytest.mark.parametrize(
    "line",
    [
        "ls -la src | head -5",
        "cd src && git status; git log --oneline -5 2>/dev/null",
        "grep -rn 'a' src 2>&1 | wc -l",
    ],
)
def test_a_line_of_readers_is_known_without_a_parser(line: str, tmp_path: Path) -> None:
    assert only_reads(line)
    assert {write.path for write in writes(line, str(tmp_path))} <= {"/dev/null"}


@pytest.mark.parametrize(
    "line",
    [
        "ls > x",
        "ls; rm x",
        "ls\nrm x",
        "ls & rm x",
        "echo $(rm x)",
        "echo `rm x`",
        "cat <(rm x)",
        '"rm" x; ls',
        "git diff --output=x",
        "git -C s commit -m x",
        "git",
        "l\\s; alias ls=rm",
        "ls 2>x",
        "echo a2>&1s",
        "echo 'a' ; 'rm' x",
        "{ rm x; }",
        "if ls; then rm x; fi",
        "A=b rm x",
        "ls | xargs rm",
    ],
)
def test_a_line_that_may_write_is_never_taken_for_one_of_readers(line: str) -> None:
    assert not only_reads(line)


SCRIPTS = {
    "w.py": ("open('src/b.py', 'w')", ("python3 {}", "python3 < {}", "python3 -u {} x")),
    "w.sh": ("echo hi > src/b.py", ("bash {}", ". {}", "source {}", "{}", "sh < {}")),
    "w.sed": ("w src/new.py", ("sed -n -f {} src/b.py",)),
    "w.awk": ('{ print > "src/b.py" }', ("awk -f {} README.md",)),
    "w.mk": ("all:\n\techo hi > src/b.py\n", ("make -f {}",)),
    "w.cmake": ("file(WRITE src/b.py x)", ("cmake -P {}",)),
    "list": ("src/b.py\n", ("xargs -a {} rm",)),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_among_the_temporary_files_is_read_for_what_it_writes(
    name: str, ask: Ask, gate: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate()
    monkeypatch.setattr("codeintel_server.guard.gate.is_scratch", lambda path: path.startswith(str(tmp_path)))
    script = tmp_path / name
    text, commands = SCRIPTS[name]
    script.write_text(text, encoding="utf-8")
    assert [ask("Bash", command=line.format(script))[0] for line in commands] == ["deny"] * len(commands)
    script.write_text(text.replace("src/", f"{tmp_path}/"), encoding="utf-8")
    assert [ask("Bash", command=line.format(script))[0] for line in commands] == [""] * len(commands)


def test_a_script_of_a_repository_is_not_read(
    ask: Ask, gate: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate()
    monkeypatch.setattr("codeintel_server.guard.gate.is_scratch", lambda path: path.startswith(str(tmp_path)))
    (tmp_path / ".git").mkdir()
    (tmp_path / "w.sh").write_text("echo hi > src/b.py", encoding="utf-8")
    assert ask("Bash", command=f"sh {tmp_path}/w.sh")[0] == ""
