"""Ask any provider that speaks OpenAI's chat completions: OpenAI itself, Azure, Mistral, vLLM, Ollama, LM Studio."""

import asyncio
import logging
import ssl
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import cache, partial
from typing import Any, TypeVar

import httpx
from asgiref.sync import sync_to_async
from django.conf import settings

from apps.tutor import prompting
from apps.tutor.errors import ContentFiltered, ContextTooLong, TutorOverloaded, TutorTechnicalError, TutorUnavailable
from apps.tutor.providers import breaker
from apps.tutor.providers.base import Prompt, Usage
from apps.tutor.providers.billing import Bill
from apps.tutor.providers.reading import Broken, Reading, read_answer
from apps.tutor.providers.thoughts import ThoughtFilter

CONNECT = 5.0
"""Seconds to connect."""
PAUSE = 0.3
"""Seconds before the second try."""
LONGEST = 300.0
"""Seconds that a whole answer may take."""
MOST_ERROR = 4096
"""Bytes of an error that are read."""

_BUSY = {429, 503, 529}
"""By which providers say that they have too many requests; 529 is Anthropic's."""

T = TypeVar("T")

log = logging.getLogger(__name__)


class _Failed(Exception):
    """The provider did not answer. ``rest``: the seconds for which it asked to be left alone.

    ``is_free``: it refused the request, or never got it, so that nothing is charged. ``error``: what the learner
    sees.
    """

    def __init__(
        self,
        why: str,
        *,
        may_repeat: bool = False,
        rest: float | None = None,
        is_free: bool = False,
        error: type[TutorUnavailable] = TutorTechnicalError,
    ) -> None:
        super().__init__(why)
        self.error = error
        self.may_repeat, self.rest, self.is_free = may_repeat, rest, is_free


class OpenAIProvider:
    """One address, one model. The settings TUTOR_* say which."""

    is_search = False

    def __init__(self, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self.name: str = settings.TUTOR_MODEL
        self._transport = transport

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Usage, None]:
        """Yield pieces of the answer, and at the end what it used.

        Until its first piece, a request that failed is repeated once.

        :raises TutorUnavailable: the provider doesn't answer; TutorOverloaded, TutorTechnicalError: it says that it has
            too many requests, or it failed.
        :raises ContextTooLong: the question is too long.
        :raises ContentFiltered: the provider refused the question.
        """
        body = self._body(prompt)
        if await _note(breaker.admit):
            raise TutorOverloaded if await _note(breaker.is_busy) else TutorUnavailable
        bill, is_settled = Bill(body["messages"]), False
        try:
            for is_last in (False, True):
                reading = bill.begin()
                yield bill.usage  # from here on it may be stopped at any moment, and what was sent is charged
                thoughts, is_empty = ThoughtFilter(), True
                try:
                    async with aclosing(self._request(body, reading)) as pieces:
                        async for piece in pieces:
                            if not is_settled:
                                is_settled = True
                                await _note(breaker.answering)
                            yield bill.usage
                            if said := thoughts.feed(piece):
                                is_empty = is_empty and not said.strip()
                                yield said
                    if said := thoughts.finish():
                        is_empty = is_empty and not said.strip()
                        yield said
                    if is_empty and not prompt.written:
                        raise _Failed("the answer is empty", may_repeat=True)
                    break
                except _Failed as failure:
                    bill.end(is_free=failure.is_free)
                    yield bill.usage
                    if is_last or not is_empty or not failure.may_repeat:
                        is_settled = True
                        await self._note_failure(failure)
                        raise failure.error from None
                except ContextTooLong:
                    yield Usage()
                    raise
                await asyncio.sleep(PAUSE)
        finally:
            if not is_settled:
                await _note(breaker.released)
        await _note(breaker.succeeded)
        yield bill.usage

    def _body(self, prompt: Prompt) -> dict[str, Any]:
        return {
            "model": self.name,
            "messages": prompting.messages(prompt),
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_tokens": settings.TUTOR_ANSWER_TOKENS,
            "temperature": 0.2,
        }

    async def _request(self, body: dict[str, Any], reading: Reading) -> AsyncGenerator[str, None]:
        # Compressed bodies could grow without bound, redirects could lead into the operator's network.
        headers = {"Accept": "text/event-stream", "Accept-Encoding": "identity"}
        if settings.TUTOR_KEY:
            headers["Authorization"] = f"Bearer {settings.TUTOR_KEY}"
        limits = httpx.Timeout(settings.TUTOR_TIMEOUT, connect=CONNECT)
        client = httpx.AsyncClient(
            timeout=limits, verify=_certificates(), transport=self._transport, follow_redirects=False
        )
        try:
            async with (
                client,
                client.stream("POST", f"{settings.TUTOR_URL}/chat/completions", json=body, headers=headers) as response,
            ):
                if response.status_code != httpx.codes.OK:
                    await _refused(response, body)
                async with aclosing(read_answer(response, reading, until=time.monotonic() + LONGEST)) as pieces:
                    async for piece in pieces:
                        yield piece
        except Broken as error:
            raise _Failed(str(error), may_repeat=True) from None
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol) as error:
            raise _Failed(type(error).__name__, may_repeat=True, is_free=True, error=TutorUnavailable) from None
        except httpx.TimeoutException as error:  # a provider that is slow now would be slow again
            raise _Failed(type(error).__name__, error=TutorUnavailable) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise _Failed(type(error).__name__, may_repeat=True) from None
        if reading.is_refused:
            raise ContentFiltered
        if not reading.is_complete:
            raise _Failed("the answer broke off", may_repeat=True)

    async def _note_failure(self, failure: _Failed) -> None:
        log.warning("The tutor's provider %s failed: %s", self.name, failure)
        await _note(partial(breaker.failed, failure.rest, is_busy=failure.error is TutorOverloaded))


async def _refused(response: httpx.Response, body: dict[str, Any]) -> None:
    """Raise what an answer other than 200 means."""
    status, text = response.status_code, b""
    async for chunk in response.aiter_raw():
        text += chunk
        if len(text) > MOST_ERROR:
            break
    said = text[:MOST_ERROR].decode(errors="replace").lower()
    if status in {400, 413, 422}:
        if status == httpx.codes.REQUEST_ENTITY_TOO_LARGE or "context_length" in said or "context length" in said:
            raise ContextTooLong
        if "content_filter" in said:
            raise ContentFiltered
        # Models differ in which options they know; without them they answer.
        unknown = [name for name in ("temperature", "max_tokens", "stream_options") if name in said and name in body]
        for name in unknown:
            value = body.pop(name)
            if name == "max_tokens":
                body["max_completion_tokens"] = value
        raise _Failed(f"status {status}", may_repeat=bool(unknown), is_free=True)
    rest = _retry_after(response.headers.get("Retry-After", "")) if status in {429, 503} else None
    if status == httpx.codes.TOO_MANY_REQUESTS:  # each further request would prolong it
        rest = rest or float(breaker.REST)
    may_repeat = status >= httpx.codes.INTERNAL_SERVER_ERROR and not rest
    error = TutorOverloaded if status in _BUSY else TutorTechnicalError
    raise _Failed(f"status {status}", may_repeat=may_repeat, rest=rest, is_free=True, error=error)


def _retry_after(value: str) -> float | None:
    """Read seconds; a date, which providers don't send, counts as absent."""
    return float(value) if value.isascii() and value.isdigit() and len(value) <= len("999999") else None


async def _note(event: Callable[..., T], *values: Any) -> T:
    # Not on the thread of the database: the cache may be behind a network.
    return await sync_to_async(event, thread_sensitive=False)(*values)


@cache
def _certificates() -> ssl.SSLContext:
    """Loading the certificates takes longer than a request."""
    return httpx.create_ssl_context()
