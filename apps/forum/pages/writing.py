"""Opening topics, replying and editing, with and without scripts."""

from datetime import timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts.guards import signed_in, signed_in_user
from apps.accounts.models import User
from apps.accounts.policies import be_verified
from apps.forum import forms, policies, services
from apps.forum.errors import ModerationRequired, TopicLocked
from apps.forum.errors import PostChanged as PostHasChanged
from apps.forum.models import Board, Follow, Level, Post, PostState, Topic
from apps.forum.pages.topics import address_of, show_topic
from apps.forum.queries import finding, lists, searching
from apps.forum.queries import topic as queries
from apps.forum.queries.lessons import draft_key
from apps.forum.services.screening import NEW_ACCOUNT, is_new, why_held
from studyplatform.kit.errors import AppError
from studyplatform.kit.extensions import tell_origin
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.requests import safe_next

SENT_TWICE = timedelta(seconds=30)  # within which the same text comes from a second click


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def new_topic(request: HttpRequest) -> HttpResponse:
    """A new topic. ``?board=…&lesson=…&second=…&kind=…`` prefill it.

    ``origin`` names what led to it, see ``kit.extensions.topic_origins``.
    """
    user = signed_in_user(request)
    enforce(be_verified(user))
    enforce(policies.not_banned(user, None))
    boards = writable_boards(user)
    fields = ("board", "lesson", "second", "kind", "title")
    initial = {name: request.GET[name][:120] for name in fields if name in request.GET}
    data = request.POST if request.method == "POST" else None
    form = forms.TopicForm(user, boards, data, initial={"kind": Topic.Kind.QUESTION} | initial)
    refusal: AppError | None = None
    if form.is_valid():
        try:
            now = timezone.now()
            topic = services.open_topic(author=user, same_since=now - SENT_TWICE, now=now, **form.cleaned_data)
        except AppError as error:  # shown above the form, so that nothing written is lost
            refusal = error
        else:
            is_from_lesson = topic.lesson_id is not None and request.POST.get("draft") == draft_key(topic.lesson_id)
            services.discard_draft(user=user, key=draft_key(topic.lesson_id or 0) if is_from_lesson else "new")
            _say_if_held(request, topic.posts.get(is_opening=True))
            tell_origin(user, request.POST.get("origin", ""), topic.path)
            return redirect(topic.path)
    board = next((one for one in boards if one.slug == str(form["board"].value() or "")), None)
    context = {
        "form": form,
        "refusal": refusal,
        "similar": searching.similar_to(str(form["title"].value() or ""), user, board=board),
        "boards": boards,
        "draft": request.POST.get("draft", ""),
        "origin": request.POST.get("origin", request.GET.get("origin", ""))[:400],
        "is_new_account": is_new(user, now=timezone.now()),
    }
    status = refusal.status if refusal else 422 if form.errors else 200
    return render(request, "forum/new.html", context, status=status)


def writable_boards(user: User) -> list[Board]:
    """The boards on which the user may open topics: those of own courses, then general ones."""
    own = list(lists.own_boards(user).select_related("course").order_by("title"))
    general = [board for board in Board.objects.filter(course=None) if user.is_admin or not board.topics_by_admins_only]
    if user.is_admin:
        mine = {board.pk for board in own}
        own += [board for board in Board.objects.exclude(course=None).select_related("course") if board.pk not in mine]
    return own + general


def _say_if_held(request: HttpRequest, post: Post) -> None:
    if post.state != PostState.HELD:
        return
    said = str(ModerationRequired().message)
    if NEW_ACCOUNT not in post.held_for:
        said = f"{why_held(post)} {_('It is saved and appears once approved.')}"
    messages.info(request, said)


@signed_in
@require_POST
def reply(request: HttpRequest, topic: int) -> HttpResponse:
    """Post a reply. One that cannot be posted is shown again with its text."""
    user = signed_in_user(request)
    found = finding.present_topic(topic, user)
    enforce(policies.write_on(user, found.board))
    form = forms.ReplyForm(request.POST)
    if form.is_valid():
        target = Post.objects.filter(pk=form.cleaned_data["reply_to"] or 0, topic=found).first()
        try:
            post = services.reply(
                topic=found,
                author=user,
                source=form.cleaned_data["source"],
                reply_to=target,
                same_since=timezone.now() - SENT_TWICE,
                now=timezone.now(),
            )
        except TopicLocked:  # its page has no form in which the text could stay
            raise
        except AppError as error:
            form.add_error(None, error.detail)
        else:
            for key in {topic, found.pk}:  # they differ if the topic was merged while the reply was written
                services.discard_draft(user=user, key=f"topic-{key}")
            _follow_if_asked(user, found, is_asked=form.cleaned_data["is_watched"])
            _say_if_held(request, post)
            found.refresh_from_db(fields=["last_number"])
            return redirect(address_of(post, found))
    page = queries.topic_page(found, user, 10**6)
    return show_topic(request, page, form, status=422)


def _follow_if_asked(user: User, topic: Topic, *, is_asked: bool) -> None:
    """Follow the topic of a reply, unless the user has chosen a level before and still wants one."""
    level = Follow.objects.filter(user=user, topic=topic).values_list("level", flat=True).first()
    wanted = Level.WATCHING if is_asked else Level.FOLLOWING
    if level is None or (level == Level.WATCHING) != is_asked:
        services.follow(user=user, target=topic, level=wanted, now=timezone.now())


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, post: int) -> HttpResponse:
    """Edit a post. If someone else edited it meanwhile, both texts are shown. ``next`` leads back to a queue."""
    user = signed_in_user(request)
    found = finding.find_post(post, user)
    enforce(policies.edit(user, found))
    initial = {"source": found.source, "edits": found.edit_count, "title": found.topic.title}
    back = safe_next(request, request.POST.get("next") or request.GET.get("next"), "")
    make = forms.EditTopicForm if found.is_opening else forms.EditForm
    form = make(request.POST if request.method == "POST" else None, initial=initial)
    refusal: AppError | None = None
    if form.is_valid():
        try:
            changed = services.edit(
                post=found,
                editor=user,
                source=form.cleaned_data["source"],
                title=form.cleaned_data.get("title"),
                expected_edits=form.cleaned_data["edits"],
                now=timezone.now(),
            )
        except AppError as error:
            refusal = error
        else:
            services.discard_draft(user=user, key=f"edit-{found.pk}")
            if changed.state == "held" and changed.author_id == user.pk:
                _say_if_held(request, changed)
            else:
                messages.success(request, _("Your changes were saved."), extra_tags="toast")
            return redirect(back or address_of(changed, changed.topic))
    context = {
        "form": form,
        "post": found,
        "topic": found.topic,
        "refusal": refusal,
        "next": back,
        "current": found if isinstance(refusal, PostHasChanged) else None,
    }
    status = refusal.status if refusal else 422 if form.errors else 200
    return render(request, "forum/edit.html", context, status=status)
