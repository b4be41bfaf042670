"""All that a device stores of a lesson, in one answer."""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest
from django.utils.translation import gettext as _

from apps.accounts.guards import require_session_key, signed_in_user
from apps.accounts.models import User
from apps.courses.models import CourseFile, Lesson
from apps.learning import services
from apps.learning.errors import OfflineNotPossible
from apps.learning.models import OfflineDevice
from apps.learning.offline.localizing import Localizer, course_files_in
from apps.learning.offline.page import render_page
from apps.learning.offline.resources import (
    VideoResources,
    course_file_resources,
    lesson_file_resource,
    local_files,
    video_resources,
)
from apps.learning.offline.shell import shell_build
from apps.learning.queries.addresses import lesson_url
from apps.learning.queries.lessons import OpenLesson, lesson_of
from apps.learning.queries.notes import Rendering, note_out, notes_of_lesson
from apps.learning.queries.offline_lessons import enforce_storing, expiry_for, lessons_before, refusal_out
from apps.learning.queries.offline_papers import paper_out
from apps.learning.queries.offline_stamps import stamps_of, states_of
from apps.learning.queries.quizzes import quiz_page_out
from apps.learning.queries.storable_course import offline_course_out
from apps.learning.services.notes import MOST_ROWS
from studyplatform.kit.errors import AppError


def package_out(
    request: HttpRequest, device: OfflineDevice, lesson_uid: UUID, *, quality: str, now: datetime
) -> dict[str, Any]:
    """Return the shape ``OfflineLessonOut`` for a device of the signed-in learner.

    :raises AppError: the lesson may not be stored, or can't be.
    """
    user = signed_in_user(request)
    opened = lesson_of(user, lesson_uid)
    enrollment = enforce_storing(user, opened)
    lesson, course = opened.lesson, opened.course
    state = states_of(user, [lesson])[lesson.pk]  # before it is read: what changes meanwhile is asked for again
    expires_at = expiry_for(user, course, now)
    video = _video_of(request, opened, quality, expires_at, now)
    quiz, paper, paper_refusal = _quiz_of(user, device, opened, now)
    files = _files_of(opened, [quiz, paper])
    local = local_files(lesson, files, opened.known.downloads)
    localizer = Localizer(local)
    quiz, paper = localizer.data(quiz), localizer.data(paper)
    page = render_page(request, opened, localizer, video=video, quiz=quiz, now=now)
    resources = [
        *(video.resources if video is not None else []),
        *(_file_of(request, opened, user, now)),
        *course_file_resources(files, local, localizer.pictures),
    ]
    services.hand_out_lesson(user=user, device=device, enrollment=enrollment, lesson=lesson, now=now)
    part = opened.outline.part_of(lesson.pk)
    rendering = Rendering()
    return {
        "uid": str(lesson.uid),
        "course": offline_course_out(course),
        "section": {"number": part.number if part else 0, "title": lesson.section.title},
        "number": lesson.number,
        "title": lesson.title,
        "kind": lesson.kind,
        "duration": lesson.duration,
        "url": lesson_url(course.slug, lesson.slug),
        "quality": video.quality if video is not None else "",
        "is_completed": opened.standing.has_completed(lesson.pk),
        "requires": [str(entry.uid) for entry in lessons_before(opened)],
        "now": now,
        "expires_at": expires_at,
        "stamp": stamps_of([lesson])[lesson.pk],
        "state": state,
        "build": shell_build(),
        "page": page,
        # With deleted ones: the device may have an older copy.
        "notes": [note_out(one, rendering) for one in notes_of_lesson(user, lesson.uid, is_kept=False)[:MOST_ROWS]],
        "quiz": quiz,
        "paper": paper,
        "paper_refusal": refusal_out(paper_refusal),
        "resources": resources,
        "size": sum(resource["size"] or 0 for resource in resources),
    }


def _video_of(
    request: HttpRequest, opened: OpenLesson, quality: str, expires_at: datetime, now: datetime
) -> VideoResources | None:
    if opened.lesson.kind != Lesson.Kind.VIDEO:
        return None
    session_key = require_session_key(request)
    found = video_resources(opened, quality, session_key=session_key, expires_at=expires_at, now=now)
    if found is None:
        raise OfflineNotPossible(reason=_("Its video is still being processed."))
    return found


def _quiz_of(
    user: User, device: OfflineDevice, opened: OpenLesson, now: datetime
) -> tuple[dict[str, Any] | None, dict[str, Any] | None, AppError | None]:
    """Return the quiz without an attempt that is open, the sealed questions of the next one, or why there are none."""
    if opened.lesson.kind != Lesson.Kind.QUIZ:
        return None, None, None
    quiz = quiz_page_out(opened, now=now)
    if quiz["attempt"] is not None and quiz["attempt"]["submitted_at"] is None:
        quiz["attempt"] = None  # it is continued with a connection: by then it may have ended
    try:
        paper = services.seal_paper(user=user, device=device, lesson=opened.lesson, now=now)
    except AppError as refusal:
        return quiz, None, refusal
    return quiz, paper_out(paper, now), None


def _files_of(opened: OpenLesson, data: Iterable[object]) -> list[CourseFile]:
    """Return the course files that the lesson shows, links or offers, with their uploads. One query."""
    lesson = opened.lesson
    texts = [lesson.body, *(json.dumps(one, cls=DjangoJSONEncoder) for one in data)]
    uids = course_files_in(texts) | {download.file.uid for download in opened.known.downloads}
    if not uids:
        return []
    found = CourseFile.objects.filter(course=opened.course, uid__in=uids, upload__completed_at__isnull=False)
    return list(found.select_related("upload").order_by("pk"))


def _file_of(request: HttpRequest, opened: OpenLesson, user: User, now: datetime) -> list[dict[str, Any]]:
    if opened.lesson.kind != Lesson.Kind.FILE:
        return []
    return [lesson_file_resource(opened.lesson, user, session_key=require_session_key(request), now=now)]
