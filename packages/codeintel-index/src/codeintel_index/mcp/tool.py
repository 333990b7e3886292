"""A function as a tool of MCP: its signature is the schema, its docstring the description.

Arguments are checked here before a tool sees them: data too deep, too large or no JSON, unknown names, wrong types.
"""

import inspect
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mcp.types import CallToolResult, TextContent, Tool as ListedTool, ToolAnnotations
from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from codeintel_index.errors import ArgumentsRefused
from codeintel_index.mcp.answers import ToolResult, json_size

ARGUMENT_BYTES = 64 * 1024
DEPTH = 32
"""How deep arguments may be nested; a plan with its tasks and their checklists needs 5."""
_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class ToolFunction:
    """A tool. `most_bytes` is the size of all its arguments, as JSON.

    The function's first parameter and those behind `*` are the server's to fill; the rest are arguments.
    """

    function: Callable[..., ToolResult]
    read_only: bool = True
    destructive: bool = False
    most_bytes: int = ARGUMENT_BYTES
    note: str = ""

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.__name__

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """The model its arguments are checked with; unknown ones are refused."""
        parameters = [
            parameter
            for parameter in list(inspect.signature(self.function, eval_str=True).parameters.values())[1:]
            if parameter.kind is not parameter.KEYWORD_ONLY
        ]
        fields: dict[str, Any] = {
            parameter.name: (parameter.annotation, ... if parameter.default is parameter.empty else parameter.default)
            for parameter in parameters
        }
        return create_model(f"{self.name}_arguments", __config__=ConfigDict(extra="forbid"), **fields)

    def listing(self) -> ListedTool:
        """The row of `tools/list`; `note` is what this server adds to the description."""
        said = f"{inspect.getdoc(self.function) or ''} {self.note}"
        return ListedTool(
            name=self.name,
            description=" ".join(said.split()),
            input_schema=_lean(self.arguments.model_json_schema()),
            annotations=ToolAnnotations(
                read_only_hint=self.read_only, destructive_hint=self.destructive or None, open_world_hint=False
            ),
        )

    def check_form(self, arguments: Mapping[str, Any]) -> None:
        """Refuse arguments that nothing behind this should meet. Raises ArgumentsRefused."""
        problems = tuple(f"{field}: {why}" for field, value in arguments.items() if (why := _fault_in(value)))
        if not problems and (given := json_size(arguments)) > self.most_bytes:
            problems = (f"arguments: {given} bytes, at most {self.most_bytes} are read",)
        if problems:
            raise ArgumentsRefused(self.name, problems)

    def read_arguments(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Read the arguments as the function takes them. Raises ArgumentsRefused."""
        try:
            model = self.arguments.model_validate(dict(arguments))
        except ValidationError as error:
            problems = tuple(map(self._problem, error.errors(include_url=False)))
            raise ArgumentsRefused(self.name, problems) from None
        return {field: getattr(model, field) for field in type(model).model_fields}

    def _problem(self, item: Mapping[str, Any]) -> str:
        name = ".".join(map(str, item["loc"])) or "arguments"
        if item["type"] == "extra_forbidden":
            shown = name if name.isidentifier() else repr(name)
            return f"{shown}: unknown argument; known are {', '.join(self.arguments.model_fields)}"
        return f"{name}: {item['msg']}"


def _lean(schema: Any) -> Any:
    """Drop what costs tokens and says nothing: titles that repeat the names, defaults that are empty."""
    if isinstance(schema, dict):
        return {key: _lean(value) for key, value in schema.items() if not _says_nothing(key, value)}
    return [_lean(value) for value in schema] if isinstance(schema, list) else schema


def _says_nothing(key: str, value: Any) -> bool:
    return (key == "title" and isinstance(value, str)) or (key == "default" and not value)


def _fault_in(value: object, depth: int = 1) -> str:
    """Say why a value cannot be handled, "" if it can."""
    if depth > DEPTH:
        return f"nested more than {DEPTH} deep"
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value} cannot be a number in JSON"
    if isinstance(value, str) and _HALF.search(value):
        return "holds half of a surrogate pair, which does not make a character"
    inner = (*value.keys(), *value.values()) if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return next((why for each in inner if (why := _fault_in(each, depth + 1))), "")


def as_call_result(reply: dict[str, Any]) -> CallToolResult:
    """One compact JSON, as text and as structuredContent: clients show the model one or the other."""
    text = json.dumps(reply, ensure_ascii=False, separators=(",", ":"))
    safe = text.encode("utf-8", "replace").decode()  # names that are not UTF-8 cannot travel as they are
    return CallToolResult(
        content=[TextContent(type="text", text=safe)],
        structured_content=reply if safe == text else json.loads(safe),
        is_error=reply.get("success") is False,
    )
