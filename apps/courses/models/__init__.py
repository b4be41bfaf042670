"""Subjects, courses, learning paths, sections, lessons, quiz definitions, and the review of courses."""

from apps.courses.models.appeal import Appeal
from apps.courses.models.co_instructor import (
    CoInstructor,
    CoInstructorInvitation,
    CoInstructorRole,
    OwnershipOffer,
    RevenueShare,
    Right,
    courses_co_taught,
    having_right,
    taught_by,
)
from apps.courses.models.course import EVEN_RATING, Availability, Course, CourseQuerySet, Subject, availability_of
from apps.courses.models.download import LessonDownload
from apps.courses.models.field_edit import FieldEdit
from apps.courses.models.file import CourseFile, CourseFileUse
from apps.courses.models.finding import IgnoredFinding, LinkCheck
from apps.courses.models.outline import Lesson, Section
from apps.courses.models.outline_change import OutlineChange
from apps.courses.models.path import LearningPath, PathCourse
from apps.courses.models.picture import CoursePicture
from apps.courses.models.question_import import QuestionImport
from apps.courses.models.quiz import Question, QuestionTag, Quiz, QuizDraw
from apps.courses.models.review import StatusChange, Submission
from apps.courses.models.review_link import ReviewGuest, ReviewLink
from apps.courses.models.review_thread import ReviewComment, ReviewThread, ReviewTick
from apps.courses.models.search import SearchDocument
from apps.courses.models.version import CourseVersion, DiscardedVersion, KeptContent, VersionDraft

__all__ = [
    "EVEN_RATING",
    "Appeal",
    "Availability",
    "CoInstructor",
    "CoInstructorInvitation",
    "CoInstructorRole",
    "Course",
    "CourseFile",
    "CourseFileUse",
    "CoursePicture",
    "CourseQuerySet",
    "CourseVersion",
    "DiscardedVersion",
    "FieldEdit",
    "IgnoredFinding",
    "KeptContent",
    "LearningPath",
    "Lesson",
    "LessonDownload",
    "LinkCheck",
    "OutlineChange",
    "OwnershipOffer",
    "PathCourse",
    "Question",
    "QuestionImport",
    "QuestionTag",
    "Quiz",
    "QuizDraw",
    "RevenueShare",
    "ReviewComment",
    "ReviewGuest",
    "ReviewLink",
    "ReviewThread",
    "ReviewTick",
    "Right",
    "SearchDocument",
    "Section",
    "StatusChange",
    "Subject",
    "Submission",
    "VersionDraft",
    "availability_of",
    "courses_co_taught",
    "having_right",
    "taught_by",
]
