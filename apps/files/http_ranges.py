"""Range requests and conditional requests (RFC 9110, sections 13 and 14)."""

import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from django.http import HttpRequest

RANGE = re.compile(r"^bytes=(\d{0,18})-(\d{0,18})$")


@dataclass(frozen=True)
class ByteRange:
    """The requested bytes: from offset ``begin`` to before ``end``."""

    begin: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.begin


def parse_range(header: str, size: int) -> ByteRange | None:
    """Parse a Range header with a single range. None if it is not supported: the whole file is sent then.

    The range has length 0 if it lies outside of the file of ``size`` bytes.
    """
    match = RANGE.match(header.strip())
    if match is None or match.group(1) == match.group(2) == "":
        return None
    first, last = match.groups()
    if first == "":
        return ByteRange(max(0, size - int(last)), size) if int(last) else ByteRange(size, size)
    begin = int(first)
    end = min(int(last) + 1, size) if last else size
    if last and int(last) < begin:
        return None
    return ByteRange(begin, end) if begin < size else ByteRange(size, size)


def is_not_modified(request: HttpRequest, etag: str, changed: float) -> bool:
    """Whether the client has the current file: If-None-Match, or If-Modified-Since. ``changed``: a Unix time."""
    tags = request.headers.get("If-None-Match")
    if tags is not None:
        return tags.strip() == "*" or etag in [tag.strip().removeprefix("W/") for tag in tags.split(",")]
    since = _parse_http_date(request.headers.get("If-Modified-Since"))
    return since is not None and int(changed) <= since


def may_resume(request: HttpRequest, etag: str, changed: float) -> bool:
    """Whether If-Range allows a partial response: only if the file has not changed since the download began."""
    condition = request.headers.get("If-Range")
    if condition is None:
        return True
    if condition.startswith('"'):
        return condition == etag
    return _parse_http_date(condition) == int(changed)


def _parse_http_date(date: str | None) -> float | None:
    if not date:
        return None
    try:
        return parsedate_to_datetime(date).timestamp()
    except (TypeError, ValueError):
        return None
