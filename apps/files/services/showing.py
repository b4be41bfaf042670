"""Send a content that an app has attached to what it shows, such as a post."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.http import content_disposition_header

from apps.files.file_types import library_media_type
from apps.files.http_ranges import is_not_modified
from apps.files.models import Upload
from apps.files.services.stored_files import first_bytes
from apps.files.storage import open_content
from apps.files.streaming import SANDBOX, send_content, send_stored
from studyplatform.kit.errors import NotFound
from studyplatform.kit.picture_metadata import without_metadata

MAX_CLEANED_BYTES = 64 * 2**20  # a picture is held in memory meanwhile; photos of phones have some twelve MB
PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


def send_attached(request: HttpRequest, *, upload: Upload, name: str, to_owner: bool) -> HttpResponseBase:
    """Send a complete file: a picture to be shown within a page, anything else as an attachment.

    Other people than its owner get a picture without its metadata: photos tell where they were taken.

    The caller has checked the permission. The browser keeps it, but asks each time whether it may still show it.

    :raises NotFound: it is not complete, or its bytes are missing.
    :raises ScanPending, FileInfected, ScanImpossible: the virus scan does not allow it.
    """
    if upload.completed_at is None or upload.purpose != Upload.Purpose.FILE:
        raise NotFound
    kind = upload.media_type or library_media_type(first_bytes(upload))
    is_picture = kind in PICTURES
    try:
        if is_picture and not to_owner and upload.length <= MAX_CLEANED_BYTES:
            return _send_cleaned(request, upload, name=name, kind=kind)
        response = send_content(request, upload, name=name, kind=kind, as_attachment=not is_picture, to_owner=to_owner)
    except FileNotFoundError:
        raise NotFound from None
    if is_picture and response.status_code in {200, 304}:
        response["Cache-Control"] = "private, no-cache"
    return response


def send_rendition(request: HttpRequest, *, name: str, kind: str, cache: str) -> HttpResponseBase:
    """Send a file that an app has made of a picture and stored. ``cache``: the value of Cache-Control.

    :raises NotFound: there is no such file.
    """
    try:
        response = send_stored(request, name, cache=cache, kind=kind)
    except FileNotFoundError:
        raise NotFound from None
    response["Content-Security-Policy"] = SANDBOX
    return response


def _send_cleaned(request: HttpRequest, upload: Upload, *, name: str, kind: str) -> HttpResponse:
    with open_content(upload) as content:
        etag = f'"{upload.uid.hex}-c"'  # the contents of an upload never change
        if is_not_modified(request, etag, upload.completed_at.timestamp() if upload.completed_at else 0):
            response = HttpResponse(status=304)
        else:
            response = HttpResponse(without_metadata(content.read()), content_type=kind)
    for header, value in {
        "ETag": etag,
        "Cache-Control": "private, no-cache",
        "Content-Disposition": content_disposition_header(as_attachment=False, filename=name) or "inline",
        "Content-Security-Policy": SANDBOX,
        "X-Frame-Options": "SAMEORIGIN",
    }.items():
        response[header] = value
    return response
