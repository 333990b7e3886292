"""The change the scripted agent makes: a small real function at the end of an existing source file.

One row a language says how such a function looks, and how it looks when only pretended.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a function is written in a language. `{name}` is filled in; nothing else is."""

    globs: tuple[str, ...]
    body: str
    stub: str


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
    ),
    Recipe(
        ("**/*.c",),
        """double {name}(const double *values, int count) {
    double total = 0.0;
    for (int i = 0; i < count; i++) {
        total += values[i];
    }
    return total;
}
""",
        """double {name}(const double *values, int count) {
    /* TODO */
}
""",
    ),
)


NAMES = ("total_and_mean", "sum_and_average", "mean_with_total", "amount_and_average")
"""What the function may be called; the first that the project does not have is taken."""


@dataclass(slots=True)
class Change:
    """A function written to the end of `path`. Numbers tell several of one session apart."""

    root: Path
    path: str
    anchor: str
    recipe: Recipe
    stem: str = NAMES[0]

    def name(self, number: int = 1) -> str:
        """The function's name."""
        return self.stem + (f"_{number}" if number > 1 else "")

    def query(self, number: int = 1) -> str:
        """What the user asks for."""
        return (
            f"Callers of {self.anchor} sum their numbers by hand and divide by zero on empty lists. "
            f"Add a function {self.name(number)} to {self.path} that gives the total and the mean."
        )

    def write(self, number: int = 1, *, pretend: bool = False) -> str:
        """Write the function, replacing a pretended one; returns its evidence, `path:start-end`."""
        file = self.root / self.path
        text = file.read_text(encoding="utf-8")
        text = text.replace("\n\n" + self._text(number, self.recipe.stub), "").rstrip("\n") + "\n"
        added = self._text(number, self.recipe.stub if pretend else self.recipe.body)
        file.write_text(f"{text}\n\n{added}", encoding="utf-8")
        start = len(text.splitlines()) + 3
        return f"{self.path}:{start}-{start + len(added.splitlines()) - 1}"

    def _text(self, number: int, template: str) -> str:
        return template.replace("{name}", self.name(number))
