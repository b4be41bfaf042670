"""The signed URLs of media. The token is the permission: it was signed for one browser session (`media_links`)."""

import re
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import ParamSpec

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_safe

from apps.accounts.guards import claimed_session_key, open_to_everyone
from apps.accounts.queries import user_of_session
from apps.files import policies
from apps.files.errors import LinkExpired
from apps.files.models import CaptionTrack, VideoAsset
from apps.files.offers import offered_file
from apps.files.services.media_links import Grant, read_file_token, read_token
from apps.files.services.video_sending import CAPTIONS, PUBLISHED, SOUND
from apps.files.servings import record_segment, record_sound
from apps.files.storage import MEDIA_TYPES, audio_segments
from apps.files.streaming import send_concatenated, send_stored, send_upload
from studyplatform.kit.caching.lru import LruCache
from studyplatform.kit.errors import AppError
from studyplatform.kit.web.failures import refusal_of

PERMISSION_SECONDS = 60  # after a refund or a block, segments and pictures still come for this long
SEGMENT = re.compile(r"(\w+)/(\d{5,6})\.m4s", re.ASCII)
_permitted: LruCache[tuple[datetime, int]] = LruCache(10_000)  # when, and the user's id
CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)", re.ASCII)


P = ParamSpec("P")


def plain_text_refusals(page: Callable[P, HttpResponseBase]) -> Callable[P, HttpResponseBase]:
    """Answer refusals with a status and a line of text, not a page: players and downloads send these requests."""

    @wraps(page)
    def answered(*args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            return page(*args, **kwargs)
        except FileNotFoundError:
            return _missing()
        except Exception as error:
            if (failure := refusal_of(error)) is None:
                raise
            return _refused(failure)

    return answered


@open_to_everyone
@require_safe
@plain_text_refusals
def media(request: HttpRequest, token: str, name: str) -> HttpResponseBase:
    """One file of a video."""
    now = timezone.now()
    grant = read_token(token, now=now, reader=claimed_session_key(request))
    caption = CAPTIONS.fullmatch(name)
    # Segments and pictures come many at a time: for them a permission is believed for a minute (docs/adr/0008).
    is_one_of_many = name.endswith((".m4s", ".mp4", ".jpg"))
    if not (is_one_of_many and _was_permitted(grant, now)) and not _may_still_watch(grant, now):
        raise LinkExpired
    if caption:
        return _captions(grant, caption.group(1), now)
    if name != SOUND and not PUBLISHED.fullmatch(name):
        return _missing()
    # Playlists change while a video is processed.
    cache = "private, max-age=5" if name.endswith(".m3u8") else _cache_control(grant, now)
    if name == SOUND:
        sound = send_concatenated(request, audio_segments(grant.directory), kind="audio/mp4", cache=cache)
        _record_sound(request, grant, sound)
        return sound
    # Only segments are large: if they are in a bucket, the browser fetches them from there.
    response = send_stored(
        request,
        f"{grant.directory}/{name}",
        cache=cache,
        is_large=name.endswith(".m4s"),
        until=grant.expires_at,
    )
    if (segment := SEGMENT.fullmatch(name)) and (user := _user_of(grant)) and _hands_out(request, response):
        record_segment(user, grant.video, f"{grant.directory}/{segment[1]}", int(segment[2]))
    return response


def _hands_out(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Whether the browser gets bytes, from here or from the bucket."""
    return request.method == "GET" and response.status_code in {200, 206, 302}


def _record_sound(request: HttpRequest, grant: Grant, response: HttpResponseBase) -> None:
    """A range without an end counts to the end of the sound: the server sends all of it."""
    user = _user_of(grant)
    if not user or not _hands_out(request, response):
        return
    begin, end = 0.0, 1.0
    if found := CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", "")):
        first, last, size = map(int, found.groups())
        begin, end = first / size, (last + 1) / size
    record_sound(user, grant.video, grant.directory, begin, end)


def _user_of(grant: Grant) -> int:
    """The id of the user to whom this process has permitted the video; 0 for everyone. No queries."""
    known = _permitted.get((grant.reader.session_key, grant.video)) if grant.reader else None
    return known[1] if known else 0


@open_to_everyone
@require_safe
@plain_text_refusals
def file(request: HttpRequest, token: str) -> HttpResponseBase:
    """A file that a lesson offers, as an attachment; parts of it by ``Range``. Each request checks that one does, and
    that the user for whom the URL was signed may still open it.
    """
    grant = read_file_token(token, now=timezone.now(), reader=claimed_session_key(request))
    upload = offered_file(grant.upload, grant.user)
    return send_upload(request, upload, name=grant.name, until=grant.expires_at, reader=grant.user)


def _refused(refusal: AppError) -> HttpResponse:
    return HttpResponse(
        f"{refusal.title}. {refusal.detail}",
        status=refusal.status,
        content_type="text/plain; charset=utf-8",
        headers={"Cache-Control": "no-store"},
    )


def _missing() -> HttpResponse:
    return HttpResponse("There is no such file.", status=404, content_type="text/plain; charset=utf-8")


def _may_still_watch(grant: Grant, now: datetime) -> bool:
    """Whether the user for whose browser session the URL was signed may still watch the video."""
    if grant.reader is None:
        return True
    user = user_of_session(grant.reader.session_key, now=now)
    video = VideoAsset.objects.filter(uid=grant.video).first()
    if user is None or video is None:
        return False
    may_watch = policies.watch_video(user, video) is None
    if may_watch:
        _permitted.put((grant.reader.session_key, grant.video), (now, user.pk))
    return may_watch


def _was_permitted(grant: Grant, now: datetime) -> bool:
    """Whether this process has found within `PERMISSION_SECONDS` that they may. No queries."""
    if grant.reader is None:
        return True
    known = _permitted.get((grant.reader.session_key, grant.video))
    return known is not None and abs((now - known[0]).total_seconds()) < PERMISSION_SECONDS


def _captions(grant: Grant, uid: str, now: datetime) -> HttpResponse:
    track = CaptionTrack.objects.filter(uid=uid, video__uid=grant.video).first()
    if track is None:
        return _missing()
    return HttpResponse(
        track.webvtt, content_type=MEDIA_TYPES[".vtt"], headers={"Cache-Control": "private, max-age=60"}
    )


def _cache_control(grant: Grant, now: datetime) -> str:
    """Cache-Control for files that never change: the browser may cache them until the URL expires."""
    return f"private, max-age={max(0, int((grant.expires_at - now).total_seconds()))}, immutable"
