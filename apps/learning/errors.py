"""Refusals on the way through a course."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


@dataclass(eq=False, kw_only=True)
class NotEnrolled(AppError):
    code = "ENROLLMENT_REQUIRED"
    status = 403
    title = _("Enroll to open this lesson")
    message = _("This lesson is open to learners enrolled in “%(course)s”.")
    severity = "warning"
    icon = "lock"
    action = Action(_("Enroll now"), href="/courses/{slug}")

    course: str = ""
    slug: str = ""


@dataclass(eq=False, kw_only=True)
class PrerequisiteNotMet(AppError):
    code = "PREREQUISITE_NOT_MET"
    status = 403
    title = _("Not open yet")
    message = _("This lesson opens when “%(lesson)s” is complete.")
    severity = "warning"
    icon = "lock"
    action = Action(_("Go to the previous lesson"), href="/course/lessons?course={course}")

    lesson: str = ""
    course: str = ""


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
    message = _("“%(course)s” takes no new learners at the moment.")
    severity = "info"
    icon = "info"

    course: str


@dataclass(eq=False, kw_only=True)
class PaymentRequired(AppError):
    code = "PAYMENT_REQUIRED"
    status = 402
    title = _("This course is not free")
    message = _("“%(course)s” is a paid course; its preview lessons are open to everyone.")
    severity = "info"
    icon = "credit-card"

    course: str


class NoAttemptsLeft(AppError):
    code = "QUIZ_NO_ATTEMPTS_LEFT"
    status = 409
    title = _("No tries left")
    message = _("You have used every try this quiz allows. Your best result counts.")
    severity = "info"
    icon = "info"


class AttemptClosed(AppError):
    code = "QUIZ_ATTEMPT_CLOSED"
    status = 409
    title = _("Already handed in")
    message = _("This try was already handed in with other answers. Its result stands.")
    severity = "info"
    icon = "info"


class LessonCompletesItself(AppError):
    code = "LESSON_COMPLETES_ITSELF"
    status = 409
    title = _("Nothing to mark here")
    message = _("A video is complete when 90% of it was watched, a quiz when it is passed.")
    severity = "info"
    icon = "info"


class QuizTimeOver(AppError):
    code = "QUIZ_TIME_OVER"
    status = 409
    title = _("The time is over")
    message = _("These answers arrived after the time of this try was over, so it counts without them.")
    severity = "warning"
    icon = "clock"


class CertificateUnknown(AppError):
    code = "CERTIFICATE_UNKNOWN"
    status = 404
    title = _("No such certificate")
    message = _("No certificate was issued with this code. Check it letter by letter: it has no 0, O, 1, I or L.")
    icon = "search"
    action = Action(_("Verify another code"), href="/certificates/")
