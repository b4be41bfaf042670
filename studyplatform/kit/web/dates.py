"""Dates on pages, in the time zone of the reader."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date, datetime

from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format

from studyplatform.kit.text.zones import zone_named

_request: ContextVar[HttpRequest | None] = ContextVar("page_request", default=None)


@contextmanager
def read_by(request: HttpRequest) -> Iterator[None]:
    """Put moments into words for the reader of this request."""
    token = _request.set(request)
    try:
        yield
    finally:
        _request.reset(token)


def reader_zone() -> str:
    """Return the name of the reader's time zone; UTC for visitors and outside of requests.

    It belongs to the key of each cached fragment that shows a date.
    """
    return getattr(getattr(_request.get(), "user", None), "time_zone", "") or "UTC"


def show_date(value: date, form: str = "j F Y") -> str:
    """Format a date, or a moment as its reader's calendar and clock have it."""
    if isinstance(value, datetime) and timezone.is_aware(value):
        value = value.astimezone(zone_named(reader_zone()))
    return date_format(value, form)


def show_site_date(value: date, form: str = "j F Y") -> str:
    """Format a date, or a moment as the site's books have it: TIME_ZONE, as in receipts and emails about payments."""
    return date_format(timezone.localtime(value) if isinstance(value, datetime) else value, form)
