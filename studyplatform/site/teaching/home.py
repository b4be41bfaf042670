"""The instructor's dashboard: tasks, courses, reviews and figures."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.accounts.models import User
from apps.courses.models import Course, Right, Submission, taught_by
from apps.courses.queries import authoring, review
from apps.files.models import VideoAsset
from studyplatform.kit.extensions import instructor_tiles, tiles_for
from studyplatform.kit.text import content

LATEST = 8


@teaches
@require_safe
def instructor_home(request: HttpRequest) -> HttpResponse:
    """Tasks, courses and the state of reviews of the signed-in instructor."""
    user = signed_in_user(request)
    now = timezone.now()
    courses = list(authoring.courses_of(user)[:LATEST])
    return render(
        request,
        "site/instructor.html",
        {
            "tiles": tiles_for(instructor_tiles, user, now=now),
            "rows": [(course, authoring.course_badge(course)) for course in courses],
            "waiting": [
                (submission, review.due(submission.submitted_at, now))
                for submission in Submission.objects.filter(
                    taught_by(user.pk, Right.VIEW, "course__"), outcome=Submission.Outcome.PENDING
                ).select_related("course")
            ],
            "todos": _todos(user, courses),
        },
    )


def _todos(user: User, courses: list[Course]) -> list[dict[str, Any]]:
    """Problems that only the instructor can fix, the most urgent first."""
    found: list[dict[str, Any]] = []
    for course in courses:
        address = f"/dashboard/instructor/courses/{course.slug}"
        if course.status == Course.Status.SUSPENDED:
            found.append(_todo("error", "circle-alert", _("%s is suspended") % course.title, "", f"{address}/edit"))
        elif course.status == Course.Status.DRAFT and course.last_outcome in {"changes_requested", "rejected"}:  # type: ignore[attr-defined]
            said = content.plain_text(course.last_comment, content.COMMENT)[:160]  # type: ignore[attr-defined]
            found.append(
                _todo("info", "pencil", _("%s: the reviewer requested changes") % course.title, said, f"{address}/edit")
            )
    failed = VideoAsset.objects.filter(owner=user, stage=VideoAsset.Stage.FAILED).order_by("-created_at")[:5]
    for video in failed:
        detail = video.failure_detail or video.failure_label
        found.append(_todo("warn", "film", video.filename, detail, "/dashboard/instructor/upload/"))
    return found


def _todo(tone: str, icon: str, title: str, text: str, href: str) -> dict[str, Any]:
    return {"tone": tone, "icon": icon, "title": title, "text": text, "href": href}
