"""The demo's videos, captions and quizzes suit the player and the marking. test_library.py checks the texts."""

import re
from pathlib import Path

import pytest
from django.utils.text import slugify

from apps.courses.models import Lesson, Question
from apps.files.video.caption_files import read_captions
from apps.files.video.ladder import plan
from apps.files.video.probe import probe
from apps.files.video.recipe import Recipe
from apps.learning.quizzes import marking
from studyplatform.demo.answers import right_answer, wrong_answer
from studyplatform.demo.library import CONTENT, Malformed, read_library
from tests.cases import all_cases

COMPLETE = {"linear-algebra-geometrically", "waves-and-interference", "statistics-for-curious-people"}
CUE = re.compile(r"(\d+):(\d+):(\d+)\.(\d+) --> (\d+):(\d+):(\d+)\.(\d+)")
LIBRARY = read_library()
COURSES = {course.slug: course for course in LIBRARY.courses}
LESSONS = [(course, lesson) for course in LIBRARY.courses for lesson in course.lessons]
QUIZZES = [(course, lesson) for course, lesson in LESSONS if lesson.quiz]
VIDEOS = [(course, lesson) for course, lesson in LESSONS if lesson.film]


def test_the_slug_of_a_course_matches_its_title():
    assert [course.slug for course in LIBRARY.courses] == [slugify(course.title) for course in LIBRARY.courses]


@all_cases("course, lesson", QUIZZES)
def test_every_question_can_be_answered(course, lesson):
    for text in lesson.quiz.questions:
        question = Question(kind=text.kind, prompt=text.prompt, options=text.options, answer=text.answer)
        right = marking.read(question, right_answer(question))
        wrong = marking.read(question, wrong_answer(question))
        if question.kind == Question.Kind.ESSAY:
            assert marking.mark(question, right).is_waiting, text.prompt
            continue
        assert marking.mark(question, right).share == 1, text.prompt
        assert marking.mark(question, wrong).share < 1, text.prompt


@all_cases("course, lesson", VIDEOS)
def test_a_quiz_links_to_an_existing_position_in_a_video(course, lesson):
    for quiz in (each.quiz for each in course.lessons if each.quiz):
        for question in quiz.questions:
            if question.rewatch_lesson == lesson.slug:
                assert 0 <= question.rewatch_at < lesson.seconds - 3


@all_cases("slug", sorted(COMPLETE))
def test_three_courses_are_complete(slug):
    course = COURSES[slug]
    kinds = [lesson.kind for lesson in course.lessons]
    assert course.lessons[0].kind == "video"
    assert kinds.count("video") >= 3
    assert kinds.count("text") >= 4
    assert kinds.count("quiz") == 2
    assert set(kinds) <= set(Lesson.Kind.values)
    asked = {question.kind for lesson in course.lessons if lesson.quiz for question in lesson.quiz.questions}
    assert asked == set(Question.Kind.values) - {Question.Kind.ESSAY}


@pytest.mark.long
@all_cases("course, lesson", VIDEOS)
def test_a_demo_video_suits_the_player(course, lesson):
    source = probe(lesson.film, Recipe())
    assert 55 <= source.duration <= 180
    assert (source.picture.width, source.picture.height) == (1280, 720)
    assert source.sound is not None
    assert plan(source, Recipe()).why_no_copy == "", "the pipeline would encode it again"
    head = lesson.film.read_bytes()[:4096]
    assert b"moov" in head, "the header stands first, so that playing can begin at once"


@all_cases("course, lesson", VIDEOS)
def test_captions_follow_the_video(course, lesson):
    text = lesson.captions.read_text(encoding="utf-8")
    assert text.startswith("WEBVTT\n")
    assert not read_captions(text.encode()).is_guess
    end = 0.0
    cues = list(CUE.finditer(text))
    assert len(cues) >= 8
    for cue in cues:
        h1, m1, s1, f1, h2, m2, s2, f2 = map(int, cue.groups())
        start, stop = h1 * 3600 + m1 * 60 + s1 + f1 / 1000, h2 * 3600 + m2 * 60 + s2 + f2 / 1000
        assert end <= start < stop <= lesson.seconds + 1
        end = stop
    lines = [line for line in text.splitlines()[1:] if line and "-->" not in line]
    assert max(map(len, lines)) <= 90
    assert not any("{" in line or "|" in line for line in lines), "what only the voice needs is not shown"


def test_the_demo_videos_are_small_enough_for_git():
    assert sum(path.stat().st_size for path in CONTENT.rglob("*.mp4")) <= 10_000_000


def test_the_demo_learner_is_halfway_through_a_complete_course():
    halfway = next(
        line
        for line in LIBRARY.activity
        if line.email == "student@example.com" and line.course == "linear-algebra-geometrically"
    )
    lessons = COURSES[halfway.course].lessons
    done = halfway.lessons_of(len(lessons))
    assert 0.4 <= done / len(lessons) <= 0.65


def test_a_malformed_file_is_reported_by_name(tmp_path: Path):
    folder = tmp_path / "courses" / "broken"
    folder.mkdir(parents=True)
    (tmp_path / "people.yaml").write_text("people: []\nactivity: []\n")
    (folder / "course.yaml").write_text(
        "title: Broken\nsections:\n  - title: One\n    lessons:\n      - {slug: gone, title: Gone, kind: text}\n"
    )
    with pytest.raises(Malformed, match=r"gone\.md"):
        read_library(tmp_path)
    (folder / "gone.md").write_text("Here after all.")
    with pytest.raises(Malformed, match=r"broken/course\.yaml"):
        read_library(tmp_path)


def test_an_answer_that_is_not_an_option_is_refused(tmp_path: Path):
    folder = tmp_path / "courses" / "broken"
    folder.mkdir(parents=True)
    (tmp_path / "people.yaml").write_text("people: []\n")
    (folder / "course.yaml").write_text(
        "title: Broken\nsections:\n  - title: One\n    lessons:\n      - {slug: ask, title: Ask, kind: quiz}\n"
    )
    (folder / "ask.quiz.yaml").write_text(
        "questions:\n  - {kind: single, prompt: Which?, options: {a: One, b: Two}, answer: c, explanation: So.}\n"
    )
    with pytest.raises(Malformed, match=r"ask\.quiz\.yaml"):
        read_library(tmp_path)
