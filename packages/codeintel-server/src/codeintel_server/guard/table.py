"""The table of programs: which of their words they write, run, or take for options with a value.

A row is looked up by the program's name, and by `name sub-command` where there is such a row. What a program without a
row may write is `unknown.py`'s to say.
"""

from __future__ import annotations

from codeintel_server.guard.project_tools import ROWS
from codeintel_server.guard.row import Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def _rows() -> Mapping[str, Program]:
    return {name.strip(): row for names, row in (_ROWS | ROWS).items() for name in names.split(",")}


_COPY = "-S -m -o -g -e --suffix --mode --owner --group --rsh --exclude --include --filter --exclude-from"
_MESSAGE = "-m -F -C -c -t --author --date --message --file --fixup --squash --trailer --template --cleanup"

_ROWS: dict[str, Program] = {
    # Readers, whose options look like those that name an output.
    "ls, exa, eza, cat, bat, grep, egrep, fgrep, rg, ag, ack, ps, ssh, find, fd, fdfind, xargs, parallel, test, [,"
    "head, tail, more, diff, wc, stat, du, df, file, cut, tr, column, od, hexdump, id, top, set, ulimit,"
    "pgrep, kubectl, docker, gh, oc, lsof, ss, ip, useradd, usermod, jq, nm,"
    "objdump, readelf, node, python, pip, pip3, psql, mysql, lsblk, who, comm, join, date, git-lfs, make, cmake,"
    "ctest, ninja, bazel, info, tldr, whatis, apropos, which, whereis, type, hash, kill, pkill, killall, logger,"
    "notify-send, wall, say, mail, apt, apt-get, dnf, yum, zypper, pacman, apk, brew, port, snap, choco, scoop, winget,"
    "dpkg, rpm, systemctl, journalctl, just, task, invoke, rake, gulp, grunt, tox, nox, gradle, gradlew, mvn, mvnw,"
    "unset, declare, local, readonly, typeset, return, exit, shift, wait, mkdir, cmp": Program(),
    "git clone, gh repo clone, gh gist clone, hg clone, venv, virtualenv, uv venv": Program(
        "new", values="--depth -b --branch -c -o --origin --config -p --python --prompt"
    ),
    # Files and folders.
    "rm, rmdir, unlink, srm, trash, trash-put, rimraf, del-cli": Program("all"),
    "shred": Program("all", values="-n -s --iterations --size"),
    "tee, sponge, mkfifo, mknod": Program("all", values="-m --mode"),
    "touch": Program("all", values="-d -r -t --date --reference --time"),
    "truncate": Program("all", values="-s -r --size --reference"),
    "cp, ln, install, link, ditto, gcp": Program("last", values=_COPY, into="-t --target-directory", free="-d"),
    "scp": Program("last", values="-P -i -F -o -l -S -c -J"),
    "sftp": Program("last", values="-b -P -i -F -o"),
    "rsync": Program("last", values=_COPY, free="-n --dry-run --list-only"),
    "rsync --remove-source-files": Program("moved", values=_COPY, free="-n --dry-run --list-only"),
    "mv, gmv": Program("moved", values="-S --suffix", into="-t --target-directory"),
    "git mv": Program("moved", free="-n --dry-run"),
    "rename, prename, file-rename, perl-rename, rename.ul": Program("rest", values="-e", free="-n --nono --no-act"),
    "fallocate": Program("all", values="-l -o --length --offset"),
    "setfacl": Program("rest", only="-m -x -b -k -s --modify --remove", values="-M -X"),
    "ptx": Program("second", only="-G --traditional"),
    "mmv, zmv, zcp, zln": Program("tree", free="-n"),
    "mount": Program("last", only="--bind -B --rbind -R --move -M"),
    "tree": Program(to="-o"),
    "chmod, chown, chgrp, chattr": Program("rest", values="--reference --from"),
    "setfattr": Program("all", values="-n -v -x"),
    "dd": Program(),
    "split": Program("second", values="-b -l -n -a -C --additional-suffix --filter --bytes --lines --number"),
    "csplit": Program(to="-f --prefix", values="-b -n"),
    "cpio": Program("tree", only="-i -p -d -u --extract --pass-through", values="-F -I -D -H"),
    "pax": Program("here", only="-r", free="-w", values="-f -s -o -p"),
    "pax -rw": Program("last", values="-s -o -p"),
    # Edited in place.
    "sed, gsed": Program("rest", values="-e -f -l --expression --file", only="-i --in-place"),
    "perl": Program("rest", values="-e -E -M -I", only="-i"),
    "ruby": Program("rest", values="-e -r -I", only="-i"),
    "awk, gawk, mawk, nawk": Program(values="-F -v -f -i --include -e"),
    "ed, nano, pico, micro, hx, kak, joe, jed": Program(
        "all", values="-c -S -u -U -p --cmd -T", free="-R -M -l --version --help"
    ),
    "emacs, emacsclient": Program("all", values="-l -f --eval --load --funcall", is_long=True),
    "sort": Program(to="-o --output", values="-k -t -S -T --key --field-separator --parallel"),
    "uniq": Program("second", values="-f -s -w"),
    "shuf": Program(to="-o --output", values="-i -n"),
    "sd": Program("after2", free="-p --preview -s"),
    "yq, tomlq, xq": Program("rest", values="--arg --argjson --indent -I -f", only="-i --inplace --in-place"),
    "yq e, yq eval, yq w, yq write": Program("rest", values="-I -o -p", only="-i --inplace"),
    "json": Program(to="-f", values="-e -c", only="-I"),
    "dasel put, dasel delete": Program(to="-f --file", values="-v -t -r -w -s"),
    "xmlstarlet ed, xmlstarlet edit": Program("all", values="-u -v -d -s -n -t -i -a -r -N", only="-L --inplace"),
    "crudini, augtool": Program("first", only="--set --del --merge"),
    "dos2unix, unix2dos, mac2unix": Program("all", free="-i --info"),
    "recode": Program("rest"),
    "comby": Program("tree", only="-i -in-place", values="-matcher -d -f", is_long=True),
    "ast-grep run, sg run, ast-grep, sg": Program(
        "tree", only="-U --update-all", values="-p -r -l --pattern", code="-c"
    ),
    "codemod, jscodeshift": Program("tree", values="--extensions -t --transform --parser", free="--dry -d"),
    "2to3, fissix": Program("tree", only="-w --write"),
    "lz4, unlz4": Program("second"),
    "mksquashfs, pdftotext": Program("second", values="-f -l -comp"),
    "mkswap, mkfs, mke2fs, mkfs.ext4, mkfs.ext3, mkfs.vfat, mkfs.xfs, mkfs.btrfs": Program("first"),
    "logsave, htpasswd": Program("first"),
    "msgmerge": Program("first", only="-U --update"),
    "keytool": Program(to="-keystore -file -destkeystore", is_long=True),
    "qpdf, pdfunite, ps2pdf": Program("last"),
    "optipng, jpegoptim, oxipng, advpng, pngcrush": Program("all", free="-simulate -n --dry-run --noaction"),
    "pngquant": Program("all", only="--ext -f --force", values="--ext --quality --speed -o"),
    "svgo": Program("tree", values="-p --config", free="-o --output"),
    "patchelf, chrpath": Program("last", only="--set-rpath --set-interpreter --remove-rpath -r -d --add-needed"),
    "sops": Program("all", to="--output", only="-i --in-place", values="--pgp --age --kms --input-type --output-type"),
    "mlr": Program("last", only="-I"),
    "ansible-vault encrypt, ansible-vault decrypt, ansible-vault edit, ansible-vault rekey": Program("all"),
    "doctoc": Program("all", free="--dryrun --stdout -s"),
    "markdown-toc": Program("all", only="-i"),
    "wiggle": Program("first", only="--replace -r"),
    "merge": Program("first", free="-p", values="-L"),
    "rpl, replace": Program("after2", free="-s --dry-run"),
    "fastmod": Program("tree", only="--accept-all", values="-e --extensions -g --glob"),
    "semgrep": Program("tree", only="--autofix -a", values="--config -c -e -l", free="--dryrun"),
    "toml set": Program("first"),
    "strip, mogrify": Program("all", to="-o"),
    "objcopy, lwp-download": Program("last", values="-O -I -B -j -R --add-section"),
    "convert, magick, ffmpeg": Program("last", values="-i -f -c -b -r -ss -t -vf -af -resize", is_long=True),
    "exiftool": Program("all", only="-overwrite_original"),
    # Patches and archives.
    "patch": Program(values="-i -p -d -r -o --input --strip", free="--dry-run --help"),
    "apply_patch": Program(),
    "tar, gtar, bsdtar": Program(),
    "unzip": Program("here", into="-d", values="-x", free="-l -t -p -v -Z -c -z"),
    "zip": Program("first", values="-x -i -b"),
    "zip -m, zip -rm, zip -mr, zip -qm, zip -mq": Program("all", values="-x -i -b"),
    "7z a, 7za a, 7zz a, 7zr a": Program("first"),
    "7z a -sdel, 7za a -sdel, 7zz a -sdel": Program("all"),
    "7z x, 7za x, 7z e, 7za e, 7zz x, 7zr x, unrar x, unrar e": Program("here", into="-o -op"),
    "dpkg-deb": Program("last", only="-x -X --extract -R --raw-extract"),
    "unsquashfs": Program("here", into="-d -dest", free="-l -ll -s", is_long=True),
    "cabextract": Program("here", into="-d --directory", free="-l -t -p"),
    "unar": Program("here", into="-o -output-directory", is_long=True),
    "zipinfo, lsar": Program(),
    "gzip, gunzip, pigz, unpigz, pbzip2, lzip, plzip, lzop, bzip2,"
    "bunzip2, xz, unxz, zstd, unzstd, lzma, compress": Program(
        "all", to="-o", free="-c -t -l --stdout --to-stdout --test --list -dc -kc"
    ),
    # From elsewhere.
    "curl": Program(
        to="-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr",
        values="-X -H -d -u -A -e -b -F -m -x -w -T --request --header --data --user --data-raw --data-binary --url"
        " --retry --max-time --connect-timeout --write-out --form --output-dir",
    ),
    "wget": Program(
        to="-O -o --output-document --output-file", into="-P --directory-prefix", values="-t -T -U --header --tries"
    ),
    "aria2c": Program(to="-o --out", into="-d --dir"),
    "http, https, xh": Program(to="-o --output"),
    "docker cp, kubectl cp, oc cp, aws s3 cp, aws s3 sync, gsutil cp,gcloud storage cp": Program("last"),
    "rclone copy, rclone sync, rclone copyto": Program("last"),
    "aws s3 mv, rclone move, rclone moveto": Program("moved"),
    "az storage blob download, az storage file download": Program(to="-f --file -p --path", values="-c -n -s"),
    "gh release download, gh run download": Program(
        "here", into="-D --dir", to="-O --output", values="-p --pattern -n --name -R --repo"
    ),
    "svn export, svn checkout, svn co": Program("tree", values="-r"),
    "yt-dlp, youtube-dl": Program(to="-o --output", values="-f --format"),
    # Outputs.
    "redis-cli --rdb, save": Program("first"),
    "coverage html, coverage xml, coverage json, coverage lcov": Program(to="-o", into="-d --directory"),
    "ctags, etags": Program(to="-o -f --output-file", values="-L --languages --exclude --options"),
    "sphinx-build, typst compile": Program("second", values="-b -c -d -D -j -t -E"),
    "wkhtmltopdf, wkhtmltoimage, weasyprint, sox, pdftk": Program("last"),
    "openssl": Program(to="-out -writerand", is_long=True),
    "mysqldump, mariadb-dump": Program(to="-r --result-file"),
    "cython, cythonize, ranlib": Program("all"),
    "pg_dump, pg_dumpall": Program(to="-f --file"),
    "terraform plan, tofu plan": Program(to="-out", is_long=True),
    "gpg, gpg2, age, iconv, docker save, docker export": Program(to="-o --output"),
    "base64": Program(to="-o"),
    "less": Program(to="-o -O --log-file --LOG-FILE"),
    "history": Program(to="-w -a"),
    "cscope": Program(to="-f", values="-i -s"),
    "doxygen": Program(to="-g -u -w"),
    "dot, neato, fdp, circo, twopi": Program("all", only="-O", to="-o", values="-T -K -G -N -E"),
    "ar": Program("second"),
    "ar t, ar p, ar tv": Program(),
    "ar x": Program("here", into="--output"),
    "xxd": Program("second", values="-s -l -c -g -o"),
    "xmllint": Program(to="--output -o", is_long=True),
    "ssh-keygen": Program(to="-f", free="-l -F -y -R", values="-t -b -C -N"),
    "strace, ltrace": Program(to="-o", values="-e -p -s -u", runs=0),
    "tcpdump": Program(to="-w", values="-i -c"),
    # Commands that run commands.
    "time": Program(runs=0, to="-o --output", values="-f --format"),
    "command, builtin, exec, nohup, setsid, unbuffer, busybox, toybox, shx, then, do, else, coproc, caffeinate,"
    "fakeroot, dotenv, proxychains, faketime": Program(runs=0, values="-f -o -a"),
    "sudo, doas": Program(runs=0, values="-u -g -C -h -p -r -t", at="-D --chdir"),
    "env": Program(runs=0, values="-u --unset", at="-C --chdir", code="-S --split-string"),
    "runuser": Program(runs=0, values="-u -g -G", code="-c --command"),
    "systemd-run": Program(runs=0, values="-p -u -E -t --unit --property --uid", at="-d --working-directory"),
    "timeout, chroot, chrt, taskset, cpulimit": Program(runs=1, values="-k -s --kill-after --signal"),
    "unshare, nsenter, firejail, ltrace -f, shell, spawn": Program(runs=0),
    "bwrap": Program(runs=0, values="--bind --ro-bind --dev --proc --tmpfs --chdir --setenv"),
    "nice, ionice, stdbuf, setpriv": Program(runs=0, values="-n -c -p -i -o -e -t"),
    "newgrp, expect": Program(code="-c"),
    "gdb, lldb": Program(code="-ex -o --eval-command", is_long=True),
    "flock": Program(runs=1, values="-w -E -o", code="-c --command"),
    "watch": Program(runs=0, values="-n --interval"),
    "script": Program("last", code="-c --command", values="-t"),
    "su": Program(code="-c --command"),
    "man": Program(code="-P --pager", values="-s -S"),
    "rlwrap": Program(runs=0, to="-l"),
    "screen": Program(runs=0, values="-S -t", to="-Logfile", is_long=True),
    "tmux": Program(values="-L -S -f"),
    "tmux send-keys, tmux send": Program("lines", values="-t -N"),
    "tmux new, tmux new-session, tmux new-window, tmux split-window": Program(runs=0, values="-s -n -c -t"),
    # git: what a session does itself, what would lose work, what writes files.
    "git": Program(values="-C -c --git-dir --work-tree --namespace --exec-path --config-env"),
    "git commit": Program(says="git_commits", values=_MESSAGE, free="--dry-run"),
    "git merge": Program(says="git_merges", values="-m -s -X -F", free="--abort --quit"),
    "git pull, gh pr merge, gh repo sync, hg pull -u, repo sync, git mergetool": Program(says="git_merges"),
    "git rebase": Program(says="git_moves_branch", values="--exec -x", free="--show-current-patch"),
    "git bisect, git bisect run": Program(says="git_moves_branch"),
    "git bisect log, git bisect view, git bisect visualize, git stash list, git stash show, git sparse-checkout list,"
    "git config get, git config list, git worktree list, git hash-object, git grep": Program(),
    "git reset": Program("reset", says="git_moves_branch"),
    "git cherry-pick, git revert, git am": Program(says="git_adds_commits", values="-m -X"),
    "git switch, gh pr checkout, gh co, glab mr checkout, hg update, hg checkout, jj new, jj edit": Program(
        says="git_leaves_branch"
    ),
    "git stash, git sparse-checkout": Program(says="git_hides_work"),
    "git clean": Program(says="git_deletes_files", values="-e --exclude", free="-n --dry-run"),
    "git filter-branch, git filter-repo, git lfs migrate import, git replace, git prune,"
    "git reflog expire, git reflog delete": Program(says="git_rewrites_history"),
    "git gc": Program(says="git_rewrites_history", only="--prune"),
    "git read-tree, git checkout-index, git update-index": Program(says="git_writes_files", free="--refresh"),
    "git branch": Program(
        "branch", says="git_changes_branches", values="--contains --merged --sort --format --points-at"
    ),
    "git tag": Program("tag", says="git_changes_branches", values="-m -F --sort --contains --points-at --merged"),
    "git notes add, git notes append, git notes edit, git notes remove, git update-ref, git fast-import": Program(
        says="git_changes_branches"
    ),
    "gio save, gio rename, gio remove, gio trash": Program("first"),
    "gio copy, gio move": Program("moved"),
    "git symbolic-ref": Program("symbolic", says="git_changes_branches", values="-m"),
    "git config": Program("config", says="git_configures", values="-f --file --blob --type --default"),
    "git worktree": Program("work_tree", says="git_opens_work_tree", values="-b -B --orphan --reason --expire"),
    "git checkout": Program("checkout", says="git_leaves_branch", values="-b -B --orphan"),
    "git restore": Program("restore", values="-s --source"),
    "git rm": Program("all", free="--cached -n --dry-run"),
    "git config set, git config unset, git config edit, git remote set-url, git remote rename, git remote remove,"
    "git remote rm": Program(says="git_configures"),
    "git clang-format": Program("here", free="--diff --diffstat"),
    "git apply": Program(values="-p --directory", free="--check --stat --numstat --summary"),
    "git archive": Program(to="-o --output", values="--format --prefix"),
    "git format-patch": Program("patches", says="git_writes_files", values="-o --output-directory", free="--stdout"),
    "git fetch, git push": Program("fetch", says="git_changes_branches", values="-o --push-option --depth --refmap"),
    "git bugreport, git diagnose": Program(into="-o --output-directory"),
    "git subtree pull, git subtree add, git subtree merge, git svn rebase, git p4 sync, git p4 rebase, git absorb,"
    "stg pop, stg push, stg refresh, stg goto": Program(says="git_adds_commits"),
    "git bundle create": Program("first"),
    "git diff, git log, git show, git shortlog, git whatchanged": Program(to="--output", values="-G -S -n --format"),
    "git merge-file": Program("first", free="-p --stdout"),
    "git difftool": Program(code="-x --extcmd"),
    "git submodule foreach": Program(runs=0),
    "git init": Program("repository", says="git_configures", values="-b --initial-branch --template"),
    "svn revert, svn rm, svn mv, hg rm, hg mv": Program("all", values="-r"),
    "svn update, svn up, svn switch, hg revert, jj restore": Program("tree", values="-r --rev"),
    "hg commit, jj commit, svn commit": Program(says="git_commits"),
    # What the user alone says, in a terminal of their own.
    "codeintel trust, codeintel decide, codeintel outcome, codeintel undo, codeintel-guard": Program(says="users_word"),
    "codeintel init": Program(says="users_word", only="--yes -y"),
    "codeintel uninstall, codeintel upgrade, codeintel-templates install, codeintel-templates uninstall,"
    "codeintel-templates upgrade": Program(".code-intel", free="--dry-run"),
    "claude mcp add, claude mcp remove, claude mcp add-json, claude mcp reset-project-choices": Program(".mcp.json"),
    "codex mcp add, codex mcp remove": Program(".codex/config.toml"),
    "gemini mcp add, gemini mcp remove": Program(".gemini/settings.json"),
    "qwen mcp add, qwen mcp remove": Program(".qwen/settings.json"),
    "pre-commit install, husky init, lefthook install, overcommit --install": Program(".git/hooks/pre-commit"),
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
UNKNOWN = Program(values="-o --log-file --basetemp --junitxml --junit-xml", code="-c --run --exec --command --cmd")
"""A program without a row: options by which it may name a file that it writes, or a command that it runs."""
