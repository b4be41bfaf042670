"""What keeps the roll-ups, and what pages read of them."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import User
from apps.courses.errors import CourseNotFound, NotCourseStaff
from apps.courses.models import CoInstructor, Course, Lesson
from apps.learning.analytics import counting
from apps.learning.analytics.counting import Counting, keep_rollups, rebuild
from apps.learning.analytics.courses import Scope, course_read_by, courses_read_by, scope_of
from apps.learning.analytics.curves import retention_of, usual_band
from apps.learning.analytics.funnel import funnel_of
from apps.learning.analytics.learners import count_at_risk, minutes_per_day
from apps.learning.analytics.lessons import StandingOut, lessons_of, lessons_standing_out, stuck_lessons
from apps.learning.analytics.metrics import metrics_of
from apps.learning.analytics.periods import Period, last_days
from apps.learning.analytics.quizzes import items_of
from apps.learning.analytics.risk import describe_risks
from apps.learning.analytics.series import series_of, series_with_before
from apps.learning.models import (
    Attempt,
    CourseDay,
    CourseVisit,
    Enrollment,
    EnrollmentRollup,
    EssayAnswer,
    LessonProgress,
    LessonRollup,
    QuestionRollup,
    RollupState,
    WatchedDay,
)
from apps.learning.services import restart_lessons
from studyplatform.kit import jobs
from studyplatform.kit.models import Job
from tests.factories.accounts import UserFactory
from tests.factories.co_instructors import CoInstructorFactory
from tests.factories.courses import CourseFactory, LessonFactory, QuestionFactory, QuizFactory
from tests.factories.learning import AttemptFactory, EnrollmentFactory, LessonProgressFactory, NoteFactory

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 30, 12, 0, tzinfo=UTC)
TODAY = NOW.date()


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


@pytest.fixture
def teacher() -> User:
    return UserFactory(role="instructor")


@pytest.fixture
def course(teacher: User) -> Course:
    return CourseFactory(instructor=teacher, status="published", slug="rivers")


@pytest.fixture
def film(course: Course) -> Lesson:
    return LessonFactory(section__course=course, kind="video", duration=90)


def learn(lesson: Lesson, count: int, *, days: float = 3, **progress: Any) -> list[Enrollment]:
    """Let so many new learners begin a lesson, and spend two minutes on that day."""
    enrollments = [
        EnrollmentFactory(course=lesson.course, enrolled_at=ago(days + 1), last_activity_at=ago(days))
        for _number in range(count)
    ]
    LessonProgress.objects.bulk_create(
        LessonProgress(enrollment=one, lesson=lesson, started_at=ago(days), updated_at=ago(days), **progress)
        for one in enrollments
    )
    WatchedDay.objects.bulk_create(
        WatchedDay(user=one.user, course=lesson.course, day=ago(days).date(), seconds=120) for one in enrollments
    )
    return enrollments


def count() -> None:
    rebuild(Counting(NOW))


# Keeping them


def test_the_job_counts_and_plans_itself(film: Lesson) -> None:
    learn(film, 1)
    jobs.plan_all(now=NOW)
    row = Job.objects.get(kind="learning.keep_rollups")

    running = jobs.claim(row.queue, now=row.run_at)
    while running is not None and running.job.pk != row.pk:
        running = jobs.claim(row.queue, now=row.run_at)
    assert running is not None
    jobs.perform(running)

    row.refresh_from_db()
    assert (row.state, row.error) == (Job.State.QUEUED, "")
    assert EnrollmentRollup.objects.exists()
    assert RollupState.objects.exists()


def test_a_killed_run_leaves_nothing_wrong(film: Lesson, monkeypatch: pytest.MonkeyPatch) -> None:
    learn(film, 2)
    keep_rollups(now=NOW)
    learn(film, 1, days=0)
    Enrollment.objects.filter(last_activity_at=NOW).update(enrolled_at=NOW)

    def die(*args: Any, **kwargs: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(counting, "recount_learners", die)
        with pytest.raises(KeyboardInterrupt):
            keep_rollups(now=NOW + timedelta(hours=2))
    assert RollupState.objects.get().counted_until == NOW  # the next run counts the same again

    keep_rollups(now=NOW + timedelta(hours=2))

    assert rebuild(Counting(NOW + timedelta(hours=2), is_dry=True)).total_changes() == 0


def test_counting_again_writes_nothing(film: Lesson) -> None:
    learn(film, 3, watched=[[0, 60]], watched_seconds=60)
    count()

    with CaptureQueriesContext(
        connection,
    ) as queries:
        rebuild(Counting(NOW))

    written = [query["sql"] for query in queries if query["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]
    assert all("rollupstate" in sql or "DELETE" in sql for sql in written), written


def test_the_command_reports_and_can_only_look(film: Lesson) -> None:
    learn(film, 2)
    said = StringIO()

    call_command("rebuild_rollups", "--dry-run", stdout=said)
    assert "Counting courses: 1 of 1" in said.getvalue()
    assert "rows would be written" in said.getvalue()
    assert not CourseDay.objects.exists()

    call_command("rebuild_rollups", "--course", "rivers", "--since", "2026-01-01", stdout=said)
    assert CourseDay.objects.filter(course=film.course).exists()
    again = StringIO()
    call_command("rebuild_rollups", stdout=again)
    assert "days: 0 added, 0 changed, 0 removed" in again.getvalue()


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--course", "nowhere", 'no course "nowhere"'),
        ("--since", "yesterday", "is no day"),
        ("--since", "2026-02-30", "is no day"),
    ],
)
def test_the_command_refuses_what_it_does_not_know(option: str, value: str, said: str) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("rebuild_rollups", option, value)


def test_marks_of_an_old_essay_count_with_the_next_run(course: Course) -> None:
    """Nothing else of the learner changes then, and the attempt was submitted long ago."""
    quiz = QuizFactory(lesson__section__course=course)
    [enrollment] = learn(quiz.lesson, 1, days=6)
    attempts = [
        AttemptFactory(
            enrollment=enrollment,
            quiz=quiz,
            number=number,
            submitted_at=ago(6 - number),
            percent=20,
            waiting=number - 1,
        )
        for number in (1, 2)
    ]
    keep_rollups(now=NOW)
    assert (count_at_risk(scope_of(course.instructor)), enrollment.rollup.quiz_percent) == ({"slow_start": 1}, 20)

    later = NOW + timedelta(minutes=10)
    Attempt.objects.filter(pk=attempts[1].pk).update(waiting=0, percent=40)
    EssayAnswer.objects.create(
        attempt=attempts[1], question_uid=uuid4(), place=1, points=4, submitted_at=ago(4), earned=0, marked_at=later
    )
    keep_rollups(now=later)
    enrollment.rollup.refresh_from_db()
    assert (enrollment.rollup.risk, enrollment.rollup.quiz_percent) == ("failing", 40)


def test_a_course_alone_leaves_the_others(film: Lesson) -> None:
    other = LessonFactory(section__course=CourseFactory(status="published"))
    learn(film, 1)
    learn(other, 1)

    rebuild(Counting(NOW), courses=[film.course_id])

    assert set(CourseDay.objects.values_list("course", flat=True)) == {film.course_id}
    assert set(LessonRollup.objects.values_list("lesson", flat=True)) == {film.pk}


def test_a_replaced_video_begins_its_retention_again(film: Lesson) -> None:
    learn(film, 6, days=9, watched=[[0, 90]], watched_seconds=90, completed_at=ago(8))
    learn(film, 6, days=9, watched=[[0, 10]], watched_seconds=10)
    restart_lessons(lesson_ids=[film.pk], now=ago(5))
    learn(film, 5, days=2, watched=[[0, 30]], watched_seconds=30)
    count()

    found = retention_of(film)

    assert found is not None
    assert (found.learners, found.percents[0], found.percents[40]) == (5, 100.0, 0.0)
    row = LessonRollup.objects.get(lesson=film)
    assert (row.began, row.completed, row.left_early_of) == (17, 6, 11)  # six haven't seen the present video


# Rights


def test_who_reads_which_courses(teacher: User, course: Course) -> None:
    admin, other = UserFactory(role="admin"), UserFactory(role="instructor")
    CourseFactory(instructor=teacher, next_version_of=course, status="draft", published_at=None)
    joined = CoInstructorFactory(course=course, role="view")

    assert list(courses_read_by(teacher)) == [course]
    assert list(courses_read_by(joined.user)) == [course]
    assert course_read_by(joined.user, "rivers") == course
    assert not courses_read_by(other).exists()
    assert not courses_read_by(UserFactory()).exists()
    assert not courses_read_by(admin).exists()
    assert course_read_by(admin, "rivers") == course
    with pytest.raises(NotCourseStaff):
        course_read_by(other, "rivers")
    with pytest.raises(CourseNotFound):
        course_read_by(admin, "nowhere")

    CoInstructor.objects.update(removed_at=NOW)
    assert not courses_read_by(joined.user).exists()
    with pytest.raises(NotCourseStaff):
        course_read_by(joined.user, "rivers")


def test_a_scope_is_what_somebody_reads_now(teacher: User, course: Course) -> None:
    other, learner = CourseFactory(instructor=teacher, title="A delta", slug="delta"), UserFactory()
    count()

    everything = scope_of(teacher)
    assert (everything.courses, everything.chosen) == ((other, course), None)
    assert everything.counted_until == NOW
    chosen = scope_of(teacher, "rivers")
    assert (chosen.choices, chosen.courses, chosen.chosen) == ((other, course), (course,), course)
    assert scope_of(UserFactory(role="admin"), "rivers").courses == (course,)
    nobody = scope_of(learner)
    assert (nobody.courses, nobody.counted_until) == ((), NOW)
    for user, slug, refusal in (
        (learner, "rivers", NotCourseStaff),
        (UserFactory(role="instructor"), "rivers", NotCourseStaff),
        (teacher, "nowhere", CourseNotFound),
    ):
        with pytest.raises(refusal):
            scope_of(user, slug)
    with CaptureQueriesContext(connection) as queries:
        scope_of(teacher, "rivers")
    assert len(queries) == 1


def test_people_of_former_courses_count_no_more_at_once(teacher: User, film: Lesson) -> None:
    own = LessonFactory(section__course=CourseFactory(status="published"))
    reader = own.course.instructor
    second = LessonFactory(section__course=CourseFactory(instructor=reader, status="published"))
    joined = CoInstructorFactory(course=film.course, user=reader, role="view")
    learn(film, 7)
    learn(own, 2)
    learn(second, 1)
    count()
    assert metrics_of(scope_of(reader), now=NOW).active_students == 10

    joined.removed_at = NOW
    joined.save()

    scope = scope_of(reader)
    assert set(scope.courses) == {own.course, second.course}
    assert not scope.has_actives  # nobody has counted the two without the third
    assert metrics_of(scope, now=NOW).active_students is None
    assert metrics_of(scope, now=NOW).total_students == 3
    later = NOW + timedelta(minutes=10)
    keep_rollups(now=later)
    assert series_of(scope_of(reader), last_days(7, now=later)).total.active_learners_30 == 3


def test_a_new_draft_leaves_the_figures_as_they_are(teacher: User, film: Lesson) -> None:
    second = LessonFactory(section__course=CourseFactory(instructor=teacher, status="published"))
    learn(film, 2)
    learn(second, 1)
    count()

    CourseFactory(instructor=teacher)
    assert scope_of(teacher).has_actives
    EnrollmentFactory(course=CourseFactory(instructor=teacher, status="published"))
    assert metrics_of(scope_of(teacher), now=NOW).active_students == 3


# Reading


def test_metrics_count_people_once_and_compare(teacher: User, film: Lesson) -> None:
    second = LessonFactory(section__course=CourseFactory(instructor=teacher, status="published"))
    [old] = learn(film, 1, days=40)
    [new, gone] = learn(film, 2, days=2)
    LessonProgressFactory(
        enrollment=EnrollmentFactory(course=second.course, user=new.user, enrolled_at=ago(2)),
        lesson=second,
        started_at=ago(2),
    )
    gone.revoke(now=ago(1))
    Enrollment.objects.filter(pk=old.pk).update(completed_at=ago(35))
    Course.objects.filter(pk=film.course_id).update(rating_count=4, rating_sum=18)
    count()

    found = metrics_of(scope_of(teacher), now=NOW)

    assert (found.total_students, found.total_students_before) == (2, 1)
    assert (found.active_students, found.active_students_before) == (2, 1)
    assert found.completion_rate == pytest.approx(100 / 3)
    assert found.completion_rate_before == 100.0
    assert found.average_rating == 4.5
    assert (found.total_revenue, found.pending_payout) == (0, 0)
    assert metrics_of(scope_of(teacher, "rivers"), now=NOW).active_students == 2
    midnight = NOW.replace(hour=0) + timedelta(days=1)  # nothing of the new day is counted yet
    assert metrics_of(scope_of(teacher), now=midnight).active_students == 2
    nothing = metrics_of(scope_of(UserFactory()), now=NOW)
    assert (nothing.total_students, nothing.average_rating, nothing.completion_rate) == (0, None, None)


def test_series_have_a_figure_for_each_day(teacher: User, film: Lesson) -> None:
    learn(film, 2, days=3)
    CourseVisit.objects.create(course=film.course, day=TODAY, visitors=4)
    second = LessonFactory(section__course=CourseFactory(instructor=teacher, status="published"))
    learn(second, 1, days=1)
    count()

    [series, before] = series_with_before(scope_of(teacher), last_days(6, now=NOW))

    assert [one.day for one in series.entries] == [TODAY - timedelta(days=number) for number in range(5, -1, -1)]
    assert [one.enrollments for one in series.entries] == [0, 2, 0, 1, 0, 0]
    assert [one.active_learners for one in series.entries] == [0, 0, 2, 0, 1, 0]
    assert [one.active_learners_30 for one in series.entries] == [0, 0, 2, 2, 3, 3]
    assert (series.total.watched_seconds, series.total.page_visitors) == (360, 4)
    assert (before.period, before.total.enrollments) == (series.period.before, 0)
    alone = series_of(scope_of(teacher, "rivers"), series.period)
    assert [one.active_learners_30 for one in alone.entries] == [0, 0, 2, 2, 2, 2]
    tomorrow = series_of(scope_of(teacher), last_days(1, now=NOW + timedelta(days=1)))
    assert (tomorrow.entries[0].active_learners, tomorrow.entries[0].enrollments) == (None, 0)
    assert series_of(scope_of(UserFactory()), series.period).total.enrollments == 0


def test_lessons_that_stand_out(course: Course, film: Lesson) -> None:
    text = LessonFactory(section=film.section)
    early = learn(film, 6, days=10, watched=[[0, 9]], watched_seconds=9)
    for enrollment in early:
        NoteFactory(user=enrollment.user, course=course, lesson=film, kind="moment", second=5, uid=uuid4())
    for enrollment in learn(text, 5, days=9, completed_at=ago(8)):
        LessonProgressFactory(enrollment=enrollment, lesson=film, started_at=ago(8), watched_seconds=80)
        Enrollment.objects.filter(pk=enrollment.pk).update(last_activity_at=ago(1))
    count()

    [first, second] = lessons_of(course.pk)
    assert (first.began, first.reached, second.reached) == (11, 11, 5)
    assert (first.left_early, round(first.left_early_percent or 0)) == (6, 55)
    assert (first.bookmarks, first.stuck, second.median_seconds_to_complete) == (6, 5, 86_400)
    scope = scope_of(course.instructor)
    [stuck] = stuck_lessons(scope)
    assert (stuck.lesson, stuck.learners, stuck.of) == (film, 5, 11)
    [left], [marked] = (found := lessons_standing_out(scope)).left_early, found.bookmarked
    assert (left.lesson, left.learners, round(left.percent)) == (film, 6, 55)
    assert (marked.lesson, marked.learners) == (film, 6)
    assert count_at_risk(scope) == {"stuck": 5, "slow_start": 6}


def test_few_learners_are_hidden(course: Course, film: Lesson) -> None:
    for enrollment in learn(film, 4, days=10, watched=[[0, 9]], watched_seconds=9):
        NoteFactory(user=enrollment.user, course=course, lesson=film, kind="moment", second=5, uid=uuid4())
    CourseVisit.objects.create(course=course, day=TODAY, visitors=4)
    count()

    [row] = lessons_of(course.pk)
    assert (row.left_early, row.left_early_percent, row.bookmarks) == (None, None, None)
    assert retention_of(film) is None
    assert lessons_standing_out(scope_of(course.instructor)) == StandingOut([], [])
    [visitors, enrolled, *_rest] = funnel_of(scope_of(course.instructor), last_days(30, now=NOW)).steps
    assert (visitors.people, enrolled.people) == (None, 4)


def test_retention_and_what_is_usual(course: Course, film: Lesson) -> None:
    for number in range(3):
        lesson = LessonFactory(section=film.section, kind="video", duration=60 + number)
        learn(lesson, 5, watched=[[0, 30]], watched_seconds=30)
    learn(film, 3, watched=[[0, 90]], watched_seconds=90)
    learn(film, 2, watched=[[0, 45]], watched_seconds=45)
    count()

    found = retention_of(film)

    assert found is not None
    assert (found.learners, found.seconds, found.percents[10], found.percents[80]) == (5, 90, 100.0, 60.0)
    assert found.moments.first == 100.0
    band = usual_band(scope_of(course.instructor), besides=film)
    assert band is not None
    assert (band[10], band[90]) == ((100.0, 100.0), (0.0, 0.0))
    assert usual_band(scope_of(UserFactory())) is None


def test_funnel_from_the_page_to_completion(course: Course, film: Lesson) -> None:
    learn(film, 5)
    Enrollment.objects.filter(course=course).update(milestone=50)
    done = Enrollment.objects.filter(course=course).earliest("pk")
    Enrollment.objects.filter(pk=done.pk).update(milestone=100, completed_at=NOW)
    EnrollmentFactory(course=course, enrolled_at=ago(2))
    EnrollmentFactory(course=course, enrolled_at=ago(90))
    CourseVisit.objects.create(course=course, day=ago(1).date(), visitors=30)

    found = funnel_of(scope_of(course.instructor), last_days(30, now=NOW))

    assert {step.name: step.people for step in found.steps} == {
        "visitors": 30,
        "enrolled": 6,
        "began": 5,
        "quarter": 5,
        "half": 5,
        "most": 1,
        "completed": 1,
    }
    assert found.visits_since == date(2026, 3, 29)


def test_items_of_a_quiz(course: Course) -> None:
    quiz = QuizFactory(lesson__section__course=course)
    question, removed = QuestionFactory(quiz=quiz), QuestionFactory(quiz=quiz)
    wrong = next(option["id"] for option in question.options if option["id"] != question.answer["id"])
    for number in range(11):
        enrollment = EnrollmentFactory(course=course)
        for attempt in (1, 2):  # the second one doesn't count
            right = attempt == 2 or number >= 5
            chosen = question.answer["id"] if right else wrong
            asked = {"kind": "single", "points": 1, "earned": str(int(right)), "verdict": "right" if right else "wrong"}
            Attempt.objects.create(
                enrollment=enrollment,
                quiz=quiz,
                number=attempt,
                started_at=ago(2),
                submitted_at=ago(2),
                answers={str(question.uid): {"id": chosen}},
                results=[asked | {"uid": str(one.uid)} for one in (question, removed)],
            )
    removed.removed_at = NOW
    removed.save()
    count()

    [item] = items_of(quiz)

    assert (item.question, item.responses, item.unanswered) == (question, 11, 0)
    assert item.difficulty == round(6 / 11, 4)
    chosen = {option.key: option.chosen for option in item.options}
    assert (chosen[question.answer["id"]], chosen[wrong]) == (6, 5)
    assert [option.key for option in item.options if option.is_right] == [question.answer["id"]]


def test_choices_of_few_are_hidden_and_cannot_be_computed(course: Course) -> None:
    quiz = QuizFactory(lesson__section__course=course)
    question = QuestionFactory(quiz=quiz, kind="truth", answer={"value": True}, options=[])
    row = QuestionRollup.objects.create(
        quiz=quiz,
        question_uid=question.uid,
        responses=22,
        unanswered=1,
        difficulty=0.5,
        options={"true": 18, "false": 3},
    )

    [item] = items_of(quiz)

    assert (item.unanswered, [option.chosen for option in item.options]) == (1, [None, None])
    QuestionRollup.objects.filter(pk=row.pk).update(options={"true": 15, "false": 6})
    [item] = items_of(quiz)
    assert (item.unanswered, [option.chosen for option in item.options]) == (1, [15, 6])


def test_minutes_for_sparklines(film: Lesson) -> None:
    [enrollment] = learn(film, 1, days=2)
    WatchedDay.objects.create(user=enrollment.user, course=CourseFactory(), day=TODAY, seconds=600)

    assert minutes_per_day([enrollment], TODAY, days=4) == {enrollment.pk: [0, 2, 0, 0]}
    assert minutes_per_day([], TODAY) == {}


def test_each_risk_is_described() -> None:
    assert set(describe_risks()) == set(EnrollmentRollup.Risk)


READERS: dict[str, tuple[int, Callable[[Scope], Any]]] = {
    "metrics": (5, lambda scope: metrics_of(scope, now=NOW)),
    "series": (2, lambda scope: series_with_before(scope, Period(date(2026, 1, 1), TODAY))),
    "funnel": (2, lambda scope: funnel_of(scope, last_days(90, now=NOW)).steps),
    "lessons": (2, lambda scope: lessons_of(scope.pks[0])),
    "stuck": (2, lambda scope: stuck_lessons(scope)),
    "standing out": (1, lambda scope: lessons_standing_out(scope)),
    "band": (1, lambda scope: usual_band(scope)),
    "risks": (1, lambda scope: count_at_risk(scope)),
}


def test_reading_takes_few_queries_however_many_learn(teacher: User, course: Course, film: Lesson) -> None:
    learn(film, 20, watched=[[0, 30]], watched_seconds=30)
    for _number in range(12):
        learn(LessonFactory(section=film.section, kind="video", duration=60), 1)
    count()
    scope = scope_of(teacher)

    for name, (most, read) in READERS.items():
        with CaptureQueriesContext(connection) as queries:
            read(scope)
        assert len(queries) <= most, f"{name}: {len(queries)} queries"


# Visitors of the course page

OWN = {"origin": "http://testserver"}


def visitors(course: Course) -> int:
    return sum(CourseVisit.objects.filter(course=course).values_list("visitors", flat=True))


def test_visits_are_counted_without_a_trace(client: Client, course: Course) -> None:
    answer = client.post("/courses/rivers/visit", headers=OWN)
    client.post("/courses/rivers/visit", headers=OWN)

    assert (answer.status_code, answer.content) == (204, b"")
    assert not answer.cookies
    assert visitors(course) == 2
    assert 'data-visit="rivers"' in client.get("/courses/rivers").content.decode()


@pytest.mark.parametrize(
    "headers",
    [{}, {"origin": "https://elsewhere.example"}, OWN | {"dnt": "1"}, OWN | {"sec-gpc": "1"}],
    ids=["no origin", "another site", "do not track", "global privacy control"],
)
def test_visits_that_do_not_count(client: Client, course: Course, headers: dict[str, str]) -> None:
    assert client.post("/courses/rivers/visit", headers=headers).status_code == 204
    assert visitors(course) == 0


def test_staff_and_closed_courses_do_not_count(client: Client, course: Course, teacher: User) -> None:
    learner, joined = UserFactory(), CoInstructorFactory(course=course, role="view").user
    for user in (teacher, joined, UserFactory(role="admin"), learner):
        client.force_login(user)
        client.post("/courses/rivers/visit", headers=OWN)
    assert visitors(course) == 1  # the learner

    Course.objects.filter(pk=course.pk).update(status="archived")
    client.post("/courses/rivers/visit", headers=OWN)
    assert client.post("/courses/nowhere/visit", headers=OWN).status_code == 204
    assert "data-visit" not in client.get("/courses/rivers").content.decode()
    assert visitors(course) == 1


def test_visits_of_one_address_are_limited(client: Client, course: Course, settings: Any) -> None:
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"course-visit": (2, 600)}
    answers = [client.post("/courses/rivers/visit", headers=OWN).status_code for _number in range(3)]

    assert answers == [204, 204, 204]  # nobody reads the answer
    assert visitors(course) == 2
