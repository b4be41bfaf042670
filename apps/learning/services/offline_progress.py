"""Progress in lessons that was made on a device without a connection.

What a device says it played is limited by what it can have shown (docs/adr/0077), and not by the learner's budget of
time, which forgets after two hours: a day on a train counts. So that the order in which devices come back makes no
difference, each change is cut by its own evidence alone, and then united with what is known. Premium's minutes stay
limited by the budget.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import F, Q

from apps.courses.errors import LectureUnavailable
from apps.courses.models import Lesson
from apps.learning.activity import reading, watching
from apps.learning.errors import LessonCompletesItself, ReadingTooShort, VideoReplaced
from apps.learning.models import Enrollment, LessonProgress, OfflineDevice, RestartedLesson
from apps.learning.services import learned_days, learning_time
from apps.learning.services.completion import finish
from apps.learning.services.offline_sending import Sending
from apps.learning.services.progress import begin_lesson, latest_position


@dataclass(frozen=True, kw_only=True)
class Watched:
    """Seconds of a video that were played, as [from, to) pairs, between two readings of the device's clock."""

    pairs: list[list[int]]
    position: float
    began_at: datetime
    made_at: datetime


def take_watched(sending: Sending, lesson_uid: UUID, watched: Watched) -> None:
    """Unite what was played with the learner's progress. The latest position wins. Needs a transaction.

    :raises LectureUnavailable: it is no video, or one of another host.
    :raises VideoReplaced: the lesson got another video since it was played.
    :raises AppError: the learner may not open the lesson, and had not begun it.
    """
    device, progress = _lock(sending, lesson_uid, watched.began_at, watched.made_at)
    lesson, now = progress.lesson, sending.now
    if lesson.kind != Lesson.Kind.VIDEO or lesson.external_host:
        raise LectureUnavailable
    window = sending.window
    if RestartedLesson.objects.filter(lesson=lesson.pk, restarted_at__gt=window.place(watched.began_at)).exists():
        raise VideoReplaced
    passed = window.seconds_between(watched.began_at, watched.made_at)
    played = watching.merge(watched.pairs, duration=lesson.duration)
    believed = watching.take(played, int(passed * watching.MAX_SPEED) + watching.ALLOWANCE)
    gain = watching.take(watching.subtract(believed, progress.watched), sending.read_seconds_left())
    _count_on_device(device, watching.seconds(gain))
    place = min(watched.position, float(lesson.duration))
    progress.position, progress.position_at = latest_position(progress, place, window.place(watched.made_at), now)
    _save_watched(sending, progress, gain)
    at, seconds = sending.day_moment(watched.made_at), min(watching.seconds(gain), int(passed))
    total = progress.watched_seconds
    if progress.completed_at is None and watching.is_complete(total, duration=lesson.duration):
        _finish(sending, progress, watched.made_at, seconds)
    else:
        learned_days.record(user_id=sending.user.pk, zone=sending.zone, now=now, at=at, seconds=seconds)
    note_activity(progress.enrollment, lesson, window.place(watched.made_at))


def _lock(
    sending: Sending, lesson_uid: UUID, clock_began_at: datetime, clock_ended_at: datetime
) -> tuple[OfflineDevice, LessonProgress]:
    """Lock the device, the learner's time and their progress in a lesson, in this order, which all keep."""
    window, device = sending.window, sending.lock_device()
    passed = timedelta(seconds=window.seconds_between(clock_began_at, clock_ended_at))
    # With a wrong clock nobody knows when, but how long it took.
    began_at = window.place(clock_began_at) if window.trusts(clock_began_at) else sending.now - passed
    learning_time.hold(user_id=sending.user.pk, now=sending.now)
    known = begin_lesson(user=sending.user, lesson_uid=lesson_uid, now=sending.now)
    rows = LessonProgress.objects.select_for_update(of=("self",)).select_related("enrollment", "lesson")
    progress = rows.get(pk=known.pk)
    # With a connection, the seconds that were played here must fit in.
    progress.started_at = min(progress.started_at, began_at)
    return device, progress


def _count_on_device(device: OfflineDevice, seconds: int) -> None:
    if seconds:
        OfflineDevice.objects.filter(pk=device.pk).update(watched_seconds=F("watched_seconds") + seconds)


def _save_watched(sending: Sending, progress: LessonProgress, gain: watching.Intervals) -> None:
    """Write what was gained into a locked row. Minutes for Premium are taken as far as the learner's time allows."""
    enrollment = progress.enrollment
    granted = max(progress.granted, progress.watched_seconds)
    progress.watched = watching.merge([*progress.watched, *gain], duration=progress.lesson.duration)
    progress.watched_seconds = watching.seconds(progress.watched)
    needed = progress.watched_seconds - granted
    if needed > 0:
        learning_time.take(
            user_id=enrollment.user_id,
            course_id=enrollment.course_id,
            needed=needed,
            most=needed,
            opened_at=sending.device.created_at,  # no span of time began when the lesson was opened there
            now=sending.now,
        )
    progress.granted = max(granted, progress.watched_seconds)
    _save(progress, sending.now, "position", "position_at", "watched", "watched_seconds", "granted")


def _save(progress: LessonProgress, now: datetime, *names: str) -> None:
    progress.updated_at = max(now, progress.updated_at)
    progress.revision += 1
    progress.save(update_fields=[*names, "started_at", "updated_at", "revision"])


def _finish(sending: Sending, progress: LessonProgress, made_at: datetime, seconds: int) -> None:
    """Complete a lesson when and on the day on which it was; now, if the device's clock was wrong."""
    at = sending.day_moment(made_at)
    finish(progress, zone=sending.zone, now=sending.now, at=at, seconds=seconds, by_learner=False, completed_at=at)


def note_activity(enrollment: Enrollment, lesson: Lesson, at: datetime) -> None:
    """Let the course resume at this lesson, unless the learner was somewhere else later. In any order the same.

    A course doesn't resume at a lesson that was taken out, so that it changes nothing here. Of two lessons at the same
    moment, as wrong clocks have it, the one that was made later wins.
    """
    if not lesson.is_removed:
        same = Q(last_activity_at=at) & (Q(last_lesson=None) | Q(last_lesson__lt=lesson.pk))
        rows = Enrollment.objects.filter(Q(last_activity_at__lt=at) | same, pk=enrollment.pk)
        rows.update(last_activity_at=at, last_lesson=lesson)


def take_completed(sending: Sending, lesson_uid: UUID, *, opened_at: datetime, made_at: datetime) -> None:
    """Complete a text that was read, or a file that was opened. Idempotent. Needs a transaction.

    :raises LessonCompletesItself: it is a video or a quiz.
    :raises ReadingTooShort: too little time has passed since the text was opened.
    :raises AppError: the learner may not open the lesson, and had not begun it.
    """
    device, progress = _lock(sending, lesson_uid, opened_at, made_at)
    lesson, now = progress.lesson, sending.now
    if lesson.kind in {Lesson.Kind.VIDEO, Lesson.Kind.QUIZ}:
        raise LessonCompletesItself
    if progress.completed_at is None:
        seconds = _read_text(sending, device, progress, opened_at, made_at) if lesson.kind == Lesson.Kind.TEXT else 0
        _save(progress, now)
        _finish(sending, progress, made_at, seconds)
    note_activity(progress.enrollment, lesson, sending.window.place(made_at))


def _read_text(
    sending: Sending, device: OfflineDevice, progress: LessonProgress, opened_at: datetime, made_at: datetime
) -> int:
    """Return how many seconds a text was read, at most as long as it takes."""
    _check_reading(sending, device, progress)
    most = reading.usual_seconds(progress.lesson.body)
    learning_time.spend_learning(  # for the figures of teams, as far as nothing else has used this time
        user_id=sending.user.pk,
        course_id=progress.enrollment.course_id,
        since=progress.started_at,
        most=most,
        now=sending.now,
    )
    return min(most, int(sending.window.seconds_between(opened_at, made_at)))


def _check_reading(sending: Sending, device: OfflineDevice, progress: LessonProgress) -> None:
    """Refuse a text that cannot have been read: since it was opened, or beside all else that the device did."""
    text = progress.lesson.body
    wait = reading.seconds_to_wait(text, opened_at=progress.started_at, now=sending.now)
    needed = reading.least_seconds(text) * watching.MAX_SPEED  # seconds of a video that fit into this time
    lacking = needed - sending.read_seconds_left()
    wait = max(wait, -(-lacking // watching.MAX_SPEED))
    if wait > 0:
        raise ReadingTooShort(wait=wait)
    _count_on_device(device, needed)
