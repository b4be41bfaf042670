"""The dashboards of instructors and admins, and the review page."""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from apps.courses import services
from apps.courses.models import Course, LessonDownload, QuestionTag, QuizDraw, Submission
from apps.courses.queries import review
from studyplatform.kit.models import Job
from tests.factories.courses import (
    CourseFactory,
    CourseFileFactory,
    LessonFactory,
    QuestionFactory,
    QuizFactory,
    SectionFactory,
)
from tests.factories.files import CaptionFactory, StoredFileFactory, VideoFactory
from tests.factories.learning import EnrollmentFactory

NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)
HOME_QUERIES = 28  # however many courses, learners and things that wait there are


@pytest.fixture
def submitted(ada):
    """Ada's course in review, with a lesson of each readable kind."""
    section = SectionFactory(course__instructor=ada, course__slug="rivers", course__title="Rivers")
    LessonFactory(section=section, slug="source", body="Springs are patient.")
    film = LessonFactory(section=section, slug="film", kind="video", video=VideoFactory(owner=ada))
    CaptionFactory(video=film.video, webvtt="WEBVTT\n\n00:00:01.000 --> 00:00:03.000\nWater falls.\n")
    QuestionFactory(quiz__lesson=LessonFactory(section=section, slug="check", kind="quiz"))
    services.submit_course(course=section.course, by=ada, note="First attempt", now=timezone.now())
    return Course.objects.get(slug="rivers")


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("/dashboard/instructor/", {"ada", "sam"}),
        ("/dashboard/admin/", {"sam"}),
        ("/dashboard/admin/courses/rivers/review", {"sam"}),
    ],
)
def test_each_dashboard_is_restricted_to_its_roles(submitted, browser_of, client, ada, leo, sam, address, allowed):
    for name, person in {"ada": ada, "leo": leo, "sam": sam}.items():
        response = browser_of(person).get(address)
        if name in allowed:
            assert response.status_code == 200, name
        else:
            assert (response.status_code, response["Location"]) == (302, "/"), name
    assert client.get(address)["Location"] == f"/auth/login?next={address}"


def test_the_overview_link_leads_to_the_dashboard_of_the_role(browser_of, ada, sam):
    """For an admin, the admin pages come first in the navigation, and the instructor pages follow."""

    def rail(person):
        page = browser_of(person).get("/dashboard/instructor/").content.decode()
        wide = page[page.index('class="rail__wide"') :]
        return [
            (href, name.strip()) for href, name in re.findall(r'<a href="([^"]+)"[^>]*><svg.*?</svg>([^<]+)</a>', wide)
        ]

    assert rail(ada)[0] == ("/dashboard/instructor/", "Overview")
    assert rail(sam)[0] == ("/dashboard/admin/", "Site overview")
    assert ("/dashboard/instructor/", "Instructor overview") in rail(sam)


@pytest.mark.parametrize("who", ["ada", "leo"])
def test_only_admins_can_decide_or_suspend(submitted, browser_of, ada, leo, who):
    browser = browser_of({"ada": ada, "leo": leo}[who])

    browser.post("/dashboard/admin/courses/rivers/review", {"outcome": "approved"})
    browser.post("/dashboard/admin/courses/rivers/step", {"step": "suspend", "reason": "x"})

    submitted.refresh_from_db()
    assert submitted.status == "review"


def test_an_approved_course_is_published(submitted, browser_of, sam):
    response = browser_of(sam).post("/dashboard/admin/courses/rivers/review", {"outcome": "approved"}, follow=True)

    submitted.refresh_from_db()
    assert submitted.status == "published"
    assert "“Rivers” is live." in response.content.decode()


def test_a_reviewer_reads_what_attempts_may_ask_and_what_lessons_offer(submitted, browser_of, sam, monkeypatch):
    lesson = LessonFactory(section__course=submitted, kind="quiz", slug="bends-quiz")
    quiz = QuizFactory(lesson=lesson)
    bank = QuizFactory(lesson=None, course=submitted)
    tag = QuestionTag.objects.create(bank=bank, name="ice", key="ice")
    linked, *tagged = (QuestionFactory(quiz=bank, prompt=f"In the bank {n}?") for n in range(3))
    for one in (linked, *tagged):
        one.tags.add(tag)
    QuizDraw.objects.create(quiz=quiz, position=1, question=linked)
    QuizDraw.objects.create(quiz=quiz, position=2, count=2).tags.add(tag)
    QuestionFactory(quiz=quiz, prompt="In the quiz?")
    file = CourseFileFactory(course=submitted, name="tables.pdf")
    LessonDownload.objects.create(lesson=lesson, file=file, name="All tables", position=1)

    address = "/dashboard/admin/courses/rivers/review?lesson=bends-quiz"
    page = browser_of(sam).get(address).content.decode()
    for prompt in ("In the quiz?", "In the bank 0?", "In the bank 1?", "In the bank 2?"):
        assert page.count(f">{prompt}<") == 1  # the form for a comment names it too
    for words in ("Linked from the question bank", "2 questions from the question bank", "Each attempt draws from 3"):
        assert words in page
    assert file.address in page

    monkeypatch.setattr("studyplatform.site.governing.quiz_reading.MAX_DRAWN_SHOWN", 2)
    page = browser_of(sam).get(address).content.decode()
    assert "In the bank 2?" not in page
    assert "1 more question in the question bank" in page


def test_any_other_decision_needs_a_comment(submitted, browser_of, sam):
    browser, address = browser_of(sam), "/dashboard/admin/courses/rivers/review"

    page = browser.post(address, {"outcome": "changes_requested", "comment": " "}).content.decode()
    assert "Tell the instructor what to change." in page
    browser.post(address, {"outcome": "withdrawn", "comment": "x"})
    submitted.refresh_from_db()
    assert submitted.status == "review"

    browser.post(address, {"outcome": "changes_requested", "comment": "Number the **steps**."})
    submitted.refresh_from_db()
    assert submitted.status == "draft"


def test_a_second_decision_is_refused_with_a_message(submitted, browser_of, sam):
    browser, address = browser_of(sam), "/dashboard/admin/courses/rivers/review"
    browser.post(address, {"outcome": "approved"})

    response = browser.post(address, {"outcome": "rejected", "comment": "Too late."}, follow=True)

    submitted.refresh_from_db()
    assert submitted.status == "published"
    assert "“Published”" in response.content.decode()


def test_the_instructor_reads_the_reviewers_answer(submitted, browser_of, ada, sam):
    services.decide_submission(
        course=submitted, by=sam, outcome="changes_requested", comment="Number the **steps**.", now=timezone.now()
    )
    browser = browser_of(ada)

    assert "the reviewer requested changes" in browser.get("/dashboard/instructor/").content.decode()
    page = browser.get("/dashboard/instructor/courses/rivers/edit").content.decode()
    assert "<strong>steps</strong>" in page


def test_an_admin_can_suspend_and_reinstate_a_course(submitted, browser_of, ada, sam):
    services.decide_submission(course=submitted, by=sam, outcome="approved", now=timezone.now())
    browser, address = browser_of(sam), "/dashboard/admin/courses/rivers/step"

    browser.post(address, {"step": "suspend", "reason": "Copied pictures."})
    assert "Copied pictures." in browser_of(ada).get("/dashboard/instructor/courses/rivers/edit").content.decode()
    browser.post(address, {"step": "reinstate"})
    browser.post(address, {"step": "explode"})

    submitted.refresh_from_db()
    assert submitted.status == "published"


@pytest.mark.parametrize(
    ("lesson", "words"),
    [("source", "Springs are patient."), ("film", "Water falls."), ("check", "That, because it is not this.")],
)
def test_the_reviewer_can_read_every_lesson(submitted, browser_of, sam, lesson, words):
    page = browser_of(sam).get(f"/dashboard/admin/courses/rivers/review?lesson={lesson}").content.decode()

    assert words in page
    assert "First attempt" in page


def test_the_reviewer_can_download_the_file_of_a_lesson(submitted, browser_of, sam, ada):
    section = submitted.sections.get()
    sheet = LessonFactory(
        section=section, slug="sheet", kind="file", file=StoredFileFactory(owner=ada, filename="s.pdf")
    )
    browser = browser_of(sam)

    page = browser.get(f"/dashboard/admin/courses/rivers/review?lesson={sheet.slug}").content.decode()

    [link] = re.findall(r'href="([^"]+)" download', page)
    assert "Download s.pdf" in page
    assert browser.get(link).status_code == 302, "to the signed address of the file"


def test_the_reviewer_can_watch_videos_on_the_review_page(submitted, browser_of, sam):
    page = browser_of(sam).get("/dashboard/admin/courses/rivers/review?lesson=film").content.decode()

    props = json.loads(re.search(r'data-island="player".*?<script[^>]*>(.*?)</script>', page, re.DOTALL)[1])
    review = "/dashboard/admin/courses/rivers/review?lesson="
    assert (props["url"], props["previous"]["url"], props["next"]["url"]) == tuple(
        review + slug for slug in ("film", "source", "check")
    )
    assert props["sources"]["master"]
    assert not props["may_save"]
    assert 'data-seek="1.0"' in page


def test_the_review_page_of_an_unknown_course_is_not_found(browser_of, sam):
    assert browser_of(sam).get("/dashboard/admin/courses/none/review").status_code == 404


@pytest.mark.parametrize(
    ("hours", "label", "percent", "is_late"),
    [(0, "0 h", 0, False), (12, "12 h", 25, False), (47.9, "47 h", 100, False), (51, "3 h late", 100, True)],
)
def test_the_review_time_is_a_share_of_48_hours(hours, label, percent, is_late):
    due = review.due(NOW - timedelta(hours=hours), NOW)

    assert (due.label, due.percent, due.is_late) == (label, percent, is_late)


def test_the_queue_shows_the_oldest_submission_first_with_its_problems(ada, sam):
    first, second = LessonFactory(section__course__instructor=ada), LessonFactory(section__course__instructor=ada)
    silent = LessonFactory(section=second.section, kind="video", video=VideoFactory(duration=1200), duration=1200)
    services.submit_course(course=second.course, by=ada, now=NOW)
    services.decide_submission(course=second.course, by=sam, outcome="rejected", comment="x", now=NOW)
    services.submit_course(course=second.course, by=ada, now=NOW)
    services.submit_course(course=first.course, by=ada, now=NOW - timedelta(hours=3))
    silent.video.stage = "failed"
    silent.video.failure = "processing_failed"
    silent.video.save()

    rows = list(review.queue())

    assert [row.course for row in rows] == [first.course, second.course]
    assert [(row.round, row.unready, row.uncaptioned, row.too_long) for row in rows] == [(1, 0, 0, 0), (2, 1, 1, 1)]


def test_the_number_of_students_counts_each_user_once(browser_of, ada, leo):
    for _ in range(2):
        EnrollmentFactory(user=leo, course=CourseFactory(instructor=ada, status="published"))

    page = browser_of(ada).get("/dashboard/instructor/").content.decode()

    assert re.search(r"<dt>Total students</dt><dd><a [^>]+>1</a></dd>", page)


def test_the_dashboards_need_few_queries_for_many_courses(browser_of, ada, sam, django_assert_max_num_queries):
    for _ in range(30):
        course = LessonFactory(section__course__instructor=ada).course
        services.submit_course(course=course, by=ada, now=NOW)
        VideoFactory(owner=ada, stage="failed", failure="corrupt_file")
    Job.objects.bulk_create(Job(kind=f"kind-{n % 4}", run_at=NOW, created_at=NOW) for n in range(60))

    as_ada, as_sam = browser_of(ada), browser_of(sam)

    with django_assert_max_num_queries(HOME_QUERIES):
        assert as_ada.get("/dashboard/instructor/").status_code == 200
    with django_assert_max_num_queries(15):  # one for the appeals
        page = as_sam.get("/dashboard/admin/").content.decode()
    assert page.count("course-cell") == 20
    assert as_sam.get("/dashboard/admin/?page=2").content.decode().count("course-cell") == 10


def test_a_review_of_130_lessons_needs_few_queries(browser_of, ada, sam, django_assert_max_num_queries):
    course = CourseFactory(instructor=ada, slug="long")
    for _ in range(5):
        section = SectionFactory(course=course)
        LessonFactory.create_batch(26, section=section)
    for _ in range(10):
        Submission.objects.create(course=course, submitted_by=ada, submitted_at=NOW, outcome="rejected")

    as_sam = browser_of(sam)

    with django_assert_max_num_queries(19):  # three for the findings, five for the comments
        assert as_sam.get("/dashboard/admin/courses/long/review").status_code == 200


def test_the_overview_and_the_earnings_name_every_metric_before_a_first_sale(browser_of, ada):
    money_metrics = ["Total revenue", "Monthly earnings", "Pending payout", "Next payout date"]
    metrics = [
        "Total students", "Active students in the last 30 days", "Completion rate", "Average rating", *money_metrics,
    ]  # fmt: skip

    def named(address):
        return re.findall(
            r'<div class="kpi"><dt>([^<]+)</dt><dd>(?:<a [^>]+>)?[^<]+</', browser_of(ada).get(address).content.decode()
        )

    assert named("/dashboard/instructor/") == metrics
    assert sorted(named("/dashboard/instructor/earnings/")) == sorted(money_metrics)
