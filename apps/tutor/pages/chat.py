"""/chat/: what the tutor is, for visitors; for the signed-in their chats."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone
from apps.accounts.models import User
from apps.learning.queries.my_learning import enrollments_of
from apps.tutor.errors import ChatNotFound
from apps.tutor.models import Chat
from apps.tutor.queries.chats import chat_of, exchanges_of, list_chats
from apps.tutor.queries.shapes import chat_out, exchanges_out
from apps.tutor.queries.status import status_of
from apps.tutor.queries.switches import is_off
from apps.tutor.services.scope import find_scope
from studyplatform.kit.errors import AppError

_MOST_COURSES = 100
_WEEK = timedelta(days=6)


@open_to_everyone
@never_cache
@require_safe
def chat(request: HttpRequest) -> HttpResponse:
    """The list of chats and one of them: ``?c=`` is its uid, ``?before=`` the position of an exchange.

    Without ``c`` it is a new chat; ``?course=`` and ``?lesson=`` are slugs of what it is about, otherwise it is about
    the course that was studied last.

    :raises ChatNotFound: the user has no such chat.
    """
    user = request.user
    if not isinstance(user, User):
        return render(request, "tutor/meet.html")
    now = timezone.now()
    rows, following = list_chats(user, cursor=request.GET.get("cursor", ""))
    shown = _open_chat(request, user, now)
    course, lesson = _about(request, user)
    mine = [one.course for one in enrollments_of(user)[:_MOST_COURSES] if not is_off(one.course)]
    if course is None and shown is None and mine:
        course = mine[0]  # what the learner studied last is what a question is most often about
    props = {
        "place": "page",
        "chats": {"results": [chat_out(row) for row in rows], "next": following},
        "chat": shown,
        "status": status_of(user, now),
        "courses": [{"slug": one.slug, "title": one.title} for one in mine],
        "about": {
            "course": course and {"slug": course.slug, "title": course.title},
            "lesson": lesson and {"slug": lesson.slug, "title": lesson.title},
        },
    }
    context = {"props": props, "groups": grouped(rows, timezone.localdate(now)), "older": following, "open": shown}
    return render(request, "tutor/chat.html", context)


def _open_chat(request: HttpRequest, user: User, now: datetime) -> dict[str, Any] | None:
    wanted = request.GET.get("c", "")
    if not wanted:
        return None
    try:
        found = chat_of(user, UUID(wanted))
    except ValueError as error:
        raise ChatNotFound from error
    before = request.GET.get("before", "")
    position = int(before) if before.isascii() and before.isdigit() and len(before) < 9 else None
    rows, has_earlier = exchanges_of(found, before=position)
    return {**chat_out(found), "exchanges": exchanges_out(user, rows, now), "has_earlier": has_earlier}


def _about(request: HttpRequest, user: User) -> tuple[Any, Any]:
    """Course and lesson of the address; what the user may not open is left out."""
    try:
        return find_scope(user, request.GET.get("course") or None, request.GET.get("lesson") or None)
    except AppError:
        return None, None


def grouped(rows: Sequence[Chat], today: date) -> list[tuple[str, list[Chat]]]:
    """Chats, newest first, under the names Today, This week and Earlier; groups without chats are left out."""
    groups: list[tuple[str, list[Chat]]] = [(_("Today"), []), (_("This week"), []), (_("Earlier"), [])]
    for row in rows:
        day = timezone.localdate(row.changed_at)
        groups[0 if day >= today else 1 if day >= today - _WEEK else 2][1].append(row)
    return [group for group in groups if group[1]]
