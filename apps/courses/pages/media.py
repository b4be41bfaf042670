"""Forms for the video, captions, chapters and file of a lesson."""

import re
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.accounts.policies import teach
from apps.courses import services
from apps.courses.errors import VideoNotYours, WrongLessonKind
from apps.courses.external_video_form import ExternalVideoForm
from apps.courses.forms import AttachmentForm, ChaptersForm
from apps.courses.models import Lesson
from apps.courses.pages.outline import lesson_of, show, to_lesson
from apps.courses.pages.staffed import course_for_staff
from apps.courses.policies import edit_course
from apps.files import library_queries as library
from apps.files.errors import CoverNotThere
from apps.files.models import VideoAsset
from apps.files.services import (
    check_quota,
    choose_cover,
)
from studyplatform.kit.errors import NotFound, ValidationFailed
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.body_limits import accepts_large_body

_TIME = re.compile(r"(?:(\d{1,2}):)?(\d{1,3}):([0-5]\d(?:[.,]\d{1,3})?)", re.ASCII)

FILES_PER_PAGE = 20
MOST_FOLDERS = 50


@teaches
@require_POST
def video(request: HttpRequest, slug: str, lesson: str) -> HttpResponse:
    """Set the lesson's video, or remove it."""
    course = course_for_staff(request, slug)
    opened = lesson_of(course, lesson)
    chosen = _video(request.POST.get("video", ""))
    services.attach_video(lesson=opened, by=signed_in_user(request), video=chosen, now=timezone.now())
    messages.success(
        request, _("The video was added to the lesson.") if chosen else _("The video was removed from the lesson.")
    )
    return to_lesson(course, opened)


@teaches
@require_POST
def cover(request: HttpRequest, slug: str, lesson: str) -> HttpResponse:
    """Choose the cover of the lesson's video: the frame of a moment, or the one that processing has found."""
    course = course_for_staff(request, slug)
    opened = lesson_of(course, lesson)
    user = signed_in_user(request)
    enforce(edit_course(user, course))
    if opened.video is None:
        raise WrongLessonKind
    at = None if "automatic" in request.POST else _second(request.POST.get("time", ""))
    if at is None and "automatic" not in request.POST:
        messages.error(request, _("Enter a time such as 1:30."))
        return to_lesson(course, opened)
    try:
        choose_cover(video=opened.video, by=user, at=at)
    except CoverNotThere as refusal:
        messages.error(request, refusal.detail)
        return to_lesson(course, opened)
    messages.success(request, _("The cover was changed."))
    return to_lesson(course, opened)


@teaches
@require_POST
def external_video(request: HttpRequest, slug: str, lesson: str) -> HttpResponse:
    """Let the lesson show a video of another host by its address, or none."""
    course = course_for_staff(request, slug)
    opened = lesson_of(course, lesson)
    form = ExternalVideoForm(request.POST)
    if "remove" not in request.POST and not form.is_valid():
        return show(request, course, opened=opened, external_form=form)
    chosen = None if "remove" in request.POST else form.cleaned_data["external_video"]
    if chosen is None and "remove" not in request.POST:
        form.add_error("external_video", _("Enter the address of a video."))
        return show(request, course, opened=opened, external_form=form)
    services.set_external_video(
        lesson=opened,
        by=signed_in_user(request),
        video=chosen,
        length=form.cleaned_data["external_length"] if chosen else None,
        now=timezone.now(),
    )
    messages.success(
        request, _("The lesson now shows this video.") if chosen else _("The video was removed from the lesson.")
    )
    return to_lesson(course, opened)


@accepts_large_body(settings.UPLOAD_LIMITS["file"], by=teach, room=check_quota)
@teaches
@require_POST
def file(request: HttpRequest, slug: str, lesson: str) -> HttpResponse:
    """Set the file of a file lesson: from a form (without the resumable upload of the script), or from the user's
    library; or remove it."""
    course = course_for_staff(request, slug)
    opened = lesson_of(course, lesson)
    if "remove" in request.POST:
        services.attach_file(lesson=opened, by=signed_in_user(request), source=None, now=timezone.now())
        messages.success(request, _("The file was removed."))
        return to_lesson(course, opened)
    if "library" in request.POST:
        chosen = library.file_for(signed_in_user(request), _uid(request.POST["library"]))
        services.attach_file(lesson=opened, by=signed_in_user(request), source=chosen, now=timezone.now())
        messages.success(request, _("“%s” is ready to download.") % opened.shown_file_name)
        return to_lesson(course, opened)
    form = AttachmentForm(request.POST, request.FILES)
    if not form.is_valid():
        messages.error(request, str(form.errors["file"][0]))
        return to_lesson(course, opened)
    sent = form.cleaned_data["file"]
    services.upload_file(lesson=opened, by=signed_in_user(request), file=sent, name=sent.name, now=timezone.now())
    messages.success(request, _("“%s” is ready to download.") % opened.shown_file_name)
    return to_lesson(course, opened)


@teaches
@require_safe
@never_cache
def file_choice(request: HttpRequest, slug: str, lesson: str) -> HttpResponse:
    """Choose the file of a file lesson from the user's library: a folder, or what a search within it finds."""
    course = course_for_staff(request, slug)
    opened = lesson_of(course, lesson)
    user = signed_in_user(request)
    enforce(edit_course(user, course))
    if opened.kind != Lesson.Kind.FILE:
        raise WrongLessonKind
    folder = library.folder_for(user, _uid(uid)) if (uid := request.GET.get("folder", "")) else None
    if folder is not None and folder.deleted_at is not None:
        raise NotFound
    text = request.GET.get("q", "").strip()[:100]
    found = library.search_files(user, folder, text, "modified") if text else library.files_in(user, folder, "modified")
    page = Paginator(found, FILES_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "course": course,
        "opened": opened,
        "here": folder,
        "above": library.above(folder) if folder is not None else [],
        "folders": [] if text or page.number > 1 else list(library.folders_in(user, folder)[:MOST_FOLDERS]),
        "page": page,
        "q": text,
    }
    return render(request, "courses/studio/choose_file.html", context)


@teaches
@require_POST
def chapters(request: HttpRequest, slug: str, lesson: str) -> HttpResponse:
    """Replace the chapters of the lesson's video."""
    course = course_for_staff(request, slug)
    opened = lesson_of(course, lesson)
    if opened.video is None and not opened.external_video:
        raise WrongLessonKind
    duration = opened.video.duration if opened.video else opened.duration
    form = ChaptersForm(request.POST, duration=duration)
    if not form.is_valid():
        enforce(edit_course(signed_in_user(request), course))
        return show(request, course, opened=opened, chapters_form=form)
    found = form.cleaned_data["chapters"]
    services.set_chapters(lesson=opened, by=signed_in_user(request), chapters=found)
    text = ngettext("The video now has %d chapter.", "The video now has %d chapters.", len(found)) % len(found)
    messages.success(request, text if found else _("The chapters were removed."))
    return to_lesson(course, opened)


def _uid(text: str) -> UUID:
    """
    :raises NotFound: the text is no uid.
    """
    try:
        return UUID(text)
    except ValueError:
        raise NotFound from None


def _video(uid: str) -> VideoAsset | None:
    if not uid:
        return None
    try:
        return VideoAsset.objects.get(uid=UUID(uid))
    except ValueError:
        raise ValidationFailed from None
    except VideoAsset.DoesNotExist:
        raise VideoNotYours from None


def _second(typed: str) -> float | None:
    """The second that a time such as 1:30 names; None if it is no time."""
    found = _TIME.fullmatch(typed.strip())
    if found is None:
        return None
    return int(found[1] or 0) * 3600 + int(found[2]) * 60 + float(found[3].replace(",", "."))
