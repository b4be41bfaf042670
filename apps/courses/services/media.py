"""The video, captions, chapters and file of a lesson."""

import uuid
from datetime import datetime

from django.core.files import File
from django.db import transaction

from apps.accounts.models import User
from apps.courses import correction_policies, policies
from apps.courses.chapters import Chapter
from apps.courses.errors import VideoNotYours, VideoShown, WrongLessonKind
from apps.courses.external_video import ExternalVideo
from apps.courses.models import Course, Lesson
from apps.courses.services.locking import lock_course_row
from apps.courses.services.outline_rows import refresh_captions, refresh_outline
from apps.files import services as files
from apps.files.errors import CaptionEncodingUncertain
from apps.files.models import CaptionDraft, CaptionTrack, Upload, VideoAsset
from apps.files.models import File as LibraryFile
from studyplatform.kit.errors import AppError
from studyplatform.kit.policies import enforce


def attach_video(*, lesson: Lesson, by: User, video: VideoAsset | None, now: datetime) -> Lesson:
    """Set the lesson's video, which may still be processed, or remove it. The previous video stays with its owner.

    An upload that is still running or processed is for this lesson from now on, or for it no longer. A video of another
    host gives way.

    :raises WrongLessonKind: it is not a video lesson.
    :raises VideoNotYours: the user doesn't own the video, and the course has never shown it.
    """
    with transaction.atomic():
        course = lock_course_row(lesson.course_id)
        enforce(policies.edit_course(by, course))
        if lesson.kind != Lesson.Kind.VIDEO:
            raise WrongLessonKind
        if video is not None and not may_show(course, by, video):
            raise VideoNotYours
        before = Lesson.with_removed.values_list("video", flat=True).get(pk=lesson.pk)
        lesson.video = video
        if video is not None:
            lesson.external_video = lesson.external_host = ""
        if not lesson.external_video:
            lesson.duration = round(video.duration) if video is not None else 0
        lesson.save(update_fields=["video", "duration", "external_video", "external_host"])
        if video is not None:
            files.set_upload_target(video_id=video.pk, target=str(lesson.uid))
        if before is not None and before != lesson.video_id:
            files.set_upload_target(video_id=before, target="", was=str(lesson.uid))
            delete_ownerless_video(video_id=before)
        refresh_outline(course, now=now)
    return lesson


def may_show(course: Course, by: User, video: VideoAsset) -> bool:
    """Whether somebody who may edit the course may show a video in it: their own, or one that it has shown before.

    So nobody sees what a co-instructor keeps for another course. An admin acts for the instructor.
    """
    if video.owner_id == by.pk or (by.is_admin and video.owner_id == course.instructor_id):
        return True
    return Lesson.with_removed.filter(course=course, video=video).exists()


def set_external_video(
    *, lesson: Lesson, by: User, video: ExternalVideo | None, length: int | None = None, now: datetime
) -> Lesson:
    """Let the lesson show a video of another host in place of an uploaded one, or none.

    :param length: of the video in seconds, 0 if its author doesn't know it. None keeps that of the same video.
    :raises WrongLessonKind: it is not a video lesson.
    """
    with transaction.atomic():
        course = lock_course_row(lesson.course_id)
        lesson.refresh_from_db()
        before, uploaded = lesson.external_video, lesson.video_id
        is_length = video is not None and video.address == before and length is not None
        enforce(policies.tell_length(by, course, lesson) if is_length else policies.edit_course(by, course))
        if lesson.kind != Lesson.Kind.VIDEO:
            raise WrongLessonKind
        if video is None and not before:
            return lesson
        lesson.external_video, lesson.external_host = (video.address, video.host) if video is not None else ("", "")
        lesson.video = None
        if length is not None or lesson.external_video != before:
            lesson.duration = (length or 0) if video is not None else 0
        lesson.save(update_fields=["external_video", "external_host", "video", "duration"])
        if uploaded is not None:
            delete_ownerless_video(video_id=uploaded)
        refresh_outline(course, now=now)
    return lesson


def attach_file(*, lesson: Lesson, by: User, source: Upload | LibraryFile | None, now: datetime) -> Lesson:
    """Set the file of a file lesson from an upload or the user's library, or remove it.

    The previous content is deleted, which frees its storage, unless the library or another lesson uses it.

    :raises WrongLessonKind: it is not a file lesson.
    :raises AppError: not the user's own file, in the bin, incomplete, or unsuitable (see ``files.claim_content``).
    """
    with transaction.atomic():
        course = lock_course_row(lesson.course_id)
        _enforce_file_lesson(lesson, course, by)
        before = Lesson.objects.values_list("file", flat=True).get(pk=lesson.pk)
        claimed = files.claim_content(source=source, by=by) if source is not None else None
        lesson.file, lesson.file_name = (claimed.upload, claimed.name) if claimed is not None else (None, "")
        lesson.save(update_fields=["file", "file_name"])
        if before is not None and before != lesson.file_id:
            files.release_content(upload_id=before)
        refresh_outline(course, now=now)
    return lesson


def upload_file(*, lesson: Lesson, by: User, file: File[bytes], name: str, now: datetime) -> Lesson:
    """Store a file posted by a form and attach it to the lesson.

    :raises AppError: as ``attach_file`` and ``files.begin_upload``; nothing of the file is stored then.
    """
    _enforce_file_lesson(lesson, lesson.course, by)  # before anything is stored
    upload = files.begin_upload(
        owner=by,
        purpose=Upload.Purpose.FILE,
        filename=name,
        length=file.size or 0,
        target=str(lesson.uid),
        now=now,
    )
    try:
        if upload.completed_at is None:
            files.receive_chunk(upload=upload, offset=0, read=file.read, now=now)
        return attach_file(lesson=lesson, by=by, source=upload, now=now)
    except AppError:
        files.cancel_upload(upload=upload, by=by)
        raise


def _enforce_file_lesson(lesson: Lesson, course: Course, by: User) -> None:
    enforce(policies.edit_course(by, course))
    if lesson.kind != Lesson.Kind.FILE:
        raise WrongLessonKind


def show_uploaded_video(*, video_id: int, may_replace: bool, now: datetime, is_announced: bool = False) -> None:
    """Attach an uploaded video to the lesson that its upload named as target. Idempotent.

    A lesson with a playable video keeps it until the new one is complete (``may_replace``); then the newer video is
    used. A video of another host gives way when the upload begins (``is_announced``), not later: its author may have
    chosen it meanwhile. The owner of the upload must be allowed to edit the course. An original restored from the bin
    is not an upload: it stays in the lessons that show the video, and is added to none.

    :raises AppError: the owner may not edit the course now.
    """
    upload = Upload.objects.select_related("video", "owner").filter(video=video_id).order_by("-pk").first()
    if upload is None or upload.video is None or not (uid := _uid(upload.target)):
        return
    video = upload.video
    if video.version not in {None, upload.uid}:  # it was restored from the bin
        return
    lesson = Lesson.objects.select_related("course", "video").filter(uid=uid, kind=Lesson.Kind.VIDEO).first()
    if lesson is None or lesson.video_id == video.pk:
        return
    if lesson.external_video and not is_announced:
        return
    shown = lesson.video
    if shown is not None and shown.is_playable and not (may_replace and shown.created_at < video.created_at):
        return
    if shown is not None and shown.created_at > video.created_at:
        return
    attach_video(lesson=lesson, by=upload.owner, video=video, now=now)


def delete_unused_video(*, video: VideoAsset, by: User) -> None:
    """Delete a video that no lesson uses.

    :raises VideoShown: a lesson uses it.
    """
    with transaction.atomic():
        locked = VideoAsset.objects.select_for_update().filter(pk=video.pk).first()
        if locked is None:
            return
        if Lesson.objects.filter(video=locked).exists():
            raise VideoShown
        files.delete_video(video=locked, by=by)


def delete_unused_videos(*, user_id: int) -> None:
    """Delete the videos of a deleted account, except those that a lesson uses."""
    for pk in VideoAsset.objects.of(user_id).filter(lessons=None).values_list("pk", flat=True):
        delete_ownerless_video(video_id=pk)


def delete_ownerless_video(*, video_id: int) -> None:
    """Delete a video that no lesson uses and whose owner's account was deleted."""
    with transaction.atomic():
        ownerless = VideoAsset.objects.filter(pk=video_id, owner__deleted_at__isnull=False)
        if ownerless.exists() and not Lesson.with_removed.filter(video=video_id).exists():
            files.discard_video(video_id=video_id)


def set_lesson_durations(*, video_id: int, now: datetime) -> None:
    """Copy a video's duration to the lessons that use it."""
    video = VideoAsset.objects.get(pk=video_id)
    seconds = round(video.duration)
    with transaction.atomic():
        lessons = Lesson.with_removed.filter(video=video).exclude(duration=seconds)
        courses = set(lessons.values_list("course", flat=True))
        lessons.update(duration=seconds)
        for course in Course.with_working_copies.select_for_update().filter(pk__in=courses).order_by("pk"):
            refresh_outline(course, now=now)


def add_captions(
    *, lesson: Lesson, by: User, raw: bytes, language: str, label: str, now: datetime, encoding: str = ""
) -> CaptionTrack:
    """Add captions to the lesson's video, replacing those in the same language.

    :raises CorrectionsAreReviewed: learners have the video, and the site reviews corrections too.
    :raises CaptionsUnreadable: nothing in the file can be read as captions.
    :raises CaptionEncodingUncertain: the encoding can only be guessed, and ``encoding`` doesn't name it.
    """
    enforce(policies.edit_course(by, lesson.course))
    reading = files.read_captions(raw, language=language, encoding=encoding)
    if reading.is_guess:
        raise CaptionEncodingUncertain(encoding=files.caption_encodings()[reading.encoding])
    with transaction.atomic():
        video, course = _captioned(lesson, by)
        enforce(correction_policies.publish_captions(by, course, video))
        track = files.save_captions(video=video, by=by, reading=reading, language=language, label=label, now=now)
        refresh_captions(course, video.pk, now=now)
    return track


def keep_caption_draft(
    *, lesson: Lesson, by: User, raw: bytes, filename: str, language: str, now: datetime
) -> CaptionDraft:
    """Keep a caption file until its author has confirmed its encoding."""
    with transaction.atomic():
        video, _ = _captioned(lesson, by)
        return files.keep_caption_draft(video=video, by=by, raw=raw, filename=filename, language=language, now=now)


def confirm_caption_draft(
    *, draft: CaptionDraft, lesson: Lesson, by: User, encoding: str, now: datetime
) -> CaptionTrack:
    """Add the captions of a draft, whose author has seen that this is its encoding."""
    track = add_captions(
        lesson=lesson,
        by=by,
        raw=bytes(draft.raw),
        language=draft.language,
        label=files.language_name(draft.language),
        encoding=encoding,
        now=now,
    )
    draft.delete()
    return track


def remove_captions(*, lesson: Lesson, by: User, language: str, now: datetime) -> None:
    """Remove the captions of one language. Idempotent."""
    with transaction.atomic():
        video, course = _captioned(lesson, by)
        enforce(correction_policies.publish_captions(by, course, video))
        track = video.captions.filter(language=language).first()
        if track is not None:
            files.remove_captions(track=track, by=by)
            refresh_captions(course, video.pk, now=now)


def set_chapters(*, lesson: Lesson, by: User, chapters: list[Chapter]) -> None:
    """Replace the chapters of the lesson's video; an empty list removes them.

    :raises WrongLessonKind: the lesson has no video.
    """
    with transaction.atomic():
        if lesson.external_video:
            enforce(policies.edit_course(by, lock_course_row(lesson.course_id)))
        else:
            _captioned(lesson, by)
        lesson.chapters = [list(chapter) for chapter in chapters]
        lesson.save(update_fields=["chapters"])


def _captioned(lesson: Lesson, by: User) -> tuple[VideoAsset, Course]:
    course = lock_course_row(lesson.course_id)
    enforce(policies.edit_course(by, course))
    if lesson.video is None:
        raise WrongLessonKind
    return lesson.video, course


def _uid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
