"""The downloads of a lesson, as forms that work without scripts."""

from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from apps.accounts.guards import signed_in_user, teaches
from apps.accounts.policies import teach
from apps.courses import services
from apps.courses.download_form import DownloadForm
from apps.courses.models import Course, Lesson, LessonDownload
from apps.courses.pages.outline import lesson_of, to_lesson
from apps.courses.pages.staffed import course_for_staff
from apps.files.services import check_quota
from studyplatform.kit.errors import AppError, NotFound, ValidationFailed
from studyplatform.kit.web.body_limits import accepts_large_body


@accepts_large_body(settings.UPLOAD_LIMITS["file"], by=teach, room=check_quota)
@teaches
@require_POST
def download_add(request: HttpRequest, slug: str, lesson: str) -> HttpResponse:
    """Store a file and offer it in the lesson."""
    course = course_for_staff(request, slug)
    opened = lesson_of(course, lesson)
    form = DownloadForm(request.POST, request.FILES)
    if form.is_valid():
        given = form.cleaned_data
        try:
            services.upload_download(
                lesson=opened, by=signed_in_user(request), file=given["file"], name=given["name"], now=timezone.now()
            )
        except AppError as refusal:
            messages.warning(request, refusal.detail)
        else:
            messages.success(request, _("The download was added."))
    else:
        messages.warning(request, _first_problem(form))
    return to_lesson(course, opened)


@teaches
@require_POST
def download_remove(request: HttpRequest, slug: str, lesson: str, uid: UUID) -> HttpResponse:
    course = course_for_staff(request, slug)
    opened = lesson_of(course, lesson)
    services.remove_download(download=_download(opened, uid), by=signed_in_user(request), now=timezone.now())
    messages.success(request, _("The download was removed."))
    return to_lesson(course, opened)


@teaches
@require_POST
def download_move(request: HttpRequest, slug: str, lesson: str, uid: UUID) -> HttpResponse:
    course: Course = course_for_staff(request, slug)
    opened = lesson_of(course, lesson)
    moving = _download(opened, uid)
    step = {"up": -1, "down": 1}.get(request.POST.get("to", ""))
    if step is None:
        raise ValidationFailed
    services.move_download(download=moving, by=signed_in_user(request), position=moving.position + step)
    return to_lesson(course, opened)


def _download(lesson: Lesson, uid: UUID) -> LessonDownload:
    found = lesson.downloads.filter(uid=uid).first()
    if found is None:
        raise NotFound
    found.lesson = lesson
    return found


def _first_problem(form: forms.Form) -> str:
    return str(next(iter(form.errors.values()))[0])
