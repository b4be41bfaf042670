"""The tool that lists a learner's courses and how far they are."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from apps.accounts.models import Scope
from apps.learning.errors import NotEnrolled
from apps.learning.outline import Placed, place_all
from apps.learning.queries.addresses import lesson_url
from apps.learning.queries.learned_days import record_of
from apps.learning.queries.lessons import find_course
from apps.learning.queries.my_learning import MyCourse, enrollments_of, with_resume
from apps.learning.queries.outline import outline_of
from apps.tutor.mcp.addresses import absolute, lesson_name
from apps.tutor.mcp.callers import Caller
from studyplatform.kit.mcp.service import Answer, Tool, cursor_of, number_in

COURSES_AT_ONCE = 20
LESSONS_AT_ONCE = 100


def list_progress(caller: Caller, arguments: dict[str, Any]) -> Answer:
    """The user's courses, last studied first; of one course its lessons with their states."""
    start = number_in(arguments.get("cursor", ""))
    if "course" in arguments:
        return _of_course(caller, arguments["course"], start)
    rows = list(enrollments_of(caller.user)[start : start + COURSES_AT_ONCE + 1])
    record = record_of(caller.user, now=caller.now)
    return Answer(
        data={
            "courses": [_course_out(one) for one in with_resume(rows[:COURSES_AT_ONCE])],
            "streak_days": record.streak,
            "minutes_today": record.learned_today.seconds // 60,
            "goal_minutes": caller.user.daily_minutes,
            "next_cursor": cursor_of(start + COURSES_AT_ONCE) if len(rows) > COURSES_AT_ONCE else None,
        }
    )


def _course_out(one: MyCourse) -> dict[str, Any]:
    enrollment, course = one.enrollment, one.enrollment.course
    return {
        "course": course.slug,
        "title": course.title,
        "percent": enrollment.percent,
        "completed_lessons": enrollment.completed_lessons,
        "lessons": enrollment.required_count,
        "last_activity_at": enrollment.last_activity_at,
        "completed_at": enrollment.completed_at,
        "certificate": enrollment.certificate.code if hasattr(enrollment, "certificate") else None,
        "continue_with": lesson_name(course.slug, one.resume.slug) if one.resume else None,
        "continue_at_second": one.position,
        "url": absolute(one.resume_url),
    }


def _of_course(caller: Caller, slug: str, start: int) -> Answer:
    course, standing = find_course(caller.user, slug)
    if standing.enrollment is None:
        raise NotEnrolled(course=course.title, slug=course.slug)
    placed = place_all(course, outline_of(course), standing)
    shown = placed[start : start + LESSONS_AT_ONCE]
    end = start + LESSONS_AT_ONCE
    return Answer(
        data={
            "course": course.slug,
            "title": course.title,
            "percent": standing.enrollment.percent,
            "completed_lessons": standing.enrollment.completed_lessons,
            "lessons": [_lesson_out(course.slug, one) for one in shown],
            "next_cursor": cursor_of(end) if end < len(placed) else None,
        }
    )


def _lesson_out(course: str, placed: Placed) -> dict[str, Any]:
    entry = placed.entry
    return {
        "lesson": lesson_name(course, entry.slug),
        "number": entry.number,
        "title": entry.title,
        "kind": entry.kind,
        "seconds": entry.duration,
        "state": placed.state,
        "complete_first": lesson_name(course, placed.blocker.slug) if placed.blocker else None,
        "opens_at": placed.opens_at,
        "is_optional": entry.is_optional,
        "url": absolute(lesson_url(course, entry.slug)),
    }


LIST_PROGRESS = Tool[Caller](
    name="list_progress",
    title=_("List progress"),
    description=_(
        "The user's courses with percent, the lesson to continue with, and the streak. With a course: all its lessons "
        "and whether each is completed, in progress, available or locked."
    ),
    summary=_("Your courses, what's done and what comes next"),
    run=list_progress,
    arguments={
        "course": {"type": "string", "maxLength": 200, "pattern": r"^[\w-]+$", "description": "The slug of a course."},
        "cursor": {"type": "string", "maxLength": 40, "description": "next_cursor of the previous result."},
    },
    scope=Scope.READ_PROGRESS,
    reads_only=True,
)
