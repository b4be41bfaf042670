"""Changes of an outline that can be taken back, in words."""

from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.courses.models import Course, OutlineChange
from apps.courses.models.outline_change import UNDO_PERIOD

UNDOABLE_CHANGES = 50  # of a course
Kind = OutlineChange.Kind


def undoable_changes(course: Course, *, now: datetime, limit: int = UNDOABLE_CHANGES) -> list[OutlineChange]:
    """Return the last changes of a course that can be taken back, the newest first. One query."""
    recent = OutlineChange.objects.filter(course=course, made_at__gt=now - UNDO_PERIOD)
    rows = recent.order_by("-pk").select_related("made_by")[:UNDOABLE_CHANGES]
    return [one for one in rows if one.undone_at is None][:limit]


def change_made(course: Course, by: User, *, now: datetime) -> OutlineChange | None:
    """Return what a user's call at this moment has changed in the outline, if it was anything that is recorded."""
    made = OutlineChange.objects.filter(course=course, made_by=by, made_at=now, undone_at=None)
    return made.select_related("made_by").order_by("-pk").first()


def describe_change(change: OutlineChange) -> str:
    """Return what was done, as a sentence."""
    title, count = change.subject, change.count
    if title:
        one = {
            Kind.ADD: _("“%s” was added."),
            Kind.MOVE: _("“%s” was moved."),
            Kind.REMOVE: _("“%s” was deleted."),
            Kind.RENAME: _("The title was changed to “%s”."),
            Kind.SETTINGS: _("Settings of “%s” were changed."),
            Kind.DUPLICATE: _("“%s” was added as a copy."),
            Kind.QUESTION: _("The question “%s” was deleted."),
        }
        return one[Kind(change.kind)] % title
    many = {
        Kind.ADD: ngettext("%d item was added.", "%d items were added.", count),
        Kind.MOVE: ngettext("%d item was moved.", "%d items were moved.", count),
        Kind.REMOVE: ngettext("%d item was deleted.", "%d items were deleted.", count),
        Kind.RENAME: ngettext("%d title was changed.", "%d titles were changed.", count),
        Kind.SETTINGS: ngettext("Settings of %d item were changed.", "Settings of %d items were changed.", count),
        Kind.DUPLICATE: ngettext("%d item was added as a copy.", "%d items were added as copies.", count),
        Kind.QUESTION: ngettext("%d question was deleted.", "%d questions were deleted.", count),
    }
    return many[Kind(change.kind)] % count


def change_out(change: OutlineChange) -> dict[str, Any]:
    """Return the shape ``OutlineChangeOut``."""
    return {
        "uid": change.uid,
        "kind": change.kind,
        "text": describe_change(change),
        "made_by": change.made_by.display_name if change.made_by else "",
        "made_at": change.made_at,
    }
