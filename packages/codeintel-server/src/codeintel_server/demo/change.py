"""Make the change of the scripted agent: a small real function at the end of an existing source file.

Each language has a row with such a function, what makes it a stub, and the guard without which it is wrong. A project
in another language, or in none, gets a paragraph in one of its documents.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Recipe:
    """Hold the function in one language, of which only `{name}` is filled in.

    Without the `guard` below its `head` it is wrong; with `empty` there it is a stub, "" where the index judges none.
    """

    globs: tuple[str, ...]
    head: str
    guard: str
    rest: str
    empty: str

    @property
    def body(self) -> str:
        """Return the whole function."""
        return self.head + self.guard + self.rest

    @property
    def wrong(self) -> str:
        """Return the function that divides by zero."""
        return self.head + self.rest

    @property
    def stub(self) -> str:
        """Return the function that only pretends to work, "" where the index judges none."""
        return self.head + self.empty if self.empty else ""


def _read_recipes() -> Iterator[Recipe]:
    """Read `recipes.txt`: below the globs of each recipe head, guard, rest and empty body, with dashes between them."""
    text = files("codeintel_server.demo").joinpath("recipes.txt").read_text(encoding="utf-8")
    for globs, _, body in (part.partition("\n") for part in text.split("@@ ")[1:]):
        yield Recipe(tuple(globs.split()), *body.split("---\n"))


*RECIPES, PARAGRAPH = _read_recipes()
"""The last one is written where no language with a recipe is found."""

NAMES = ("total_and_mean", "sum_and_average", "mean_with_total", "amount_and_average")
"""Names for the function; the demonstration uses the first that the project does not have."""


@dataclass(slots=True)
class Change:
    """Write a function to `path`. Numbers distinguish several functions of one session.

    It goes to the end of the file, or below line `after` where functions stand inside of something.
    """

    root: Path
    path: str
    anchor: str
    recipe: Recipe
    stem: str = NAMES[0]
    after: int = 0

    @property
    def is_text(self) -> bool:
        """Return whether the change is a paragraph of a document."""
        return self.recipe is PARAGRAPH

    def name(self, number: int = 1) -> str:
        """Return the function's name."""
        return self.stem + (f"_{number}" if number > 1 else "")

    def query(self, number: int = 1) -> str:
        """Return the user's request."""
        if self.is_text:
            return (
                f"Readers of {self.path} divide by zero on empty lists. "
                f"Add a function {self.name(number)} to {self.path} in words, that gives the total and the mean."
            )
        return (
            f"Callers of {self.anchor} sum their numbers by hand and divide by zero on empty lists. "
            f"Add a function {self.name(number)} to {self.path} that gives the total and the mean."
        )

    def write(self, number: int = 1, *, pretend: bool = False, wrong: bool = False) -> str:
        """Write the function, replacing its stub or its wrong form, and return its evidence, `path:start-end`."""
        recipe, file = self.recipe, self.root / self.path
        text = file.read_text(encoding="utf-8")
        for earlier in filter(None, (recipe.stub, recipe.wrong)):
            text = text.replace("\n\n" + self._text(number, earlier), "")
        lines = text.rstrip("\n").split("\n")
        at = self.after or len(lines)
        added = self._text(number, recipe.stub if pretend else recipe.wrong if wrong else recipe.body).rstrip("\n")
        lines[at:at] = ["", "", *added.split("\n")]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return f"{self.path}:{at + 3}-{at + 2 + len(added.splitlines())}"

    def check(self) -> str:
        """Return a program that fails unless the function does what was asked: run in Python, read elsewhere."""
        values = {"path": self.path, "name": self.name(), "body": self._text(1, self.recipe.body).strip()}
        given = "\n".join(f"{key} = {value!r}" for key, value in values.items())
        return f"{given}\n{RUN if self.path.endswith('.py') else READ}"

    def _text(self, number: int, template: str) -> str:
        return template.replace("{name}", self.name(number))


RUN = """
import ast

tree = ast.parse(open(path, encoding="utf-8").read())
found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
if not found:  # as in the base, which this does not concern
    raise SystemExit(print(f"1 passed: there is no {name} yet"))
space = {}
exec(compile(ast.Module(found, []), path, "exec"), space)
assert space[name]([1.0, 2.0, 6.0]) == (9.0, 3.0), "1 failed: the total and the mean of three numbers"
try:
    empty = space[name]([])
except ZeroDivisionError:
    raise SystemExit("1 failed, 1 passed: an empty list divides by zero") from None
assert empty == (0.0, 0.0), f"1 failed, 1 passed: an empty list gives {empty}"
print("2 passed")
"""
READ = """
text = open(path, encoding="utf-8").read()
if name not in text:  # as in the base, which this does not concern
    raise SystemExit(print(f"1 passed: there is no {name} yet"))
if body not in text:
    raise SystemExit("1 failed, 1 passed: an empty list divides by zero")
print("2 passed")
"""
