"""The review queue and past decisions."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from apps.courses.findings.rules import LONG_LESSON
from apps.courses.models import Appeal, Course, Lesson, ReviewThread, ReviewTick, StatusChange, Submission
from apps.courses.review_checklist import POINTS
from studyplatform.kit.errors import NotFound

PROMISE = timedelta(hours=48)


@dataclass(frozen=True)
class Due:
    """How much of the promised time a submission has used."""

    hours: int
    percent: int
    is_late: bool

    @property
    def label(self) -> str:
        if self.is_late:
            return _("%d h late") % (self.hours - PROMISE // timedelta(hours=1))
        return _("%d h") % self.hours


def due(submitted_at: datetime, now: datetime) -> Due:
    """Return how much of the promised 48 hours has passed."""
    used = max(now - submitted_at, timedelta(0))
    percent = min(100, round(used / PROMISE * 100))
    return Due(hours=int(used / timedelta(hours=1)), percent=percent, is_late=used > PROMISE)


def queue() -> QuerySet[Submission]:
    """Return the pending submissions, oldest first.

    ``round`` is 1 for a first submission. ``unready`` counts unfinished video lessons (a video may fail after the
    course was submitted), ``uncaptioned`` videos with speech but without captions.
    """
    earlier = (
        Submission.objects.filter(course=OuterRef("course"), pk__lte=OuterRef("pk"))
        .exclude(outcome=Submission.Outcome.WITHDRAWN)
        .order_by()
        .values("course")
        .annotate(count=Count("pk"))
        .values("count")
    )
    lessons = Lesson.objects.filter(course=OuterRef("edited")).order_by().values("course")
    spoken = lessons.filter(video__has_audio=True).annotate(
        silent=Count("pk", filter=Q(video__captions=None), distinct=True)
    )
    unfinished = lessons.filter(kind=Lesson.Kind.VIDEO).annotate(
        count=Count("pk", filter=Q(external_video="") & (Q(video=None) | ~Q(video__stage="complete")))
    )
    long_ = lessons.filter(kind=Lesson.Kind.VIDEO, duration__gt=LONG_LESSON).annotate(count=Count("pk"))
    return (
        Submission.objects.filter(outcome=Submission.Outcome.PENDING)
        # Of a next version the lessons of the working copy are reviewed.
        .annotate(edited=Coalesce("course__working_copy", "course"))
        .select_related("course__instructor", "course__subject", "submitted_by")
        .defer("course__description", "course__outcomes", "course__before_you_begin")
        .annotate(
            round=Subquery(earlier),
            uncaptioned=Coalesce(Subquery(spoken.values("silent")), 0),
            unready=Coalesce(Subquery(unfinished.values("count")), 0),
            too_long=Coalesce(Subquery(long_.values("count")), 0),
            lesson_count=F("course__lesson_count"),
        )
        .order_by("submitted_at", "pk")
    )


def filter_queue(found: QuerySet[Submission], *, which: str, text: str, now: datetime) -> QuerySet[Submission]:
    """Return those of the queue that are "late", "first" or "again" submissions, or have open "comments".

    ``text`` searches course titles and instructors' names.
    """
    open_threads = ReviewThread.objects.filter(course=OuterRef("course"), resolved_at=None)
    conditions = {
        "late": Q(submitted_at__lt=now - PROMISE),
        "first": Q(round=1),
        "again": Q(round__gt=1),
        "comments": Exists(open_threads),
    }
    if which in conditions:
        found = found.filter(conditions[which])
    return _search(found, text)


def _search(found: QuerySet[Submission], text: str) -> QuerySet[Submission]:
    for word in text.split():
        names = ["title", "instructor__first_name", "instructor__last_name", "instructor__username"]
        found = found.filter(reduce(or_, (Q(**{f"course__{name}__folded_contains": word}) for name in names)))
    return found


def decided(*, text: str = "") -> QuerySet[Submission]:
    """Return the decided submissions, latest first; ``text`` searches course titles and instructors' names."""
    found = (
        Submission.objects.exclude(outcome=Submission.Outcome.PENDING)
        .select_related("course__instructor", "decided_by")
        .defer("course__description", "course__outcomes", "course__before_you_begin", "course__plate")
        .order_by("-decided_at", "-pk")
    )
    return _search(found, text)


def pending_appeals() -> QuerySet[Appeal]:
    """Return the appeals that wait for a decision, oldest first."""
    return (
        Appeal.objects.filter(outcome=Appeal.Outcome.PENDING, course__status=Course.Status.SUSPENDED)
        .select_related("course__instructor", "suspension", "written_by")
        .defer("course__description", "course__outcomes", "course__before_you_begin", "course__plate")
        .order_by("written_at", "pk")
    )


def suspension_of(course: Course) -> StatusChange | None:
    """Return the present suspension of a course, with its appeal if there is one; None if it isn't suspended."""
    if course.status != Course.Status.SUSPENDED:
        return None
    steps = StatusChange.objects.filter(course=course, became=Course.Status.SUSPENDED)
    return steps.select_related("appeal__written_by", "appeal__decided_by").order_by("-changed_at", "-pk").first()


def find_appeal(uid: UUID) -> Appeal:
    """Return an appeal with its course.

    :raises NotFound: there is none.
    """
    found = Appeal.objects.select_related("course").filter(uid=uid).first()
    if found is None:
        raise NotFound
    return found


def appeals_of(course: Course) -> QuerySet[Appeal]:
    """Return the decided appeals of a course, newest first."""
    decided = Appeal.objects.filter(course=course).exclude(outcome=Appeal.Outcome.PENDING)
    return decided.select_related("suspension", "written_by", "decided_by").order_by("-written_at", "-pk")


def points() -> dict[str, str | Promise]:
    """Return the points of the reviewers' checklist by name."""
    return POINTS


def ticks_of(submission: Submission) -> dict[str, ReviewTick]:
    """Return the points of the checklist that reviewers have checked, by name. One query."""
    return {tick.point: tick for tick in submission.ticks.select_related("ticked_by")}


def late(now: datetime) -> int:
    """Return how many pending submissions are overdue."""
    return Submission.objects.filter(outcome=Submission.Outcome.PENDING, submitted_at__lt=now - PROMISE).count()


def pending_of(course: Course) -> Submission | None:
    return course.live.submissions.filter(outcome=Submission.Outcome.PENDING).select_related("submitted_by").first()


def decision_hours(*, since: datetime) -> list[float]:
    """Return the hours from submission to decision of recent decisions, shortest first."""
    rows = Submission.objects.filter(
        decided_at__gte=since,
        outcome__in=[
            Submission.Outcome.APPROVED,
            Submission.Outcome.CHANGES_REQUESTED,
            Submission.Outcome.REJECTED,
        ],
    ).values_list("submitted_at", "decided_at")
    return sorted((decided - submitted).total_seconds() / 3600 for submitted, decided in rows if decided)
