"""What the pages of lessons of all kinds show."""

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from apps.courses.models import Lesson
from apps.learning.components import lesson_list
from apps.learning.pages.editing import editing_way
from apps.learning.pages.preview import preview_note
from apps.learning.pages.timeline import timeline_of
from apps.learning.queries.lessons import OpenLesson
from apps.learning.queries.player import entry_out
from studyplatform.kit.extensions import Discussion, lesson_discussions


def shared_context(request: HttpRequest, opened: OpenLesson, *, is_offline: bool = False) -> dict[str, Any]:
    """Return the context that the pages of all kinds share. ``is_offline``: for the page that a device stores."""
    one, course, enrollment = opened.lesson, opened.course, opened.standing.enrollment
    placed = opened.placed
    states = {item.entry.pk: item.state for item in placed}
    before, after = opened.around()
    part = opened.outline.part_of(one.pk)
    discussion = None if opened.is_simulated or one.is_removed or is_offline else _discussion(request, one)
    place = next((n for n, entry in enumerate(part.entries, 1) if entry.pk == one.pk), 0) if part else 0
    return {
        "lesson": one,
        "stamp": opened.known.stamp,
        "known": opened.known,
        "downloads": opened.known.downloads,
        "course": course,
        "enrollment": enrollment,
        "bookmarked": opened.is_bookmarked,
        "may_save": opened.may_save,
        "is_simulated": opened.is_simulated,
        "is_offline": is_offline,
        "done": opened.standing.has_completed(one.pk),
        "kicker": _("No longer in the course") if one.is_removed else _kicker(one, part.number if part else 0, place),
        "before": entry_out(before, course.slug, states[before.pk]) if before else None,
        "after": entry_out(after, course.slug, states[after.pk]) if after else None,
        "lesson_count": opened.lesson_count,
        "outline": lesson_list(
            course,
            opened.standing.fit(opened.outline),
            placed,
            current=one.pk,
            counts=enrollment is not None,
            answered=discussion.counts if discussion else {},
        ),
        "discussion": discussion,
        "preview_note": preview_note(opened, request.user),
        "editing": None if is_offline else editing_way(opened, request.user),
        "timeline": timeline_of(opened, discussion),
    }


def _discussion(request: HttpRequest, one: Lesson) -> Discussion | None:
    """What is asked about the lesson, if there are discussions."""
    return next(iter(found for read in lesson_discussions.ordered() if (found := read(one, request.user))), None)


def _kicker(one: Lesson, section: int, place: int) -> str:
    if one.kind == Lesson.Kind.QUIZ:
        return _("Section %(section)s, quiz") % {"section": section}
    return _("Section %(section)s, lesson %(lesson)s") % {"section": section, "lesson": place}
