"""What is asked about a lesson: a page, and a part of the page of the lesson."""

import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone
from apps.forum import policies
from apps.forum.queries import lessons as queries


@open_to_everyone
@require_safe
def lesson(request: HttpRequest, uid: uuid.UUID) -> HttpResponse:
    """The topics about a lesson, and the form of a new question. ``?part=1`` is for the script of the lesson."""
    found, board, topics = queries.topics_about(uid, request.user)
    context = {
        "lesson": found,
        "course": found.course,
        "board": board,
        "topics": topics,
        "may_ask": policies.write_on(request.user, board) is None,
        "most": queries.SHOWN,
    }
    is_part = request.GET.get("part") == "1"
    return render(request, "forum/_about_lesson.html" if is_part else "forum/lesson.html", context)
