"""Which repositories are learned from, and under which license each of them stands. The license is read, not believed.

Every repository is a bare or full clone under one folder. Those of the development set and of any judgement are refused
by name, so that no figure is ever taken on what the model was trained or stopped on.
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

LICENSE_FILE = re.compile(
    r"(?i)(?:(?:mit|bsd)[-_])?(?:licen[sc]e|copying|unlicense)(?:[-._](?:mit|apache|bsd|2\.0|md|txt|rst))*"
)
PERMISSIVE = {  # in this order: the first that fits names the license
    "Apache-2.0": ("apache license", "version 2.0"),
    "MIT": ("permission is hereby granted, free of charge", "without restriction"),
    "BSD": ("redistribution and use in source and binary forms",),
    "ISC": ("permission to use, copy, modify, and/or distribute this software for any purpose",),
    "Zlib": ("this software is provided 'as-is', without any express or implied",),
    "Unlicense": ("this is free and unencumbered software released into the public domain",),
    "PSF": ("python software foundation license",),
}
COPYLEFT = re.compile(
    r"(?i)gnu (?:lesser |affero |library )?general public|mozilla public|eclipse public|business source|"
    r"server side public|reciprocal public|elastic license|sustainable use|commons clause"
)
KEPT_APART = frozenset((Path(__file__).parent / "kept_apart.txt").read_text(encoding="utf-8").split())


@dataclass(frozen=True, slots=True)
class Source:
    """A repository to learn from: its name, where its clone is, the commit and the license that was read there."""

    name: str
    git_dir: Path
    commit: str
    license: str


def sources(folder: Path) -> tuple[list[Source], dict[str, str]]:
    """The repositories in a folder of clones (`owner+name/repo`) that may be learned from; why the others may not."""
    good: list[Source] = []
    refused: dict[str, str] = {}
    for place in sorted(folder.glob("*+*/repo")):
        name = place.parent.name.replace("+", "/")
        git_dir = place / ".git" if (place / ".git").is_dir() else place
        if name.split("/")[1].lower() in KEPT_APART:
            refused[name] = "kept apart for measuring"
            continue
        commit = git(git_dir, "rev-parse", "HEAD").strip()
        license_name = license_of(git_dir)
        if license_name in PERMISSIVE:
            good.append(Source(name, git_dir, commit, license_name))
        else:
            refused[name] = license_name
    return good, refused


def license_of(git_dir: Path) -> str:
    """The license by its text, or why none was found. Any copyleft text at the top of the tree rules all out."""
    names = [
        each for each in git(git_dir, "ls-tree", "--name-only", "HEAD").split("\n") if LICENSE_FILE.fullmatch(each)
    ]
    if not names:
        return "no license file"
    texts = [" ".join(git(git_dir, "show", f"HEAD:{each}").lower().split()) for each in names]
    for name, text in zip(names, texts, strict=True):
        if COPYLEFT.search(text[:3000]):
            return f"copyleft or restricted ({name})"
    for license_name, signs in PERMISSIVE.items():
        if any(all(sign in text for sign in signs) for text in texts):
            return license_name
    return f"license not recognized ({', '.join(names)})"


def git(git_dir: Path, *arguments: str, partly: bool = False) -> str:
    """What a git command says; `partly`: a clone that lacks some contents may say less than all."""
    done = subprocess.run(["git", f"--git-dir={git_dir}", *arguments], capture_output=True, check=not partly)
    return done.stdout.decode(errors="replace")
