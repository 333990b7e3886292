"""The table of programs: which of their words they write, run, or take for options with a value.

A row is looked up by the program's name, and by `name sub-command` where there is such a row. A program without a row
is taken to write nothing but a file that exists and that an option names as its output.
"""

from __future__ import annotations

from codeintel_server.guard.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class Program:
    """What a program does with its words. Options are given as text: `-o --output`.

    Args:
        writes: the operands it changes: `all`, `rest` (all but the first), `first`, `second`, `last` (into it, if it
            is a folder), `moved` (all of them, into the last), `tree` (all, and a folder with everything below it;
            without an operand the one it is in), or a file name that it writes whatever its operands are.
        values: options that take the next word.
        to: options that name a file it writes; `into`: a folder it writes into.
        only: options without which it writes no operand; `free`: options with which it writes nothing.
        runs: how many operands stand before the command that it runs; -1 if it runs none.
        code: options that take a command line.
        says: the message against it, whatever it would write.
        is_long: its options of one dash have long names.
    """

    __slots__ = ("code", "free", "into", "is_long", "only", "runs", "says", "to", "values", "writes")

    def __init__(
        self,
        writes: str = "",
        *,
        values: str = "",
        to: str = "",
        into: str = "",
        only: str = "",
        free: str = "",
        runs: int = -1,
        code: str = "",
        says: str = "",
        is_long: bool = False,
    ) -> None:
        self.writes = writes
        self.to = frozenset(to.split())
        self.into = frozenset(into.split())
        self.code = frozenset(code.split())
        self.values = frozenset(values.split()) | self.to | self.into | self.code
        self.only = frozenset(only.split())
        self.free = frozenset(free.split())
        self.runs = runs
        self.says = says
        self.is_long = is_long


class Parsed:
    """The words after a program's name, by its row: flags, options with their values, operands."""

    __slots__ = ("flags", "given", "operands")

    def __init__(self, row: Program, words: Sequence[Word]) -> None:
        self.flags: set[str] = set()
        self.given: dict[str, list[Word]] = {}
        self.operands: list[Word] = []
        rest = list(words)
        while rest:
            word = rest.pop(0)
            text = word.text
            if text == "--" or (row.runs >= 0 and text[:1] != "-" and len(self.operands) == row.runs):
                self.operands += rest if text == "--" else [word, *rest]
                break
            self._take(row, word, rest) if text[:1] == "-" and len(text) > 1 else self.operands.append(word)
            if text == "-":
                self.flags.add(text)

    def _take(self, row: Program, word: Word, rest: list[Word]) -> None:
        name, equals, value = word.text.partition("=")
        self.flags |= {name, word.text}
        if name in row.values:
            self._give(name, word.with_text(value) if equals else rest.pop(0) if rest else Word())
        elif not (name.startswith("--") or row.is_long):
            for at, letter in enumerate(word.text[1:], 2):
                self.flags.add(f"-{letter}")
                if f"-{letter}" in row.values:
                    tail = word.text[at:]
                    self._give(f"-{letter}", word.with_text(tail) if tail else rest.pop(0) if rest else Word())
                if f"-{letter}" in row.values or not letter.isalnum():
                    break

    def _give(self, option: str, word: Word) -> None:
        self.given.setdefault(option, []).append(word)

    def values(self, options: Iterable[str]) -> list[Word]:
        """Return what was given to any of some options."""
        return [word for option in options for word in self.given.get(option, ())]


def _rows() -> Mapping[str, Program]:
    return {name.strip(): row for names, row in _ROWS.items() for name in names.split(",")}


_RUN = Program(runs=0)
_COPY = "-S -m -o -g -e --suffix --mode --owner --group --rsh --exclude --include --filter --exclude-from"
_MESSAGE = "-m -F -C -c -t --author --date --message --file --fixup --squash --trailer --template --cleanup"
_CHECK = "--check --diff --dry-run --check-only -c -l --list-files --stdout -"

_ROWS: dict[str, Program] = {
    # Readers, whose options look like those that name an output.
    "ls, exa, eza, cat, bat, grep, egrep, fgrep, rg, ag, ack, ps, ssh, find, fd, fdfind, xargs, parallel, test, [,"
    "head, tail, less, more, diff, wc, tree, stat, du, df, file, cut, tr, column, od, hexdump, id, top, set, ulimit,"
    "pgrep, kubectl, docker, gh, oc, helm, aws, gcloud, az, lsof, ss, ip, mount, useradd, usermod, jq, zipinfo, nm,"
    "objdump, readelf, node, python, pip, pip3, psql, mysql, lsblk, who, comm, join, date, git-lfs, make, cmake,"
    "ctest, ninja, bazel": Program(),
    # Files and folders.
    "rm, rmdir, unlink, srm, trash, trash-put, rimraf, del-cli": Program("all"),
    "shred": Program("all", values="-n -s --iterations --size"),
    "tee, sponge, mkfifo, mknod": Program("all", values="-m --mode"),
    "touch": Program("all", values="-d -r -t --date --reference --time"),
    "truncate": Program("all", values="-s -r --size --reference"),
    "cp, ln, install, link, ditto, gcp": Program("last", values=_COPY, into="-t --target-directory", free="-d"),
    "scp": Program("last", values="-P -i -F -o -l -S -c -J"),
    "rsync": Program("last", values=_COPY, free="-n --dry-run --list-only"),
    "mv, gmv, git mv": Program("moved", values="-S --suffix", into="-t --target-directory", free="-n --dry-run"),
    "rename": Program("rest", values="-e", free="-n --nono --no-act"),
    "mmv": Program("tree", free="-n"),
    "chmod, chown, chgrp, chattr": Program("rest", values="--reference --from"),
    "setfattr": Program("all", values="-n -v -x"),
    "dd": Program(),
    "split": Program("second", values="-b -l -n -a -C --additional-suffix --filter --bytes --lines --number"),
    "csplit": Program(to="-f --prefix", values="-b -n"),
    "cpio": Program("tree", only="-i -p -d -u --extract --pass-through", values="-F -I -D -H"),
    "pax": Program("last", only="-r"),
    # Edited in place.
    "sed, gsed": Program("rest", values="-e -f -l --expression --file", only="-i --in-place"),
    "perl": Program("rest", values="-e -E -M -I", only="-i"),
    "ruby": Program("rest", values="-e -r -I", only="-i"),
    "awk, gawk, mawk, nawk": Program(values="-F -v -f -i --include -e"),
    "ed, ex, vi, vim, nvim, nano, pico, micro, hx, kak, joe, jed": Program(
        "all", values="-c -S -u -U -p --cmd -T", free="-R -M -l --version --help"
    ),
    "emacs, emacsclient": Program("all", values="-l -f --eval --load --funcall", is_long=True),
    "sort": Program(to="-o --output", values="-k -t -S -T --key --field-separator --parallel"),
    "uniq": Program("second", values="-f -s -w"),
    "shuf": Program(to="-o --output", values="-i -n"),
    "sd": Program("after2", free="-p --preview -s"),
    "yq": Program("rest", values="--arg --argjson --indent -I -f", only="-i --inplace --in-place"),
    "yq e, yq eval, yq w, yq write": Program("rest", values="-I -o -p", only="-i --inplace"),
    "json": Program(to="-f", values="-e -c", only="-I"),
    "dasel put, dasel delete": Program(to="-f --file", values="-v -t -r -w -s"),
    "xmlstarlet ed, xmlstarlet edit": Program("all", values="-u -v -d -s -n -t -i -a -r -N", only="-L --inplace"),
    "crudini, augtool": Program("first", only="--set --del --merge"),
    "dos2unix, unix2dos, mac2unix": Program("all", free="-i --info"),
    "recode": Program("rest"),
    "comby": Program("tree", only="-i -in-place", values="-matcher -d -f", is_long=True),
    "ast-grep run, sg run, ast-grep, sg": Program("tree", only="-U --update-all", values="-p -r -l --pattern"),
    "codemod, jscodeshift": Program("tree", values="--extensions -t --transform --parser", free="--dry -d"),
    "2to3": Program("tree", only="-w --write"),
    "strip, mogrify": Program("all", to="-o"),
    "objcopy, lwp-download": Program("last", values="-O -I -B -j -R --add-section"),
    "convert, magick, ffmpeg": Program("last", values="-i -f -c -b -r -ss -t -vf -af -resize", is_long=True),
    "exiftool": Program("all", only="-overwrite_original"),
    # Patches and archives.
    "patch": Program(values="-i -p -d -r -o --input --strip", free="--dry-run --help"),
    "apply_patch": Program(),
    "tar, gtar, bsdtar": Program(),
    "unzip": Program("", into="-d", free="-l -t -p -v -Z"),
    "zip": Program("first", values="-x -i"),
    "7z a, 7za a": Program("first"),
    "7z x, 7za x, 7z e": Program(into="-o"),
    "gzip, gunzip, bzip2, bunzip2, xz, unxz, zstd, unzstd, lzma, compress": Program(
        "all", to="-o", free="-c -t -l --stdout --to-stdout --test --list -dc -kc"
    ),
    # From elsewhere.
    "curl": Program(
        to="-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii",
        values="-X -H -d -u -A -e -b -F -m -x -w -T --request --header --data --user --data-raw --data-binary --url"
        " --retry --max-time --connect-timeout --write-out --form --output-dir",
    ),
    "wget": Program(
        to="-O -o --output-document --output-file", into="-P --directory-prefix", values="-t -T -U --header --tries"
    ),
    "aria2c": Program(to="-o --out", into="-d --dir"),
    "http, https, xh": Program(to="-o --output"),
    "docker cp, podman cp, kubectl cp, oc cp, aws s3 cp, aws s3 mv, aws s3 sync, gsutil cp, gcloud storage cp": Program(
        "last"
    ),
    "rclone copy, rclone sync, rclone move, rclone copyto": Program("last"),
    # Outputs.
    "openssl": Program(to="-out -writerand", is_long=True),
    "mysqldump, mariadb-dump": Program(to="-r --result-file"),
    "pg_dump, pg_dumpall": Program(to="-f --file"),
    "terraform plan, tofu plan": Program(to="-out", is_long=True),
    "gpg, gpg2, age": Program(to="-o --output"),
    "iconv": Program(to="-o --output"),
    "base64": Program(to="-o"),
    "xxd": Program("second", values="-s -l -c -g -o"),
    "xmllint": Program(to="--output -o", is_long=True),
    "ssh-keygen": Program(to="-f", free="-l -F -y -R", values="-t -b -C -N"),
    "strace, ltrace": Program(to="-o", values="-e -p -s -u", runs=0),
    "tcpdump": Program(to="-w", values="-i -c"),
    # Commands that run commands.
    "command, builtin, exec, nohup, setsid, unbuffer, busybox, toybox, shx, then, do, else, time, coproc, caffeinate,"
    "fakeroot, dotenv, direnv exec, proxychains, entr, faketime": Program(runs=0, values="-f -o -a"),
    "sudo, doas": Program(runs=0, values="-u -g -C -h -p -D -r -t"),
    "env": Program(runs=0, values="-u -C --unset --chdir", code="-S --split-string"),
    "timeout, chroot, setpriv, chrt, taskset, cpulimit": Program(runs=1, values="-k -s --kill-after --signal"),
    "unshare, nsenter, firejail, bwrap, ltrace -f": _RUN,
    "nice, ionice, stdbuf": Program(runs=0, values="-n -c -p -i -o -e -t"),
    "flock": Program(runs=1, values="-w -E -o", code="-c --command"),
    "watch": Program(runs=0, values="-n --interval"),
    "script": Program("last", code="-c --command", values="-t"),
    "su": Program(code="-c --command"),
    "rlwrap": Program(runs=0, to="-l"),
    "screen": Program(runs=0, values="-S -t", to="-Logfile", is_long=True),
    "tmux new, tmux new-session, tmux new-window, tmux split-window": Program(runs=0, values="-s -n -c -t"),
    "npx, bunx, pnpx, pipx run, npm exec, npm x, pnpm exec, pnpm dlx, yarn exec, yarn dlx, bun x": Program(
        runs=0, values="-p --package", code="-c --call"
    ),
    "uvx, uv tool run, uv run": Program(
        runs=0, values="--from --with -p --python --group --extra --project --env-file"
    ),
    "poetry run, pipenv run, pdm run, hatch run, rye run, bundle exec, conda run,"
    "mise exec, asdf exec, rtx exec": Program(runs=0, values="-n -p"),
    "yarn": Program(runs=0, values="--cwd"),
    # Formatters and fixers.
    "black, isort, pyupgrade, add-trailing-comma, reorder-python-imports, usort format, ufmt format": Program(
        "tree", values="-t -l --line-length --target-version --profile --config -k --skip", free=_CHECK + " --code"
    ),
    "ruff format": Program("tree", values="--line-length --config", free="--check --diff -"),
    "ruff check, ruff": Program(
        "tree",
        only="--fix --fix-only --unsafe-fixes --add-noqa",
        values="--select --ignore --config",
        free="--diff --no-fix",
    ),
    "autopep8, yapf, docformatter, clang-format, google-java-format, cmake-format, autoflake, fixit": Program(
        "tree",
        only="-i -ir -ri --in-place --inplace --replace",
        values="--style -style --config",
        free="--check --dry-run",
    ),
    "prettier": Program("tree", only="--write -w", values="--config --parser --ignore-path --plugin", free="--check"),
    "biome check, biome format, biome lint, rome format": Program("tree", only="--write --fix --apply --apply-unsafe"),
    "eslint, stylelint, standard, xo, oxlint, tslint, markdownlint, markdownlint-cli2, textlint, standardrb, "
    "clang-tidy, golangci-lint run, semistandard, solhint, sqlfluff lint, htmlhint, swiftlint, credo": Program(
        "tree",
        only="--fix -fix --autocorrect",
        values="--ext -c --config -f --format -o --output-file",
        free="--fix-dry-run",
    ),
    "rubocop": Program("tree", only="-a -A -x --autocorrect --autocorrect-all --auto-correct --fix-layout"),
    "gofmt, goimports, gofumpt, shfmt, gci write": Program("tree", only="-w -lw", values="-i -r -ln", is_long=True),
    "rustfmt, phpcbf, php-cs-fixer fix, swiftformat, google-java, buildifier, stylua, nixfmt, scalafmt, taplo fmt,"
    "taplo format, sqlfluff fix, sqlfluff format, mdformat, dart format, mix format, terraform fmt, tofu fmt,"
    "packer fmt, deno fmt, gdformat, ormolu, elm-format, zig fmt, alejandra, dprint fmt, cargo fmt, go fmt,"
    "dotnet format, nix fmt, zprint, pint": Program(
        "tree",
        values="-p --config --edition --package",
        free="--check --diff --dry-run --lint --test -check -c -"
        " --list --check-formatted --verify-no-changes --set-exit-if-changed -n",
    ),
    "ktlint": Program("tree", only="-F --format"),
    "cargo fix": Program("tree", values="-p"),
    # Manifests that package managers write.
    "npm pkg set, npm pkg delete, npm version, yarn version, npm init, yarn init, pnpm init, bun init,"
    "npm create": Program("package.json"),
    "npm install, npm i, npm add": Program(
        "package.json", only="OPERAND", values="--prefix -w", free="-g --global --no-save"
    ),
    "npm uninstall, npm remove, npm rm, npm un, yarn add, yarn remove, yarn up, pnpm add, pnpm remove, pnpm rm,"
    "bun add, bun remove": Program("package.json", only="OPERAND", values="--prefix", free="-g --global"),
    "poetry add, poetry remove, poetry init, uv add, uv remove, uv init, uv version --bump, pdm add, pdm remove,"
    "rye add, hatch new": Program("pyproject.toml", free="--script"),
    "pipenv install, pipenv uninstall": Program("Pipfile", only="OPERAND", values="-r"),
    "cargo add, cargo remove, cargo rm, cargo init": Program("Cargo.toml"),
    "go get": Program("go.mod", only="OPERAND"),
    "go mod init, go mod edit": Program("go.mod", free="-json -print"),
    "composer require, composer remove, composer init": Program("composer.json"),
    "bundle add, bundle remove, bundle init": Program("Gemfile"),
    "tsc": Program(to="--outFile --outfile", values="-p --project"),
    "tsc --init": Program("tsconfig.json"),
    # git: what a session does itself, what would lose work, what writes files.
    "git": Program(values="-C -c --git-dir --work-tree --namespace --exec-path --config-env"),
    "git commit": Program(says="git_commits", values=_MESSAGE, free="--dry-run"),
    "git merge": Program(says="git_merges", values="-m -s -X -F", free="--abort --quit"),
    "git pull, gh pr merge": Program(says="git_merges"),
    "git rebase": Program(says="git_moves_branch", values="--exec -x", free="--show-current-patch"),
    "git bisect": Program(says="git_moves_branch"),
    "git bisect log, git bisect view, git bisect visualize": Program(),
    "git reset": Program("reset", says="git_moves_branch"),
    "git cherry-pick, git revert, git am": Program(says="git_adds_commits", values="-m -X"),
    "git switch, gh pr checkout, gh co": Program(says="git_leaves_branch"),
    "git stash, git sparse-checkout": Program(says="git_hides_work"),
    "git stash list, git stash show, git sparse-checkout list": Program(),
    "git clean": Program(says="git_deletes_files", values="-e --exclude", free="-n --dry-run"),
    "git filter-branch, git filter-repo, git replace, git prune, git reflog expire, git reflog delete": Program(
        says="git_rewrites_history"
    ),
    "git gc": Program(says="git_rewrites_history", only="--prune"),
    "git read-tree, git checkout-index, git update-index": Program(says="git_writes_files", free="--refresh"),
    "git branch": Program(
        "branch", says="git_changes_branches", values="--contains --merged --sort --format --points-at"
    ),
    "git tag": Program(says="git_changes_branches", only="-d --delete -f --force", values="-m -F -l --sort"),
    "git update-ref": Program(says="git_changes_branches"),
    "git symbolic-ref": Program("symbolic", says="git_changes_branches", values="-m"),
    "git config": Program("config", says="git_configures", values="-f --file --blob --type --default"),
    "git config get, git config list, git worktree list": Program(),
    "git config set, git config unset, git config edit": Program(says="git_configures"),
    "git worktree": Program(says="git_opens_work_tree"),
    "git checkout": Program("checkout", says="git_leaves_branch", values="-b -B --orphan"),
    "git restore": Program("restore", values="-s --source"),
    "git rm": Program("all", free="--cached -n --dry-run"),
    "git apply": Program(values="-p --directory", free="--check --stat --numstat --summary"),
    "git archive": Program(to="-o --output", values="--format --prefix"),
    "git format-patch": Program(says="git_writes_files", free="--stdout"),
    "git bundle create": Program("first"),
    "git diff, git log, git show, git shortlog, git whatchanged": Program(to="--output", values="-G -S -n --format"),
    "git merge-file": Program("first", free="-p --stdout"),
    "git difftool": Program(code="-x --extcmd"),
    "git grep": Program(code="-O --open-files-in-pager"),
    "git submodule foreach": Program(runs=0),
    "git bisect run": Program(says="git_moves_branch"),
    "git init": Program("repository", values="-b --initial-branch --template"),
    "svn revert, svn rm, svn mv, hg revert, hg rm, hg mv, jj restore": Program("all", values="-r"),
    "hg commit, jj commit, svn commit": Program(says="git_commits"),
    # What the user alone says, in a terminal of their own.
    "codeintel trust, codeintel decide, codeintel outcome, codeintel-guard": Program(says="users_word"),
    "codeintel init": Program(says="users_word", only="--yes"),
    "expect": Program(code="-c"),
    "spawn": _RUN,
    # The words of PowerShell.
    "set-content, add-content, out-file, remove-item, clear-content, new-item, tee-object, sc, ac,"
    "ri, del, erase": Program(
        "first", to="-path -filepath -literalpath", values="-value -encoding -itemtype", is_long=True
    ),
    "move-item, copy-item, rename-item": Program("moved", values="-destination -path", is_long=True),
}
TABLE = _rows()
SUBCOMMANDS = frozenset(
    " ".join(words[:end]) for words in (name.split() for name in TABLE) for end in range(1, len(words))
)
"""The names, and names with a sub-command, that rows with a longer name begin with."""
OUTPUTS = ("-o", "--out", "--output", "--outfile", "--output-file", "--out-file", "--log-file", "--basetemp")
"""Options by which a program without a row may name a file that it writes."""
UNKNOWN = Program(values=" ".join((*OUTPUTS, "--junitxml", "--junit-xml")))
