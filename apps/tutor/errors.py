"""Refusals of the AI tutor."""

from typing import ClassVar

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError, Severity


class ChatNotFound(AppError):
    code = "CHAT_NOT_FOUND"
    status = 404
    title = _("Chat not found")
    message = _("This chat doesn't exist, or it was deleted.")
    action = Action(_("Open the tutor"), href="/chat/")


class TutorUnavailable(AppError):
    code = "AI_UNAVAILABLE"
    status = 503
    title = _("The tutor isn't available right now")
    message = _("The AI tutor isn't responding. Your question is saved.")
    severity: ClassVar[Severity] = "warning"
    icon = "cloud-off"
    action = Action(_("Try now"), handler="retry")
    retry_delay: ClassVar[int | None] = 15


class TutorOverloaded(TutorUnavailable):
    code = "AI_OVERLOADED"
    title = _("The tutor is busy")
    message = _("Many people are asking right now. Your question is saved, and the tutor will try again.")
    icon = "clock"


class TutorTechnicalError(TutorUnavailable):
    code = "AI_TECHNICAL_ERROR"
    status = 502
    title = _("The tutor ran into a technical problem")
    message = _("Something failed while the tutor was answering. Your question is saved, so you can try again.")
    severity = "error"
    icon = "circle-alert"
    action = Action(_("Try again"), handler="retry")
    retry_delay = None


class ContextTooLong(AppError):
    code = "AI_CONTEXT_TOO_LONG"
    status = 413
    title = _("Too long for the tutor")
    message = _("The tutor can't read this much at once. Shorten your question, or start a new chat for it.")
    severity = "warning"
    icon = "info"


class AnswerWithheld(AppError):
    code = "AI_ANSWER_WITHHELD"
    status = 409
    title = _("Not during a quiz")
    message = _("This answer explains a quiz. Continue it when you can see the quiz's answers.")
    severity = "info"
    icon = "info"


class TutorTurnedOff(AppError):
    code = "AI_TURNED_OFF"
    status = 403
    title = _("This course has no tutor")
    message = _("The instructor has turned the tutor off for this course. You can ask in its discussions.")
    severity = "info"
    icon = "info"


class QuestionRefused(AppError):
    """The tutor doesn't answer such a question: that is its complete answer, and asking again changes nothing."""


class QuestionNotUnderstood(QuestionRefused):
    code = "AI_MISUNDERSTOOD"
    status = 422
    title = _("The tutor didn't understand this")
    message = _("There are no words in your question that the tutor can search for. Ask it in a sentence.")
    severity = "info"
    icon = "info"


class ContentFiltered(QuestionRefused):
    code = "AI_CONTENT_FILTERED"
    status = 422
    title = _("Only questions about the course")
    message = _("The tutor answers only course-related questions.")
    severity = "info"
    icon = "info"
