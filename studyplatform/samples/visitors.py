"""Which browser a visitor has: a signed cookie, set when something is saved and valid until the next nightly reset."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

COOKIE = "study_samples"
RESET_AT = time(3, tzinfo=UTC)


@dataclass(frozen=True)
class Visitor:
    """The browser of a visitor. ``is_new`` until something of it is saved."""

    browser: UUID
    is_new: bool

    @property
    def known_browser(self) -> UUID | None:
        """The browser if anything of it may be saved, else None."""
        return None if self.is_new else self.browser


def visitor_of(request: HttpRequest, *, now: datetime) -> Visitor:
    """The visitor of the request. A cookie that is missing, forged, or older than the last reset makes a new one."""
    since_reset = now - (next_reset(now) - timedelta(days=1))
    signed = request.get_signed_cookie(COOKIE, default="", salt=COOKIE, max_age=since_reset)
    try:
        return Visitor(UUID(signed), is_new=False)
    except ValueError:
        return Visitor(uuid4(), is_new=True)


def remember(response: HttpResponseBase, visitor: Visitor, *, now: datetime) -> None:
    """Set the visitor's cookie, for the response to a change."""
    if not visitor.is_new:
        return
    response.set_signed_cookie(
        COOKIE,
        str(visitor.browser),
        salt=COOKIE,
        expires=next_reset(now),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def next_reset(now: datetime) -> datetime:
    """When the samples are emptied next.

    >>> next_reset(datetime(2026, 3, 14, 15, tzinfo=UTC))
    datetime.datetime(2026, 3, 15, 3, 0, tzinfo=datetime.timezone.utc)
    """
    here = now.astimezone(UTC)
    reset = datetime.combine(here.date(), RESET_AT)
    return reset if reset > here else reset + timedelta(days=1)
