"""Signed, expiring URLs of videos and files. This app signs; the app that shows a video decides who gets a URL.

The token is part of the path, so that the relative URLs in playlists contain it: /media/v/<token>/1080p/00003.m4s.
It consists of one version of one video, the expiry in seconds, and a hash of the browser session, so that a URL does
not work in another browser. Fetching a segment needs no database query (docs/adr/0008). A file that a lesson offers has
such a URL too, /media/f/<token>, which names its user and works only as long as a lesson offers the file to that user
(`offers.register_offer`).
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
from django.utils.translation import gettext as _

from apps.accounts.guards import SessionKey
from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.files.errors import LinkExpired, LinkOfAnother
from apps.files.models import CaptionTrack, Upload, VideoAsset
from apps.files.offers import NOBODY
from apps.files.storage import video_directory
from studyplatform.kit.errors import NotFound

SALT = "files.media"
SIGNATURE_BYTES = 16  # bytes
PAYLOAD = struct.Struct(">16s16sI8s")
FILE_SALT = "files.offered"
FILE_PAYLOAD = struct.Struct(">16sI8sQ")
NO_SESSION = bytes(8)


class Everyone(enum.Enum):
    """The audience of a video that visitors may watch too. A type of its own, so that no missing value can mean it."""

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
    """The URLs of one video for one audience."""

    master: str
    audio: str | None
    sound: str | None
    poster: str | None
    storyboard: str | None
    captions: list[CaptionSource]
    expires_at: datetime


@dataclass(frozen=True)
class Grant:
    """What a token gives access to."""

    video: uuid.UUID
    directory: str
    expires_at: datetime
    reader: SessionKey | None
    """The browser session it was signed for; None for everyone."""


@dataclass(frozen=True)
class FileGrant:
    """The file that a token gives access to. ``name``: under which it is downloaded; empty: that of the upload.

    ``user``: the id of the user for whom it was signed; `NOBODY` for everyone.
    """

    upload: uuid.UUID
    name: str
    user: int
    expires_at: datetime


def sign_link(
    *, video: VideoAsset, now: datetime, audience: Audience, captions: Iterable[CaptionTrack] | None = None
) -> Sources | None:
    """Sign the URLs of a video; None if it is not playable yet. The caller has checked the permission to watch it.

    They are valid for at least ``settings.MEDIA_LINK_HOURS``, and identical within an hour, so that the browser can
    cache the files. ``audience``: the browser session they are for (``accounts.guards.session_key_of``), or
    ``EVERYONE``. ``captions``: the video's tracks, if the caller has loaded them.
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
            CaptionSource(track.language, _label(track), f"{base}/captions/{track.uid.hex}.vtt") for track in tracks
        ],
        expires_at=expires_at,
    )


def _label(track: CaptionTrack) -> str:
    """The name of captions; what nobody has checked says so until its author publishes it."""
    is_automatic = track.origin == CaptionTrack.Origin.AUTOMATIC
    return _("%(language)s (automatic)") % {"language": track.label} if is_automatic else track.label


def sign_file(*, upload: Upload, now: datetime, audience: Audience, user: AnyUser | None = None, name: str = "") -> str:
    """Sign the URL of a file, valid as long as those of videos. The caller has checked the permission.

    It works only as long as a row that an app has registered (`offers.register_offer`) offers the upload to ``user``,
    or with the audience ``EVERYONE`` to everyone. ``name``: under which it is downloaded, if not that of the upload.
    """
    reader = user.pk if isinstance(user, User) and audience is not EVERYONE else NOBODY
    payload = FILE_PAYLOAD.pack(upload.uid.bytes, int(_expiry(now).timestamp()), _session_hash(audience), reader)
    if name != upload.filename:
        payload += name.encode()
    return f"/media/f/{_sign(payload, FILE_SALT)}"


def _expiry(now: datetime) -> datetime:
    hour = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    return hour + timedelta(hours=settings.MEDIA_LINK_HOURS + 1)


def token_of(video: VideoAsset, expires_at: datetime, audience: Audience) -> str:
    """A signed token for one version of a video, valid until ``expires_at`` for one browser session or for everyone."""
    version = playable_version(video)
    payload = PAYLOAD.pack(video.uid.bytes, version.bytes, int(expires_at.timestamp()), _session_hash(audience))
    return _sign(payload, SALT)


def playable_version(video: VideoAsset) -> uuid.UUID:
    """The published version; while a replacement is processed, the former one."""
    try:
        return uuid.UUID(video.directory.rsplit("/", 1)[-1])
    except ValueError:
        return video.version or uuid.UUID(int=0)


def _session_hash(audience: Audience) -> bytes:
    """Eight bytes of a hash of the session key, from which the key cannot be derived; `NO_SESSION` for everyone."""
    match audience:
        case Everyone():
            return NO_SESSION
        case SessionKey(session_key):
            return hashlib.sha256(f"{SALT}:{session_key}".encode()).digest()[: len(NO_SESSION)]


def read_token(token: str, *, now: datetime, reader: SessionKey | None) -> Grant:
    """Verify the token of a video. ``reader``: the browser session of the request, or None.

    :raises NotFound: the signature is not valid.
    :raises LinkOfAnother: the token belongs to another browser session.
    :raises LinkExpired: the token has expired.
    """
    video, version, expiry, mark = PAYLOAD.unpack(_verify(token, PAYLOAD.size, SALT))
    expires_at = _check_claims(expiry, mark, now=now, reader=reader)
    video_uid = uuid.UUID(bytes=video)
    owner = None if mark == NO_SESSION else reader
    return Grant(video_uid, video_directory(video_uid, uuid.UUID(bytes=version)), expires_at, owner)


def read_file_token(token: str, *, now: datetime, reader: SessionKey | None) -> FileGrant:
    """Verify the token of a file. Raises like `read_token`."""
    payload = _verify(token, None, FILE_SALT)
    if len(payload) < FILE_PAYLOAD.size:
        raise NotFound
    uid, expiry, mark, user = FILE_PAYLOAD.unpack_from(payload)
    expires_at = _check_claims(expiry, mark, now=now, reader=reader)
    return FileGrant(uuid.UUID(bytes=uid), payload[FILE_PAYLOAD.size :].decode(), user, expires_at)


def _sign(payload: bytes, salt: str) -> str:
    return _encode(payload + next(_signatures(payload, salt)))


def _verify(token: str, size: int | None, salt: str) -> bytes:
    """Verify the signature and return the payload of ``size`` bytes; of any size if None.

    :raises NotFound: the signature is not valid.
    """
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise NotFound from None
    if size is None:
        size = max(len(raw) - SIGNATURE_BYTES, 0)
    payload, signature = raw[:size], raw[size:]
    # Compare the encoded text as well: base64 has several encodings that differ in unused trailing bits.
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
    """The signatures with the current secret key and with its fallbacks."""
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        yield salted_hmac(salt, payload, secret=secret, algorithm="sha256").digest()[:SIGNATURE_BYTES]
