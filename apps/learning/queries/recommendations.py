"""Courses that a learner may want next, each with the reason."""

from dataclasses import dataclass

from django.db.models import Count, F, QuerySet
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses.models import Course
from apps.courses.queries.cards import Card, cards
from apps.learning.models import Enrollment

SHOWN = 3
SAMPLE = 200  # learners whose other courses are counted


@dataclass(frozen=True)
class Recommendation:
    """A course, and why it is recommended."""

    card: Card
    reason: str


def recommendations_for(user: User, recent: list[Enrollment]) -> list[Recommendation]:
    """Return at most three courses. At most four queries; none for a user without enrollments.

    First those that build on a completed course, then those that learners of the same course take, then those of the
    same category. ``recent``: the user's enrollments with their courses, last studied first.
    """
    if not recent:
        return []
    latest = recent[0].course
    found: dict[int, str] = {}
    mine = Enrollment.objects.active().of(user.pk)
    open_courses = Course.objects.published().exclude(pk__in=mine.values("course")).exclude(instructor=user)
    building = open_courses.filter(prerequisites__in=mine.exclude(completed_at=None).values("course"))
    for pk, title in building.order_by("-learner_count", "pk").values_list("pk", "prerequisites__title")[:SHOWN]:
        found.setdefault(pk, _("Builds on “%(course)s”, which you completed") % {"course": title})
    if len(found) < SHOWN:
        reason = _("Learners of “%(course)s” also take it") % {"course": latest.title}
        _add(found, _taken_together(user, latest, open_courses), reason)
    if len(found) < SHOWN:
        same = open_courses.filter(subject=latest.subject_id).order_by("-learner_count", "pk")
        reason = _("Also in %(category)s") % {"category": latest.subject.name}
        _add(found, same.values_list("pk", flat=True)[: SHOWN + len(found)], reason)
    shown = {card.pk: card for card in cards(Course.objects.filter(pk__in=list(found)))} if found else {}
    return [Recommendation(shown[pk], reason) for pk, reason in found.items() if pk in shown][:SHOWN]


def _add(found: dict[int, str], courses: QuerySet[Course, int] | list[int], reason: str) -> None:
    for pk in courses:
        found.setdefault(pk, reason)


def _taken_together(user: User, course: Course, open_courses: QuerySet[Course]) -> list[int]:
    """The courses that several of the newest learners of this course take as well."""
    learners = Enrollment.objects.active().filter(course=course).exclude(user=user).order_by("-pk")
    sample = list(learners.values_list("user_id", flat=True)[:SAMPLE])
    if len(sample) < 2:
        return []
    together = open_courses.filter(enrollments__user__in=sample, enrollments__revoked_at=None)
    rows = together.annotate(taken=Count("enrollments")).filter(taken__gt=1)
    return list(rows.order_by("-taken", F("learner_count").desc(), "pk").values_list("pk", flat=True)[: 2 * SHOWN])
