"""A topic with its posts."""

from datetime import datetime, time

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.views.decorators.http import require_POST, require_safe

from apps.accounts.guards import open_to_everyone, signed_in, signed_in_user
from apps.accounts.models import User
from apps.forum import forms, policies, services
from apps.forum.models import Level, Post, Topic
from apps.forum.models.posts import page_of
from apps.forum.queries import finding, searching
from apps.forum.queries import topic as queries
from apps.forum.queries.public import structured_question
from apps.forum.queries.shown import flat
from apps.forum.services.screening import is_new
from studyplatform.kit.errors import NotFound


@open_to_everyone
@require_safe
def topic(request: HttpRequest, topic: int) -> HttpResponse:
    """A page of a topic. ``?go=unread`` and ``?date=2026-05-01`` lead to a post."""
    user = request.user
    try:
        found = finding.find_topic(topic, user)
    except NotFound:
        merged = finding.merged_into(topic)
        if merged is None:
            raise
        return HttpResponsePermanentRedirect(f"/forum/topics/{merged}")
    target = _target(request, found)
    if target is not None:
        return redirect(address_of(target, found))
    text = request.GET.get("page", "1")
    page = queries.topic_page(found, user, int(text) if text.isdecimal() and len(text) < 8 else 1)
    if isinstance(user, User) and found.is_visible:
        services.visit(user=user, topic=found, number=page.last_shown, before=page.seen, now=timezone.now())
    return show_topic(request, page)


def show_topic(
    request: HttpRequest, page: queries.TopicPage, form: forms.ReplyForm | None = None, status: int = 200
) -> HttpResponse:
    """Render a page of a topic, with the form of a reply that could not be posted."""
    user = request.user
    quoted = request.GET.get("reply", "")
    reply_to = None
    if quoted.isdecimal() and page.can_write:
        reply_to = next((one.post for one in flat(page.posts) if str(one.post.pk) == quoted and not one.is_stub), None)
    initial = {"reply_to": reply_to.pk if reply_to else None, "is_watched": page.level != Level.MUTED}
    structured = None if isinstance(user, User) else structured_question(page)
    context = {
        "page": page,
        "similar": searching.similar_topics(page.topic, user),
        "structured": structured,
        "topic": page.topic,
        "form": form or forms.ReplyForm(initial=initial),
        "reply_to": reply_to,
        "ban": policies.not_banned(user, page.topic.board) if page.is_banned else None,
        "is_new_account": isinstance(user, User) and is_new(user, now=timezone.now()),
        "is_indexed": page.topic.reply_count > 0 and page.topic.is_visible,
    }
    return render(request, "forum/topic.html", context, status=status)


def _target(request: HttpRequest, topic: Topic) -> Post | None:
    if request.GET.get("go") == "unread":
        return finding.first_unread(topic, request.user)
    if "date" in request.GET:
        try:
            day = parse_date(request.GET["date"])
        except ValueError:
            day = None
        if day is not None:
            start = timezone.make_aware(datetime.combine(day, time.min))
            return finding.first_since(topic, start)
    return None


def address_of(post: Post, topic: Topic) -> str:
    """The address of the page of a topic on which a post is, with the post marked."""
    number = page_of(post.number, topic.last_number)
    page = f"?page={number}" if number > 1 else ""
    return f"{topic.path}{page}#p{post.pk}"


@signed_in
@require_POST
def follow(request: HttpRequest, topic: int) -> HttpResponse:
    """Follow a topic more or less closely, or stop."""
    user = signed_in_user(request)
    found, level = finding.present_topic(topic, user), request.POST.get("level", "")
    if level in Level:
        services.follow(user=user, target=found, level=level, now=timezone.now())
    else:
        services.unfollow(user=user, target=found)
    page = request.POST.get("page", "")
    return redirect(f"{found.path}?page={page}" if page.isdecimal() and len(page) < 8 else found.path)
