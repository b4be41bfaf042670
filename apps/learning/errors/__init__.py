"""Refusals of learning."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from apps.billing.errors import SeatEnded, SubscriptionExpired
from apps.learning.errors.exceptions import AttemptContinued as AttemptContinued
from apps.learning.errors.exceptions import AttemptReopenedAlready as AttemptReopenedAlready
from apps.learning.errors.exceptions import AttemptStillOpen as AttemptStillOpen
from apps.learning.errors.exceptions import ExtraAttemptsInvalid as ExtraAttemptsInvalid
from apps.learning.errors.exceptions import ExtraAttemptsTooMany as ExtraAttemptsTooMany
from apps.learning.errors.exceptions import ExtraTimeInvalid as ExtraTimeInvalid
from apps.learning.errors.exceptions import ExtraTimeKnown as ExtraTimeKnown
from apps.learning.errors.exceptions import NothingToReopen as NothingToReopen
from apps.learning.errors.exceptions import QuizHasNoAttemptLimit as QuizHasNoAttemptLimit
from apps.learning.errors.exceptions import QuizHasNoTimeLimit as QuizHasNoTimeLimit
from apps.learning.errors.exceptions import TooManyLearnersAtOnce as TooManyLearnersAtOnce
from apps.learning.errors.lessons import LessonTakenOut as LessonTakenOut
from apps.learning.errors.lessons import PrerequisiteNotMet as PrerequisiteNotMet
from apps.learning.errors.offline import OfflineDeviceLimit as OfflineDeviceLimit
from apps.learning.errors.offline import OfflineDeviceRemoved as OfflineDeviceRemoved
from apps.learning.errors.offline import OfflineNotPossible as OfflineNotPossible
from apps.learning.errors.offline_browser import OfflineBrowserUnfit as OfflineBrowserUnfit
from apps.learning.errors.offline_browser import OfflineFileMissing as OfflineFileMissing
from apps.learning.errors.offline_browser import OfflineLimitReached as OfflineLimitReached
from apps.learning.errors.offline_browser import OfflineStorageFull as OfflineStorageFull
from apps.learning.errors.offline_changes import AttemptOpenOnline as AttemptOpenOnline
from apps.learning.errors.offline_changes import AttemptReopenedOnline as AttemptReopenedOnline
from apps.learning.errors.offline_changes import AttemptsHeld as AttemptsHeld
from apps.learning.errors.offline_changes import PaperUnknown as PaperUnknown
from apps.learning.errors.offline_changes import VideoReplaced as VideoReplaced
from apps.learning.errors.quizzes import AnsweredTooFast as AnsweredTooFast
from apps.learning.errors.quizzes import AttemptClosed as AttemptClosed
from apps.learning.errors.quizzes import AttemptTooSoon as AttemptTooSoon
from apps.learning.errors.quizzes import CardLimitReached as CardLimitReached
from apps.learning.errors.quizzes import CardNotFound as CardNotFound
from apps.learning.errors.quizzes import EssayMarkedMeanwhile as EssayMarkedMeanwhile
from apps.learning.errors.quizzes import EssayPointsInvalid as EssayPointsInvalid
from apps.learning.errors.quizzes import NoAttemptsLeft as NoAttemptsLeft
from apps.learning.errors.quizzes import QuizTimeOver as QuizTimeOver
from apps.learning.errors.staff import FilterTooLong as FilterTooLong
from apps.learning.errors.staff import SavedFilterNameless as SavedFilterNameless
from apps.learning.errors.staff import SavedFilterNameTaken as SavedFilterNameTaken
from apps.learning.errors.staff import StaffNoteEmpty as StaffNoteEmpty
from apps.learning.errors.staff import StaffNoteOfAnother as StaffNoteOfAnother
from apps.learning.errors.staff import StaffNoteTooLong as StaffNoteTooLong
from apps.learning.errors.staff import TooManySavedFilters as TooManySavedFilters
from studyplatform.kit.errors import Action, AppError


@dataclass(eq=False, kw_only=True)
class NotEnrolled(AppError):
    code = "ENROLLMENT_REQUIRED"
    status = 403
    # Lessons, progress, notes, ratings and discussions are refused alike.
    title = _("Enroll in this course first")
    message = _("This is open to learners enrolled in “%(course)s”.")
    severity = "warning"
    icon = "lock"
    action = Action(_("Enroll now"), href="/courses/enroll?course={slug}")

    course: str = ""
    slug: str = ""


@dataclass(eq=False, kw_only=True)
class AlreadyEnrolled(AppError):
    code = "ALREADY_ENROLLED"
    status = 409
    title = _("Already enrolled")
    message = _("You are already enrolled in “%(course)s”.")
    severity = "info"
    icon = "info"

    course: str


@dataclass(eq=False, kw_only=True)
class EnrollmentClosed(AppError):
    code = "ENROLLMENT_CLOSED"
    status = 409
    title = _("Enrollment closed")
    message = _("“%(course)s” isn't open to new learners right now.")
    severity = "info"
    icon = "info"

    course: str


# Why a lesson is closed to people who could open it: a page says how.
Closed = NotEnrolled | EnrollmentClosed | SubscriptionExpired | SeatEnded


@dataclass(eq=False, kw_only=True)
class PaymentRequired(AppError):
    code = "PAYMENT_REQUIRED"
    status = 402
    title = _("This course is not free")
    message = _("“%(course)s” is a paid course. Preview lessons are open to everyone.")
    severity = "info"
    icon = "credit-card"
    action = Action(_("See the price"), href="/courses/enroll?course={slug}")

    course: str
    slug: str


class LessonCompletesItself(AppError):
    code = "LESSON_COMPLETES_ITSELF"
    status = 409
    title = _("Nothing to mark here")
    message = _("A video is complete when you've watched 90% of it, and a quiz when you pass it.")
    severity = "info"
    icon = "info"


@dataclass(eq=False, kw_only=True)
class ReadingTooShort(AppError):
    code = "READING_TOO_SHORT"
    status = 409
    title = _("Read it first")
    message = _("You can mark this lesson as complete in %(wait)s, so you have time to read it.")
    severity = "info"
    icon = "clock"
    durations = ("wait",)

    wait: int = 1


@dataclass(eq=False, kw_only=True)
class WatchingTooShort(AppError):
    code = "WATCHING_TOO_SHORT"
    status = 409
    title = _("Watch it first")
    message = _("You can mark this lesson as complete in %(wait)s, so you have time to watch it.")
    severity = "info"
    icon = "clock"
    durations = ("wait",)

    wait: int = 1


class FileNotFetched(AppError):
    code = "LESSON_FILE_NOT_DOWNLOADED"
    status = 409
    title = _("Download the file first")
    message = _("This lesson is complete once you've downloaded its file.")
    severity = "info"
    icon = "download"


class CertificateUnknown(AppError):
    code = "CERTIFICATE_UNKNOWN"
    status = 404
    title = _("Certificate not found")
    message = _("No certificate has this code. Check every character: codes never contain 0, O, 1, I or L.")
    icon = "search"
    action = Action(_("Verify another code"), href="/certificates/")


@dataclass(eq=False, kw_only=True)
class TooManyNotes(AppError):
    code = "NOTES_TOO_MANY"
    status = 409
    title = _("Too many notes")
    message = _("You can keep up to %(limit)s notes and moments in a course (about 1,000 pages). Delete some first.")
    severity = "warning"
    icon = "info"

    limit: int = 2000


class NoteEditedTooOften(AppError):
    code = "NOTE_TOO_MANY_EDITS"
    status = 409
    title = _("This note can't take more changes")
    message = _("It was edited too many times, or on too many devices at once. Copy its text into a new note.")
    severity = "warning"
    icon = "info"


@dataclass(eq=False, kw_only=True)
class NotesPdfFailed(AppError):
    code = "NOTES_PDF_FAILED"
    status = 500
    title = _("The PDF couldn't be made")
    message = _("Something went wrong while we made the PDF. Try again, or download your notes as Markdown.")
    action = Action(_("Back to my notes"), href="/me/course/{slug}/notes")
    is_for_scripts = False

    slug: str = ""


@dataclass(eq=False, kw_only=True)
class NotesTooLong(AppError):
    code = "NOTES_TOO_LONG"
    status = 409
    title = _("Too many notes for one PDF")
    message = _("Your notes are too long for one PDF. Download them as Markdown.")
    severity = "info"
    icon = "info"
    action = Action(_("Back to my notes"), href="/me/course/{slug}/notes")
    is_for_scripts = False

    slug: str = ""


@dataclass(eq=False, kw_only=True)
class RatingTooEarly(AppError):
    code = "RATING_TOO_EARLY"
    status = 403
    title = _("Too early to review")
    message = _("You can review “%(course)s” once you've completed %(least)s%% of it. You're at %(percent)s%%.")
    severity = "info"
    icon = "hourglass"

    course: str
    percent: int
    least: int


class OwnCourseRated(AppError):
    code = "RATING_OWN_COURSE"
    status = 403
    title = _("You teach this course")
    message = _("Instructors and admins can't review a course they run or vote on its reviews.")
    severity = "info"
    icon = "info"


class OwnRatingJudged(AppError):
    code = "RATING_OWN"
    status = 403
    title = _("This review is yours")
    message = _("You can't vote for your own review or report it.")
    severity = "info"
    icon = "info"
    is_for_scripts = False


class RatingChanged(AppError):
    code = "RATING_CHANGED"
    status = 409
    title = _("The review has changed")
    message = _("Its author changed it, or another admin decided. Read it again.")
    severity = "info"
    icon = "info"
    is_for_scripts = False
