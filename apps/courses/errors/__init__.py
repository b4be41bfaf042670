"""Refusals of the catalog and of authoring."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from apps.courses.errors.archives import CourseArchiveUnreadable, CourseChangedMeanwhile
from apps.courses.errors.content_tree import ContentTreeUnreadable
from apps.courses.errors.corrections import (
    CorrectionsAreReviewed,
    CorrectionsTooLong,
    NothingToCorrect,
    VersionIsReviewed,
)
from apps.courses.errors.findings import FindingNotFound, FindingRequired
from apps.courses.errors.outline import (
    LessonNotOpenYet,
    LessonOpensTwice,
    LessonVideoChanged,
    OutlineFull,
    OutlineMoved,
    PrerequisitesInCircle,
    UndoConflict,
    VideoOfDeletedLesson,
    WrongLessonKind,
)
from apps.courses.errors.paths import PathFull, PathNotFound, PathNotReady, TooManyPaths
from apps.courses.errors.people import OnlyForInstructor, RightNotGiven
from apps.courses.errors.questions import DrawTooLarge, QuestionFileInvalid, QuestionInvalid
from apps.courses.errors.versions import (
    DraftClosed,
    NothingToPublish,
    UploadsUnderWay,
    VersionIsPresent,
    VersionNeeded,
    VersionNotKept,
    WatchedChoiceMissing,
)
from studyplatform.kit.errors import Action, AppError

__all__ = [
    "CommentMissing",
    "ContentTreeUnreadable",
    "CorrectionsAreReviewed",
    "CorrectionsTooLong",
    "CourseArchiveUnreadable",
    "CourseChangedMeanwhile",
    "CourseInUse",
    "CourseNotFound",
    "CourseNotReady",
    "CoursePictureUnreadable",
    "CourseUnderReview",
    "DraftClosed",
    "DrawTooLarge",
    "FindingNotFound",
    "FindingRequired",
    "LectureUnavailable",
    "LessonNotOpenYet",
    "LessonOpensTwice",
    "LessonVideoChanged",
    "NotCourseStaff",
    "NothingToCorrect",
    "NothingToPublish",
    "OnlyForInstructor",
    "OutlineFull",
    "OutlineMoved",
    "PastedTextTooLong",
    "PathFull",
    "PathNotFound",
    "PathNotReady",
    "PrerequisitesInCircle",
    "QuestionFileInvalid",
    "QuestionInvalid",
    "RightNotGiven",
    "StillTeaching",
    "TooManyPaths",
    "UndoConflict",
    "UploadsUnderWay",
    "VersionIsPresent",
    "VersionIsReviewed",
    "VersionNeeded",
    "VersionNotKept",
    "VideoNotYours",
    "VideoOfDeletedLesson",
    "VideoShown",
    "WatchedChoiceMissing",
    "WrongCourseStatus",
    "WrongLessonKind",
]


class CourseNotFound(AppError):
    code = "COURSE_NOT_FOUND"
    status = 404
    title = _("Course not found")
    message = _("This course doesn't exist, or you don't have access to it.")
    action = Action(_("Browse courses"), href="/courses/")


class LectureUnavailable(AppError):
    code = "LECTURE_UNAVAILABLE"
    status = 404
    title = _("This lesson isn't available")
    message = _("This lesson isn't available right now. It may still be in preparation, or it may have been removed.")
    severity = "info"
    icon = "info"


@dataclass(eq=False, kw_only=True)
class CourseNotReady(AppError):
    code = "COURSE_NOT_READY"
    status = 409
    title = _("Not ready for review")
    message = _("Before you can submit the course, add %(missing)s.")
    severity = "warning"

    missing: str


@dataclass(eq=False, kw_only=True)
class WrongCourseStatus(AppError):
    code = "COURSE_WRONG_STATUS"
    status = 409
    title = _("Not possible in this status")
    message = _("You can't do that while the course has the status “%(status_now)s”.")
    severity = "warning"

    status_now: str


@dataclass(eq=False, kw_only=True)
class CourseUnderReview(AppError):
    code = "COURSE_UNDER_REVIEW"
    status = 409
    title = _("The course is under review")
    message = _("You can't change a course while it is under review. Withdraw it to make changes.")
    severity = "warning"
    icon = "clock"


@dataclass(eq=False, kw_only=True)
class WrittenByAnotherUser(AppError):
    code = "WRITTEN_BY_ANOTHER_USER"
    status = 403
    title = _("You're signed in as someone else")
    message = _("This was written in another account, so it wasn't saved. Sign in to that account again to save it.")
    severity = "warning"
    icon = "user"


@dataclass(eq=False, kw_only=True)
class CoursePictureUnreadable(AppError):
    code = "COURSE_PICTURE_UNREADABLE"
    status = 422
    title = _("This picture can't be used")
    message = _(
        "Choose a PNG, JPEG or WebP picture of up to %(size)s and at least %(width)s × %(height)s pixels. Photos can"
        " have up to 50 megapixels, others up to 12."
    )
    icon = "image-off"
    is_for_scripts = False

    size: str
    width: int
    height: int


class PastedTextTooLong(AppError):
    code = "PASTED_TEXT_TOO_LONG"
    status = 422
    title = _("This text is too long to paste at once")
    message = _("Nothing was pasted. Copy a part of the document at a time, such as a chapter.")


class VideoShown(AppError):
    code = "VIDEO_SHOWN"
    status = 409
    title = _("A lesson uses this video")
    message = _("A lesson uses this video. Remove it from the lesson first.")


class CourseInUse(AppError):
    code = "COURSE_IN_USE"
    status = 409
    title = _("This course can't be deleted")
    message = _("You can only delete a draft that was never published. Unpublish or archive the course instead.")
    severity = "warning"


class VideoNotYours(AppError):
    code = "VIDEO_NOT_FOUND"
    status = 404
    title = _("Video not found")
    message = _("You don't have a video with this ID.")


class CommentMissing(AppError):
    code = "REVIEW_COMMENT_MISSING"
    status = 400
    title = _("Add a comment")
    message = _("Any decision other than approval needs a comment. Tell the instructor what to change.")


class NotCourseStaff(AppError):
    code = "COURSE_STAFF_ONLY"
    status = 403
    title = _("Not one of your courses")
    message = _("You don't teach this course.")
    icon = "lock"
    leads_to = "/"


@dataclass(eq=False, kw_only=True)
class StillTeaching(AppError):
    code = "STILL_TEACHING"
    status = 409
    title = _("You still teach here")
    message = _("Archive these courses first, or ask us to transfer them to another instructor: %(courses)s.")
    severity = "warning"
    icon = "graduation-cap"
    action = Action(_("Your courses"), href="/dashboard/instructor/courses/")

    courses: str
