"""Mark a text as read, and go on with the next lesson."""

from contextlib import suppress

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from apps.accounts.guards import signed_in, signed_in_user
from apps.courses.models import Lesson
from apps.learning import services
from apps.learning.errors import LessonTakenOut
from apps.learning.queries.addresses import lesson_url
from apps.learning.queries.lessons import lesson_at
from apps.learning.queries.outline import outline_of
from apps.learning.queries.removed_lessons import entry_after, find_removed
from apps.learning.services.completion import Saved
from studyplatform.kit.errors import AppError


@signed_in
@require_POST
def complete(request: HttpRequest, course: str, lesson: str) -> HttpResponse:
    """Mark a text as read and continue with the next lesson."""
    try:
        opened = lesson_at(request.user, course, lesson)
    except LessonTakenOut as gone:
        return _lead_on(request, course, lesson, gone)
    saved = services.complete_lesson(user=signed_in_user(request), lesson_uid=opened.lesson.uid, now=timezone.now())
    if saved.certificate is not None:
        messages.success(request, _("You completed the course. Your certificate is ready."))
        return redirect("learning:course-progress", course=course)
    messages.success(request, completion_message(opened.lesson, saved), extra_tags="toast")
    following = lesson_at(request.user, course, lesson).next_open()  # read again, because this lesson is complete now
    return redirect(lesson_url(course, following.slug if following else lesson))


def _lead_on(request: HttpRequest, course: str, lesson: str, gone: LessonTakenOut) -> HttpResponse:
    """Keep the completion of a text that a version took out while it was read, say so, and go on after it."""
    user = signed_in_user(request)
    one = find_removed(user, course__slug=course, slug=lesson)
    if one is None:
        raise gone
    with suppress(AppError):  # not begun, or read too fast: it counts for nothing anyway
        services.complete_lesson(user=user, lesson_uid=one.uid, now=timezone.now())
    said = _("“%(lesson)s” was taken out of the course in a newer version. What you did in it is kept.")
    messages.info(request, said % {"lesson": one.title})
    following = entry_after(one, outline_of(one.course))
    return redirect(lesson_url(course, following.slug) if following else f"/learn/{course}")


def completion_message(one: Lesson, saved: Saved) -> str:
    """Return that the lesson is complete, with the milestone of the course that it reached."""
    done = _("Lesson %(number)s complete.") % {"number": one.number}
    milestone = {
        25: _("A quarter of the course is complete."),
        50: _("You're halfway through the course."),
        75: _("Three quarters of the course are complete."),
    }.get(saved.milestone or 0, "")
    return f"{done} {milestone}".strip()
