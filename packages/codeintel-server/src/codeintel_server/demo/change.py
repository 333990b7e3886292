"""Make the change of the scripted agent: a small real function at the end of an existing source file.

Each language has a row with such a function, its stub, and the guard without which it is wrong. A project in another
language, or in none, gets a paragraph in one of its documents.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Recipe:
    """Hold the function and its stub in one language. Only `{name}` is filled in.

    `guard` is the part of the body that keeps it from being wrong; `stub` is "" where the index judges no stubs.
    """

    globs: tuple[str, ...]
    body: str
    stub: str
    guard: str = ""


RECIPES: tuple[Recipe, ...] = (
    Recipe(
        ("**/*.py",),
        '''def {name}(values: list[float]) -> tuple[float, float]:
    """Total and mean of values; an empty list has both at zero."""
    if not values:
        return 0.0, 0.0
    total = sum(values)
    return total, total / len(values)
''',
        '''def {name}(values: list[float]) -> tuple[float, float]:
    """Total and mean of values; an empty list has both at zero."""
    raise NotImplementedError
''',
        """    if not values:
        return 0.0, 0.0
""",
    ),
    Recipe(
        ("**/*.ts",),
        """export function {name}(values: number[]): [number, number] {
  if (values.length === 0) return [0, 0];
  const total = values.reduce((sum, value) => sum + value, 0);
  return [total, total / values.length];
}
""",
        """export function {name}(values: number[]): [number, number] {
  throw new Error("not implemented");
}
""",
        """  if (values.length === 0) return [0, 0];
""",
    ),
    Recipe(
        ("**/*.js", "**/*.mjs"),
        """function {name}(values) {
  if (values.length === 0) return [0, 0];
  const total = values.reduce((sum, value) => sum + value, 0);
  return [total, total / values.length];
}
""",
        """function {name}(values) {
  // TODO
}
""",
        """  if (values.length === 0) return [0, 0];
""",
    ),
    Recipe(
        ("**/*.go",),
        """// {name} gives the total and the mean of values; both are zero for none.
func {name}(values []float64) (float64, float64) {
\tif len(values) == 0 {
\t\treturn 0, 0
\t}
\ttotal := 0.0
\tfor _, value := range values {
\t\ttotal += value
\t}
\treturn total, total / float64(len(values))
}
""",
        """// {name} gives the total and the mean of values; both are zero for none.
func {name}(values []float64) (float64, float64) {
\tpanic("not implemented")
}
""",
        """\tif len(values) == 0 {
\t\treturn 0, 0
\t}
""",
    ),
    Recipe(
        ("**/*.rs",),
        """/// Total and mean of values; both are zero for none.
pub fn {name}(values: &[f64]) -> (f64, f64) {
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let total: f64 = values.iter().sum();
    (total, total / values.len() as f64)
}
""",
        """/// Total and mean of values; both are zero for none.
pub fn {name}(values: &[f64]) -> (f64, f64) {
    todo!()
}
""",
        """    if values.is_empty() {
        return (0.0, 0.0);
    }
""",
    ),
    Recipe(
        ("**/*.c",),
        """double {name}(const double *values, int count) {
    if (count == 0) {
        return 0.0;
    }
    double total = 0.0;
    for (int i = 0; i < count; i++) {
        total += values[i];
    }
    return total / count;
}
""",
        """double {name}(const double *values, int count) {
    /* TODO */
}
""",
        """    if (count == 0) {
        return 0.0;
    }
""",
    ),
    Recipe(
        ("**/*.rb",),
        """# Total and mean of values; both are zero for none.
def {name}(values)
  return [0.0, 0.0] if values.empty?
  total = values.sum
  [total, total / values.length.to_f]
end
""",
        """# Total and mean of values; both are zero for none.
def {name}(values)
  raise NotImplementedError
end
""",
        """  return [0.0, 0.0] if values.empty?
""",
    ),
    Recipe(
        ("**/*.kt",),
        """/** Total and mean of values; both are zero for none. */
fun {name}(values: List<Double>): Pair<Double, Double> {
    if (values.isEmpty()) return Pair(0.0, 0.0)
    val total = values.sum()
    return Pair(total, total / values.size)
}
""",
        "",
        """    if (values.isEmpty()) return Pair(0.0, 0.0)
""",
    ),
    Recipe(
        ("**/*.swift",),
        """/// Total and mean of values; both are zero for none.
func {name}(_ values: [Double]) -> (Double, Double) {
    if values.isEmpty { return (0, 0) }
    let total = values.reduce(0, +)
    return (total, total / Double(values.count))
}
""",
        "",
        """    if values.isEmpty { return (0, 0) }
""",
    ),
    Recipe(
        ("**/*.php",),
        """/** Total and mean of values; both are zero for none. */
function {name}(array $values): array
{
    if ($values === []) {
        return [0.0, 0.0];
    }
    $total = array_sum($values);
    return [$total, $total / count($values)];
}
""",
        """/** Total and mean of values; both are zero for none. */
function {name}(array $values): array
{
    throw new LogicException('not implemented');
}
""",
        """    if ($values === []) {
        return [0.0, 0.0];
    }
""",
    ),
    Recipe(
        ("**/*.java", "**/*.cs"),
        """    /** The mean of values; zero for none. */
    public static double {name}(double[] values) {
        if (values.length == 0) {
            return 0.0;
        }
        double total = 0.0;
        for (int i = 0; i < values.length; i++) {
            total += values[i];
        }
        return total / values.length;
    }
""",
        """    /** The mean of values; zero for none. */
    public static double {name}(double[] values) {
        // TODO
    }
""",
        """        if (values.length == 0) {
            return 0.0;
        }
""",
    ),
)

PARAGRAPH = Recipe(
    ("**/*.md", "**/*.rst", "**/*.txt", "**/*.adoc", "**/*"),
    """{name}: add all numbers, then divide the total by their count.
An empty list has no mean; both results are zero then.
""",
    "",
    """An empty list has no mean; both results are zero then.
""",
)
"""What is written where no language with a recipe is found."""


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
        for earlier in filter(None, (recipe.stub, self._wrong())):
            text = text.replace("\n\n" + self._text(number, earlier), "")
        lines = text.rstrip("\n").split("\n")
        at = self.after or len(lines)
        added = self._text(number, recipe.stub if pretend else self._wrong() if wrong else recipe.body).rstrip("\n")
        lines[at:at] = ["", "", *added.split("\n")]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return f"{self.path}:{at + 3}-{at + 2 + len(added.splitlines())}"

    def check(self) -> str:
        """Return a program that fails unless the function does what was asked: run in Python, read elsewhere."""
        values = {"path": self.path, "name": self.name(), "body": self._text(1, self.recipe.body).strip()}
        given = "\n".join(f"{key} = {value!r}" for key, value in values.items())
        return f"{given}\n{RUN if self.path.endswith('.py') else READ}"

    def _wrong(self) -> str:
        return self.recipe.body.replace(self.recipe.guard, "", 1) if self.recipe.guard else self.recipe.body

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
