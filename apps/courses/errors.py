"""Refusals of the catalogue and of authoring."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


class CourseNotFound(AppError):
    code = "COURSE_NOT_FOUND"
    status = 404
    title = _("Course not found")
    message = _("This course does not exist, or it is not open to you.")
    action = Action(_("Browse courses"), href="/courses/")


class LectureUnavailable(AppError):
    code = "LECTURE_UNAVAILABLE"
    status = 404
    title = _("This lesson is not available")
    message = _("This lesson is not available right now. It may still be in preparation, or it was taken out.")
    severity = "info"
    icon = "info"


@dataclass(eq=False, kw_only=True)
class CourseNotReady(AppError):
    code = "COURSE_NOT_READY"
    status = 409
    title = _("Not ready for review")
    message = _("Before the course can be submitted: %(missing)s.")
    severity = "warning"

    missing: str


@dataclass(eq=False, kw_only=True)
class WrongCourseStatus(AppError):
    code = "COURSE_WRONG_STATUS"
    status = 409
    title = _("Not possible in this status")
    message = _("That cannot be done with a course in the status “%(status_now)s”.")
    severity = "warning"

    status_now: str


@dataclass(eq=False, kw_only=True)
class CourseUnderReview(AppError):
    code = "COURSE_UNDER_REVIEW"
    status = 409
    title = _("The course is under review")
    message = _("While a course is under review it stays as it is. Withdraw it to change something.")
    severity = "warning"
    icon = "clock"


class VideoShown(AppError):
    code = "VIDEO_SHOWN"
    status = 409
    title = _("A lesson shows this video")
    message = _("A lesson shows this video. Take it out of the lesson first.")


class CourseInUse(AppError):
    code = "COURSE_IN_USE"
    status = 409
    title = _("This course cannot be deleted")
    message = _("Only a draft that was never published can be deleted. Unpublish or archive it instead.")
    severity = "warning"


class LessonInUse(AppError):
    code = "LESSON_IN_USE"
    status = 409
    title = _("Learners have worked on this")
    message = _("Learners have handed in quizzes here, and their results are kept. Move or rename it instead.")
    severity = "warning"


@dataclass(eq=False, kw_only=True)
class OutlineFull(AppError):
    code = "COURSE_OUTLINE_FULL"
    status = 409
    title = _("The course is full")
    message = _("A course holds at most %(limit)s of these.")
    severity = "warning"

    limit: int


@dataclass(eq=False, kw_only=True)
class QuestionInvalid(AppError):
    code = "QUIZ_QUESTION_INVALID"
    status = 400
    title = _("The question is not complete")
    message = _("%(problem)s")

    problem: str
    field: str = ""


class VideoNotYours(AppError):
    code = "VIDEO_NOT_FOUND"
    status = 404
    title = _("Video not found")
    message = _("There is no such video among yours.")


class CommentMissing(AppError):
    code = "REVIEW_COMMENT_MISSING"
    status = 400
    title = _("Say why")
    message = _("Tell the instructor what to change: a decision other than approval needs a comment.")


class WrongLessonKind(AppError):
    code = "LESSON_WRONG_KIND"
    status = 409
    title = _("Not that kind of lesson")
    message = _("Only a video lesson shows a video, and only a file lesson hands out a file.")
    severity = "warning"


@dataclass(eq=False, kw_only=True)
class PrerequisitesInCircle(AppError):
    code = "LESSON_PREREQUISITES_IN_CIRCLE"
    status = 409
    title = _("These lessons would wait for each other")
    message = _("“%(lesson)s” cannot come first: it already waits for this lesson. Nobody could open either of them.")
    severity = "warning"

    lesson: str


class NotCourseStaff(AppError):
    code = "COURSE_STAFF_ONLY"
    status = 403
    title = _("Not one of your courses")
    message = _("This course is not among those you teach.")
    icon = "lock"
    leads_to = "/"


@dataclass(eq=False, kw_only=True)
class StillTeaching(AppError):
    code = "STILL_TEACHING"
    status = 409
    title = _("You still teach here")
    message = _("Archive your courses first, or ask us to give them to another instructor: %(courses)s.")
    severity = "warning"
    icon = "graduation-cap"
    action = Action(_("Your courses"), href="/dashboard/instructor/courses/")

    courses: str
