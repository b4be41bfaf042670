"""An OpenAI-compatible address with /embeddings that can fail: ``python -m tests.tutor.embedding_standin PORT``."""

import asyncio
import hashlib
import json
import re
import sys
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.tutor.standin import Standin

SAME = {"watercourse": "river", "curves": "bends", "estuary": "delta"}
"""What this model knows and the embedded one is not asked to."""


def vector_of(text: str, size: int) -> list[float]:
    """A vector that is the same on all machines: the sum of one for each word."""
    total = np.full(size, 0.01)
    for word in re.findall(r"[a-z]+", text.lower()):
        seed = int.from_bytes(hashlib.sha256(SAME.get(word, word).encode()).digest()[:4])
        total += np.random.default_rng(seed).standard_normal(size)
    return [float(one) for one in total]


class EmbeddingStandin(Standin):
    """``size`` is the number of numbers in a vector; ``texts`` are those it was sent."""

    def reset(self) -> None:
        super().reset()
        self.size = 64

    @property
    def texts(self) -> list[str]:
        return [text for body in self.requests for text in body["input"]]

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [vector_of(text, self.size) for text in texts]

    async def _respond(self, behavior: str, body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        rows: list[Any] = []
        if behavior == "answer" or behavior in BROKEN:
            vectors = await asyncio.to_thread(self.embed, body["input"])
            rows = [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]
        if behavior == "answer":
            rows.reverse()  # the order is free: the index counts
        elif behavior in BROKEN:
            rows = BROKEN[behavior](rows)
        else:
            await super()._respond(behavior, body, writer)
            return
        data = json.dumps({"object": "list", "data": rows}).encode()
        await self._send(writer, self._head(200, "Content-Type: application/json\r\n") + data)


BROKEN: dict[str, Any] = {
    "too few": lambda rows: rows[1:],
    "twice the same": lambda rows: [{**row, "index": 0} for row in rows] + rows[:1],
    "ragged": lambda rows: [{**rows[0], "embedding": rows[0]["embedding"][1:]}, *rows],
    "zeros": lambda rows: [{**row, "embedding": [0] * len(row["embedding"])} for row in rows],
    "not a number": lambda rows: [{**row, "embedding": [float("nan")] * len(row["embedding"])} for row in rows],
    "texts": lambda rows: [{**row, "embedding": ["1"] * len(row["embedding"])} for row in rows],
    "huge": lambda rows: [{**row, "embedding": [10**400] * len(row["embedding"])} for row in rows],
    "too long": lambda rows: [{**row, "embedding": [1.0] * 5000} for row in rows],
    "no rows": lambda rows: {"a": 1},
    "no vectors": lambda rows: [1 for _ in rows],
}


if __name__ == "__main__":
    with EmbeddingStandin().serving(int(sys.argv[1])) as standin:
        sys.stdout.write(f"TUTOR_EMBEDDINGS_URL={standin.address} TUTOR_EMBEDDINGS_MODEL=standin\n")
        sys.stdout.flush()
        threading.Event().wait()
