"""What others share with a user's courses: the list, a shared file, a shared folder. Each request checks the share."""

from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.guards import signed_in, signed_in_user
from apps.files import policies, services
from apps.files import sharing_queries as queries
from apps.files.models import Share, ShareOpening
from apps.files.pages.library import PAGE, shared_context, uid_of
from apps.files.pages.shared_entries import (
    Addresses,
    file_context,
    folder_context,
    send_shared,
    send_thumbnail,
    send_view,
    zip_of,
)


@signed_in
@require_safe
@never_cache
def shared_with_me(request: HttpRequest) -> HttpResponse:
    """Files and folders that others share with the user's courses."""
    user = signed_in_user(request)
    courses = policies.course_members().courses_of(user)
    page = Paginator(queries.shared_with(user, courses), PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "titles": courses, **shared_context(request)}
    return render(request, "files/shared.html", context)


@signed_in
@require_safe
@never_cache
def shared(request: HttpRequest, uid: UUID) -> HttpResponse:
    """A shared file, or the contents of a shared folder (``?folder=``: of one within it)."""
    share, course = queries.course_share_for(signed_in_user(request), uid)
    if share.file is not None:
        return _page(request, share, course, file_context(share, share.file.uid, _addresses(share)))
    within = request.GET.get("folder", "")
    context = folder_context(request, share, uid_of(within) if within else None, _addresses(share))
    return _page(request, share, course, context)


@signed_in
@require_safe
@never_cache
def shared_file(request: HttpRequest, uid: UUID, file: UUID) -> HttpResponse:
    """A file of a shared folder."""
    share, course = queries.course_share_for(signed_in_user(request), uid)
    return _page(request, share, course, file_context(share, file, _addresses(share)))


@signed_in
@require_safe
def shared_view(request: HttpRequest, uid: UUID, file: UUID) -> HttpResponseBase:
    """A shared file for a preview within a page."""
    return send_view(request, queries.course_share_for(signed_in_user(request), uid)[0], file)


@signed_in
@require_safe
def shared_thumbnail(request: HttpRequest, uid: UUID, file: UUID) -> HttpResponseBase:
    """The thumbnail of a shared image."""
    return send_thumbnail(request, queries.course_share_for(signed_in_user(request), uid)[0], file)


@signed_in
@require_safe
def shared_download(request: HttpRequest, uid: UUID, file: UUID) -> HttpResponseBase:
    """A shared file as an attachment; parts of it by ``Range``."""
    share, _ = queries.course_share_for(signed_in_user(request), uid)
    answer = send_shared(request, share, queries.file_within(share, file))
    _record(request, share, ShareOpening.What.DOWNLOAD)
    return answer


@signed_in
@require_safe
def shared_zip(request: HttpRequest, uid: UUID) -> HttpResponseBase:
    """A shared folder as a zip (``?folder=``: one within it)."""
    user = signed_in_user(request)
    share, _ = queries.course_share_for(user, uid)
    answer = zip_of(request, share, request.GET.get("folder", ""), who=user.pk)
    _record(request, share, ShareOpening.What.DOWNLOAD)
    return answer


def _addresses(share: Share) -> Addresses:
    return Addresses("shared-entry", share.uid)


def _page(request: HttpRequest, share: Share, course: str, context: dict[str, Any]) -> HttpResponse:
    _record(request, share, ShareOpening.What.VIEW)
    return render(request, "files/opened.html", context | {"is_link": False, "course": course})


def _record(request: HttpRequest, share: Share, what: ShareOpening.What) -> None:
    if is_opened_by_a_person(request):
        services.record_opening(share=share, user=signed_in_user(request), what=what, now=timezone.now())


def is_opened_by_a_person(request: HttpRequest) -> bool:
    """Whether a person opened the page: browsers fetch pages ahead, and say so."""
    return request.method == "GET" and "prefetch" not in request.headers.get("Sec-Purpose", "")
