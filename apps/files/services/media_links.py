"""Signed, expiring addresses of videos and files. Files signs; the owning app has decided who gets one.

The token stands in the path, so that the relative addresses inside playlists carry it along:
/media/v/<token>/1080p/00003.m4s. It names one version of one video, the second it expires, and the
browser session it was made for, so that an address that somebody passes on opens nothing elsewhere;
no database is asked when a segment is fetched (docs/adr/0008). A file that is handed out has such an
address too, /media/f/<token>; it ends at once when the file is taken away.
"""

import base64
import binascii
import enum
import hashlib
import hmac
import struct
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.utils.crypto import salted_hmac

from apps.accounts.guards import SessionKey
from apps.files.errors import LinkExpired, LinkOfAnother
from apps.files.models import CaptionTrack, Upload, VideoAsset
from apps.files.storage import video_directory
from studyplatform.kit.errors import NotFound

SALT = "files.media"
SIGNATURE_BYTES = 16  # bytes
PAYLOAD = struct.Struct(">16s16sI8s")
FILE_SALT = "files.kept"
FILE_PAYLOAD = struct.Struct(">16sI8s")
NO_SESSION = bytes(8)


class Everyone(enum.Enum):
    """The audience of what visitors may watch too. A name of its own: nothing that is merely missing means it."""

    EVERYONE = "everyone"


EVERYONE = Everyone.EVERYONE
Audience = SessionKey | Everyone


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
    reader: SessionKey | None
    """Whose it is; None: everyone's."""


def sign_link(
    *, video: VideoAsset, now: datetime, audience: Audience, captions: Iterable[CaptionTrack] | None = None
) -> Sources | None:
    """Addresses for somebody whose right to watch the video has been decided; None if nothing can be watched yet.

    Valid for at least ``settings.MEDIA_LINK_HOURS``. Within an hour the addresses stay the same, so that the
    browser's cache holds. ``audience``: the browser session they are for (``accounts.guards.session_key_of``), or
    ``EVERYONE``. ``captions``: the video's tracks, if the caller has them; else they are read.
    """
    if not video.is_playable:
        return None
    expires_at = _expiry(now)
    base = f"/media/v/{token_of(video, expires_at, audience)}"
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


def sign_file(*, upload: Upload, now: datetime, audience: Audience) -> str:
    """The address of a file for somebody whose right to it has been decided; as lasting as those of videos."""
    payload = FILE_PAYLOAD.pack(upload.uid.bytes, int(_expiry(now).timestamp()), _session_hash(audience))
    return f"/media/f/{_sign(payload, FILE_SALT)}"


def _expiry(now: datetime) -> datetime:
    hour = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    return hour + timedelta(hours=settings.MEDIA_LINK_HOURS + 1)


def token_of(video: VideoAsset, expires_at: datetime, audience: Audience) -> str:
    """Sign one version of a video until a moment, for one browser session or for everybody."""
    version = playable_version(video)
    payload = PAYLOAD.pack(video.uid.bytes, version.bytes, int(expires_at.timestamp()), _session_hash(audience))
    return _sign(payload, SALT)


def playable_version(video: VideoAsset) -> uuid.UUID:
    """The version that is watched: while a replacement is processed, still the old one."""
    try:
        return uuid.UUID(video.directory.rsplit("/", 1)[-1])
    except ValueError:
        return video.version or uuid.UUID(int=0)


def _session_hash(audience: Audience) -> bytes:
    """For a session a few bytes of a hash: they tell sessions apart, and from them no session is found."""
    match audience:
        case Everyone():
            return NO_SESSION
        case SessionKey(session_key):
            return hashlib.sha256(f"{SALT}:{session_key}".encode()).digest()[: len(NO_SESSION)]


def read_token(token: str, *, now: datetime, reader: SessionKey | None) -> Grant:
    """What the token opens in the browser session ``reader``; None: the browser has none.

    :raises NotFound: it was not signed here.
    :raises LinkOfAnother: it was, for another browser session.
    :raises LinkExpired: it was, for an earlier time.
    """
    video, version, expiry, mark = PAYLOAD.unpack(_verify(token, PAYLOAD.size, SALT))
    expires_at = _check_claims(expiry, mark, now=now, reader=reader)
    video_uid = uuid.UUID(bytes=video)
    owner = None if mark == NO_SESSION else reader
    return Grant(video_uid, video_directory(video_uid, uuid.UUID(bytes=version)), expires_at, owner)


def read_file_token(token: str, *, now: datetime, reader: SessionKey | None) -> tuple[uuid.UUID, datetime]:
    """Which file the token opens in the browser session ``reader``, and until when. Refuses as `read_token` does."""
    uid, expiry, mark = FILE_PAYLOAD.unpack(_verify(token, FILE_PAYLOAD.size, FILE_SALT))
    return uuid.UUID(bytes=uid), _check_claims(expiry, mark, now=now, reader=reader)


def _sign(payload: bytes, salt: str) -> str:
    return _encode(payload + next(_signatures(payload, salt)))


def _verify(token: str, size: int, salt: str) -> bytes:
    """What was sealed.

    :raises NotFound: it was not sealed here, or for something else.
    """
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise NotFound from None
    payload, signature = raw[:size], raw[size:]
    # Compare the text as well: trailing bits of base64 would give one token two spellings.
    if len(payload) != size or _encode(raw) != token:
        raise NotFound
    if not any(hmac.compare_digest(signature, each) for each in _signatures(payload, salt)):
        raise NotFound
    return payload


def _check_claims(expiry: int, mark: bytes, *, now: datetime, reader: SessionKey | None) -> datetime:
    if mark != NO_SESSION and (reader is None or not hmac.compare_digest(mark, _session_hash(reader))):
        raise LinkOfAnother
    expires_at = datetime.fromtimestamp(expiry, tz=UTC)
    if expires_at <= now:
        raise LinkExpired
    return expires_at


def _encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _signatures(payload: bytes, salt: str) -> Iterator[bytes]:
    """By the present key and by those it replaced."""
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        yield salted_hmac(salt, payload, secret=secret, algorithm="sha256").digest()[:SIGNATURE_BYTES]
