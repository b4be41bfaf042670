"""What the lesson player needs: the shapes of the API, with signed addresses of the media."""

import math
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.db.models import BigIntegerField

from apps.accounts.guards import SessionKey
from apps.courses.models import Course, Lesson
from apps.courses.queries.chapters import chapters_of_captions
from apps.courses.queries.external_videos import EMBEDDED, ExternalVideo, external_video_of
from apps.files.queries import caption_cues
from apps.files.services import EVERYONE, Audience, sign_link
from apps.learning.models import LessonProgress
from apps.learning.outline import Entry, Outline, Placed, Standing, place_all, resume_position
from apps.learning.queries.addresses import course_url, lesson_url, save_url
from apps.learning.queries.lessons import OpenLesson
from studyplatform.kit.db.prepared_queries import Param, PreparedQuery
from studyplatform.kit.errors import NotAuthenticated


def entry_out(entry: Entry, course_slug: str, state: str = "available") -> dict[str, Any]:
    """Return the shape ``LessonLink``."""
    return {
        "uid": str(entry.uid),
        "number": entry.number,
        "title": entry.title,
        "kind": entry.kind,
        "duration": entry.duration,
        "url": lesson_url(course_slug, entry.slug),
        "state": state,
    }


def placed_out(placed: Placed, course_slug: str) -> dict[str, Any]:
    """Return the shape ``OutlineLesson``: a lesson with its state for one user."""
    shape = entry_out(placed.entry, course_slug, placed.state)
    return {**shape, "is_optional": placed.entry.is_optional, "opens_at": placed.opens_at}


def course_out(course: Course, standing: Standing, outline: Outline) -> dict[str, Any]:
    """Return the shape ``PlayerCourse``."""
    enrollment = standing.enrollment
    return {
        "slug": course.slug,
        "title": course.title,
        "url": course_url(course.slug),
        "lesson_count": standing.fit(outline).required_count,
        "completed_lessons": enrollment.completed_lessons if enrollment else 0,
        "percent": enrollment.percent if enrollment else 0,
    }


def outline_out(course: Course, outline: Outline, standing: Standing) -> dict[str, Any]:
    """Return the shape ``OutlineOut``."""
    placed = {one.entry.pk: one for one in place_all(course, outline, standing)}
    fitting = standing.fit(outline)
    return {
        "course": course_out(course, standing, outline),
        "sections": [
            {
                "title": part.title,
                "number": part.number,
                "lesson_count": len(part.required),
                "completed_lessons": sum(standing.has_completed(entry.pk) for entry in part.required),
                "lessons": [placed_out(placed[entry.pk], course.slug) for entry in part.entries],
            }
            for part in fitting.parts
        ],
    }


_PROGRESS = PreparedQuery(
    lambda: LessonProgress.objects.filter(
        enrollment_id=Param("enrollment", BigIntegerField()), lesson_id=Param("lesson", BigIntegerField())
    )
)


def player_out(opened: OpenLesson, sources: dict[str, Any] | None) -> dict[str, Any]:
    """Return the shape ``PlayerOut``: the island's props and the response of GET lessons/{uid}/player/."""
    lesson, course, standing = opened.lesson, opened.course, opened.standing
    progress = None
    known = standing.progress.get(lesson.pk)
    if standing.enrollment is not None and known is not None and (known.position or known.watched_seconds):
        progress = _PROGRESS.first(enrollment=standing.enrollment.pk, lesson=lesson.pk)
    duration = lesson.video.duration if lesson.video else float(lesson.duration)
    external = external_video_of(lesson)
    begin = float(external.start) if external else 0.0
    position = progress.position if progress else begin
    placed = {one.entry.pk: one for one in opened.placed}
    before, after = opened.around()
    player = {
        "uid": str(lesson.uid),
        "number": lesson.number,
        "title": lesson.title,
        "url": lesson_url(course.slug, lesson.slug),
        "course": course_out(course, standing, opened.outline),
        "sources": sources,
        "is_processing": bool(lesson.video and not lesson.video.is_playable and not lesson.video.failure),
        "duration": duration,
        "position": max(begin, resume_position(position, duration or math.inf if external else duration)),
        "position_at": progress.position_at if progress else None,
        "watched": progress.watched if progress else [],
        "watched_seconds": progress.watched_seconds if progress else 0,
        "completed": standing.has_completed(lesson.pk),
        "may_save": opened.may_save,
        "previous": entry_out(before, course.slug, placed[before.pk].state) if before else None,
        "next": entry_out(after, course.slug, placed[after.pk].state) if after else None,
        "transcript": [
            {"start": cue.start, "end": cue.end, "text": cue.text}
            for cue in (caption_cues(opened.known.tracks[0].webvtt) if opened.known.tracks else ())
        ],
        "chapters": lesson.chapters_within(duration)
        or [one._asdict() for one in chapters_of_captions(opened.known.tracks, duration=duration)],
        "progress_url": save_url(lesson.uid),
        "downloads": [
            {"name": one.name, "url": one.file.address, "size": one.file.upload.length}
            for one in opened.known.downloads
        ],
    }
    return {**player, "external": external_out(external, opened)} if external else player


def external_out(video: ExternalVideo, opened: OpenLesson) -> dict[str, Any]:
    """Return the shape ``ExternalOut``. Only players of such videos have it, so that others are as before."""
    is_measured = opened.lesson.duration > 0
    return {
        "host": video.host,
        "name": video.host_name,
        "contacts": video.contacted_host,
        "address": video.address,
        "frame": video.frame_address,
        "media": "" if video.host in EMBEDDED else video.media_address,
        "start": video.start,
        "may_tell_length": not is_measured and opened.standing.is_staff,
    }


def audience_of(lesson: Lesson, session_key: SessionKey | None) -> Audience:
    """Return who may use the signed addresses of a lesson's media: one browser session, or everyone for a preview.

    :raises NotAuthenticated: the user is a visitor and the lesson is no preview.
    """
    if session_key is not None:
        return session_key
    if not lesson.is_preview:
        raise NotAuthenticated
    return EVERYONE


def signed_sources(opened: OpenLesson, *, now: datetime, session_key: SessionKey | None) -> dict[str, Any] | None:
    """Return the shape ``SourcesOut`` for a user who may open the lesson; None while there is nothing to play.

    :raises NotAuthenticated: the user is a visitor and the lesson is no preview.
    """
    video = opened.lesson.video
    if video is None:
        return None
    audience = audience_of(opened.lesson, session_key)
    found = sign_link(video=video, now=now, audience=audience, captions=opened.known.tracks)
    return None if found is None else asdict(found)
