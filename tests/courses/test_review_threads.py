"""Comments on places of a course: written, answered, resolved, and what becomes of them when the course changes."""

from collections.abc import Callable
from datetime import UTC, datetime
from io import BytesIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from PIL import Image

from apps.accounts.models import Notification, User
from apps.courses import services
from apps.courses.models import Course, Lesson, ReviewComment, ReviewThread
from apps.courses.queries import review_threads
from apps.courses.queries.review_places import choices_in
from apps.courses.review_places import paragraphs_of, read_second
from apps.courses.services import Said, Writer
from studyplatform.kit.errors import AppError, ValidationFailed
from tests.factories.courses import LessonFactory, QuestionFactory, QuizFactory
from tests.factories.files import VideoFactory

pytestmark = [pytest.mark.django_db, pytest.mark.edits_in_place]
NOW = datetime(2026, 3, 16, 10, 0, tzinfo=UTC)


def say(course: Course, user: User, text: str = "Cut it.", **place: Any) -> ReviewThread:
    said = Said(uid=place.pop("uid", uuid4()), text=text)
    return services.open_thread(course=course, writer=Writer(user=user), said=said, now=NOW, **place)


@pytest.fixture
def film(course: Course) -> Lesson:
    section = course.sections.order_by("position").last()
    return LessonFactory(section=section, kind="video", video=VideoFactory(duration=734), title="Eigenvectors")


def row_of(thread: ReviewThread) -> review_threads.ThreadRow:
    [row] = review_threads.rows_of([ReviewThread.objects.get(pk=thread.pk)], thread.course)
    return row


def refusal_of(act: Callable[[], object]) -> str:
    with pytest.raises(ValidationFailed) as refused:
        act()
    return " ".join(one["message"] for problems in refused.value.in_fields.values() for one in problems)


def test_a_paragraph_is_what_blank_lines_separate_and_code_is_one() -> None:
    text = "One\nline\n\n\n```python\na = 1\n\nb = 2\n```\n\n> Two\n\n~~~\nopen\n\nend"

    assert paragraphs_of(text) == ["One\nline", "```python\na = 1\n\nb = 2\n```", "> Two", "~~~\nopen\n\nend"]
    assert paragraphs_of("") == []


def test_times_are_read_as_players_show_them() -> None:
    assert [read_second(text) for text in ("4:12", " 1:04:12 ", "252", "0:00")] == [252, 3852, 252, 0]
    assert [read_second(text) for text in ("4:72", "-3", "abc", "٤:12", "", "9999999", "1:2:3:4")] == [None] * 7


def test_a_comment_says_where_it_stands(course: Course, film: Lesson, sam: User, ada: User) -> None:
    spoken = say(course, sam, lesson=film, at="4:12", is_required=True)
    own = say(course, ada, lesson=film, is_required=True)

    assert (row_of(spoken).where, row_of(spoken).note) == (f"{film.number} at 4:12", "")
    assert (spoken.is_required, own.is_required) == (True, False), "only reviewers require changes"
    assert row_of(say(course, sam)).where == "Course page"
    assert refusal_of(lambda: say(course, sam, lesson=film, at="12:15")) == "The video ends at 12:14."
    assert "such as 4:12" in refusal_of(lambda: say(course, sam, lesson=film, at="late"))
    assert "no video" in refusal_of(lambda: say(course, sam, lesson=course.lessons.first(), at="0:10"))
    assert "Write a comment" in refusal_of(lambda: say(course, sam, "  \n"))
    assert "5000" in refusal_of(lambda: say(course, sam, "a" * 5_001))
    assert ReviewThread.objects.count() == 3


def test_a_comment_stays_readable_when_its_place_changes(course: Course, film: Lesson, sam: User, ada: User) -> None:
    text = course.lessons.first()
    Lesson.objects.filter(pk=text.pk).update(body="Hold the floor.\n\nPush the **ceiling**.")
    text.refresh_from_db()
    choice = choices_in(text)[1]
    assert choice.label == "Paragraph 2: Push the ceiling."
    written, spoken = say(course, sam, lesson=text, about=choice.value), say(course, sam, lesson=film, at="12:00")
    assert row_of(written).note == ""

    Lesson.objects.filter(pk=text.pk).update(body="New.\n\nHold the floor.\n\nPush the **ceiling**.")
    assert row_of(written).note == "", "it moved, and is the same"
    Lesson.objects.filter(pk=text.pk).update(body="Hold the floor.")
    assert "changed since: “Push the ceiling.”" in row_of(written).note
    text.refresh_from_db()
    assert "Choose the paragraph" in refusal_of(lambda: say(course, sam, lesson=text, about=choice.value))
    film.video.duration = 600
    film.video.save()
    assert "It ends at 10:00" in row_of(spoken).note
    services.delete_lesson(lesson=film, by=ada, now=NOW)
    assert "“Eigenvectors” was deleted" in row_of(spoken).note


def test_a_question_is_named_by_its_words(course: Course, sam: User) -> None:
    quiz = QuizFactory(lesson__section=course.sections.first(), lesson__course=course)
    question = QuestionFactory(quiz=quiz, prompt="Which lines *stay*?")
    [choice] = choices_in(quiz.lesson)
    asked = say(course, sam, lesson=quiz.lesson, about=choice.value)

    assert row_of(asked).where.endswith("question “Which lines stay?”")
    question.prompt = "Which lines keep their direction?"
    question.save()
    assert "changed since" in row_of(asked).note
    services.delete_question(question=question, by=course.instructor, now=NOW)
    assert "deleted since" in row_of(asked).note


def test_what_is_sent_twice_is_written_once(course: Course, sam: User, ada: User) -> None:
    uid = uuid4()
    thread = say(course, sam, uid=uid)

    assert say(course, sam, uid=uid).pk == thread.pk
    assert say(course, sam, "Another text of a page that was gone back to.", uid=uid).pk != thread.pk
    assert ReviewComment.objects.count() == 2


def test_two_resolve_and_one_reopens(course: Course, sam: User, ada: User, eve: User) -> None:
    thread = say(course, sam)
    services.resolve_thread(thread=thread, by=ada, now=NOW)
    services.resolve_thread(thread=thread, by=sam, now=NOW)
    thread.refresh_from_db()
    assert thread.resolved_by == ada, "the first one counts"
    services.answer_thread(thread=thread, writer=Writer(user=sam), said=Said(uid=uuid4(), text="Good."), now=NOW)
    thread.refresh_from_db()
    assert thread.is_resolved
    services.reopen_thread(thread=thread, by=sam, now=NOW)
    services.reopen_thread(thread=thread, by=sam, now=NOW)
    assert review_threads.count_by_state(course) == {"open": 1, "required": 0, "resolved": 0}
    for act in (
        lambda: services.resolve_thread(thread=thread, by=eve, now=NOW),
        lambda: services.reopen_thread(thread=thread, by=eve, now=NOW),
        lambda: say(course, eve),
        lambda: services.answer_thread(
            thread=thread, writer=Writer(user=eve), said=Said(uid=uuid4(), text="Hi"), now=NOW
        ),
        lambda: services.answer_thread(thread=thread, writer=Writer(), said=Said(uid=uuid4(), text="Hi"), now=NOW),
    ):
        with pytest.raises(AppError):
            act()


def test_each_concerned_person_is_told_once(course: Course, sam: User, ada: User, leo: User, eve: User) -> None:
    other = type(sam).objects.create(username="nadia", email="n@example.com", role="admin")
    say(course, sam, "@nadia and @ada. and @leo see this, x@ada and @eve not. <script>alert(1)</script>")

    told = {(one.user.username, one.kind) for one in Notification.objects.filter(kind__startswith="courses.review")}
    assert told == {("nadia", "courses.review_mention"), ("ada", "courses.review_mention")}
    assert services.split_mentions(course, "@leo @sam")[1] == ["leo"]
    thread = ReviewThread.objects.get()
    services.answer_thread(thread=thread, writer=Writer(user=ada), said=Said(uid=uuid4(), text="Done"), now=NOW)
    answered = Notification.objects.filter(kind="courses.review_comment")
    assert [one.user for one in answered] == [sam], "not herself"
    assert other


# --- Pages ---------------------------------------------------------------------------------------


def address(course: Course, rest: str = "") -> str:
    return f"/dashboard/instructor/courses/{course.slug}/review{rest}"


def picture() -> SimpleUploadedFile:
    raw = BytesIO()
    Image.new("RGB", (2_000, 20), "red").save(raw, "PNG")
    return SimpleUploadedFile("C:\\shot.png", raw.getvalue(), "image/png")


def test_a_reviewer_comments_and_the_instructor_answers(
    course: Course, film: Lesson, sam: User, ada: User, browser_of: Callable[[User], Client]
) -> None:
    page = f"/dashboard/admin/courses/{course.slug}/review?lesson={film.slug}"
    reviewer, instructor = browser_of(sam), browser_of(ada)
    text = "Still <b>spoken</b>. <script>alert(1)</script> @leo"
    given = {"uid": uuid4().hex, "text": text, "lesson": film.uid, "at": "4:12", "back": page, "picture": picture()}
    answer = reviewer.post(address(course, "/comments"), given)

    thread = ReviewThread.objects.get()
    assert answer["Location"] == f"{page}#t-{thread.uid}"
    shown = reviewer.get(page).content.decode()
    assert f'id="t-{thread.uid}"' in shown
    assert 'data-seek="252"' in shown
    assert "<script>alert(1)" not in shown
    assert "weren’t told: @leo" in shown or "weren&#39;t told: @leo" in shown
    comment = thread.comments.get()
    assert (comment.picture_width, comment.picture_height) == (1600, 16)
    stored = instructor.get(address(course, f"/pictures/{comment.uid}"))
    assert (stored.status_code, stored["Content-Type"]) == (200, "image/webp")
    said = {"uid": uuid4().hex, "text": "=Cut();The new take runs from 4:09."}
    instructor.post(address(course, f"/threads/{thread.uid}/answers"), said)
    instructor.post(address(course, f"/threads/{thread.uid}/state"), {"resolve": "1", "back": "https://evil.example/"})
    listed = instructor.get(address(course, "?state=resolved")).content.decode()
    assert "The new take runs from 4:09." in listed
    assert "Resolved by Ada Byron" in listed
    lines = b"".join(reviewer.get(address(course, "/comments.csv")).streaming_content).decode()  # type: ignore[attr-defined]
    assert "'=Cut()" in lines
    assert lines.count("\r\n") == 3
    assert default_storage.exists(comment.picture_name)


def test_what_was_written_is_kept_when_it_is_refused(
    course: Course, film: Lesson, sam: User, browser_of: Callable[[User], Client]
) -> None:
    browser = browser_of(sam)
    given = {"uid": uuid4().hex, "text": "Kept words", "lesson": film.uid, "at": "59:00", "is_required": "1"}
    refused = browser.post(address(course, "/comments"), given)

    assert refused.status_code == 422
    shown = refused.content.decode()
    kept = ("Kept words", "The video ends at 12:14.", 'value="59:00"', 'name="is_required"')
    assert all(one in shown for one in kept)
    for wrong in (
        {"text": "x"},
        {**given, "uid": "1"},
        {**given, "lesson": "1"},
        {**given, "at": "4:12", "picture": SimpleUploadedFile("a.png", b"no picture")},
        {**given, "at": "", "about": "p1-000000000000"},
    ):
        assert browser.post(address(course, "/comments"), wrong).status_code == 422, wrong
    gone = browser.post(address(course, "/comments"), {**given, "lesson": uuid4()}).content.decode()
    assert "The lesson was deleted meanwhile." in gone
    assert "Kept words" in gone
    assert not ReviewThread.objects.exists()


def test_the_pages_cost_the_same_with_many_comments(
    course: Course, film: Lesson, sam: User, browser_of: Callable[[User], Client], django_assert_max_num_queries: Any
) -> None:
    threads = ReviewThread.objects.bulk_create(
        ReviewThread(course=course, place="second", lesson_uid=film.uid, second=number, opened_at=NOW, changed_at=NOW)
        for number in range(400)
    )
    ReviewComment.objects.bulk_create(
        ReviewComment(thread=thread, author=sam, text="Words", written_at=NOW) for thread in threads
    )
    browser = browser_of(sam)
    with django_assert_max_num_queries(45):
        page = browser.get(address(course))
    assert page.content.count(b'class="rthread"') == 20
    with django_assert_max_num_queries(80):
        page = browser.get(f"/dashboard/admin/courses/{course.slug}/review?lesson={film.slug}")
    assert page.content.count(b'class="rthread"') == 200
