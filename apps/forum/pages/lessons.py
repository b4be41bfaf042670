"""What is asked about a lesson: a page, and parts of the page of the lesson."""

import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone
from apps.accounts.models import User
from apps.courses.models import Lesson
from apps.forum import policies, services
from apps.forum.queries import finding
from apps.forum.queries import lessons as queries
from apps.forum.queries import topic as topic_queries
from apps.forum.queries.shown import flat
from studyplatform.kit.errors import NotFound


@open_to_everyone
@require_safe
def lesson(request: HttpRequest, uid: uuid.UUID) -> HttpResponse:
    """The topics about a lesson, and the form of a new question.

    ``?part=1`` is for the script of the lesson; ``&topic=…``: the last posts of a topic about it, and a form to reply.
    """
    found, board, topics = queries.topics_about(uid, request.user)
    pk, is_part = request.GET.get("topic", ""), request.GET.get("part") == "1"
    if is_part and pk:
        return _thread(request, found, int(pk) if pk.isdecimal() and len(pk) < 16 else 0)
    context = {
        "lesson": found,
        "course": found.course,
        "board": board,
        "topics": topics,
        "marked": queries.at_seconds(topics),
        "may_ask": policies.write_on(request.user, board) is None,
        "most": queries.SHOWN,
        "draft": queries.draft_key(found.pk),
    }
    return render(request, "forum/_about_lesson.html" if is_part else "forum/lesson.html", context)


def _thread(request: HttpRequest, lesson: Lesson, pk: int) -> HttpResponse:
    user, topic = request.user, finding.find_topic(pk, request.user)
    if topic.lesson_id != lesson.pk:
        raise NotFound
    page = topic_queries.topic_page(topic, user, 10**6)  # the last one
    if isinstance(user, User) and topic.is_visible:
        services.visit(user=user, topic=topic, number=page.last_shown, before=page.seen, now=timezone.now())
    context = {"page": page, "topic": topic, "posts": list(flat(page.posts))}
    return render(request, "forum/_lesson_thread.html", context)
