"""Read a streamed chat completion: server-sent events with a bound on everything.

The libraries for server-sent events keep a line until it ends; a provider may never end it.
"""

import json
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import httpx

MOST_LINE = 256 * 1024
"""Bytes of a line."""
MOST_BYTES = 8 * 1024 * 1024
"""Of a whole answer, with everything around its text."""
MOST_CHARACTERS = 40_000
"""Of an answer's text; what follows is not read."""
MOST_TOKENS = 10_000_000
"""That a provider's count is believed."""


class Broken(Exception):
    """What the provider sends is no chat completion."""


@dataclass
class Reading:
    """What was read so far."""

    pieces: list[str] = field(default_factory=list)
    length: int = 0
    is_complete: bool = False
    is_refused: bool = False
    """The provider's own filter has stopped the answer."""
    counted: tuple[int, int] | None = None
    """Tokens of the question and of the answer, as the provider counts them."""

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def take(self, event: Any) -> str:
        """Note an event of the stream and return its text, which may be empty.

        :raises Broken: it is none, or says that the provider failed.
        """
        if not isinstance(event, dict) or event.get("error"):
            raise Broken("the provider reports an error")
        usage = event.get("usage")
        if isinstance(usage, dict):
            self.counted = _counts(usage)
        choices = event.get("choices")
        if not isinstance(choices, list) or not choices:
            return ""
        choice = choices[0]
        if not isinstance(choice, dict):
            raise Broken("no choice")
        reason = choice.get("finish_reason")
        if reason:
            self.is_complete = True
            self.is_refused = reason == "content_filter"
        part = choice.get("delta") or choice.get("message") or {}
        text = part.get("content") if isinstance(part, dict) else None
        if not isinstance(text, str) or not text:
            return ""
        text = text[: MOST_CHARACTERS - self.length]
        self.pieces.append(text)
        self.length += len(text)
        if self.length >= MOST_CHARACTERS:
            self.is_complete = True
        return text


def _counts(usage: dict[str, Any]) -> tuple[int, int] | None:
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    sent, received = (one if type(one) is int and 0 <= one <= MOST_TOKENS else None for one in counts)
    return None if sent is None or received is None else (sent, received)


async def read_answer(response: httpx.Response, reading: Reading, *, until: float) -> AsyncGenerator[str, None]:
    """Yield the pieces of text as they arrive. ``until`` is the moment of the monotonic clock at which it gives up.

    :raises Broken: it is no chat completion, is too large or takes too long.
    """
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Broken("compressed")
    if kind == "application/json":
        text = reading.take(_parsed(b"".join([chunk async for chunk in _bounded(response, until)])))
        reading.is_complete = True
        if text:
            yield text
        return
    if kind != "text/event-stream":
        raise Broken(f"content type {kind[:80]!r}")
    async with aclosing(_lines(response, until)) as lines:
        async for line in lines:
            if not line.startswith(b"data:"):
                continue
            data = line[5:].strip()
            if data == b"[DONE]":
                reading.is_complete = True
                return
            text = reading.take(_parsed(data))
            if text:
                yield text
            if reading.length >= MOST_CHARACTERS:
                return


async def _lines(response: httpx.Response, until: float) -> AsyncGenerator[bytes, None]:
    begun = bytearray()
    async with aclosing(_bounded(response, until)) as chunks:
        async for chunk in chunks:
            if b"\n" not in chunk:
                begun += chunk
                if len(begun) > MOST_LINE:
                    raise Broken("a line without end")
                continue
            first, *more = chunk.split(b"\n")
            yield bytes(begun) + first
            begun = bytearray(more.pop())
            for line in more:
                yield line


async def _bounded(response: httpx.Response, until: float) -> AsyncGenerator[bytes, None]:
    length = 0
    async for chunk in response.aiter_raw():
        length += len(chunk)
        if length > MOST_BYTES:
            raise Broken("too many bytes")
        if time.monotonic() > until:
            raise Broken("too slow")
        yield chunk


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise Broken("invalid JSON") from None
