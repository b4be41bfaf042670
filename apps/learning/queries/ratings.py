"""Learners' ratings of a course: on the course's page, and on the page of all reviews."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.models import Course
from apps.learning.models import Enrollment, HelpfulVote, Rating, RatingDecision, RatingReport
from apps.learning.models.rating import RatingQuerySet
from studyplatform.kit.errors import NotFound

SHOWN = 4
PER_PAGE = 10
SORTS = {
    "helpful": (_("Most helpful"), ["-helpful_count", "-created_at", "-pk"]),
    "newest": (_("Newest"), ["-created_at", "-pk"]),
    "highest": (_("Highest first"), ["-stars", "-created_at", "-pk"]),
    "lowest": (_("Lowest first"), ["stars", "-created_at", "-pk"]),
}


@dataclass(frozen=True)
class Histogram:
    """How many ratings of a course gave each number of stars, and how many of all have a text."""

    counts: Mapping[int, int] = field(default_factory=dict)
    written: int = 0

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def mean(self) -> float:
        return sum(stars * count for stars, count in self.counts.items()) / self.total if self.total else 0.0

    @property
    def shares(self) -> dict[int, int]:
        """The share of each number of stars in percent, five stars first; empty without ratings."""
        total = self.total
        return {stars: round(100 * self.counts.get(stars, 0) / total) for stars in range(5, 0, -1)} if total else {}


@dataclass(frozen=True)
class Ratings:
    """The share of each number of stars in percent, the newest reviews, and how many were written."""

    shares: Mapping[int, int]
    comments: list[Rating]
    written: int


def public_name(user: User) -> str:
    """The name that everyone may read: the first name with the initial of the last one, else the username."""
    if user.deleted_at:
        return user.display_name
    first, last = user.first_name, user.last_name
    return f"{first} {last[:1]}." if first and last else first or user.username


def histogram(course: Course) -> Histogram:
    """One query."""
    shown = Rating.objects.filter(course=course).shown().order_by()
    rows = shown.values("stars").annotate(count=Count("pk"), written=Count("pk", filter=~Q(text="")))
    found = list(rows.values_list("stars", "count", "written"))
    return Histogram({row[0]: row[1] for row in found}, sum(row[2] for row in found))


def ratings_of(course: Course) -> Ratings:
    """Return the ratings of a course for its page. Two queries; none if there are no ratings."""
    if not course.rating_count:
        return Ratings({}, [], 0)
    newest = with_people(Rating.objects.filter(course=course).shown().written()).order_by("-created_at")[:SHOWN]
    counted = histogram(course)
    return Ratings(counted.shares, list(newest), counted.written)


def with_people(rows: RatingQuerySet) -> RatingQuerySet:
    return rows.select_related("enrollment__user", "replied_by")


def reviews_page(course: Course, *, sort: str, stars: int | None, number: str | None) -> Page[Rating]:
    """A page of the written reviews, the nearest one if there is none of this number. Two queries."""
    rows = Rating.objects.filter(course=course).shown().written()
    if stars:
        rows = rows.filter(stars=stars)
    return Paginator(with_people(rows).order_by(*SORTS[sort][1]), PER_PAGE).get_page(number)


def rating_by_pk(course: Course, pk: int) -> Rating:
    """
    :raises NotFound: the course has no such rating that everyone sees.
    """
    found = with_people(Rating.objects.filter(course=course)).shown().select_related("course").filter(pk=pk).first()
    if found is None:
        raise NotFound
    return found


def rating_of(enrollment: Enrollment | None) -> Rating | None:
    """The learner's own rating, also while it is deleted or hidden. One query; none without an enrollment."""
    return Rating.objects.filter(enrollment=enrollment).first() if enrollment is not None else None


def rating_by(user: AnyUser, course: Course) -> Rating | None:
    """The rating of somebody who has left the course: they can still delete it. One query; none for visitors."""
    if not isinstance(user, User):
        return None
    return Rating.objects.filter(enrollment__user=user, course=course).order_by("-pk").first()


def reason_hidden(rating: Rating) -> str:
    """What the admin who hid the rating gave as the reason. One query."""
    hidden = rating.decisions.filter(kind=RatingDecision.Kind.HIDE).order_by("-pk")
    return hidden.values_list("reason", flat=True).first() or ""


def found_helpful(user: AnyUser, ratings: list[Rating]) -> set[int]:
    """Which of the ratings the user found helpful. One query; none for visitors."""
    if not isinstance(user, User) or not ratings:
        return set()
    return set(HelpfulVote.objects.filter(user=user, rating__in=ratings).values_list("rating_id", flat=True))


def reported_ratings() -> QuerySet[Rating]:
    """The ratings with open reports, the oldest first. Their reports come along in ``open_reports``."""
    reports = RatingReport.objects.filter(rating=OuterRef("pk"), state=RatingReport.State.OPEN)
    rows = Rating.objects.filter(Exists(reports), deleted_at=None)
    return rows.select_related("enrollment__user", "course").order_by("pk")


def open_reports(ratings: list[Rating]) -> dict[int, list[RatingReport]]:
    """The open reports of these ratings by their primary keys, at most 20 each. One query."""
    found: dict[int, list[RatingReport]] = {}
    rows = RatingReport.objects.filter(rating__in=ratings, state=RatingReport.State.OPEN).select_related("user")
    for report in rows.order_by("pk"):
        found.setdefault(report.rating_id, []).append(report)
    return {pk: reports[:20] for pk, reports in found.items()}


def latest_decisions(count: int = 20) -> list[RatingDecision]:
    """The last decisions about ratings. One query."""
    rows = RatingDecision.objects.select_related("admin", "rating__course", "rating__enrollment__user")
    return list(rows.order_by("-decided_at", "-pk")[:count])
