"""The official conformance suite of the Model Context Protocol against kit/mcp."""
