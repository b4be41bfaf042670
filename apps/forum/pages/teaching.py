"""/dashboard/instructor/forum: what waits on the boards of an instructor's courses, answered and decided in place."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from apps.accounts.guards import signed_in_user, teaches
from apps.accounts.models import User
from apps.forum import forms, services
from apps.forum.models import Board, Post, Topic
from apps.forum.pages.moderation import TEACHING_QUEUE, queue_of_posts, selected
from apps.forum.pages.topics import address_of
from apps.forum.queries import figures, moderation, teaching
from apps.forum.queries import moderation_log as log
from studyplatform.kit.errors import AppError, NotFound
from studyplatform.kit.web.requests import search_query

SHOWN_HELD = 3


@teaches
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def discussions(request: HttpRequest) -> HttpResponse:
    """What waits, by ``?tab=``. ``course``, ``q`` and ``sort`` narrow and order it, ``item`` is the selected row.

    A POST answers the topic ``topic``, or accepts its reply ``accept`` if there is no ``source``.
    """
    user = signed_in_user(request)
    tab = request.GET.get("tab", "unanswered")
    if tab not in teaching.TABS:
        raise Http404
    own = teaching.boards_of(user)
    if request.method == "POST":
        return _write(request, user, own, tab)
    return _show(request, user, own, tab)


def _show(
    request: HttpRequest, user: User, own: Sequence[Board], tab: str, form: forms.AnswerForm | None = None
) -> HttpResponse:
    now = timezone.now()
    slug = request.GET.get("course", "")
    boards = [board for board in own if board.slug == slug] if slug else own
    if slug and not boards:
        raise Http404
    order = request.GET.get("sort", "")
    context: dict[str, Any] = {
        "tab": tab,
        "now": now,
        "base": TEACHING_QUEUE,
        "own": own,
        "chosen_board": boards[0] if slug else None,
        "q": search_query(request, max_length=200),
        "order": order if order in teaching.ORDERS else "newest" if tab == "all" else "waiting",
        "counts": teaching.counts(boards, user, now=now),
        "here": _address(request, "tab", "course", "q", "sort"),
        "paged": _address(request, "tab", "course", "q", "sort", "page"),
        "course": f"&{urlencode({'course': slug})}" if slug else "",
    }
    if tab in {"pending", "reported"}:
        posts = moderation.held_on(boards) if tab == "pending" else moderation.reported_on(boards)
        context |= queue_of_posts(request, moderation.with_rows(posts))
        context["latest"] = log.lines(log.actions_on(boards)[:5], user)
    elif tab == "log":
        context["page"] = page = moderation.page_of(log.actions_on(boards), request.GET.get("page"))
        context["lines"] = log.lines(page.object_list, user)
        context["bans"] = moderation.bans_on(boards, now)[: moderation.PER_PAGE]
    else:
        context |= _topics(request, user, boards, context, form)
        context |= _summary(boards, own, now)
    return render(request, "forum/teaching.html", context, status=422 if form is not None else 200)


def _topics(
    request: HttpRequest, user: User, boards: Sequence[Board], context: dict[str, Any], form: forms.AnswerForm | None
) -> dict[str, Any]:
    """A page of topics, and the selected one with its replies and the form of an answer."""
    topics = teaching.topics_of(context["tab"], boards, user, words=context["q"], order=context["order"])
    page = moderation.page_of(topics, request.GET.get("page"))
    chosen: Topic | None = selected(page, request.GET.get("item"))
    if form is not None:  # its topic is shown with what was written, even if it is on another page by now
        topic = request.POST.get("topic", "")
        chosen = next((one for one in page.object_list if str(one.pk) == topic), None) or _find(boards, topic)
    rows = list(page.object_list)
    place = rows.index(chosen) if chosen in rows else -1
    after = rows[place + 1] if place + 1 < len(rows) else rows[place - 1] if place > 0 else None
    return {
        "page": page,
        "chosen": teaching.question(chosen) if chosen is not None else None,
        "after": after,
        "form": form or forms.AnswerForm(),
    }


def _summary(boards: Sequence[Board], own: Sequence[Board], now: datetime) -> dict[str, Any]:
    """What is below the topics: the first posts that wait for a decision, and how fast each board answers."""
    found = figures.figures_of_boards(own, now=now)
    asked = sum(one.asked for one in found.values())
    quick = sum(one.asked * (one.quick or 0) for one in found.values())
    return {
        "held": moderation.with_rows(moderation.held_on(boards))[:SHOWN_HELD],
        "reported": moderation.with_rows(moderation.reported_on(boards))[:1],
        "figures": found,
        "quick": round(quick / asked) if asked else None,
    }


def _find(boards: Sequence[Board], pk: str) -> Topic:
    """
    :raises NotFound: there is no such topic on these boards.
    """
    topics = Topic.objects.public().filter(board__in=boards).select_related("board__course", "author", "lesson")
    found = topics.filter(pk=pk).first() if pk.isdecimal() and len(pk) < 19 else None
    if found is None:
        raise NotFound
    return found


def _write(request: HttpRequest, user: User, own: Sequence[Board], tab: str) -> HttpResponse:
    topic = _find(own, request.POST.get("topic", ""))
    if "source" not in request.POST:
        return _accept(request, user, topic)
    form = forms.AnswerForm(request.POST)
    if form.is_valid():
        try:
            post = _answer(topic, user, form.cleaned_data)
        except AppError as error:  # shown above the field, so that nothing written is lost
            form.add_error(None, error.detail)
        else:
            services.discard_draft(user=user, key=f"topic-{topic.pk}")
            messages.success(request, _("Your answer was posted."), extra_tags="toast")
            if "stay" in request.POST:
                return _on(request)
            topic.refresh_from_db(fields=["last_number"])
            return redirect(address_of(post, topic))
    return _show(request, user, own, tab, form)


def _answer(topic: Topic, user: User, given: dict[str, Any]) -> Post:
    now = timezone.now()
    with transaction.atomic():
        if given["accept"]:
            services.accept(post=_reply_of(topic, given["accept"]), by=user, now=now)
        return services.reply(topic=topic, author=user, source=given["source"], now=now)


def _accept(request: HttpRequest, user: User, topic: Topic) -> HttpResponse:
    try:
        pk = request.POST.get("accept", "")
        post = _reply_of(topic, int(pk) if pk.isdecimal() and len(pk) < 19 else 0)
        services.accept(post=post, by=user, now=timezone.now())
    except NotFound:
        raise
    except AppError as error:
        messages.warning(request, f"{error.title}. {error.detail}")
    else:
        messages.success(request, _("The answer is accepted."), extra_tags="toast")
    return _on(request)


def _reply_of(topic: Topic, pk: int) -> Post:
    """
    :raises NotFound: the topic has no such post.
    """
    found = topic.posts.select_related("topic__board__course").filter(pk=pk).first()
    if found is None:
        raise NotFound
    return found


def _address(request: HttpRequest, *names: str, item: str = "") -> str:
    """This page with some of the values in its address."""
    kept = {name: request.GET[name] for name in names if request.GET.get(name)}
    kept = {"tab": "unanswered"} | kept | ({"item": item} if item.isdecimal() else {})
    return f"{TEACHING_QUEUE}?{urlencode(kept)}"


def _on(request: HttpRequest) -> HttpResponse:
    """Go on in the list from which the form was sent, with the row that follows."""
    names = ("tab", "course", "q", "sort", "page")
    return redirect(_address(request, *names, item=request.POST.get("after", "")))
