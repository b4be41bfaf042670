"""The home of instructors: what waits for them, in which order, for whom; the first steps; the panels."""

import re
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from apps.billing.models import EarningsMilestone
from apps.courses import services as courses
from apps.courses.models import CoInstructor, Course, Lesson
from apps.forum.models import Report
from apps.learning.analytics.course_figures import figures_of_courses
from apps.learning.analytics.courses import scope_of
from apps.learning.analytics.lists import count_learners
from apps.learning.analytics.metrics import metrics_of
from apps.learning.analytics.overview import course_figures
from apps.learning.models import EssayAnswer
from apps.tutor.models import TodoCount
from studyplatform.kit.extensions import AttentionItem, Urgency, attention_items_for, attention_sources
from studyplatform.site.teaching.first_steps import FirstCourse, find_first_course, find_first_steps
from tests.factories.accounts import UserFactory
from tests.factories.co_instructors import CoInstructorFactory
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.files import VideoFactory
from tests.factories.forum import ConversationFactory
from tests.factories.learning import AttemptFactory, EnrollmentFactory, RatingFactory
from tests.factories.topics import BoardFactory, make_post, make_topic

pytestmark = pytest.mark.django_db
HOME = "/dashboard/instructor/"
HOUR = timedelta(hours=1)


def words_of(answer) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode())).replace("&#39;", "'")


def titles(user, now=None) -> list[str]:
    return [item.title for item in attention_items_for(user, now=now or timezone.now())]


def fill(course: Course, now: datetime) -> None:
    """One of everything that waits in a course."""
    board = BoardFactory(course=course, title=course.title)
    learner = UserFactory(first_name="Wen")
    make_topic(board=board, author=learner, now=now - 19 * HOUR, title="Why three times?")
    topic = make_topic(board=board, author=learner, now=now - 2 * HOUR, first_reply_at=now)
    post = make_post(topic, author=learner)
    Report.objects.create(post=post, user=UserFactory(), reason="spam", created_at=now - HOUR)
    ConversationFactory(course=course, learner=learner, unread_by_instructor=3, last_message_at=now - 3 * HOUR)
    enrollment = EnrollmentFactory(course=course, user=learner)
    uid = uuid4()
    answered = {"uid": str(uid), "kind": "essay", "prompt": "Why?", "explanation": "", "given": "It flows."}
    attempt = AttemptFactory(enrollment=enrollment, submitted_at=now - 5 * HOUR, results=[answered], waiting=1)
    EssayAnswer.objects.create(attempt=attempt, question_uid=uid, place=1, points=4, submitted_at=now - 5 * HOUR)
    RatingFactory(enrollment=enrollment, created_at=now - 30 * HOUR, updated_at=now, text="Clear. Too short.")
    TodoCount.objects.create(course=course, count=7, counted_at=now)


def test_what_waits_is_listed_with_the_most_urgent_first(browser_of, ada) -> None:
    now = timezone.now()
    course = CourseFactory(instructor=ada, status="published", title="Rivers")
    fill(course, now)
    VideoFactory(owner=ada, stage="failed", failure="corrupt_file", filename="delta.mp4", created_at=now - HOUR)
    CourseFactory(instructor=ada, status="suspended", title="Seas")

    found = attention_items_for(ada, now=now)

    assert [item.title for item in found] == [
        "delta.mp4 could not be processed",
        "1 reported post",
        "Seas is suspended",
        "1 unanswered question",
        "1 essay to mark",
        "3 unread messages",
        "1 review without a reply",
        "7 questions the tutor couldn't answer",
    ]
    by_title = {item.title: item for item in found}
    assert by_title["1 unanswered question"].text == "It has been waiting for 19 hours, in Rivers."
    assert by_title["3 unread messages"].text == "From Wen."
    assert by_title["1 review without a reply"].address == f"/courses/{course.slug}/reviews?sort=newest"
    assert {item.urgency for item in found} == {Urgency.BROKEN, Urgency.WAITING, Urgency.OPEN}

    page = browser_of(ada).get(HOME)
    assert "8 things need your attention." in words_of(page)
    for item in found:
        assert browser_of(ada).get(item.address).status_code == 200, item.address
    assert "Why three times?" in words_of(page)
    assert "“Clear. Too short.”" in words_of(page)


@pytest.mark.parametrize("role", [CoInstructor.Role.TEACH, CoInstructor.Role.VIEW, "former", "stranger"])
def test_only_those_who_teach_a_course_now_hear_of_it(browser_of, ada, eve, role) -> None:
    now = timezone.now()
    course = CourseFactory(instructor=ada, status="published", title="Rivers")
    if role != "stranger":
        is_former = role == "former"
        CoInstructorFactory(
            course=course,
            user=eve,
            role=CoInstructor.Role.TEACH if is_former else role,
            removed_at=now if is_former else None,
        )
    fill(course, now)

    found, page = titles(eve), words_of(browser_of(eve).get(HOME))

    may_teach, may_view = role == CoInstructor.Role.TEACH, role in {CoInstructor.Role.TEACH, CoInstructor.Role.VIEW}
    assert len(found) == (6 if may_teach else 0)
    assert ("Why three times?" in page) is may_view
    assert ("Rivers" in page) is may_view
    assert ("Clear. Too short." in page) is may_view
    assert ("Reply to the review" in page) is may_teach


def test_a_course_under_review_waits_for_others(ada, sam) -> None:
    lesson = LessonFactory(section__course__instructor=ada, section__course__title="Rivers")
    at = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
    courses.submit_course(course=lesson.course, by=ada, now=at)

    [item] = attention_items_for(ada, now=at + 28 * HOUR)
    assert (item.title, item.urgency) == ("Rivers is under review", Urgency.KNOWN)
    assert item.text == "Submitted 28 hours ago; reviews take up to 48 hours."
    [late] = attention_items_for(ada, now=at + 60 * HOUR)
    assert "taking longer than usual" in late.text

    course = Course.objects.get(pk=lesson.course.pk)
    courses.decide_submission(course=course, by=sam, outcome="changes_requested", comment="Number **it**.", now=at)
    [item] = attention_items_for(ada, now=at + HOUR)
    assert (item.title, item.text) == ("Rivers: the reviewer requested changes", "Number it.")
    assert item.urgency == Urgency.WAITING


def test_what_was_said_of_a_discarded_version_is_not_said_of_the_next(ada, sam) -> None:
    lesson = LessonFactory(section__course__instructor=ada, section__course__status="published")
    course, at = lesson.course, datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
    copy = courses.begin_version(course=course, by=ada, now=at)
    Lesson.objects.filter(course=copy).update(title="Deltas")
    courses.submit_course(course=copy, by=ada, now=at + HOUR)
    copy = Course.with_working_copies.get(pk=copy.pk)
    courses.decide_submission(course=copy, by=sam, outcome="changes_requested", comment="No.", now=at + 2 * HOUR)
    [item] = attention_items_for(ada, now=at + 3 * HOUR)
    assert "the reviewer requested changes" in item.title

    courses.discard_version(course=Course.objects.get(pk=course.pk), by=ada, now=at + 4 * HOUR)
    courses.begin_version(course=Course.objects.get(pk=course.pk), by=ada, now=at + 5 * HOUR)

    assert attention_items_for(ada, now=at + 6 * HOUR) == []


def test_an_old_review_and_an_answered_question_wait_no_longer(ada) -> None:
    now = timezone.now()
    course = CourseFactory(instructor=ada, status="published")
    enrollment = EnrollmentFactory(course=course)
    RatingFactory(enrollment=enrollment, created_at=now - timedelta(days=61))
    board = BoardFactory(course=course)
    make_topic(board=board, first_reply_at=now)
    make_topic(board=board, author=ada)

    assert titles(ada, now) == []


def test_what_waits_in_several_courses_says_where_its_button_leads(ada) -> None:
    now = timezone.now()
    rivers, seas = (CourseFactory(instructor=ada, status="published", title=title) for title in ("Rivers", "Seas"))
    for course, hours in ((rivers, 30), (seas, 5), (seas, 6)):
        RatingFactory(enrollment=EnrollmentFactory(course=course), created_at=now - hours * HOUR, text="Clear.")

    [item] = attention_items_for(ada, now=now)

    assert (item.title, item.count) == ("3 reviews without a reply", 3)
    assert item.text == "1 of them in Rivers, waiting for 30 hours."
    assert item.address.startswith(f"/courses/{rivers.slug}/")


def test_a_deleted_account_is_a_present_student_nowhere(ada) -> None:
    now = timezone.now()
    course = CourseFactory(instructor=ada, status="published")
    long_ago, gone = now - timedelta(days=40), UserFactory(is_active=False, deleted_at=now - timedelta(days=2))
    EnrollmentFactory(course=course, enrolled_at=long_ago)
    EnrollmentFactory(course=course, user=gone, enrolled_at=long_ago, completed_at=long_ago)
    scope = scope_of(ada)

    found = metrics_of(scope, now=now)

    assert (found.total_students, found.total_students_before) == (1, 1)
    assert (found.completion_rate, found.completion_rate_before) == (0, 0)
    others = figures_of_courses([course], now=now)[course.pk], course_figures(scope, [], [], currency="usd")[0]
    assert [one.learners for one in others] == [1, 1]
    assert count_learners(scope, now).people == 1


def test_many_failed_videos_are_counted(ada) -> None:
    VideoFactory.create_batch(5, owner=ada, stage="failed", failure="corrupt_file")

    assert len(titles(ada)) == 4
    assert "2 more videos failed" in titles(ada)


def test_of_the_same_urgency_the_longest_waiting_is_first(ada, monkeypatch) -> None:
    now = timezone.now()

    def item(title, urgency, hours):
        since = now - hours * HOUR if hours is not None else None
        return AttentionItem(urgency=urgency, icon="mail", title=title, action="Go", address="/", since=since)

    shuffled = [
        item("c", Urgency.WAITING, 1), item("a", Urgency.BROKEN, 1), item("d", Urgency.WAITING, None),
        item("b", Urgency.WAITING, 9), item("e", Urgency.KNOWN, 99),
    ]  # fmt: skip
    monkeypatch.setattr(attention_sources, "ordered", lambda: [lambda user, now: shuffled])

    assert "".join(titles(ada, now)) == "abcde"


def test_the_first_steps_notice_what_is_done(browser_of, ada) -> None:
    def states(course=None):
        return [(step.is_done, bool(step.address)) for step in find_first_steps(ada, course)]

    assert find_first_course(ada) is None
    assert states() == [(False, True), (False, False), (False, False), (False, False)]
    assert "Still missing: a photo and two sentences." in words_of(browser_of(ada).get(HOME))
    ada.avatar, ada.bio = "avatars/ada.png", "I measure rivers. I draw them, too."
    assert states() == [(True, False), (False, True), (False, False), (False, False)]
    draft = FirstCourse(slug="rivers", outcomes=3, lessons=5)
    assert [done for done, _button in states(draft)] == [True, True, False, False]
    assert [done for done, _button in states(FirstCourse(slug="rivers", outcomes=2, lessons=5))] == [True, False] + [
        False
    ] * 2
    filled = FirstCourse(slug="rivers", outcomes=3, lessons=5, filled_lessons=1)
    assert states(filled) == [(True, False), (True, False), (True, False), (False, True)]
    submitted = FirstCourse(slug="rivers", outcomes=3, lessons=5, filled_lessons=1, is_submitted=True)
    assert states(submitted) == [(True, False)] * 4


def test_the_first_course_is_the_one_that_is_furthest(ada) -> None:
    CourseFactory(instructor=ada)
    lesson = LessonFactory(section__course__instructor=ada, section__course__slug="rivers", body="")
    assert find_first_course(ada) == FirstCourse(slug="rivers", outcomes=3, lessons=1)

    LessonFactory(section=lesson.section, body="Springs are patient.")
    assert find_first_course(ada) == FirstCourse(slug="rivers", outcomes=3, lessons=2, filled_lessons=1)


def test_who_teaches_an_open_course_sees_no_first_steps(browser_of, ada) -> None:
    assert "in four steps" in words_of(browser_of(ada).get(HOME))
    CourseFactory(instructor=ada, status="published")

    assert "in four steps" not in words_of(browser_of(ada).get(HOME))


def test_milestones_have_seals(browser_of, ada) -> None:
    EarningsMilestone.objects.create(user=ada, name="students_100", reached_at=datetime(2025, 7, 9, 12, tzinfo=UTC))

    page = browser_of(ada).get(HOME)

    assert "1 of 6" in words_of(page)
    assert "100 students Reached: 9 July 2025" in words_of(page)
    assert page.content.decode().count('class="seal seal--off"') == 5


def test_the_home_needs_as_many_queries_with_many_rows(browser_of, ada, django_assert_max_num_queries) -> None:
    now = timezone.now()
    for _number in range(12):
        fill(CourseFactory(instructor=ada, status="published"), now)
    VideoFactory.create_batch(8, owner=ada, stage="failed", failure="corrupt_file")
    browser = browser_of(ada)

    with django_assert_max_num_queries(28):
        page = browser.get(HOME)

    assert page.content.decode().count("course-cell") == 8
    assert "12 unanswered questions" in words_of(page)
    assert "From Wen, Wen, Wen, and 9 more." in words_of(page)
    assert "All 12 courses" in words_of(page)


def test_the_tiles_say_how_the_figures_changed(ada, browser_of) -> None:
    now = timezone.now()
    course = CourseFactory(instructor=ada, status="published", rating_count=4, rating_sum=18)
    EnrollmentFactory(course=course, enrolled_at=now - timedelta(days=40), completed_at=now - timedelta(days=35))
    EnrollmentFactory(course=course, enrolled_at=now - timedelta(days=2))

    page = words_of(browser_of(ada).get(HOME))

    assert "Total students 2 up by 1 in 30 days" in page
    assert "Completion rate 50% down by 50 points in 30 days" in page
    assert "Average rating 4.5 from 4 ratings" in page
