"""Factories of courses and their content, with the rows that the services would write."""

import zlib
from datetime import UTC, datetime

from factory.declarations import LazyAttribute, Sequence, SubFactory
from factory.django import DjangoModelFactory
from factory.helpers import post_generation

from apps.accounts.models import Role
from apps.courses.models import (
    Course,
    CourseFile,
    CoursePicture,
    Lesson,
    Question,
    QuestionImport,
    Quiz,
    Section,
    Subject,
    Submission,
)
from tests.factories.accounts import UserFactory

THEN = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)


class SubjectFactory(DjangoModelFactory[Subject]):
    class Meta:
        model = Subject
        django_get_or_create = ("slug",)

    slug = "mathematics"
    name = LazyAttribute(lambda subject: subject.slug.capitalize())


class CourseFactory(DjangoModelFactory[Course]):
    """A draft; ``CourseFactory(status="published")`` is live."""

    class Meta:
        model = Course

    title = Sequence(lambda n: f"Course {n}")
    slug = Sequence(lambda n: f"course-{n}")
    summary = "Forty characters say what changes for every learner."
    outcomes = LazyAttribute(lambda course: ["See a map as a picture.", "Read a matrix.", "Find what stays."])
    subject = SubFactory(SubjectFactory)
    instructor = SubFactory(UserFactory, role=Role.INSTRUCTOR)
    status = Course.Status.DRAFT
    created_at = THEN
    updated_at = THEN
    published_at = LazyAttribute(lambda course: THEN if course.status == Course.Status.PUBLISHED else None)


class SectionFactory(DjangoModelFactory[Section]):
    class Meta:
        model = Section

    course = SubFactory(CourseFactory)
    position = LazyAttribute(lambda section: section.course.sections.count() + 1)
    title = LazyAttribute(lambda section: f"Section {section.position}")


class LessonFactory(DjangoModelFactory[Lesson]):
    """A text lesson at the end of its section; the course's counts are updated unless ``update_counts=False``."""

    class Meta:
        model = Lesson
        skip_postgeneration_save = True  # what is done after the lesson is written changes the course alone

    section = SubFactory(SectionFactory)
    course = LazyAttribute(lambda lesson: lesson.section.course)
    position = LazyAttribute(lambda lesson: lesson.section.lessons.count() + 1)
    number = LazyAttribute(lambda lesson: f"{lesson.section.position}.{lesson.position}")
    title = LazyAttribute(lambda lesson: f"Lesson {lesson.number}")
    slug = LazyAttribute(lambda lesson: f"lesson-{lesson.section.position}-{lesson.position}")
    kind = Lesson.Kind.TEXT
    body = LazyAttribute(lambda lesson: "Words to read." if lesson.kind == Lesson.Kind.TEXT else "")
    duration = 60

    @post_generation
    def update_counts(lesson, create, extracted, **kwargs):  # noqa: N805 (factory_boy passes the object)
        if extracted is False:
            return
        course = lesson.course
        course.lesson_count = course.lessons.count()
        course.required_count = course.lessons.filter(is_optional=False).count()
        course.duration = sum(course.lessons.values_list("duration", flat=True))
        course.save(update_fields=["lesson_count", "required_count", "duration"])


class QuizFactory(DjangoModelFactory[Quiz]):
    class Meta:
        model = Quiz

    lesson = SubFactory(LessonFactory, kind=Lesson.Kind.QUIZ)


class QuestionFactory(DjangoModelFactory[Question]):
    """A single-choice question whose right answer is "b"."""

    class Meta:
        model = Question

    quiz = SubFactory(QuizFactory)
    position = LazyAttribute(lambda question: question.quiz.questions.count() + 1)
    kind = Question.Kind.SINGLE
    prompt = "Which of the two?"
    options = LazyAttribute(lambda question: [{"id": "a", "text": "This"}, {"id": "b", "text": "That"}])
    answer = LazyAttribute(lambda question: {"id": "b"})
    explanation = "That, because it is not this."


class QuestionImportFactory(DjangoModelFactory[QuestionImport]):
    """A checked file with one question for the bank of the course; ``imported_at`` makes it an import of nothing."""

    class Meta:
        model = QuestionImport

    course = SubFactory(CourseFactory)
    quiz = LazyAttribute(lambda found: Quiz.objects.get_or_create(course=found.course)[0])
    created_at = THEN
    imported_at = None
    state = LazyAttribute(lambda found: "imported" if found.imported_at else "checked")
    format = "gift"
    source = LazyAttribute(lambda found: b"" if found.imported_at else zlib.compress(b"Rivers bend. {T}"))


class SubmissionFactory(DjangoModelFactory[Submission]):
    """A submitted course without a decision."""

    class Meta:
        model = Submission

    course = SubFactory(CourseFactory, status=Course.Status.REVIEW)
    submitted_by = LazyAttribute(lambda submission: submission.course.instructor)
    submitted_at = THEN


class CourseFileFactory(DjangoModelFactory[CourseFile]):
    """The row of a picture of texts; its renditions are not stored."""

    class Meta:
        model = CourseFile

    course = SubFactory(CourseFactory)
    upload = SubFactory(
        "tests.factories.files.StoredFileFactory",
        owner=LazyAttribute(lambda upload: upload.factory_parent.course.instructor),
    )
    uid = LazyAttribute(lambda file: file.upload.uid)
    name = "map.png"
    media_type = "image/png"
    width, height, rendition_width = 1200, 800, 1200
    added_at = THEN


class CoursePictureFactory(DjangoModelFactory[CoursePicture]):
    """The row of a picture; its files are not stored."""

    class Meta:
        model = CoursePicture

    course = SubFactory(CourseFactory)
    upload = SubFactory(
        "tests.factories.files.StoredFileFactory",
        owner=LazyAttribute(lambda upload: upload.factory_parent.course.instructor),
    )
    key = Sequence(lambda n: f"{n:024x}")
    width = 1280
    updated_at = THEN
