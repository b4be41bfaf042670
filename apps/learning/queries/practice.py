"""Read a learner's practice cards: what is due today, and what comes in the next days."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from uuid import UUID

from django.db.models import Count, Min, Q, QuerySet
from django.db.models.functions import Coalesce

from apps.accounts.models import User
from apps.accounts.queries import day_zone_of
from apps.courses.models import Question
from apps.learning.errors import CardNotFound
from apps.learning.models import PracticeCard, PracticeReview
from apps.learning.practice.day import AHEAD, NEW_PER_DAY, REVIEWS_PER_DAY, Load, day_of
from apps.learning.queries.shown_quizzes import quizzes_shown_to
from studyplatform.kit.errors import NotFound

BATCH = 20  # cards that a page or a call brings
DAYS_AHEAD = 5
OWN = "own"
"""Names the flash cards where else the slug of a course stands."""
_BOXES = (1.5, 4, 10, 45)  # days of stability up to which a card lies in a box; the last box has no end
_LEARNED = PracticeCard.State.REVIEW
_RELATED = ("question__quiz__lesson__course", "question__rewatch_lesson", "quiz__lesson__course")


def cards_of(user: User) -> QuerySet[PracticeCard]:
    """Return the cards that the learner may practice now. One query to prepare it.

    Cards of questions need an active enrollment, a question that is not withdrawn, removed or an essay, and a quiz that
    shows its right answers to the learner now. If one of them ends, the cards disappear, and they return with it.
    """
    shown = quizzes_shown_to(user)
    of_questions = Q(quiz__in=shown) | Q(quiz=None, question__quiz__in=shown)
    of_questions &= Q(question__is_withdrawn=False, question__removed_at=None)
    of_questions &= ~Q(question__kind=Question.Kind.ESSAY)
    own = Q(question__isnull=True, deleted_at__isnull=True)
    return PracticeCard.objects.filter(of_questions | own, user=user)


@dataclass(frozen=True)
class DueToday:
    """How many cards are left to practice today, and about how many minutes they take."""

    count: int
    minutes: int


def due_today(user: User, now: datetime) -> DueToday:
    """Return what the learner has left to practice today, after the limits of the day. Three queries."""
    load = overview_of(user, cards_of(user), now).load
    return DueToday(load.left, load.minutes)


@dataclass(frozen=True)
class DayAhead:
    """How many cards return on one day."""

    day: date
    count: int


@dataclass(frozen=True)
class Overview:
    """All cards in figures."""

    total: int
    load: Load
    boxes: tuple[int, ...]
    """Cards by how long they are remembered: a day, three days, a week, a month, longer."""
    days: tuple[DayAhead, ...]
    """Today, after the limits, and the days after it."""
    next_due: datetime | None
    """When the next card after today can be practiced; None if there is none."""

    @property
    def tomorrow(self) -> int:
        """How many cards can be practiced tomorrow if today's are done, within the limits of a day."""
        new, returning = self.load.postponed
        return min(new, NEW_PER_DAY) + min(returning + self.days[1].count, REVIEWS_PER_DAY)


def overview_of(user: User, cards: QuerySet[PracticeCard], now: datetime) -> Overview:
    """Return the figures of these cards. Two queries."""
    zone = day_zone_of(user, now)
    start, end = day_of(now, zone)
    ends = [end]
    for _day in range(1, DAYS_AHEAD):
        ends.append(day_of(ends[-1], zone)[1])
    today = Q(due__lt=end)
    counts = {
        "total": Count("pk"),
        "new": Count("pk", filter=Q(turn=0)),
        "returning": Count("pk", filter=today & Q(turn__gt=0, state=_LEARNED)),
        "missed": Count("pk", filter=Q(turn__gt=0, due__lte=now + AHEAD) & ~Q(state=_LEARNED)),
        "next_due": Min("due", filter=Q(due__gte=end)),
    }
    for number in range(1, DAYS_AHEAD):
        counts[f"day{number}"] = Count("pk", filter=Q(due__gte=ends[number - 1], due__lt=ends[number]))
    lower = None
    for number, upper in enumerate((*_BOXES, None)):
        within = Q() if upper is None else Q(stability__lte=upper)
        within &= Q() if lower is None else Q(stability__gt=lower)
        counts[f"box{number}"] = Count("pk", filter=within | Q(stability__isnull=True) if number == 0 else within)
        lower = upper
    found = cards.aggregate(**counts)
    new_done, returning_done = _done(user, start, end)
    load = Load(
        new=found["new"],
        returning=found["returning"],
        missed=found["missed"],
        new_done=new_done,
        returning_done=returning_done,
    )
    first = start.astimezone(zone).date()
    days = [DayAhead(first, load.left)]
    days += [DayAhead(first + timedelta(days=n), found[f"day{n}"]) for n in range(1, DAYS_AHEAD)]
    boxes = tuple(found[f"box{number}"] for number in range(len(_BOXES) + 1))
    next_due = end if any(load.postponed) else found["next_due"]
    return Overview(found["total"], load, boxes, tuple(days), next_due)


def _done(user: User, start: datetime, end: datetime) -> tuple[int, int]:
    """Return how many cards the learner practiced today for the first time, and how many others."""
    rows = PracticeReview.objects.filter(card__user=user, reviewed_at__gte=start, reviewed_at__lt=end)
    first_turns: dict[int, int] = {}
    for card, turn in rows.values_list("card_id", "turn"):
        first_turns[card] = min(turn, first_turns.get(card, turn))
    new = sum(turn == 0 for turn in first_turns.values())
    return new, len(first_turns) - new


def next_cards(cards: QuerySet[PracticeCard], load: Load, now: datetime, end: datetime) -> list[PracticeCard]:
    """Return the next cards of the day, at most ``BATCH``. Three queries.

    First what was missed a while ago, then what returns, then what is new; what was missed just now comes last.
    """
    cards = cards.select_related(*_RELATED).order_by("due", "pk")
    missed = list(cards.filter(turn__gt=0, due__lte=now + AHEAD).exclude(state=_LEARNED)[:BATCH])
    returning = cards.filter(turn__gt=0, state=_LEARNED, due__lt=end)[: min(BATCH, load.returning_left)]
    new = cards.filter(turn=0)[: min(BATCH, load.new_left)]
    ready = [card for card in missed if card.due <= now]
    waiting = [card for card in missed if card.due > now]
    return [*ready, *returning, *new, *waiting][:BATCH]


@dataclass(frozen=True)
class Source:
    """Where cards come from: a course, or the learner's own flash cards."""

    key: str
    title: str
    count: int


def sources_of(cards: QuerySet[PracticeCard]) -> list[Source]:
    """Return where the cards come from, the largest source first; the own cards have no title. One query."""
    rows = (
        cards.annotate(slug=_of_course("slug"), title=_of_course("title"))
        .values_list("slug", "title")
        .annotate(count=Count("pk"))
        .order_by("-count")
    )
    return [Source(slug or OWN, title or "", count) for slug, title, count in rows]


def _of_course(column: str) -> Coalesce:
    """A column of the course of a card's quiz."""
    return Coalesce(f"quiz__lesson__course__{column}", f"question__quiz__lesson__course__{column}")


def from_source(cards: QuerySet[PracticeCard], key: str) -> QuerySet[PracticeCard]:
    """Return the cards from one source: the slug of a course, ``OWN``, or everything for an empty key."""
    if not key:
        return cards
    if key == OWN:
        return cards.filter(question__isnull=True)
    return cards.annotate(slug=_of_course("slug")).filter(slug=key)


def get_card(user: User, uid: UUID) -> PracticeCard:
    """Return a card that the learner may practice now.

    :raises CardNotFound: there is none, it is somebody else's, or it may not be practiced now.
    """
    found = cards_of(user).select_related(*_RELATED).filter(uid=uid)
    card = found.first()
    if card is None:
        raise CardNotFound
    return card


def own_cards(user: User) -> QuerySet[PracticeCard]:
    """Return the learner's flash cards, the newest first."""
    return PracticeCard.objects.filter(user=user, question=None, deleted_at=None).order_by("-created_at", "-pk")


def own_card(user: User, uid: UUID, *, is_deleted: bool = False) -> PracticeCard:
    """Return one flash card of the learner.

    :raises NotFound: there is none.
    """
    found = PracticeCard.objects.filter(user=user, question=None, uid=uid, deleted_at__isnull=not is_deleted).first()
    if found is None:
        raise NotFound
    return found
