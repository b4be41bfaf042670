"""Refusals of quizzes and practice."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


class NoAttemptsLeft(AppError):
    code = "QUIZ_NO_ATTEMPTS_LEFT"
    status = 409
    title = _("No attempts left")
    message = _("You've used all your attempts for this quiz. Your best result counts.")
    severity = "info"
    icon = "info"


@dataclass(eq=False, kw_only=True)
class AttemptTooSoon(AppError):
    code = "QUIZ_ATTEMPT_TOO_SOON"
    status = 409
    title = _("Take a short break")
    message = _("You can start your next attempt in %(wait)s. Use the time to review what went wrong.")
    severity = "info"
    icon = "clock"
    durations = ("wait",)

    wait: int = 60


@dataclass(eq=False, kw_only=True)
class AnsweredTooFast(AppError):
    code = "QUIZ_ANSWERED_TOO_FAST"
    status = 409
    title = _("That was very fast")
    message = _("Take a moment to read the questions. Your answers are saved, and you can submit them in %(wait)s.")
    severity = "info"
    icon = "clock"
    durations = ("wait",)

    wait: int = 1


class AttemptClosed(AppError):
    code = "QUIZ_ATTEMPT_CLOSED"
    status = 409
    title = _("Already submitted")
    message = _("This attempt was already submitted with other answers, and its result is final.")
    severity = "info"
    icon = "info"


class QuizTimeOver(AppError):
    code = "QUIZ_TIME_OVER"
    status = 409
    title = _("Time is up")
    message = _("These answers arrived after the time limit, so they don't count.")
    severity = "warning"
    icon = "clock"


@dataclass(eq=False, kw_only=True)
class EssayPointsInvalid(AppError):
    code = "ESSAY_POINTS_INVALID"
    status = 400
    title = _("Check the points")
    message = _("Enter points from 0 to %(points)s, in steps of 0.25.")
    severity = "warning"
    is_for_scripts = False

    points: int


class EssayMarkedMeanwhile(AppError):
    code = "ESSAY_MARKED_MEANWHILE"
    status = 409
    title = _("Someone else marked this answer")
    message = _("Their mark is shown below. Save yours again if it should replace theirs.")
    severity = "warning"
    is_for_scripts = False


class CardNotFound(AppError):
    code = "PRACTICE_CARD_NOT_FOUND"
    status = 404
    title = _("This card is gone")
    message = _("The card was deleted, or its question isn't open to you anymore. Your other cards are still here.")
    severity = "info"
    icon = "info"


@dataclass(eq=False, kw_only=True)
class CardLimitReached(AppError):
    code = "PRACTICE_CARD_LIMIT_REACHED"
    status = 409
    title = _("Too many flash cards")
    message = _("You can keep up to %(limit)s flash cards. Delete some you no longer need.")
    severity = "warning"
    is_for_scripts = False

    limit: int
