"""Answers without a language model: the best passages, quoted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from studyplatform.kit.text.escaping import escape_markdown

if TYPE_CHECKING:
    from apps.tutor.retrieval.search import Found

QUOTED = 3
"""Passages that an answer quotes at most."""
CLOSE = 0.82
"""A further passage is quoted if its score is at least this part of the best one's."""
# An answer is declined where too little speaks for the best passages: a logistic regression on the questions of
# tests/bench/tutor (ADR 33 has its figures on courses that it was not fitted on). How near one word of the question is
# by itself counts against it: a near miss shares a word with the course, an answered question is near as a whole.
SIMILARITY, SCORE, MISSING, NEAREST_WORD, LEAST = 1.0, 0.48, -0.21, -0.91, 0.146


@dataclass(frozen=True)
class Answer:
    """``text`` is Markdown; ``[1]`` in it is the first of the passages that it cites."""

    text: str
    cited: "tuple[Found, ...]"
    is_declined: bool


def is_answered(found: "Sequence[Found]") -> bool:
    """Return whether the best passages are near enough to the question to answer it."""
    if not found:
        return False
    best, similarity = found[0], max(one.similarity for one in found)
    support = SIMILARITY * similarity + SCORE * best.reached + MISSING * best.missing + NEAREST_WORD * best.nearest_word
    return support >= LEAST


def quote(found: "Sequence[Found]") -> Answer:
    """Answer by quoting passages, the best first; or say that the course doesn't answer the question."""
    if not is_answered(found):
        return Answer(_("I couldn't find this in the course."), (), is_declined=True)
    best = found[0].score
    cited = tuple(one for one in found[:QUOTED] if one is found[0] or one.score >= CLOSE * best)
    intro = _("I search the course and quote it; I'm not a language model. This is what I found:")
    quotes = [f"> {escape_markdown(one.text)} [{number}]" for number, one in enumerate(cited, start=1)]
    return Answer("\n\n".join([intro, *quotes]), cited, is_declined=False)
