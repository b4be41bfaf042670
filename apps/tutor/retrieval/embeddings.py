"""Vectors of meaning from an OpenAI-compatible address, beside those of the model that the platform brings along.

Lessons are sent there by the worker, questions while somebody waits. Whatever the address does, a question is answered:
without its vector, the search has the words and the vectors of ``encoder``.
"""

import asyncio
import json
import logging
import random
import ssl
import time
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import Any

import httpx
import numpy as np
from asgiref.sync import async_to_sync
from django.conf import settings
from numpy.typing import NDArray

from apps.tutor.providers.breaker import Breaker

QUESTION_TIME = 2.0
"""Seconds that a question waits for its vector."""
BATCH_TIME = 60.0
"""Seconds for the vectors of a batch of passages."""
TRIES, PAUSE = 3, 1.0
"""How often a batch is sent, and the seconds between, which double and vary by half."""
LONGEST = TRIES * BATCH_TIME + 15
"""Seconds that :func:`embed_passages` may take."""
LEAST, MOST = 8, 4096
"""Numbers in a vector."""
MOST_CHARACTERS = 8000
"""Of a text that is sent."""
MOST_BYTES = 16 * 1024 * 1024
"""Of an answer."""
MOST_KEPT = 256
"""Questions whose vectors a process keeps: a question is often asked again or followed up."""

Array = NDArray[np.float32]
breaker = Breaker("embedding address", "tutor.embeddings")
log = logging.getLogger(__name__)


class EmbeddingFailed(Exception):
    """There are no vectors. ``may_repeat``: the same request may succeed in a moment."""

    def __init__(self, why: str, *, may_repeat: bool = True) -> None:
        super().__init__(why)
        self.may_repeat = may_repeat


def is_used() -> bool:
    """Return whether there is an address."""
    return bool(settings.TUTOR_EMBEDDINGS_URL)


def name_of(size: int) -> str:
    """Return what ``Passage.embedded_by`` says of a vector of the present model with so many numbers."""
    return f"{settings.TUTOR_EMBEDDINGS_MODEL} {size}"


def embed_passages(texts: Sequence[str]) -> Array:
    """Return vectors of length 1, of shape (texts, numbers of the model).

    :raises EmbeddingFailed: the address doesn't answer, or not with vectors.
    """
    for number in range(1, TRIES + 1):
        try:
            return async_to_sync(_request)(texts, BATCH_TIME)
        except EmbeddingFailed as failure:
            if number == TRIES or not failure.may_repeat:
                raise
            time.sleep(PAUSE * 2 ** (number - 1) * random.uniform(0.5, 1.5))  # noqa: S311 (spreads load, no secret)
    raise AssertionError


def embed_question(texts: Sequence[str], *, size: int) -> Array | None:
    """Return vectors of length 1, of shape (texts, size), within :data:`QUESTION_TIME`; None if there are none."""
    kept = [_questions.get(text, size) for text in texts]
    if all(one is not None for one in kept):
        return np.array(kept, np.float32)
    if breaker.admit():
        return None
    try:
        vectors: Array = async_to_sync(_request)(texts, QUESTION_TIME)
        if vectors.shape[1] != size:
            raise EmbeddingFailed(f"vectors of {vectors.shape[1]} numbers instead of {size}", may_repeat=False)
    except EmbeddingFailed as failure:
        log.warning("A question is searched without the embedding address: %s", failure)
        breaker.failed()
        return None
    except BaseException:
        breaker.released()
        raise
    breaker.answering()
    breaker.succeeded()
    for text, vector in zip(texts, vectors, strict=True):
        _questions.keep(text, size, vector)
    return vectors


class _Kept:
    """The vectors of the last questions."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._vectors: OrderedDict[tuple[str, str, str], Array] = OrderedDict()

    def get(self, text: str, size: int) -> Array | None:
        with self._lock:
            return self._vectors.get(self._key(text, size))

    def keep(self, text: str, size: int, vector: Array) -> None:
        with self._lock:
            self._vectors[self._key(text, size)] = vector
            while len(self._vectors) > MOST_KEPT:
                self._vectors.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._vectors.clear()

    def _key(self, text: str, size: int) -> tuple[str, str, str]:
        return settings.TUTOR_EMBEDDINGS_URL, name_of(size), text


_questions = _Kept()
forget_questions = _questions.clear


async def _request(texts: Sequence[str], within: float) -> Array:
    # Compressed bodies could grow without bound, redirects could lead elsewhere.
    headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
    if settings.TUTOR_EMBEDDINGS_KEY:
        headers["Authorization"] = f"Bearer {settings.TUTOR_EMBEDDINGS_KEY}"
    body = {"model": settings.TUTOR_EMBEDDINGS_MODEL, "input": [text[:MOST_CHARACTERS] for text in texts]}
    try:
        async with (
            asyncio.timeout(within),
            httpx.AsyncClient(timeout=within, verify=_certificates(), follow_redirects=False) as client,
            client.stream(
                "POST", f"{settings.TUTOR_EMBEDDINGS_URL}/embeddings", json=body, headers=headers
            ) as response,
        ):
            status = response.status_code
            if status != httpx.codes.OK:
                may_repeat = status >= httpx.codes.INTERNAL_SERVER_ERROR or status == httpx.codes.TOO_MANY_REQUESTS
                raise EmbeddingFailed(f"status {status}", may_repeat=may_repeat)
            if response.headers.get("Content-Encoding", "identity").lower() != "identity":
                raise EmbeddingFailed("compressed")
            text = bytearray()
            async for chunk in response.aiter_raw():
                text += chunk
                if len(text) > MOST_BYTES:
                    raise EmbeddingFailed("too many bytes", may_repeat=False)
    except TimeoutError:
        raise EmbeddingFailed("too slow") from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise EmbeddingFailed(type(error).__name__) from None
    return read_vectors(bytes(text), len(texts))


def read_vectors(text: bytes, count: int) -> Array:
    """Read an answer and return its vectors in the order of the texts, with length 1.

    :raises EmbeddingFailed: it isn't one vector for each of ``count`` texts, all of the same size.
    """
    try:
        rows = json.loads(text)["data"]
        if not isinstance(rows, list) or len(rows) != count:
            raise EmbeddingFailed("not one vector for each text")
        places = [row.get("index", place) for place, row in enumerate(rows)]
        if any(type(place) is not int for place in places) or sorted(places) != list(range(count)):
            raise EmbeddingFailed("not one vector for each text")
        vectors = np.zeros((count, _size(rows[0])), np.float32)
        for place, row in zip(places, rows, strict=True):
            if _size(row) != vectors.shape[1] or any(type(one) not in (int, float) for one in row["embedding"]):
                raise EmbeddingFailed("vectors of different sizes, or not of numbers")
            vectors[place] = row["embedding"]
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        raise EmbeddingFailed("no embeddings") from None
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    if not (np.isfinite(lengths) & (lengths > 0)).all():
        raise EmbeddingFailed("a vector without direction")
    unit: Array = (vectors / lengths).astype(np.float32)
    return unit


def _size(row: Any) -> int:
    vector = row["embedding"]
    if not isinstance(vector, list) or not LEAST <= len(vector) <= MOST:
        raise EmbeddingFailed(f"a vector must have {LEAST} to {MOST} numbers", may_repeat=False)
    return len(vector)


@cache
def _certificates() -> ssl.SSLContext:
    """Loading the certificates takes longer than a request."""
    return httpx.create_ssl_context()
