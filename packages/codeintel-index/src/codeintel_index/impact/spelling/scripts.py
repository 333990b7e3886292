"""Languages that name files: Python, JavaScript and TypeScript, Ruby, Lua, Bash, style sheets and pages."""

import re
import sys
from collections.abc import Iterator

from codeintel_index.impact.project import Parts, Project
from codeintel_index.impact.spelling.base import Link, Target, ends_like, folder_of, joined, link_if, same
from codeintel_index.results import Import

_SCRIPT = re.compile(r"\.(?:jsx?|tsx?|[mc][jt]s|vue|svelte|css|scss|sass|less|json)$")
_SHELL_PREFIX = re.compile(r"^.*(?:\)\"?|\}\"?|\$\w+\"?)(?=/)", re.DOTALL)
_SHELL = re.compile(r"\.(?:sh|bash|bats|zsh|ksh)$")
_ALIAS_MARKS = ("@", "~", "#", "$")


def python(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`..store.db`, `pkg.db` with the names taken from it, any of which may be a module."""
    module = each.module
    rest = tuple(part for part in module.lstrip(".").split(".") if part)
    if dots := len(module) - len(module.lstrip(".")):
        exact = joined(folder_of(importer), [*[".."] * (dots - 1), *rest])
        return link_if(any(same(found, target.segments) for found in (exact, *((*exact, name) for name in each.names))))
    if len(rest) == 1 and not each.names and rest[0] in sys.stdlib_module_names:
        return Link.NONE
    spellings = (rest, *((*rest, name) for name in each.names))
    return link_if(any(ends_like(importer, found, target.segments) for found in spellings))


def script(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`./util`, `../util.js`, a package of the workspace, a path given in tsconfig, or `@/util`."""
    module = each.module.partition("?")[0]
    if module.startswith(("./", "../")) or module in (".", ".."):
        exact = joined(folder_of(importer), module.split("/"))
        return link_if(_is_script(exact, target))
    parts = tuple(module.split("/"))
    if any(_is_script(found, target) for found in _below_sources(project.named("script", parts))):
        return Link.FILE
    bare = (*parts[:-1], _SCRIPT.sub("", parts[-1]))
    spellings = [bare]
    if parts[0].startswith(_ALIAS_MARKS):
        spellings += [bare[1:], (bare[0][1:], *bare[1:])]
    return link_if(len(parts) > 1 and any(ends_like(importer, found, target.segments) for found in spellings))


def _is_script(found: Parts, target: Target) -> bool:
    """Whether the target is the file, with its suffix written, left out, or that of what it is compiled to."""
    if "/".join(found) == target.path or same(found, target.segments):
        return True
    return bool(found) and same((*found[:-1], _SCRIPT.sub("", found[-1])), target.segments)


def _below_sources(found: list[Parts]) -> Iterator[Parts]:
    """Each path, and the same path below the folder's sources: a package's name leaves them out."""
    for parts in found:
        yield parts
        for depth in range(len(parts) + 1):
            yield from ((*parts[:depth], sources, *parts[depth:]) for sources in ("src", "lib"))


def ruby(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`require_relative '../cart'` and `require 'shop/cart'`, which is looked for below folders of sources."""
    parts = tuple(each.module.removesuffix(".rb").split("/"))
    wanted = tuple(target.path.removesuffix(".rb").split("/"))
    if joined(folder_of(importer), parts) == wanted:
        return Link.FILE
    return link_if(".." not in parts and parts == wanted[-len(parts) :] and _at_root(wanted[: -len(parts)]))


def _at_root(above: Parts) -> bool:
    return not above or above[-1] in ("lib", "app", "spec", "test", "tests", "src")


def lua(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`require("shop.cart")`, dots or slashes, `init.lua` standing for its folder."""
    return link_if(ends_like(importer, tuple(re.split(r"[./]", each.module)), target.segments))


def shell(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`source lib/util.sh`; what stands before the first folder may only be known when it runs."""
    text = _SHELL_PREFIX.sub("", each.module)
    parts = tuple(part for part in _SHELL.sub("", text).strip("\"'").split("/") if part)
    wanted = tuple(_SHELL.sub("", target.path).split("/"))
    if joined(folder_of(importer), parts) == wanted:
        return Link.FILE
    sure = tuple(part for part in parts if part not in ("..", "."))
    return link_if(bool(sure) and wanted[-len(sure) :] == sure and (len(sure) > 1 or text != each.module))


def sheet(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`@import 'base'` of style sheets, `src` and `href` of pages."""
    parts = each.module.partition("?")[0].partition("#")[0].split("/")
    exact = joined(() if each.module.startswith("/") else folder_of(importer), parts)
    partial = (*exact[:-1], f"_{exact[-1]}") if exact else ()
    return link_if("/".join(exact) == target.path or target.segments in (exact, partial))
