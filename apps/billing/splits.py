"""How an amount that was paid is split between tax, instructor and platform. Pure functions of integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

WHOLE = 10_000  # basis points
T = TypeVar("T")


@dataclass(frozen=True)
class Split:
    """The parts of an amount, in minor units. Their sum is the amount."""

    tax: int
    instructor: int
    platform: int

    def __sub__(self, other: Split) -> Split:
        return Split(self.tax - other.tax, self.instructor - other.instructor, self.platform - other.platform)


def share_of(net: int, share_bps: int) -> int:
    """The instructor's share of an amount without tax, rounded down.

    :raises ValueError: the amount is negative, or the share is not between 0 and 10,000.
    """
    if net < 0 or not 0 <= share_bps <= WHOLE:
        raise ValueError(f"no share {share_bps} of {net}")
    return net * share_bps // WHOLE


def split_sale(total: int, tax: int, share_bps: int) -> Split:
    """The parts of a payment of ``total``, of which ``tax`` is tax.

    :raises ValueError: the tax is negative or more than the total.
    """
    if not 0 <= tax <= total:
        raise ValueError(f"tax {tax} of {total}")
    instructor = share_of(total - tax, share_bps)
    return Split(tax, instructor, total - tax - instructor)


def split_returned(total: int, tax: int, share_bps: int, returned: int) -> Split:
    """The parts of what was given back of a sale so far.

    The parts belong to the whole amount given back, not to its steps: rounding does not add up over several partial
    refunds, and giving back everything gives back what `split_sale` gave. More than the total (a lost dispute after a
    refund) is the platform's loss.
    """
    counted = min(returned, total)
    counted_tax = counted * tax // total if total else 0
    split = split_sale(counted, counted_tax, share_bps)
    return Split(split.tax, split.instructor, split.platform + returned - counted)


def split_returned_by_line(returned: int, totals: Sequence[int]) -> list[int]:
    """How much of each line of a payment was given back, in proportion to its total.

    No part shrinks when more is given back, so a refund never charges a line; and giving back everything gives back
    each total. Webster's (Sainte-Lague's) method has both properties, largest remainders have not: each line's unit
    number n of w stands at (n - 1/2) / w, and the first units in this order are given back. What exceeds the whole
    belongs to the first line.

    :raises ValueError: an amount is negative.
    """
    whole = sum(totals)
    if returned < 0 or any(total < 0 for total in totals):
        raise ValueError("amounts cannot be negative")
    counted = min(returned, whole)
    # All units before the position counted / whole, which are too few or too many by half a unit per line at most.
    parts = [(2 * total * counted + whole) // (2 * whole) if whole else 0 for total in totals]
    while (excess := sum(parts) - counted) != 0:
        units = [
            (Fraction(2 * part + (-1 if excess > 0 else 1), 2 * total), line)
            for line, (part, total) in enumerate(zip(parts, totals, strict=True))
            if total
        ]
        _position, line = max(units) if excess > 0 else min(units)
        parts[line] += -1 if excess > 0 else 1
    parts[0] += returned - counted
    return parts


def split_by_weight(amount: int, weights: Mapping[T, int]) -> dict[T, int]:
    """An amount divided in proportion to weights, without a remainder: the largest fractions are rounded up.

    Equal fractions are ordered by the key's text, so that the result does not depend on the order of the mapping.
    Without any weight nothing is divided.
    """
    whole = sum(weights.values())
    if amount < 0 or any(weight < 0 for weight in weights.values()):
        raise ValueError("amounts and weights cannot be negative")
    if not whole:
        return {}
    parts = {key: amount * weight // whole for key, weight in weights.items()}
    by_fraction = sorted(weights, key=lambda key: (-(amount * weights[key] % whole), str(key)))
    for key in by_fraction[: amount - sum(parts.values())]:
        parts[key] += 1
    return parts
