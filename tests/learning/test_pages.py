"""The learner's pages: who sees what, what forms do, and that a long course costs no more queries than a short one."""

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

from apps.courses.models import Course, Lesson
from apps.learning import services
from apps.learning.certificates.pdf import draw
from apps.learning.models import Attempt, Certificate, Enrollment, LearningTime, LessonProgress
from studyplatform.kit.errors import REGISTRY
from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory
from tests.factories.files import CaptionFactory, KeptFileFactory, VideoFactory
from tests.factories.learning import BookmarkFactory, CertificateFactory, EnrollmentFactory, LessonProgressFactory
from tests.learning.quiz import SECRETS, make_quiz, right_answers


def text(answer) -> str:
    return answer.content.decode()


@pytest.fixture
def at_leo(leo, enrollment, browser_of) -> Client:
    return browser_of(leo)


@pytest.fixture
def grow(course: Course, ada) -> Callable[[int], Lesson]:
    """Bring Ada's course to so many lessons; the last is a video with words."""

    def grown(size: int) -> Lesson:
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
        film = LessonFactory(section=section, course=course, kind="video", video=video, duration=90, slug="film")
        Course.objects.filter(pk=course.pk).update(version=course.version + size)
        return film

    return grown


@pytest.mark.parametrize("size", [10, 1000])
def test_pages_cost_the_same_for_a_course_of_any_length(
    at_leo, enrollment, course, grow, size, now, django_assert_max_num_queries
):
    film = grow(size)
    quiz = make_quiz(course)
    pages = {
        f"/learn/{course.slug}/{film.slug}": 9,
        f"/learn/{course.slug}/lesson-1-1": 8,
        f"/learn/{course.slug}/{quiz.lesson.slug}": 9,
        f"/me/course/{course.slug}/progress": 9,
        f"/course/lessons?course={course.slug}": 6,
    }
    for lesson in course.lessons.filter(slug__in=[film.slug, "lesson-1-1"]):  # opened before: that is noted once
        LessonProgress.objects.create(enrollment=enrollment, lesson=lesson, started_at=now, updated_at=now)
    at_leo.get("/healthz")
    assert connection.features.supports_json_field  # SQLite is asked once in a process: not by a page that is counted

    for page, most in pages.items():
        with django_assert_max_num_queries(most):
            answer = at_leo.get(page)
        assert answer.status_code == 200, page
        assert text(answer).count("data-lesson=") in {0, size + 1}


@pytest.mark.parametrize("enrollments", [3, 40])
def test_my_learning_costs_the_same_for_many_courses(at_leo, leo, enrollments, django_assert_max_num_queries):
    EnrollmentFactory.create_batch(enrollments, user=leo)
    BookmarkFactory.create_batch(enrollments, user=leo)
    for page in ("/me/enrollments", "/me/courses?filter=all", "/me/courses?filter=bookmarked"):
        with django_assert_max_num_queries(10):
            assert at_leo.get(page).status_code == 200


def test_the_filters_and_pages_of_my_learning(at_leo, leo, course):
    EnrollmentFactory.create_batch(30, user=leo)

    first, second = (text(at_leo.get(f"/me/courses?filter=learning&page={n}")) for n in (1, 2))

    assert (first.count('class="shelf__t"'), second.count('class="shelf__t"')) == (24, 7)
    assert text(at_leo.get("/me/courses?filter=completed")).count('class="shelf__t"') == 0
    assert at_leo.get("/me/courses?filter=nonsense&sort=nonsense&page=99").status_code == 200


def test_my_learning_shows_the_weekly_goal(at_leo, leo, enrollment, course, lessons):
    leo.weekly_lessons = 4
    leo.save()
    at_leo.post(f"/learn/{course.slug}/{lessons[0].slug}/complete")

    page = text(at_leo.get("/me/enrollments"))

    assert "Your goal is 4 lessons a week." in page
    assert re.search(r'<progress[^>]* max="4" value="1" aria-label="Weekly goal"', page)


def test_a_page_has_one_left_edge(at_leo, enrollment, course, lessons, grow):
    """The header of a lesson is as wide as what is below it: wide with a video, else as on other pages."""
    video = grow(len(lessons) + 1)

    for lesson, is_wide in ((lessons[0], False), (video, True)):
        page = text(at_leo.get(f"/learn/{course.slug}/{lesson.slug}"))
        assert ("top--wide" in page) is is_wide
        assert ("page--wide" in page) is is_wide


def test_a_text_is_read_marked_and_left_for_the_next(at_leo, enrollment, course, lessons):
    page = text(at_leo.get(f"/learn/{course.slug}/{lessons[0].slug}"))
    assert "Words to read." in page
    assert f'data-reading-end="{lessons[0].uid}"' in page

    assert "Complete and continue" in page

    answer = at_leo.post(f"/learn/{course.slug}/{lessons[0].slug}/complete")
    assert answer["Location"] == f"/learn/{course.slug}/{lessons[1].slug}"
    assert LessonProgress.objects.get().completed_at is not None
    assert toast_of(at_leo.get(answer["Location"])) == f"Lesson {lessons[0].number} complete."

    answer = at_leo.post(f"/learn/{course.slug}/{lessons[1].slug}/complete", follow=True)
    assert toast_of(answer) == f"Lesson {lessons[1].number} complete. A quarter of the course is complete."
    assert toast_of(at_leo.get(f"/learn/{course.slug}/{lessons[2].slug}")) == ""  # said once


def test_a_completed_text_does_not_lead_to_a_lesson_that_is_locked(at_leo, enrollment, course, lessons):
    lessons[1].prerequisites.set([lessons[5]])
    lessons[5].prerequisites.set([lessons[4]])
    course.version += 1
    course.save()

    for here, there in ((0, 2), (4, 5), (5, 5)):
        answer = at_leo.post(f"/learn/{course.slug}/{lessons[here].slug}/complete")
        assert answer["Location"] == f"/learn/{course.slug}/{lessons[there].slug}"


def toast_of(answer) -> str:
    """The short message that the page arrives with; nothing else may say it."""
    page = text(answer)
    found = re.search(r'<div class="toast"[^>]*>.*?<p>(.*?)</p>', page)
    assert 'stack flashes"' not in page
    return unescape(found[1]) if found else ""


def test_to_listen_looks_like_to_read(at_leo, course, grow):
    film = grow(8)
    page = text(at_leo.get(f"/audio-fallback?lesson={film.uid}"))

    assert "player__grid--read" in page
    assert LessonProgress.objects.get().lesson == film  # what is heard from here on may count


def test_a_lesson_is_heard_by_the_player_and_the_transcript_leads_it(at_leo, enrollment, course, grow, now):
    film = grow(8)
    LessonProgress.objects.create(
        enrollment=enrollment, lesson=film, position=30, watched_seconds=30, started_at=now, updated_at=now
    )
    page = text(at_leo.get(f"/audio-fallback?lesson={film.uid}"))

    props = json.loads(
        re.search(r'data-island="player".*?<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)[1]
    )
    assert (props["is_listening"], props["uid"], props["position"]) == (True, str(film.uid), 30)
    assert re.search(r'aria-label="Resume at 0:30" data-start', page)
    assert page.count("<audio") == page.count("<noscript><audio") == 1  # the browser's own bar only without scripts
    assert f'href="?lesson={film.uid}&amp;t=0" data-seek="0.0"' in page
    assert '<span data-from="0.0" data-to="2.0">Hello.</span>' in page


def test_a_lesson_that_cannot_be_heard_has_no_player(at_leo, enrollment, course, lessons):
    page = text(at_leo.get(f"/audio-fallback?lesson={lessons[0].uid}"))

    assert "There is no audio here" in page
    assert 'data-island="player"' not in page


def test_progress_says_what_is_left_of_a_video_and_marks_no_place_once_all_is_done(
    at_leo, enrollment, course, grow, now
):
    film = grow(8)
    LessonProgress.objects.create(
        enrollment=enrollment, lesson=film, position=30, watched_seconds=30, started_at=now, updated_at=now
    )
    Enrollment.objects.filter(pk=enrollment.pk).update(last_lesson=film)
    address = f"/me/course/{course.slug}/progress"
    assert "1:00 left" in text(at_leo.get(address))

    for lesson in course.lessons.all():
        LessonProgress.objects.update_or_create(
            enrollment=enrollment, lesson=lesson, defaults={"started_at": now, "updated_at": now, "completed_at": now}
        )
    page = text(at_leo.get(address))
    assert "lesson--now" not in page
    assert "You've completed this course." in page


def test_progress_lists_the_attempts_at_each_quiz(at_leo, leo, enrollment, course):
    quiz = make_quiz(course)
    earlier = timezone.now() - timedelta(minutes=1)
    rows = []
    for answers in ({}, right_answers(quiz)):
        attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=earlier)
        services.submit_attempt(user=leo, attempt=attempt, answers=answers, now=timezone.now())
        page = text(at_leo.get(f"/me/course/{course.slug}/progress"))
        table = page.split('aria-label="Quiz scores"')[1].split("</table>")[0]
        rows.append(
            [*re.findall(r'<td class="n">(.*?)</td>', table)[:3], re.findall(r'faint small">(.*?)</span></b>', page)]
        )

    assert rows == [["1", "0%", "0%", ["first attempt"]], ["2", "0%", "100%", ["from 0%"]]]


@pytest.mark.parametrize(
    ("position", "button", "shelf", "left"),
    [
        (30, "Resume at 0:30", ", from 0:30", "1:00 left"),
        (84.9, "Resume at 1:24", ", from 1:24", "0:06 left"),
        (85, "Play", "", "1:30 left"),  # at its end: it starts over
        (90, "Play", "", "1:30 left"),
    ],
)
def test_every_page_says_the_same_of_the_place_in_a_video(
    at_leo, enrollment, course, grow, now, position, button, shelf, left
):
    film = grow(8)
    LessonProgress.objects.create(
        enrollment=enrollment, lesson=film, position=position, watched_seconds=9, started_at=now, updated_at=now
    )
    Enrollment.objects.filter(pk=enrollment.pk).update(last_lesson=film)

    lesson = text(at_leo.get(f"/learn/{course.slug}/{film.slug}"))
    assert re.search(r"data-start>.*?<span>(.*?)</span>", lesson)[1] == button
    assert re.search(r'aria-current="page">.*?lesson__note">(.*?)<', lesson, re.DOTALL)[1] == left
    mine = text(at_leo.get("/me/enrollments"))
    assert re.search(r'shelf__next">(.*?)</p>', mine)[1] == f"Next: {film.number} {film.title}{shelf}"
    assert left in text(at_leo.get(f"/me/course/{course.slug}/progress"))


def test_the_transcript_stands_in_the_page(at_leo, course, grow):
    page = text(at_leo.get(f"/learn/{course.slug}/{grow(8).slug}"))

    assert '<span data-from="0.0" data-to="2.0">Hello.</span>' in page
    assert "<noscript><video" in page
    assert " style=" not in page
    assert " onclick=" not in page


def test_a_locked_lesson_says_which_comes_first(at_leo, course, lessons):
    Course.objects.filter(pk=course.pk).update(requires_order=True)

    answer = at_leo.get(f"/learn/{course.slug}/{lessons[3].slug}")

    assert answer.status_code == 403
    assert 'data-error="PREREQUISITE_NOT_MET"' in text(answer)
    assert f'href="/course/lessons?course={course.slug}"' in text(answer)
    listed = text(at_leo.get(f"/course/lessons?course={course.slug}"))
    assert f'href="/learn/{course.slug}/{lessons[0].slug}"' in listed


def test_the_screen_for_strangers_enrolls_and_comes_back(mia, course, lessons, browser_of):
    browser, page = browser_of(mia), f"/learn/{course.slug}/{lessons[0].slug}"
    closed = browser.get(page)
    assert (closed.status_code, 'data-error="ENROLLMENT_REQUIRED"' in text(closed)) == (403, True)
    told = browser.get(f"/api/v1/lessons/{lessons[0].uid}/player/").json()
    confirm = REGISTRY[told["code"]].action.href.format(**told["params"])
    assert confirm == f"/courses/enroll?course={course.slug}"
    assert '<form class="row row--between" method="post" action="/courses/enroll">' in text(browser.get(confirm))

    answer = browser.post("/courses/enroll", {"course": course.slug, "next": page})
    assert answer["Location"] == page
    assert toast_of(browser.get(page)) == f"You are enrolled in “{course.title}”."
    assert browser.post("/courses/enroll", {"course": course.slug})["Location"] == f"/learn/{course.slug}"


def test_the_page_for_strangers_offers_no_enrollment_that_is_closed(mia, course, lessons, browser_of):
    Course.objects.filter(pk=course.pk).update(pricing="one_time", price=6400)

    closed = browser_of(mia).get(f"/learn/{course.slug}/{lessons[0].slug}")

    assert (closed.status_code, 'data-error="ENROLLMENT_REQUIRED"' in text(closed)) == (403, True)
    assert "This course isn't on sale yet." in text(closed)
    assert "Enroll now" not in text(closed)


def test_enrolling_leads_to_no_other_site_and_into_no_closed_course(mia, browser_of, course):
    browser = browser_of(mia)
    away = browser.post("/courses/enroll", {"course": course.slug, "next": "https://evil.example/"})
    assert away["Location"] == f"/learn/{course.slug}"

    dear = CourseFactory(status="published", pricing="premium")
    told = browser.get(f"/courses/enroll?course={dear.slug}")
    assert told.status_code == 402
    assert "paid courses are not on sale yet" in text(told)
    browser.post("/courses/enroll", {"course": dear.slug})
    assert not Enrollment.objects.filter(course=dear).exists()
    assert browser.get("/courses/enroll?course=nothing").status_code == 404


def test_forms_need_their_token(leo, enrollment, course, lessons):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(leo)

    assert browser.post(f"/learn/{course.slug}/{lessons[0].slug}/complete").status_code == 403
    assert not LessonProgress.objects.exists()


def test_a_file_is_fetched_by_those_who_may_and_is_then_complete(
    at_leo, mia, browser_of, course, lessons, settings, tmp_path
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
        file=KeptFileFactory(stored_as="book.pdf", filename="Über alles.pdf", length=10),
    )
    page = f"/learn/{course.slug}/{file.slug}"

    assert Client().get(f"{page}/download").status_code == 302
    assert browser_of(mia).get(f"{page}/download").status_code == 403
    assert not LessonProgress.objects.exists()
    answer = at_leo.get(f"{page}/download", follow=True)
    assert b"".join(answer.streaming_content) == b"%PDF words"
    assert answer["Content-Disposition"].startswith("attachment")
    assert LessonProgress.objects.get().completed_at is not None
    assert "You've completed this lesson." in text(at_leo.get(page))


def test_the_card_beside_a_video_tells_of_the_quiz_that_follows(
    at_leo, leo, mia, browser_of, client, enrollment, course, grow
):
    film = grow(8)
    Lesson.objects.filter(pk=film.pk).update(is_preview=True)
    page = f"/learn/{course.slug}/{film.slug}"
    assert 'id="quiz"' not in text(at_leo.get(page))  # none follows

    quiz = make_quiz(course)
    Course.objects.filter(pk=course.pk).update(version=course.version + 100)
    card = text(at_leo.get(page)).split('id="quiz"')[1].split("</aside>")[0]
    assert "7 questions" in card
    assert "70% to pass" in card
    assert f'href="/learn/{course.slug}/{quiz.lesson.slug}"' in card

    earlier = timezone.now() - timedelta(minutes=1)
    attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=earlier)
    assert "Best attempt" not in text(at_leo.get(page))  # an open try has no score
    services.submit_attempt(user=attempt.enrollment.user, attempt=attempt, answers={}, now=timezone.now())
    assert "Best attempt 0%" in text(at_leo.get(page))
    services.submit_attempt(
        user=leo,
        attempt=services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=earlier),
        answers=right_answers(quiz),
        now=timezone.now(),
    )
    assert "Best attempt 100%" in text(at_leo.get(page))
    assert "See your answers" in text(at_leo.get(page))

    for visitor in (client, browser_of(mia)):  # another's tries are nobody's business
        card = text(visitor.get(page)).split('id="quiz"')[1].split("</aside>")[0]
        assert "Enroll to take this quiz" in card
        assert "Best attempt" not in card
        assert "<a " not in card


def test_the_card_says_what_a_locked_quiz_waits_for(at_leo, enrollment, course, grow, lessons):
    film = grow(8)
    Lesson.objects.filter(pk=film.pk).update(is_preview=True)
    make_quiz(course)
    Course.objects.filter(pk=course.pk).update(version=course.version + 100, requires_order=True)

    card = text(at_leo.get(f"/learn/{course.slug}/{film.slug}")).split('id="quiz"')[1].split("</aside>")[0]

    assert f"Opens when you complete {lessons[0].number}" in card
    assert "<a " not in card


def test_before_a_quiz_one_reads_what_awaits_and_no_answer(at_leo, enrollment, course):
    quiz = make_quiz(course, max_attempts=2)
    page = text(at_leo.get(f"/learn/{course.slug}/{quiz.lesson.slug}"))

    for words in ("1 number to work out", "1 set of pairs to match", "2 attempts left. Your best result counts."):
        assert words in page
    assert not any(secret in page for secret in SECRETS)
    assert "This is the last lesson" in page


def test_a_quiz_works_as_a_form(at_leo, enrollment, course):
    quiz = make_quiz(course)
    page = f"/learn/{course.slug}/{quiz.lesson.slug}"
    assert "Start the quiz" in text(at_leo.get(page))
    at_leo.post(f"{page}/attempts")
    attempt = Attempt.objects.get()
    Attempt.objects.update(started_at=attempt.started_at - timedelta(minutes=1))
    assert text(at_leo.get(page)).count('class="question"') == 7
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

    refused = at_leo.post(f"{page}/attempts/{attempt.uid}", torn)
    assert (refused.status_code, "This answer isn't valid for this question." in text(refused)) == (400, True)
    assert 'value="314159,5"' in text(refused)
    assert at_leo.post(f"{page}/attempts/{attempt.uid}", posted)["Location"] == page
    attempt.refresh_from_db()
    assert attempt.percent == 100
    passed = at_leo.get(page)
    assert "Passed with every answer correct" in text(passed)
    assert toast_of(passed) == f"Lesson {quiz.lesson.number} complete."


def test_a_form_that_completes_the_course_says_so(at_leo, leo, enrollment, course, lessons, now):
    quiz = make_quiz(course, pass_percent=1)
    for lesson in lessons:
        LessonProgressFactory(enrollment=enrollment, lesson=lesson, completed_at=now)
    attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=timezone.now() - timedelta(minutes=1))
    page = f"/learn/{course.slug}/{quiz.lesson.slug}"

    answer = at_leo.post(f"{page}/attempts/{attempt.uid}", {f"q.{quiz.questions.earliest('position').uid}": "b"})

    assert answer["Location"] == page
    assert "You completed the course. Your certificate is ready." in text(at_leo.get(page))


def test_another_s_attempt_takes_no_form(leo, mia, enrollment, course, browser_of):
    quiz = make_quiz(course)
    attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=timezone.now())
    EnrollmentFactory(user=mia, course=course)

    browser_of(mia).post(f"/learn/{course.slug}/{quiz.lesson.slug}/attempts/{attempt.uid}", {})

    attempt.refresh_from_db()
    assert attempt.submitted_at is None


def test_the_sound_page_names_a_lesson_in_any_way(at_leo, course, grow):
    film = grow(8)
    CourseFactory(status="published")

    for name in (film.uid, film.slug, f"{course.slug}/{film.slug}"):
        assert "sound.m4a" in text(at_leo.get(f"/audio-fallback?lesson={name}"))
    assert "no audio here" in text(at_leo.get("/audio-fallback?lesson=lesson-1-1"))
    assert at_leo.get("/audio-fallback?lesson=nothing").status_code == 404
    assert at_leo.get("/audio-fallback").status_code == 404


def test_anyone_verifies_a_certificate_and_only_its_owner_fetches_it(at_leo, mia, enrollment, browser_of):
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
    fetched = at_leo.get(f"{page}.pdf")
    assert (fetched["Content-Type"], fetched.content[:5]) == ("application/pdf", b"%PDF-")


QUIZZES = [{"title": "Arrows and grids", "percent": 90}, {"title": "Slopes", "percent": 75}]


def test_the_certificate_page_and_the_document_state_what_was_done(enrollment):
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


def test_a_course_without_video_or_quizzes_states_neither(enrollment):
    certificate = CertificateFactory(enrollment=enrollment, lesson_count=1)

    page = text(Client().get(f"/certificates/{certificate.code}"))
    assert "completed the only lesson in the course." in page
    assert "of the video" not in page
    words = pypdfium2.PdfDocument(draw(certificate))[0].get_textpage().get_text_bounded()
    assert "1 lesson completed" in words
    assert "Quizzes" not in words


def test_many_quizzes_are_summed_up_in_the_document(enrollment):
    many = [{"title": f"Check your understanding of chapter {n}", "percent": 70 + n} for n in range(12)]
    certificate = CertificateFactory(enrollment=enrollment, lesson_count=24, quizzes=many)

    words = pypdfium2.PdfDocument(draw(certificate))[0].get_textpage().get_text_bounded()
    assert "12 quizzes passed with 70 to 81%" in words


@pytest.mark.parametrize("name", ["Zoë Ångström-Łukasiewicz", "Νίκος Иванов", "李小龙", "N" * 160])
def test_the_document_says_it_in_any_script_on_one_page(enrollment, name):
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


def test_a_long_name_and_title_are_written_in_full(enrollment):
    name = "Wilhelmina-Alexandrine Theodora von Hohenzollern-Sigmaringen-Oranien"
    title = "An Unhurried Introduction to the Thermodynamics of Irreversible Processes in Open Systems"
    certificate = CertificateFactory(enrollment=enrollment, learner_name=name, course_title=title)

    words = pypdfium2.PdfDocument(draw(certificate))[0].get_textpage().get_text_bounded()

    assert " ".join(words.split()).count(name) == 1
    assert " ".join(words.split()).count(title) == 1


def test_a_name_that_no_face_can_write_falls_back_to_the_username(enrollment):
    certificate = CertificateFactory(enrollment=enrollment, learner_name="\u0e2a\u0e21")

    assert "leo" in pypdfium2.PdfDocument(draw(certificate))[0].get_textpage().get_text_bounded()


def head(answer) -> dict[str, str]:
    """What a page tells machines of itself."""
    page = text(answer)
    named = dict(re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)">', page))
    [canonical] = re.findall(r'<link rel="canonical" href="[^"]*?(/[^"/][^"]*)">', page.replace("//testserver", ""))
    [title] = re.findall(r"<title>([^<]*)</title>", page)
    return named | {"canonical": canonical, "title": title}


def test_machines_may_show_preview_lessons_and_no_others(client, at_leo, course, grow):
    film, read = grow(8), course.lessons.get(slug="lesson-1-1")
    body = "Water finds *every* way. " * 20
    Lesson.objects.filter(pk__in=[film.pk, read.pk]).update(is_preview=True, body=body)

    shown = head(client.get(f"/learn/{course.slug}/lesson-1-1?t=5"))
    assert shown["robots"] == "index, follow"
    assert shown["canonical"].endswith(f"/learn/{course.slug}/lesson-1-1")
    assert shown["title"].startswith("1.1 Lesson 1.1 – Rivers and Their Work |")
    assert shown["description"].startswith("Water finds every way. Water")
    assert len(shown["description"]) <= 155
    assert head(client.get(f"/learn/{course.slug}/film"))["description"] == "Hello."

    assert head(at_leo.get(f"/learn/{course.slug}/lesson-1-2"))["robots"] == "noindex"
    Course.objects.filter(pk=course.pk).update(status="suspended")
    assert head(at_leo.get(f"/learn/{course.slug}/lesson-1-1"))["robots"] == "noindex"


def test_opening_a_lesson_is_noted_once_and_a_long_text_says_how_long_it_takes(
    at_leo, leo, enrollment, course, lessons
):
    Lesson.objects.filter(pk=lessons[0].pk).update(body="word " * 600)
    page = f"/learn/{course.slug}/{lessons[0].slug}"

    assert 'data-wait="60"' in text(at_leo.get(page))
    opened = LessonProgress.objects.get()
    answer = at_leo.post(f"{page}/complete", headers={"Referer": f"http://testserver{page}"}, follow=True)
    assert "You can mark this lesson as complete in 60 seconds" in text(answer)
    assert LessonProgress.objects.get().completed_at is None

    LessonProgress.objects.update(started_at=opened.started_at - timedelta(minutes=2))
    LearningTime.objects.update(counted_at=opened.started_at - timedelta(minutes=2), spans=[])
    assert 'data-wait="0"' in text(at_leo.get(page))
    at_leo.post(f"{page}/complete")
    assert LessonProgress.objects.get().completed_at is not None


def test_a_preview_that_a_visitor_or_staff_opens_is_noted_for_nobody(
    client, ada, browser_of, enrollment, course, lessons
):
    Lesson.objects.filter(pk=lessons[0].pk).update(is_preview=True)
    for visitor in (client, browser_of(ada)):
        assert visitor.get(f"/learn/{course.slug}/{lessons[0].slug}").status_code == 200

    assert not LessonProgress.objects.exists()


def test_the_quiz_page_counts_the_wait(at_leo, leo, enrollment, course):
    quiz = make_quiz(course)
    for _ in range(2):
        attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=timezone.now())
        services.submit_attempt(user=attempt.enrollment.user, attempt=attempt, answers={}, now=timezone.now())

    page = text(at_leo.get(f"/learn/{course.slug}/{quiz.lesson.slug}"))
    assert "You can start your next attempt in" in page
    assert f"{quiz.lesson.slug}/attempts" not in page
    assert "The correct answers will appear here once you pass." in page
