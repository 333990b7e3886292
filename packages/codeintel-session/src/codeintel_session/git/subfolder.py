"""Paths of a project that is a folder of its repository: git's are relative to the top, the project's to its folder.

What lies outside that folder has a name too, which begins with `../`: nothing that git sees is left out.
"""

from collections.abc import Iterable, Mapping


def to_project(prefix: str, path: str) -> str:
    """Return a path of git as seen from the folder `prefix`; "" is the top."""
    if not prefix:
        return path
    own, parts = prefix.split("/"), path.split("/")
    same = next((at for at, (one, other) in enumerate(zip(own, parts, strict=False)) if one != other), len(own))
    return "/".join([*[".."] * (len(own) - same), *parts[same:]])


def to_git(prefix: str, path: str) -> str:
    """Return a path of the project as git spells it; one that leads out of the repository keeps its `..`."""
    own, parts = prefix.split("/") if prefix else [], path.split("/")
    while own and parts[0] == "..":
        own, parts = own[:-1], parts[1:]
    return "/".join([*own, *parts])


def all_to_git(prefix: str, paths: Iterable[str]) -> list[str]:
    """Return several paths of the project as git spells them."""
    return [to_git(prefix, path) for path in paths]


def keys_to_git(prefix: str, found: Mapping[str, str]) -> dict[str, str]:
    """Return a mapping by paths of the project as one by git's."""
    return {to_git(prefix, path): value for path, value in found.items()}


def keys_to_project(prefix: str, found: Mapping[str, str]) -> dict[str, str]:
    """Return a mapping by git's paths as one by those of the project."""
    return {to_project(prefix, path): value for path, value in found.items()}
