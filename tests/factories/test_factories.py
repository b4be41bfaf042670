"""The factories create rows that satisfy the constraints of the database."""

import importlib
from pathlib import Path

import pytest
from factory.django import DjangoModelFactory

from apps.courses.models import Course
from tests.factories.courses import LessonFactory, QuestionFactory, SectionFactory
from tests.factories.files import CaptionFactory

FACTORIES = {
    thing.__name__: thing
    for path in Path(__file__).parent.glob("[!_t]*.py")
    for thing in vars(importlib.import_module(f"tests.factories.{path.stem}")).values()
    if isinstance(thing, type) and issubclass(thing, DjangoModelFactory) and thing is not DjangoModelFactory
}


@pytest.mark.parametrize("name", sorted(FACTORIES))
def test_every_factory_creates_two_rows(db, name):
    rows = FACTORIES[name].create_batch(2)

    assert rows[0].pk != rows[1].pk or name == "SubjectFactory"


def test_lessons_are_numbered_and_counted(db):
    section = SectionFactory()

    first, second = LessonFactory(section=section), LessonFactory(section=section)

    assert [first.number, second.number] == ["1.1", "1.2"]
    assert Course.objects.get().lesson_count == 2


def test_the_question_factory_creates_a_quiz_lesson(db):
    assert QuestionFactory().quiz.lesson.kind == "quiz"


def test_the_caption_factory_creates_a_complete_video(db):
    assert CaptionFactory().video.is_complete
