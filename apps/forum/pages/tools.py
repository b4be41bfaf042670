"""What moderators do with a topic: pin, close, rename, retag, move, merge and split it."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts.guards import signed_in, signed_in_user
from apps.accounts.models import User
from apps.forum import policies, services, text, tool_policies
from apps.forum.errors import MergeWithItself, TextBecomesPublic
from apps.forum.models import Post, Topic
from apps.forum.models.posts import PAGE, page_of
from apps.forum.queries import finding, lists, searching
from apps.forum.tool_forms import MoveForm, PublicForm, SplitForm, TitleForm, topic_in
from studyplatform.kit.errors import AppError, NotFound
from studyplatform.kit.policies import enforce

SUGGESTED = 6  # topics
EXCERPT = 160  # characters of a post
UNKNOWN = gettext_lazy("No topic on your boards has this number or link, or contains these words.")


def _find(request: HttpRequest, topic: int) -> tuple[Topic, User]:
    """
    :raises NotFound: there is none, or the user doesn't moderate its board.
    """
    user = signed_in_user(request)
    found = finding.find_topic(topic, user)
    enforce(tool_policies.use_tools(user, found))
    return found, user


def _status(form: Any, refusal: AppError | None) -> int:
    return refusal.status if refusal else 422 if form.errors else 200


@signed_in
@require_POST
def pin(request: HttpRequest, topic: int) -> HttpResponse:
    """Show a topic above the others of its board, with ``on=1``, or no longer."""
    found, user = _find(request, topic)
    on = request.POST.get("on") == "1"
    services.pin(topic=found, by=user, on=on, now=timezone.now())
    messages.success(request, _("The topic is pinned.") if on else _("The topic is no longer pinned."))
    return redirect(found.path)


@signed_in
@require_POST
def close(request: HttpRequest, topic: int) -> HttpResponse:
    """Close a topic, with ``on=1``, or open it again."""
    found, user = _find(request, topic)
    on = request.POST.get("on") == "1"
    services.close(topic=found, by=user, on=on, now=timezone.now())
    messages.success(request, _("The topic is closed to replies.") if on else _("The topic is open to replies."))
    return redirect(found.path)


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def rename(request: HttpRequest, topic: int) -> HttpResponse:
    """Change the title and the tags of a topic, as its author or as a moderator."""
    user = signed_in_user(request)
    found = finding.find_topic(topic, user)
    enforce(tool_policies.rename(user, found))
    initial = {"title": found.title, "tags": ", ".join(tag.name for tag in found.tags.all())}
    form = TitleForm(request.POST if request.method == "POST" else None, initial=initial)
    refusal: AppError | None = None
    if form.is_valid():
        try:
            services.rename_and_retag(topic=found, by=user, now=timezone.now(), **form.cleaned_data)
        except AppError as error:
            refusal = error
        else:
            messages.success(request, _("Your changes were saved."), extra_tags="toast")
            return redirect(found.path)
    context = {"form": form, "topic": found, "refusal": refusal}
    return render(request, "forum/tools/title.html", context, status=_status(form, refusal))


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def move(request: HttpRequest, topic: int) -> HttpResponse:
    """Choose another board, then move a topic to it. If more people can read it then, the page asks first."""
    found, user = _find(request, topic)
    form = MoveForm(found, user, request.POST if request.method == "POST" else None)
    refusal: AppError | None = None
    if form.is_valid():
        try:
            services.move(topic=found, by=user, now=timezone.now(), **form.cleaned_data)
        except AppError as error:
            refusal = error
        else:
            board = form.cleaned_data["board"]
            messages.success(request, _("The topic is now on the board “%(board)s”.") % {"board": board.title})
            return redirect(found.path)
    context = {"form": form, "topic": found, "refusal": refusal, "asks": isinstance(refusal, TextBecomesPublic)}
    return render(request, "forum/tools/move.html", context, status=_status(form, refusal))


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def merge(request: HttpRequest, topic: int) -> HttpResponse:
    """Find another topic, ``?into=`` a number, an address or words, then merge this one into it."""
    found, user = _find(request, topic)
    given = request.POST if request.method == "POST" else request.GET
    wanted = given.get("into", "").strip()[: searching.LONGEST]
    target = _target(wanted, found, user)
    form = PublicForm(request.POST if request.method == "POST" else None)
    refusal: AppError | None = MergeWithItself() if target == found else None
    if request.method == "POST" and target is not None and refusal is None and form.is_valid():
        try:
            services.merge(topic=found, into=target, by=user, now=timezone.now(), **form.cleaned_data)
        except AppError as error:
            refusal = error
        else:
            messages.success(request, _("Topics merged."))
            return redirect(target.path)
    context = {
        "form": form,
        "topic": found,
        "target": None if target == found else target,
        "wanted": wanted,
        "suggested": [] if target else _suggested(wanted, found, user),
        "unknown": UNKNOWN,
        "refusal": refusal,
        "opens_up": target is not None and tool_policies.opens_up(found.board, target.board),
    }
    return render(request, "forum/tools/merge.html", context, status=_status(form, refusal))


def _target(wanted: str, topic: Topic, user: User) -> Topic | None:
    """The topic that a moderator has named, if they may merge another one into it."""
    pk = topic_in(wanted)
    if pk == topic.pk:
        return topic
    try:
        target = finding.present_topic(pk or 0, user)
        enforce(tool_policies.use_tools(user, target))
    except NotFound:
        return None
    return target


def _suggested(wanted: str, topic: Topic, user: User) -> list[Topic]:
    """Topics into which one could be merged: those with the words, or else similar ones."""
    if wanted:
        found = [hit.topic for hit in searching.find(wanted, user, choice=lists.Choice()).hits]
    else:
        found = [hit.topic for hit in searching.similar_to(topic.title, user, board=topic.board)]
    return [one for one in found if one.pk != topic.pk and policies.moderates(user, one.board)][:SUGGESTED]


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def split(request: HttpRequest, topic: int) -> HttpResponse:
    """Choose posts of a page of a topic, ``?page=``, and make them a new topic."""
    found, user = _find(request, topic)
    pages = page_of(found.last_number, found.last_number)
    asked = request.GET.get("page", "1")
    number = min(max(1, int(asked) if asked.isdecimal() and len(asked) < 8 else 1), pages)
    posts = _posts_of(found, number, is_last=number == pages)
    kind = Topic.Kind.DISCUSSION if found.kind == Topic.Kind.ANNOUNCEMENT else found.kind
    form = SplitForm(posts, request.POST if request.method == "POST" else None, initial={"kind": kind})
    refusal: AppError | None = None
    if form.is_valid():
        try:
            new = services.split(topic=found, by=user, now=timezone.now(), **form.cleaned_data)
        except AppError as error:
            refusal = error
        else:
            messages.success(request, _("The posts are now their own topic."))
            return redirect(new.path)
    chosen = set(request.POST.getlist("posts"))
    rows = [(post, text.excerpt(post.source, EXCERPT), str(post.pk) in chosen) for post in posts]
    context = {
        "form": form,
        "topic": found,
        "rows": rows,
        "number": number,
        "pages": pages,
        "refusal": refusal,
    }
    return render(request, "forum/tools/split.html", context, status=_status(form, refusal))


def _posts_of(topic: Topic, number: int, *, is_last: bool) -> list[Post]:
    """The replies on a page of a topic, in their order; on the last page those without a number as well."""
    posts = topic.posts.filter(is_opening=False).select_related("author").defer("html")
    found = list(posts.filter(number__range=((number - 1) * PAGE + 1, number * PAGE)).order_by("number"))
    return found + (list(posts.filter(number=None).order_by("pk")) if is_last else [])
