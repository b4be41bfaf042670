"""The queue of moderators, and what they decide. Instructors decide about the boards of their courses."""

import re
from typing import Any

from django.contrib import messages
from django.core.paginator import Page
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.accounts.guards import administers, signed_in, signed_in_user
from apps.accounts.models import User
from apps.forum import policies, services
from apps.forum.errors import AlreadyDecided, ModeratorNotBanned, NotUndoable, ReasonMissing
from apps.forum.models import Ban, Board, ModerationAction, Post
from apps.forum.moderation_forms import BanForm, DecisionForm
from apps.forum.queries import moderation as queries
from apps.forum.queries import moderation_log as log
from apps.forum.services import deciding
from apps.learning.queries import ratings
from studyplatform.kit.errors import AppError, NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.requests import safe_next

QUEUE = "/dashboard/admin/forum"
TEACHING_QUEUE = "/dashboard/instructor/forum"
MOST_AT_ONCE = 50
EXPECTED = (AlreadyDecided, ReasonMissing, NotUndoable, ModeratorNotBanned)
_CHOSEN = re.compile(r"(\d{1,11})(?::(\d{1,9}))?", re.ASCII)  # a post, and how often the text that was read was edited
UNKNOWN = gettext_lazy("Choose what to do with it.")
SAID = {
    "approve": gettext_lazy("The post is published."),
    "reject": gettext_lazy("Post rejected. Its author sees your reason."),
    "hide": gettext_lazy("The post is hidden."),
    "keep": gettext_lazy("The reports were dismissed."),
    "remove": gettext_lazy("The post was removed."),
    "ban": gettext_lazy("Account banned."),
}


@administers
@never_cache
@require_safe
def queue(request: HttpRequest) -> HttpResponse:
    """The queue: ``?tab=pending`` (or reported, messages, new, bans, log), ``page``, and ``item``, the selected row."""
    user, now = signed_in_user(request), timezone.now()
    tab = request.GET.get("tab", "pending")
    if tab not in {*queries.TABS, "messages", "ratings"}:
        raise Http404
    context: dict[str, Any] = {"tab": tab, "now": now, "base": QUEUE, "counts": queries.counts(user, now)}
    if tab in {"pending", "reported"}:
        posts = queries.held_posts(user) if tab == "pending" else queries.reported_posts(user)
        context |= queue_of_posts(request, queries.with_rows(posts))
    elif tab == "messages":
        context["page"] = queries.page_of(queries.reported_messages(), request.GET.get("page"))
    elif tab == "ratings":
        context["page"] = page = queries.page_of(ratings.reported_ratings(), request.GET.get("page"))
        context["reports"] = ratings.open_reports(list(page.object_list))
        context["latest_decisions"] = ratings.latest_decisions()
    elif tab == "new":
        page = queries.page_of(queries.new_accounts(now), request.GET.get("page"))
        chosen = selected(page, request.GET.get("item"))
        posts = Post.objects.filter(author=chosen).select_related("topic__board").order_by("-created_at")[:10]
        context |= {"page": page, "chosen": chosen, "posts": posts if chosen else [], "ban_form": BanForm()}
        context["history"] = queries.history(chosen, user, now) if chosen else None
    elif tab == "bans":
        context["page"] = queries.page_of(queries.bans(user, now), request.GET.get("page"))
    else:
        context["page"] = page = queries.page_of(log.actions(user), request.GET.get("page"))
        context["lines"] = log.lines(page.object_list, user)
    if tab in {"pending", "reported"}:
        context["latest"] = log.lines(log.actions(user)[:5], user)
    return render(request, "forum/moderation/queue.html", context)


def queue_of_posts(request: HttpRequest, posts: Any) -> dict[str, Any]:
    """A page of posts, the selected one with what a decision needs, and which one follows it."""
    page = queries.page_of(posts, request.GET.get("page"))
    chosen = selected(page, request.GET.get("item"))
    rows = list(page.object_list)
    place = rows.index(chosen) if chosen is not None else 0
    after = rows[place + 1] if place + 1 < len(rows) else rows[place - 1] if place else None
    return {
        "page": page,
        "chosen": chosen,
        "after": after,
        "reasons": queries.reasons_of(rows),
        "case": queries.case(chosen, signed_in_user(request), timezone.now()) if chosen is not None else None,
        "decision": DecisionForm(),
    }


def selected(page: Page[Any], pk: str | None) -> Any:
    """The row of a page that the address names, else the first one."""
    rows = list(page.object_list)
    return next((one for one in rows if str(one.pk) == pk), rows[0] if rows else None)


def _back(request: HttpRequest) -> HttpResponse:
    queue = QUEUE if signed_in_user(request).is_admin else TEACHING_QUEUE
    return redirect(safe_next(request, request.POST.get("next"), queue))


def _say(request: HttpRequest, error: AppError) -> None:
    messages.warning(request, f"{error.title}. {error.detail}")


def _post_for(by: User, pk: int) -> Post:
    """
    :raises NotFound: there is none, or the user does not moderate its board.
    """
    post = Post.objects.select_related("topic__board__course", "author").filter(pk=pk).first()
    if post is None:
        raise NotFound
    enforce(policies.moderate(by, post.topic.board))
    return post


@signed_in
@require_POST
def decide(request: HttpRequest, post: int) -> HttpResponse:
    """Decide about a post, and go on to the next one."""
    by = signed_in_user(request)
    found = _post_for(by, post)
    form = DecisionForm(request.POST)
    if not form.is_valid():
        messages.warning(request, UNKNOWN)
        return _back(request)
    try:
        deciding.decide(post=found, by=by, now=timezone.now(), **form.cleaned_data)
    except EXPECTED as error:
        _say(request, error)
    else:
        messages.success(request, SAID[form.cleaned_data["action"]], extra_tags="toast")
    return _back(request)


@signed_in
@require_POST
def decide_all(request: HttpRequest) -> HttpResponse:
    """Decide about several posts at once. Those that have changed meanwhile are left as they are."""
    by = signed_in_user(request)
    form = DecisionForm(request.POST)
    if not form.is_valid() or form.cleaned_data["action"] == "ban":
        messages.warning(request, UNKNOWN)
        return _back(request)
    chosen = [found for one in request.POST.getlist("posts") if (found := _CHOSEN.fullmatch(one))][:MOST_AT_ONCE]
    posts = [(_post_for(by, int(one[1])), int(one[2]) if one[2] else None) for one in chosen]
    done = 0
    for post, edits in posts:
        try:
            deciding.decide(post=post, by=by, now=timezone.now(), **(form.cleaned_data | {"edits": edits}))
        except ReasonMissing as error:
            _say(request, error)
            return _back(request)
        except EXPECTED:
            continue
        done += 1
    said = ngettext("%(num)s post decided.", "%(num)s posts decided.", done) % {"num": done}
    if done < len(posts):
        said += " " + _("The others have changed in the meantime.")
    messages.success(request, said) if posts else messages.info(request, _("Select at least one post."))
    return _back(request)


@signed_in
@require_POST
def undo(request: HttpRequest, action: int) -> HttpResponse:
    """Take a decision back."""
    by = signed_in_user(request)
    found = ModerationAction.objects.select_related("board__course", "post", "topic", "user").filter(pk=action).first()
    if found is None:
        raise NotFound
    enforce(policies.moderate(by, found.board) if found.board is not None else _administer(by))
    try:
        services.undo(action=found, by=by, now=timezone.now())
    except EXPECTED as error:
        _say(request, error)
    else:
        messages.success(request, _("Undone."), extra_tags="toast")
    return _back(request)


def _administer(by: User) -> AppError | None:
    return None if by.is_admin else NotFound()


@signed_in
@require_POST
def lift(request: HttpRequest, ban: int) -> HttpResponse:
    """End a ban."""
    by = signed_in_user(request)
    found = Ban.objects.select_related("board__course", "user").filter(pk=ban).first()
    if found is None:
        raise NotFound
    enforce(policies.moderate(by, found.board) if found.board is not None else _administer(by))
    try:
        services.lift_ban(ban=found, by=by, now=timezone.now())
    except EXPECTED as error:
        _say(request, error)
    else:
        messages.success(request, _("The ban was lifted."), extra_tags="toast")
    return _back(request)


@administers
@require_POST
def ban_account(request: HttpRequest, user: int) -> HttpResponse:
    """Ban a user from a board or from all."""
    by = signed_in_user(request)
    found = get_object_or_404(User, pk=user)
    form = BanForm(request.POST)
    if not form.is_valid():
        messages.warning(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return _back(request)
    board: Board | None = form.cleaned_data["board"]
    days, reason = form.cleaned_data["days"], form.cleaned_data["reason"]
    try:
        services.ban(user=found, by=by, board=board, days=days, reason=reason, now=timezone.now())
    except EXPECTED as error:
        _say(request, error)
    else:
        messages.success(request, SAID["ban"], extra_tags="toast")
    return _back(request)
