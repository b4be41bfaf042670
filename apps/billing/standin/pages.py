"""What the browser loads from the stand-in: its script, the frame with the card fields, the bank's dialog."""

from typing import Any


def answer(
    standin: Any, method: str, path: str, query: dict[str, Any], body: dict[str, Any]
) -> tuple[int, dict[str, str], bytes]:
    return 404, {"Content-Type": "text/plain"}, b"Not found"
