"""A question for its author, as an open attempt shows it."""

from typing import Any

from django.template.loader import get_template
from markupsafe import Markup

from apps.courses.models import Question
from apps.learning.quizzes.presentation import question_out
from studyplatform.kit.web.jinja import register


@register("question_preview")
def question_preview(question: Question) -> Markup:
    """Return a question as an open attempt shows it, for its author. Its fields are not sent anywhere."""
    shown = question_out(question, seed="preview")
    macros: Any = get_template("learning/_quiz.html").template.module  # type: ignore[attr-defined]
    heading = macros.ask_question(shown, "preview-ask", "h3")
    field = macros.answer_field(shown, "preview", {}, "preview-ask")
    return Markup('<section class="question">%s%s</section>') % (heading, field)
