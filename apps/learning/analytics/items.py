"""How the questions of a quiz work: difficulty, discrimination and chosen answers, without a database.

Counted is the first submitted attempt of each learner: later ones have seen the questions.

- **Difficulty**: the mean share of the points that was earned. An unanswered question earned nothing.
- **Discrimination**: the correlation of that share with the share earned in the rest of the attempt (corrected
  item-rest correlation): whether those who know more answer this question better.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

MIN_RESPONSES_FOR_DISCRIMINATION = 5
CHOICES = frozenset({"single", "multiple", "truth"})
"""Kinds of questions of which the chosen answers are counted."""


@dataclass(frozen=True, slots=True)
class Response:
    """How one attempt answered one question, by its uid. ``chosen``: keys of options."""

    uid: str
    earned: float
    points: int
    is_answered: bool
    chosen: tuple[str, ...] = ()


@dataclass(frozen=True)
class Item:
    """The figures of one question. ``discrimination`` is None for few responses, or if all of them earned the same."""

    responses: int
    unanswered: int
    difficulty: float
    discrimination: float | None
    options: dict[str, int]


def read_responses(results: Iterable[Mapping[str, Any]], answers: Mapping[str, Any]) -> list[Response]:
    """Return the responses of a submitted attempt from its results and answers.

    Essays that have no mark, or were erased with an account, are left out.
    """
    return [
        Response(
            uid=result["uid"],
            earned=float(result["earned"]),
            points=result["points"],
            is_answered=result["verdict"] != "open",
            chosen=_chosen(answers.get(result["uid"])) if result["kind"] in CHOICES else (),
        )
        for result in results
        if result["verdict"] != "waiting" and not result.get("is_erased")
    ]


def _chosen(answer: Mapping[str, Any] | None) -> tuple[str, ...]:
    if not answer:
        return ()
    if "ids" in answer:
        return tuple(sorted(set(answer["ids"])))
    return (answer["id"],) if "id" in answer else ("true" if answer["value"] else "false",)


def count_items(attempts: Iterable[Sequence[Response]]) -> dict[str, Item]:
    """Return the figures of each question that any of the attempts asked, by its uid."""
    shares: dict[str, list[float]] = defaultdict(list)
    pairs: dict[str, list[tuple[float, float]]] = defaultdict(list)
    unanswered: Counter[str] = Counter()
    options: dict[str, Counter[str]] = defaultdict(Counter)
    for responses in attempts:
        earned, points = sum(one.earned for one in responses), sum(one.points for one in responses)
        for one in responses:
            share = one.earned / one.points if one.points else 0.0
            shares[one.uid].append(share)
            unanswered[one.uid] += not one.is_answered
            options[one.uid].update(one.chosen)
            if points > one.points:
                pairs[one.uid].append((share, (earned - one.earned) / (points - one.points)))
    return {
        uid: Item(
            responses=len(found),
            unanswered=unanswered[uid],
            difficulty=round(sum(found) / len(found), 4),
            discrimination=_correlate(pairs[uid]),
            options=dict(sorted(options[uid].items())),
        )
        for uid, found in shares.items()
    }


def _correlate(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Pearson's correlation; None for too few pairs, or if one side is always the same."""
    if len(pairs) < MIN_RESPONSES_FOR_DISCRIMINATION:
        return None
    mean_x, mean_y = sum(x for x, _y in pairs) / len(pairs), sum(y for _x, y in pairs) / len(pairs)
    both = sum((x - mean_x) * (y - mean_y) for x, y in pairs)
    spread = sqrt(sum((x - mean_x) ** 2 for x, _y in pairs) * sum((y - mean_y) ** 2 for _x, y in pairs))
    return round(max(-1.0, min(1.0, both / spread)), 4) if spread > 1e-9 else None
