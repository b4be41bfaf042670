"""Half a year of learners: its stories without a database, and the rows that services would have left."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from statistics import mean

import pytest
from django.db.models import F

from apps.accounts.models import User
from apps.courses.models import Course
from apps.learning.analytics.counting import Counting, rebuild
from apps.learning.models import (
    Attempt,
    Certificate,
    CourseVisit,
    Enrollment,
    EnrollmentRollup,
    LessonProgress,
    LessonRollup,
    QuestionRollup,
    Rating,
    WatchedDay,
)
from studyplatform.demo.crowd import HALF_YEAR_DAYS, Fate, Part, make_dice, make_names, pick_enrollment, tell
from studyplatform.demo.library import read_library
from studyplatform.demo.seed_half_year import COURSES, DOMAIN, seed_half_year, seed_rollups
from studyplatform.demo.seeding import seed_course, seed_person, seed_subjects

NOW = datetime(2026, 3, 30, 12, 0, tzinfo=UTC)
PARTS = [
    Part(kind="video", seconds=66),
    Part(kind="text", seconds=400),
    Part(kind="quiz", seconds=480, hardness=(-2.0, 0.0, 1.5), points=(1, 1, 1), pass_percent=60),
    Part(kind="text", seconds=400, leave=0.3),
    Part(kind="video", seconds=70),
]


def stories(fate: Fate, count: int = 200):
    dice = make_dice("stories")
    return [tell(PARTS, fate, pick_enrollment(dice, NOW), dice, now=NOW) for _number in range(count)]


def test_stories_go_forward_in_time_and_end_before_now() -> None:
    for fate in Fate:
        for story in stories(fate, 60):
            assert NOW - timedelta(days=HALF_YEAR_DAYS + 1) < story.enrolled_at < NOW
            starts = [visit.started_at for visit in story.visits]
            assert starts == sorted(starts)
            assert [visit.index for visit in story.visits] == list(range(len(story.visits)))
            assert story.enrolled_at <= story.last_at < NOW
            for visit in story.visits:
                assert story.enrolled_at <= visit.started_at <= visit.last_at
                pieces = [second for piece in visit.watched for second in piece]
                assert pieces == sorted(pieces)
                if visit.completed_at and PARTS[visit.index].kind == "video":
                    length = PARTS[visit.index].seconds
                    assert sum(end - begin for begin, end in visit.watched) >= 0.9 * length


def test_the_half_year_is_the_same_each_time() -> None:
    assert stories(Fate.USUAL, 20) == stories(Fate.USUAL, 20)
    assert len(set(make_names(300))) == 300


def test_more_people_leave_at_the_hard_places() -> None:
    told = stories(Fate.USUAL, 400)
    left = [story.visits[-1] for story in told if story.visits and not story.visits[-1].completed_at]
    stopped = Counter(visit.index for visit in left)
    first_seconds = [visit.watched[-1][1] for visit in left if PARTS[visit.index].kind == "video"]

    assert max(stopped, key=stopped.__getitem__) == 3
    assert any(second <= 15 for second in first_seconds)
    asked = [one for story in told for visit in story.visits for one in visit.tries]
    right = [mean(one.marks[place] == 1 for one in asked) for place in range(3)]
    assert right[0] > right[1] > right[2], "easy questions are answered more often than hard ones"


@pytest.fixture
def written(db):
    """The courses of the demo's instructor with a small crowd."""
    library = read_library()
    seed_subjects()
    for person in library.people[:3]:
        seed_person(person, "!", NOW)
    for course in library.courses:
        if course.slug in COURSES:
            seed_course(course, NOW)
    seed_half_year(NOW, learners=40)


def test_the_crowd_leaves_the_rows_that_services_would_have_left(written) -> None:
    crowd = User.objects.filter(email__endswith=f"@{DOMAIN}")
    assert crowd.count() == 40
    assert not any(user.has_usable_password() for user in crowd)
    enrollments = list(Enrollment.objects.select_related("user", "course"))
    assert {one.course.slug for one in enrollments} == set(COURSES)
    for one in enrollments:
        done = one.progress.exclude(completed_at=None).count()
        assert (one.completed_lessons, one.percent) == (done, 100 * done // one.course.lesson_count)
        assert (
            (one.percent == 100)
            == (one.completed_at is not None)
            == Certificate.objects.filter(enrollment=one).exists()
        )
        assert one.user.date_joined < one.enrolled_at <= one.last_activity_at <= NOW
        assert one.last_activity_at >= max(one.progress.values_list("updated_at", flat=True), default=one.enrolled_at)
    passed = Attempt.objects.filter(is_passed=True)
    quizzes = LessonProgress.objects.filter(lesson__kind="quiz")
    assert {(row.enrollment_id, row.lesson_id) for row in quizzes.exclude(completed_at=None)} == set(
        passed.values_list("enrollment", "quiz__lesson")
    )
    assert not Attempt.objects.filter(submitted_at=None).exists()
    assert not passed.filter(percent__lt=F("pass_percent")).exists()
    for course in Course.objects.all():
        ratings = list(Rating.objects.filter(course=course).values_list("stars", flat=True))
        assert (course.rating_count, course.rating_sum) == (len(ratings), sum(ratings))
        assert course.learner_count == course.enrollments.count()
        assert CourseVisit.objects.filter(course=course).exists()
    assert WatchedDay.objects.filter(seconds__gt=0).exists()
    assert WatchedDay.objects.filter(other_seconds__gt=0).exists()


def test_some_are_at_risk_of_each_kind_and_quizzes_have_items(written) -> None:
    seed_rollups(NOW)

    assert set(EnrollmentRollup.objects.values_list("risk", flat=True)) >= set(EnrollmentRollup.Risk.values)
    assert QuestionRollup.objects.filter(responses__gt=5, difficulty__gt=0).exists()
    assert LessonRollup.objects.exclude(retention=None).exists()
    assert rebuild(Counting(NOW, is_dry=True)).total_changes() == 0


def test_a_second_run_writes_nothing(written) -> None:
    before = list(Enrollment.objects.order_by("pk").values())

    seed_half_year(NOW + timedelta(days=1), learners=40)

    assert list(Enrollment.objects.order_by("pk").values()) == before
    assert User.objects.filter(email__endswith=f"@{DOMAIN}").count() == 40
