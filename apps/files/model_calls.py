"""Call the models behind OpenAI-compatible addresses that the operator has named: for speech, and for translations.

Whatever such an address does, a call ends in time and with bounded memory, and the key is in no message.
"""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import httpx

CONNECT_SECONDS = 10.0
MAX_ANSWER_BYTES = 8 * 2**20
MAX_ERROR_BYTES = 4096
MAX_REST_SECONDS = 3600.0
WATCH_SECONDS = 0.5
BUSY = {408, 409, 425, 429, 503, 529}


class CallFailed(Exception):
    """A model did not answer. ``reason``: "refused", "too_large", "busy", "unreachable" or "unreadable".

    ``rest``: the seconds for which it asked to be left alone.
    """

    def __init__(self, reason: str, note: str, *, rest: float | None = None) -> None:
        super().__init__(f"{reason}: {note}")
        self.reason = reason
        self.rest = rest

    @property
    def may_repeat(self) -> bool:
        return self.reason in {"busy", "unreachable", "unreadable"}


def call_model(
    url: str,
    *,
    key: str,
    seconds: float,
    watch: Callable[[], None] = lambda: None,
    transport: httpx.BaseTransport | None = None,
    **body: Any,
) -> Any:
    """Send a request and return the JSON that comes back.

    :param seconds: how long the whole answer may take
    :param watch: called about twice a second; may raise to end the call
    :param body: `json`, or `data` and `files` of a form
    :raises CallFailed: there is no answer, or none that is JSON.
    """
    # Compressed bodies could grow without bound, redirects could lead into the operator's network.
    headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    limits = httpx.Timeout(seconds, connect=CONNECT_SECONDS)
    client = httpx.Client(timeout=limits, verify=_certificates(), transport=transport, follow_redirects=False)
    found: list[Any] = []
    until = time.monotonic() + seconds

    def send() -> None:
        try:
            found.append(_send(client, url, headers, body, until))
        except BaseException as problem:  # handed to the caller's thread
            found.append(problem)

    # In a thread of its own, so that a lease can be extended and a request canceled while nothing comes back.
    thread = threading.Thread(target=send, daemon=True, name="model-call")
    thread.start()
    try:
        while thread.is_alive():
            thread.join(WATCH_SECONDS)
            watch()
            if time.monotonic() > until + WATCH_SECONDS and thread.is_alive():
                raise CallFailed("unreachable", "the answer takes too long")
    finally:
        client.close()
    if isinstance(found[0], BaseException):
        raise found[0]
    return found[0]


@cache
def _certificates() -> ssl.SSLContext:
    """Loading the certificates takes longer than a request."""
    return httpx.create_ssl_context()


def _send(client: httpx.Client, url: str, headers: Mapping[str, str], body: Mapping[str, Any], until: float) -> Any:
    try:
        with client.stream("POST", url, headers=headers, **body) as response:
            is_fine = response.status_code == httpx.codes.OK
            text = _read(response, MAX_ANSWER_BYTES if is_fine else MAX_ERROR_BYTES, until, is_cut=not is_fine)
            if not is_fine:
                raise _refusal(response)
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as problem:
        # Its text may name headers: the kind says enough.
        raise CallFailed("unreachable", type(problem).__name__) from None
    except RuntimeError:  # the client was closed by the caller
        raise CallFailed("unreachable", "canceled") from None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise CallFailed("unreadable", "the answer is no JSON") from None


def _read(response: httpx.Response, most: int, until: float, *, is_cut: bool) -> bytes:
    text = b""
    for part in response.iter_raw():
        text += part
        if len(text) > most:
            if is_cut:
                return text
            raise CallFailed("unreadable", "the answer is too long")
        if time.monotonic() > until:
            raise CallFailed("unreachable", "the answer takes too long")
    return text


def _refusal(response: httpx.Response) -> CallFailed:
    status = response.status_code
    note = f"status {status}"
    if status == httpx.codes.REQUEST_ENTITY_TOO_LARGE:
        return CallFailed("too_large", note)
    if status in BUSY:
        return CallFailed("busy", note, rest=_retry_after(response.headers.get("Retry-After", "")))
    if status >= httpx.codes.INTERNAL_SERVER_ERROR:
        return CallFailed("unreachable", note)
    return CallFailed("refused", note)


def _retry_after(value: str) -> float | None:
    """Read seconds; a date, which such addresses don't send, counts as absent."""
    is_number = value.isascii() and value.isdigit() and len(value) <= len("999999")
    return min(float(value), MAX_REST_SECONDS) if is_number else None
