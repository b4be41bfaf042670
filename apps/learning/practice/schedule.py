"""When a card is due again: FSRS (https://github.com/open-spaced-repetition) as the library ``fsrs`` computes it.

A card's schedule follows from its reviews alone. They may arrive in any order and more than once, from several tabs or
devices: each review says as which one of the card the learner saw it (its turn), and of several reviews of one turn the
earliest counts. So every order of arrival ends in the same schedule, and nothing counts twice. Chance ("fuzzing") is
turned off for the same reason.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import fsrs

RETENTION = 0.9  # the probability with which a card is still remembered when it returns
RELEARN_AFTER = timedelta(minutes=10)  # a card that was not remembered returns on the same day
LONGEST = 365  # days

_SCHEDULER = fsrs.Scheduler(
    desired_retention=RETENTION,
    learning_steps=(RELEARN_AFTER,),
    relearning_steps=(RELEARN_AFTER,),
    maximum_interval=LONGEST,
    enable_fuzzing=False,
)


@dataclass(frozen=True, order=True)
class Reviewed:
    """One review; ``rating`` from 1 (again) to 4 (easy). Of two of the same turn the smaller one counts."""

    turn: int
    at: datetime
    key: UUID
    rating: int


@dataclass(frozen=True)
class Schedule:
    """The state of a card in the scheduler, named as the columns of ``PracticeCard``."""

    due: datetime
    state: int = fsrs.State.Learning.value
    step: int | None = 0
    stability: float | None = None
    difficulty: float | None = None
    last_review: datetime | None = None
    turn: int = 0
    lapses: int = 0


def counted(reviews: Iterable[Reviewed]) -> list[Reviewed]:
    """Return the reviews that count, one for each turn, in order."""
    earliest: dict[int, Reviewed] = {}
    for review in sorted(reviews):
        earliest.setdefault(review.turn, review)
    return list(earliest.values())


def replayed(created_at: datetime, reviews: Iterable[Reviewed]) -> Schedule:
    """Return the schedule of a card that was made at ``created_at`` and reviewed like this, in any order."""
    schedule = Schedule(due=created_at)
    for review in counted(reviews):
        at = max(review.at, schedule.last_review or created_at)
        schedule = _next(schedule, review.rating, at, turn=review.turn + 1)
    return schedule


def preview(schedule: Schedule, now: datetime) -> dict[int, timedelta]:
    """Return for each rating after how long the card would return."""
    at = max(now, schedule.last_review or now)
    return {rating: _next(schedule, rating, at, turn=schedule.turn + 1).due - at for rating in (1, 2, 3, 4)}


def _next(schedule: Schedule, rating: int, at: datetime, *, turn: int) -> Schedule:
    state = fsrs.State(schedule.state)
    card = fsrs.Card(
        card_id=1,  # without one the library waits a millisecond to make one up
        state=state,
        step=schedule.step,
        stability=schedule.stability,
        difficulty=schedule.difficulty,
        due=schedule.due,
        last_review=schedule.last_review,
    )
    card, _log = _SCHEDULER.review_card(card, fsrs.Rating(rating), review_datetime=at.astimezone(UTC))
    return Schedule(
        due=card.due,
        state=card.state.value,
        step=card.step,
        stability=card.stability,
        difficulty=card.difficulty,
        last_review=card.last_review,
        turn=turn,
        lapses=schedule.lapses + (state is fsrs.State.Review and rating == fsrs.Rating.Again),
    )
