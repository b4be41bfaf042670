"""A provider that speaks OpenAI's chat completions, and can fail in every way. ``python -m tests.tutor.standin PORT``.

``behavior`` says what it does with the next requests; see :meth:`Standin._respond`.
"""

import asyncio
import contextlib
import json
import re
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

STREAM = "Content-Type: text/event-stream\r\n"


def event(text: str, **more: Any) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    return b"data: " + json.dumps({"choices": [{**choice, **more}]}).encode() + b"\n\n"


_END = b"data: [DONE]\n\n"
NONSENSE = {
    "invalid": (b"data: {nonsense\n\n", 1),
    "deep": (b"data: " + b"[" * 200_000 + b"\n\n", 1),
    "endless line": (b"data: " + b"x" * 4096, 2000),
    "flood": (event("x" * 8000), 4000),
    "noise": (b": keep-alive " + b"y" * 2000 + b"\n", 20_000),
    "error": (b'data: {"error": {"message": "overloaded"}}\n\n', 1),
    "empty": (event("", finish_reason="stop") + _END, 1),
    "filter": (event("", finish_reason="content_filter") + _END, 1),
}
"""What it sends, and how often."""


def from_passages(body: dict[str, Any]) -> str:
    """Answer as a dutiful model: with the first sentence of the first passage."""
    asked = body["messages"][-1]["content"]
    found = re.search(r"passage \[1\][^\n]*\n([^\n]*)", asked)
    if not found:
        return "I couldn't find this in the course."
    return re.split(r"(?<=[.!?]) ", found[1])[0] + " [1]"


class Standin:
    """Serves on 127.0.0.1 in a thread. ``requests`` are the bodies it received, ``closed`` counts clients that left."""

    def __init__(self) -> None:
        self.port = 0
        self.reset()

    def reset(self) -> None:
        self.behavior, self.behaviors = "answer", list[str]()
        self.text: str | None = None
        self.pause = 0.0
        self.requests, self.keys = list[dict[str, Any]](), list[str]()
        self.closed, self.closed_at = 0, 0.0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @contextlib.contextmanager
    def serving(self, port: int = 0) -> Iterator["Standin"]:
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, daemon=True)
        thread.start()
        starting = asyncio.start_server(self._serve, "127.0.0.1", port, backlog=500)
        server = asyncio.run_coroutine_threadsafe(starting, loop).result(5)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            loop.call_soon_threadsafe(server.close)
            loop.call_soon_threadsafe(loop.stop)
            thread.join(5)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
            body = json.loads(await reader.readexactly(int(length[1]) if length else 0) or b"{}")
            self.requests.append(body)
            key = re.search(r"authorization: ([^\r]*)", head, re.IGNORECASE)
            self.keys.append(key[1] if key else "")
            behavior = self.behaviors.pop(0) if self.behaviors else self.behavior
            answering = asyncio.create_task(self._respond(behavior, body, writer))
            leaving = asyncio.create_task(reader.read(1))
            await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not answering.done():
                self.closed, self.closed_at = self.closed + 1, time.monotonic()
            for task in (answering, leaving):
                task.cancel()
            await asyncio.gather(answering, leaving, return_exceptions=True)
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()

    async def _respond(self, behavior: str, body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        if behavior.isdigit():  # such as "503", "429"
            error = b'{"error": {"message": "no"}}'
            await self._send(
                writer, self._head(int(behavior), "Retry-After: 40\r\n" if behavior == "429" else "") + error
            )
        elif behavior.startswith("400 "):
            await self._send(writer, self._head(400) + json.dumps({"error": {"message": behavior[4:]}}).encode())
        elif behavior == "html":
            await self._send(writer, self._head(200, "Content-Type: text/html\r\n") + b"<h1>Welcome to nginx</h1>")
        elif behavior == "json":
            answer = {"choices": [{"message": {"content": self.text or "All at once [1]"}, "finish_reason": "stop"}]}
            await self._send(
                writer, self._head(200, "Content-Type: application/json\r\n") + json.dumps(answer).encode()
            )
        elif behavior == "redirect":
            await self._send(writer, self._head(302, "Location: http://169.254.169.254/\r\n"))
        elif behavior == "silent":
            await self._wait()
        elif behavior == "drop":
            return
        else:
            await self._stream(behavior, body, writer)

    async def _stream(self, behavior: str, body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        await self._send(writer, self._head(200, STREAM))
        if behavior in {"breaks off", "stalls"}:
            await self._send(writer, event("The river ") + event("bends because"))
            if behavior == "stalls":
                await self._wait()
        elif behavior in NONSENSE:
            data, times = NONSENSE[behavior]
            for _ in range(times):
                await self._send(writer, data)
        else:
            await self._answer(body, writer, has_usage=behavior != "no usage")

    async def _answer(self, body: dict[str, Any], writer: asyncio.StreamWriter, *, has_usage: bool) -> None:
        text = self.text if self.text is not None else from_passages(body)
        for piece in re.findall(r"\s*\S+|\s+", text):
            await self._send(writer, event(piece))
            if self.pause:
                await asyncio.sleep(self.pause)
        await self._send(writer, event("", finish_reason="stop"))
        if has_usage:
            usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
            await self._send(writer, b"data: " + json.dumps({"choices": [], "usage": usage}).encode() + b"\n\n")
        await self._send(writer, _END)

    def _head(self, status: int, more: str = "") -> bytes:
        return f"HTTP/1.1 {status} X\r\n{more}Connection: close\r\n\r\n".encode()

    async def _send(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        writer.write(data)
        await writer.drain()

    async def _wait(self) -> None:
        """Say nothing; the client's leaving cancels it."""
        await asyncio.sleep(3600)


if __name__ == "__main__":
    standin = Standin()
    standin.pause = 0.03
    with standin.serving(int(sys.argv[1])):
        sys.stdout.write(f"TUTOR_URL={standin.address} TUTOR_MODEL=standin\n")
        sys.stdout.flush()
        threading.Event().wait()
