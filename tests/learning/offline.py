"""Devices of learners, for the tests of offline lessons."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from apps.accounts.models import User
from apps.courses.models import Lesson, Quiz
from apps.learning import services
from apps.learning.models import OfflineDevice, PracticeCard, SealedPaper
from apps.learning.notes.merging import Content
from apps.learning.services.offline_sending import Outcome
from tests.learning.conftest import NOON

DAY = timedelta(days=1)


def make_device(user: User, *, at: datetime = NOON, contact: datetime | None = None) -> OfflineDevice:
    """A browser in which lessons were stored since ``at``, with its last contact then."""
    return OfflineDevice.objects.create(
        user=user, name="Firefox on Android", created_at=at, last_contact_at=contact or at
    )


class Phone:
    """A device that has no connection: what is done on it waits until it is sent."""

    def __init__(self, user: User, *, at: datetime = NOON, clock: timedelta = timedelta(0)) -> None:
        """``clock``: by how much its clock is wrong."""
        self.user, self.clock = user, clock
        self.device = make_device(user, at=at)
        self.changes: list[services.Change] = []
        self.papers: dict[int, SealedPaper] = {}

    def _add(self, kind: str, lesson: Lesson | None, at: datetime, /, **said: Any) -> services.Change:
        change = services.Change(
            id=uuid4(), kind=kind, lesson=lesson.uid if lesson else None, made_at=at + self.clock, said=said
        )
        self.changes.append(change)
        return change

    def watch(
        self, lesson: Lesson, pairs: list[list[int]], *, at: datetime, took: float, position: float | None = None
    ) -> services.Change:
        """``pairs`` were played within ``took`` seconds until ``at``."""
        position = float(max((end for _start, end in pairs), default=0)) if position is None else position
        began_at = at + self.clock - timedelta(seconds=took)
        return self._add("watched", lesson, at, watched=pairs, position=position, began_at=began_at)

    def complete(self, lesson: Lesson, *, at: datetime, took: float) -> services.Change:
        return self._add("completed", lesson, at, opened_at=at + self.clock - timedelta(seconds=took))

    def write(self, lesson: Lesson, uid: UUID, content: Content, *, at: datetime) -> services.Change:
        return self._add("note", lesson, at, uid=uid, kind="note", second=None, **content.as_json())

    def review(self, card: PracticeCard, rating: int, *, at: datetime, turn: int = 0) -> services.Change:
        return self._add("review", None, at, card=card.uid, turn=turn, rating=rating)

    def answer(
        self, paper: SealedPaper, answers: dict[str, Any], *, at: datetime, took: float, seconds: float | None = None
    ) -> services.Change:
        """``seconds`` is what the device measured, if its clock was set meanwhile."""
        return self._add(
            "attempt",
            paper.quiz.lesson,
            at,
            paper=paper.uid,
            answers=answers,
            opened_at=at + self.clock - timedelta(seconds=took),
            seconds=took if seconds is None else seconds,
        )

    def seal(self, quiz: Quiz, *, at: datetime = NOON) -> SealedPaper:
        return services.seal_paper(user=self.user, device=self.device, lesson=quiz.lesson, now=at)

    def send(self, *changes: services.Change, at: datetime) -> list[Outcome]:
        """Send these, or all that it has, and return what became of them."""
        return services.take_changes(user=self.user, device=self.device, changes=changes or self.changes, now=at)
