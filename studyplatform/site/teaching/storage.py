"""The storage page: how much a user has used, by which files, and how to delete them."""

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.accounts.guards import signed_in, signed_in_user
from apps.courses import services as courses
from apps.courses.queries.storage_used import largest_first, stored_items
from apps.files import library_queries, queries
from apps.files import services as files
from apps.files.models import FileKind, Upload, VideoAsset
from studyplatform.kit.errors import NotFound

PAGE = 20
KIND_NAMES = {
    FileKind.IMAGE: gettext_lazy("Images in your files"),
    FileKind.PDF: gettext_lazy("PDFs in your files"),
    FileKind.AUDIO: gettext_lazy("Audio in your files"),
    FileKind.VIDEO: gettext_lazy("Videos in your files"),
    FileKind.TEXT: gettext_lazy("Texts in your files"),
    FileKind.DOCUMENT: gettext_lazy("Documents in your files"),
    FileKind.SHEET: gettext_lazy("Spreadsheets in your files"),
    FileKind.SLIDES: gettext_lazy("Slides in your files"),
    FileKind.ARCHIVE: gettext_lazy("Archives in your files"),
    FileKind.OTHER: gettext_lazy("Other files in your files"),
}


@signed_in
@require_safe
@never_cache
def storage(request: HttpRequest) -> HttpResponse:
    """The quota and the user's videos and files, largest first."""
    user = signed_in_user(request)
    use = library_queries.library_use(user)
    page = Paginator(largest_first(user.pk), PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "site/storage.html",
        {
            "storage": use.storage,
            "use": use,
            "page": page,
            "rows": stored_items(list(page), user),
            "bin_days": settings.BIN_DAYS,
            "parts": _parts(use.storage),
        },
    )


def _parts(storage: queries.Storage) -> list[tuple[str, int]]:
    """What the storage is used for outside the bin, with the bytes of each part."""
    return [
        (_("Originals of videos"), storage.originals),
        *((str(KIND_NAMES[kind]), size) for kind, size in storage.kinds.items()),
        (_("Lesson files and other uploads"), storage.loose),
        (_("Reserved for uploads"), storage.held),
    ]


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
