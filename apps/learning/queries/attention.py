"""What learners wait for from those who teach them, and their newest reviews."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import BooleanField, Count, ExpressionWrapper, F, Min, QuerySet

from apps.accounts.models import User
from apps.courses.models import Right, taught_by
from apps.learning.models import EssayAnswer, Rating

REPLY_WITHIN = timedelta(days=60)
"""An older review without a reply doesn't wait for one: a reply would come as a surprise."""


@dataclass(frozen=True)
class Waiting:
    """How many there are, the oldest since when, and in which course that one is: its title and slug. ``here``: how
    many are in that course."""

    count: int
    oldest: datetime | None
    course: str
    slug: str
    here: int


def waiting_essays(user: User) -> Waiting:
    """Return the essays without marks in the courses that the user teaches. One query."""
    course = "attempt__enrollment__course__"
    rows = EssayAnswer.objects.filter(marked_at=None, attempt__enrollment__revoked_at=None)
    rows = rows.filter(taught_by(user.pk, Right.TEACH, course))
    return _add_up(rows, "submitted_at", course)


def waiting_reviews(user: User, *, now: datetime) -> Waiting:
    """Return the written reviews of the last weeks to which nobody replied. One query.

    They are of courses that the user teaches.
    """
    rows = Rating.objects.filter(taught_by(user.pk, Right.TEACH, "course__")).shown().written()
    rows = rows.filter(replied_at=None, created_at__gt=now - REPLY_WITHIN)
    return _add_up(rows, "created_at", "course__")


def _add_up(rows: QuerySet[EssayAnswer] | QuerySet[Rating], since: str, course: str) -> Waiting:
    names = rows.order_by().values(title=F(f"{course}title"), slug=F(f"{course}slug"))
    found = sorted(names.annotate(count=Count("pk"), oldest=Min(since)), key=lambda row: row["oldest"])
    if not found:
        return Waiting(0, None, "", "", 0)
    first = found[0]
    return Waiting(sum(row["count"] for row in found), first["oldest"], first["title"], first["slug"], first["count"])


@dataclass(frozen=True)
class NewReviews:
    """The newest reviews of some courses, and how many there are of all."""

    reviews: list[Rating]
    total: int


def newest_reviews(user: User, *, most: int) -> NewReviews:
    """Return the newest written reviews of the courses that the user may read (`Right.VIEW`). Two queries.

    ``may_reply``: the user has `Right.TEACH` in the course.
    """
    rows = Rating.objects.filter(taught_by(user.pk, Right.VIEW, "course__")).shown().written()
    replies = ExpressionWrapper(taught_by(user.pk, Right.TEACH, "course__"), output_field=BooleanField())
    newest = rows.annotate(may_reply=replies).select_related("enrollment__user", "course")
    newest = newest.order_by("-created_at", "-pk")
    newest = newest.defer("course__description", "course__outcomes", "course__before_you_begin", "course__plate")
    return NewReviews(list(newest[:most]), rows.aggregate(count=Count("pk"))["count"])
