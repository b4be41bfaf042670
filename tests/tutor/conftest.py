"""Fixtures shared by the tests of the tutor."""

import pytest
from django.utils import timezone

from apps.courses.models import Course, Lesson, Question, Quiz
from apps.tutor.services.indexing import index_course
from tests.factories.courses import LessonFactory, QuestionFactory, QuizFactory
from tests.tutor.vectors import remembered_vectors

__all__ = ["remembered_vectors"]

TEXTS = {
    "meanders": "A river bends because water on the outside of a curve flows faster and carves the bank away. "
    "On the inside it slows down and drops its sand.",
    "deltas": "Where a river meets the sea it loses its speed. The mud that it carried sinks and builds new land, "
    "which we call a delta.",
    "springs": "Rain sinks through limestone until it reaches clay. There it cannot go on, runs along the layer, and "
    "comes out of the hillside as a spring.",
}


@pytest.fixture
def rivers(course: Course) -> dict[str, Lesson]:
    """Lessons of Ada's course with something to find in each, indexed; "check" is a quiz."""
    lessons = list(course.lessons.order_by("section__position", "position"))
    found = {}
    for lesson, (slug, text) in zip(lessons, TEXTS.items(), strict=False):
        lesson.slug, lesson.title, lesson.body = slug, slug.capitalize(), text
        lesson.save()
        found[slug] = lesson
    section = lessons[-1].section
    found["check"] = LessonFactory(section=section, kind="quiz", slug="check", title="Check", position=9)
    quiz: Quiz = QuizFactory(lesson=found["check"])
    question: Question = QuestionFactory(quiz=quiz)
    question.prompt, question.explanation = "What is an oxbow?", "An oxbow is a bend that the river has cut off."
    question.save()
    index_course(course_id=course.pk, now=timezone.now())
    return found
