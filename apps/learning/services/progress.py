"""A learner's progress in lessons: opened, watched, read, downloaded.

A heartbeat costs one read and one write. The write is conditional on the revision it was computed from (optimistic
locking): if another tab has saved in between, it matches no row and the merge is repeated on the new row. About once
a minute of video it also takes the next minute from the learner's time budget, in the same transaction.

What a learner has begun can be continued when a version of the course takes it out: it is saved, but counts for
nothing there.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import (
    BigIntegerField,
    F,
    PositiveIntegerField,
    UUIDField,
)

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.errors import LectureUnavailable
from apps.courses.models import Lesson
from apps.courses.queries.external_videos import length_to_watch
from apps.learning import policies
from apps.learning.activity import watching
from apps.learning.errors import FileNotFetched, LessonCompletesItself
from apps.learning.models import Enrollment, LessonProgress
from apps.learning.outline import blocker_of
from apps.learning.queries.outline import outline_of, standing_of
from apps.learning.queries.removed_lessons import explain_missing
from apps.learning.services import learned_days, learning_time
from apps.learning.services.completion import Saved, finish
from apps.learning.services.external_videos import complete_external_video, length_counted
from apps.learning.services.learned_days import day_zone_of
from apps.learning.services.texts import complete_text
from studyplatform.kit.db.prepared_queries import Param, PreparedQuery, PreparedUpdate
from studyplatform.kit.errors import Conflict
from studyplatform.kit.policies import enforce

MAX_RETRIES = 8
BLOCK = 60  # seconds of video taken from the budget at a time, so that few heartbeats need more than one write
# The learner's last activity is updated at this interval, so that a heartbeat is one write and not two.
ACTIVITY_INTERVAL = timedelta(minutes=5)

# What a save does not need of the lesson and the enrollment; it is read when something asks for it.
_UNREAD = (
    *("uid", "section", "slug", "title", "position", "number", "body", "summary", "is_preview", "is_optional"),
    *("opens_at", "opens_after_days", "video", "chapters", "file", "file_name", "removed_by"),
)
_PROGRESS = PreparedQuery(
    lambda: (
        LessonProgress.objects.select_related("enrollment", "lesson")
        .defer("enrollment__uid", "enrollment__enrolled_at", *(f"lesson__{name}" for name in _UNREAD))
        .filter(
            enrollment__user_id=Param("user", BigIntegerField()),
            enrollment__revoked_at=None,
            lesson__uid=Param("lesson", UUIDField()),
        )
    )
)
_BEGUN = PreparedQuery(
    lambda: LessonProgress.objects.select_related("enrollment", "lesson").filter(
        enrollment_id=Param("enrollment", BigIntegerField()), lesson_id=Param("lesson", BigIntegerField())
    )
)
_PK = Param("pk", BigIntegerField())
_SAVE = PreparedUpdate(
    lambda: LessonProgress.objects.filter(pk=_PK, revision=Param("known", PositiveIntegerField())),
    *("position", "position_at", "watched", "watched_seconds", "granted", "updated_at"),
    revision=F("revision") + 1,
)


def save_watching(
    *,
    user: AnyUser,
    lesson_uid: UUID,
    position: float,
    watched: list[list[int]],
    at: datetime | None = None,
    now: datetime,
) -> Saved:
    """Merge newly watched seconds of a video lesson and save the position.

    ``watched`` are [from, to) pairs. Seconds that are already saved add nothing, so repeated, late and overlapping
    messages are harmless. The pairs are cut to what one player can have shown since the lesson was opened, and to
    what is left of the learner's time budget over all lessons. ``at`` is when the learner was at ``position``: the
    latest position wins, and without ``at`` the furthest.

    :raises NotEnrolled: the user isn't enrolled, for example a visitor of a preview or staff.
    :raises PrerequisiteNotMet: the lesson is locked.
    :raises LectureUnavailable: there is no such video lesson.
    :raises LessonTakenOut: a version of the course has taken it out before the learner began it.
    :raises Conflict: other tabs saved at the same moment, every time it was repeated.
    """
    for _ in range(MAX_RETRIES):
        progress = begin_lesson(user=user, lesson_uid=lesson_uid, now=now)
        if progress.lesson.kind != Lesson.Kind.VIDEO:
            raise LectureUnavailable
        saved = _try_to_save(progress, position, watched, Moment(now, at, day_zone_of(user, now)))
        if saved is not None:
            return saved
    raise Conflict


def complete_lesson(*, user: AnyUser, lesson_uid: UUID, now: datetime) -> Saved:
    """Mark a text lesson as read, or a video of another host as watched. Idempotent.

    Hosts don't always tell what is watched. Marking takes as much time, in real and from the learner's budget, as
    watching what is missing would.

    :raises LessonCompletesItself: a video is completed by watching it, a quiz by passing it.
    :raises FileNotFetched: a file lesson is completed by ``fetch_file``.
    :raises ReadingTooShort: too little time has passed since the text was opened.
    :raises WatchingTooShort: too little time has passed since the video was opened.
    """
    progress = begin_lesson(user=user, lesson_uid=lesson_uid, now=now)
    if progress.completed_at is not None:
        return Saved(progress=progress, enrollment=progress.enrollment)
    if progress.lesson.external_host:
        return complete_external_video(progress, day_zone_of(user, now), now)
    match progress.lesson.kind:
        case Lesson.Kind.VIDEO | Lesson.Kind.QUIZ:
            raise LessonCompletesItself
        case Lesson.Kind.FILE:
            raise FileNotFetched
    return complete_text(progress, day_zone_of(user, now), now)


def fetch_file(*, user: AnyUser, lesson_uid: UUID, now: datetime) -> Saved:
    """Complete a file lesson when its file is downloaded. Idempotent.

    :raises LectureUnavailable: it is not a file lesson.
    """
    progress = begin_lesson(user=user, lesson_uid=lesson_uid, now=now)
    if progress.lesson.kind != Lesson.Kind.FILE:
        raise LectureUnavailable
    return finish(progress, zone=day_zone_of(user, now), now=now)


def begin_lesson(*, user: AnyUser, lesson_uid: UUID, now: datetime) -> LessonProgress:
    """Return the learner's progress in a lesson, which begins if they may open it and had not yet."""
    return _progress_of(user, lesson_uid) or _start(user, lesson_uid, now)


def _progress_of(user: AnyUser, lesson_uid: UUID) -> LessonProgress | None:
    if not isinstance(user, User):
        return None
    return _PROGRESS.first(user=user.pk, lesson=lesson_uid)


def _start(user: AnyUser, lesson_uid: UUID, now: datetime) -> LessonProgress:
    """Create the row of a lesson that the learner opens for the first time, after enforcing the policies.

    Later requests find the row and skip these checks.
    """
    lesson = Lesson.objects.select_related("course").filter(uid=lesson_uid).first()
    if lesson is None:
        raise explain_missing(user, uid=lesson_uid)
    standing = standing_of(user, lesson.course)
    blocker = blocker_of(lesson.course, outline_of(lesson.course), standing, lesson.pk)
    if standing.enrollment is None:
        enforce(policies.open_lesson(user, lesson, standing, blocker))
        enforce(policies.save_progress(user, lesson.course, standing))
        raise LectureUnavailable
    enforce(policies.open_lesson(user, lesson, standing, blocker))
    return open_lesson(enrollment=standing.enrollment, lesson=lesson, now=now)


def open_lesson(*, enrollment: Enrollment, lesson: Lesson, now: datetime) -> LessonProgress:
    """Record that a lesson is served to its learner, whose permission the caller has checked. Idempotent."""
    known = _BEGUN.first(enrollment=enrollment.pk, lesson=lesson.pk)
    if known is not None:
        return known
    opened_at = learning_time.record_opening(user_id=enrollment.user_id, now=now)
    LessonProgress.objects.bulk_create(
        [LessonProgress(enrollment=enrollment, lesson=lesson, started_at=opened_at, updated_at=opened_at)],
        ignore_conflicts=True,
    )
    return LessonProgress.objects.select_related("enrollment", "lesson").get(enrollment=enrollment, lesson=lesson)


@dataclass(frozen=True)
class Moment:
    """When a message arrived (``now``), and when the learner was at its position by their own clock and time zone."""

    now: datetime
    at: datetime | None
    zone: str

    def learned_at(self, progress: LessonProgress) -> datetime:
        """Return on which moment's day the message counts: not before the lesson was opened."""
        return max(self.at, progress.started_at) if self.at else self.now


def _try_to_save(progress: LessonProgress, position: float, watched: list[list[int]], moment: Moment) -> Saved | None:
    """Try one conditional write; return None if another request has saved in between."""
    now, duration = moment.now, length_counted(progress.lesson)
    fresh = watching.subtract(watching.merge(watched, duration=duration), progress.watched)
    plausible = min(
        watching.seconds(fresh),
        watching.plausible_gain(
            since_start=now - progress.started_at,
            since_save=now - progress.updated_at,
            watched=progress.watched_seconds,
        ),
    )
    place = latest_position(progress, min(position, float(duration)), moment.at, now)
    granted = max(progress.granted, progress.watched_seconds)
    needed = progress.watched_seconds + plausible - granted
    if needed <= 0:
        return _write(progress, watching.take(fresh, plausible), granted, place, moment)
    with transaction.atomic():
        taken, learned = learning_time.take(
            user_id=progress.enrollment.user_id,
            course_id=progress.enrollment.course_id,
            needed=needed,
            most=max(needed, min(BLOCK, duration - granted)),
            opened_at=progress.started_at,
            now=now,
        )
        granted += taken
        gain = watching.take(fresh, min(plausible, granted - progress.watched_seconds))
        saved = _write(progress, gain, granted, place, moment, learned)
        if saved is None:  # return the seconds to the budget
            transaction.set_rollback(True)
    return saved


def _write(
    progress: LessonProgress,
    gain: watching.Intervals,
    granted: int,
    place: tuple[float, datetime | None],
    moment: Moment,
    learned: int = 0,
) -> Saved | None:
    """Write the seconds gained and the position. ``learned`` seconds count on the learner's day."""
    duration, now = length_counted(progress.lesson), moment.now
    merged = watching.merge([*progress.watched, *gain], duration=duration)
    total = watching.seconds(merged)
    position, position_at = place
    if merged == progress.watched and place == (progress.position, progress.position_at):
        # A repeated or late message adds nothing.
        return Saved(progress=progress, enrollment=progress.enrollment)
    updated = _SAVE(
        pk=progress.pk,
        known=progress.revision,
        position=position,
        position_at=position_at,
        watched=merged,
        watched_seconds=total,
        granted=granted,
        updated_at=max(now, progress.updated_at),
    )
    if not updated:
        return None
    progress.position, progress.position_at = position, position_at
    progress.watched, progress.watched_seconds, progress.granted = merged, total, granted
    at = moment.learned_at(progress)
    if progress.completed_at is None and watching.is_complete(total, duration=length_to_watch(progress.lesson)):
        return finish(progress, zone=moment.zone, now=now, at=at, seconds=learned)
    learned_days.record(user_id=progress.enrollment.user_id, zone=moment.zone, now=now, at=at, seconds=learned)
    _record_activity(progress, now)
    return Saved(progress=progress, enrollment=progress.enrollment)


def latest_position(
    progress: LessonProgress, position: float, at: datetime | None, now: datetime
) -> tuple[float, datetime | None]:
    """Return where to resume, and when the learner was there: at the latest moment, whatever arrives last."""
    if at is None:
        return max(progress.position, position), progress.position_at
    at = min(at, now)
    if progress.position_at is None or at > progress.position_at:
        return position, at
    # Two players at one moment: the furthest, so that the order of arrival does not matter.
    return max(progress.position, position) if at == progress.position_at else progress.position, progress.position_at


def _record_activity(progress: LessonProgress, now: datetime) -> None:
    enrollment = progress.enrollment
    here = enrollment.last_lesson_id if progress.lesson.is_removed else progress.lesson_id
    if enrollment.last_lesson_id == here and now - enrollment.last_activity_at < ACTIVITY_INTERVAL:
        return
    enrollment.last_lesson_id = here
    enrollment.last_activity_at = max(now, enrollment.last_activity_at)
    enrollment.save(update_fields=["last_lesson", "last_activity_at"])
