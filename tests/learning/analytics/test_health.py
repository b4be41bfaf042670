"""How a course is doing: each rule, what the page says of it, and where its numbers come from."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.courses.models import Course
from apps.learning.analytics.course_figures import figures_of_courses, find_weak_lessons
from apps.learning.analytics.health import (
    CourseFigures,
    Health,
    WeakLesson,
    describe_health,
    find_health,
    say_health,
    title_of_health,
)
from apps.learning.models import EnrollmentRollup, LessonRollup
from studyplatform.kit.extensions import attention_items_for
from tests.cases import all_cases
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.learning import EnrollmentFactory

NOW = datetime(2026, 3, 30, 12, 0, tzinfo=UTC)
Risk = EnrollmentRollup.Risk


def figures(**changes) -> CourseFigures:
    return CourseFigures(**{"status": "published", "learners": 100, "finished": 50, **changes})


WEAK = WeakLesson("2.8", 11, 100)
WELL = (Health.HEALTHY, "Healthy", "100% keep going or have finished")
CASES = {
    "suspended": (figures(status="suspended", quiet=90), Health.SUSPENDED, "Suspended", "Learners can't find it"),
    "draft": (figures(status="draft", learners=0), Health.NOT_OPEN, "Not open yet", "You haven't submitted it"),
    "review": (figures(status="review", learners=0), Health.NOT_OPEN, "Not open yet", "Opens when it is approved"),
    "archived": (figures(status="archived", quiet=90), Health.CLOSED, "Closed", "Takes no new learners"),
    "nobody": (figures(learners=0, finished=0), Health.TOO_EARLY, "Too early to say", "No learners yet"),
    "few": (figures(learners=4, finished=0, quiet=4), Health.TOO_EARLY, "Too early to say", "4 learners so far"),
    "losing": (figures(quiet=40, stuck=[WEAK]), Health.LOSING, "Losing learners", "40% stopped before the end"),
    "losing five": (figures(learners=6, quiet=5), Health.LOSING, "Losing learners", "83% stopped before the end"),
    "not yet five": (figures(learners=6, quiet=4), Health.HEALTHY, "Healthy", "33% keep going or have finished"),
    "weak": (figures(quiet=39, stuck=[WEAK]), Health.WEAK_LESSON, "1 weak lesson", "11 in 100 are stuck at 2.8"),
    "two weak": (
        figures(stuck=[WeakLesson("1.2", 12, 100), WeakLesson("1.3", 30, 100)]),
        Health.WEAK_LESSON, "2 weak lessons", "30 in 100 are stuck at 1.3",
    ),
    "few are stuck": (figures(stuck=[WeakLesson("1.2", 4, 8)]), *WELL),
    "a small share is": (figures(stuck=[WeakLesson("1.2", 9, 91)]), *WELL),
    "rated low": (figures(rating_count=5, rating_sum=17), Health.LOW_RATING, "Rated low", "3.4 stars on average"),
    "few ratings": (figures(rating_count=4, rating_sum=4), *WELL),
    "rated well": (
        figures(rating_count=2, rating_sum=7, quiet=10),
        Health.HEALTHY, "Healthy", "90% keep going or have finished",
    ),
}  # fmt: skip


@all_cases("name", list(CASES))
def test_the_first_rule_that_holds_is_said(name) -> None:
    course, health, label, why = CASES[name]

    assert find_health(course) is health
    said = say_health(course)
    assert (said.label, said.why) == (label, why)


def test_every_state_of_a_course_and_every_health_is_said() -> None:
    assert {find_health(figures(status=status)) for status in Course.Status.values}
    assert {case[1] for case in CASES.values()} == set(Health)
    shapes = {case[1]: (say_health(case[0]).pip, say_health(case[0]).tone) for case in CASES.values()}
    assert shapes[Health.LOSING] != shapes[Health.WEAK_LESSON] != shapes[Health.HEALTHY]
    assert "40%" in describe_health()["Losing learners"]


@all_cases(
    "courses,title",
    [
        ([], "Your courses"),
        (["draft", "archived"], "None of your courses is open yet"),
        (["nobody"], "It's too early to say how your courses are doing"),
        (["nobody", "rated well", "draft"], "Your courses are doing well"),
        (["losing", "draft"], "Your course needs attention"),
        (["losing", "weak", "rated well", "draft"], "2 of 3 courses need attention"),
        (["suspended", "rated well"], "1 of 2 courses needs attention"),
    ],
)
def test_the_title_says_how_the_open_courses_are_doing(courses, title) -> None:
    assert title_of_health([CASES[name][0] for name in courses]) == title


def test_a_course_without_learners_has_no_percentages() -> None:
    empty = figures(learners=0, finished=0)

    assert (empty.completion, empty.rating, WeakLesson("1.1", 1, 0).share) == (None, None, 0.0)


@pytest.mark.django_db
def test_the_figures_are_those_of_present_learners(django_assert_num_queries) -> None:
    course, other, empty = (CourseFactory(status="published") for _course in range(3))
    lesson = LessonFactory(section__course=course)
    LessonRollup.objects.create(lesson=lesson, began=20)
    for number in range(12):
        enrollment = EnrollmentFactory(
            course=course,
            enrolled_at=NOW - timedelta(days=number),
            completed_at=NOW if number < 3 else None,
            revoked_at=NOW if number == 11 else None,
        )
        risk = Risk.QUIET if number in (4, 11) else Risk.STUCK if number > 8 else ""
        EnrollmentRollup.objects.create(
            enrollment=enrollment, risk=risk, risk_lesson=lesson if risk else None, seconds=0
        )
    EnrollmentFactory(course=other, enrolled_at=NOW)

    with django_assert_num_queries(3):
        found = figures_of_courses([course, other, empty], now=NOW)

    counted = found[course.pk]
    assert (counted.learners, counted.finished, counted.quiet, counted.new_this_week) == (11, 3, 1, 7)
    assert list(counted.stuck) == [WeakLesson(lesson.number, 2, 20)]
    assert (found[other.pk].learners, found[other.pk].new_this_week) == (1, 1)
    assert find_health(found[empty.pk]) is Health.TOO_EARLY


@pytest.mark.django_db
def test_weak_lessons_of_open_courses_are_found_for_those_who_edit_them(ada, eve, django_assert_num_queries) -> None:
    def fill(status: str, stuck: int, began: int):
        lesson = LessonFactory(section__course__instructor=ada, section__course__status=status)
        LessonRollup.objects.create(lesson=lesson, began=began)
        for _number in range(stuck):
            EnrollmentRollup.objects.create(
                enrollment=EnrollmentFactory(course=lesson.course), risk=Risk.FAILING, risk_lesson=lesson
            )
        return lesson

    weak, weakest = fill("published", 5, 50), fill("published", 6, 0)
    fill("published", 5, 51)
    fill("published", 4, 4)
    fill("archived", 6, 6)

    with django_assert_num_queries(2):
        found = find_weak_lessons(ada)
    assert [(lesson.pk, one.stuck, one.began) for lesson, one in found] == [(weakest.pk, 6, 6), (weak.pk, 5, 50)]
    assert find_weak_lessons(eve) == []
    titles = [item.title for item in attention_items_for(ada, now=NOW)]
    assert f"Lesson {weakest.number} stops many learners" in titles
