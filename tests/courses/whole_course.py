"""A course that uses everything that authors can write."""

from datetime import UTC, datetime

from apps.courses import services
from apps.courses.models import Course, LessonDownload
from tests.factories.courses import (
    CourseFactory,
    CourseFileFactory,
    CoursePictureFactory,
    LessonFactory,
    QuestionFactory,
    QuizFactory,
    SectionFactory,
)
from tests.factories.files import VideoFactory

NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)


def make_whole_course(**columns: object) -> Course:
    """Return a published course with files, downloads, prerequisites, a picture, and every kind of question source."""
    course = CourseFactory(requires_order=True, title="Rivers", **columns)
    by = course.instructor
    CoursePictureFactory(course=course, alt="A bend")
    course.prerequisites.add(CourseFactory(status="published", instructor=by))
    picture = CourseFileFactory(course=course)
    text = LessonFactory(section__course=course, title="Springs", slug="springs", is_preview=True)
    body = f"Water comes out of a hill.\n\n![A map]({picture.address})"
    services.edit_lesson(lesson=text, by=by, title="Springs", summary="Where", body=body, is_preview=True, now=NOW)
    LessonDownload.objects.create(lesson=text, file=CourseFileFactory(course=course), name="tables.pdf", position=1)
    section = SectionFactory(course=course, title="Deltas")
    video = VideoFactory(owner=by)
    film = LessonFactory(
        section=section, title="Film", slug="film", kind="video", video=video, duration=round(video.duration)
    )
    quiz = QuizFactory(lesson__section=section, lesson__title="Quiz", lesson__slug="quiz", pass_percent=80)
    QuestionFactory(quiz=quiz, prompt="Own?", rewatch_lesson=film, rewatch_at=12)
    QuestionFactory(quiz=quiz, prompt="Withdrawn?", is_withdrawn=True)
    bank = services.open_bank(course=course)
    linked, tagged = QuestionFactory(quiz=bank, prompt="Linked?"), QuestionFactory(quiz=bank, prompt="Tagged?")
    services.set_tags(question=tagged, by=by, names=["silt", "Mud"], now=NOW)
    services.link_question(quiz=quiz, question=linked, by=by, now=NOW)
    services.add_draw(quiz=quiz, by=by, tags=list(tagged.tags.all()), count=1, now=NOW)
    film.prerequisites.add(text)
    LessonFactory(section=section, title="Mouths", slug="mouths", opens_after_days=7, is_optional=True)
    Course.objects.filter(pk=course.pk).update(status=Course.Status.PUBLISHED, published_at=NOW)
    return Course.objects.get(pk=course.pk)
