"""The discussions: lists of topics by board, tag and tab."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from apps.accounts.guards import open_to_everyone, signed_in, signed_in_user
from apps.accounts.models import User
from apps.forum import policies, services
from apps.forum.models import Board, Follow, Level, Tag
from apps.forum.queries import figures, finding, lists, searching
from apps.forum.services.reading import begin_reading
from apps.forum.services.screening import is_new
from studyplatform.kit.errors import NotFound
from studyplatform.kit.web.requests import moment_in

OWN = "~own"  # as a board in the search: those of own courses; no slug
FEW_TOPICS = 3  # a tag with fewer topics is not for search engines


@open_to_everyone
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The topics of all boards that the user may read."""
    slug = request.GET.get("board", "")
    found = Board.objects.seen_by(request.user).filter(slug=slug).first() if slug else None
    if found is not None and not request.GET.get("q", "").strip():
        return redirect(f"/forum/boards/{found.slug}")
    if slug == OWN and not request.GET.get("q", "").strip():
        return redirect("/forum/?boards=own")
    return _list(request, {"is_index": True, "searched_board": found}, board=None, tag=None)


@open_to_everyone
@require_safe
def board(request: HttpRequest, board: str) -> HttpResponse:
    """The topics of one board."""
    found = Board.objects.seen_by(request.user).select_related("course").filter(slug=board).first()
    if found is None:
        raise NotFound
    return _list(request, {"is_member": policies.is_member(request.user, found)}, board=found, tag=None)


@open_to_everyone
@require_safe
def tag(request: HttpRequest, tag: str) -> HttpResponse:
    """The topics with one tag."""
    return _list(request, {}, board=None, tag=finding.find_tag(tag, request.user))


def _list(request: HttpRequest, context: dict[str, Any], *, board: Board | None, tag: Tag | None) -> HttpResponse:
    user = request.user
    tab = request.GET.get("tab", "latest")
    if tab not in lists.TABS or (tab in {"following", "mine"} and not isinstance(user, User)):
        tab = "latest"
    choice = lists.Choice(
        tab=tab,
        board=board or context.get("searched_board"),
        tag=tag,
        before=moment_in(request.GET.get("before", "")),
        is_own_courses=request.GET.get("boards") == "own" or request.GET.get("board") == OWN,
    )
    if isinstance(user, User):
        begin_reading(user=user, now=timezone.now())
    words = request.GET.get("q", "").strip()
    number = _number(request.GET.get("page", "1"))
    if words and tag is None:
        hits = searching.find(words, user, choice=choice, number=number)
        context |= {
            "q": words[: searching.LONGEST],
            "hits": hits,
            "tab": tab,
            "board": board,
            "choice": choice,
            "boards": lists.boards_for(user),
        }
        return render(request, "forum/index.html", context)
    page = lists.page_of_topics(choice, user, number)
    is_first = page.number == 1 and choice.before is None and tab == "latest" and tag is None
    pinned = lists.pinned_topics(choice, user) if is_first else []
    shown = {topic.pk for topic in pinned}
    follows = Follow.objects.filter(user=user.pk, board=board, tag=tag, topic=None) if board or tag else None
    context |= {
        "page": page,
        "pinned": pinned,
        "topics": [topic for topic in page.topics if topic.pk not in shown],
        "tab": tab,
        "board": board,
        "tag": tag,
        "choice": choice,
        "boards": lists.boards_for(user),
        "counts": lists.counts_for(user),
        "follow": follows.first() if follows is not None and isinstance(user, User) else None,
        "figures": None if tag else figures.figures_of(board, now=timezone.now()),
        "to_answer": figures.to_answer(user) if isinstance(user, User) and board is None and tag is None else [],
        "feed": f"/forum/boards/{board.slug}/feed" if board is not None and board.is_open else "",
        "is_new_account": isinstance(user, User) and is_new(user, now=timezone.now()),
        "is_indexed": (not request.GET) and (tag is None or page.total >= FEW_TOPICS),
    }
    return render(request, "forum/index.html", context)


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 7 else 1


@signed_in
@require_POST
def mark_all_read(request: HttpRequest) -> HttpResponse:
    """Everything counts as read."""
    services.mark_all_read(user=signed_in_user(request), now=timezone.now())
    messages.success(request, _("Everything is marked as read."), extra_tags="toast")
    return redirect("forum:index")


@signed_in
@require_POST
def follow_board(request: HttpRequest, board: str) -> HttpResponse:
    """Follow a board, or stop."""
    found = get_object_or_404(Board.objects.seen_by(signed_in_user(request)), slug=board)
    return _follow(request, found, f"/forum/boards/{board}")


@signed_in
@require_POST
def follow_tag(request: HttpRequest, tag: str) -> HttpResponse:
    """Follow a tag, or stop."""
    found = finding.find_tag(tag, signed_in_user(request))
    return _follow(request, found, f"/forum/tags/{found.slug}")


def _follow(request: HttpRequest, target: Board | Tag, back: str) -> HttpResponse:
    user, level = signed_in_user(request), request.POST.get("level", "")
    if level in Level:
        services.follow(user=user, target=target, level=level, now=timezone.now())
    else:
        services.unfollow(user=user, target=target)
    return redirect(back)
