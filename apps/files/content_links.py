"""Signed addresses on the content host (``CONTENT_HOST``), which has no cookies of this site.

An address works for one content under one name: ``CONTENT_LINK_SECONDS`` as a download, and as long as those of videos
within a page, because a player fetches its file in pieces. What a share or a lesson opened is checked again by each
request.
"""

import uuid
from dataclasses import astuple, dataclass

from django.conf import settings
from django.core import signing
from django.http import HttpRequest

from apps.files.errors import LinkExpired
from studyplatform.kit.errors import NotFound

SALT = "files.content"
PREFIX = "/media/l/"
NO_OFFER = -1


@dataclass(frozen=True)
class Shared:
    """By which share somebody gets a file: uids in hex; ``user``: the id of a member of its course, 0 for a link."""

    share: str = ""
    file: str = ""
    user: int = 0


@dataclass(frozen=True)
class ContentGrant:
    """What an address hands out. ``upload``: its uid in hex; ``kind``: the media type.

    ``reader``: the id of the user to whom a row of some app must offer it (`offers.register_offer`), or `NO_OFFER`.
    """

    upload: str
    name: str
    kind: str
    as_attachment: bool
    to_owner: bool
    shared: Shared = Shared()
    reader: int = NO_OFFER


def is_content_host(request: HttpRequest) -> bool:
    """Whether the request was sent to the content host."""
    return bool(settings.CONTENT_HOST) and request.headers.get("Host", "").lower() == settings.CONTENT_HOST.lower()


def sign_content(grant: ContentGrant) -> str:
    """The address on the content host. The caller has checked the permission."""
    return f"{settings.CONTENT_ORIGIN}{PREFIX}{signing.dumps(astuple(grant), salt=SALT)}"


def read_content_token(token: str) -> ContentGrant:
    """What a token hands out.

    :raises NotFound: the signature is not valid.
    :raises LinkExpired: its time is over.
    """
    try:
        facts = signing.loads(token, salt=SALT, max_age=settings.MEDIA_LINK_HOURS * 3600)
        upload, name, kind, as_attachment, to_owner, shared, reader = facts
        grant = ContentGrant(upload, name, kind, as_attachment, to_owner, Shared(*shared), reader)
        if grant.as_attachment:
            signing.loads(token, salt=SALT, max_age=settings.CONTENT_LINK_SECONDS)
    except signing.SignatureExpired:
        raise LinkExpired from None
    except (signing.BadSignature, ValueError, TypeError):
        raise NotFound from None
    return grant


def uid_of_content(grant: ContentGrant) -> uuid.UUID:
    """The uid of the upload."""
    return uuid.UUID(grant.upload)
