"""A scripted agent that plays the whole flow through MCP: the demonstration, and the player of the end-to-end tests."""
