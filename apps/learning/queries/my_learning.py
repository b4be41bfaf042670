"""A learner's courses: My Learning with its filters, counts and places to go on from."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from apps.accounts.models import User
from apps.courses.models import Course
from apps.learning.models import Bookmark, Enrollment, LessonProgress
from apps.learning.queries.addresses import course_url, lesson_url
from apps.learning.queries.outline import Entry, Mark, Standing, outlines_of, resume_entry, resume_place

FILTERS = ("all", "learning", "in_progress", "completed", "bookmarked")
ORDERS = {"recent": ("-last_activity_at", "-pk"), "closest": ("-percent", "-pk"), "title": ("course__title", "pk")}


def seats_of(user: User) -> QuerySet[Enrollment]:
    """The user's seats, last studied first, with course, certificate and ``is_bookmarked``."""
    ribbon = Bookmark.objects.filter(user_id=OuterRef("user_id"), course_id=OuterRef("course_id"))
    return (
        Enrollment.objects.active()
        .of(user.pk)
        .select_related("course__instructor", "course__subject", "certificate")
        .defer("course__description", "course__outcomes", "course__before_you_begin")
        .annotate(is_bookmarked=Exists(ribbon))
        .order_by(*ORDERS["recent"])
    )


@dataclass(frozen=True)
class Shelved:
    """A seat with the lesson to go on with."""

    seat: Enrollment
    resume: Entry | None
    position: int = 0

    @property
    def resume_url(self) -> str:
        slug = self.seat.course.slug
        return lesson_url(slug, self.resume.slug) if self.resume else course_url(slug)


def shelve(seats: Iterable[Enrollment]) -> list[Shelved]:
    """The seats with where to go on. Two queries for all of them together, one when their outlines are known."""
    seats = list(seats)
    outlines = outlines_of(seat.course for seat in seats)
    marks: dict[int, dict[int, Mark]] = {seat.pk: {} for seat in seats}
    rows = LessonProgress.objects.filter(enrollment__in=list(marks)).values_list(
        "enrollment_id", "lesson_id", "position", "watched_seconds", "completed_at"
    )
    for seat_pk, lesson_pk, position, watched, completed in rows:
        marks[seat_pk][lesson_pk] = Mark(position, watched, completed is not None)
    shelved = []
    for seat in seats:
        standing = Standing(seat, marks[seat.pk])
        entry = resume_entry(seat.course, outlines[seat.course_id], standing)
        mark = standing.marks.get(entry.pk) if entry else None
        place = 0.0
        if entry and mark and not mark.is_completed:
            place = resume_place(mark.position, entry.duration)
        shelved.append(Shelved(seat, entry, int(place)))
    return shelved


def enrollment_out(shelved: Shelved) -> dict[str, Any]:
    """The shape ``EnrollmentOut``."""
    seat = shelved.seat
    return {
        "uid": str(seat.uid),
        "course": {"slug": seat.course.slug, "title": seat.course.title, "url": course_url(seat.course.slug)},
        "lesson_count": seat.course.lesson_count,
        "completed_lessons": seat.completed_lessons,
        "percent": seat.percent,
        "enrolled_at": seat.enrolled_at,
        "last_activity_at": seat.last_activity_at,
        "completed_at": seat.completed_at,
        "resume_url": shelved.resume_url,
        "is_bookmarked": getattr(seat, "is_bookmarked", False),
        "certificate_code": seat.certificate.code if hasattr(seat, "certificate") else None,
    }


def counts_of(user: User) -> dict[str, int]:
    """How many courses each filter of My Learning holds. Two queries."""
    seats = list(Enrollment.objects.active().of(user.pk).values_list("course_id", "completed_at"))
    ribbons = set(Bookmark.objects.filter(user=user).values_list("course_id", flat=True))
    completed = sum(done is not None for _, done in seats)
    return {
        "all": len({course for course, _ in seats} | ribbons),
        "learning": len(seats),
        "in_progress": len(seats) - completed,
        "completed": completed,
        "bookmarked": len(ribbons),
        "bookmarked_seats": len({course for course, _ in seats} & ribbons),
    }


def filtered(seats: QuerySet[Enrollment], name: str) -> QuerySet[Enrollment]:
    """The seats that one filter of My Learning shows."""
    match name:
        case "in_progress":
            return seats.filter(completed_at=None)
        case "completed":
            return seats.exclude(completed_at=None)
        case "bookmarked":
            return seats.filter(
                Exists(Bookmark.objects.filter(user_id=OuterRef("user_id"), course_id=OuterRef("course_id")))
            )
        case _:
            return seats


def bookmarked_without_seat(user: User) -> QuerySet[Course]:
    """Courses with the user's ribbon in which they hold no seat, newest ribbon first."""
    seat = Enrollment.objects.active().filter(user=user, course_id=OuterRef("pk"))
    return (
        Course.objects.listed()
        .filter(Q(bookmarks__user=user), ~Exists(seat))
        .select_related("instructor", "subject")
        .annotate(bookmarked_at=F("bookmarks__created_at"))
        .order_by("-bookmarked_at", "-pk")
    )
