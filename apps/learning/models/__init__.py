"""Enrollments, progress, learned days, quiz attempts, practice, certificates, notes, ratings, roll-ups and reports."""

from apps.learning.models.analytics_report import AnalyticsReport
from apps.learning.models.certificate import Certificate, verification_code
from apps.learning.models.consumption import LessonUse
from apps.learning.models.enrollment import Bookmark, Enrollment, EnrollmentQuerySet
from apps.learning.models.exceptions import (
    MAX_EXCEPTION_MINUTES,
    MAX_EXTRA_ATTEMPTS,
    MAX_EXTRA_ATTEMPTS_TOGETHER,
    MAX_EXTRA_PERCENT,
    MAX_REASON_LENGTH,
    LearnerException,
    LearnerExceptionQuerySet,
)
from apps.learning.models.learned_day import Achievement, LearnedDay
from apps.learning.models.notes import Note, NotebookDocument, NoteQuerySet
from apps.learning.models.offline import OfflineDevice, SealedPaper, TakenChange
from apps.learning.models.opening_check import OpeningCheck, OpeningSchedule
from apps.learning.models.practice import PracticeCard, PracticeReview
from apps.learning.models.progress import LearningTime, LessonProgress, WatchedDay
from apps.learning.models.quiz import Attempt, EssayAnswer, EssayMark
from apps.learning.models.rating import HelpfulVote, Rating, RatingDecision, RatingReport
from apps.learning.models.rollups import (
    CourseDay,
    CourseVisit,
    EnrollmentRollup,
    LessonRollup,
    QuestionRollup,
    RestartedLesson,
    RollupState,
    TeacherDay,
    TeacherRollup,
)
from apps.learning.models.staff import (
    MAX_FILTER_NAME_LENGTH,
    MAX_FILTER_QUERY_LENGTH,
    MAX_SAVED_FILTERS,
    MAX_STAFF_NOTE_LENGTH,
    SavedFilter,
    StaffNote,
)

__all__ = [
    "MAX_EXCEPTION_MINUTES",
    "MAX_EXTRA_ATTEMPTS",
    "MAX_EXTRA_ATTEMPTS_TOGETHER",
    "MAX_EXTRA_PERCENT",
    "MAX_FILTER_NAME_LENGTH",
    "MAX_FILTER_QUERY_LENGTH",
    "MAX_REASON_LENGTH",
    "MAX_SAVED_FILTERS",
    "MAX_STAFF_NOTE_LENGTH",
    "Achievement",
    "AnalyticsReport",
    "Attempt",
    "Bookmark",
    "Certificate",
    "CourseDay",
    "CourseVisit",
    "Enrollment",
    "EnrollmentQuerySet",
    "EnrollmentRollup",
    "EssayAnswer",
    "EssayMark",
    "HelpfulVote",
    "LearnedDay",
    "LearnerException",
    "LearnerExceptionQuerySet",
    "LearningTime",
    "LessonProgress",
    "LessonRollup",
    "LessonUse",
    "Note",
    "NoteQuerySet",
    "NotebookDocument",
    "OfflineDevice",
    "OpeningCheck",
    "OpeningSchedule",
    "PracticeCard",
    "PracticeReview",
    "QuestionRollup",
    "Rating",
    "RatingDecision",
    "RatingReport",
    "RestartedLesson",
    "RollupState",
    "SavedFilter",
    "SealedPaper",
    "StaffNote",
    "TakenChange",
    "TeacherDay",
    "TeacherRollup",
    "WatchedDay",
    "verification_code",
]
