"""Mark a learner's answers, in the shapes of ``parsing``."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from apps.courses.models import Question
from apps.learning.quizzes.parsing import MAX_LENGTH as MAX_LENGTH
from apps.learning.quizzes.parsing import Answer as Answer
from apps.learning.quizzes.parsing import Malformed as Malformed
from apps.learning.quizzes.parsing import read as read
from apps.learning.quizzes.parsing import read_all as read_all
from apps.learning.quizzes.parsing import read_question_number as read_question_number
from apps.learning.quizzes.parsing import value_of as value_of
from studyplatform.kit.text.comparison import is_same_answer

Kind = Question.Kind


@dataclass(frozen=True)
class Mark:
    """The right share of an answer, from 0 to 1; ``is_open`` if there was no answer.

    With ``is_waiting`` a person has to mark it, and its share is not known yet.
    """

    share: Fraction
    is_open: bool = False
    is_waiting: bool = False

    @property
    def verdict(self) -> str:
        if self.is_open:
            return "open"
        if self.is_waiting:
            return "waiting"
        if self.share == 1:
            return "right"
        return "partly" if self.share else "wrong"


def mark(question: Question, answer: Answer | None) -> Mark:
    """Mark an answer that ``read`` has accepted.

    Multiple choice, ordering, matching and gaps earn partial credit, unless the question is ``all_or_nothing``; single
    choice and short text where their author gave an answer a part of the points.
    """
    if answer is None:
        return Mark(Fraction(0), is_open=True)
    kind = Kind(question.kind)
    if kind is Kind.ESSAY:
        return Mark(Fraction(0), is_waiting=True)
    if kind is Kind.MULTIPLE:
        share = _mark_multiple(question.answer, answer, len(question.options))
    elif kind is Kind.NUMERIC:
        share = _mark_numeric(question, answer)
    elif kind is Kind.TEXT:
        share = _mark_text(question, answer)
    elif kind is Kind.GAPS:
        share = _mark_gaps(question, answer)
    else:
        share = _MARKERS[kind](question.answer, answer)
    return Mark(_whole(share == 1) if question.all_or_nothing else share)


def _whole(right: bool) -> Fraction:  # noqa: FBT001 (a helper with one argument)
    return Fraction(int(right))


def _mark_single(key: Answer, answer: Answer) -> Fraction:
    return Fraction(1) if answer["id"] == key["id"] else Fraction(key.get("shares", {}).get(answer["id"], 0))


def _mark_multiple(key: Answer, answer: Answer, options: int) -> Fraction:
    """Mark a multiple choice with ``options`` choices, r of them right and w wrong.

    Each right choice earns 1/r, and each wrong one subtracts the larger of 1/r and 1/w; the result is at least 0. So
    choosing everything earns nothing, and neither does one right choice with one wrong.
    """
    right, chosen = set(key["ids"]), set(answer["ids"])
    if not right:
        return _whole(not chosen)
    wrong = max(1, options - len(right))
    lost = len(chosen - right) * max(Fraction(1, len(right)), Fraction(1, wrong))
    return max(Fraction(0), Fraction(len(chosen & right), len(right)) - lost)


def _mark_truth(key: Answer, answer: Answer) -> Fraction:
    return _whole(answer["value"] is bool(key["value"]))


def _mark_numeric(question: Question, answer: Answer) -> Fraction:
    low, high = question.accepted_range
    return _whole(low <= value_of(answer) <= high)


def _mark_text(question: Question, answer: Answer) -> Fraction:
    """What is accepted earns all points. Of several other answers that are recognized, the best one counts."""
    strictness, given = question.strictness, answer["text"]
    if any(is_same_answer(given, one, strictness) for one in question.answer["accepted"]):
        return Fraction(1)
    partly = question.answer.get("partly", [])
    recognized = [Fraction(one["share"]) for one in partly if is_same_answer(given, one["text"], strictness)]
    return max(recognized, default=Fraction(0))


def _mark_ordering(key: Answer, answer: Answer) -> Fraction:
    """Each step in its right place earns an equal share: a guess expects one step's worth."""
    order = key["ids"]
    return Fraction(sum(a == b for a, b in zip(answer["ids"], order, strict=True)), len(order))


def _mark_matching(key: Answer, answer: Answer) -> Fraction:
    """Each right side that belongs to some line earns an equal share, which its lines divide among them.

    So one right side for all lines earns no more than a guess, however many lines it belongs to. Where each line has
    its own right side, each right pair earns an equal share.
    """
    pairs = key["pairs"]
    lines = Counter(pairs.values())
    right = Counter(partner for left, partner in pairs.items() if answer["pairs"].get(left) == partner)
    return sum((Fraction(right[one], count) for one, count in lines.items()), Fraction(0)) / len(lines)


def _mark_gaps(question: Question, answer: Answer) -> Fraction:
    """Each gap is marked by the rules of its own kind, and earns its points."""
    gaps = question.gaps
    earned = sum((mark(gap, answer["gaps"].get(str(gap.position))).share * gap.points for gap in gaps), Fraction(0))
    return earned / sum(gap.points for gap in gaps)


_MARKERS: dict[Kind, Callable[[Answer, Answer], Fraction]] = {
    Kind.SINGLE: _mark_single,
    Kind.TRUTH: _mark_truth,
    Kind.ORDERING: _mark_ordering,
    Kind.MATCHING: _mark_matching,
}


def shuffled(options: list[dict[str, str]], *, seed: str, unlike: list[str] | None = None) -> list[dict[str, str]]:
    """Return the options in a random order that depends only on the seed, so a reload shows the same order.

    ``unlike`` is an order that is never returned: the steps of an ordering must not appear solved.
    """
    order = list(options)
    draw = random.Random(seed)  # noqa: S311 (the order of options is no secret)
    draw.shuffle(order)
    if unlike is not None and len(order) > 1 and [str(option["id"]) for option in order] == unlike:
        order.append(order.pop(0))
    return order
