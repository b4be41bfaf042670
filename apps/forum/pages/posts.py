"""What a reader does with a post: find it, vote, react, accept, delete, restore, see its history."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts.guards import open_to_everyone, signed_in, signed_in_user
from apps.forum import policies, services
from apps.forum.models import Post
from apps.forum.pages.messages import is_for_script
from apps.forum.pages.topics import address_of
from apps.forum.queries import finding
from studyplatform.kit.policies import enforce

REVISIONS = 50


@open_to_everyone
@require_safe
def post(request: HttpRequest, post: int) -> HttpResponse:
    """The page of the topic on which the post is, with the post marked."""
    found = finding.find_post(post, request.user)
    return redirect(address_of(found, found.topic))


def _done(request: HttpRequest, post: Post) -> HttpResponse:
    """Lead back to the post; the script of the page shows the change by itself."""
    if is_for_script(request):
        return HttpResponse(status=204)
    return redirect(address_of(post, post.topic))


@signed_in
@require_POST
def vote(request: HttpRequest, post: int) -> HttpResponse:
    """Say that a post was helpful, or take it back."""
    user = signed_in_user(request)
    found = finding.find_post(post, user)
    services.vote(post=found, user=user, on=request.POST.get("on") == "1", now=timezone.now())
    return _done(request, found)


@signed_in
@require_POST
def react(request: HttpRequest, post: int) -> HttpResponse:
    """React to a post, or take it back: ``?kind=thanks``, with ``on=1``."""
    user = signed_in_user(request)
    found, kind = finding.find_post(post, user), request.GET.get("kind", "")
    services.react(post=found, user=user, kind=kind, on=request.POST.get("on") == "1", now=timezone.now())
    return _done(request, found)


@signed_in
@require_POST
def accept(request: HttpRequest, post: int) -> HttpResponse:
    """Accept a reply as the answer, or take it back."""
    user = signed_in_user(request)
    found = finding.find_post(post, user)
    change = services.accept if request.POST.get("on") == "1" else services.unaccept
    change(post=found, by=user, now=timezone.now())
    return _done(request, found)


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, post: int) -> HttpResponse:
    """Ask, then delete a post."""
    user = signed_in_user(request)
    found = finding.find_post(post, user)
    enforce(policies.delete(user, found))
    if request.method != "POST":
        return render(request, "forum/delete.html", {"post": found, "topic": found.topic})
    take_away = services.delete if found.author_id == user.pk else services.remove  # notifies the author
    take_away(post=found, by=user, now=timezone.now())
    messages.success(request, _("The post was deleted. You can restore it."), extra_tags="toast")
    if found.is_opening and not policies.moderates(user, found.topic.board):
        return redirect("/forum/?tab=mine")
    return redirect(address_of(found, found.topic))


@signed_in
@require_POST
def restore(request: HttpRequest, post: int) -> HttpResponse:
    """Bring a deleted or hidden post back."""
    user = signed_in_user(request)
    found = finding.find_post(post, user)
    services.restore(post=found, by=user, now=timezone.now())
    if is_for_script(request):
        return HttpResponse(status=204)
    messages.success(request, _("The post was restored."), extra_tags="toast")
    return redirect(address_of(found, found.topic))


@open_to_everyone
@require_safe
def history(request: HttpRequest, post: int) -> HttpResponse:
    """The earlier texts of a post."""
    found = finding.find_post(post, request.user)
    revisions = finding.revisions_of(found, request.user)[:REVISIONS]
    context = {"post": found, "topic": found.topic, "revisions": list(revisions), "most": REVISIONS}
    return render(request, "forum/history.html", context)
