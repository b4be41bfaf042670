"""Refusals of questions: what is missing in one, or wrong with a file of them."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


@dataclass(eq=False, kw_only=True)
class QuestionInvalid(AppError):
    code = "QUIZ_QUESTION_INVALID"
    status = 400
    title = _("This question isn't complete")
    message = _("%(problem)s")

    problem: str
    field: str = ""


@dataclass(eq=False, kw_only=True)
class QuestionFileInvalid(AppError):
    code = "QUESTION_FILE_INVALID"
    status = 422
    title = _("This file can't be imported")
    message = _("%(problem)s")
    is_for_scripts = False

    problem: str


@dataclass(eq=False, kw_only=True)
class DrawTooLarge(AppError):
    code = "QUIZ_DRAW_TOO_LARGE"
    status = 400
    title = _("Not enough questions")
    message = _("An attempt can't draw more questions than the quiz has (%(pool)s).")
    severity = "warning"
    is_for_scripts = False

    pool: int
