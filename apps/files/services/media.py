"""Signed, expiring addresses of videos. Files signs; the owning app has decided who gets one.

The token stands in the path, so that the relative addresses inside playlists carry it along:
/media/v/<token>/1080p/00003.m4s. It names one version of one video, the second it expires, and the
browser session it was made for, so that an address that somebody passes on opens nothing elsewhere;
no database is asked when a segment is fetched (docs/adr/0008).
"""

import base64
import binascii
import hashlib
import hmac
import struct
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.utils.crypto import salted_hmac

from apps.files.errors import LinkExpired, LinkOfAnother
from apps.files.models import CaptionTrack, VideoAsset
from apps.files.storage import video_directory
from studyplatform.kit.errors import NotFound

SALT = "files.media"
SIGNATURE = 16  # bytes
PAYLOAD = struct.Struct(">16s16sI8s")
ANYONE = bytes(8)


@dataclass(frozen=True)
class CaptionSource:
    language: str
    label: str
    url: str


@dataclass(frozen=True)
class Sources:
    """Addresses of one video, for whoever is to watch it now."""

    master: str
    audio: str | None
    sound: str | None
    poster: str | None
    storyboard: str | None
    captions: list[CaptionSource]
    expires_at: datetime


@dataclass(frozen=True)
class Grant:
    """What a token opens."""

    video: uuid.UUID
    directory: str
    expires_at: datetime


def sign_link(
    *, video: VideoAsset, now: datetime, holder: str = "", captions: Iterable[CaptionTrack] | None = None
) -> Sources | None:
    """Addresses for somebody whose right to watch the video has been decided; None if nothing can be watched yet.

    Valid for at least ``settings.MEDIA_LINK_HOURS``. Within an hour the addresses stay the same, so that the
    browser's cache holds. ``holder``: the browser session they are for (``accounts.guards.holder_of``); empty for
    what everybody may watch. ``captions``: the video's tracks, if the caller has them; else they are read.
    """
    if not video.is_playable:
        return None
    hour = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    expires_at = hour + timedelta(hours=settings.MEDIA_LINK_HOURS + 1)
    base = f"/media/v/{token_of(video, expires_at, holder)}"
    tracks = CaptionTrack.objects.filter(video=video).order_by("language") if captions is None else captions
    return Sources(
        master=f"{base}/master.m3u8",
        audio=f"{base}/audio/index.m3u8" if video.has_audio else None,
        sound=f"{base}/sound.m4a" if video.has_audio else None,
        poster=f"{base}/{video.poster}" if video.poster else None,
        storyboard=f"{base}/{video.storyboard}" if video.storyboard else None,
        captions=[
            CaptionSource(track.language, track.label, f"{base}/captions/{track.uid.hex}.vtt") for track in tracks
        ],
        expires_at=expires_at,
    )


def token_of(video: VideoAsset, expires_at: datetime, holder: str = "") -> str:
    """Sign one version of a video until a moment, for one browser session or for everybody."""
    version = playable_version(video)
    payload = PAYLOAD.pack(video.uid.bytes, version.bytes, int(expires_at.timestamp()), _mark(holder))
    return _encode(payload + next(_signatures(payload)))


def playable_version(video: VideoAsset) -> uuid.UUID:
    """The version that is watched: while a replacement is processed, still the old one."""
    try:
        return uuid.UUID(video.directory.rsplit("/", 1)[-1])
    except ValueError:
        return video.version or uuid.UUID(int=0)


def _mark(holder: str) -> bytes:
    """A few bytes of a hash: they tell sessions apart, and from them no session is found."""
    return hashlib.sha256(f"{SALT}:{holder}".encode()).digest()[: len(ANYONE)] if holder else ANYONE


def read_token(token: str, *, now: datetime, holder: str = "") -> Grant:
    """What the token opens in the browser session ``holder``.

    :raises NotFound: it was not signed here.
    :raises LinkOfAnother: it was, for another browser session.
    :raises LinkExpired: it was, for an earlier time.
    """
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise NotFound from None
    payload, signature = raw[: PAYLOAD.size], raw[PAYLOAD.size :]
    # Compare the text as well: trailing bits of base64 would give one token two spellings.
    if len(payload) != PAYLOAD.size or _encode(raw) != token:
        raise NotFound
    if not any(hmac.compare_digest(signature, each) for each in _signatures(payload)):
        raise NotFound
    video, version, expiry, mark = PAYLOAD.unpack(payload)
    if mark != ANYONE and not hmac.compare_digest(mark, _mark(holder)):
        raise LinkOfAnother
    expires_at = datetime.fromtimestamp(expiry, tz=UTC)
    if expires_at <= now:
        raise LinkExpired
    video_uid = uuid.UUID(bytes=video)
    return Grant(video_uid, video_directory(video_uid, uuid.UUID(bytes=version)), expires_at)


def _encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _signatures(payload: bytes) -> Iterator[bytes]:
    """By the present key and by those it replaced."""
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        yield salted_hmac(SALT, payload, secret=secret, algorithm="sha256").digest()[:SIGNATURE]
