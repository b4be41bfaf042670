"""The texts of questions as HTML: the one place that decides how prompts and choices are rendered."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.utils.html import escape
from django.utils.translation import gettext as _
from markupsafe import Markup

from apps.courses.models import Question
from apps.learning.quizzes.results import plain_number
from studyplatform.kit.text import content
from studyplatform.kit.text.gaps import render_gaps
from studyplatform.kit.web.jinja import register

_LOOKS = {True: " is-right", False: " is-wrong", None: ""}


def text_html(text: str) -> str:
    """Return the HTML of what asks: a phrase, or paragraphs, lists and tables."""
    return str(_render_prompt(text))


def choice_html(text: str) -> str:
    """Return the HTML of a choice, a step or one side of a pair."""
    return str(content.render(text, content.CHOICE))


def explanation_html(text: str) -> str:
    """Return the HTML of an explanation or a model answer."""
    return str(content.render(text, content.EXPLANATION))


def feedback_html(text: str) -> str:
    """Return the HTML of the feedback on a wrong choice."""
    return str(content.render(text, content.FEEDBACK))


def _render_prompt(text: str) -> Markup:
    return content.render(text, content.PROMPT)


def prompt_html(question: Question) -> str:
    """Return the HTML of what a question asks. In a text with gaps, ``<span data-gap="2">`` is the place of a field."""
    if question.kind != Question.Kind.GAPS:
        return text_html(question.prompt)
    return str(render_gaps(question.prompt, _render_prompt, _slot))


def _slot(number: int) -> Markup:
    return Markup('<span class="gap" data-gap="%s"></span>') % number


def filled_html(prompt: str, lines: Sequence[Mapping[str, Any]]) -> str:
    """Return the HTML of a text with gaps as it was answered. ``lines`` are those of its stored result."""
    by_number = {int(line["text"]): (place, line) for place, line in enumerate(lines, start=1)}

    def show(number: int) -> Markup:
        if number not in by_number:
            return Markup("[[%s]]") % number
        place, line = by_number[number]
        look = _LOOKS[line["is_right"]] if line["is_chosen"] else ""
        text = Markup(chosen_html(line)) if line["is_chosen"] else ""  # noqa: S704 (sanitized or escaped)
        return Markup('<span class="gap gap--filled%s"><span class="gap__n">%s</span>%s</span>') % (look, place, text)

    return str(render_gaps(prompt, _render_prompt, show))


def chosen_html(line: Mapping[str, Any]) -> str:
    """Return the HTML of what was chosen: what a learner typed into a gap is no Markdown."""
    return choice_html(line["chosen"]) if line.get("is_choice", True) else escape(line["chosen"])


def right_html(line: Mapping[str, Any]) -> str:
    """Return the HTML of what is right on a line; empty while it is hidden."""
    return choice_html(line["right"]) if line.get("is_choice", True) else escape(line["right"])


def gap_name(place: int, total: int) -> str:
    """Return how a field of a text with gaps is called: by its place in the text."""
    return _("Gap %(place)d of %(total)d") % {"place": place, "total": total}


@register("fill_gaps")
def fill_gaps(html: str, fields: Mapping[str, str]) -> Markup:
    """Return the text of a question with gaps, with its fields in their places. ``fields`` are HTML by number."""
    for number, field in fields.items():
        slot = f'<span class="gap" data-gap="{number}">'
        html = html.replace(f"{slot}</span>", f"{slot}{field}</span>", 1)
    return Markup(html)  # noqa: S704 (the text is sanitized, the fields come from a macro)


@register("plain_points")
def plain_points(points: Decimal) -> str:
    """Return points without trailing zeros: 2.50 -> "2.5"."""
    return plain_number(points)
