"""What the pages of a video and of its audio show beside the player."""

from math import isfinite
from typing import Any

from django.http import HttpRequest

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
