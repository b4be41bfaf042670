"""A learner's achievements: when each was earned, and how far the others are."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.learning.activity.learned_days import LEAST_SECONDS
from apps.learning.models import Achievement, Attempt
from apps.learning.queries.learned_days import LearningRecord

Kind = Achievement.Kind
ICONS = {
    Kind.THREE_DAYS: "flame",
    Kind.SEVEN_DAYS: "calendar-check",
    Kind.FIVE_LESSONS: "layers",
    Kind.PERFECT_SCORE: "badge-check",
    Kind.LATE: "moon",
    Kind.EARLY: "sunrise",
}


@dataclass(frozen=True)
class Shown:
    """An achievement as the dashboard shows it. ``done`` of ``needed``: how far it is while it isn't earned."""

    kind: str
    title: str
    icon: str
    earned_at: datetime | None
    text: str
    done: int
    needed: int

    @property
    def share(self) -> float:
        return self.done / self.needed


def achievements_of(user: User, record: LearningRecord) -> list[Shown]:
    """Return all six, the earned ones first. Two queries; one if there is a perfect score."""
    earned = {row.kind: row for row in Achievement.objects.filter(user=user).select_related("lesson")}
    best = 100 if Kind.PERFECT_SCORE in earned else _best_percent(user)
    least = LEAST_SECONDS // 60
    late = min(least - 1, max((row.late for row in record.days.values()), default=0) // 60)
    early = min(least - 1, max((row.early for row in record.days.values()), default=0) // 60)
    most = record.most_lessons
    far = {
        Kind.THREE_DAYS: (min(record.streak, 2), 3, _days(record.streak, 3)),
        Kind.SEVEN_DAYS: (min(record.streak, 6), 7, _days(record.streak, 7)),
        Kind.FIVE_LESSONS: (min(most, 4), 5, _("Best so far: %(num)d of 5") % {"num": most}),
        Kind.PERFECT_SCORE: (best, 100, _best_score(best)),
        Kind.LATE: (late, least, _learn_then(late, least)),
        Kind.EARLY: (early, least, _learn_then(early, least)),
    }
    shown = []
    for kind, icon in ICONS.items():
        row = earned.get(kind)
        done, needed, text = far[kind]
        if row is not None:
            done, text = (
                needed,
                _("Quiz %(number)s") % {"number": row.lesson.number} if row.lesson and row.lesson.number else "",
            )
        shown.append(Shown(kind, str(kind.label), icon, row.earned_at if row else None, text, done, needed))
    return sorted(shown, key=lambda one: one.earned_at is None)


def next_of(achievements: list[Shown]) -> Shown | None:
    """Return the one that is nearest; None if all are earned."""
    return max((one for one in achievements if one.earned_at is None), key=lambda one: one.share, default=None)


def _best_percent(user: User) -> int:
    attempts = Attempt.objects.filter(enrollment__user=user, submitted_at__isnull=False, waiting=0)
    return attempts.aggregate(best=Max("percent"))["best"] or 0


def _best_score(percent: int) -> str:
    return _("Best so far: %(percent)d%%") % {"percent": percent} if percent else _("Answer a whole quiz correctly")


def _days(streak: int, needed: int) -> str:
    if not streak:
        return ngettext("%(num)d day to go", "%(num)d days to go", needed) % {"num": needed}
    return _("%(num)d of %(needed)d days") % {"num": min(streak, needed), "needed": needed}


def _learn_then(minutes: int, needed: int) -> str:
    if minutes:
        return _("Best so far: %(num)d of %(needed)d minutes") % {"num": minutes, "needed": needed}
    return _("A lesson, or %(num)d minutes") % {"num": needed}
