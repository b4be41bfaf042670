"""Every text in Markdown of a course, with the name of its field: for what must read all of them."""

from collections.abc import Iterator

from apps.courses.models import Course, Lesson, Question

FieldText = tuple[str, str]
"""The name of a field, and one of its texts: those of choices, lines and answers are several."""


def texts_of_course_page(course: Course) -> Iterator[FieldText]:
    """Yield the texts of the course page."""
    yield "description", course.description
    yield "before_you_begin", course.before_you_begin


def texts_of_lesson(lesson: Lesson) -> Iterator[FieldText]:
    """Yield the texts of a lesson: its body, and of a quiz its introduction; those of its questions are apart."""
    yield "body", lesson.body
    if lesson.kind == Lesson.Kind.QUIZ:
        yield "intro", lesson.quiz.intro


def texts_of_question(question: Question) -> Iterator[FieldText]:
    """Yield the texts of a question: what learners meet (options), what is right (answer) and what they are told."""
    yield "prompt", question.prompt
    for name, value in (("options", question.options), ("answer", question.answer), ("remarks", question.remarks)):
        for text in _strings_in(value):
            yield name, text
    yield "explanation", question.explanation


def _strings_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _strings_in(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _strings_in(one)
