"""The chapters of a video: how they are read, who may write them, and what the player gets."""

import time
from contextlib import suppress

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from apps.courses.chapters import LONGEST_TEXT, Chapter, chapters_as_text, parse_chapters
from apps.courses.models import Lesson
from apps.courses.queries.chapters import chapters_of_captions
from tests.cases import all_cases
from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory
from tests.factories.files import CaptionFactory, VideoFactory

LINES = "0:00 Hello\n1:30 The first step\n\n  1:02:03   Much   later "


def test_lines_become_chapters_and_back():
    chapters = parse_chapters(LINES, duration=4000)
    assert chapters == [Chapter(0, "Hello"), Chapter(90, "The first step"), Chapter(3723, "Much later")]
    assert parse_chapters(chapters_as_text([list(one) for one in chapters]), duration=4000) == chapters
    assert parse_chapters(" \n\n", duration=60) == []


@all_cases(
    "text, problem",
    [
        ("Hello", "Line 1: Write a time"),
        ("0:00", "Line 1: Write a time"),
        ("0:00Hello", "Line 1: Write a time"),
        ("0:00 A\n0:77 B", "Line 2: Write a time"),
        ("-1:00 A", "Line 1: Write a time"),
        ("٠:٠٠ A", "Line 1: Write a time"),
        ("0:05 A", "Line 1: The first chapter starts at 0:00."),
        ("0:00 A\n\n0:30 B\n0:30 C", "Line 4: A chapter starts after the one before it (0:30)."),
        ("0:00 A\n0:30 B\n0:20 C", "Line 3: A chapter starts after"),
        ("0:00 A\n1:40 B", "Line 2: The video ends at 1:40."),
        ("0:00 A\n1:75:00 B", "Line 2: Minutes go up to 59."),
        ("0:00 " + "x" * 81, "Line 1: A title can have up to 80 characters."),
        ("\n".join(f"{n // 60}:{n % 60:02} x" for n in range(99)) + "\n1:39 y\n1:39 z", "Line 101: A chapter starts"),
    ],
)
def test_a_wrong_line_is_named(text, problem):
    with pytest.raises(ValidationError) as refused:
        parse_chapters(text, duration=100)
    (message,) = refused.value.messages
    assert message.startswith(problem)


def test_a_video_has_at_most_100_chapters():
    lines = [f"{n // 60}:{n % 60:02} x" for n in range(101)]
    assert len(parse_chapters("\n".join(lines[:100]), duration=1000)) == 100
    with pytest.raises(ValidationError, match="up to 100 chapters"):
        parse_chapters("\n".join(lines), duration=1000)


@pytest.mark.parametrize(
    "text", [" " * LONGEST_TEXT, "0:00 " * 2000, "1:" * 5000, "\n" * LONGEST_TEXT, "0:00 a" + " " * 9000]
)
def test_the_longest_texts_are_read_quickly(text):
    began = time.process_time()
    with suppress(ValidationError):
        parse_chapters(text, duration=100)
    assert time.process_time() - began < 2  # quadratic reading takes many seconds


@pytest.fixture
def video_lesson(ada):
    section = SectionFactory(course=CourseFactory(instructor=ada, slug="rivers"))
    return LessonFactory(section=section, slug="fall", kind="video", video=VideoFactory(owner=ada), duration=90)


def address(lesson):
    return reverse("courses:studio-chapters", args=["rivers", lesson.slug])


@pytest.mark.django_db
def test_an_instructor_writes_chapters(browser_of, ada, video_lesson):
    browser = browser_of(ada)
    end = int(video_lesson.video.duration)
    page = browser.post(address(video_lesson), {"chapters": "0:00 One\r\n0:01 Two"}, follow=True)
    assert Lesson.objects.get(pk=video_lesson.pk).chapters == [[0, "One"], [1, "Two"]]
    assert "The video now has 2 chapters." in page.content.decode()
    assert "0:00 One\n0:01 Two</textarea>" in page.content.decode()

    wrong = browser.post(address(video_lesson), {"chapters": f"0:00 One\n{end // 60}:{end % 60:02} <b>Three"})
    assert "Line 2: The video ends at" in wrong.content.decode()
    assert "&lt;b&gt;Three</textarea>" in wrong.content.decode(), "what was typed stays"
    assert len(Lesson.objects.get(pk=video_lesson.pk).chapters) == 2

    browser.post(address(video_lesson), {"chapters": ""})
    assert Lesson.objects.get(pk=video_lesson.pk).chapters == []


@pytest.mark.django_db
def test_a_lesson_without_a_video_has_no_chapters(browser_of, ada, video_lesson):
    Lesson.objects.update(video=None)
    browser_of(ada).post(address(video_lesson), {"chapters": "0:00 One"})
    assert Lesson.objects.get().chapters == []
    assert browser_of(ada).get(address(video_lesson)).status_code == 405


@pytest.mark.django_db
def test_chapters_past_the_end_of_a_new_video_are_not_shown(video_lesson):
    video_lesson.chapters = [[0, "One"], [60, "Two"]]
    assert video_lesson.chapters_within(60.0) == [{"start": 0, "title": "One"}]


def captions(*chapters, language="en"):
    blocks = [
        f"NOTE Chapter: {title}\n\n00:{at // 60:02}:{at % 60:02}.500 --> 01:00:00.000\nx" for at, title in chapters
    ]
    return CaptionFactory.build(language=language, video=None, webvtt="\n\n".join(["WEBVTT", *blocks, ""]))


def test_comments_of_the_captions_name_chapters():
    english = captions((3, "One"), (3, "Same second"), (60, "Two"), (95, "After the end"))
    german = captions((0, "Eins"), language="de")
    assert chapters_of_captions([german, english], duration=90) == [Chapter(0, "Same second"), Chapter(60, "Two")]
    assert chapters_of_captions([german, captions()], duration=90) == [Chapter(0, "Eins")]
    assert chapters_of_captions([captions((40, "Late"))], duration=90) == [Chapter(0, "Beginning"), Chapter(40, "Late")]
    assert chapters_of_captions([captions(*((n, "x") for n in range(150)))], duration=999)[-1].start == 99
    assert chapters_of_captions([], duration=90) == []


@pytest.mark.django_db
def test_the_studio_says_which_chapters_come_from_the_captions(browser_of, ada, video_lesson):
    CaptionFactory(video=video_lesson.video, webvtt=captions((0, "One & <b>two"), (1, "Three")).webvtt)
    page = reverse("courses:studio-lesson", args=["rivers", video_lesson.slug])
    shown = browser_of(ada).get(page).content.decode()
    assert "Learners see 2 chapters from the captions: One &amp; two, Three." in shown
    assert "NOTE Chapter:" in shown

    browser_of(ada).post(address(video_lesson), {"chapters": "0:00 My own"})
    assert "chapters from the captions:" not in browser_of(ada).get(page).content.decode()
