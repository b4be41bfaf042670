"""HTTP responses with a file or a part of it: ranges, conditional requests, constant memory.

Large files in a bucket are not sent through this server: the browser is redirected to a presigned URL that is valid for
a few minutes (docs/adr/0011).
"""

import os
from collections.abc import Callable
from datetime import datetime
from typing import IO, cast
from urllib.parse import quote

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils import timezone
from django.utils.http import content_disposition_header, http_date

from apps.files import policies
from apps.files.bucket import FileInfo
from apps.files.content_links import NO_OFFER, ContentGrant, Shared, is_content_host, sign_content
from apps.files.file_readers import AsyncRangeIterator, ConcatenatedReader, RangeIterator
from apps.files.http_ranges import ByteRange, is_not_modified, may_resume, parse_range
from apps.files.models import Upload
from apps.files.storage import (
    OCTET_STREAM,
    bucket,
    file_info,
    files_under,
    local_path,
    media_type_of,
    open_stored,
    upload_path,
)
from studyplatform.kit.policies import enforce

NO_STORE = "private, no-store"
SANDBOX = "sandbox; default-src 'none'"
PDF_POLICY = "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'self'"


def send_upload(
    request: HttpRequest,
    upload: Upload,
    *,
    name: str = "",
    until: datetime | None = None,
    to_owner: bool = False,
    reader: int = NO_OFFER,
) -> HttpResponseBase:
    """Send a complete upload as an attachment, so that no browser shows it as a page of this site or of the bucket.

    ``name``: if not that of the upload. ``until``: when the permission to download it expires. ``to_owner``: to the
    user who uploaded it. ``reader``: to whom a row of some app offers it (`offers.register_offer`).

    :raises FileNotFoundError: its bytes are missing.
    :raises ScanPending, FileInfected, ScanImpossible: the virus scan does not allow it.
    """
    return send_content(
        request,
        upload,
        name=name or upload.filename,
        kind=upload.media_type,
        until=until,
        to_owner=to_owner,
        reader=reader,
    )


def send_content(
    request: HttpRequest,
    upload: Upload,
    *,
    name: str,
    kind: str,
    as_attachment: bool = True,
    until: datetime | None = None,
    to_owner: bool = False,
    shared: Shared | None = None,
    reader: int = NO_OFFER,
) -> HttpResponseBase:
    """Send the bytes of a complete upload under a name and a media type; with a content host, redirect there.

    A script of this site that reads the bytes, to store them in the browser, gets them here: it could not read them
    there, and what it reads is never shown as a page.

    ``to_owner``: to the user who uploaded it. ``shared``: by which share somebody else gets it. ``reader``: as in
    `send_upload`; the content host checks both again.

    The response may never run anything as a page of this site: its policy allows nothing. Only a PDF is not in a
    sandbox, because browsers show none there.

    :raises FileNotFoundError: its bytes are missing.
    :raises ScanPending, FileInfected, ScanImpossible: the virus scan does not allow it.
    """
    enforce(policies.hand_out(upload, to_owner=to_owner))
    kind = kind or OCTET_STREAM
    if settings.CONTENT_HOST and not is_content_host(request) and not _is_read_by_script(request):
        grant = ContentGrant(upload.uid.hex, name, kind, as_attachment, to_owner, shared or Shared(), reader)
        return HttpResponse(
            status=302,
            headers={"Location": sign_content(grant), "Cache-Control": NO_STORE, "Referrer-Policy": "no-referrer"},
        )
    disposition = content_disposition_header(as_attachment=as_attachment, filename=name) or "attachment"
    if not as_attachment and not disposition.startswith("inline"):
        disposition = f"inline; {disposition}" if disposition != "attachment" else "inline"
    if not upload.stored_as and not upload_path(upload.uid).exists():
        upload.refresh_from_db()  # it was moved into storage since the row was read
    if upload.stored_as:
        response = send_stored(
            request,
            upload.stored_as,
            cache=NO_STORE,
            kind=kind,
            disposition=disposition,
            # The policy of pages lets them show only audio and video from the bucket.
            is_large=as_attachment or kind.startswith(("audio/", "video/")),
            until=until,
        )
    else:  # not in storage yet
        file = upload_path(upload.uid).open("rb")  # now: it may be moved into storage before the first byte is sent
        stat = os.fstat(file.fileno())
        response = send_file(request, lambda: file, size=stat.st_size, changed=stat.st_mtime, kind=kind, cache=NO_STORE)
        if not response.streaming:
            file.close()
    response["Content-Disposition"] = disposition
    response["Content-Security-Policy"] = SANDBOX if as_attachment or kind != "application/pdf" else PDF_POLICY
    if not as_attachment:
        response["X-Frame-Options"] = "SAMEORIGIN"
    return response


def _is_read_by_script(request: HttpRequest) -> bool:
    """Whether the browser says that a script of this site asked (Fetch Metadata): no page, frame or picture did."""
    headers = request.headers
    return headers.get("Sec-Fetch-Dest") == "empty" and headers.get("Sec-Fetch-Site") == "same-origin"


def send_stored(
    request: HttpRequest,
    name: str,
    *,
    cache: str,
    kind: str = "",
    disposition: str = "inline",
    is_large: bool = False,
    until: datetime | None = None,
) -> HttpResponseBase:
    """Send a stored file. ``cache``: the value of Cache-Control; ``kind``: its media type, by default from its name.

    Behind nginx (``MEDIA_ACCEL_PREFIX``) the response contains only the name, and nginx sends the bytes. To a file in a
    bucket that ``is_large`` the browser is redirected. That URL expires ``until`` the permission does, and after
    ``S3_LINK_SECONDS`` at the latest.

    :raises FileNotFoundError: there is no such file.
    """
    kind = kind or media_type_of(name)
    is_local = local_path(name) is not None
    if settings.MEDIA_ACCEL_PREFIX and is_local:
        accelerated = HttpResponse(content_type=kind)
        accelerated["X-Accel-Redirect"] = f"{settings.MEDIA_ACCEL_PREFIX.rstrip('/')}/{quote(name)}"
        accelerated["Cache-Control"] = cache
        return accelerated
    if is_large and not is_local and request.method == "GET":
        return _redirect_to_bucket(name, kind=kind, disposition=disposition, cache=cache, until=until)
    if is_local or request.method == "HEAD":
        info, file = file_info(name), None
    else:
        info, file = bucket().open_with_info(name)
    response = send_file(
        request,
        lambda: open_stored(name) if file is None else cast(IO[bytes], file),
        size=info.size,
        changed=info.changed.timestamp(),
        kind=kind,
        cache=cache,
    )
    if file is not None and not response.streaming:  # 304 or 416: nothing is read from it
        file.close()
    return response


def _redirect_to_bucket(name: str, *, kind: str, disposition: str, cache: str, until: datetime | None) -> HttpResponse:
    """Redirect the browser to a presigned URL of the bucket, which answers 404 if there is no such file.

    The browser may reuse the redirect for half of the URL's lifetime, so that its cache holds the file under one URL.
    The bucket does not learn from which page the request comes.
    """
    left = int((until - timezone.now()).total_seconds()) if until is not None else settings.S3_LINK_SECONDS
    seconds = max(1, min(settings.S3_LINK_SECONDS, left))
    reuse = NO_STORE if cache == NO_STORE else f"private, max-age={seconds // 2}"
    url = bucket().presigned_url(name, seconds=seconds, kind=kind, disposition=disposition, cache=cache)
    return HttpResponse(status=302, headers={"Location": url, "Cache-Control": reuse, "Referrer-Policy": "no-referrer"})


def send_concatenated(request: HttpRequest, names: list[str], *, kind: str, cache: str) -> HttpResponseBase:
    """Send several stored files of one directory as one file, e.g. the segments of a stream.

    :raises FileNotFoundError: one of them is missing.
    """
    infos_by_name = files_under(names[0].rsplit("/", 1)[0])
    try:
        infos: list[FileInfo] = [infos_by_name[name] for name in names]
    except KeyError as missing:
        raise FileNotFoundError(*missing.args) from None
    parts = [(name, each.size) for name, each in zip(names, infos, strict=True)]
    open_part = open_stored if local_path(names[0]) is not None else cast(Callable[[str], IO[bytes]], bucket().open)
    return send_file(
        request,
        lambda: cast(IO[bytes], ConcatenatedReader(parts, open_part)),
        size=sum(each.size for each in infos),
        changed=infos[-1].changed.timestamp(),
        kind=kind,
        cache=cache,
    )


def send_file(
    request: HttpRequest, open_file: Callable[[], IO[bytes]], *, size: int, changed: float, kind: str, cache: str
) -> HttpResponseBase:
    """Send a file of known size (bytes) and modification time (Unix time), or the requested range of it."""
    etag = f'"{size:x}-{int(changed * 1000):x}"'
    headers = {
        "Accept-Ranges": "bytes",
        "Cache-Control": cache,
        "ETag": etag,
        "Last-Modified": http_date(int(changed)),
    }
    if is_not_modified(request, etag, changed):
        return HttpResponse(status=304, headers=headers)
    selected, status = ByteRange(0, size), 200
    header = request.headers.get("Range")
    if header and may_resume(request, etag, changed):
        found = parse_range(header, size)
        if found is not None:
            if found.length <= 0:
                return HttpResponse(status=416, headers={**headers, "Content-Range": f"bytes */{size}"})
            selected, status = found, 206
            headers["Content-Range"] = f"bytes {selected.begin}-{selected.end - 1}/{size}"
    headers["Content-Length"] = str(selected.length)
    headers["Content-Type"] = kind
    if request.method == "HEAD":
        return HttpResponse(status=status, headers=headers)
    # Under ASGI, Django would read a synchronous iterator into memory.
    chunks = (
        AsyncRangeIterator(open_file, selected)
        if isinstance(request, ASGIRequest)
        else RangeIterator(open_file, selected)
    )
    return StreamingHttpResponse(chunks, status=status, headers=headers)  # which closes it when the request ends
