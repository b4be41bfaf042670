"""Facts about learners in courses."""

from dataclasses import dataclass

from studyplatform.kit.events import Event


@dataclass(frozen=True, kw_only=True)
class LearnerEnrolled(Event):
    enrollment_id: int
    user_id: int
    course_id: int


@dataclass(frozen=True, kw_only=True)
class LessonCompleted(Event):
    enrollment_id: int
    user_id: int
    lesson_id: int


@dataclass(frozen=True, kw_only=True)
class MilestoneReached(Event):
    """A learner reached 0, 25, 50, 75 or 100 % of a course; published once per enrollment and milestone."""

    enrollment_id: int
    user_id: int
    course_id: int
    percent: int


@dataclass(frozen=True, kw_only=True)
class CertificateIssued(Event):
    certificate_id: int
    user_id: int
    course_id: int


@dataclass(frozen=True, kw_only=True)
class CertificateRevoked(Event):
    certificate_id: int


@dataclass(frozen=True, kw_only=True)
class AttemptOpened(Event):
    """A learner began an attempt at the quiz of a lesson."""

    user_id: int
    lesson_id: int


@dataclass(frozen=True, kw_only=True)
class QuizSubmitted(Event):
    """An attempt was submitted. If ``waiting`` of its essays have no mark yet, it is not passed so far."""

    attempt_id: int
    user_id: int
    lesson_id: int
    is_passed: bool
    is_perfect: bool
    waiting: int = 0


@dataclass(frozen=True, kw_only=True)
class EssayMarked(Event):
    """An essay got a mark.

    ``is_complete``: it was the last of its attempt that waited. ``is_change``: the mark replaces an earlier one.
    """

    essay_id: int
    attempt_id: int
    user_id: int
    is_complete: bool
    is_change: bool
