"""Answers with a file or a part of it: ranges, resumption, validators, constant memory.

What is large and lies in a bucket is not sent through here: the browser is led to the bucket, with an address
that it can use for a few minutes (docs/adr/0011).
"""

import asyncio
import io
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import IO, cast
from urllib.parse import quote

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils import timezone
from django.utils.http import content_disposition_header, http_date

from apps.files.bucket import Facts
from apps.files.models import Upload
from apps.files.storage import (
    ANYTHING,
    bucket,
    facts_of,
    facts_under,
    local_path,
    open_kept,
    type_of,
    upload_path,
)

PIECE = 1 << 18
RANGE = re.compile(r"^bytes=(\d{0,18})-(\d{0,18})$")
NEVER = "private, no-store"


@dataclass(frozen=True)
class Span:
    """The bytes that are asked for: from the first to before the last."""

    begin: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.begin


def send_upload(request: HttpRequest, upload: Upload, *, until: datetime | None = None) -> HttpResponseBase:
    """Answer with a file that has arrived whole, always as an attachment: no browser shows it as a page of ours,
    or of the bucket's. ``until``: when the permission ends by which it is sent.

    :raises FileNotFoundError: its bytes are not there.
    """
    kind = upload.media_type or ANYTHING
    disposition = content_disposition_header(as_attachment=True, filename=upload.filename) or "attachment"
    if not upload.stored_as and not upload_path(upload.uid).exists():
        upload.refresh_from_db()  # it moved since it was read
    if upload.stored_as:
        answer = send_kept(
            request, upload.stored_as, cache=NEVER, kind=kind, disposition=disposition, is_large=True, until=until
        )
    else:  # on its way into storage
        path = upload_path(upload.uid)
        facts = path.stat()
        answer = send_file(
            request, lambda: path.open("rb"), size=facts.st_size, changed=facts.st_mtime, kind=kind, cache=NEVER
        )
    answer["Content-Disposition"] = disposition
    answer["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return answer


def send_kept(
    request: HttpRequest,
    name: str,
    *,
    cache: str,
    kind: str = "",
    disposition: str = "inline",
    is_large: bool = False,
    until: datetime | None = None,
) -> HttpResponseBase:
    """Answer with a kept file. ``cache``: the Cache-Control it carries; ``kind``: its type, else by its name.

    Behind nginx (``MEDIA_ACCEL_PREFIX``) only its name is sent, and nginx sends the bytes. To what ``is_large`` and
    lies in a bucket the browser is led, ``until`` the permission ends and not for longer than ``S3_LINK_SECONDS``.

    :raises FileNotFoundError: there is no such file.
    """
    kind = kind or type_of(name)
    is_here = local_path(name) is not None
    if settings.MEDIA_ACCEL_PREFIX and is_here:
        response = HttpResponse(content_type=kind)
        response["X-Accel-Redirect"] = f"{settings.MEDIA_ACCEL_PREFIX.rstrip('/')}/{quote(name)}"
        response["Cache-Control"] = cache
        return response
    if is_large and not is_here and request.method == "GET":
        return _lead_to_bucket(name, kind=kind, disposition=disposition, cache=cache, until=until)
    if is_here or request.method == "HEAD":
        facts, file = facts_of(name), None
    else:
        facts, file = bucket().opened(name)
    answer = send_file(
        request,
        lambda: open_kept(name) if file is None else cast(IO[bytes], file),
        size=facts.size,
        changed=facts.changed.timestamp(),
        kind=kind,
        cache=cache,
    )
    if file is not None and not answer.streaming:  # the browser has it, or asked for what is not in it
        file.close()
    return answer


def _lead_to_bucket(name: str, *, kind: str, disposition: str, cache: str, until: datetime | None) -> HttpResponse:
    """Let the browser fetch it from the bucket itself. Whether it is there the bucket says.

    The browser may take the same way again for half of the time that it is open, so that what it fetched once
    stands under one address in its cache. The bucket is not told which page it comes from.
    """
    left = int((until - timezone.now()).total_seconds()) if until is not None else settings.S3_LINK_SECONDS
    seconds = max(1, min(settings.S3_LINK_SECONDS, left))
    again = NEVER if cache == NEVER else f"private, max-age={seconds // 2}"
    address = bucket().link(name, seconds=seconds, kind=kind, disposition=disposition, cache=cache)
    return HttpResponse(
        status=302, headers={"Location": address, "Cache-Control": again, "Referrer-Policy": "no-referrer"}
    )


def send_joined(request: HttpRequest, names: list[str], *, kind: str, cache: str) -> HttpResponseBase:
    """Answer with several kept files of one directory as if they were one: the parts of a stream make a file to play.

    :raises FileNotFoundError: one of them is missing.
    """
    known = facts_under(names[0].rsplit("/", 1)[0])
    try:
        facts: list[Facts] = [known[name] for name in names]
    except KeyError as missing:
        raise FileNotFoundError(*missing.args) from None
    parts = [(name, each.size) for name, each in zip(names, facts, strict=True)]
    opens = open_kept if local_path(names[0]) is not None else cast(Callable[[str], IO[bytes]], bucket().open)
    return send_file(
        request,
        lambda: cast(IO[bytes], Joined(parts, opens)),
        size=sum(each.size for each in facts),
        changed=facts[-1].changed.timestamp(),
        kind=kind,
        cache=cache,
    )


class Joined(io.RawIOBase):
    """Kept files read one after the other; at most one of them is open."""

    def __init__(self, parts: list[tuple[str, int]], opens: Callable[[str], IO[bytes]]) -> None:
        self._parts = parts
        self._open = opens
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
                self._file = self._open(self._parts[self._index][0])
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
    pieces = AsyncPieces(open_file, span) if isinstance(request, ASGIRequest) else Pieces(open_file, span)
    return StreamingHttpResponse(pieces, status=status, headers=headers)  # closes them when the request ends


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


class Reading:
    """The bytes of a span, a piece at a time, for threads (WSGI) or for the event loop (ASGI).

    It alone opens, reads and closes the file, under one lock. A request that is aborted while a thread reads cannot
    stop that thread, so `close` never waits for it: whichever of the two ends last closes the file.
    """

    def __init__(self, open_file: Callable[[], IO[bytes]], span: Span) -> None:
        self._open = open_file
        self._span = span
        self._left = span.length
        self._file: IO[bytes] | None = None
        self._is_closed = False
        self._lock = threading.Lock()

    def read(self) -> bytes:
        """The next piece; none at the end, or once it is closed."""
        try:
            with self._lock:
                return self._next()
        finally:
            if self._is_closed:  # while this thread was reading
                self.close()

    def _next(self) -> bytes:
        if self._is_closed or self._left <= 0:
            return b""
        if self._file is None:
            self._file = self._open()
            self._file.seek(self._span.begin)
        piece = self._file.read(min(PIECE, self._left))
        self._left -= len(piece)
        return piece

    def close(self) -> None:
        """Read nothing more. The file is closed now, or by the thread that is reading it."""
        self._is_closed = True
        if self._lock.acquire(blocking=False):
            try:
                if self._file is not None:
                    self._file.close()
                    self._file = None
            finally:
                self._lock.release()


class Pieces(Reading):
    """What a WSGI server iterates over, in one thread."""

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if piece := self.read():
            return piece
        self.close()
        raise StopIteration


class AsyncPieces(Reading):
    """What the ASGI handler iterates over: each piece is read in a thread."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            piece = await asyncio.to_thread(self.read)
        except BaseException:  # also when the request is aborted while a thread reads
            self.close()
            raise
        if piece:
            return piece
        self.close()
        raise StopAsyncIteration
