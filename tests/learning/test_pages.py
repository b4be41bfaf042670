"""The learner's pages: permissions, forms, and a number of queries that does not depend on the length of the course."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape

import pypdfium2
import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.models import Course, Lesson
from apps.learning import services
from apps.learning.certificates.pdf import draw
from apps.learning.models import Attempt, Certificate, Enrollment, LearningTime, LessonProgress
from studyplatform.kit.errors import REGISTRY
from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory
from tests.factories.files import CaptionFactory, StoredFileFactory, VideoFactory
from tests.factories.learning import (
    BookmarkFactory,
    CertificateFactory,
    EnrollmentFactory,
    LessonProgressFactory,
    NoteFactory,
)
from tests.learning.quiz import SECRETS, make_quiz, right_answers


def text(answer) -> str:
    return answer.content.decode()


@pytest.fixture
def leos_browser(leo, enrollment, browser_of) -> Client:
    return browser_of(leo)


@pytest.fixture
def extend_course(course: Course, ada) -> Callable[[int], Lesson]:
    """Extend Ada's course to the given number of lessons; return the last, a video with captions."""

    def extend(size: int) -> Lesson:
        section = SectionFactory(course=course)
        missing = size - course.lessons.count() - 1
        Lesson.objects.bulk_create(
            Lesson(
                course=course, section=section, kind="text", position=n, number=f"3.{n}", slug=f"more-{n}", title="M"
            )
            for n in range(1, missing + 1)
        )
        video = VideoFactory(owner=ada, poster="poster.jpg")
        CaptionFactory(video=video)
        video_lesson = LessonFactory(
            section=section, course=course, kind="video", video=video, duration=90, slug="film"
        )
        Course.objects.filter(pk=course.pk).update(version=course.version + size)
        return video_lesson

    return extend


@pytest.mark.parametrize("size", [10, 1000])
def test_the_length_of_a_course_does_not_change_the_number_of_queries(
    leos_browser, enrollment, course, extend_course, size, now, django_assert_max_num_queries
):
    video_lesson = extend_course(size)
    quiz = make_quiz(course)
    pages = {
        f"/learn/{course.slug}/{video_lesson.slug}": 12,  # one reads once which courses have no tutor
        f"/learn/{course.slug}/lesson-1-1": 10,
        f"/learn/{course.slug}/{quiz.lesson.slug}": 11,
        f"/me/course/{course.slug}/progress": 9,
        f"/course/lessons?course={course.slug}": 6,
    }
    for lesson in course.lessons.filter(slug__in=[video_lesson.slug, "lesson-1-1"]):  # opening is recorded only once
        LessonProgress.objects.create(enrollment=enrollment, lesson=lesson, started_at=now, updated_at=now)
    leos_browser.get("/healthz")
    assert connection.features.supports_json_field  # SQLite is queried once per process, not in a counted page

    for page, most in pages.items():
        with django_assert_max_num_queries(most):
            answer = leos_browser.get(page)
        assert answer.status_code == 200, page
        assert text(answer).count("data-lesson=") in {0, size + 1}


@pytest.mark.parametrize("enrollments", [3, 40])
def test_my_learning_costs_the_same_number_of_queries_for_many_courses(
    leos_browser, leo, enrollments, django_assert_max_num_queries
):
    EnrollmentFactory.create_batch(enrollments, user=leo)
    BookmarkFactory.create_batch(enrollments, user=leo)
    for page in ("/me/enrollments", "/me/courses?filter=all", "/me/courses?filter=bookmarked"):
        with django_assert_max_num_queries(11):
            assert leos_browser.get(page).status_code == 200


def test_my_learning_filters_and_paginates_courses(leos_browser, leo, course):
    EnrollmentFactory.create_batch(30, user=leo)

    first, second = (text(leos_browser.get(f"/me/courses?filter=learning&page={n}")) for n in (1, 2))

    assert (first.count('class="shelf__t"'), second.count('class="shelf__t"')) == (24, 7)
    assert text(leos_browser.get("/me/courses?filter=completed")).count('class="shelf__t"') == 0
    assert leos_browser.get("/me/courses?filter=nonsense&sort=nonsense&page=99").status_code == 200


def test_bookmarked_courses_have_pages_of_their_own_after_the_enrollments(leos_browser, leo, course):
    EnrollmentFactory.create_batch(10, user=leo)  # and that of the fixture
    BookmarkFactory.create_batch(30, user=leo)

    def rows(name, number):
        page = text(leos_browser.get(f"/me/courses?filter={name}&page={number}"))
        return set(re.findall(r'href="/courses/([a-z0-9-]+)"', page))

    saved = [rows("bookmarked", number) for number in (1, 2)]
    assert [len(page) for page in saved] == [24, 6]
    assert not saved[0] & saved[1]
    everything = [rows("all", number) for number in (1, 2)]
    assert len(set.union(*everything) & set.union(*saved)) == 30
    assert "See all 30" in text(leos_browser.get("/me/enrollments"))


def test_my_learning_shows_the_weekly_goal(leos_browser, leo, enrollment, course, lessons):
    leo.weekly_lessons = 4
    leo.save()
    leos_browser.post(f"/learn/{course.slug}/{lessons[0].slug}/complete")

    page = text(leos_browser.get("/me/enrollments"))

    assert "1 of 4 lessons" in page
    assert "3 more lessons by Sunday to reach your goal." in page


def test_completed_courses_show_the_average_of_the_best_attempts(leos_browser, leo, enrollment, course, now):
    """Without a submitted attempt there is no average."""
    quiz = make_quiz(course)
    Enrollment.objects.filter(pk=enrollment.pk).update(completed_at=now, percent=100)
    assert "all completed" in text(leos_browser.get("/me/enrollments"))

    for answers in ({}, right_answers(quiz)):
        attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)
        services.submit_attempt(user=leo, attempt=attempt, answers=answers, now=timezone.now())

    Enrollment.objects.filter(pk=enrollment.pk).update(completed_at=now, percent=100)
    for page in ("/me/enrollments", "/me/courses?filter=completed"):
        assert "quiz average 100%" in text(leos_browser.get(page))


def test_the_progress_page_filters_lessons(leos_browser, leo, enrollment, course, lessons):
    leos_browser.post(f"/learn/{course.slug}/{lessons[0].slug}/complete")
    NoteFactory(user=leo, lesson=lessons[1], course=course)
    NoteFactory(user=leo, lesson=lessons[1], course=course, kind="moment", second=3)
    NoteFactory(lesson=lessons[2], course=course)  # of another learner

    address = f"/me/course/{course.slug}/progress"
    shown = {
        name: re.findall(r'data-lesson="([\w-]+)"', text(leos_browser.get(address, {"show": name})))
        for name in ("all", "todo", "notes", "nonsense")
    }
    pks = [str(lesson.uid) for lesson in lessons]

    assert shown["all"] == shown["nonsense"] == pks
    assert shown["todo"] == pks[1:]
    assert shown["notes"] == pks[1:2]
    page = text(leos_browser.get(address))
    assert "To do, " in page
    assert re.search(r'lesson__note">\s*1 note<', page)


def test_coming_milestones_have_a_date_at_the_present_pace(leos_browser, enrollment, course, lessons, now):
    address = f"/me/course/{course.slug}/progress"
    assert "lessons away" in text(leos_browser.get(address))

    leos_browser.post(f"/learn/{course.slug}/{lessons[0].slug}/complete")

    assert re.search(r"about \d+ \w+", text(leos_browser.get(address)))


def test_the_header_is_as_wide_as_the_lesson(leos_browser, enrollment, course, lessons, extend_course):
    """The header is wide above a video, and as wide as on other pages above other lessons."""
    video = extend_course(len(lessons) + 1)

    for lesson, is_wide in ((lessons[0], False), (video, True)):
        page = text(leos_browser.get(f"/learn/{course.slug}/{lesson.slug}"))
        assert ("top--wide" in page) is is_wide
        assert ("page--wide" in page) is is_wide


def test_completing_a_text_leads_to_the_next_lesson(leos_browser, enrollment, course, lessons):
    page = text(leos_browser.get(f"/learn/{course.slug}/{lessons[0].slug}"))
    assert "Words to read." in page
    assert f'data-reading-end="{lessons[0].uid}"' in page

    assert "Complete and continue" in page

    answer = leos_browser.post(f"/learn/{course.slug}/{lessons[0].slug}/complete")
    assert answer["Location"] == f"/learn/{course.slug}/{lessons[1].slug}"
    assert LessonProgress.objects.get().completed_at is not None
    assert toast_of(leos_browser.get(answer["Location"])) == f"Lesson {lessons[0].number} complete."

    answer = leos_browser.post(f"/learn/{course.slug}/{lessons[1].slug}/complete", follow=True)
    assert toast_of(answer) == f"Lesson {lessons[1].number} complete. A quarter of the course is complete."
    assert toast_of(leos_browser.get(f"/learn/{course.slug}/{lessons[2].slug}")) == ""  # shown only once


def test_completing_a_text_does_not_lead_to_a_locked_lesson(leos_browser, enrollment, course, lessons):
    lessons[1].prerequisites.set([lessons[5]])
    lessons[5].prerequisites.set([lessons[4]])
    course.version += 1
    course.save()

    for here, there in ((0, 2), (4, 5), (5, 5)):
        answer = leos_browser.post(f"/learn/{course.slug}/{lessons[here].slug}/complete")
        assert answer["Location"] == f"/learn/{course.slug}/{lessons[there].slug}"


def toast_of(answer) -> str:
    """Return the message of the page's toast; fail if the page shows it anywhere else."""
    page = text(answer)
    found = re.search(r'<div class="toast"[^>]*>.*?<p>(.*?)</p>', page)
    assert 'stack flashes"' not in page
    return unescape(found[1]) if found else ""


def test_the_audio_page_uses_the_reading_layout(leos_browser, course, extend_course):
    video_lesson = extend_course(8)
    page = text(leos_browser.get(f"/audio-fallback?lesson={video_lesson.uid}"))

    assert "player__grid--read" in page
    assert LessonProgress.objects.get().lesson == video_lesson  # the page recorded the opening


def test_the_audio_page_has_a_player_and_a_linked_transcript(leos_browser, enrollment, course, extend_course, now):
    video_lesson = extend_course(8)
    LessonProgress.objects.create(
        enrollment=enrollment, lesson=video_lesson, position=30, watched_seconds=30, started_at=now, updated_at=now
    )
    page = text(leos_browser.get(f"/audio-fallback?lesson={video_lesson.uid}"))

    props = json.loads(
        re.search(r'data-island="player".*?<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)[1]
    )
    assert (props["is_listening"], props["uid"], props["position"]) == (True, str(video_lesson.uid), 30)
    assert re.search(r'aria-label="Resume at 0:30" data-start', page)
    assert (
        page.count("<audio") == page.count("<noscript><audio") == 1
    )  # the browser's own controls appear only without scripts
    assert f'href="?lesson={video_lesson.uid}&amp;t=0" data-seek="0.0"' in page
    assert '<span data-from="0.0" data-to="2.0">Hello.</span>' in page


def test_a_lesson_without_audio_has_no_player(leos_browser, enrollment, course, lessons):
    page = text(leos_browser.get(f"/audio-fallback?lesson={lessons[0].uid}"))

    assert "There's no audio here" in page
    assert 'data-island="player"' not in page


def test_the_progress_page_shows_the_time_left_until_the_course_is_complete(
    leos_browser, enrollment, course, extend_course, now
):
    video_lesson = extend_course(8)
    LessonProgress.objects.create(
        enrollment=enrollment, lesson=video_lesson, position=30, watched_seconds=30, started_at=now, updated_at=now
    )
    Enrollment.objects.filter(pk=enrollment.pk).update(last_lesson=video_lesson)
    address = f"/me/course/{course.slug}/progress"
    assert "1:00 left" in text(leos_browser.get(address))

    for lesson in course.lessons.all():
        LessonProgress.objects.update_or_create(
            enrollment=enrollment, lesson=lesson, defaults={"started_at": now, "updated_at": now, "completed_at": now}
        )
    page = text(leos_browser.get(address))
    assert "lesson--now" not in page
    assert "You've completed this course." in page


def test_progress_lists_the_attempts_at_each_quiz(leos_browser, leo, enrollment, course):
    quiz = make_quiz(course)
    earlier = timezone.now() - timedelta(minutes=1)
    rows = []
    for answers in ({}, right_answers(quiz)):
        attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=earlier)
        services.submit_attempt(user=leo, attempt=attempt, answers=answers, now=timezone.now())
        page = text(leos_browser.get(f"/me/course/{course.slug}/progress"))
        table = page.split('aria-label="Table of quiz scores"')[1].split("</table>")[0]
        rows.append(
            [*re.findall(r'<td class="n">(.*?)</td>', table)[:3], re.findall(r'faint small">(.*?)</span></b>', page)]
        )

    assert rows == [["1", "0%", "0%", ["first attempt"]], ["2", "0%", "100%", ["from 0%"]]]


@pytest.mark.parametrize(
    ("position", "button", "shelf", "left"),
    [
        (30, "Resume at 0:30", ", from 0:30", "1:00 left"),
        (84.9, "Resume at 1:24", ", from 1:24", "0:06 left"),
        (85, "Play", "", "1:30 left"),  # near the end: it starts over
        (90, "Play", "", "1:30 left"),
    ],
)
def test_every_page_shows_the_same_position_in_a_video(
    leos_browser, enrollment, course, extend_course, now, position, button, shelf, left
):
    video_lesson = extend_course(8)
    LessonProgress.objects.create(
        enrollment=enrollment, lesson=video_lesson, position=position, watched_seconds=9, started_at=now, updated_at=now
    )
    Enrollment.objects.filter(pk=enrollment.pk).update(last_lesson=video_lesson)

    lesson = text(leos_browser.get(f"/learn/{course.slug}/{video_lesson.slug}"))
    assert re.search(r"data-start[^>]*>.*?<span>(.*?)</span>", lesson)[1] == button
    assert re.search(r'aria-current="page">.*?lesson__note">(.*?)<', lesson, re.DOTALL)[1] == left
    mine = text(leos_browser.get("/me/enrollments"))
    assert re.search(r'shelf__next">(.*?)</p>', mine)[1] == f"Next: {video_lesson.number} {video_lesson.title}{shelf}"
    assert left in text(leos_browser.get(f"/me/course/{course.slug}/progress"))


def test_the_page_of_a_video_contains_its_transcript(leos_browser, course, extend_course):
    page = text(leos_browser.get(f"/learn/{course.slug}/{extend_course(8).slug}"))

    assert '<span data-from="0.0" data-to="2.0">Hello.</span>' in page
    assert "<noscript><video" in page
    assert " style=" not in page
    assert " onclick=" not in page


def test_a_locked_lesson_links_to_its_prerequisite(leos_browser, course, lessons):
    Course.objects.filter(pk=course.pk).update(requires_order=True)

    answer = leos_browser.get(f"/learn/{course.slug}/{lessons[3].slug}")

    assert answer.status_code == 403
    assert 'data-error="PREREQUISITE_NOT_MET"' in text(answer)
    assert f'href="/course/lessons?course={course.slug}"' in text(answer)
    listed = text(leos_browser.get(f"/course/lessons?course={course.slug}"))
    assert f'href="/learn/{course.slug}/{lessons[0].slug}"' in listed


def test_a_stranger_enrolls_and_returns_to_the_lesson(mia, course, lessons, browser_of):
    browser, page = browser_of(mia), f"/learn/{course.slug}/{lessons[0].slug}"
    closed = browser.get(page)
    assert (closed.status_code, 'data-error="ENROLLMENT_REQUIRED"' in text(closed)) == (403, True)
    refusal = browser.get(f"/api/v1/lessons/{lessons[0].uid}/player/").json()
    confirm = REGISTRY[refusal["code"]].action.href.format(**refusal["params"])
    assert confirm == f"/courses/enroll?course={course.slug}"
    assert '<form class="row row--between" method="post" action="/courses/enroll">' in text(browser.get(confirm))

    answer = browser.post("/courses/enroll", {"course": course.slug, "next": page})
    assert answer["Location"] == page
    assert toast_of(browser.get(page)) == f"You are enrolled in “{course.title}”."
    assert browser.post("/courses/enroll", {"course": course.slug})["Location"] == f"/learn/{course.slug}"


def test_the_page_for_strangers_does_not_offer_a_closed_enrollment(mia, course, lessons, browser_of):
    Course.objects.filter(pk=course.pk).update(pricing="one_time", price=6400)

    closed = browser_of(mia).get(f"/learn/{course.slug}/{lessons[0].slug}")

    assert (closed.status_code, 'data-error="ENROLLMENT_REQUIRED"' in text(closed)) == (403, True)
    assert "$64, paid once." in text(closed)
    assert f'href="/courses/enroll?course={course.slug}">Buy this course' in text(closed)
    assert "Enroll now" not in text(closed)


def test_enrolling_does_not_redirect_to_another_site_or_open_a_closed_course(mia, browser_of, course):
    browser = browser_of(mia)
    away = browser.post("/courses/enroll", {"course": course.slug, "next": "https://evil.example/"})
    assert away["Location"] == f"/learn/{course.slug}"

    dear = CourseFactory(status="published", pricing="premium")
    assert browser.get(f"/courses/enroll?course={dear.slug}")["Location"] == f"/premium?course={dear.slug}"
    browser.post("/courses/enroll", {"course": dear.slug})
    assert not Enrollment.objects.filter(course=dear).exists()
    assert browser.get("/courses/enroll?course=nothing").status_code == 404


def test_forms_require_a_csrf_token(leo, enrollment, course, lessons):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(leo)

    assert browser.post(f"/learn/{course.slug}/{lessons[0].slug}/complete").status_code == 403
    assert not LessonProgress.objects.exists()


def test_only_learners_download_a_file_which_completes_the_lesson(
    leos_browser, mia, browser_of, course, lessons, settings, tmp_path
):
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(tmp_path)},
        },
    }
    (tmp_path / "book.pdf").write_bytes(b"%PDF words")
    file = LessonFactory(
        section=lessons[0].section,
        course=course,
        kind="file",
        file=StoredFileFactory(stored_as="book.pdf", filename="Über alles.pdf", length=10),
    )
    page = f"/learn/{course.slug}/{file.slug}"

    assert Client().get(f"{page}/download").status_code == 302
    assert browser_of(mia).get(f"{page}/download").status_code == 403
    assert not LessonProgress.objects.exists()
    answer = leos_browser.get(f"{page}/download", follow=True)
    assert b"".join(answer.streaming_content) == b"%PDF words"
    assert answer["Content-Disposition"].startswith("attachment")
    assert LessonProgress.objects.get().completed_at is not None
    assert "You've completed this lesson." in text(leos_browser.get(page))


def test_the_card_beside_a_video_shows_the_following_quiz(
    leos_browser, leo, mia, browser_of, client, enrollment, course, extend_course
):
    video_lesson = extend_course(8)
    Lesson.objects.filter(pk=video_lesson.pk).update(is_preview=True)
    page = f"/learn/{course.slug}/{video_lesson.slug}"
    assert 'id="quiz"' not in text(leos_browser.get(page))  # no quiz follows

    quiz = make_quiz(course)
    Course.objects.filter(pk=course.pk).update(version=course.version + 100)
    card = text(leos_browser.get(page)).split('id="quiz"')[1].split("</aside>")[0]
    assert "7 questions" in card
    assert "70% to pass" in card
    assert f'href="/learn/{course.slug}/{quiz.lesson.slug}"' in card

    earlier = timezone.now() - timedelta(minutes=1)
    attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=earlier)
    assert "Best attempt" not in text(leos_browser.get(page))  # an open attempt has no score
    services.submit_attempt(user=attempt.enrollment.user, attempt=attempt, answers={}, now=timezone.now())
    assert "Best attempt 0%" in text(leos_browser.get(page))
    services.submit_attempt(
        user=leo,
        attempt=services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=earlier),
        answers=right_answers(quiz),
        now=timezone.now(),
    )
    assert "Best attempt 100%" in text(leos_browser.get(page))
    assert "See your answers" in text(leos_browser.get(page))

    for visitor in (client, browser_of(mia)):  # other users do not see the attempt
        card = text(visitor.get(page)).split('id="quiz"')[1].split("</aside>")[0]
        assert "Enroll to take this quiz" in card
        assert "Best attempt" not in card
        assert "<a " not in card


def test_the_card_names_the_prerequisite_of_a_locked_quiz(leos_browser, enrollment, course, extend_course, lessons):
    video_lesson = extend_course(8)
    Lesson.objects.filter(pk=video_lesson.pk).update(is_preview=True)
    make_quiz(course)
    Course.objects.filter(pk=course.pk).update(version=course.version + 100, requires_order=True)

    card = (
        text(leos_browser.get(f"/learn/{course.slug}/{video_lesson.slug}")).split('id="quiz"')[1].split("</aside>")[0]
    )

    assert f"Opens when you complete {lessons[0].number}" in card
    assert "<a " not in card


def test_the_start_of_a_quiz_shows_its_rules_and_no_answers(leos_browser, enrollment, course):
    quiz = make_quiz(course, max_attempts=2)
    page = text(leos_browser.get(f"/learn/{course.slug}/{quiz.lesson.slug}"))

    for words in ("1 number to work out", "1 set of pairs to match", "2 attempts left. Your best result counts."):
        assert words in page
    assert not any(secret in page for secret in SECRETS)
    assert "This is the last lesson" in page


def test_a_learner_takes_a_quiz_without_scripts(leos_browser, enrollment, course):
    quiz = make_quiz(course)
    page = f"/learn/{course.slug}/{quiz.lesson.slug}"
    assert "Start the quiz" in text(leos_browser.get(page))
    leos_browser.post(f"{page}/attempts")
    attempt = Attempt.objects.get()
    Attempt.objects.update(started_at=attempt.started_at - timedelta(minutes=1))
    assert text(leos_browser.get(page)).count('class="question"') == 7
    posted = {}
    for uid, answer in right_answers(quiz).items():
        for value in answer.values():
            if isinstance(value, dict):
                posted |= {f"q.{uid}.{left}": right for left, right in value.items()}
            elif isinstance(value, list) and len(value) == 4:
                posted |= {f"q.{uid}.{step}": str(place) for place, step in enumerate(value, 1)}
            else:
                posted[f"q.{uid}"] = "true" if value is True else value
    torn = {name: "nonsense" if value == "b" else value for name, value in posted.items()}

    refused = leos_browser.post(f"{page}/attempts/{attempt.uid}", torn)
    assert (refused.status_code, "This answer isn't valid for this question." in text(refused)) == (400, True)
    assert 'value="314159,5"' in text(refused)
    assert leos_browser.post(f"{page}/attempts/{attempt.uid}", posted)["Location"] == page
    attempt.refresh_from_db()
    assert attempt.percent == 100
    passed = leos_browser.get(page)
    assert "Passed with every answer correct" in text(passed)
    assert toast_of(passed) == f"Lesson {quiz.lesson.number} complete."


def test_the_form_that_completes_the_course_announces_the_certificate(
    leos_browser, leo, enrollment, course, lessons, now
):
    quiz = make_quiz(course, pass_percent=1)
    for lesson in lessons:
        LessonProgressFactory(enrollment=enrollment, lesson=lesson, completed_at=now)
    attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=timezone.now() - timedelta(minutes=1))
    page = f"/learn/{course.slug}/{quiz.lesson.slug}"

    answer = leos_browser.post(f"{page}/attempts/{attempt.uid}", {f"q.{quiz.questions.earliest('position').uid}": "b"})

    assert answer["Location"] == page
    assert "You completed the course. Your certificate is ready." in text(leos_browser.get(page))


def test_a_learner_cannot_post_to_another_learners_attempt(leo, mia, enrollment, course, browser_of):
    quiz = make_quiz(course)
    attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=timezone.now())
    EnrollmentFactory(user=mia, course=course)

    browser_of(mia).post(f"/learn/{course.slug}/{quiz.lesson.slug}/attempts/{attempt.uid}", {})

    attempt.refresh_from_db()
    assert attempt.submitted_at is None


def test_the_audio_page_finds_a_lesson_by_uid_slug_or_course(leos_browser, course, extend_course):
    video_lesson = extend_course(8)
    CourseFactory(status="published")

    for name in (video_lesson.uid, video_lesson.slug, f"{course.slug}/{video_lesson.slug}"):
        assert "sound.m4a" in text(leos_browser.get(f"/audio-fallback?lesson={name}"))
    assert "no audio here" in text(leos_browser.get("/audio-fallback?lesson=lesson-1-1"))
    assert leos_browser.get("/audio-fallback?lesson=nothing").status_code == 404
    assert leos_browser.get("/audio-fallback").status_code == 404


def test_anyone_verifies_a_certificate_and_only_its_owner_downloads_it(leos_browser, mia, enrollment, browser_of):
    certificate = CertificateFactory(enrollment=enrollment)
    page = f"/certificates/{certificate.code}"

    assert "This certificate is valid" in text(Client().get(page))
    assert (
        Client().get(f"/certificates/?code={certificate.code.lower()[:6]} {certificate.code[6:]}")["Location"] == page
    )
    wrong = Client().get("/certificates/?code=<script>")
    assert (wrong.status_code, "<script>" in text(wrong).split("<main")[1]) == (404, False)
    assert Client().get(f"{page}.pdf").status_code == 302
    assert browser_of(mia).get(f"{page}.pdf").status_code == 404
    fetched = leos_browser.get(f"{page}.pdf")
    assert (fetched["Content-Type"], fetched.content[:5]) == ("application/pdf", b"%PDF-")


QUIZZES = [{"title": "Arrows and grids", "percent": 90}, {"title": "Slopes", "percent": 75}]


def test_the_certificate_page_and_document_list_the_work_done(enrollment):
    certificate = CertificateFactory(
        enrollment=enrollment, lesson_count=6, video_seconds=1000, watched_seconds=978, quizzes=QUIZZES
    )

    page = text(Client().get(f"/certificates/{certificate.code}"))
    for words in (
        "Leo Marsh completed all 6 lessons in the course.",
        "watched 97% of the video",
        "Quiz “Arrows and grids” passed with 90%.",
        "Quiz “Slopes” passed with 75%.",
        "That Leo Marsh was the person at the keyboard.",
    ):
        assert words in page
    document = " ".join(pypdfium2.PdfDocument(draw(certificate))[0].get_textpage().get_text_bounded().split())
    assert "All 6 lessons completed, 97% of the video watched" in document
    assert "Quizzes passed: Arrows and grids 90%, Slopes 75%" in document


def test_a_certificate_without_videos_or_quizzes_mentions_neither(enrollment):
    certificate = CertificateFactory(enrollment=enrollment, lesson_count=1)

    page = text(Client().get(f"/certificates/{certificate.code}"))
    assert "completed the only lesson in the course." in page
    assert "of the video" not in page
    words = pypdfium2.PdfDocument(draw(certificate))[0].get_textpage().get_text_bounded()
    assert "1 lesson completed" in words
    assert "Quizzes" not in words


def test_the_document_summarizes_many_quizzes(enrollment):
    many = [{"title": f"Check your understanding of chapter {n}", "percent": 70 + n} for n in range(12)]
    certificate = CertificateFactory(enrollment=enrollment, lesson_count=24, quizzes=many)

    words = pypdfium2.PdfDocument(draw(certificate))[0].get_textpage().get_text_bounded()
    assert "12 quizzes passed with 70 to 81%" in words


@pytest.mark.parametrize("name", ["Zoë Ångström-Łukasiewicz", "Νίκος Иванов", "李小龙", "N" * 160])
def test_the_document_fits_names_in_any_script_on_one_page(enrollment, name):
    certificate: Certificate = CertificateFactory(
        enrollment=enrollment, learner_name=name, lesson_count=6, duration=3600
    )

    document = pypdfium2.PdfDocument(draw(certificate))
    words = document[0].get_textpage().get_text_bounded()

    assert len(document) == 1
    assert name[:12] in words
    assert certificate.course_title in words
    assert document.get_metadata_dict()["Title"] == f"Certificate: {certificate.course_title}"
    width, height = document[0].get_size()
    assert width > height


def test_the_document_contains_a_long_name_and_title_in_full(enrollment):
    name = "Wilhelmina-Alexandrine Theodora von Hohenzollern-Sigmaringen-Oranien"
    title = "An Unhurried Introduction to the Thermodynamics of Irreversible Processes in Open Systems"
    certificate = CertificateFactory(enrollment=enrollment, learner_name=name, course_title=title)

    words = pypdfium2.PdfDocument(draw(certificate))[0].get_textpage().get_text_bounded()

    assert " ".join(words.split()).count(name) == 1
    assert " ".join(words.split()).count(title) == 1


def test_the_document_shows_the_number_of_a_character_that_no_font_has(enrollment):
    certificate = CertificateFactory(enrollment=enrollment, learner_name="Leo \U000f0000")

    assert "F0000" in pypdfium2.PdfDocument(draw(certificate))[0].get_textpage().get_text_bounded()


def test_a_certificate_of_an_account_whose_name_looks_empty_has_the_username(enrollment):
    User.objects.filter(pk=enrollment.user_id).update(first_name="\u200b", last_name="\u3164")
    enrollment.refresh_from_db()

    assert services.issue_certificate(enrollment=enrollment, now=timezone.now()).learner_name == "leo"


def metadata_of(answer) -> dict[str, str]:
    """Return the page's metadata for search engines and link previews."""
    page = text(answer)
    named = dict(re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)">', page))
    [canonical] = re.findall(r'<link rel="canonical" href="[^"]*?(/[^"/][^"]*)">', page.replace("//testserver", ""))
    [title] = re.findall(r"<title>([^<]*)</title>", page)
    return named | {"canonical": canonical, "title": title}


def test_only_preview_lessons_have_metadata_for_search_engines(client, leos_browser, course, extend_course):
    video_lesson, read = extend_course(8), course.lessons.get(slug="lesson-1-1")
    body = "Water finds *every* way. " * 20
    Lesson.objects.filter(pk__in=[video_lesson.pk, read.pk]).update(is_preview=True, body=body)

    shown = metadata_of(client.get(f"/learn/{course.slug}/lesson-1-1?t=5"))
    assert shown["robots"] == "index, follow"
    assert shown["canonical"].endswith(f"/learn/{course.slug}/lesson-1-1")
    assert shown["title"].startswith("1.1 Lesson 1.1 – Rivers and Their Work |")
    assert shown["description"].startswith("Water finds every way. Water")
    assert len(shown["description"]) <= 155
    assert metadata_of(client.get(f"/learn/{course.slug}/film"))["description"] == "Hello."

    assert metadata_of(leos_browser.get(f"/learn/{course.slug}/lesson-1-2"))["robots"] == "noindex"
    Course.objects.filter(pk=course.pk).update(status="suspended")
    assert metadata_of(leos_browser.get(f"/learn/{course.slug}/lesson-1-1"))["robots"] == "noindex"


def test_opening_a_lesson_is_recorded_once_and_a_long_text_shows_the_remaining_wait(
    leos_browser, leo, enrollment, course, lessons
):
    Lesson.objects.filter(pk=lessons[0].pk).update(body="word " * 600)
    page = f"/learn/{course.slug}/{lessons[0].slug}"

    assert 'data-wait="60"' in text(leos_browser.get(page))
    opened = LessonProgress.objects.get()
    answer = leos_browser.post(f"{page}/complete", headers={"Referer": f"http://testserver{page}"}, follow=True)
    assert "You can mark this lesson as complete in 60 seconds" in text(answer)
    assert LessonProgress.objects.get().completed_at is None

    LessonProgress.objects.update(started_at=opened.started_at - timedelta(minutes=2))
    LearningTime.objects.update(counted_at=opened.started_at - timedelta(minutes=2), spans=[])
    assert 'data-wait="0"' in text(leos_browser.get(page))
    leos_browser.post(f"{page}/complete")
    assert LessonProgress.objects.get().completed_at is not None


def test_a_preview_opened_by_a_visitor_or_staff_is_not_recorded(client, ada, browser_of, enrollment, course, lessons):
    Lesson.objects.filter(pk=lessons[0].pk).update(is_preview=True)
    for visitor in (client, browser_of(ada)):
        assert visitor.get(f"/learn/{course.slug}/{lessons[0].slug}").status_code == 200

    assert not LessonProgress.objects.exists()


def test_the_quiz_page_counts_down_the_wait(leos_browser, leo, enrollment, course):
    quiz = make_quiz(course)
    for _ in range(2):
        attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=timezone.now())
        services.submit_attempt(user=attempt.enrollment.user, attempt=attempt, answers={}, now=timezone.now())

    page = text(leos_browser.get(f"/learn/{course.slug}/{quiz.lesson.slug}"))
    assert "You can start your next attempt in" in page
    assert f"{quiz.lesson.slug}/attempts" not in page
    assert "The correct answers will appear here once you pass." in page


def test_a_quiz_form_confirms_how_an_unusual_number_is_read(leos_browser, leo, enrollment, course):
    quiz = make_quiz(course)
    number = quiz.questions.get(kind="numeric")
    attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=timezone.now() - timedelta(minutes=5))
    page, field = f"/learn/{course.slug}/{quiz.lesson.slug}/attempts/{attempt.uid}", f"q.{number.uid}"

    def post(typed, read=""):
        answer = leos_browser.post(page, {field: typed, f"read.{field}": read}, HTTP_ACCEPT_LANGUAGE="de")
        attempt.refresh_from_db()
        return answer

    assert "This can't be read as one number. Enter a number in m." in text(post("1,2,3"))
    shown = text(post("314.159"))
    assert "Read as 314159, not 314,159" in shown
    assert f'name="read.{field}" value="314159"' in shown
    assert "Read as 7" in text(post("7 m", "314159"))  # another number than the confirmed one
    assert attempt.submitted_at is None
    assert post("314.159", "314159").status_code == 302
    assert attempt.results[3]["verdict"] == "right"
    assert attempt.results[3]["given"] == "314.159 (read as 314159)"
