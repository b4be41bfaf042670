"""Changes of an outline that can be undone, as forms that work without scripts."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from apps.accounts.guards import signed_in_user, teaches
from apps.courses import services
from apps.courses.models import Course, OutlineChange
from apps.courses.pages.staffed import course_for_staff
from apps.courses.queries.outline_changes import change_out, undoable_changes
from studyplatform.kit.errors import AppError, NotFound

UNDO = "outline_undo"  # in the session: what the outline offers to take back
SHOWN_CHANGES = 10


def changes_shown(course: Course) -> list[dict[str, Any]]:
    """Return the last changes that can be undone, for the list above the outline."""
    return [change_out(one) for one in undoable_changes(course, now=timezone.now(), limit=SHOWN_CHANGES)]


def offer_undo(request: HttpRequest, course: Course, change: OutlineChange | None, text: str) -> None:
    """Let the outline say what was done, with a button that takes it back."""
    if change is not None:
        request.session[UNDO] = {"course": course.slug, "change": str(change.uid), "text": text}


@teaches
@require_POST
def undo(request: HttpRequest, slug: str, change: UUID) -> HttpResponse:
    """Take a change of the outline back."""
    course = course_for_staff(request, slug)
    made = OutlineChange.objects.filter(course=course, uid=change).first()
    if made is None:
        raise NotFound
    try:
        services.undo_change(change=made, by=signed_in_user(request), now=timezone.now())
    except AppError as refusal:
        messages.warning(request, refusal.detail)
    else:
        messages.success(request, _("The change was undone."))
    return redirect("courses:studio-lectures", course.slug)
