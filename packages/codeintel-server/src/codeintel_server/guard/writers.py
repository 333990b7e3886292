"""Programs that write what no row of the table can say: by a script, an archive, a patch, or code."""

from __future__ import annotations

import os
import re

from codeintel_server.guard.commands import Shell
from codeintel_server.guard.row import Parsed, Program
from codeintel_server.guard.scripts import as_project, read_code
from codeintel_server.guard.searches import beginning_of, script as script_of
from codeintel_server.guard.shells import pass_on, shell as shell_line
from codeintel_server.guard.table import SUBCOMMANDS, TABLE
from codeintel_server.guard.unknown import CHECKS, FIXES, SNAPSHOTS, assigned, is_made, write_output
from codeintel_server.guard.words import Word, joined

MAX_PATCH = 2_000_000
_PATCHED = (
    r"(?m)^(?:(?:---|\+\+\+|rename (?:from|to)) (?:[ab]/)?|\*\*\* (?:Add File|Update File|Delete File|Move to): )"
    r"([^\t\n]+)"
)

_ADDRESS = r"(?:^|[;{}\n])\s*(?:(?:\d+|\$|/(?:[^/\\\n]|\\.)*/)(?:,\s*(?:[+~]?\d+|\$|/(?:[^/\\\n]|\\.)*/))?)?\s*!?\s*"
_SED_WRITES = re.compile(
    rf"{_ADDRESS}(?:[wW]\s+|s(?P<sign>[^\w\s]).*?(?P=sign).*?(?P=sign)\w*w\s+)(?P<path>\S+)", re.MULTILINE
)
_SED_RUNS = re.compile(rf"{_ADDRESS}e\s+(?P<line>[^\n]+)", re.MULTILINE)


_SED_RUNS_RESULT = re.compile(
    r"s(?P<sign>[^\w\s]).*?(?<!\\)(?P=sign)(?P<line>.*?)(?<!\\)(?P=sign)\w*e\w*\s*(?:$|[;}\n])"
)


def sed(shell: Shell, how: str, words: list[Word], fed: Word | None) -> Word | None:
    parsed = Parsed(TABLE["sed"], words)
    scripts = parsed.values(("-e", "--expression")) or parsed.operands[:1]
    scripts += filter(None, (script_of(shell, word) for word in parsed.values(("-f", "--file"))))
    for script in (text for word in scripts for text in word.texts):
        for found in _SED_WRITES.finditer(script):
            path = found["path"].rstrip("}'")
            shell.write("sed w", Word(path), must_exist=not os.path.splitext(path)[1])
        for found in _SED_RUNS.finditer(script):
            shell.copy().lines([Word(found["line"])])
        for found in _SED_RUNS_RESULT.finditer(script):
            shell.copy().lines([Word(found["line"].replace("\\/", "/")), *([fed] if fed else [])])
    return pass_on(shell, how, words, fed)


def awk(shell: Shell, how: str, words: list[Word], fed: Word | None) -> Word | None:
    from codeintel_server.guard import code

    parsed = Parsed(TABLE["awk"], words)
    if any(word.text == "inplace" for word in parsed.values(("-i", "--include"))):
        shell.write(how, *parsed.operands[1:])
    given = dict(word.text.partition("=")[::2] for word in parsed.given.get("-v", []))
    files = [text for word in parsed.operands[1:] for text in word.paths(shell.folder or os.curdir)]
    given |= {f"ARGV[{at}]": text for at, text in enumerate(files, 1)} | {"FILENAME": (files or [""])[0]}
    programs = [script_of(shell, word) for word in parsed.given.get("-f", [])] or parsed.operands[:1]
    for program in (text for word in programs if word for text in word.texts):
        for path in code.written_by_awk(program, given):
            shell.write(how, Word(path))
        shell.copy().lines([Word(line) for line in code.commands_of_awk(program)])
    return pass_on(shell, how, words, fed)


def dd(shell: Shell, how: str, words: list[Word], _: Word | None) -> None:
    for word in words:
        if word.text.startswith("of="):
            shell.write(how, word.with_text(word.text[3:]))


def curl(shell: Shell, how: str, words: list[Word], _: Word | None) -> None:
    parsed = Parsed(TABLE["curl"], words)
    folder = next((word.text for word in parsed.given.get("--output-dir", [])), os.curdir)
    for word in parsed.operands if {"-T", "--upload-file"} & parsed.flags else ():
        if word.text.startswith("file://"):
            shell.write(how, word.with_text(word.text[7:]))
    if {"-O", "--remote-name", "--remote-name-all"} & parsed.flags:
        for word in parsed.operands:
            shell.write(how, word.with_text(f"{folder}/{word.text.rpartition('/')[2]}"))


def wget(shell: Shell, how: str, words: list[Word], _: Word | None) -> None:
    parsed = Parsed(TABLE["wget"], words)
    if (
        not parsed.given.keys() & {"-O", "--output-document", "-P", "--directory-prefix"}
        and "--spider" not in parsed.flags
    ):
        for word in parsed.operands:
            shell.write(how, word.with_text(word.text.rstrip("/").rpartition("/")[2]))


def tar(shell: Shell, how: str, words: list[Word], _: Word | None) -> None:
    """Note the archive that tar writes, or the folder that it unpacks into."""
    row = Program(
        values="-f -C -T -X -b -I --file --directory --exclude --strip-components --transform --xform --files-from"
    )
    if words and words[0].text[:1] not in ("-", ""):
        words = [words[0].with_text(f"-{words[0].text}"), *words[1:]]
    parsed = Parsed(row, words)
    if {"-c", "-r", "-u", "--create", "--append", "--update"} & parsed.flags:
        shell.write(how, *parsed.values(("-f", "--file")))
        for word in words:
            if found := re.match(
                r"--(?:checkpoint-action=exec|to-command|use-compress-program|rsh-command)=(.+)", word.text
            ):
                shell.copy().lines([Word(found[1])])
        if "--remove-files" in parsed.flags:
            shell.write(how, *parsed.operands, must_exist=True)
    elif {"-x", "--extract", "--get"} & parsed.flags and not {"-O", "--to-stdout"} & parsed.flags:
        folders = parsed.values(("-C", "--directory"))
        shell.write(how, *folders)
        if not folders:
            shell.write_tree(how)


def jar(shell: Shell, how: str, words: list[Word], _: Word | None) -> None:
    """Note the archive that jar writes, or that it unpacks here."""
    letters = words[0].text.lstrip("-") if words else ""
    if "x" in letters[:1]:
        shell.write_tree(how)
    elif letters[:1] in ("c", "u") and "f" in letters and len(words) > 1:
        shell.write(how, words[1])


def mktemp(shell: Shell, how: str, words: list[Word], _: Word | None) -> Word | None:
    parsed = Parsed(Program(values="-p --suffix"), words)
    places = [
        *parsed.values(("-p",)),
        *(word.with_text(word.text[9:]) for word in words if word.text[:9] == "--tmpdir="),
    ]
    for word in places:
        shell.write(how, word.with_text(f"{word.text}/tmp.XXXXXXXXXX"))
    if not places and not {"-t", "-u", "--tmpdir", "--dry-run"} & parsed.flags:
        shell.write(how, *parsed.operands)
    return None


def cmake(shell: Shell, how: str, words: list[Word], fed: Word | None) -> None:
    """Follow the commands that `cmake -E` has of its own, and a script of the same line."""
    scripts = [script_of(shell, word) for word in words if word.text.endswith(".cmake")]
    read_code(shell, how, [text for word in scripts if word for text in word.texts])
    if len(words) > 2 and words[0].text == "-E":
        names = {"copy": "cp", "copy_directory": "cp", "copy_if_different": "cp", "rename": "mv", "remove": "rm"}
        name = words[1].text
        rest = words[2:] if name != "env" else [word for word in words[2:] if "=" not in word.text]
        if name in (*names, "rm", "touch", "tar", "remove_directory", "create_symlink", "env", "time"):
            name = {"remove_directory": "rm", "create_symlink": "ln", **names}.get(name, name)
            shell.run([Word(name), *rest], fed)


def socat(shell: Shell, how: str, words: list[Word], _: Word | None) -> None:
    """Note the addresses of socat that are files, and follow those that are commands."""
    for word in words:
        kind, rest = word.text.partition(":")[::2]
        if kind.upper() in ("OPEN", "CREATE", "FILE", "CREAT", "GOPEN", "PIPE") and "rdonly" not in rest:
            shell.write(how, word.with_text(rest.partition(",")[0]))
        elif kind.upper() in ("EXEC", "SYSTEM", "SHELL"):
            shell.copy().lines([word.with_text(rest.strip("'\""))])


def build_task(shell: Shell, how: str, words: list[Word], _: Word | None) -> None:
    """Note a task of a build tool whose name says that it rewrites sources."""
    tasks = (word.text for word in words if word.text[:1] != "-")
    if any(_REWRITES.search(task) for task in tasks):
        shell.write_tree(how)


def coverage(shell: Shell, how: str, words: list[Word], fed: Word | None) -> None:
    """Follow the Python that `coverage run` runs."""
    if words and words[0].text == "run":
        shell.run([Word("python"), *words[1:]], fed)


def module_with_code(shell: Shell, how: str, words: list[Word], _: Word | None) -> None:
    """Read a module of Python that is given statements: `timeit`, `pdb -c`."""
    read_code(shell, how, [text for word in words for text in word.texts])


_REWRITES = re.compile(
    r"(?:(?:spotless|license|java)?Apply|[a-z]Format|FormatAll|^format\w*|:format|:apply|:applyPatches|versions:\S+|release:\S+"
    r"|archetype:generate|rewrite:run|^init|^wrapper|wrapper:wrapper|scala(?:fmt|fix)(?:All)?|updateLicenses)$"
)


def patch(shell: Shell, how: str, words: list[Word], fed: Word | None) -> None:
    row = TABLE[how]
    parsed = Parsed(row, words)
    if row.free & parsed.flags:
        return
    sources = parsed.values(("-i", "--input")) or (parsed.operands if how == "git apply" else parsed.operands[1:2])
    if fed is not None and fed.inner is not None:
        sources = [*sources, fed.inner]
    files = [os.path.join(shell.folder or os.curdir, word.text) for word in sources]
    inline = [word.text for word in parsed.operands if "*** Begin Patch" in word.text]
    named = [] if how == "git apply" or inline else [word.text for word in parsed.operands[:1]]
    text = "\n".join([*inline, *(fed.texts if fed is not None and not fed.listed else ())])
    paths = _patched(files, text)
    shell.write(how, *map(Word, [*named, *paths] if paths else named or [os.curdir]))


def _patched(files: list[str], text: str) -> list[str]:
    """Return the paths named by the patches in some files and a text; files that cannot be read are passed over."""
    from codeintel_contract import read_file

    texts = [text]
    for path in files:
        try:
            texts.append(read_file(None, path, MAX_PATCH, whole=False).decode("utf-8", "replace"))
        except OSError:
            continue
    found = [path.strip() for part in texts for path in re.findall(_PATCHED, part)]
    return list(dict.fromkeys(path for path in found if path != "/dev/null"))


def make(shell: Shell, _: str, words: list[Word], fed: Word | None) -> Word | None:
    parsed = Parsed(Program(values="-f --file --makefile --eval -C --directory -I -j -o -W"), words)
    texts = parsed.given.get("--eval", [])
    for word in assigned(words):
        write_output(shell, "make", word)
    if fed is not None and any(word.text in ("", "-", "/dev/stdin") for word in parsed.values(("-f", "--file"))):
        texts = [*texts, fed]
    texts = [*texts, *filter(None, (script_of(shell, word) for word in parsed.values(("-f", "--file", "--makefile"))))]
    for rules in (text for word in texts for text in word.texts):
        rules = _TARGETS.sub(lambda found: found[0].replace("$@", found[1]), rules)
        for found in re.finditer(r"\$\(file\s*>>?\s*([^,)]+)", rules):
            shell.write("make", Word(found[1].strip()))
        lines = [part for line in rules.splitlines() for part in ([line] if line[:1] == "\t" else line.split(";")[1:])]
        shell.copy().lines([Word(line.strip().lstrip("@-+")) for line in lines])
    task(shell, "make", words, fed)
    inner = shell.copy()
    for word in parsed.values(("-C", "--directory")):
        inner.move(word)
    recipe = [Word(line) for line in _recipe(inner, [word.text for word in parsed.operands if "=" not in word.text])]
    if {"-n", "--dry-run", "--just-print"} & parsed.flags:
        return joined(recipe, "\n")
    as_project(inner, lambda follower: follower.lines(recipe))
    return None


def _recipe(shell: Shell, targets: list[str]) -> list[str]:
    """Return the lines that the project's makefile has for targets and for what they need."""
    text = next(filter(None, (_text_here(shell, name) for name in ("GNUmakefile", "makefile", "Makefile"))), "")
    given = _MAKE_KNOWS | dict(re.findall(r"(?m)^(\w+)\s*[:?]?=[ \t]*(.*)$", text))
    rules = {
        target: (needs, lines)
        for names, needs, lines in re.findall(r"(?m)^([\w./ -]+):(?!=)([^\n]*)((?:\n\t[^\n]*)*)", text)
        for target in names.split()
    }
    ready = targets or [name for name in rules if name[:1] != "."][:1]
    found: list[str] = []
    for target in ready:
        needs, lines = rules.pop(target, ("", ""))
        ready += needs.split()
        lines = re.sub(r"\$\((\w+)\)", lambda name: given.get(name[1], name[0]), lines)
        lines = lines.replace("$@", target).replace("$<", needs.strip().partition(" ")[0]).replace("$$", "$")
        found += [line.strip().lstrip("@-+") for line in lines.splitlines() if line.strip()]
    return found


_MAKE_KNOWS = {"CC": "cc", "CXX": "c++", "AR": "ar", "RM": "rm -f", "MAKE": "make"}


def _text_here(shell: Shell, name: str) -> str:
    return beginning_of(os.path.join(shell.folder or os.curdir, name)) or ""


_TARGETS = re.compile(r"^([\w./-]+):[^\n]*(?:\n\t[^\n]*)+", re.MULTILINE)
_TASKS = re.compile(
    r"(?:(?!check|verify|test|no)\w+[:_-])?(?:re|auto)?(?:fmt|format|fix|prettify)(?:[:_-](?:all|code|write|fix))?$"
)


def task(shell: Shell, how: str, words: list[Word], _: Word | None) -> None:
    """Note a task whose name says that it rewrites sources, and what is handed to it behind `--`."""
    plain = [word.text for word in words]
    at = plain.index("--") if "--" in plain else len(plain)
    if ((CHECKS - {"-c", "-d", "-l"}).isdisjoint(plain) and any(_TASKS.match(text) for text in plain[:at])) or any(
        text == "-u" or FIXES.match(text) or SNAPSHOTS.match(text) for text in plain[at:]
    ):
        shell.write_tree(how)


def package_task(shell: Shell, how: str, words: list[Word], fed: Word | None) -> None:
    """Follow a script of package.json: `npm run build`, `yarn build`, with those before and after it."""
    task(shell, how, words, fed)
    plain = [word.text for word in words if word.text[:1] != "-"]
    name = next((text for text in plain if text not in ("run", "run-script", "rum", "urn")), "")
    text = _text_here(shell, "package.json") if name else ""
    given = re.search(r'"scripts"\s*:\s*\{([^{}]*)\}', text)
    said = dict(re.findall(r'"([^"\n]+)"\s*:\s*"((?:[^"\\\n]|\\.)*)"', given[1])) if given else {}
    if plain[:1] == [name] and name not in ("test", "start", "stop") and how != "yarn":
        return
    lines = [said[each].replace('\\"', '"') for each in (f"pre{name}", name, f"post{name}") if each in said]
    more = words[[word.text for word in words].index("--") + 1 :] if any(word.text == "--" for word in words) else []
    as_project(shell, lambda inner: inner.lines([joined([Word(line), *more], " ") for line in lines]))


_TSC_ELSEWHERE = frozenset(
    ["--outDir", "--outdir", "--outFile", "--noEmit", "--init", "--showConfig", "--listFilesOnly", "-p", "--project"]
)


def tsc(shell: Shell, how: str, words: list[Word], fed: Word | None) -> None:
    """Note what TypeScript's compiler leaves beside the sources, unless the project says where, or that nothing is."""
    config = _text_here(shell, "tsconfig.json")
    flags = {word.text for word in words}
    if (
        flags.isdisjoint(_TSC_ELSEWHERE)
        and config
        and not re.search(r'"(?:noEmit"\s*:\s*true|outDir"|outFile")', config)
    ):
        shell.write_tree(how)


def link(shell: Shell, how: str, words: list[Word], _: Word | None) -> None:
    """Note what of this folder a hard link elsewhere can change, and where a soft one leads."""
    parsed, here = Parsed(TABLE["ln"], words), shell.folder or os.curdir
    is_soft = bool({"-s", "--symbolic"} & parsed.flags)
    for path in (path for word in parsed.operands[:-1] for path in word.paths(here)):
        if is_soft and os.path.isabs(path):
            shell.links |= {os.path.join(here, name): path for name in parsed.operands[-1].texts}
        elif os.path.join(here, path).startswith(here) and not is_soft:
            shell.write(how, Word(path), must_exist=True)


def interpreter(shell: Shell, how: str, words: list[Word], fed: Word | None) -> None:
    is_eval = bool(words) and words[0].text in ("eval", "e")
    words = words[1:] if is_eval else words
    row = Program(values="-c -e -r -E -p --eval --print -m -W -X -M -I --execute -eval", is_long=True)
    plain = [word.text for word in words]
    if "-m" in plain[:3] and how == "python":
        shell.run(words[plain.index("-m") + 1 :], fed)
        return
    at = next((at for at, text in enumerate(plain) if _gives_code(text)), -1)
    operands = Parsed(row, words).operands
    texts = words[at + 1].texts if 0 <= at < len(words) - 1 else ()
    if at >= 0 and "=" in plain[at]:
        texts = (plain[at].partition("=")[2],)
    if {"-run", "-MExtUtils::Command"} & {*plain}:  # a library of commands: `ruby -run -e cp -- a b`
        shell.run([word for word in words if word.text[:1] != "-"], fed)
    written = script_of(shell, operands[0]) if at < 0 and operands else None
    if written is not None:
        texts = written.texts
    elif at < 0 and fed is not None and (not operands or operands[0].text in ("-", "/dev/stdin")):
        texts = (script_of(shell, fed.inner) or fed).texts
    elif is_eval and words:
        texts = words[-1].texts
    elif at < 0 and operands and operands[0].text.rpartition("/")[2] in {*TABLE, *SUBCOMMANDS}:
        name, *more = words[words.index(operands[0]) :]
        rest = [word.with_text(word.text.partition(":")[0]) if word.text.startswith("make:") else word for word in more]
        shell.run([name, *rest], fed)
    read_code(
        shell,
        how,
        texts,
        operands[bool(operands and (operands[0].text == "-" or written)) :] if at < 0 else words[at + 2 :],
    )


def powershell(shell: Shell, how: str, words: list[Word], fed: Word | None) -> Word | None:
    """Follow a line of PowerShell: its programs as those of a shell, its calls as code."""
    if any(word.text.lower().startswith("-enc") for word in words):
        shell.write_tree(how)
    read_code(shell, how, [text for word in words for text in word.texts])
    return shell_line(shell, how, words, fed)


def debugger(shell: Shell, how: str, words: list[Word], _: Word | None) -> None:
    """Follow the Python and the log of a debugger's commands, and the program it runs; its shell's are in its row."""
    at = next((at for at, word in enumerate(words) if word.text == "--args"), len(words))
    shell.run(words[at + 1 :], None)
    for text in (word.text for word in words):
        if found := re.match(r"set logging file (\S+)", text):
            shell.write(how, Word(found[1]))
        read_code(shell, how, [text] if text.startswith("python") else [])


def split(shell: Shell, how: str, words: list[Word], _: Word | None) -> None:
    """Note the first piece of a file that is split without a name for its pieces."""
    parsed = Parsed(TABLE[how], words)
    if len(parsed.operands) < 2 or (how == "csplit" and not parsed.values(TABLE[how].to)):
        shell.write(how, Word("xaa" if how == "split" else "xx00"))


def _gives_code(text: str) -> bool:
    """Say whether an option takes code: `-c`, `-e`, `-Bc`, `-pe`, `--eval`."""
    is_short = text[:1] == "-" and text[1:2] != "-" and text.isascii() and text[1:].isalnum() and len(text) < 6
    name = text.partition("=")[0]
    return name in ("--eval", "--print", "--execute", "-lne", "--evaluate", "-eval", "--exec", "--expr") or (
        is_short and text[-1] in "ceErp"
    )


def runner(shell: Shell, how: str, words: list[Word], _: Word | None) -> None:
    """Read the code that a framework runs: `mix run -e`, `rails runner`, `manage.py shell -c`."""
    if words and words[0].text in ("run", "eval", "runner", "r", "shell", "tinker"):
        read_code(shell, how, [text for word in words[1:] for text in word.texts])


_SQL_WRITES = re.compile(
    r"(?i)(?:\bto\s+|into\s+outfile\s+|\binto\s+|\battach\s+(?:database\s+)?|writefile\s*\(\s*"
    r"|^\s*\.(?:output|once|backup|save|log|excel|dump)\s+|^\s*\\\\o\s+)'?(?P<path>[\w./~-]+\.\w+)",
    re.MULTILINE,
)
_SQL_CHANGES = re.compile(r"(?i)(?:^|;)\s*(?:create|insert|update|delete|drop|alter|replace|vacuum)\b")
_SQL_RUNS = re.compile(r"(?m)(?:^\s*\.(?:shell|system)|^\s*\\!|^\s*system)\s+(?P<line>[^\n]+)")


def sql(shell: Shell, how: str, words: list[Word], fed: Word | None) -> None:
    """Clients of databases write files and run commands: `copy ... to 'x'`, `.output x`, `\\! rm x`."""
    parsed = Parsed(
        Program(values="-o --output -L --log-file -c -e -cmd --command --execute -q --query --eval -f"), words
    )
    shell.write(how, *parsed.values(("-o", "--output", "-L", "--log-file")))
    for word in words:
        if word.text.startswith(("--tee=", "--log-file=", "--output=")):
            shell.write(how, word.with_text(word.text.partition("=")[2]))
    for text in (text for word in [*words, *([fed] if fed else [])] for text in word.texts):
        for found in _SQL_WRITES.finditer(text):
            shell.write(how, Word(found["path"]))
        for found in _SQL_RUNS.finditer(text):
            shell.copy().lines([Word(found["line"])])
        if how in ("sqlite3", "duckdb") and _SQL_CHANGES.search(text):
            for word in parsed.operands[:1]:
                shell.write(how, word, must_exist=not is_made(shell, word.text))
    if how == "mongosh":
        read_code(shell, how, [text for word in words for text in word.texts])
