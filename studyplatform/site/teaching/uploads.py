"""The upload page: the uploader and, without JavaScript, the state of the user's videos."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import Resolver404, resolve
from django.views.decorators.http import require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.accounts.models import User
from apps.courses import policies
from apps.courses.models import Lesson
from apps.courses.queries.video_lessons import video_lessons_out
from apps.files import queries
from apps.files.errors import FileTooLarge, FormatUnsupported, QuotaExceeded
from apps.files.services import video_suffixes
from studyplatform.kit.text.sizes import as_size

LATEST = 12


@teaches
@require_safe
def uploads(request: HttpRequest) -> HttpResponse:
    """The uploader; ``?lesson=`` names the lesson that the first file is for."""
    user = signed_in_user(request)
    target = _target(user, request.GET.get("lesson", ""))
    storage = queries.storage_of(user)
    limits = limits_of_videos()
    return render(
        request,
        "site/upload.html",
        {
            "props": {
                "endpoint": "/api/v1/uploads/",
                "limits": limits,
                "target": target,
                "links": error_links(),
                "user": str(user.uid),
            },
            "limits": limits,
            "target": target,
            "videos": queries.videos_of(user.pk)[:LATEST],
            "storage": storage,
            "free": as_size(storage.free),
            "allowance": as_size(storage.allowance),
        },
    )


def limits_of_videos() -> dict[str, Any]:
    """The limits that the page states, from the settings that the server enforces."""
    return {
        "video": settings.UPLOAD_LIMITS["video"],
        "videoLabel": as_size(settings.UPLOAD_LIMITS["video"]),
        "fileLabel": as_size(settings.UPLOAD_LIMITS["file"]),
        "formats": list(settings.VIDEO_FORMATS),
        "endings": sorted(video_suffixes()),
    }


def error_links() -> list[str]:
    """The URLs in the actions of upload errors, as far as this version serves them."""
    actions = (error.action for error in (FileTooLarge, FormatUnsupported, QuotaExceeded))
    return [action.href for action in actions if action and _resolves(action.href)]


def _resolves(address: str) -> bool:
    """Whether this version has a page at the address."""
    try:
        resolve(address)
    except Resolver404:
        return False
    return True


def _target(user: User, text: str) -> dict[str, Any] | None:
    """The lesson, if it is a video lesson of a course that the user may edit; otherwise None."""
    try:
        uid = UUID(text)
    except ValueError:
        return None
    lesson = Lesson.objects.select_related("course__draft", "video").filter(uid=uid, kind=Lesson.Kind.VIDEO).first()
    if lesson is None or policies.edit_course(user, lesson.course) is not None:
        return None
    return video_lessons_out([lesson])[0]
