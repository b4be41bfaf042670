"""Answers without a language model: the best passages, quoted."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from studyplatform.kit.text.escaping import escape_markdown

if TYPE_CHECKING:
    from apps.tutor.retrieval.search import Found

MAX_QUOTED_PASSAGES = 3
"""Passages that an answer quotes at most."""
MIN_SHARE_OF_BEST_SCORE = 0.82
"""A further passage is quoted if its score is at least this part of the best one's; if nothing is sure, any is."""
# How much speaks for the best passages: a logistic regression on the questions of tests/bench/tutor (ADR 33 has its
# figures on courses that it was not fitted on). How near one word of the question is by itself counts against them: a
# near miss shares a word with the course, an answered question is near as a whole.
SIMILARITY_WEIGHT, SCORE_WEIGHT, MISSING_WEIGHT, NEAREST_WORD_WEIGHT = 1.0, 0.45, -0.21, -0.91
MIN_SUPPORT_POSSIBLE, MIN_SUPPORT_CERTAIN = 0.025, 0.2
# A question may be nearer to what people ask anywhere (the weather, a recipe) than to the course.
EVERYDAY_WEIGHT, MIN_RELATEDNESS = -0.73, 0.07


class Certainty(StrEnum):
    """Whether passages answer a question."""

    CERTAIN = "certain"
    POSSIBLE = "possible"
    """They are shown as what may be meant."""
    NONE = "none"


@dataclass(frozen=True)
class Answer:
    """``text`` is Markdown; ``[1]`` in it is the first of the passages that it cites."""

    text: str
    cited: "tuple[Found, ...]"
    certainty: Certainty

    @property
    def is_declined(self) -> bool:
        return self.certainty == Certainty.NONE


def certainty_of(found: "Sequence[Found]") -> Certainty:
    """Return whether the best passages are near enough to the question to answer it."""
    if not found:
        return Certainty.NONE
    best, similarity = found[0], max(one.similarity for one in found)
    support = (
        SIMILARITY_WEIGHT * similarity
        + SCORE_WEIGHT * best.reached
        + MISSING_WEIGHT * best.missing
        + NEAREST_WORD_WEIGHT * best.nearest_word
    )
    if support < MIN_SUPPORT_POSSIBLE or similarity + EVERYDAY_WEIGHT * best.everyday < MIN_RELATEDNESS:
        return Certainty.NONE
    return Certainty.CERTAIN if support >= MIN_SUPPORT_CERTAIN else Certainty.POSSIBLE


def is_declined(found: "Sequence[Found]") -> bool:
    """Return whether nothing that was found may answer the question."""
    return certainty_of(found) == Certainty.NONE


def introduce(certainty: Certainty) -> str:
    """Return the sentence before quoted passages."""
    if certainty == Certainty.POSSIBLE:
        return _("I'm not sure the course answers this. This may be what you mean:")
    return _("I search the course and quote it; I'm not a language model. This is what I found:")


def choose_quoted(found: "Sequence[Found]", certainty: Certainty) -> "tuple[Found, ...]":
    """Return the passages to quote: those that are nearly as good as the best, or the first few if nothing is sure."""
    best, is_sure = found[0].score, certainty == Certainty.CERTAIN
    least = MIN_SHARE_OF_BEST_SCORE * best if is_sure else float("-inf")
    return tuple(one for one in found[:MAX_QUOTED_PASSAGES] if one is found[0] or one.score >= least)


def quote(found: "Sequence[Found]") -> Answer:
    """Answer by quoting passages, the best first; or say that the course doesn't answer the question."""
    certainty = certainty_of(found)
    if certainty == Certainty.NONE:
        return Answer(_("I couldn't find this in the course."), (), certainty)
    cited = choose_quoted(found, certainty)
    quotes = [f"> {escape_markdown(one.text)} [{number}]" for number, one in enumerate(cited, start=1)]
    return Answer("\n\n".join([introduce(certainty), *quotes]), cited, certainty)
