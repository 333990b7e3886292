"""Play the whole flow through MCP with a scripted agent, for the demonstration and the end-to-end tests."""
