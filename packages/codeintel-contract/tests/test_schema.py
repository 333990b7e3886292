"""The schema that editors complete a project's contract file by."""

from codeintel_contract.names import TOOL_NAMES, Key
from codeintel_contract.schema import SECTIONS, project_schema


def test_a_projects_file_may_leave_everything_out_and_name_only_what_there_is() -> None:
    schema = project_schema()
    phase = schema["$defs"]["PhaseEntry"]
    assert ("required" in schema, "required" in phase) == (False, False)
    assert set(schema["properties"]) == set(SECTIONS)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["additionalProperties"] is False
    assert set(phase["properties"]["required_tools"]["items"]["enum"]) == TOOL_NAMES
    assert {key.value for key in Key} <= set(schema["$defs"]["Key"]["enum"])
