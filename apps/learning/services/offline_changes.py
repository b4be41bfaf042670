"""Take what learners did without a connection (docs/adr/0077).

Each change is taken once, in a transaction of its own, in which its outcome is stored with its effect: sent again,
because the answer was lost or by another tab, it is answered the same. What can't be taken yet is sent again later, and
leaves nothing behind. Changes of several devices end in the same, whatever arrives first.
"""

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, OperationalError, transaction

from apps.accounts.models import User
from apps.courses.errors import LectureUnavailable, LessonNotOpenYet
from apps.learning import offline_policies
from apps.learning.errors import AttemptsHeld, OfflineDeviceRemoved, PrerequisiteNotMet, ReadingTooShort
from apps.learning.models import Note, OfflineDevice, TakenChange
from apps.learning.notes.merging import Content
from apps.learning.queries.practice import get_card
from apps.learning.services.learned_days import day_zone_of
from apps.learning.services.notes import save_note
from apps.learning.services.offline_attempts import Answered, take_attempt
from apps.learning.services.offline_progress import Watched, take_completed, take_watched
from apps.learning.services.offline_sending import LATER, Outcome, Sending
from apps.learning.services.practice import read_answer, review_card
from studyplatform.kit.errors import AppError, Conflict, RateLimitExceeded, ServerError, ValidationFailed
from studyplatform.kit.policies import enforce
from studyplatform.kit.web import rate_limits

logger = logging.getLogger(__name__)

LIMITS = ("offline-change", "offline-change_per_day")  # of RATE_LIMITS
LOCKED_WAIT = 3600  # seconds
"""What has to be completed before may have been, on another device that was not in contact yet. A paper that holds the
attempt may be released."""
CLASH_WAIT = 5  # seconds, after others changed the same at the same moment
CRASH_WAIT = 600  # seconds


@dataclass(frozen=True, kw_only=True)
class Change:
    """One thing that a learner did. ``said`` is what belongs to its kind, valid but not believed."""

    id: UUID
    kind: str
    lesson: UUID | None
    made_at: datetime
    said: dict[str, Any]


class _NotYet(Exception):
    """Nothing may stay of the change; ``outcome`` says when it is to be sent again."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


def take_changes(
    *, user: User, device: OfflineDevice, changes: Sequence[Change], sent: int | None = None, now: datetime
) -> list[Outcome]:
    """Take changes in their order, each once, and return what became of each of them.

    ``sent``: how many were sent, with those that were not valid.

    :raises OfflineDeviceRemoved: it is not the learner's device, or was removed while it sent.
    :raises RateLimitExceeded: the learner's devices send too many.
    """
    enforce(offline_policies.use_device(user, device))
    for limit in LIMITS:
        rate_limits.consume(limit, str(user.pk), now=now, amount=len(changes) if sent is None else sent)
    sending = Sending(user=user, device=device, zone=day_zone_of(user, now), now=now)
    known = _find_outcomes(user, [change.id for change in changes])
    for change in changes:
        if change.id not in known:
            known[change.id] = _take(sending, change)
    return [known[change.id] for change in changes]


def _take(sending: Sending, change: Change) -> Outcome:
    try:
        with transaction.atomic():
            return _take_first(sending, change)
    except _NotYet as later:
        return later.outcome
    except OfflineDeviceRemoved:
        raise
    except OperationalError as clash:  # two requests have locked what the other one needs
        logger.warning("Change %s was not taken: %s", change.id, clash)
        return Outcome.later(Conflict(), CLASH_WAIT)
    except Exception:
        logger.exception("Change %s was not taken", change.id)  # those behind it don't wait for it
        return Outcome.later(ServerError(), CRASH_WAIT)


def _take_first(sending: Sending, change: Change) -> Outcome:
    """Take a change, unless another request has done it by now. Its row is the lock between them."""
    row = TakenChange(user=sending.user, change=change.id, kind=change.kind, taken_at=sending.now)
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        known = _find_outcomes(sending.user, [change.id])
        if not known:
            raise
        return known[change.id]
    try:
        with transaction.atomic():
            outcome = _KINDS[change.kind](sending, change)
    except OfflineDeviceRemoved:
        raise
    except AppError as error:
        outcome = _judge(error)
    if outcome.state == LATER:
        raise _NotYet(outcome)
    row.outcome = outcome.as_json()
    row.save(update_fields=["outcome"])
    return outcome


def _find_outcomes(user: User, changes: Collection[UUID]) -> dict[UUID, Outcome]:
    """Return what became of the changes that were taken before. One query."""
    rows = TakenChange.objects.filter(user=user, change__in=changes).values_list("change", "outcome")
    return {change: Outcome(**outcome) for change, outcome in rows}


def _judge(error: AppError) -> Outcome:
    """Return whether a refusal is for good, or the change is to be sent again later."""
    match error:
        case ReadingTooShort(wait=wait) | RateLimitExceeded(wait=wait):
            return Outcome.later(error, wait)
        case Conflict():
            return Outcome.later(error, CLASH_WAIT)
        case PrerequisiteNotMet() | LessonNotOpenYet() | AttemptsHeld():
            return Outcome.later(error, LOCKED_WAIT)
    return Outcome.refused(error)


def _lesson_of(change: Change) -> UUID:
    if change.lesson is None:
        raise LectureUnavailable
    return change.lesson


def _take_watched(sending: Sending, change: Change) -> Outcome:
    said = change.said
    watched = Watched(
        pairs=said["watched"], position=said["position"], began_at=said["began_at"], made_at=change.made_at
    )
    take_watched(sending, _lesson_of(change), watched)
    return Outcome()


def _take_completed(sending: Sending, change: Change) -> Outcome:
    take_completed(sending, _lesson_of(change), opened_at=change.said["opened_at"], made_at=change.made_at)
    return Outcome()


def _take_note(sending: Sending, change: Change) -> Outcome:
    said, lesson = change.said, _lesson_of(change)
    notes = Note.objects.of(sending.user.pk).filter(uid=said["uid"]).exclude(lesson=None)
    if notes.exclude(lesson__uid=lesson).exists():
        return Outcome.refused(Conflict())
    save_note(
        user=sending.user,
        lesson_uid=lesson,
        uid=said["uid"],
        kind=said["kind"],
        second=said["second"],
        content=Content.from_json(said),
        now=sending.now,
    )
    return Outcome()


def _take_review(sending: Sending, change: Change) -> Outcome:
    said, card = change.said, get_card(sending.user, change.said["card"])
    answer = said.get("answer")
    try:
        if card.question is not None:
            read_answer(card.question, answer)
    except ValidationFailed:
        answer = None  # the question was edited meanwhile; how well it was known still counts
    review_card(
        user=sending.user,
        card=card,
        key=change.id,
        turn=said["turn"],
        rating=said["rating"],
        answer=answer,
        reviewed_at=sending.window.place(change.made_at),
        now=sending.now,
    )
    return Outcome()


def _take_attempt(sending: Sending, change: Change) -> Outcome:
    said = change.said
    answered = Answered(
        paper=said["paper"],
        answers=said["answers"],
        opened_at=said["opened_at"],
        made_at=change.made_at,
        seconds=said["seconds"],
    )
    return take_attempt(sending, answered)


_KINDS: dict[str, Callable[[Sending, Change], Outcome]] = {
    "watched": _take_watched,
    "completed": _take_completed,
    "note": _take_note,
    "review": _take_review,
    "attempt": _take_attempt,
}
