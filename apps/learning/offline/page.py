"""The page of an offline lesson: what stands in its <main>, rendered by the templates of the lesson's own page."""

import re
import secrets
from dataclasses import dataclass
from datetime import datetime
from html import unescape
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string

from apps.courses.models import Lesson
from apps.learning.activity.reading import seconds_to_wait
from apps.learning.offline.localizing import Localizer
from apps.learning.offline.resources import AUDIO, VideoResources, lesson_file_name, local_address
from apps.learning.pages.lesson_context import shared_context
from apps.learning.pages.watching import watching
from apps.learning.queries.lessons import OpenLesson
from apps.learning.queries.player import player_out
from apps.learning.queries.quizzes import quiz_ahead
from studyplatform.kit.text.sizes import as_size

_MARK = f"offline-{secrets.token_hex(16)}"
_MAIN_CLASS = re.compile(r'\bclass="([^"]*)"')


@dataclass(frozen=True)
class PageParts:
    """What a page of one kind of lesson is made of: template, its own context, scripts beside those of the shell."""

    template: str
    context: dict[str, Any]
    scripts: tuple[str, ...] = ("timeline",)


def render_page(
    request: HttpRequest,
    opened: OpenLesson,
    localizer: Localizer,
    *,
    video: VideoResources | None,
    quiz: dict[str, Any] | None,
    now: datetime,
) -> dict[str, Any]:
    """Return the shape ``OfflinePage``. ``video`` and ``quiz`` are those of a lesson of that kind."""
    if video is not None:
        parts = _video(request, opened, localizer, video)
    elif quiz is not None:
        parts = PageParts("learning/lesson_quiz.html", {"props": quiz})
    elif opened.lesson.kind == Lesson.Kind.FILE:
        parts = _file(opened)
    else:
        parts = _text(opened, now)
    context = {**shared_context(request, opened, is_offline=True), **parts.context, "mark": _MARK}
    rendered = render_to_string(parts.template, context, request)
    sheets, title, main_attributes, html = rendered.split(_MARK)
    main_class = _MAIN_CLASS.search(main_attributes)
    return {
        "title": unescape(title.strip()),
        "main_class": main_class[1] if main_class else "",
        "html": localizer.html(html.strip()),
        "sheets": sheets.split(),
        "scripts": list(parts.scripts),
    }


def _video(request: HttpRequest, opened: OpenLesson, localizer: Localizer, video: VideoResources) -> PageParts:
    props = localizer.data(player_out(opened, video.sources))
    props["downloads"] = []  # the page lists them
    if video.quality == AUDIO:
        props["is_listening"] = True
        return PageParts("learning/audio.html", watching(request, opened, props))
    context = {**watching(request, opened, props), "quiz": quiz_ahead(opened), "structured": None}
    return PageParts("learning/lesson_video.html", context)


def _text(opened: OpenLesson, now: datetime) -> PageParts:
    """The whole reading time begins when the text is opened on the device."""
    is_done = opened.standing.has_completed(opened.lesson.pk)
    wait = 0 if is_done else seconds_to_wait(opened.lesson.body, opened_at=now, now=now)
    return PageParts("learning/lesson_text.html", {"wait": wait}, ("lesson", "timeline"))


def _file(opened: OpenLesson) -> PageParts:
    lesson = opened.lesson
    context = {
        "file": lesson.file,
        "size": as_size(lesson.file.length) if lesson.file else "",
        "file_address": local_address(lesson, lesson_file_name(lesson)),
    }
    return PageParts("learning/lesson_file.html", context, ("lesson", "timeline"))
