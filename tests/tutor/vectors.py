"""Vectors of texts are computed once per process: the tests embed the same few texts some thousand times."""

from collections.abc import Sequence

import numpy as np
import pytest

from apps.tutor.retrieval import encoder

compute_vectors = encoder.encode
"""For tests of the encoder itself."""
_known: dict[str, encoder.Array] = {}


def encode(texts: Sequence[str]) -> encoder.Array:
    """What ``encoder.encode`` returns, with what it returned for a text before."""
    unknown = sorted(set(texts) - _known.keys())
    if unknown:
        _known.update(zip(unknown, compute_vectors(unknown), strict=True))
    return np.stack([_known[text] for text in texts]) if texts else compute_vectors(texts)


@pytest.fixture(autouse=True)
def remembered_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the product's code ask for the vectors here; tests of the encoder itself call ``compute_vectors``."""
    monkeypatch.setattr(encoder, "encode", encode)
