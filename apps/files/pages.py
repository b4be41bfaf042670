"""The media addresses. Their token is the permission; who got it, in which browser, was decided at its signing."""

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
from apps.files import policies, queries
from apps.files.errors import LinkExpired
from apps.files.models import CaptionTrack, VideoAsset
from apps.files.services.media_links import Grant, read_file_token, read_token
from apps.files.storage import MEDIA_TYPES, audio_segments
from apps.files.streaming import send_concatenated, send_stored, send_upload
from studyplatform.kit.errors import AppError
from studyplatform.kit.web.failures import refusal_of

# Exactly what the pipeline makes. A name that is not of this shape does not exist, wherever it points.
MADE = re.compile(
    r"master\.m3u8|poster\.jpg|storyboard\.vtt|storyboard-\d{1,4}\.jpg|"
    r"(?:1080p|720p|480p|audio)/(?:index\.m3u8|init\.mp4|\d{5,6}\.m4s)",
    re.ASCII,
)
SOUND = "sound.m4a"
CAPTIONS = re.compile(r"captions/([0-9a-f]{32})\.vtt", re.ASCII)


P = ParamSpec("P")


def _in_plain_words(page: Callable[P, HttpResponseBase]) -> Callable[P, HttpResponseBase]:
    """A player, an <img> or a download asks here, not a person: what fails is told by a status and a line, no page."""

    @wraps(page)
    def told(*args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            return page(*args, **kwargs)
        except FileNotFoundError:
            return _missing()
        except Exception as error:
            if (failure := refusal_of(error)) is None:
                raise
            return _refused(failure)

    return told


@open_to_everyone
@require_safe
@_in_plain_words
def media(request: HttpRequest, token: str, name: str) -> HttpResponseBase:
    """One file of a video."""
    now = timezone.now()
    grant = read_token(token, now=now, reader=claimed_session_key(request))
    caption = CAPTIONS.fullmatch(name)
    # Asked again where playing begins; not for each segment (docs/adr/0008).
    if (caption or name.endswith(".m3u8")) and not _may_still_watch(grant, now):
        raise LinkExpired
    if caption:
        return _captions(grant, caption.group(1), now)
    if name != SOUND and not MADE.fullmatch(name):
        return _missing()
    # The list of renditions grows while a video is processed.
    cache = "private, max-age=5" if name.endswith(".m3u8") else _until(grant, now)
    if name == SOUND:
        return send_concatenated(request, audio_segments(grant.directory), kind="audio/mp4", cache=cache)
    # Playlists and pictures are small; of a film's gigabytes none passes through here that lies elsewhere.
    return send_stored(
        request,
        f"{grant.directory}/{name}",
        cache=cache,
        is_large=name.endswith(".m4s"),
        until=grant.expires_at,
    )


@open_to_everyone
@require_safe
@_in_plain_words
def file(request: HttpRequest, token: str) -> HttpResponseBase:
    """A file that somebody is handed, as an attachment; parts of it by ``Range``."""
    uid, until = read_file_token(token, now=timezone.now(), reader=claimed_session_key(request))
    return send_upload(request, queries.complete_file(uid), until=until)


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
    """Whether the person whose browser session the address was made for could get it today."""
    if grant.reader is None:
        return True
    user = user_of_session(grant.reader.session_key, now=now)
    video = VideoAsset.objects.filter(uid=grant.video).first()
    return user is not None and video is not None and policies.watch_video(user, video) is None


def _captions(grant: Grant, uid: str, now: datetime) -> HttpResponse:
    track = CaptionTrack.objects.filter(uid=uid, video__uid=grant.video).first()
    if track is None:
        return _missing()
    return HttpResponse(
        track.webvtt, content_type=MEDIA_TYPES[".vtt"], headers={"Cache-Control": "private, max-age=60"}
    )


def _until(grant: Grant, now: datetime) -> str:
    """The files of a version never change; the browser may keep them as long as the address is good."""
    return f"private, max-age={max(0, int((grant.expires_at - now).total_seconds()))}, immutable"
