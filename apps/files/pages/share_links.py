"""The pages of a link to a shared file or folder: open to everyone who has its address.

They are never cached or indexed, and tell their address to no other site. A download is a POST, so that nothing that
merely follows links, such as the preview of a chat app, uses one up.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts.guards import open_to_everyone
from apps.accounts.models import User
from apps.files import errors, policies, services
from apps.files import sharing_queries as queries
from apps.files.forms import SharePasswordForm
from apps.files.models import Share, ShareOpening
from apps.files.pages.library import uid_of
from apps.files.pages.shared_entries import (
    Addresses,
    file_context,
    folder_context,
    send_shared,
    send_thumbnail,
    send_view,
    zip_of,
)
from apps.files.pages.shared_with_me import is_opened_by_a_person
from studyplatform.kit.errors import AppError, NotFound, RateLimitExceeded
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.client_address import client_address, neighborhood
from studyplatform.kit.web.rate_limits import limits_address

COOKIE_SECONDS = 12 * 60 * 60
P = ParamSpec("P")
Page = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def _link_page(page: Page[P]) -> Page[P]:
    """Answer refusals with a page of their own, and keep the address out of caches, indexes and other sites."""

    @never_cache
    @wraps(page)
    def answered(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            answer = page(request, *args, **kwargs)
        except AppError as refusal:
            # Strangers must not learn what exists: a file that a link does not open is as unknown as a link.
            shown = errors.ShareNotFound() if isinstance(refusal, NotFound) else refusal
            answer = render(request, "errors/refused.html", {"error": shown}, status=shown.status)
        answer["X-Robots-Tag"] = "noindex, nofollow"
        # Not "no-referrer": browsers would then send forms with "Origin: null", which the CSRF check refuses.
        answer["Referrer-Policy"] = "same-origin"
        return answer

    return answered


@dataclass(frozen=True)
class Visitor:
    """The browser in which a link is open. ``secret`` is in a signed cookie; is_unlocked: the password was entered."""

    secret: str
    is_unlocked: bool


def _cookie(share: Share) -> str:
    return f"study_share_{share.uid.hex}"


def _visitor(request: HttpRequest, share: Share) -> Visitor | None:
    name = _cookie(share)
    value = request.get_signed_cookie(name, default="", salt=name, max_age=COOKIE_SECONDS) or ""
    secret, _, state = value.partition(":")
    return Visitor(secret, state == "unlocked") if secret else None


def _remember(answer: HttpResponseBase, share: Share, visitor: Visitor) -> None:
    name = _cookie(share)
    answer.set_signed_cookie(
        name,
        f"{visitor.secret}:{'unlocked' if visitor.is_unlocked else ''}",
        salt=name,
        max_age=COOKIE_SECONDS,
        path="/s/",
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _opened(request: HttpRequest, token: str) -> tuple[Share, Visitor | None]:
    """The live share of this link, if it needs no password or this browser has entered it.

    :raises SharePasswordRefused: the password has not been entered.
    """
    share = services.share_of_token(token, now=timezone.now())
    visitor = _visitor(request, share)
    if share.password and not (visitor and visitor.is_unlocked):
        raise errors.SharePasswordRefused
    return share, visitor


@open_to_everyone
@_link_page
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
@limits_address("share-page")
def link(request: HttpRequest, token: str) -> HttpResponse:
    """The shared file, the contents of the shared folder (``?folder=``: of one within it), or the password's form."""
    try:
        share, _ = _opened(request, token)
    except errors.SharePasswordRefused:
        return _ask_password(request, token)
    if request.method == "POST":  # the password was entered before
        return redirect("files:link", token)
    if share.is_used_up:
        raise errors.ShareUsedUp
    if share.file is not None:
        return _page(request, share, file_context(share, share.file.uid, Addresses("link", token)))
    within = request.GET.get("folder", "")
    context = folder_context(request, share, uid_of(within) if within else None, Addresses("link", token))
    return _page(request, share, context)


def _ask_password(request: HttpRequest, token: str) -> HttpResponse:
    share = services.share_of_token(token, now=timezone.now())
    form = SharePasswordForm(request.POST if request.method == "POST" else None)
    status = 200
    if form.is_valid():
        client = neighborhood(client_address(request))
        try:
            services.check_share_password(
                share=share, password=form.cleaned_data["password"], client=client, now=timezone.now()
            )
        except (errors.SharePasswordRefused, RateLimitExceeded) as refusal:
            form.add_error("password", refusal.detail)
            status = refusal.status
        else:
            answer = redirect("files:link", token)
            _remember(answer, share, Visitor(secrets.token_urlsafe(16), is_unlocked=True))
            return answer
    elif form.is_bound:
        status = 422
    return render(request, "files/link_password.html", {"form": form}, status=status)


@open_to_everyone
@_link_page
@require_safe
@limits_address("share-page")
def link_file(request: HttpRequest, token: str, uid: UUID) -> HttpResponse:
    """A file of the shared folder."""
    share, _ = _opened(request, token)
    if share.is_used_up:
        raise errors.ShareUsedUp
    return _page(request, share, file_context(share, uid, Addresses("link", token)))


@open_to_everyone
@_link_page
@require_safe
def link_view(request: HttpRequest, token: str, uid: UUID) -> HttpResponseBase:
    """A file for a preview within a page."""
    return send_view(request, _opened(request, token)[0], uid)


@open_to_everyone
@_link_page
@require_safe
def link_thumbnail(request: HttpRequest, token: str, uid: UUID) -> HttpResponseBase:
    """The thumbnail of an image."""
    return send_thumbnail(request, _opened(request, token)[0], uid)


@open_to_everyone
@_link_page
@require_POST
@limits_address("share-page")
def link_download(request: HttpRequest, token: str, uid: UUID) -> HttpResponse:
    """Count a download, and lead to an address at which this browser can fetch the file for a while."""
    now = timezone.now()
    share, visitor = _opened(request, token)
    file = queries.file_within(share, uid)
    enforce(policies.hand_out(file.current))  # before it is counted
    services.count_download(share=share, now=now)
    services.record_opening(share=share, user=_user(request), what=ShareOpening.What.DOWNLOAD, now=now)
    visitor = visitor or Visitor(secrets.token_urlsafe(16), is_unlocked=False)
    grant = services.grant_download(share=share, file=file, browser=visitor.secret)
    answer = redirect("files:link-send", token, grant)
    answer.status_code = 303
    _remember(answer, share, visitor)
    return answer


@open_to_everyone
@_link_page
@require_POST
@limits_address("share-page")
def link_zip(request: HttpRequest, token: str) -> HttpResponseBase:
    """The shared folder as a zip (``folder``: one within it). It counts as one download."""
    now = timezone.now()
    share, _ = _opened(request, token)
    who = f"{share.pk} {neighborhood(client_address(request))}"
    with transaction.atomic():  # a refused zip is not counted
        services.count_download(share=share, now=now)
        answer = zip_of(request, share, request.POST.get("folder", ""), who=who)
    services.record_opening(share=share, user=_user(request), what=ShareOpening.What.DOWNLOAD, now=now)
    return answer


@open_to_everyone
@_link_page
@require_safe
def link_send(request: HttpRequest, token: str, grant: str) -> HttpResponseBase:
    """A file whose download was counted, as an attachment; parts of it by ``Range``. The share must still be live."""
    share, visitor = _opened(request, token)
    uid = services.read_grant(grant, share=share, browser=visitor.secret if visitor else "")
    return send_shared(request, share, queries.file_within(share, uid))


def _user(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None


def _page(request: HttpRequest, share: Share, context: dict[str, Any]) -> HttpResponse:
    if is_opened_by_a_person(request):
        services.record_opening(share=share, user=_user(request), what=ShareOpening.What.VIEW, now=timezone.now())
    return render(request, "files/opened.html", context | {"is_link": True})
