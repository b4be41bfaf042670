"""The factories build rows that the database's own rules accept."""

from apps.courses.models import Course
from tests.factories.courses import LessonFactory, QuestionFactory, SectionFactory
from tests.factories.files import CaptionFactory


def test_lessons_are_numbered_and_counted(db):
    section = SectionFactory()

    first, second = LessonFactory(section=section), LessonFactory(section=section)

    assert [first.number, second.number] == ["1.1", "1.2"]
    assert Course.objects.get().lesson_count == 2


def test_a_question_hangs_on_a_quiz_lesson(db):
    assert QuestionFactory().quiz.lesson.kind == "quiz"


def test_captions_hang_on_a_complete_video(db):
    assert CaptionFactory().video.is_complete
