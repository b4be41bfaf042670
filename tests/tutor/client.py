"""An assistant in the test's own process: JSON-RPC by Django's test client."""

import json
from typing import Any

from django.test import Client


class Assistant:
    """Calls /mcp, or another address of the protocol, with a token."""

    def __init__(self, token: str = "", *, address: str = "/mcp", version: str = "2025-11-25") -> None:
        self.client = Client()
        self.address = address
        self.headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": version}
        if token:
            self.headers["Authorization"] = f"Bearer {token}"

    def post(self, body: Any, **headers: str) -> Any:
        """The HTTP response to a body: text as it is, anything else as JSON."""
        text = body if isinstance(body, str | bytes) else json.dumps(body)
        return self.client.post(
            self.address, text, content_type="application/json", headers={**self.headers, **headers}
        )

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """The whole JSON-RPC response to a request."""
        answer = self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        message: dict[str, Any] = answer.json()
        return message

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of a tool: what it says in ``structuredContent``, and ``isError``."""
        message = self.send("tools/call", name=tool, arguments=arguments)
        assert "result" in message, message
        result: dict[str, Any] = message["result"]
        return result

    def data(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a tool that succeeds returns."""
        result = self.call(tool, **arguments)
        assert not result["isError"], result
        data: dict[str, Any] = result["structuredContent"]
        return data

    def refusal(self, tool: str, **arguments: Any) -> str:
        """The code with which a tool refuses."""
        result = self.call(tool, **arguments)
        assert result["isError"], result
        code: str = result["structuredContent"]["code"]
        return code

    def error(self, method: str, **params: Any) -> dict[str, Any]:
        """The protocol's error."""
        error: dict[str, Any] = self.send(method, **params)["error"]
        return error
