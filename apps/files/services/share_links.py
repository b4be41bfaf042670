"""Links to shared files: their addresses, passwords and downloads (docs/adr/0020).

The token of a link is the share's uid, signed. What a visitor's browser may do (the password was entered, a download
was counted) is in a signed cookie and in signed addresses that work with that cookie only; each use asks the database
whether the share is still live.
"""

import base64
import binascii
import hashlib
import uuid
from datetime import UTC, datetime

from django.conf import settings
from django.core import signing
from django.db.models import F, Q

from apps.accounts.models import User
from apps.files import errors, sharing_queries
from apps.files.models import File, Share, ShareOpening
from studyplatform.kit.passwords import is_password
from studyplatform.kit.web.rate_limits import consume

_tokens = signing.Signer(salt="files.share", sep=".")
GRANT = "files.share.grant"


def link_token(share: Share) -> str:
    """The part of a link's address by which it is found. It cannot be guessed, and stays the same."""
    return _tokens.sign(base64.urlsafe_b64encode(share.uid.bytes).rstrip(b"=").decode())


def share_of_token(token: str, *, now: datetime) -> Share:
    """The share of a link.

    :raises ShareNotFound: no link has this token; it was revoked; its file is in the bin; its owner is blocked.
    :raises ShareExpired: it has expired.
    """
    try:
        uid = uuid.UUID(bytes=base64.urlsafe_b64decode(_tokens.unsign(token) + "=="))
    except (signing.BadSignature, binascii.Error, ValueError):
        raise errors.ShareNotFound from None
    share = sharing_queries.unrevoked().filter(uid=uid, kind=Share.Kind.LINK).first()
    if share is None:
        raise errors.ShareNotFound
    if share.expires_at is None or share.expires_at <= now:
        raise errors.ShareExpired
    return share


def check_share_password(*, share: Share, password: str, client: str, now: datetime) -> None:
    """Check the password of a link. Attempts are limited per link and ``client`` (an IP address), and per link.

    :raises SharePasswordRefused: it is not correct.
    :raises RateLimitExceeded: too many attempts.
    """
    consume("share-password", f"{share.pk} {client}", now=now)
    consume("share-passwords", str(share.pk), now=now)
    if not is_password(password, share.password):
        raise errors.SharePasswordRefused


def count_download(*, share: Share, now: datetime) -> None:
    """Count a download by a link, in one step, so that simultaneous ones never exceed the maximum.

    :raises ShareUsedUp: the maximum is reached.
    :raises ShareNotFound, ShareExpired: it has ended in the meantime.
    """
    counted = (
        Share.objects.filter(pk=share.pk, revoked_at=None, expires_at__gt=now)
        .filter(Q(max_downloads=None) | Q(downloads__lt=F("max_downloads")))
        .update(downloads=F("downloads") + 1)
    )
    if not counted:
        share_of_token(link_token(share), now=now)
        raise errors.ShareUsedUp


def grant_download(*, share: Share, file: File, browser: str) -> str:
    """A signed text that lets one browser download a file for ``SHARE_DOWNLOAD_SECONDS``. ``browser``: its secret."""
    return signing.dumps([share.uid.hex, file.uid.hex, _mark(browser)], salt=GRANT)


def read_grant(grant: str, *, share: Share, browser: str) -> uuid.UUID:
    """The uid of the file that a grant of this share lets this browser download.

    :raises LinkExpired: its time is over.
    :raises LinkOfAnother: it was made for another browser.
    :raises ShareNotFound: it was not made for this share.
    """
    try:
        of, file, mark = signing.loads(grant, salt=GRANT, max_age=settings.SHARE_DOWNLOAD_SECONDS)
    except signing.SignatureExpired:
        raise errors.LinkExpired from None
    except signing.BadSignature:
        raise errors.ShareNotFound from None
    if of != share.uid.hex:
        raise errors.ShareNotFound
    if mark != _mark(browser):
        raise errors.LinkOfAnother
    return uuid.UUID(file)


def _mark(browser: str) -> str:
    """A hash of a browser's secret: the address that contains it does not tell the secret."""
    return hashlib.sha256(f"{GRANT}:{browser}".encode()).hexdigest()[:16]


def record_opening(*, share: Share, user: User | None, what: ShareOpening.What, now: datetime) -> None:
    """Note for the owner who opened a share, once per user and hour. The owner's own visits are not noted."""
    if user is not None and user.pk == share.owner_id:
        return
    hour = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    opening = ShareOpening(share=share, user=user, what=what, opened_at=now, hour=hour)
    ShareOpening.objects.bulk_create([opening], ignore_conflicts=True)


def forget_openings_of(*, user_id: int) -> None:
    """Delete the notes that a user opened the shares of others."""
    ShareOpening.objects.filter(user=user_id).delete()
