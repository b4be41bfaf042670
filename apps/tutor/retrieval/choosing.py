"""Choose the best passages. An answer often continues in the next passage, so each comes with its better neighbor."""

import numpy as np
from numpy.typing import NDArray

from apps.tutor.retrieval.index import Index

NEIGHBOR_WEIGHT = 0.15
"""How much the better of the two neighbors of a passage counts in its score."""

Array = NDArray[np.float32]


def choose(known: Index, scores: Array, limit: int) -> list[tuple[int, ...]]:
    """Return the best rows of the index, each with its better neighbor; no row appears twice.

    ``scores``: of all rows, minus infinity for those that must not be found.
    """
    before, after = known.neighbors
    around = np.maximum(scores[before], scores[after])
    has_better = np.isfinite(scores) & np.isfinite(around)
    blended = (1 - NEIGHBOR_WEIGHT) * scores + NEIGHBOR_WEIGHT * np.where(has_better, around, 0)
    smoothed = np.where(has_better, blended, scores)
    used, chosen = set[int](), list[tuple[int, ...]]()
    for place in np.argsort(-smoothed, kind="stable"):
        row = int(place)
        if len(chosen) == limit or not np.isfinite(scores[row]):
            break
        if row in used:
            continue
        beside = {int(before[row]), int(after[row])} - used - {row}
        best = sorted((one for one in beside if np.isfinite(scores[one])), key=lambda one: -scores[one])[:1]
        used.update((row, *best))
        chosen.append((row, *best))
    return chosen
