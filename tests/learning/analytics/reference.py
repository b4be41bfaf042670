"""The roll-ups counted slowly: each figure by itself, from all rows, as its definition says.

It shares no code with what counts them, except the rules of risk and of items, which have tests of their own.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from apps.accounts.models import User
from apps.courses.models import CoInstructor, Course, Lesson
from apps.learning.analytics.items import count_items, read_responses
from apps.learning.analytics.risk import Learning, QuizAttempts, find_risk
from apps.learning.models import (
    Attempt,
    CourseDay,
    CourseVisit,
    Enrollment,
    EnrollmentRollup,
    LessonProgress,
    LessonRollup,
    Note,
    QuestionRollup,
    Rating,
    RestartedLesson,
    TeacherDay,
    WatchedDay,
)

Rows = dict[Any, tuple[Any, ...]]


def stored_rollups() -> dict[str, Rows]:
    """What is stored, by the name of the model and the key of the row."""
    return {
        "course days": _rows(CourseDay.objects, ("course", "day"), CourseDay.FIGURES),
        "teacher days": _rows(TeacherDay.objects, ("user", "day"), TeacherDay.FIGURES),
        "lessons": _rows(LessonRollup.objects, ("lesson",), LessonRollup.FIGURES),
        "questions": _rows(QuestionRollup.objects, ("quiz", "question_uid"), QuestionRollup.FIGURES),
        "learners": _rows(EnrollmentRollup.objects, ("enrollment",), EnrollmentRollup.FIGURES),
    }


def _rows(rows: Any, key: tuple[str, ...], figures: tuple[str, ...]) -> Rows:
    found = rows.values_list(*key, *figures)
    return {
        row[: len(key)]: tuple(bytes(one) if isinstance(one, memoryview) else one for one in row[len(key) :])
        for row in found
    }


def slow_rollups(now: datetime) -> dict[str, Rows]:
    """The same from the tables of what happened."""
    return {
        "course days": _course_days(now),
        "teacher days": _teacher_days(now),
        "lessons": _lessons(now),
        "questions": _questions(),
        "learners": _learners(now),
    }


def _day(moment: datetime) -> date:
    return moment.astimezone(UTC).date()


def _days_until(now: datetime) -> list[date]:
    return [_day(now) - timedelta(days=number) for number in range(120)]


def _activity(course: Course) -> set[tuple[int, date]]:
    days = {
        (row.user_id, row.day) for row in WatchedDay.objects.filter(course=course) if row.seconds + row.other_seconds
    }
    begun = LessonProgress.objects.filter(enrollment__course=course).select_related("enrollment")
    days |= {(row.enrollment.user_id, _day(row.started_at)) for row in begun}
    attempts = Attempt.objects.filter(enrollment__course=course).select_related("enrollment")
    return days | {(row.enrollment.user_id, _day(row.submitted_at)) for row in attempts if row.submitted_at}


def _active(activity: Iterable[tuple[int, date]], day: date, days: int) -> int:
    return len({user for user, on in activity if day - timedelta(days=days) < on <= day})


def _course_days(now: datetime) -> Rows:
    found = {}
    for course in Course.objects.all():
        activity = _activity(course)
        enrollments = list(Enrollment.objects.filter(course=course))
        watched = list(WatchedDay.objects.filter(course=course))
        ratings = list(Rating.objects.filter(course=course, deleted_at=None, hidden_at=None))
        visits = {row.day: row.visitors for row in CourseVisit.objects.filter(course=course)}
        for day in _days_until(now):
            stars = [rating.stars for rating in ratings if _day(rating.created_at) == day]
            figures = (
                sum(_day(one.enrolled_at) == day for one in enrollments),
                sum(one.completed_at is not None and _day(one.completed_at) == day for one in enrollments),
                _active(activity, day, 1),
                _active(activity, day, 30),
                sum(row.seconds for row in watched if row.day == day),
                sum(row.other_seconds for row in watched if row.day == day),
                len(stars),
                sum(stars),
                visits.get(day, 0),
            )
            if any(figures):
                found[course.pk, day] = figures
    return found


def _teaches(user: User, course: Course) -> bool:
    if not user.is_active or user.role not in {"instructor", "admin"}:
        return False
    return (
        course.instructor_id == user.pk
        or CoInstructor.objects.filter(course=course, user=user, removed_at=None).exists()
    )


def _teacher_days(now: datetime) -> Rows:
    found = {}
    activities = {course: _activity(course) for course in Course.objects.all()}
    for user in User.objects.all():
        activity = {one for course, days in activities.items() if _teaches(user, course) for one in days}
        for day in _days_until(now):
            figures = (_active(activity, day, 1), _active(activity, day, 30))
            if any(figures):
                found[user.pk, day] = figures
    return found


def _lessons(now: datetime) -> Rows:
    found = {}
    for course in Course.objects.all():
        lessons = list(Lesson.objects.filter(course=course).order_by("section__position", "position"))
        for place, lesson in enumerate(lessons):
            rows = list(LessonProgress.objects.filter(lesson=lesson))
            later = LessonProgress.objects.filter(lesson__in=lessons[place:])
            moments = list(Note.objects.filter(lesson=lesson, kind="moment", is_deleted=False))
            spent = sorted(int((row.completed_at - row.started_at).total_seconds()) for row in rows if row.completed_at)
            early = [row for row in rows if _may_have_left(row, lesson, now)]
            curve, watchers = _retention(lesson, rows)
            if not later.exists() and not moments:
                continue
            found[(lesson.pk,)] = (
                len(rows),
                len(spent),
                later.values("enrollment").distinct().count(),
                sum(row.completed_at is None and row.watched_seconds <= 15 for row in early),
                len(early),
                len(moments),
                len({note.user_id for note in moments}),
                spent[(len(spent) - 1) // 2] if spent else None,
                curve,
                watchers,
            )
    return found


def _restarted_at(lesson: Lesson) -> datetime | None:
    return RestartedLesson.objects.filter(lesson=lesson).values_list("restarted_at", flat=True).first()


def _may_have_left(row: LessonProgress, lesson: Lesson, now: datetime) -> bool:
    restarted_at = _restarted_at(lesson)
    if lesson.kind != "video" or lesson.duration < 30 or row.started_at > now - timedelta(days=1):
        return False
    return restarted_at is None or row.started_at >= restarted_at or row.watched_seconds > 0


def _retention(lesson: Lesson, rows: list[LessonProgress]) -> tuple[bytes | None, int]:
    if lesson.kind != "video" or not lesson.duration:
        return None, 0
    restarted_at = _restarted_at(lesson)
    counted = [
        {second for begin, end in row.watched for second in range(begin, min(end, lesson.duration))}
        for row in rows
        if not (restarted_at and row.completed_at and row.completed_at < restarted_at)
    ]
    counts = [sum(second in seconds for seconds in counted) for second in range(lesson.duration)]
    return b"".join(count.to_bytes(4, "little") for count in counts), sum(bool(seconds) for seconds in counted)


def _questions() -> Rows:
    found = {}
    for quiz in {attempt.quiz for attempt in Attempt.objects.filter(quiz__lesson__removed_at=None)}:
        attempts = []
        for enrollment in Enrollment.objects.order_by("pk"):
            own = [one for one in Attempt.objects.filter(enrollment=enrollment, quiz=quiz) if one.submitted_at]
            if own:
                first = min(own, key=lambda one: one.number)
                attempts.append(read_responses(first.results, first.answers))
        for uid, item in count_items(attempts).items():
            figures = (item.responses, item.unanswered, item.difficulty, item.discrimination, item.options)
            found[quiz.pk, __import__("uuid").UUID(uid)] = figures
    return found


def _learners(now: datetime) -> Rows:
    found = {}
    for enrollment in Enrollment.objects.filter(revoked_at=None, user__deleted_at=None):
        lessons = {lesson.pk for lesson in Lesson.objects.filter(course=enrollment.course)}
        begun = [row for row in LessonProgress.objects.filter(enrollment=enrollment) if row.lesson_id in lessons]
        last = max(begun, key=lambda row: (row.started_at, row.lesson_id), default=None)
        by_quiz, best = [], []
        for lesson in lessons:
            attempts = [
                one for one in Attempt.objects.filter(enrollment=enrollment, quiz__lesson=lesson) if one.submitted_at
            ]
            marked = [one.percent for one in attempts if not one.waiting]
            if marked:
                best.append(max(marked))
            if attempts:
                by_quiz.append(
                    QuizAttempts(
                        lesson=lesson,
                        submitted_at=tuple(sorted(one.submitted_at for one in attempts if one.submitted_at)),
                        is_passed=any(one.is_passed for one in attempts),
                        is_waiting=any(one.waiting for one in attempts),
                    )
                )
        risk = find_risk(
            Learning(
                enrolled_at=enrollment.enrolled_at,
                last_activity_at=enrollment.last_activity_at,
                is_finished=enrollment.completed_at is not None,
                completed=sum(row.completed_at is not None for row in begun),
                last_begun=(last.started_at, last.lesson_id) if last else None,
                is_last_begun_completed=bool(last and last.completed_at),
                attempts=tuple(by_quiz),
            ),
            now=now,
        )
        days = WatchedDay.objects.filter(user=enrollment.user, course=enrollment.course)
        found[(enrollment.pk,)] = (
            *((risk.risk.value, risk.since, risk.lesson) if risk else ("", None, None)),
            int(sum(best) / len(best) + 0.5) if best else None,
            sum(row.seconds + row.other_seconds for row in days),
        )
    return found
