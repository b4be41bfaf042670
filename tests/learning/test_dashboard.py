"""The learner's dashboard: what it shows, to whom, and what it costs."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.models import Course, Lesson, Section
from apps.forum.models import Topic
from apps.learning.models import Achievement, Enrollment, LearnedDay, LessonProgress
from studyplatform.kit.extensions import LearnerCard, learner_cards
from studyplatform.kit.text.zones import zone_named
from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory
from tests.factories.learning import EnrollmentFactory
from tests.factories.selling import SubscriptionFactory
from tests.factories.topics import BoardFactory, make_post, make_topic

pytestmark = pytest.mark.django_db
PAGE = "/me/dashboard"


def text(answer) -> str:
    assert answer.status_code == 200
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode())))


def today(user: User):
    return timezone.now().astimezone(zone_named(user.time_zone)).date()


def test_visitors_are_led_to_the_sign_in(client):
    assert client.get(PAGE)["Location"] == "/auth/login?next=/me/dashboard"
    assert client.post(PAGE).status_code in {302, 405}


def test_a_new_learner_is_led_to_the_catalog(browser_of, mia):
    page = text(browser_of(mia).get(PAGE))

    assert "Choose your first course" in page
    assert "No streak yet" in page
    assert "0 of 30 minutes" in page
    assert "0 earned, 6 to go" in page


def test_it_shows_what_is_the_learners_own(browser_of, leo, mia, enrollment, course, lessons):
    day = today(leo)
    for back in range(4):
        LearnedDay.objects.create(user=leo, day=day - timedelta(days=back), seconds=1800, lessons=1)
    LearnedDay.objects.create(user=mia, day=day, seconds=36_000, lessons=9)
    earned_at = timezone.now()
    Achievement.objects.create(user=leo, kind="three_days", earned_at=earned_at, day=day)
    Achievement.objects.create(user=mia, kind="early", earned_at=timezone.now(), day=day)
    LessonProgress.objects.create(
        enrollment=enrollment, lesson=lessons[0], started_at=timezone.now(), updated_at=timezone.now()
    )
    page = text(browser_of(leo).get(PAGE))

    assert "Leo" in page
    assert "4 -day streak" in page or "4-day streak" in page
    assert "30 of 30 minutes" in page
    assert "1 earned, 5 to go" in page
    assert f"{earned_at.astimezone(zone_named(leo.time_zone)):%-d %b %Y}" in page
    assert "Rivers and Their Work" in page
    assert "30 minutes, 1 lesson" in page
    assert "10.0" not in page


def test_it_resumes_at_the_second(browser_of, leo, enrollment, course):
    lesson = LessonFactory(section__course=course, course=course, kind="video", duration=600)
    LessonProgress.objects.create(
        enrollment=enrollment, lesson=lesson, position=402, watched=[[0, 402]], watched_seconds=402,
        started_at=timezone.now(), updated_at=timezone.now(),
    )  # fmt: skip
    Enrollment.objects.update(last_lesson=lesson)
    page = text(browser_of(leo).get(PAGE))

    assert "You stopped at 6:42" in page
    assert "3 min left in this lesson" in page


def test_recommendations_say_why(browser_of, leo, enrollment, course):
    Enrollment.objects.update(completed_at=timezone.now(), percent=100)
    onward = CourseFactory(status="published", title="Deltas")
    onward.prerequisites.add(course)
    together, same = (
        CourseFactory(status="published", title="Lakes"),
        CourseFactory(status="published", title="Hills", subject=course.subject),
    )
    CourseFactory(status="draft", title="Unfinished", subject=course.subject)
    for _ in range(2):
        other = EnrollmentFactory(course=course)
        EnrollmentFactory(user=other.user, course=together)
    page = text(browser_of(leo).get(PAGE))

    assert re.search(r"Deltas Builds on “Rivers and Their Work”, which you completed", page)
    assert re.search(r"Lakes Learners of “Rivers and Their Work” also take it", page)
    assert re.search(rf"{same.title} Also in ", page)
    assert "Unfinished" not in page
    assert "You've completed all your courses" in page


def test_premium_says_when_it_renews_ends_or_has_to_be_paid(browser_of, leo, mia):
    end = timezone.now() + timedelta(days=9)
    row = SubscriptionFactory(user=leo, status="active", period_end=end)
    assert "Renews on" in text(browser_of(leo).get(PAGE))
    assert "Renews on" not in text(browser_of(mia).get(PAGE))

    row.cancels_at_period_end = True
    row.save()
    assert "Ends on" in text(browser_of(leo).get(PAGE))

    row.status, row.grace_until = "past_due", end
    row.save()
    assert "Your last payment failed." in text(browser_of(leo).get(PAGE))


def test_other_apps_add_cards(browser_of, leo, monkeypatch):
    monkeypatch.setitem(
        learner_cards, "test", lambda user, now: LearnerCard(template="learning/_test_card.html", card={}, place="none")
    )

    assert browser_of(leo).get(PAGE).status_code == 200


def test_a_sign_in_token_in_the_address_opens_it_once(leo):
    from apps.accounts import services as accounts

    token = accounts.create_sign_in_token(user=leo, now=timezone.now())
    first, second = Client(), Client()
    answer = first.get(PAGE, {"token": token, "user": str(leo.uid)}, follow=True)
    assert answer.redirect_chain == [(PAGE, 302)]
    assert "Leo" in text(answer)
    assert second.get(PAGE, {"token": token, "user": str(leo.uid)})["Location"].startswith("/auth/login")


@pytest.mark.parametrize(("count", "each"), [(30, 4), pytest.param(200, 50, marks=pytest.mark.long)])
def test_queries_do_not_grow_with_courses_lessons_and_days(
    browser_of, leo, django_assert_max_num_queries, count: int, each: int
):
    now = timezone.now()
    first = CourseFactory(status="published")
    same = {"subject": first.subject, "instructor": first.instructor, "status": "published"}
    courses = Course.objects.bulk_create(CourseFactory.build(**same) for _ in range(count))
    sections = Section.objects.bulk_create(SectionFactory.build(course=course) for course in courses)
    lessons = Lesson.objects.bulk_create(
        Lesson(section=section, course=section.course, title="Bend", slug=f"lesson-{place}", position=place)
        for section in sections
        for place in range(1, each + 1)
    )
    enrollments = {
        row.course_id: row
        for row in Enrollment.objects.bulk_create(
            EnrollmentFactory.build(user=leo, course=course, last_activity_at=now) for course in courses
        )
    }
    LessonProgress.objects.bulk_create(
        LessonProgress(
            enrollment=enrollments[lesson.course_id], lesson=lesson, started_at=now, updated_at=now, completed_at=now
        )
        for lesson in lessons
    )
    assert LessonProgress.objects.count() == count * each
    LearnedDay.objects.bulk_create(
        LearnedDay(user=leo, day=now.date() - timedelta(days=back), seconds=600, lessons=1) for back in range(700)
    )
    browser = browser_of(leo)
    browser.get(PAGE)

    with django_assert_max_num_queries(19):
        page = text(browser.get(PAGE))

    assert "700" in page or "701" in page


def test_it_shows_the_newest_replies_in_the_learners_own_topics(browser_of, leo, mia):
    now = timezone.now()
    board = BoardFactory()

    def topic(title: str, *authors: User, days: int = 0) -> Topic:
        made = make_topic(board=board, author=authors[0], title=title)
        for author in authors[1:]:
            make_post(made, author=author)
        Topic.objects.filter(pk=made.pk).update(last_post_at=now - timedelta(days=days))
        return made

    topic("Why do rivers bend?", leo, mia)
    topic("Two answers", leo, mia, mia, days=1)
    topic("I had the last word", leo, mia, leo)
    topic("Of somebody else", mia, leo)
    topic("Long ago", leo, mia, days=31)
    page = browser_of(leo).get(PAGE)

    shown = text(page)[text(page).index("Replies to you") :]
    assert re.search(rf"Why do rivers bend\? {mia.display_name} (answered|replied),.*Two answers 2 new replies,", shown)
    assert not re.search("last word|somebody else|Long ago", shown)
