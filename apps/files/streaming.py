"""Answers with a file or a part of it: ranges, resumption, validators, constant memory."""

import asyncio
import io
import mimetypes
import re
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import IO, cast
from urllib.parse import quote

from django.conf import settings
from django.core.files.storage import default_storage
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header, http_date

from apps.files.models import Upload
from apps.files.storage import local_path, upload_path

PIECE = 1 << 18
RANGE = re.compile(r"^bytes=(\d{0,18})-(\d{0,18})$")
TYPES = {
    ".m3u8": "application/vnd.apple.mpegurl",
    ".m4s": "video/iso.segment",
    ".mp4": "video/mp4",
    ".vtt": "text/vtt; charset=utf-8",
    ".jpg": "image/jpeg",
}


@dataclass(frozen=True)
class Span:
    """The bytes that are asked for: from the first to before the last."""

    begin: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.begin


def send_upload(request: HttpRequest, upload: Upload) -> HttpResponseBase:
    """Answer with a file that has arrived whole, always as an attachment: no browser shows it as a page of ours.

    :raises FileNotFoundError: its bytes are not there.
    """
    kind, cache = upload.media_type or "application/octet-stream", "private, no-store"
    if not upload.stored_as and not upload_path(upload.uid).exists():
        upload.refresh_from_db()  # it moved since it was read
    if upload.stored_as:
        answer = send_kept(request, upload.stored_as, cache=cache, kind=kind)
    else:  # on its way into storage
        path = upload_path(upload.uid)
        facts = path.stat()
        answer = send_file(
            request, lambda: path.open("rb"), size=facts.st_size, changed=facts.st_mtime, kind=kind, cache=cache
        )
    answer["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=upload.filename) or ""
    answer["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return answer


def send_kept(request: HttpRequest, name: str, *, cache: str, kind: str = "") -> HttpResponseBase:
    """Answer with a kept file. ``cache``: the Cache-Control it carries; ``kind``: its type, else by its name.

    Behind nginx (``MEDIA_ACCEL_PREFIX``) only its name is sent, and nginx sends the bytes.

    :raises FileNotFoundError: there is no such file.
    """
    kind = kind or _type_of(name)
    if settings.MEDIA_ACCEL_PREFIX:
        response = HttpResponse(content_type=kind)
        response["X-Accel-Redirect"] = f"{settings.MEDIA_ACCEL_PREFIX.rstrip('/')}/{quote(name)}"
        response["Cache-Control"] = cache
        return response
    path = local_path(name)
    if path is not None:
        facts = path.stat()
        size, changed = facts.st_size, facts.st_mtime
    else:
        size, changed = default_storage.size(name), default_storage.get_modified_time(name).timestamp()

    def open_file() -> IO[bytes]:
        return path.open("rb") if path is not None else default_storage.open(name, "rb")

    return send_file(request, open_file, size=size, changed=changed, kind=kind, cache=cache)


def send_joined(request: HttpRequest, names: list[str], *, kind: str, cache: str) -> HttpResponseBase:
    """Answer with several kept files as if they were one: the parts of a stream make a file to play.

    :raises FileNotFoundError: one of them is missing.
    """
    sizes = [_size_of(name) for name in names]
    changed = default_storage.get_modified_time(names[-1]).timestamp()
    parts = list(zip(names, sizes, strict=True))
    return send_file(
        request,
        lambda: cast(IO[bytes], Joined(parts)),
        size=sum(sizes),
        changed=changed,
        kind=kind,
        cache=cache,
    )


def _size_of(name: str) -> int:
    path = local_path(name)
    return path.stat().st_size if path is not None else default_storage.size(name)


class Joined(io.RawIOBase):
    """Kept files read one after the other; at most one of them is open."""

    def __init__(self, parts: list[tuple[str, int]]) -> None:
        self._parts = parts
        self._index = 0
        self._offset = 0
        self._file: IO[bytes] | None = None

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a byte of the whole. Only from the start."""
        self._leave()
        self._index, left = 0, offset
        while self._index < len(self._parts) and left >= self._parts[self._index][1]:
            left -= self._parts[self._index][1]
            self._index += 1
        self._offset = left
        return offset

    def read(self, size: int = -1) -> bytes:
        """Up to so many bytes, as many as the present part still has."""
        while self._index < len(self._parts):
            if self._file is None:
                self._file = default_storage.open(self._parts[self._index][0], "rb")
                self._file.seek(self._offset)
            piece = self._file.read(size)
            if piece:
                return piece
            self._leave()
            self._index, self._offset = self._index + 1, 0
        return b""

    def close(self) -> None:
        self._leave()
        super().close()

    def _leave(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def send_file(
    request: HttpRequest, open_file: Callable[[], IO[bytes]], *, size: int, changed: float, kind: str, cache: str
) -> HttpResponseBase:
    """Answer with a file of known size and time of change, or with the part of it that is asked for."""
    etag = f'"{size:x}-{int(changed * 1000):x}"'
    headers = {
        "Accept-Ranges": "bytes",
        "Cache-Control": cache,
        "ETag": etag,
        "Last-Modified": http_date(int(changed)),
    }
    if _is_known(request, etag, changed):
        return HttpResponse(status=304, headers=headers)
    span, status = Span(0, size), 200
    asked = request.headers.get("Range")
    if asked and _may_be_partial(request, etag, changed):
        found = read_range(asked, size)
        if found is not None:
            if found.length <= 0:
                return HttpResponse(status=416, headers={**headers, "Content-Range": f"bytes */{size}"})
            span, status = found, 206
            headers["Content-Range"] = f"bytes {span.begin}-{span.end - 1}/{size}"
    headers["Content-Length"] = str(span.length)
    headers["Content-Type"] = kind
    if request.method == "HEAD":
        return HttpResponse(status=status, headers=headers)
    # A synchronous iterator under ASGI would be read into memory whole.
    pieces = _pieces_later(open_file, span) if isinstance(request, ASGIRequest) else _pieces(open_file, span)
    return StreamingHttpResponse(pieces, status=status, headers=headers)


def read_range(asked: str, size: int) -> Span | None:
    """Read a Range header of one range. None: not one we know, so the whole file is sent.

    A span without length: nothing of the file lies in it.
    """
    match = RANGE.match(asked.strip())
    if match is None or match.group(1) == match.group(2) == "":
        return None
    first, last = match.groups()
    if first == "":
        return Span(max(0, size - int(last)), size) if int(last) else Span(size, size)
    begin = int(first)
    end = min(int(last) + 1, size) if last else size
    if last and int(last) < begin:
        return None
    return Span(begin, end) if begin < size else Span(size, size)


def _is_known(request: HttpRequest, etag: str, changed: float) -> bool:
    """Whether the browser holds this very file."""
    tags = request.headers.get("If-None-Match")
    if tags is not None:
        return tags.strip() == "*" or etag in [tag.strip().removeprefix("W/") for tag in tags.split(",")]
    since = _seconds(request.headers.get("If-Modified-Since"))
    return since is not None and int(changed) <= since


def _may_be_partial(request: HttpRequest, etag: str, changed: float) -> bool:
    """A download is only resumed if the file is still the one it began with."""
    condition = request.headers.get("If-Range")
    if condition is None:
        return True
    if condition.startswith('"'):
        return condition == etag
    return _seconds(condition) == int(changed)


def _seconds(date: str | None) -> float | None:
    if not date:
        return None
    try:
        return parsedate_to_datetime(date).timestamp()
    except (TypeError, ValueError):
        return None


def _type_of(name: str) -> str:
    suffix = name[name.rfind(".") :].lower()
    return TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"


def _pieces(open_file: Callable[[], IO[bytes]], span: Span) -> Iterator[bytes]:
    left = span.length
    with open_file() as file:
        file.seek(span.begin)
        while left > 0 and (piece := file.read(min(PIECE, left))):
            left -= len(piece)
            yield piece


async def _pieces_later(open_file: Callable[[], IO[bytes]], span: Span) -> AsyncIterator[bytes]:
    pieces = _pieces(open_file, span)
    try:
        while piece := await asyncio.to_thread(next, pieces, b""):
            yield piece
    finally:
        pieces.close()  # type: ignore[attr-defined]
