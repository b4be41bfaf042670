"""Send parts of a video to someone for whom the caller has decided at this request, without a signed address."""

import re

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from apps.files.models import CaptionTrack, VideoAsset
from apps.files.storage import MEDIA_TYPES, audio_segments
from apps.files.streaming import send_concatenated, send_stored
from studyplatform.kit.errors import NotFound

# Exactly the names that the pipeline writes. Any other name is not found, so that no path can leave the directory.
PUBLISHED = re.compile(
    r"master\.m3u8|poster\.jpg|cover-[0-9a-f]{12}\.jpg|storyboard\.vtt|storyboard-\d{1,4}\.jpg|"
    r"(?:1080p|720p|480p|audio)/(?:index\.m3u8|init\.mp4|\d{5,6}\.m4s)",
    re.ASCII,
)
SOUND = "sound.m4a"
CAPTIONS = re.compile(r"captions/([0-9a-f]{32})\.vtt", re.ASCII)


def send_video_part(request: HttpRequest, *, video: VideoAsset, name: str, cache: str) -> HttpResponseBase:
    """Send a playlist, a segment, a picture, the sound or captions of a video. ``cache``: the value of Cache-Control.

    :raises NotFound: the video has no such part.
    """
    if not video.is_playable:
        raise NotFound
    if captions := CAPTIONS.fullmatch(name):
        track = CaptionTrack.objects.filter(uid=captions[1], video=video).first()
        if track is None:
            raise NotFound
        return HttpResponse(track.webvtt, content_type=MEDIA_TYPES[".vtt"], headers={"Cache-Control": cache})
    try:
        if name == SOUND:
            return send_concatenated(request, audio_segments(video.directory), kind="audio/mp4", cache=cache)
        if PUBLISHED.fullmatch(name):
            return send_stored(request, f"{video.directory}/{name}", cache=cache)
    except FileNotFoundError:
        raise NotFound from None
    raise NotFound
