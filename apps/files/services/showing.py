"""Send a content that an app has attached to what it shows, such as a post."""

from django.http import HttpRequest, HttpResponseBase

from apps.files.file_types import library_media_type
from apps.files.models import Upload
from apps.files.services.stored_files import first_bytes
from apps.files.streaming import send_content
from studyplatform.kit.errors import NotFound

PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


def send_attached(request: HttpRequest, *, upload: Upload, name: str, to_owner: bool) -> HttpResponseBase:
    """Send a complete file: a picture to be shown within a page, anything else as an attachment.

    The caller has checked the permission. The browser keeps it, but asks each time whether it may still show it.

    :raises NotFound: it is not complete, or its bytes are missing.
    :raises ScanPending, FileInfected, ScanImpossible: the virus scan does not allow it.
    """
    if upload.completed_at is None or upload.purpose != Upload.Purpose.FILE:
        raise NotFound
    kind = upload.media_type or library_media_type(first_bytes(upload))
    is_picture = kind in PICTURES
    try:
        response = send_content(request, upload, name=name, kind=kind, as_attachment=not is_picture, to_owner=to_owner)
    except FileNotFoundError:
        raise NotFound from None
    if is_picture and response.status_code in {200, 304}:
        response["Cache-Control"] = "private, no-cache"
    return response
