"""The messages of learners (/me/messages) and of instructors (/dashboard/instructor/messages/)."""

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts.guards import signed_in, signed_in_user, teaches
from apps.accounts.models import User
from apps.courses.models import Course, Right
from apps.forum import message_policies as policies
from apps.forum import text
from apps.forum.errors import MessageUnreadable
from apps.forum.message_forms import Writing
from apps.forum.message_policies import Side
from apps.forum.models import Conversation
from apps.forum.queries import announcements, threads
from apps.forum.queries import message_people as people
from apps.forum.queries import messages as queries
from apps.forum.services import message_reading as reading
from apps.forum.services import messages as services
from apps.learning.queries.lessons import find_course
from studyplatform.kit.errors import AppError, NotFound
from studyplatform.kit.web.requests import search_query

TEMPLATES = {Side.LEARNER: "forum/messages/learner.html", Side.INSTRUCTOR: "forum/messages/teaching.html"}


@signed_in
@never_cache
@require_safe
def inbox(request: HttpRequest) -> HttpResponse:
    """A learner's conversations, and the announcements of their courses with ``?show=announcements``."""
    user = signed_in_user(request)
    if request.GET.get("show") == "announcements":
        piece = announcements.announcements_for(user, cursor=request.GET.get("older", ""))
        context = {"side": "learner", "show": "announcements", "piece": piece, **_counts(user, Side.LEARNER)}
        return render(request, "forum/messages/announcements.html", context)
    return render(request, TEMPLATES[Side.LEARNER], _list(request, user, Side.LEARNER))


@teaches
@never_cache
@require_safe
def teaching_inbox(request: HttpRequest) -> HttpResponse:
    """An instructor's conversations."""
    return render(request, TEMPLATES[Side.INSTRUCTOR], _list(request, signed_in_user(request), Side.INSTRUCTOR))


def _list(request: HttpRequest, user: User, side: Side) -> dict[str, Any]:
    """What the list of conversations shows. Beside an open one it has no filter and begins with the newest."""
    q, show = search_query(request), request.GET.get("show", "")
    only_unread = show == "unread"
    piece = queries.conversations(user, side, only_unread=only_unread, text=q, cursor=request.GET.get("older", ""))
    return {
        "side": side.value,
        "base": "/me/messages" if side is Side.LEARNER else "/dashboard/instructor/messages",
        "show": "unread" if only_unread else "all",
        "q": q,
        "piece": piece,
        "now": timezone.now(),
        "conversation": None,
        **_counts(user, side),
    }


def _counts(user: User, side: Side) -> dict[str, int]:
    unread = announcements.unread_announcements(user) if side is Side.LEARNER else 0
    return {"unread_announcements": unread}


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def conversation(request: HttpRequest, uid: uuid.UUID) -> HttpResponse:
    """A learner's conversation. A POST sends a message."""
    return _conversation(request, uid, Side.LEARNER)


@teaches
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def teaching_conversation(request: HttpRequest, uid: uuid.UUID) -> HttpResponse:
    """An instructor's conversation. A POST sends a message."""
    return _conversation(request, uid, Side.INSTRUCTOR)


def _conversation(request: HttpRequest, uid: uuid.UUID, side: Side) -> HttpResponse:
    user = signed_in_user(request)
    row = queries.conversation_for(user, uid)
    if policies.side_in(user, row.course, row.learner) is not side:
        raise NotFound
    here = services.link_of(row, side)
    if request.method == "POST":
        return _send(request, user, row.course, row.learner, side, row)
    now = timezone.now()
    part = threads.thread(
        row,
        user,
        before=number_in(request.GET, "before"),
        after=number_in(request.GET, "after"),
        at=number_in(request.GET, "at"),
        now=now,
    )
    if not part.last and row.last_number:  # an address with a number that no message has
        part = threads.thread(row, user, now=now)
    unread = row.unread_by_learner if side is Side.LEARNER else row.unread_by_instructor
    if unread and part.last and not is_prefetched(request):
        reading.mark_read(conversation=row, user=user, number=part.last, now=now)
    context = _thread(request, user, row.course, row.learner, side, row) | {"thread": part, "here": here}
    return render(request, TEMPLATES[side], context)


def is_for_script(request: HttpRequest) -> bool:
    """Whether the script of the page asks, which shows the answer by itself."""
    return request.headers.get("Accept") == "application/json"


def is_prefetched(request: HttpRequest) -> bool:
    """Whether the browser loads the page in advance: then nobody has read it yet."""
    return request.method != "GET" or "prefetch" in request.headers.get("Sec-Purpose", "")


def number_in(given: QueryDict, name: str) -> int | None:
    """The number of a message; None if it is missing or is none."""
    value = given.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None


def _thread(
    request: HttpRequest, user: User, course: Course, learner: User, side: Side, row: Conversation | None
) -> dict[str, Any]:
    """What the page of a conversation shows beside its messages."""
    other = course.instructor if side is Side.LEARNER else learner
    refusal = policies.write_message(user, course, learner)
    return _list(request, user, side) | {
        "conversation": row,
        "course": course,
        "other": other,
        "refusal": refusal,
        "is_blocked_by_me": refusal is not None and refusal.code == "MESSAGE_RECIPIENT_BLOCKED",
        "enrollment": people.standing_in(course, learner) if side is Side.INSTRUCTOR else None,
        "topics": people.topics_by(learner, course, user) if side is Side.INSTRUCTOR else [],
        "files": people.attachable(user) if refusal is None else [],
        "chosen": [],
        "written": "",
        "key": uuid.uuid4(),
        "most": text.MOST,
        "most_files": services.MOST_FILES,
        "error": None,
        "thread": threads.Thread([], None, None, 0),
    }


def _send(
    request: HttpRequest, user: User, course: Course, learner: User, side: Side, row: Conversation | None
) -> HttpResponse:
    """Send what was written, and show the conversation; after a refusal the page with the text as it was."""
    form = Writing(request.POST)
    now = timezone.now()
    error: AppError = MessageUnreadable()
    if form.is_valid():
        given = form.cleaned_data
        try:
            files = services.files_to_attach(user, given["attached"])
            message = services.send_message(
                course=course,
                learner=learner,
                user=user,
                source=given["source"],
                files=files,
                key=given["key"],
                now=now,
            )
        except AppError as refusal:
            if refusal.status == NotFound.status:
                raise
            error = refusal
        else:
            here = services.link_of(message.conversation, side)
            if is_for_script(request):
                return JsonResponse({"number": message.number})
            return redirect(f"{here}#m-{message.number}")
    if is_for_script(request):
        told = {"code": error.code, "title": str(error.title), "detail": error.detail}
        return JsonResponse(told, status=error.status)
    context = _thread(request, user, course, learner, side, row)
    if row is not None:
        context |= {"thread": threads.thread(row, user, now=now), "here": services.link_of(row, side)}
    context |= {
        "error": error,
        "written": request.POST.get("source", "").replace("\x00", ""),
        "chosen": request.POST.getlist("attached"),
        "key": form.cleaned_data.get("key") or context["key"],
    }
    return render(request, TEMPLATES[side], context, status=error.status)


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """The first message of a learner to the instructor of ``?course=slug``."""
    user = signed_in_user(request)
    course, _standing = find_course(user, request.GET.get("course", ""))
    if course.instructor_id == user.pk:
        return redirect("forum:teaching-messages")
    return _new(request, user, course, user, Side.LEARNER)


@teaches
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def teaching_new(request: HttpRequest) -> HttpResponse:
    """Choose a learner of ``?course=slug``, and with ``?learner=uid`` the first message to them."""
    user = signed_in_user(request)
    courses = list(Course.objects.taught_by(user.pk, Right.TEACH).exclude(published_at=None).order_by("title", "pk"))
    slug = request.GET.get("course", "")
    course = next((one for one in courses if one.slug == slug), None)
    if slug and course is None:
        raise NotFound
    learner = request.GET.get("learner", "")
    if learner and course is not None:
        found = people.learner_of(course, learner)
        return _new(request, user, course, found, Side.INSTRUCTOR)
    if request.method == "POST":
        raise NotFound
    course = course or (courses[0] if courses else None)
    q = search_query(request)
    context: dict[str, Any] = {"courses": courses, "course": course, "q": q}
    context["enrollments"] = people.learners_to_write_to(course, q) if course else []
    return render(request, "forum/messages/choose_learner.html", context)


def _new(request: HttpRequest, user: User, course: Course, learner: User, side: Side) -> HttpResponse:
    row = queries.conversation_between(course, learner)
    if row is not None and request.method != "POST":
        return redirect(services.link_of(row, side))
    refusal = policies.write_message(user, course, learner)
    if refusal is not None:
        raise refusal
    if request.method == "POST":
        return _send(request, user, course, learner, side, row)
    context = _thread(request, user, course, learner, side, None) | {"here": request.get_full_path()}
    return render(request, TEMPLATES[side], context)
