"""Rows of the table for what projects use: formatters, code generators, package managers, runners of other programs.

What only renews a lock file (`cargo update`, `uv lock`) and what only makes a folder of its own have no row: honest
people run them all day, and the comparison shows what they change.
"""

from __future__ import annotations

from codeintel_server.guard.row import Program

_CHECK = "--check --diff --dry-run --check-only -c --list-files --stdout -"
_DRY = "--dry-run -n --dry --draft --check --help"

ROWS: dict[str, Program] = {
    # Formatters that write unless an option says to check.
    "black, isort, pyupgrade, add-trailing-comma, reorder-python-imports, usort format, ufmt format, pycln, djhtml,"
    "blackdoc, blacken-docs, darker, nbstripout, nimpretty, beautysh, rufo, fantomas, csharpier, dotnet-csharpier,"
    "nixpkgs-fmt, treefmt, uv format, hatch fmt, rye fmt, gleam format, crystal tool format, dune fmt, trunk fmt,"
    "cljfmt fix, cljstyle fix, swift-format format, just --fmt, roc format, v fmt, forge fmt, cargo sort,"
    "clang-apply-replacements, standardrb --fix, sort-package-json, prettier-package-json": Program(
        "tree", values="-t -l --line-length --target-version --profile --config -k --skip", free=_CHECK + " --code"
    ),
    "rustfmt, phpcbf, php-cs-fixer fix, swiftformat, google-java, buildifier, stylua, nixfmt, scalafmt, taplo fmt,"
    "taplo format, sqlfluff fix, sqlfluff format, mdformat, dart format, mix format, gdformat, ormolu, elm-format,"
    "zig fmt, alejandra, dprint fmt, deno fmt, cargo fmt, go fmt, dotnet format, nix fmt, zprint, pint, scalafix,"
    "rector process": Program(
        "tree",
        values="-p --config --edition --package",
        free="--check --diff --dry-run --lint --test -check -c -"
        " --list --check-formatted --verify-no-changes --set-exit-if-changed -n",
    ),
    "terraform fmt, tofu fmt, packer fmt, terragrunt hclfmt": Program("tree", free="-check -diff -", is_long=True),
    "astyle, indent, uncrustify": Program("tree", to="-o", values="-c -f --options", free="--dry-run -n -st --stdout"),
    "ruff format": Program("tree", values="--line-length --config", free="--check --diff -"),
    # Formatters and fixers that write if an option says so.
    "ruff check, ruff": Program(
        "tree",
        to="-o --output-file",
        only="--fix --fix-only --unsafe-fixes --add-noqa",
        values="--select --ignore --config",
        free="--diff --no-fix",
    ),
    "autopep8, yapf, docformatter, clang-format, google-java-format, cmake-format, autoflake, fixit, unify, fourmolu,"
    "brittany, stylish-haskell, ocamlformat, swift-format, lua-format, luaformatter, verible-verilog-format, "
    "fprettify, pg_format, raco fmt, jsonnetfmt, nph, hclfmt, xmlformat, js-beautify, css-beautify, html-beautify,"
    "djlint": Program(
        "tree",
        only="-i -ir -ri --in-place --inplace --replace --reformat -r",
        values="--style -style --config",
        free="--check --dry-run",
    ),
    "codespell, typos, golines, buf format, purs-tidy, yamlfmt, odinfmt, keep-sorted": Program(
        "tree", only="-w --write --write-changes", values="-c --config -I -S -m"
    ),
    "swift format": Program("tree", only="-i --in-place"),
    "perltidy": Program("tree", only="-b"),
    "latexindent": Program("tree", only="-w -wd --overwrite", is_long=True),
    "tidy": Program("all", only="-m -modify", to="-o -output", values="-config -f", is_long=True),
    "unimport": Program("tree", only="-r --remove"),
    "prettier": Program("tree", only="--write -w", values="--config --parser --ignore-path --plugin", free="--check"),
    "biome check, biome format, biome lint, rome format": Program("tree", only="--write --fix --apply --apply-unsafe"),
    "eslint, stylelint, standard, xo, oxlint, tslint, markdownlint, markdownlint-cli2, textlint, standardrb, "
    "clang-tidy, golangci-lint run, semistandard, solhint, sqlfluff lint, htmlhint, swiftlint, credo, cargo clippy,"
    "deno lint": Program(
        "tree",
        only="--fix -fix --autocorrect --fix-errors -fix-errors",
        to="-o --output-file",
        values="--ext -c --config -f --format",
        free="--fix-dry-run",
    ),
    "dart fix": Program("tree", only="--apply"),
    "hlint": Program("tree", only="--refactor"),
    "rubocop": Program("tree", only="-a -A -x --autocorrect --autocorrect-all --auto-correct --fix-layout"),
    "gofmt, goimports, gofumpt, shfmt": Program("tree", only="-w -lw", values="-i -r -ln", is_long=True),
    "gci write": Program("tree"),
    "ktlint": Program("tree", only="-F --format"),
    "cargo fix, go fix, cargo insta accept, cargo insta review, dune promote": Program("tree", values="-p"),
    "dune build": Program("here", only="--auto-promote"),
    "go test": Program(
        "here",
        to="-coverprofile -cpuprofile -memprofile -blockprofile -trace",
        only="-update --update -golden",
        is_long=True,
    ),
    "jest, vitest, ava": Program("here", only="-u --update --updateSnapshot --update-snapshots"),
    "pre-commit autoupdate": Program("here"),
    "license-eye header fix, addlicense": Program("tree", values="-c -l -y -f", free="-check --check"),
    # Manifests that package managers write.
    "npm, pnpm": Program(values="--prefix -C --dir -w --workspace --filter"),
    "npm pkg fix, volta pin, corepack use, npm pkg set, npm pkg delete, npm version, yarn version,"
    "pnpm pkg set, pnpm pkg delete, npm init, yarn init, pnpm init, bun init,"
    "npm create": Program("package.json"),
    "npm install, npm i, npm add": Program(
        "package.json", only="OPERAND", values="--prefix -w", free="-g --global --no-save"
    ),
    "npm uninstall, npm remove, npm rm, npm un, yarn add, yarn remove, yarn up, pnpm add, pnpm remove, pnpm rm,"
    "bun add, bun remove": Program("package.json", only="OPERAND", values="--prefix", free="-g --global"),
    "npm audit fix, npm update, npm upgrade, npm shrinkwrap, pnpm update, pnpm up, yarn set, yarn upgrade,"
    "yarn dedupe": Program("here", free="-g --global --dry-run"),
    "ncu, npm-check-updates": Program("package.json", only="-u --upgrade"),
    "poetry add, poetry remove, poetry init, uv add, uv remove, uv init, uv version --bump, pdm add, pdm remove,"
    "rye add, hatch new": Program("pyproject.toml", free="--script"),
    "uv version, poetry version, hatch version": Program("pyproject.toml", only="OPERAND --bump", free="--dry-run"),
    "pipenv install, pipenv uninstall": Program("Pipfile", only="OPERAND", values="-r"),
    "pyenv local": Program(".python-version", only="OPERAND"),
    "asdf local, asdf set": Program(".tool-versions", only="OPERAND"),
    "rbenv local": Program(".ruby-version", only="OPERAND"),
    "mise use": Program("mise.toml", only="OPERAND", free="-g --global"),
    "npm config set, pnpm config set": Program(".npmrc", only="--location=project"),
    "poetry config": Program("poetry.toml", only="--local"),
    "pip-compile": Program("requirements.txt", to="-o --output-file", free="--dry-run -n"),
    "pip install, pip3 install, uv pip install": Program(
        into="-t --target", values="-r -c -e -i -f --requirement --constraint --editable --index-url --extra-index-url"
    ),
    "pip download, pip3 download, pip wheel, pip3 wheel": Program(into="-d --dest -w --wheel-dir", values="-r -c"),
    "gem install": Program(into="-i --install-dir", values="-v"),
    "conda env export": Program(to="-f --file", values="-n -p"),
    "cargo add, cargo remove, cargo rm, cargo init, cargo upgrade, cargo set-version": Program("Cargo.toml"),
    "go get": Program("go.mod", only="OPERAND"),
    "go mod init, go mod edit": Program("go.mod", free="-json -print"),
    "go work init, go work use, go work edit": Program("go.work", free="-json -print"),
    "go generate, go mod vendor, cargo vendor, patch-package": Program("here", free="-n"),
    "composer require, composer remove, composer init": Program("composer.json"),
    "bundle add, bundle remove, bundle init": Program("Gemfile"),
    "flutter pub add, dart pub add, dotnet add, dotnet remove, dotnet sln, dotnet ef migrations": Program("here"),
    "bump2version, bump-my-version bump, bumpversion, cz bump, commitizen bump, semantic-release version,"
    "semantic-release, towncrier build, changeset version, standard-version, release-it,"
    "commit-and-tag-version, lerna version": Program("here", free=_DRY),
    # Generators.
    "ansible-galaxy init, swag init, cobra-cli add, cobra-cli init, lein new, stack new, cabal init, dune init,"
    "django-admin startapp, django-admin startproject, manage.py makemigrations, manage.py startapp,"
    "manage.py makemessages, manage.py squashmigrations, flask db init, flask db migrate, flask db revision,"
    "alembic revision, alembic init, rails generate, rails g, rails destroy, rails d, rails new,"
    "artisan make,"
    "console make, mix new, mix phx.new, mix ecto.gen.migration, mix phx.gen.schema, mix phx.gen.context,"
    "mix phx.gen.html, mix phx.gen.live, swift package init, zig init, gleam new, cargo new, dotnet new,"
    "flutter create,"
    "kubebuilder init, kubebuilder create, nix flake init, nest generate, nest g, ng generate, ng g, ng add, ng new,"
    "nx generate, nx g, hygen, plop, shadcn add, shadcn init, sv create, prisma format, prisma migrate dev,"
    "prisma init, prisma db pull, sequelize migration:generate, sequelize-cli migration:generate,"
    "knex migrate:make, typeorm migration:generate,"
    "typeorm migration:create, dbmate new, goose create, supabase migration new, atlas migrate diff, sam init,"
    "cdk init,"
    "pulumi new, elm init, forge init, serverless create, storybook init, tailwindcss init, ts-migrate, buf generate,"
    "sqlc generate,"
    "oapi-codegen, kustomize edit, docker init, copier copy, copier update, cruft update, monkeytype apply,"
    "libcst.tool codemod, bowler run, eslint --init, terraform import, helm create, diesel setup,"
    "diesel migration generate, sea-orm-cli generate, ent generate, gqlgen generate, jupytext": Program(
        "here", values="--stdin-filename", free=_DRY
    ),
    "jupyter nbconvert": Program(
        "tree", only="--inplace --to", values="--to --template", into="--output-dir", free="--stdout"
    ),
    "papermill": Program("second", values="-p -f -k"),
    "helm template": Program(into="--output-dir", values="-f --values --set -n --namespace"),
    "bison, byacc, yacc": Program(to="-o -b --output --file-prefix --header --defines"),
    "rollup": Program(to="--file -o", into="--dir -d", values="-f -i -p -n --format --input --plugin --name"),
    "coffee": Program("all", only="-c --compile", into="-o --output"),
    "plantuml": Program("all", free="-pipe -p -syntax -checkonly", values="-o -charset -config", is_long=True),
    "stubgen": Program(into="-o --output", values="-m -p"),
    "cpy, cpy-cli, cpx, cpx2, copyfiles, ncp": Program("last"),
    "ruplacer": Program("after2", only="--go"),
    "repren": Program("tree", only="--from --patterns -p", values="--from --to -p --patterns", free="-n --dry-run"),
    "run-clang-tidy": Program("here", only="-fix -fix-errors", is_long=True),
    "cargo release": Program("Cargo.toml", only="--execute -x"),
    "cargo generate": Program("here", only="--init"),
    "cargo insta test": Program("here", only="--accept --accept-unseen"),
    "gopls rename, gopls format, gopls imports, gopls fix": Program("here", only="-w --write -write"),
    "cog": Program("all", to="-o", only="-r -c", values="-D -I"),
    "unifdef": Program("all", to="-o", only="-m", values="-f"),
    "dvc checkout, dvc pull, git lfs checkout, git annex get, git annex edit, quilt push, quilt pop": Program("tree"),
    "aider": Program("here", free="--help --dry-run"),
    "claude, codex exec, gemini, qwen": Program(
        "here", only="--dangerously-skip-permissions --dangerously-bypass-approvals-and-sandbox --full-auto --yolo -y"
    ),
    "replace-in-file, replace-in-files": Program("after2"),
    "json.tool": Program("second", values="--indent"),
    "zipfile, tarfile": Program("last", only="-e --extract"),
    "zipfile -c, tarfile -c, zipfile --create, tarfile --create": Program("first"),
    "npm pack": Program("here", into="--pack-destination", free="--dry-run"),
    "uv lock, poetry lock, pdm lock, pnpm install --lockfile-only, npm install --package-lock-only": Program(
        "here", free="--check --locked --frozen --dry-run"
    ),
    "sass, lessc, node-sass": Program("second", values="-I --load-path"),
    "tsc --init": Program("tsconfig.json"),
    "tsc": Program(to="--outFile --outfile", into="--outDir --outdir --declarationDir", values="-p --project"),
    "javac, kotlinc, scalac": Program(into="-d", values="-cp -classpath --class-path", is_long=True),
    "bazel run": Program("here", only="//:gazelle //:format"),
    # Commands that run commands.
    "npx, bunx, pnpx, pipx run, npm exec, npm x, pnpm exec, pnpm dlx, yarn exec, yarn dlx, bun x": Program(
        runs=0, values="-p --package", code="-c --call"
    ),
    "uvx, uv tool run, uv run": Program(
        runs=0, values="--from --with -p --python --group --extra --project --env-file", at="--directory"
    ),
    "poetry run, pipenv run, pdm run, hatch run, rye run, bundle exec, conda run,"
    "mise exec, asdf exec, rtx exec": Program(runs=0, values="-n -p"),
    "nix run": Program(runs=0, values="-f -I"),
    "go run": Program(runs=0, at="-C", values="-tags -ldflags -mod -exec", is_long=True),
    "rustup run": Program(runs=1),
    "yarn": Program(runs=0, at="--cwd"),
    "dotnet": Program(runs=0),
    "nix-shell": Program(code="--run --command", values="-p -A -I"),
    "hyperfine, concurrently, npm-run-all, run-p, run-s": Program(
        "lines", values="-n -w -r -m -M --warmup --runs --names -c", code="-p --prepare --setup --cleanup"
    ),
    "nodemon, watchexec, chokidar, reflex, entr, cargo watch": Program(
        runs=0, values="-w -e -i -f -r -s --watch --ext --ignore", code="-x --exec -c --command --shell"
    ),
}
