"""What a lesson shows or hands out: its video, its file."""

import uuid
from datetime import datetime

from django.core.files import File
from django.db import transaction

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.errors import VideoNotYours, VideoShown, WrongLessonKind
from apps.courses.models import Course, Lesson
from apps.courses.services.outline import refresh_outline
from apps.files import services as files
from apps.files.errors import FileInUse
from apps.files.models import CaptionTrack, Upload, VideoAsset
from studyplatform.kit.errors import AppError
from studyplatform.kit.policies import enforce


def attach_video(*, lesson: Lesson, by: User, video: VideoAsset | None, now: datetime) -> Lesson:
    """Let the lesson show this video, finished or not, or none. What it showed before stays with its owner.

    :raises WrongLessonKind: it is not a video lesson.
    :raises VideoNotYours: the video belongs to somebody else.
    """
    with transaction.atomic():
        course = Course.objects.select_for_update().get(pk=lesson.course_id)
        enforce(policies.edit_course(by, course))
        if lesson.kind != Lesson.Kind.VIDEO:
            raise WrongLessonKind
        if video is not None and video.owner_id not in {course.instructor_id, by.pk}:
            raise VideoNotYours
        before = lesson.video_id
        lesson.video = video
        lesson.duration = round(video.duration) if video is not None else 0
        lesson.save(update_fields=["video", "duration"])
        if before is not None:
            let_ownerless_go(video_id=before)
        refresh_outline(course, now=now)
    return lesson


def attach_file(*, lesson: Lesson, by: User, upload: Upload | None, now: datetime) -> Lesson:
    """Let a file lesson hand out this file, or none. The one before is removed, and its room is free.

    :raises WrongLessonKind: it is not a file lesson.
    :raises FileInUse: another lesson hands it out.
    :raises AppError: not the person's own, not whole, or nothing to hand out (see `files.claim_file`).
    """
    with transaction.atomic():
        course = Course.objects.select_for_update().get(pk=lesson.course_id)
        _may_hand_out(lesson, course, by)
        before = Lesson.objects.values_list("file", flat=True).get(pk=lesson.pk)
        taken = files.claim_file(upload=upload, by=by) if upload is not None else None
        if taken is not None and Lesson.objects.filter(file=taken).exclude(pk=lesson.pk).exists():
            raise FileInUse
        lesson.file = taken
        lesson.save(update_fields=["file"])
        if before is not None and (taken is None or taken.pk != before):
            files.discard_file(upload_id=before)
        refresh_outline(course, now=now)
    return lesson


def upload_file(*, lesson: Lesson, by: User, file: File[bytes], name: str, now: datetime) -> Lesson:
    """Take a file from a form and let the lesson hand it out: the way of all uploads, in one piece.

    :raises AppError: as `attach_file`, and as `files.begin_upload`; then nothing of the file is left.
    """
    _may_hand_out(lesson, lesson.course, by)  # before a byte is kept
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
        return attach_file(lesson=lesson, by=by, upload=upload, now=now)
    except AppError:
        files.cancel_upload(upload=upload, by=by)
        raise


def _may_hand_out(lesson: Lesson, course: Course, by: User) -> None:
    enforce(policies.edit_course(by, course))
    if lesson.kind != Lesson.Kind.FILE:
        raise WrongLessonKind


def show_uploaded_video(*, video_id: int, may_replace: bool, now: datetime) -> None:
    """Let the lesson that an upload named as its target show the upload's video.

    A lesson that learners can watch keeps its video until the new one is complete (``may_replace``); then the newer
    wins.
    Whatever the target says, only staff of that lesson's course get in. Called twice it changes nothing.

    :raises AppError: the owner may not change that course, or not now.
    """
    upload = Upload.objects.select_related("video", "owner").filter(video=video_id).order_by("-pk").first()
    if upload is None or upload.video is None or not (uid := _uid(upload.target)):
        return
    video = upload.video
    lesson = Lesson.objects.select_related("course", "video").filter(uid=uid, kind=Lesson.Kind.VIDEO).first()
    if lesson is None or lesson.video_id == video.pk:
        return
    shown = lesson.video
    if shown is not None and shown.is_playable and not (may_replace and shown.created_at < video.created_at):
        return
    if shown is not None and shown.created_at > video.created_at:
        return
    attach_video(lesson=lesson, by=upload.owner, video=video, now=now)


def delete_unshown_video(*, video: VideoAsset, by: User) -> None:
    """Delete a video that no lesson shows, not even a draft's: nobody misses it.

    :raises VideoShown: one does.
    """
    with transaction.atomic():
        locked = VideoAsset.objects.select_for_update().filter(pk=video.pk).first()
        if locked is None:
            return
        if Lesson.objects.filter(video=locked).exists():
            raise VideoShown
        files.delete_video(video=locked, by=by)


def drop_unshown_videos(*, user_id: int) -> None:
    """Remove the videos of a person whose account is gone, but for those that a lesson shows."""
    for pk in VideoAsset.objects.of(user_id).filter(lessons=None).values_list("pk", flat=True):
        let_ownerless_go(video_id=pk)


def let_ownerless_go(*, video_id: int) -> None:
    """Remove a video if no lesson shows it and its owner's account is gone: nobody else would ever do it."""
    with transaction.atomic():
        ownerless = VideoAsset.objects.filter(pk=video_id, owner__deleted_at__isnull=False)
        if ownerless.exists() and not Lesson.objects.filter(video=video_id).exists():
            files.discard_video(video_id=video_id)


def take_video_length(*, video_id: int, now: datetime) -> None:
    """Give the lessons that show this video its length, once it is known."""
    video = VideoAsset.objects.get(pk=video_id)
    seconds = round(video.duration)
    with transaction.atomic():
        lessons = Lesson.objects.filter(video=video).exclude(duration=seconds)
        courses = set(lessons.values_list("course", flat=True))
        lessons.update(duration=seconds)
        for course in Course.objects.select_for_update().filter(pk__in=courses).order_by("pk"):
            refresh_outline(course, now=now)


def add_captions(*, lesson: Lesson, by: User, raw: bytes, language: str, label: str, now: datetime) -> CaptionTrack:
    """Give the lesson's video captions (WebVTT or SRT), in place of those it had in that language.

    :raises CaptionsUnreadable: the file is neither.
    """
    enforce(policies.edit_course(by, lesson.course))
    text = files.parse_captions(raw)
    with transaction.atomic():
        video, course = _captioned(lesson, by)
        track = files.save_captions(video=video, by=by, text=text, language=language, label=label, now=now)
        refresh_outline(course, now=now)
    return track


def remove_captions(*, lesson: Lesson, by: User, language: str, now: datetime) -> None:
    """Take away the captions of one language; that there are none is no error."""
    with transaction.atomic():
        video, course = _captioned(lesson, by)
        track = video.captions.filter(language=language).first()
        if track is not None:
            files.remove_captions(track=track, by=by)
            refresh_outline(course, now=now)


def _captioned(lesson: Lesson, by: User) -> tuple[VideoAsset, Course]:
    course = Course.objects.select_for_update().get(pk=lesson.course_id)
    enforce(policies.edit_course(by, course))
    if lesson.video is None:
        raise WrongLessonKind
    return lesson.video, course


def _uid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
