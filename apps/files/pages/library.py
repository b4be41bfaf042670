"""The library's pages: a folder, a file, the bin. They work without scripts."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.guards import signed_in, signed_in_user
from apps.accounts.models import User
from apps.files import library_queries as queries
from apps.files import policies, scanner
from apps.files.errors import VersionNotFound
from apps.files.file_types import OCTET_STREAM, SHOWN_INLINE
from apps.files.listing import COUNT_LIMIT, numbered_page, page_of_bin, page_of_folders
from apps.files.models import BinnedOriginal, File, FileKind, Folder, Upload
from apps.files.pages.first_answer import first_answer
from apps.files.pages.sharing_section import sharing_context
from apps.files.previews import preview_of
from apps.files.services import Selection, Use, stream_zip, uses_of
from apps.files.sharing_queries import sharing_of
from apps.files.streaming import send_content, send_stored
from studyplatform.kit.errors import NotFound

PAGE = 50
ORDER_NAMES = {
    "modified": gettext_lazy("Last modified"),
    "name": gettext_lazy("Name"),
    "size": gettext_lazy("Size"),
    "type": gettext_lazy("Type"),
}
ICONS = {
    FileKind.IMAGE: "image",
    FileKind.PDF: "file-text",
    FileKind.AUDIO: "file-headphone",
    FileKind.VIDEO: "film",
    FileKind.TEXT: "file-code",
    FileKind.DOCUMENT: "file-text",
    FileKind.SHEET: "file-spreadsheet",
    FileKind.SLIDES: "presentation",
    FileKind.ARCHIVE: "file-archive",
    FileKind.OTHER: "file",
}


def uid_of(text: str) -> UUID:
    """
    :raises NotFound: the text is no uid.
    """
    try:
        return UUID(text)
    except ValueError:
        raise NotFound from None


def folder_of(request: HttpRequest, text: str) -> Folder | None:
    """The user's folder with this uid; None for the top (an empty text).

    :raises NotFound: there is no such folder, or it belongs to another user.
    """
    return queries.folder_for(signed_in_user(request), uid_of(text)) if text else None


@signed_in
@require_safe
@never_cache
def library(request: HttpRequest) -> HttpResponse:
    """A folder of the library: its folders and files, or what a search within it finds."""
    user = signed_in_user(request)
    line = queries.line_for(user, uid_of(asked)) if (asked := request.GET.get("folder", "")) else []
    folder, above = (line[-1], line[:-1]) if line else (None, [])
    order = request.GET.get("sort", "")
    order = order if order in queries.ORDERS else "modified"
    text = request.GET.get("q", "").strip()[:100]
    found = queries.search_files(user, folder, text, order) if text else queries.files_in(user, folder, order)
    cursor = request.GET.get("after", "")
    page, count, more = numbered_page(found, order, number=request.GET.get("page"), size=PAGE, cursor=cursor)
    is_first = page.number == 1 and not cursor
    place = request.GET.get("folders", "")
    folder_page = page_of_folders(user, folder, size=PAGE, cursor=place) if is_first and not text else None
    folders = folder_page.rows if folder_page is not None else []
    use, total = queries.use_and_counts(user, folder, folders)
    within = None if text else line
    context: dict[str, Any] = {
        "here": folder,
        "above": above,
        "trail": trail_of(above) if folder is not None else [],
        "folders": folders,
        "folder_page": folder_page,
        "sharing": sharing_of(user.pk, files=list(page), folders=folders, within=within, now=timezone.now()),
        "page": page,
        "total": count if text else total,
        "most": COUNT_LIMIT,
        "more": more,
        "q": text,
        "sort": order,
        "orders": ORDER_NAMES,
        "view": "grid" if request.GET.get("view") == "grid" else "list",
        "targets": queries.targets_for(user, folder, above),
        **shared_context(request, use),
    }
    context["props"] = {
        "first": first_answer(context) if is_first and not place else None,
        "endpoint": "/api/v1/uploads/",
        "limit": settings.UPLOAD_LIMITS["file"],
    }
    return render(request, "files/library.html", context)


@signed_in
@require_safe
@never_cache
def bin_page(request: HttpRequest) -> HttpResponse:
    """What the user moved to the bin."""
    user = signed_in_user(request)
    page = page_of_bin(user, size=PAGE, cursor=request.GET.get("from", ""))
    files = [row for row in page.rows if isinstance(row, File)]
    context = {
        "page": page,
        "folders": [row for row in page.rows if isinstance(row, Folder)],
        "originals": [row for row in page.rows if isinstance(row, BinnedOriginal)],
        "files": files,
        "uses": _uses(files, user),
        "bin_days": settings.BIN_DAYS,
        **shared_context(request),
    }
    return render(request, "files/bin.html", context)


@signed_in
@require_safe
@never_cache
def file_page(request: HttpRequest, uid: UUID) -> HttpResponse:
    """A file: its preview, its versions, and what can be done with it."""
    user = signed_in_user(request)
    file = queries.file_for(user, uid)
    refusal = policies.hand_out(file.current, to_owner=True)
    versions = list(queries.versions_of(file)[: PAGE + 1])
    contents = {version.upload_id for version in versions}
    if len(versions) > PAGE:
        contents = queries.contents_of([file])[file.pk]
    context = {
        "file": file,
        "trail": trail_to(file.folder),
        "versions": versions[:PAGE],
        "refusal": refusal,
        "preview": preview_of(file, to_owner=True),
        "uses": [use for uses in uses_of(contents, user).values() for use in uses],
        **sharing_context(user, file),
        **shared_context(request),
    }
    return render(request, "files/file.html", context)


@signed_in
@require_safe
def download(request: HttpRequest, uid: UUID) -> HttpResponseBase:
    """The current version as an attachment; parts of it by ``Range``."""
    file = queries.file_to_send(signed_in_user(request), uid)
    return _send(request, file, file.current, kind=file.media_type)


@signed_in
@require_safe
def download_version(request: HttpRequest, uid: UUID, number: int) -> HttpResponseBase:
    """An older version as an attachment; parts of it by ``Range``."""
    file = queries.file_for(signed_in_user(request), uid)
    version = queries.versions_of(file).filter(number=number).first()
    if version is None:
        raise VersionNotFound
    # Its type may differ from that of the current version, and nothing asks: it is only saved.
    return _send(request, file, version.upload, kind=OCTET_STREAM)


@signed_in
@require_safe
def folder_zip(request: HttpRequest, uid: UUID) -> HttpResponseBase:
    """A folder with all it contains, as a zip."""
    user = signed_in_user(request)
    folder = queries.folder_for(user, uid)
    selection = Selection(folders=[folder])
    return stream_zip(request, selection=selection, name=folder.name, who=user.pk, now=timezone.now(), to_owner=True)


@signed_in
@require_safe
def view(request: HttpRequest, uid: UUID) -> HttpResponseBase:
    """The current version for a preview within a page. Types that could run something are sent as attachments."""
    file = queries.file_to_send(signed_in_user(request), uid)
    is_shown = file.media_type in SHOWN_INLINE
    return _send(request, file, file.current, kind=file.media_type, as_attachment=not is_shown)


@signed_in
@require_safe
def thumbnail(request: HttpRequest, uid: UUID) -> HttpResponseBase:
    """The thumbnail of an image."""
    file = queries.file_for(signed_in_user(request), uid)
    if not file.thumbnail:
        raise NotFound
    try:
        return send_stored(request, file.thumbnail, cache="private, max-age=86400", kind="image/webp")
    except FileNotFoundError:
        raise NotFound from None


def _send(
    request: HttpRequest, file: File, upload: Upload, *, kind: str, as_attachment: bool = True
) -> HttpResponseBase:
    try:
        return send_content(request, upload, name=file.name, kind=kind, as_attachment=as_attachment, to_owner=True)
    except FileNotFoundError:
        raise NotFound from None


def _uses(files: list[File], user: User) -> dict[int, list[Use]]:
    """Where other pages use a version of these files, by the file's id."""
    versions = queries.contents_of(files)
    uses = uses_of({upload for uploads in versions.values() for upload in uploads}, user)
    return {file: [use for upload in uploads for use in uses.get(upload, [])] for file, uploads in versions.items()}


def trail_to(folder: Folder | None) -> list[tuple[str, str]]:
    """The addresses and names of the folders down to this one, for breadcrumbs."""
    return trail_of([*queries.above(folder), folder] if folder is not None else [])


def trail_of(folders: list[Folder]) -> list[tuple[str, str]]:
    """The addresses and names of these folders, for breadcrumbs."""
    top = reverse("files:library")
    return [(top, _("My files")), *((f"{top}?folder={each.uid}", each.name) for each in folders)]


def shared_context(request: HttpRequest, use: queries.LibraryUse | None = None) -> dict[str, Any]:
    """What the side of all pages of the library shows. ``use``: what the page has read already."""
    return {
        "is_scanning": scanner.is_enabled(),
        "use": use or queries.library_use(signed_in_user(request)),
        "file_icons": ICONS,
    }
