"""The page on which captions are edited beside the video, and files of what is edited."""

from pathlib import PurePath
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.guards import require_session_key, signed_in_user, teaches
from apps.courses.correction_policies import edit_captions
from apps.courses.errors import WrongLessonKind
from apps.courses.forms import CaptionsForm
from apps.courses.models import Course, Lesson
from apps.courses.pages.outline import lesson_of
from apps.courses.pages.staffed import course_for_staff
from apps.courses.policies import edit_course
from apps.files.models import VideoAsset
from apps.files.services import (
    can_transcribe,
    can_translate,
    caption_encodings,
    caption_languages,
    is_language,
    language_name,
    open_captions,
    sign_link,
)
from apps.files.services.caption_sheets import export_captions, sheets_of
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import Verdict


def show_captions_editor(request: HttpRequest, course: Course, opened: Lesson) -> HttpResponse:
    """Show the captions of a lesson's video; without scripts, its tracks and a form for a file.

    :raises WrongLessonKind: the lesson has no video.
    """
    if opened.video is None:
        raise WrongLessonKind
    lock = edit_captions(signed_in_user(request), course, opened.video)
    context = {
        "course": course,
        "opened": opened,
        "tracks": list(opened.video.captions.defer("webvtt").order_by("language")),
        "captions_form": CaptionsForm(),
        "lock": lock,
        "editor": _props(request, course, opened, opened.video, lock=lock),
    }
    return render(request, "courses/studio/captions_editor.html", context)


def _props(request: HttpRequest, course: Course, opened: Lesson, video: VideoAsset, *, lock: Verdict) -> dict[str, Any]:
    """Return what the island needs: the video, the languages, and where captions are saved."""
    chapters_lock = edit_course(signed_in_user(request), course)
    sources = sign_link(video=video, now=timezone.now(), audience=require_session_key(request))
    sheets = sheets_of(video)
    names = dict(caption_languages())
    first = course.language if course.language in sheets or not sheets else next(iter(sheets))
    return {
        "author": str(signed_in_user(request).uid),
        "lesson": str(opened.uid),
        "video": str(video.uid),
        "title": opened.title,
        "duration": video.duration,
        "sources": sources and {"master": sources.master, "audio": sources.audio, "sound": sources.sound},
        "poster": sources.poster if sources else None,
        "has_audio": video.has_audio,
        "can_transcribe": video.has_audio and video.is_playable and can_transcribe(),
        "can_translate": can_translate(),
        "is_locked": lock is not None,
        "lock_reason": _reason_of(lock),
        "are_chapters_locked": chapters_lock is not None,
        "chapters_lock_reason": _reason_of(chapters_lock),
        "language": first,
        "languages": [
            {"tag": tag, "name": name, "has_captions": tag in sheets}
            for tag, name in sorted(
                (names | {tag: language_name(tag) for tag in sheets} | {first: language_name(first)}).items(),
                key=lambda each: each[1],
            )
        ],
        "encodings": caption_encodings(),
        "export": reverse("courses:studio-captions-export", args=[course.slug, opened.slug, "LANGUAGE"]),
        "chapters": [{"start": start, "title": title} for start, title in opened.chapters],
    }


def _reason_of(refusal: Verdict) -> str:
    """Return why something can only be read, in sentences; "" if it can be changed."""
    return f"{refusal.title}. {refusal.detail}" if refusal else ""


@teaches
@require_safe
@never_cache
def export(request: HttpRequest, slug: str, lesson: str, language: str) -> HttpResponse:
    """Download captions as they are edited now: as WebVTT, or as SubRip in the encoding that ``encoding`` names."""
    course = course_for_staff(request, slug)
    video = lesson_of(course, lesson).video
    form, encoding = request.GET.get("format", "vtt"), request.GET.get("encoding", "utf-8")
    if video is None or not is_language(language) or form not in {"vtt", "srt"} or encoding not in caption_encodings():
        raise NotFound
    raw = export_captions(open_captions(video=video, language=language), form=form, encoding=encoding)
    kind = f"text/vtt; charset={encoding}" if form == "vtt" else "application/x-subrip"
    answer = HttpResponse(raw, content_type=kind)
    name = f"{PurePath(video.filename).stem}.{language}.{form}"
    answer["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name) or "attachment"
    return answer
