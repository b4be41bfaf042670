"""A pseudorandom generator with the same numbers on every machine and in every version of Python."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

MASK = 0xFFFFFFFF


def fnv1a(text: str) -> int:
    """Return the 32-bit FNV-1a hash (http://www.isthe.com/chongo/tech/comp/fnv/): the seed of a picture."""
    value = 0x811C9DC5
    for byte in text.encode("utf-8"):
        value = ((value ^ byte) * 0x01000193) & MASK
    return value


class Dice:
    """The generator Mulberry32 (Tommy Ettinger). ``random.Random`` may change between versions of Python."""

    def __init__(self, seed: int) -> None:
        self.state = seed & MASK

    def unit(self) -> float:
        self.state = (self.state + 0x6D2B79F5) & MASK
        t = self.state
        t = ((t ^ (t >> 15)) * (t | 1)) & MASK
        t ^= (t + (((t ^ (t >> 7)) * (t | 61)) & MASK)) & MASK
        return ((t ^ (t >> 14)) & MASK) / 4294967296.0

    def span(self, low: float, high: float) -> float:
        return low + (high - low) * self.unit()

    def pick(self, items: Sequence[T]) -> T:
        return items[min(len(items) - 1, int(self.unit() * len(items)))]

    def whole(self, low: int, high: int) -> int:
        return low + min(high - low, int(self.unit() * (high - low + 1)))
