"""Whatever happens, and whenever jobs run meanwhile: what they keep, what a rebuild makes, and a slow count agree."""

import os
import random
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from apps.accounts.events import AccountDeleted
from apps.courses.models import CoInstructor, Course, Lesson
from apps.learning.analytics.counting import Counting, keep_rollups, rebuild
from apps.learning.models import (
    Attempt,
    CourseDay,
    CourseVisit,
    Enrollment,
    EnrollmentRollup,
    LessonProgress,
    LessonRollup,
    QuestionRollup,
    Rating,
    RollupState,
    TeacherDay,
    TeacherRollup,
    WatchedDay,
)
from apps.learning.receivers import forget_deleted_user
from apps.learning.services import restart_lessons, revoke_enrollment
from apps.learning.services.enrollment import grant_enrollment
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory, LessonFactory, QuestionFactory, QuizFactory, SectionFactory
from tests.factories.learning import NoteFactory
from tests.learning.analytics.reference import slow_rollups, stored_rollups

pytestmark = [pytest.mark.django_db, pytest.mark.database]

BEGIN = datetime(2026, 3, 1, 22, 30, tzinfo=UTC)  # near midnight, where days of two time zones differ
STEPS = 60
ROLLUPS: tuple[Any, ...] = (
    *(CourseDay, TeacherDay, TeacherRollup, LessonRollup, QuestionRollup, EnrollmentRollup, RollupState),
)


class Story:
    """A random course of events on three courses of two people, and a working copy that nobody may count."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.now = BEGIN
        self.teachers = [UserFactory(role="instructor"), UserFactory(role="instructor"), UserFactory(role="admin")]
        self.users = [UserFactory(time_zone=zone) for zone in ("Asia/Tokyo", "America/New_York") * 4]
        self.courses = [CourseFactory(instructor=self.teachers[number % 2], status="published") for number in range(3)]
        CourseFactory(instructor=self.teachers[0], next_version_of=self.courses[0], status="draft", published_at=None)
        self.quizzes = []
        for course in self.courses:
            section = SectionFactory(course=course)
            for duration in (20, 90, 150):
                LessonFactory(section=section, kind="video", duration=duration)
            LessonFactory(section=section)
            quiz = QuizFactory(lesson__section=section)
            QuestionFactory(quiz=quiz)
            QuestionFactory(quiz=quiz)
            self.quizzes.append(quiz)

    def step(self) -> None:
        """Let time pass, and something happen."""
        self.now += timedelta(minutes=self.random.choice([1, 4, 20, 200, 900, 2900]))
        happening = self.random.choice(
            [
                *[self.enroll] * 3,
                *[self.begin] * 6,
                *[self.watch] * 8,
                *[self.complete] * 3,
                *[self.attempt] * 5,
                *(self.finish_course, self.rate, self.change_rating, self.visit, self.mark_moment),
                *(self.revoke, self.come_back, self.delete_account, self.remove_lesson, self.restore_lesson),
                *(self.replace_video, self.join, self.leave, self.hand_over),
            ]
        )
        happening()

    def _enrollment(self) -> Enrollment | None:
        return self._any(Enrollment.objects.filter(revoked_at=None, user__deleted_at=None))

    def _any(self, rows: Any) -> Any:
        found = list(rows.order_by("pk"))
        return self.random.choice(found) if found else None

    def _act(self, enrollment: Enrollment, seconds: int = 0, other: int = 0) -> None:
        Enrollment.objects.filter(pk=enrollment.pk).update(last_activity_at=self.now)
        if seconds or other:
            row, _made = WatchedDay.objects.get_or_create(
                user=enrollment.user, course=enrollment.course, day=self.now.date(), defaults={"seconds": 0}
            )
            row.seconds, row.other_seconds = row.seconds + seconds, row.other_seconds + other
            row.save()

    def enroll(self) -> None:
        user, course = self.random.choice(self.users), self.random.choice(self.courses)
        if user.deleted_at is None and not Enrollment.objects.active().filter(user=user, course=course).exists():
            grant_enrollment(user=user, course=course, now=self.now)

    def begin(self) -> None:
        if enrollment := self._enrollment():
            lesson = self._any(Lesson.objects.filter(course=enrollment.course))
            LessonProgress.objects.get_or_create(
                enrollment=enrollment, lesson=lesson, defaults={"started_at": self.now, "updated_at": self.now}
            )

    def watch(self) -> None:
        rows = LessonProgress.objects.filter(lesson__kind="video", enrollment__revoked_at=None)
        if row := self._any(rows):
            begin = self.random.randrange(row.lesson.duration)
            end = min(row.lesson.duration + 3, begin + self.random.choice([2, 12, 60]))
            row.watched = [[begin, end]] if not row.watched else row.watched
            row.watched_seconds = sum(until - since for since, until in row.watched)
            row.updated_at = self.now
            row.save()
            self._act(row.enrollment, seconds=row.watched_seconds)

    def complete(self) -> None:
        if row := self._any(LessonProgress.objects.filter(completed_at=None, enrollment__revoked_at=None)):
            row.completed_at = self.now
            row.save()
            self._act(row.enrollment, other=40)

    def attempt(self) -> None:
        if enrollment := self._enrollment():
            quiz = self.quizzes[self.courses.index(enrollment.course)]
            number = Attempt.objects.filter(enrollment=enrollment, quiz=quiz).count() + 1
            percent = self.random.choice([0, 50, 100])
            answers, results = {}, []
            for question in quiz.questions.order_by("position"):
                chosen = self.random.choice([*question.options, None])
                uid = str(question.uid)
                right = bool(chosen) and chosen["id"] == question.answer["id"]
                if chosen:
                    answers[uid] = {"id": chosen["id"]}
                verdict = "right" if right else ("wrong" if chosen else "open")
                results.append(
                    {"uid": uid, "kind": "single", "verdict": verdict, "earned": str(int(right)), "points": 1}
                )
            Attempt.objects.create(
                enrollment=enrollment,
                quiz=quiz,
                number=number,
                started_at=self.now,
                submitted_at=self.now,
                percent=percent,
                is_passed=percent == 100,
                waiting=self.random.choice([0, 0, 1]),
                answers=answers,
                results=results,
            )
            self._act(enrollment)

    def finish_course(self) -> None:
        if enrollment := self._enrollment():
            Enrollment.objects.filter(pk=enrollment.pk, completed_at=None).update(completed_at=self.now)
            self._act(enrollment)

    def rate(self) -> None:
        enrollment = self._enrollment()
        if enrollment and not Rating.objects.filter(enrollment=enrollment).exists():
            stars = self.random.randint(1, 5)
            now = {"created_at": self.now, "updated_at": self.now}
            Rating.objects.create(enrollment=enrollment, course=enrollment.course, stars=stars, **now)

    def change_rating(self) -> None:
        if rating := self._any(Rating.objects.all()):
            rating.stars = self.random.randint(1, 5)
            rating.hidden_at = self.random.choice([None, None, self.now])
            rating.save()

    def visit(self) -> None:
        course = self.random.choice(self.courses)
        row, _made = CourseVisit.objects.get_or_create(course=course, day=self.now.date())
        row.visitors += 1
        row.save()

    def mark_moment(self) -> None:
        enrollment = self._enrollment()
        lesson = enrollment and self._any(Lesson.objects.filter(course=enrollment.course, kind="video"))
        if enrollment and lesson:
            about = {"user": enrollment.user, "course": enrollment.course, "lesson": lesson}
            NoteFactory(uid=uuid4(), **about, kind="moment", second=3)

    def revoke(self) -> None:
        if enrollment := self._enrollment():
            revoke_enrollment(enrollment.user, enrollment.course, self.now)

    def come_back(self) -> None:
        gone = self._any(Enrollment.objects.exclude(revoked_at=None).filter(user__deleted_at=None))
        if gone and not Enrollment.objects.active().filter(user=gone.user, course=gone.course).exists():
            grant_enrollment(user=gone.user, course=gone.course, now=self.now)

    def delete_account(self) -> None:
        user = self.random.choice(self.users)
        if self.random.random() < 0.3 and user.deleted_at is None:
            user.deleted_at, user.is_active = self.now, False
            user.save()
            forget_deleted_user(AccountDeleted(user_id=user.pk))

    def remove_lesson(self) -> None:
        lesson = self._any(Lesson.objects.filter(kind="video"))
        if lesson and Lesson.objects.filter(course=lesson.course, kind="video").count() > 1:
            lesson.removed_at = self.now
            lesson.save()

    def restore_lesson(self) -> None:
        if lesson := self._any(Lesson.with_removed.exclude(removed_at=None)):
            lesson.removed_at = None
            lesson.save()

    def replace_video(self) -> None:
        if lesson := self._any(Lesson.objects.filter(kind="video")):
            restart_lessons(lesson_ids=[lesson.pk], now=self.now)

    def join(self) -> None:
        course, user = self.random.choice(self.courses), self.random.choice(self.teachers)
        active = CoInstructor.objects.active().filter(course=course, user=user)
        if course.instructor_id != user.pk and not active.exists():
            CoInstructor.objects.create(course=course, user=user, role="view", joined_at=self.now)

    def leave(self) -> None:
        if one := self._any(CoInstructor.objects.active()):
            one.removed_at = self.now
            one.save()

    def hand_over(self) -> None:
        course, user = self.random.choice(self.courses), self.random.choice(self.teachers[:2])
        if not CoInstructor.objects.active().filter(course=course, user=user).exists():
            Course.objects.filter(pk=course.pk).update(instructor=user)
            course.instructor = user


def assert_same(found: dict[str, Any], expected: dict[str, Any], what: str) -> None:
    for name, rows in expected.items():
        wrong = {
            key: (found[name].get(key), rows.get(key))
            for key in {*rows, *found[name]}
            if found[name].get(key) != rows.get(key)
        }
        assert not wrong, f"{what}, {name}: {wrong}"


def today(rollups: dict[str, Any], now: datetime) -> dict[str, Any]:
    """What each run keeps, not only the one at night: the days of today, and what active learners have done today."""
    day = now.date()
    active = Enrollment.objects.active().filter(last_activity_at__date=day, user__deleted_at=None)
    learners = set(active.values_list("pk", flat=True))
    days = ("course days", "teacher days")
    return {
        **{name: {key: row for key, row in rollups[name].items() if key[1] == day} for name in days},
        "learners": {key: row[3:] for key, row in rollups["learners"].items() if key[0] in learners},
    }


def tell(seed: int) -> None:
    story = Story(seed)
    compared = {STEPS // 3, STEPS - 1}
    pause = story.random.randrange(STEPS)
    for step in range(STEPS):
        story.step()
        if step == pause:
            story.now += timedelta(days=40)  # longer than the days of which active learners are counted
        if step in compared or story.random.random() < 0.3:
            now = story.now + timedelta(seconds=story.random.choice([0, 30, 400]))
            keep_rollups(now=now)
            if step in compared:
                assert_same(today(stored_rollups(), now), today(slow_rollups(now), now), f"seed {seed}, step {step}")
    now = story.now + timedelta(days=1)
    keep_rollups(now=now)
    kept = stored_rollups()
    assert_same(kept, slow_rollups(now), f"seed {seed}, kept by jobs")

    for rollup in ROLLUPS:
        rollup.objects.all().delete()
    rebuild(Counting(now))

    assert_same(stored_rollups(), kept, f"seed {seed}, rebuilt")
    assert rebuild(Counting(now, is_dry=True)).total_changes() == 0, f"seed {seed}: a second rebuild finds something"


def test_jobs_a_rebuild_and_a_slow_count_agree() -> None:
    tell(int(os.environ.get("ROLLUPS_SEED", "11")))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 140))
def test_they_agree_in_many_stories(seed: int) -> None:
    tell(seed)
