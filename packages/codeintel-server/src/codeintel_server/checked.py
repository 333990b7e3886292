"""Values that a user wrote, read by a pydantic model whose fields say in words what they take (`description`).

pydantic's own sentences are about types of Python; what is raised here names the key and what belongs there.
"""

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from annotated_types import Ge, Le
from pydantic import BaseModel, ValidationError

from codeintel_contract import ContractViolation

Model = TypeVar("Model", bound=BaseModel)
Place = tuple[str, ...]
"""Keys from the top of a file to a value."""


class WrongValue(ValueError):
    """A value of the wrong kind: its place, and what belongs there."""

    def __init__(self, place: Place, wanted: str) -> None:
        super().__init__(f"{'.'.join(place)}: must be {wanted}")
        self.place = place
        self.wanted = wanted


def invalid(place: str, problem: str) -> ContractViolation:
    """The refusal of a file of the project's: which, where, and what is wrong."""
    return ContractViolation(
        "tool_errors.start_session.config_invalid", problems=(f"{place}: {problem}",), path=place, problem=problem
    )


def read_as(model: type[Model], given: Mapping[str, Any]) -> Model:
    """Build a model from what a file says. Raises WrongValue for the first value that does not fit."""
    try:
        return model.model_validate(given, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]["loc"]
        place = tuple(part for part in first if isinstance(part, str))
        raise WrongValue(place, _wanted(model, place)) from error


def _wanted(model: type[BaseModel], place: Place) -> str:
    field = model.model_fields[place[0]]
    if len(place) > 1 and (inner := inner_model(field.annotation)):
        return _wanted(inner, place[1:])
    if field.description:
        return field.description
    low = next(rule.ge for rule in field.metadata if isinstance(rule, Ge))
    return f"a whole number from {low} to {next(rule.le for rule in field.metadata if isinstance(rule, Le))}"


def inner_model(kind: object) -> type[BaseModel] | None:
    """The model that a field holds, None if it holds a plain value."""
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def without_empty(given: Mapping[str, Any]) -> dict[str, Any]:
    """The same without keys that have no value: in YAML they stand for keys that were left out."""
    inner = {key: without_empty(value) if isinstance(value, dict) else value for key, value in given.items()}
    return {key: value for key, value in inner.items() if value is not None}


def unknown_keys(model: type[BaseModel], given: Mapping[str, Any], above: Place = ()) -> Iterator[tuple[Place, Place]]:
    """Each key that the model does not know, and the keys that it knows there."""
    for key, value in given.items():
        if key not in model.model_fields:
            yield (*above, key), tuple(model.model_fields)
        elif isinstance(value, dict) and (inner := inner_model(model.model_fields[key].annotation)):
            yield from unknown_keys(inner, value, (*above, key))
