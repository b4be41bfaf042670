"""Pages of captions: add a file, confirm its encoding, see what was changed to read it, download."""

from collections.abc import Sequence
from pathlib import PurePath
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.accounts.policies import teach
from apps.courses import services
from apps.courses.errors import WrongLessonKind
from apps.courses.forms import CaptionsForm
from apps.courses.models import Course, Lesson
from apps.courses.pages.captions_editor import show_captions_editor
from apps.courses.pages.outline import lesson_of, to_lesson
from apps.courses.pages.staffed import course_for_staff
from apps.courses.policies import edit_course
from apps.files.errors import CaptionEncodingUncertain, CaptionsUnreadable
from apps.files.models import CaptionTrack
from apps.files.queries import caption_lines, plain_lines
from apps.files.services import (
    MAX_CAPTION_BYTES,
    begin_transcription,
    caption_encodings,
    discard_caption_draft,
    language_name,
    read_captions,
    report_of_reading,
    report_of_track,
)
from apps.files.services import caption_draft as find_caption_draft
from studyplatform.kit.errors import AppError, NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.body_limits import accepts_large_body

CUES_PER_PAGE = 50


@accepts_large_body(MAX_CAPTION_BYTES, by=teach)
@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def captions(request: HttpRequest, slug: str, lesson: str) -> HttpResponse:
    """Edit captions beside the video. A form adds captions from a file, or removes those of one language."""
    course = course_for_staff(request, slug)
    opened = lesson_of(course, lesson)
    user, now = signed_in_user(request), timezone.now()
    if request.method != "POST":
        return show_captions_editor(request, course, opened)
    if language := request.POST.get("remove"):
        services.remove_captions(lesson=opened, by=user, language=language, now=now)
        messages.success(request, _("The captions were removed."))
        return to_lesson(course, opened)
    if "automatic" in request.POST:
        return _write_captions(request, course, opened)
    form = CaptionsForm(request.POST, request.FILES)
    if not form.is_valid():
        messages.error(request, str(next(iter(form.errors.values()))[0]))
        return to_lesson(course, opened)
    language, sent = form.cleaned_data["language"], form.cleaned_data["file"]
    raw, label = sent.read(MAX_CAPTION_BYTES + 1), language_name(language)
    try:
        track = services.add_captions(lesson=opened, by=user, raw=raw, language=language, label=label, now=now)
    except CaptionEncodingUncertain:
        draft = services.keep_caption_draft(
            lesson=opened, by=user, raw=raw, filename=sent.name, language=language, now=now
        )
        return redirect("courses:studio-caption-draft", course.slug, opened.slug, draft.uid)
    return _added(request, course, opened, track)


def _write_captions(request: HttpRequest, course: Course, lesson: Lesson) -> HttpResponse:
    """Let a model write the captions of the lesson's video; the editor shows them when they are ready."""
    user = signed_in_user(request)
    enforce(edit_course(user, course))
    if lesson.video is None:
        raise WrongLessonKind
    try:
        begin_transcription(video=lesson.video, by=user, language="", now=timezone.now())
        messages.success(request, _("The captions are being written. The editor shows them when they are ready."))
    except AppError as refusal:
        messages.error(request, refusal.detail)
    return to_lesson(course, lesson)


def _added(request: HttpRequest, course: Course, lesson: Lesson, track: CaptionTrack) -> HttpResponse:
    """Say that captions were added; if anything of the file was changed, on the page that lists it."""
    messages.success(request, _("%s captions were added.") % track.label)
    if track.finding_counts:
        return redirect("courses:studio-caption-track", course.slug, lesson.slug, track.uid)
    return to_lesson(course, lesson)


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def caption_draft(request: HttpRequest, slug: str, lesson: str, uid: UUID) -> HttpResponse:
    """Show a caption file in the encoding that it seems to have, or another; its author confirms one."""
    course = course_for_staff(request, slug)
    opened, user, now = lesson_of(course, lesson), signed_in_user(request), timezone.now()
    enforce(edit_course(user, course))
    if opened.video is None:
        raise WrongLessonKind
    draft = find_caption_draft(video=opened.video, by=user, uid=uid, now=now)
    encodings = caption_encodings()
    chosen = (request.POST or request.GET).get("encoding", "")
    chosen = chosen if chosen in encodings else ""
    if request.method == "POST" and "discard" in request.POST:
        discard_caption_draft(draft=draft)
        messages.success(request, _("The caption file was discarded."))
        return to_lesson(course, opened)
    if request.method == "POST" and chosen:
        track = services.confirm_caption_draft(draft=draft, lesson=opened, by=user, encoding=chosen, now=now)
        return _added(request, course, opened, track)
    reading, refusal = None, ""
    try:
        reading = read_captions(bytes(draft.raw), language=draft.language, encoding=chosen)
    except CaptionsUnreadable as problem:  # in this encoding it is no caption file
        refusal = problem.detail
    context = {
        "course": course,
        "opened": opened,
        "draft": draft,
        "label": language_name(draft.language),
        "encoding": reading.encoding if reading else chosen,
        "encodings": encodings,
        "refusal": refusal,
        "report": report_of_reading(reading) if reading else None,
        "page": _cue_page(request, [(cue.begin, plain_lines(cue.text)) for cue in reading.cues] if reading else []),
    }
    return render(request, "courses/studio/captions.html", context)


@teaches
@require_safe
@never_cache
def caption_track(request: HttpRequest, slug: str, lesson: str, uid: UUID) -> HttpResponse:
    """Show the captions of a video in one language, and what was changed to read their file; or download them."""
    course = course_for_staff(request, slug)
    opened = lesson_of(course, lesson)
    track = opened.video.captions.filter(uid=uid).first() if opened.video else None
    if track is None:
        raise NotFound
    if "download" in request.GET:
        name = f"{PurePath(opened.video.filename).stem}.{track.language}.vtt" if opened.video else ""
        answer = HttpResponse(track.webvtt, content_type="text/vtt; charset=utf-8")
        answer["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name) or "attachment"
        return answer
    context = {
        "course": course,
        "opened": opened,
        "track": track,
        "label": track.label,
        "report": report_of_track(track),
        "page": _cue_page(request, caption_lines(track.webvtt)),
    }
    return render(request, "courses/studio/captions.html", context)


def _cue_page(request: HttpRequest, cues: Sequence[tuple[float, str]]) -> Page[tuple[float, str]]:
    return Paginator(cues, CUES_PER_PAGE).get_page(request.GET.get("page"))
