"""Factories of enrollments and what learners do in them."""

from uuid import uuid4

from factory.declarations import LazyAttribute, LazyFunction, Sequence, SubFactory
from factory.django import DjangoModelFactory

from apps.learning.models import (
    Attempt,
    Bookmark,
    Certificate,
    Enrollment,
    LessonProgress,
    Note,
    OfflineDevice,
    PracticeCard,
    Rating,
)
from tests.factories.accounts import UserFactory
from tests.factories.courses import THEN, CourseFactory, LessonFactory, QuestionFactory, QuizFactory


class EnrollmentFactory(DjangoModelFactory[Enrollment]):
    class Meta:
        model = Enrollment

    user = SubFactory(UserFactory)
    course = SubFactory(CourseFactory, status="published")
    enrolled_at = THEN
    last_activity_at = LazyAttribute(lambda enrollment: enrollment.enrolled_at)


class LessonProgressFactory(DjangoModelFactory[LessonProgress]):
    class Meta:
        model = LessonProgress

    enrollment = SubFactory(EnrollmentFactory)
    lesson = LazyAttribute(lambda progress: LessonFactory(section__course=progress.enrollment.course))
    started_at = THEN
    updated_at = THEN


class AttemptFactory(DjangoModelFactory[Attempt]):
    """An open attempt."""

    class Meta:
        model = Attempt

    enrollment = SubFactory(EnrollmentFactory)
    quiz = LazyAttribute(lambda attempt: QuizFactory(lesson__section__course=attempt.enrollment.course))
    number = Sequence(lambda n: n + 1)
    started_at = THEN


class CertificateFactory(DjangoModelFactory[Certificate]):
    class Meta:
        model = Certificate

    enrollment = SubFactory(EnrollmentFactory)
    learner_name = LazyAttribute(lambda certificate: certificate.enrollment.user.display_name)
    course_title = LazyAttribute(lambda certificate: certificate.enrollment.course.title)
    instructor_name = LazyAttribute(lambda certificate: certificate.enrollment.course.instructor.display_name)
    issued_at = THEN


class RatingFactory(DjangoModelFactory[Rating]):
    class Meta:
        model = Rating

    enrollment = SubFactory(EnrollmentFactory)
    course = LazyAttribute(lambda rating: rating.enrollment.course)
    stars = 5
    text = "Clear from the first bend to the delta."
    created_at = THEN
    updated_at = THEN


class BookmarkFactory(DjangoModelFactory[Bookmark]):
    class Meta:
        model = Bookmark

    user = SubFactory(UserFactory)
    course = SubFactory(CourseFactory, status="published")
    created_at = THEN


class NoteFactory(DjangoModelFactory[Note]):
    class Meta:
        model = Note

    uid = LazyFunction(uuid4)
    user = SubFactory(UserFactory)
    course = SubFactory(CourseFactory, status="published")
    lesson = LazyAttribute(lambda note: LessonFactory(section__course=note.course))
    lesson_title = LazyAttribute(lambda note: note.lesson.title)
    kind = "note"
    second = None
    text = "The bend is older than the bank."
    created_at = THEN
    updated_at = THEN


class OfflineDeviceFactory(DjangoModelFactory[OfflineDevice]):
    class Meta:
        model = OfflineDevice

    user = SubFactory(UserFactory)
    name = "Firefox on Android"
    created_at = THEN
    last_contact_at = LazyAttribute(lambda device: device.created_at)


class FlashCardFactory(DjangoModelFactory[PracticeCard]):
    """A flash card that is due."""

    class Meta:
        model = PracticeCard

    user = SubFactory(UserFactory)
    front = Sequence(lambda n: f"Front {n}")
    back = "Back"
    created_at = THEN
    due = LazyAttribute(lambda card: card.created_at)


class MissedCardFactory(FlashCardFactory):
    """A card of a question; it may be practiced once the learner's attempts show the answers of its quiz."""

    front = back = ""
    question = SubFactory(QuestionFactory)
    missed = 1
    missed_at = THEN
