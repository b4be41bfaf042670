"""Send a CSV file while it is written, so that its length does not matter."""

from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import islice

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse

LINES = 200  # sent at once


def csv_response(request: HttpRequest, name: str, lines: Iterable[str]) -> StreamingHttpResponse:
    """Answer with a download of this name. It begins with a byte order mark, by which Excel knows that it is UTF-8."""
    parts = _parts(iter(lines))
    content = _asynchronous(parts) if isinstance(request, ASGIRequest) else parts
    return StreamingHttpResponse(
        content,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"},
    )


def _parts(lines: Iterator[str]) -> Iterator[bytes]:
    yield b"\xef\xbb\xbf"
    while part := "".join(islice(lines, LINES)):
        yield part.encode()


async def _asynchronous(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The same for the ASGI handler, which would collect the parts of a plain iterator in memory first."""
    read = sync_to_async(lambda: next(parts, b""))
    while part := await read():
        yield part
