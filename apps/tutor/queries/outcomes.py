"""What a learner sees of an answer besides its text: why there is none, or how it ended."""

from datetime import datetime

from django.utils.translation import gettext as _

from apps.tutor.errors import ContentFiltered, TutorTechnicalError, TutorUnavailable
from apps.tutor.models import Answer
from studyplatform.kit.errors import REGISTRY, AppError

_STATUS_AFTER = {TutorUnavailable.code: "offline", "AI_OVERLOADED": "error", TutorTechnicalError.code: "error"}


def error_of(answer: Answer) -> AppError | None:
    """Return the error of the catalog that an answer ended with; a failed answer always has one."""
    code = answer.error_code
    if answer.kind == Answer.Kind.FILTERED:
        code = code or ContentFiltered.code
    elif answer.state == Answer.State.FAILED:
        code = code or TutorTechnicalError.code
    if not code:
        return None
    try:
        return REGISTRY.get(code, TutorTechnicalError)()
    except TypeError:  # it has params, which are not kept
        return TutorTechnicalError()


def note_of(answer: Answer, now: datetime) -> str:
    """Return the sentence below the text of an answer; "" if it needs none."""
    state = answer.state_at(now)
    if state == Answer.State.STOPPED:
        return _("You stopped this answer.")
    if state == Answer.State.INTERRUPTED:
        return _("This answer was interrupted.")
    if state == Answer.State.FINISHED and answer.kind == Answer.Kind.OUTSIDE:
        return _("This isn't from the course. Check it against another source.")
    if state == Answer.State.FINISHED and not answer.text.strip() and error_of(answer) is None:
        return _("There is no answer.")
    return ""


def status_after(error_code: str | None) -> str:
    """Return the status of the tutor after an answer with this error: a question that it refuses is no failure."""
    return _STATUS_AFTER.get(error_code or "", "online")
