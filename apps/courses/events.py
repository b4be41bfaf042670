"""Facts about courses."""

from dataclasses import dataclass

from studyplatform.kit.events import Event


@dataclass(frozen=True, kw_only=True)
class CourseEdited(Event):
    """What a learner reads about the course changed: its texts, price or status."""

    course_id: int


@dataclass(frozen=True, kw_only=True)
class OutlineChanged(Event):
    """Lessons or sections were added, removed or moved."""

    course_id: int


@dataclass(frozen=True, kw_only=True)
class LessonAdded(Event):
    """A lesson was added; it is still empty."""

    course_id: int
    lesson_id: int


@dataclass(frozen=True, kw_only=True)
class CourseSubmitted(Event):
    course_id: int
    submission_id: int


@dataclass(frozen=True, kw_only=True)
class SubmissionDecided(Event):
    course_id: int
    submission_id: int
    outcome: str


@dataclass(frozen=True, kw_only=True)
class CoursePublished(Event):
    course_id: int


@dataclass(frozen=True, kw_only=True)
class CourseUnpublished(Event):
    course_id: int


@dataclass(frozen=True, kw_only=True)
class CourseSuspended(Event):
    course_id: int


@dataclass(frozen=True, kw_only=True)
class CourseArchived(Event):
    course_id: int


@dataclass(frozen=True, kw_only=True)
class CourseDuplicated(Event):
    """A course was made as a copy of another one."""

    course_id: int
    source_id: int


@dataclass(frozen=True, kw_only=True)
class VersionPublished(Event):
    """A next version of a course went live. ``is_announced``: its learners are told."""

    course_id: int
    version_id: int
    is_announced: bool
    added_lessons: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class LessonsRestarted(Event):
    """Lessons got another video, which those who have not completed them watch from the start."""

    course_id: int
    lesson_ids: tuple[int, ...]
