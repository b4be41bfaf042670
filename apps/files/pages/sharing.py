"""The owner's pages of sharing: share a file or a folder, see who opened it, end it, and a list of all of it."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts.guards import signed_in, signed_in_user
from apps.accounts.models import User
from apps.files import library_queries, policies, services
from apps.files import sharing_queries as queries
from apps.files.errors import EntryInBin
from apps.files.forms import ShareForm
from apps.files.models import File, Folder, Share
from apps.files.pages.library import PAGE, shared_context, trail_of, trail_to
from apps.files.pages.sharing_section import address_of, address_of_entry, link_of, sharing_context
from studyplatform.kit.errors import AppError
from studyplatform.kit.web.requests import safe_next


@signed_in
@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def share_file(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Share a file."""
    return _share(request, library_queries.file_for(signed_in_user(request), uid))


@signed_in
@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def share_folder(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Share a folder with all it contains."""
    return _share(request, library_queries.folder_for(signed_in_user(request), uid))


def _share(request: HttpRequest, entry: File | Folder) -> HttpResponse:
    if entry.deleted_at is not None:
        raise EntryInBin
    user, now = signed_in_user(request), timezone.now()
    courses = policies.course_members().courses_of(user)
    form = ShareForm(request.POST if request.method == "POST" else None, courses=courses, now=now)
    if form.is_valid():
        try:
            _create(form.cleaned_data, entry, user)
        except AppError as refusal:
            form.add_error(None, refusal.detail)
        else:
            return redirect(f"{address_of(entry)}#shares")
    trail = trail_of(library_queries.above(entry)) if isinstance(entry, Folder) else trail_to(entry.folder)
    context = {
        "entry": entry,
        "is_folder": isinstance(entry, Folder),
        "trail": trail,
        "here": address_of_entry(entry),
        **sharing_context(user, entry, courses=courses, form=form),
        **shared_context(request),
    }
    return render(request, "files/share.html", context, status=422 if form.errors else 200)


def _create(given: dict[str, Any], entry: File | Folder, user: User) -> Share:
    now = timezone.now()
    if given["kind"] == Share.Kind.COURSE:
        return services.share_with_course(entry=entry, course=UUID(given["course"]), by=user, now=now)
    return services.create_share_link(
        entry=entry,
        by=user,
        expires_at=given["expires_at"],
        password=given["password"],
        max_downloads=given["max_downloads"],
        now=now,
    )


@signed_in
@require_POST
def revoke(request: HttpRequest, uid: UUID) -> HttpResponse:
    """End a share at once."""
    user = signed_in_user(request)
    share = queries.share_for(user, uid)
    services.revoke_share(share=share, by=user, now=timezone.now())
    messages.success(request, _("“%s” is no longer shared this way.") % share.entry.name)
    return redirect(safe_next(request, request.POST.get("next"), reverse("files:links")))


@signed_in
@require_safe
@never_cache
def openings(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Who opened a share."""
    user = signed_in_user(request)
    share = queries.share_for(user, uid)
    [state] = _states([share], user)
    page = Paginator(queries.openings_of(share), PAGE).get_page(request.GET.get("page"))
    context = {
        "state": state,
        "page": page,
        "link": link_of(share),
        "here": address_of_entry(share.entry),
        **shared_context(request),
    }
    return render(request, "files/openings.html", context)


@signed_in
@require_safe
@never_cache
def links(request: HttpRequest) -> HttpResponse:
    """Everything that the user shares, in its state."""
    user = signed_in_user(request)
    page = Paginator(queries.shares_of(user), PAGE).get_page(request.GET.get("page"))
    rows = [(each, link_of(each.share), address_of(each.share.entry)) for each in _states(page.object_list, user)]
    return render(request, "files/links.html", {"page": page, "rows": rows, **shared_context(request)})


def _states(shares: Iterable[Share], user: User) -> list[queries.ShareState]:
    return queries.states_of(shares, courses=policies.course_members().courses_of(user), now=timezone.now())
