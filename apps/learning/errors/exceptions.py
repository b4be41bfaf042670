"""Refusals of exceptions from the rules of quizzes."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


@dataclass(eq=False, kw_only=True)
class ExtraTimeInvalid(AppError):
    code = "EXTRA_TIME_INVALID"
    status = 400
    title = _("Check the time")
    message = _("Enter 1 to %(minutes)s minutes, 1 to %(percent)s percent, or choose no time limit.")
    severity = "warning"
    is_for_scripts = False

    minutes: int
    percent: int


@dataclass(eq=False, kw_only=True)
class ExtraAttemptsInvalid(AppError):
    code = "EXTRA_ATTEMPTS_INVALID"
    status = 400
    title = _("Check the number of attempts")
    message = _("Enter 1 to %(most)s more attempts.")
    severity = "warning"
    is_for_scripts = False

    most: int


@dataclass(eq=False, kw_only=True)
class ExtraAttemptsTooMany(AppError):
    code = "EXTRA_ATTEMPTS_TOO_MANY"
    status = 409
    title = _("Too many extra attempts")
    message = _("%(learner)s has %(present)s extra attempts at this quiz already. Together they can be up to %(most)s.")
    severity = "warning"
    is_for_scripts = False

    learner: str
    present: int
    most: int


@dataclass(eq=False, kw_only=True)
class TooManyLearnersAtOnce(AppError):
    code = "TOO_MANY_LEARNERS_AT_ONCE"
    status = 400
    title = _("Too many learners at once")
    message = _("You can grant this to up to %(most)s learners at once. Choose fewer.")
    severity = "warning"
    is_for_scripts = False

    most: int


@dataclass(eq=False, kw_only=True)
class QuizHasNoTimeLimit(AppError):
    code = "QUIZ_HAS_NO_TIME_LIMIT"
    status = 409
    title = _("This quiz has no time limit")
    message = _("“%(quiz)s” can take as long as learners like, so there is no time to add.")
    severity = "info"
    icon = "info"
    is_for_scripts = False

    quiz: str


@dataclass(eq=False, kw_only=True)
class QuizHasNoAttemptLimit(AppError):
    code = "QUIZ_HAS_NO_ATTEMPT_LIMIT"
    status = 409
    title = _("Attempts are unlimited")
    message = _("“%(quiz)s” can be taken as often as learners like, so there are no attempts to add.")
    severity = "info"
    icon = "info"
    is_for_scripts = False

    quiz: str


@dataclass(eq=False, kw_only=True)
class ExtraTimeKnown(AppError):
    code = "EXTRA_TIME_KNOWN"
    status = 409
    title = _("Nothing would change")
    message = _(
        "%(learner)s has at least as much extra time already. The most generous counts, so enter more than that."
    )
    severity = "info"
    icon = "info"
    is_for_scripts = False

    learner: str


@dataclass(eq=False, kw_only=True)
class NothingToReopen(AppError):
    code = "NOTHING_TO_REOPEN"
    status = 409
    title = _("There is nothing to reopen")
    message = _("%(learner)s has no submitted attempt at this quiz that can be continued.")
    severity = "info"
    icon = "info"
    is_for_scripts = False

    learner: str


@dataclass(eq=False, kw_only=True)
class AttemptStillOpen(AppError):
    code = "ATTEMPT_STILL_OPEN"
    status = 409
    title = _("An attempt is open")
    message = _("%(learner)s has an open attempt at this quiz. Give extra time instead.")
    severity = "info"
    icon = "info"
    is_for_scripts = False

    learner: str


@dataclass(eq=False, kw_only=True)
class AttemptReopenedAlready(AppError):
    code = "ATTEMPT_REOPENED_ALREADY"
    status = 409
    title = _("Already reopened")
    message = _("%(learner)s can continue the last attempt already. To change its time, take that back first.")
    severity = "info"
    icon = "info"
    is_for_scripts = False

    learner: str


@dataclass(eq=False, kw_only=True)
class AttemptContinued(AppError):
    code = "ATTEMPT_CONTINUED"
    status = 409
    title = _("Too late to take it back")
    message = _("%(learner)s has continued the attempt already. The result it had before is kept.")
    severity = "info"
    icon = "info"
    is_for_scripts = False

    learner: str
