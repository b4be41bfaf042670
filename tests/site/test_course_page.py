"""The course page: permissions, contents and queries."""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from apps.courses.models import Course, Lesson
from apps.courses.queries.detail import courses_beside
from apps.learning.models import Bookmark, LessonProgress, Rating
from tests.factories.accounts import UserFactory
from tests.factories.courses import THEN, CourseFactory, LessonFactory, QuizFactory, SectionFactory, SubjectFactory
from tests.factories.files import CaptionFactory, VideoFactory
from tests.factories.learning import EnrollmentFactory
from tests.factories.selling import GrantFactory, PaidCourseFactory, PaymentFactory, SubscriptionFactory


def address(course: Course) -> str:
    return f"/courses/{course.slug}"


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def badge_of(answer) -> str:
    """Return the status in the header of a course page."""
    assert answer.status_code == 200
    main = answer.content.decode().split("<main")[1]
    found = re.search(r'class="badge[^>]*>(?:<span[^>]*></span>)?([^<]+)<', main)
    assert found
    return found[1].strip()


@pytest.mark.parametrize(
    ("status", "announced", "shown", "to_learners", "to_staff"),
    [
        ("published", False, "Available Now", "Available Now", "Available Now"),
        ("archived", False, "No Longer Available", "No Longer Available", "No Longer Available"),
        ("draft", True, "Coming Soon", "No Longer Available", "Coming Soon"),
        ("review", True, "Coming Soon", "No Longer Available", "Coming Soon"),
        ("draft", False, "", "No Longer Available", "Draft"),
        ("review", False, "", "No Longer Available", "Under review"),
        ("suspended", False, "", "No Longer Available", "No Longer Available"),
        ("suspended", True, "", "No Longer Available", "No Longer Available"),
    ],
)
def test_the_status_of_a_course_depends_on_the_user(
    client: Client, browser_of, ada, eve, mia, leo, sam, status, announced, shown, to_learners, to_staff
):
    course = CourseFactory(instructor=ada, status=status, is_announced=announced, title="The hidden gem")
    LessonFactory(section=SectionFactory(course=course), course=course)
    EnrollmentFactory(user=leo, course=course)
    expected_status = 200 if shown else 404

    for browser in (client, browser_of(mia), browser_of(eve)):
        answer = browser.get(address(course))
        assert answer.status_code == expected_status
        assert ("The hidden gem" in answer.content.decode()) == (expected_status == 200)
        if expected_status == 200:
            assert badge_of(answer) == shown
    # The instructor and admins always see the course, even if the page is cached for visitors.
    for user in (ada, sam):
        assert badge_of(browser_of(user).get(address(course))) == to_staff
    # An enrollment remains after a course is closed. All pages show a learner the same status.
    at_leo = browser_of(leo)
    answer = at_leo.get(address(course))
    assert badge_of(answer) == to_learners
    is_closed = status != "published"
    assert ("Closed to new learners. You still have access." in text_of(answer)) == is_closed
    shelf = text_of(at_leo.get("/me/enrollments"))
    assert (to_learners in shelf) == ("Closed to new learners. You still have access." in shelf) == is_closed


def test_an_unknown_course_is_not_found_and_links_to_the_catalogue(client: Client, db):
    answer = client.get("/courses/never-written")

    assert answer.status_code == 404
    assert "Course not found" in text_of(answer)
    assert 'href="/courses/">Browse courses' in answer.content.decode()


def test_an_address_with_a_trailing_slash_redirects_to_the_course(client: Client, course):
    assert client.get(address(course)).status_code == 200
    assert client.get(address(course) + "/?a=1").headers["Location"] == address(course) + "?a=1"


def test_the_page_describes_the_course_and_its_instructor(client: Client, ada, course):
    ada.bio = "Draws every diagram by hand."
    ada.save(update_fields=["bio"])
    course.before_you_begin = "Some *patience*."
    course.save(update_fields=["before_you_begin"])
    LessonFactory(section=course.sections.first(), kind="video", video=(track := CaptionFactory(label="English")).video)
    QuizFactory(lesson__section=course.sections.last())

    page = text_of(client.get(address(course)))

    for expected in (
        course.title,
        *course.outcomes,
        "Draws every diagram",
        "patience",
        "English",
        "1 quiz",
        "8 lessons",
    ):
        assert expected in page
    assert track.video_id


def test_the_page_does_not_contain_lesson_bodies_or_quiz_texts(client: Client, course):
    lesson = course.lessons.first()
    lesson.body = "The body of a lesson that is not a preview."
    lesson.save(update_fields=["body"])
    QuizFactory(lesson__section=course.sections.last(), intro="An intro that the course page does not show.")

    page = client.get(address(course)).content.decode()

    assert "not a preview" not in page
    assert "An intro that" not in page


def test_a_visitor_gets_links_only_to_previews(client: Client, course):
    preview = course.lessons.order_by("pk").first()
    preview.is_preview = True
    preview.save(update_fields=["is_preview"])

    page = client.get(address(course)).content.decode()

    assert set(re.findall(r'href="(/learn/[^"]+)"', page)) == {f"/learn/{course.slug}/{preview.slug}"}
    assert "Preview" in page


def test_a_free_course_offers_enrollment(client: Client, browser_of, mia, course):
    assert f'href="/courses/enroll?course={course.slug}"' in client.get(address(course)).content.decode()
    assert '<form method="post" action="/courses/enroll">' in browser_of(mia).get(address(course)).content.decode()


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        pytest.param({"pricing": "one_time", "price": 4900}, "$49", id="one-time"),
        pytest.param({"pricing": "one_time", "price": 1250, "currency": "eur"}, "€12.50", id="cents"),
        pytest.param({"pricing": "premium"}, "Included in Premium", id="premium"),
    ],
)
def test_a_paid_course_shows_its_price_and_no_enrollment(browser_of, mia, fields, shown):
    course = CourseFactory(status="published", **fields)

    page = browser_of(mia).get(address(course)).content.decode()

    assert shown in page
    assert 'action="/courses/enroll"' not in page
    assert page.count("Buy this course") == (2 if course.pricing == "one_time" else 0), "in the card and in the bar"


@pytest.mark.parametrize(
    ("source", "shown"), [("purchase", "You own this course."), ("staff", "You can open this course.")]
)
def test_a_course_that_is_open_without_an_enrollment_is_not_sold(browser_of, mia, source, shown):
    course = PaidCourseFactory()
    payment = PaymentFactory(user=mia, course=course) if source == "purchase" else None
    GrantFactory(user=mia, course=course, source=source, payment=payment)

    page = browser_of(mia).get(address(course)).content.decode()

    assert shown in page
    assert '<form method="post" action="/courses/enroll">' in page
    assert "Buy this course" not in page


def test_staff_are_not_asked_to_buy_their_course(browser_of, ada):
    page = browser_of(ada).get(address(PaidCourseFactory(instructor=ada))).content.decode()

    assert "Buy this course" not in page
    assert "You own this course" not in page


def test_premium_opens_a_premium_course(browser_of, mia):
    course = CourseFactory(status="published", pricing="premium")
    SubscriptionFactory(user=mia, period_end=timezone.now() + timedelta(days=5))

    assert "Included in your Premium." in browser_of(mia).get(address(course)).content.decode()


def test_a_learner_resumes_at_the_next_lesson(browser_of, leo, enrollment, course):
    first, second, *_ = course.lessons.order_by("section__position", "position")
    LessonProgress.objects.create(
        enrollment=enrollment, lesson=first, started_at=THEN, updated_at=THEN, completed_at=THEN, watched_seconds=60
    )
    enrollment.percent, enrollment.completed_lessons, enrollment.last_lesson = 16, 1, first
    enrollment.save(update_fields=["percent", "completed_lessons", "last_lesson"])

    page = browser_of(leo).get(address(course)).content.decode()

    assert f'href="/learn/{course.slug}/{second.slug}">Resume' in page
    assert "16% complete" in page
    assert "1 of 6 lessons" in page
    assert 'action="/courses/enroll"' not in page


def test_a_completed_course_has_no_resume_link(browser_of, leo, enrollment, course):
    for lesson in course.lessons.all():
        LessonProgress.objects.create(
            enrollment=enrollment, lesson=lesson, started_at=THEN, updated_at=THEN, completed_at=THEN
        )
    enrollment.percent = 100
    enrollment.save(update_fields=["percent"])

    page = browser_of(leo).get(address(course)).content.decode()

    assert page.count(">Open lesson 1.1<") == 2, "beside the text, and at the bottom on phones"
    assert "You've completed this course." in page
    assert "Resume" not in page
    assert "Next: " not in page


def test_a_locked_lesson_has_no_link(browser_of, leo, enrollment, course):
    course.requires_order = True
    course.save(update_fields=["requires_order"])
    first, second, *_ = course.lessons.order_by("section__position", "position")

    page = browser_of(leo).get(address(course)).content.decode()

    assert f'href="/learn/{course.slug}/{first.slug}" class="lesson' in page
    assert f"/learn/{course.slug}/{second.slug}" not in page
    assert "Opens when you complete 1.1" in page


def test_other_users_do_not_see_the_syllabus_of_a_learner(client: Client, browser_of, leo, mia, enrollment, course):
    linked = re.compile(rf'/learn/{course.slug}/[\w-]+" class="lesson')

    assert linked.search(browser_of(leo).get(address(course)).content.decode())
    assert not linked.search(browser_of(mia).get(address(course)).content.decode())
    assert not linked.search(client.get(address(course)).content.decode())


def test_the_syllabus_says_only_dates_ahead_and_in_the_readers_zone(client: Client, browser_of, mia, course):
    opens_at = datetime(2027, 1, 11, 23, 30, tzinfo=UTC)
    course.lessons.filter(number="1.2").update(opens_at=opens_at)
    mia.time_zone = "Asia/Kathmandu"
    mia.save()
    reader = browser_of(mia)
    for _cached in range(2):
        assert "Opens on 11 January 2027, 23:30 (UTC)" in text_of(client.get(address(course)))
        assert "Opens on 12 January 2027, 05:15 (UTC+05:45)" in text_of(reader.get(address(course)))

    with time_machine.travel(opens_at + timedelta(minutes=1)):
        assert "Opens on" not in text_of(browser_of(mia).get(address(course)))


def test_the_bookmark_button_shows_its_state(client: Client, browser_of, mia, course):
    browser = browser_of(mia)
    assert 'aria-pressed="false" aria-label="Bookmark' in browser.get(address(course)).content.decode()

    Bookmark.objects.create(user=mia, course=course, created_at=THEN)

    assert 'aria-pressed="true" aria-label="Bookmark' in browser.get(address(course)).content.decode()
    assert "data-bookmark" not in client.get(address(course)).content.decode()


def test_reviews_show_stars_and_texts_without_full_names(client: Client, course):
    for stars, text in ((4, "It drew the picture of my wrong answer."), (5, ""), (5, "Short <b>and</b> clear.")):
        learner = UserFactory(first_name="Joanna", last_name="Pellingham")
        enrollment = EnrollmentFactory(user=learner, course=course, percent=71)
        Rating.objects.create(
            enrollment=enrollment, course=course, stars=stars, text=text, created_at=THEN, updated_at=THEN
        )
    Course.objects.filter(pk=course.pk).update(rating_count=3, rating_sum=14)

    page = client.get(address(course)).content.decode()

    assert "4.7" in page
    assert 'value="67"' in page
    assert "Joanna P., 71% complete" in page
    [first, second] = re.findall(r'<li><p class="reviews__head">(.*?)</p>', page, re.S)
    assert 'aria-label="Rated 4 out of 5"' in first + second
    assert (first + second).count("stars__off") == 1
    assert 'datetime="2026-03-14">14 March 2026</time>' in first
    assert "Pellingham" not in page
    assert "Short &lt;b&gt;and&lt;/b&gt; clear." in page


def test_the_syllabus_comes_before_the_description(client: Client, course):
    Course.objects.filter(pk=course.pk).update(description="Three paragraphs.")

    headings = re.findall(r'<h2 class="h3" id="(\w+)">', client.get(address(course)).content.decode())

    assert headings[:3] == ["out", "syl", "abt"]


def test_the_page_links_to_the_courses_of_the_instructor(client: Client, course, ada):
    CourseFactory(instructor=ada, status="published")
    CourseFactory(instructor=ada, status="archived")
    CourseFactory(instructor=ada)

    page = client.get(address(course)).content.decode()

    assert '<a class="link" href="/courses/?instructor=ada">2 courses</a>' in page
    assert "2 courses</b>" in client.get("/courses/?instructor=ada").content.decode()


@pytest.mark.parametrize(
    ("fields", "shown", "action"),
    [
        pytest.param({}, "Free", 'href="/courses/enroll?course=rivers">Enroll now', id="free"),
        pytest.param({"pricing": "one_time", "price": 4900}, "$49", '?course=rivers">Buy this course', id="paid"),
        pytest.param({"pricing": "premium"}, "Premium", 'href="/premium?course=rivers">See Premium', id="premium"),
    ],
)
def test_the_bottom_bar_on_phones_shows_the_price_and_the_next_step(
    client: Client, browser_of, leo, mia, fields, shown, action
):
    course = CourseFactory(status="published", slug="rivers", **fields)
    LessonFactory(section__course=course, is_preview=True, slug="first")
    EnrollmentFactory(user=leo, course=course)

    def bar(browser: Client) -> str:
        return (
            browser.get(address(course)).content.decode().partition('<div class="enrollbar')[2].partition("</main>")[0]
        )

    assert shown in bar(client)
    assert action in bar(client)
    assert shown in bar(browser_of(mia))
    assert "Start learning" in bar(browser_of(leo))
    Course.objects.filter(pk=course.pk).update(status="archived")
    assert not bar(client)


def test_the_structured_data_matches_the_course(client: Client, course):
    Course.objects.filter(pk=course.pk).update(summary="Ends </script><script>alert(1)//", rating_count=2, rating_sum=9)

    page = client.get(address(course)).content.decode()
    [script] = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page, re.S)
    facts = json.loads(script)

    assert facts["@type"] == "Course"
    assert facts["description"] == "Ends </script><script>alert(1)//"
    assert facts["aggregateRating"]["ratingValue"] == 4.5
    assert '<link rel="canonical" href="' in page
    assert "index, follow" in page


def test_a_hidden_course_is_not_indexed(browser_of, ada):
    course = CourseFactory(instructor=ada, status="draft")

    page = browser_of(ada).get(address(course)).content.decode()

    assert "application/ld+json" not in page
    assert 'name="robots" content="noindex"' in page


def test_related_courses_are_published_courses(client: Client, course):
    first = CourseFactory(status="published", title="Take this first")
    course.prerequisites.add(first, CourseFactory(title="A secret prerequisite"))
    CourseFactory(status="published", title="Goes well", subject=course.subject)
    CourseFactory(status="suspended", title="Taken down", subject=course.subject)
    CourseFactory(status="archived", title="Closed", subject=course.subject)

    page = client.get(address(course)).content.decode()

    assert "Take this first" in page
    assert "Goes well" in page
    for hidden in ("A secret prerequisite", "Taken down", "Closed"):
        assert hidden not in page


def test_related_courses_are_ordered_by_subject_and_then_by_number_of_learners(course, django_assert_num_queries):
    elsewhere = SubjectFactory(slug="physics")
    CourseFactory(status="published", title="Near", subject=course.subject, learner_count=1)
    for count in (5, 9, 7, 3):
        CourseFactory(status="published", title=f"Taken by {count}", subject=elsewhere, learner_count=count)

    with django_assert_num_queries(2):
        beside = courses_beside(course)

    assert [card.title for card in beside.goes_well] == ["Near", "Taken by 9", "Taken by 7", "Taken by 5"]


@pytest.mark.parametrize("others", [0, 8])
def test_the_page_needs_few_queries_with_130_lessons_and_many_reviews(
    client: Client, browser_of, leo, course, enrollment, django_assert_max_num_queries, others: int
):
    for _ in range(10):
        section = SectionFactory(course=course)
        Lesson.objects.bulk_create(
            Lesson(
                course=course,
                section=section,
                kind="text",
                title=f"{at}",
                slug=f"s{section.pk}-{at}",
                position=at,
                number=f"{section.position}.{at}",
                duration=60,
            )
            for at in range(1, 14)
        )
    LessonProgress.objects.bulk_create(
        LessonProgress(enrollment=enrollment, lesson=lesson, started_at=THEN, updated_at=THEN, completed_at=THEN)
        for lesson in course.lessons.all()[:60]
    )
    for learner in UserFactory.create_batch(40):
        Rating.objects.create(
            enrollment=EnrollmentFactory(user=learner, course=course),
            course=course,
            stars=5,
            text="Good.",
            created_at=THEN,
            updated_at=THEN,
        )
    VideoFactory()
    CourseFactory.create_batch(others, status="published", subject=course.subject)
    Course.objects.filter(pk=course.pk).update(version=99, rating_count=40, rating_sum=200, lesson_count=136)
    browser = browser_of(leo)

    with django_assert_max_num_queries(14):  # one for the names of co-instructors
        browser.get(address(course))
    with django_assert_max_num_queries(3):  # the shared part of the page is cached
        browser.get(address(course))
    with django_assert_max_num_queries(1):
        client.get(address(course))
