"""What the pages of a video and of its audio show beside the player."""

from math import isfinite
from typing import Any

from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static

from apps.courses.models import Lesson
from apps.courses.queries.external_videos import external_video_of, policy_sources
from apps.learning.queries.lessons import OpenLesson
from apps.learning.queries.transcript import paragraphs_of


def watching(request: HttpRequest, opened: OpenLesson, props: dict[str, Any]) -> dict[str, Any]:
    """Return the props of the player (a ``PlayerOut``), the second at which it begins, and the transcript."""
    tracks = opened.known.tracks
    return {
        "props": props,
        "begin": _begin(request.GET.get("t", ""), props),
        "paragraphs": paragraphs_of(tracks[0].webvtt) if tracks else (),
    }


def with_external_sources(request: HttpRequest, response: HttpResponse, lesson: Lesson) -> HttpResponse:
    """Let the page load the lesson's video of another host, if it shows one: nothing else does."""
    video = external_video_of(lesson)
    if video is None:
        return response
    csp_update(policy_sources(video))(lambda _request: response)(request)
    return response


def structured_video(opened: OpenLesson) -> dict[str, Any] | None:
    """Return a public lesson's video of another host as schema.org structured data; None for other lessons."""
    lesson, course, video = opened.lesson, opened.course, external_video_of(opened.lesson)
    if video is None or not opened.known.is_public:
        return None
    begun = course.published_at or course.created_at
    facts: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "VideoObject",
        "name": lesson.title,
        "description": opened.known.opening or lesson.title,
        "uploadDate": begun.isoformat(),
        "thumbnailUrl": f"{settings.SITE_URL}{static('img/og.png')}",
        "inLanguage": course.language,
        "embedUrl" if video.frame_address else "contentUrl": video.frame_address or video.media_address,
    }
    return {**facts, "duration": f"PT{lesson.duration}S"} if lesson.duration else facts


def _begin(asked: str, props: dict[str, Any]) -> float:
    """The second of the address, ``?t=436``, or where the learner stopped.

    The player decides the same (islands/player/index.tsx).
    """
    try:
        second = float(asked)
    except ValueError:
        second = -1.0
    if not (isfinite(second) and second >= 0):
        return float(props["position"])
    return min(second, float(props["duration"])) if props["duration"] > 0 else second
