"""Languages that name what is in a file, not the file: Java, Kotlin, Scala, C#, PHP, Elixir, Haskell."""

import re

from codeintel_index.impact.project import Parts, Project
from codeintel_index.impact.spelling.base import Link, Target, ends, ends_like, folder_of, joined, link_if
from codeintel_index.results import Import

_ALL = ("*", "_", "given")
_PHP_FILE = re.compile(r"\.(?:php|inc|phtml)$")


def jvm(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`com.shop.Order`, one of its members, a function of its package, or the package with `*`.

    Packages are compared with folders, of which the first may be left out.
    """
    parts = tuple(each.module.split("."))
    names = [name for name in each.names if name not in _ALL]
    least = min(2, len(target.segments))
    for found in ((*parts, name) for name in names) if names else [parts]:
        if ends(found, target.segments, least) or ends(found[:-1], target.segments, least):
            return Link.FILE
        if found[-1] in target.names and ends(found[:-1], target.folder, 1):
            return Link.FILE
    return Link.PACKAGE if not names and ends(parts, target.folder, least) else Link.NONE


def csharp(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`using Shop.Models` takes in a namespace, `using static Shop.Models.Order` a class."""
    holders = {symbol.rpartition(".")[0] for symbol in target.symbols}
    if each.module in target.symbols:
        return Link.FILE
    return Link.PACKAGE if each.module in holders else Link.NONE


def php(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`App\\Models\\User` by the namespace in the file, by composer's folders, or by how it ends; or a path."""
    if _PHP_FILE.search(each.module):
        parts = tuple(part for part in each.module.split("/") if part)
        beside = "/".join(joined(folder_of(importer), parts))
        plain = "/".join(part for part in parts if part not in (".", ".."))
        return link_if(target.path in (beside, plain) or (len(parts) > 1 and target.path.endswith(f"/{plain}")))
    parts = tuple(part for part in each.module.split("\\") if part)
    spellings = [(*parts, name) for name in each.names] or [parts]
    if any(".".join(found) in target.symbols for found in spellings):
        return Link.FILE
    folders = [path for found in spellings for path in project.named("php", found)]
    if target.segments in folders:
        return Link.FILE
    folded = tuple(part.lower() for part in target.segments)
    return link_if(any(len(found) > 1 and ends(_lower(found), folded, 2) for found in spellings) and not folders)


def _lower(parts: Parts) -> Parts:
    return tuple(part.lower() for part in parts)


def elixir(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`alias Shop.{Cart, Line}`: the modules that a file defines, wherever it lies."""
    spellings = [f"{each.module}.{name}" for name in each.names] or [each.module]
    if any(found in target.symbols for found in spellings):
        return Link.FILE
    paths = (tuple(_snake(part) for part in found.split(".")) for found in spellings)
    return link_if(not target.symbols and any(ends_like(importer, found, target.segments) for found in paths))


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def haskell(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`import qualified Data.Shop.Cart as C`."""
    parts = tuple(each.module.split("."))
    return link_if(parts == target.segments[-len(parts) :] and (len(parts) > 1 or ends_like(importer, parts, parts)))
