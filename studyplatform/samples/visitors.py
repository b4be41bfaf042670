"""Which browser a visitor has: a signed cookie, set when something is saved and valid until the next nightly reset."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.core.signing import BadSignature, TimestampSigner
from django.http import HttpRequest, HttpResponseBase

from studyplatform.kit.errors import NotAuthenticated

COOKIE = "study_samples"
_KEY = "study_samples_key"  # the salt of the keys
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
    signed = request.get_signed_cookie(COOKIE, default="", salt=COOKIE, max_age=_since_reset(now))
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


def key_of(visitor: Visitor) -> str:
    """What lets a program change the visitor's lists until the next reset. Nothing of it is stored."""
    return TimestampSigner(salt=_KEY).sign(visitor.browser.hex)


def visitor_of_key(key: str, *, now: datetime) -> Visitor:
    """The visitor who was shown the key.

    :raises NotAuthenticated: it is forged, or older than the last reset.
    """
    try:
        return Visitor(UUID(TimestampSigner(salt=_KEY).unsign(key, max_age=_since_reset(now))), is_new=False)
    except (BadSignature, ValueError):
        raise NotAuthenticated from None


def _since_reset(now: datetime) -> timedelta:
    return now - (next_reset(now) - timedelta(days=1))


def next_reset(now: datetime) -> datetime:
    """When the samples are emptied next.

    >>> next_reset(datetime(2026, 3, 14, 15, tzinfo=UTC))
    datetime.datetime(2026, 3, 15, 3, 0, tzinfo=datetime.timezone.utc)
    """
    here = now.astimezone(UTC)
    reset = datetime.combine(here.date(), RESET_AT)
    return reset if reset > here else reset + timedelta(days=1)
