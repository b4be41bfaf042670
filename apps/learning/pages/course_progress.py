"""My Learning, the progress in one course, and its lessons."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from apps.accounts.guards import signed_in, signed_in_user
from apps.courses.models import Course
from apps.courses.queries.path_places import places_of
from apps.learning.components import lesson_rows, time_left
from apps.learning.errors import NotEnrolled
from apps.learning.outline import Placed, place_all, resume_entry
from apps.learning.pages.preview import render_closed
from apps.learning.queries.course_marks import course_marks_of
from apps.learning.queries.course_progress import record_of, totals_of
from apps.learning.queries.lessons import find_course
from apps.learning.queries.my_learning import (
    FILTERS,
    ORDERS,
    bookmarked_not_enrolled,
    counts_in,
    counts_of,
    enrollments_of,
    filtered,
    with_quiz_averages,
    with_resume,
)
from apps.learning.queries.notes import notes_in_lessons
from apps.learning.queries.outline import outline_of
from apps.learning.queries.path_progress import paths_of
from studyplatform.kit.web.paging import shown_pages

GROUP = 12  # courses of a group before "See all"
PAGE = 24
SHOWN_PATHS = 3
SHOWN: dict[str, Callable[[Placed, dict[int, int]], bool]] = {
    "all": lambda one, notes: True,
    "todo": lambda one, notes: one.state != "completed",
    "notes": lambda one, notes: one.entry.pk in notes,
}
"""The lessons that a filter of the progress page shows, by the lesson and the number of notes of each lesson."""


@signed_in
@require_GET
def my_learning(request: HttpRequest) -> HttpResponse:
    """My Learning: courses in progress, completed, and bookmarked but not started."""
    user, now = signed_in_user(request), timezone.now()
    marks, order = course_marks_of(user), _order(request)
    enrollments = enrollments_of(user).order_by(*ORDERS[order])
    shown = with_resume([*filtered(enrollments, "in_progress")[:GROUP], *filtered(enrollments, "completed")[:GROUP]])
    context = {
        "counts": counts_in(marks),
        "totals": totals_of(user, now=now),
        "in_progress": [one for one in shown if one.enrollment.completed_at is None],
        "completed": with_quiz_averages(one for one in shown if one.enrollment.completed_at is not None),
        "bookmarked": bookmarked_not_enrolled(user)[:GROUP],
        "paths": paths_of(marks)[:SHOWN_PATHS],
        "certificates": [one.enrollment for one in shown if hasattr(one.enrollment, "certificate")],
        "tab": "all",
        "order": order,
        "group": GROUP,
    }
    return render(request, "learning/my_learning.html", context)


@signed_in
@require_GET
def my_courses(request: HttpRequest) -> HttpResponse:
    """One filter of My Learning, paginated: /me/courses?filter=in_progress."""
    user = signed_in_user(request)
    name = request.GET.get("filter", "learning")
    name = name if name in FILTERS else "learning"
    order = _order(request)
    counts = counts_of(user)
    enrollments = filtered(enrollments_of(user), name).order_by(*ORDERS[order])
    others = bookmarked_not_enrolled(user) if name in {"all", "bookmarked"} else Course.objects.none()
    # Enrollments first, then bookmarked courses. The number of enrollments is already known.
    enrolled = {"all": counts["learning"], "bookmarked": counts["bookmarked_enrollments"]}.get(name, counts[name])
    paginator = Paginator(range(enrolled + others.count()), PAGE)
    page = paginator.get_page(request.GET.get("page"))
    places = page.object_list
    first, end = (places[0], places[-1] + 1) if places else (0, 0)
    bookmarked = others[max(0, first - enrolled) : end - enrolled] if end > enrolled else []
    context = {
        "counts": counts,
        "tab": name,
        "order": order,
        "my_courses": with_quiz_averages(with_resume(enrollments[first:end] if first < enrolled else [])),
        "bookmarked": bookmarked,
        "page": page,
        "pages": shown_pages(page.number, paginator.num_pages),
        "query": urlencode({"filter": name} | ({"sort": order} if order != "recent" else {})),
    }
    return render(request, "learning/my_courses.html", context)


def _order(request: HttpRequest) -> str:
    order = request.GET.get("sort", "")
    return order if order in ORDERS else "recent"


@signed_in
@require_GET
def course_progress(request: HttpRequest, course: str) -> HttpResponse:
    """A learner's progress in one course: milestones, lessons, quizzes, the certificate."""
    user = signed_in_user(request)
    found, standing = find_course(user, course)
    if standing.enrollment is None:
        error = NotEnrolled(course=found.title, slug=found.slug)
        return render_closed(request, error, found)
    record = record_of(user, found, standing.enrollment, now=timezone.now())
    by_pk = {one.entry.pk: one for one in record.placed}
    notes = notes_in_lessons(record.enrollment)
    name = request.GET.get("show", "")
    show = name if name in SHOWN else "all"
    # In a completed course no lesson is marked as the one to resume.
    resume_pk = record.resume.pk if record.resume and record.left else 0
    sections: list[dict[str, Any]] = []
    for part in record.outline.parts:
        placed = [by_pk[entry.pk] for entry in part.entries]
        shown = [one for one in placed if SHOWN[show](one, notes)]
        if not shown:
            continue
        sections.append(
            {
                "part": part,
                "done": sum(one.state == "completed" and not one.entry.is_optional for one in placed),
                "is_open": show != "all" or any(one.entry.pk == resume_pk for one in placed),
                "rows": lesson_rows(found, shown, current=resume_pk, note=time_left(by_pk.get(resume_pk)), notes=notes),
            }
        )
    context = {
        "record": record,
        "course": found,
        "sections": sections,
        "show": show,
        "notes": sum(notes.values()),
        "lessons_with_notes": len(notes),
        "paths": places_of(found)[:SHOWN_PATHS],
    }
    return render(request, "learning/course_progress.html", context)


@signed_in
@require_GET
def lessons(request: HttpRequest) -> HttpResponse:
    """The lessons of a course with their states: /course/lessons?course={slug}."""
    found, standing = find_course(signed_in_user(request), request.GET.get("course", ""))
    outline = standing.fit(outline_of(found))
    placed = place_all(found, outline, standing)
    by_pk = {one.entry.pk: one for one in placed}
    entry = resume_entry(found, outline, standing, placed)
    sections = [
        {
            "part": part,
            "done": sum(by_pk[one.pk].state == "completed" for one in part.required),
            "rows": lesson_rows(found, [by_pk[one.pk] for one in part.entries]),
        }
        for part in outline.parts
    ]
    context = {
        "course": found,
        "enrollment": standing.enrollment,
        "sections": sections,
        "resume": entry,
        "placed": placed,
    }
    return render(request, "learning/lessons.html", context)
