#!/usr/bin/env bash
# Each package stands alone: its wheel installs into an empty environment and imports there, and its
# tests collect with nothing else of the workspace than what it declares.
set -euo pipefail
cd "$(dirname "$0")/.."

dist=$(mktemp -d)
trap 'rm -rf "$dist"' EXIT
uv build --quiet --all-packages --wheel --out-dir "$dist"

for package in contract index session templates server; do
    module="codeintel_$package"
    uv venv --quiet "$dist/env-$package"
    uv pip install --quiet --python "$dist/env-$package" --find-links "$dist" \
        "$(ls "$dist/$module"-*.whl)"
    python="env-$package/bin/python"
    [ -x "$dist/$python" ] || python="env-$package/Scripts/python.exe"  # Windows
    (cd "$dist" && "$python" -W error -c "
import importlib, pkgutil
import $module
for found in pkgutil.walk_packages($module.__path__, '$module.'):
    if not found.name.endswith(('__main__', '.testing')):
        importlib.import_module(found.name)
")
    printf 'codeintel-%s: the wheel installs alone and every module of it imports\n' "$package"
    uv run --isolated --quiet --package "codeintel-$package" pytest -q -n auto "packages/codeintel-$package"
done
