"""The captions of a lesson's video while they are edited beside it, and their publication."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction

from apps.accounts.models import User
from apps.courses import correction_policies, policies
from apps.courses.chapters import Chapter, parse_chapters
from apps.courses.errors import WrongLessonKind
from apps.courses.errors.captions import ChaptersChangedMeanwhile, ChaptersRefused
from apps.courses.models import Lesson
from apps.courses.queries.reviewed_captions import ReviewedCaptions
from apps.courses.services.locking import lock_course_row
from apps.courses.services.media import set_chapters
from apps.courses.services.outline_rows import announce_captions, refresh_captions
from apps.files.errors import CaptionsChangedMeanwhile, CaptionsEmpty
from apps.files.models import CaptionTrack, VideoAsset
from apps.files.services import caption_sheets
from apps.files.services.caption_sheets import SavedCues, SheetCue
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.durations import clock


def save_caption_cues(
    *,
    lesson: Lesson,
    by: User,
    language: str,
    changes: Sequence[SheetCue],
    since: int,
    base: str,
    client: str,
    now: datetime,
    source_encoding: str = "",
) -> SavedCues:
    """Save the cues that an author has changed; nobody but authors sees them until they are published.

    Raises like `files.services.caption_sheets.save_cues`.
    """
    enforce(correction_policies.edit_captions(by, lesson.course, _video(lesson)))
    return caption_sheets.save_cues(
        video=_video(lesson),
        by=by,
        language=language,
        changes=changes,
        since=since,
        base=base,
        client=client,
        now=now,
        source_encoding=source_encoding,
    )


def publish_captions(
    *, lesson: Lesson, by: User, language: str, revision: int, now: datetime, replaces: bool = False
) -> CaptionTrack:
    """Show learners the captions as they are edited now: at once, as captions are a small correction.

    :raises CorrectionsAreReviewed: the site reviews corrections too; they go live with the next version.

    Raises like `files.services.caption_sheets.publish_sheet`.
    """
    with transaction.atomic():
        course = lock_course_row(lesson.course_id)
        enforce(correction_policies.publish_captions(by, course, _video(lesson)))
        track = caption_sheets.publish_sheet(
            video=_video(lesson), by=by, language=language, revision=revision, now=now, replaces=replaces
        )
        refresh_captions(course, _video(lesson).pk, now=now)
    return track


def publish_reviewed_captions(reviewed: Sequence[ReviewedCaptions], by: User, now: datetime) -> None:
    """Show learners the captions that were reviewed with the next version.

    Those without any text are left out, and those that were edited since they were read: they wait for a version.
    """
    for one in reviewed:
        with suppress(CaptionsEmpty, CaptionsChangedMeanwhile):
            caption_sheets.publish_sheet(
                video=one.sheet.video,
                by=by,
                language=one.sheet.language,
                revision=one.sheet.revision,
                now=now,
                replaces=True,
            )
            announce_captions(one.sheet.video_id)


def discard_caption_changes(*, lesson: Lesson, by: User, language: str, now: datetime) -> None:
    """Forget what was changed since these captions were published. Idempotent."""
    enforce(correction_policies.edit_captions(by, lesson.course, _video(lesson)))
    caption_sheets.discard_sheet(video=_video(lesson), by=by, language=language, now=now)


def save_chapters(
    *, lesson: Lesson, by: User, chapters: Sequence[tuple[int, str]], before: Sequence[tuple[int, str]]
) -> list[Chapter]:
    """Replace the chapters of a lesson's video, if they are those with which their author began.

    :raises ChaptersRefused: they aren't in order, or one begins after the end of the video.
    :raises ChaptersChangedMeanwhile: another author has changed them since.
    """
    written = "\n".join(f"{clock(start)} {title}" for start, title in chapters)
    with transaction.atomic():
        course = lock_course_row(lesson.course_id)
        enforce(policies.edit_course(by, course))
        lesson.refresh_from_db(fields=["chapters", "duration"])
        if lesson.chapters not in ([list(each) for each in before], [list(each) for each in chapters]):
            present = [{"start": start, "title": title} for start, title in lesson.chapters]
            raise ChaptersChangedMeanwhile(chapters=present)
        try:
            read = parse_chapters(written, duration=lesson.duration)
        except ValidationError as problem:
            raise ChaptersRefused(reason=str(problem.message)) from None
        set_chapters(lesson=lesson, by=by, chapters=read)
    return read


def _video(lesson: Lesson) -> VideoAsset:
    if lesson.video is None:
        raise WrongLessonKind
    return lesson.video
