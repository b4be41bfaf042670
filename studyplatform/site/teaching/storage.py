"""The storage page: how much a user has used, by which files, and how to delete them."""

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.accounts.guards import signed_in, signed_in_user
from apps.courses import services as courses
from apps.courses.queries.storage_used import largest_first, stored_items
from apps.files import queries
from apps.files import services as files
from apps.files.models import Upload, VideoAsset
from studyplatform.kit.errors import NotFound

PAGE = 20
WARNING_SHARE = 0.9  # of the quota


@signed_in
@require_safe
@never_cache
def storage(request: HttpRequest) -> HttpResponse:
    """The quota and the user's videos and files, largest first."""
    user = signed_in_user(request)
    storage = queries.storage_of(user)
    page = Paginator(largest_first(user.pk), PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "site/storage.html",
        {
            "storage": storage,
            "page": page,
            "rows": stored_items(list(page)),
            "bin_days": settings.BIN_DAYS,
            "is_tight": storage.used >= WARNING_SHARE * storage.allowance,
        },
    )


@signed_in
@require_POST
def delete_video(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Delete one of the user's videos that no lesson shows."""
    user = signed_in_user(request)
    video = VideoAsset.objects.of(user.pk).filter(uid=uid).first()
    if video is None:
        raise NotFound
    courses.delete_unused_video(video=video, by=user)
    messages.success(request, _("“%s” was deleted.") % video.filename)
    return redirect("site:storage")


@signed_in
@require_POST
def delete_file(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Delete one of the user's files that no lesson offers, or cancel an unfinished upload."""
    user = signed_in_user(request)
    upload = queries.upload_for(user, uid)
    if upload.purpose != Upload.Purpose.FILE and upload.completed_at is not None:
        raise NotFound  # it is a video now, which `delete_video` deletes
    files.cancel_upload(upload=upload, by=user)
    messages.success(request, _("“%s” was deleted.") % upload.filename)
    return redirect("site:storage")
