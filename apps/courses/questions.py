"""Build the columns of a question from an instructor's form, and validate them.

The shapes are those of ``models.Question``. Choices keep their ids when they are edited, so that earlier attempts stay
readable.
"""

from collections.abc import Callable

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.courses.errors import QuestionInvalid
from apps.courses.models import Question
from apps.courses.question_fields import IDS as IDS
from apps.courses.question_fields import MAX_ACCEPTED_TEXTS as MAX_ACCEPTED_TEXTS
from apps.courses.question_fields import MAX_CHOICES as MAX_CHOICES
from apps.courses.question_fields import REMARK_LIMIT as REMARK_LIMIT
from apps.courses.question_fields import TEXT_LIMIT as TEXT_LIMIT
from apps.courses.question_fields import (
    as_options,
    build_multiple,
    build_numeric,
    build_shares,
    build_single,
    build_text,
    build_truth,
    join_lines,
    normalize_choice,
    read_lines,
)
from apps.courses.question_fields import shuffle_ids as shuffle_ids
from apps.courses.question_parts import USUAL_ESSAY_LENGTH as USUAL_ESSAY_LENGTH
from apps.courses.question_parts import Answers as Answers
from apps.courses.question_parts import Choice as Choice
from apps.courses.question_parts import Columns as Columns
from apps.courses.question_parts import Gap as Gap
from apps.courses.question_parts import PartAnswer as PartAnswer
from apps.courses.shares import FULL, read_share, split_share
from studyplatform.kit.text import content
from studyplatform.kit.text.gaps import find_gaps, find_misplaced_gaps

MAX_GAPS = 20
MIN_ESSAY_LENGTH, MAX_ESSAY_LENGTH = 50, 20_000  # code points
MAX_POINTS = 100
NO_PROMPT = gettext_lazy("Enter a question.")


def build(kind: str, answers: Answers, *, prompt: str = "") -> Columns:
    """Build options, answer and remarks. ``prompt`` counts for a text with gaps, whose marks it has.

    :raises QuestionInvalid: the question is incomplete; ``problem`` tells its author what is missing.
    """
    if kind == Question.Kind.GAPS:
        return _gaps(answers, prompt)
    return _BUILDERS[Question.Kind(kind)](answers)


def _ordering(answers: Answers) -> Columns:
    lines = read_lines(answers, 2, mix=True)
    ids = [line.id for line in lines]
    texts = {line.id: line.text for line in lines}
    shown = shuffle_ids(ids)
    return Columns([{"id": one, "text": texts[one]} for one in shown], {"ids": ids}, {})


def _matching(answers: Answers) -> Columns:
    lines = read_lines(answers, 2, mix=True)
    if any(not line.partner for line in lines):
        raise QuestionInvalid(problem=_("Enter the right side of every pair."), field="choices")
    partners = {normalize_choice(line.partner): line.partner for line in lines}
    extra = [
        join_lines(one.partner)[:TEXT_LIMIT] for one in answers.choices if not one.text.strip() and one.partner.strip()
    ]
    if len(lines) + len(extra) > MAX_CHOICES:
        raise QuestionInvalid(problem=_("A question can have up to %d lines.") % MAX_CHOICES, field="choices")
    for text in extra:
        if normalize_choice(text) in partners:
            problem = _("“%s” is already a right side. A right side without a line must be a different one.")
            raise QuestionInvalid(problem=problem % text[:40], field="choices")
        partners[normalize_choice(text)] = text
    if len(partners) < 2:
        raise QuestionInvalid(problem=_("Enter at least two different right sides."), field="choices")
    places = shuffle_ids([str(place) for place in range(1, len(partners) + 1)])
    place_of = dict(zip(partners, places, strict=True))
    pairs = {line.id: place_of[normalize_choice(line.partner)] for line in lines}
    texts = {place_of[seen]: text for seen, text in partners.items()}
    options = {"left": as_options(lines), "right": [{"id": one, "text": texts[one]} for one in sorted(texts, key=int)]}
    return Columns(options, {"pairs": pairs}, {})


def _gaps(answers: Answers, prompt: str) -> Columns:
    """Build a text with gaps. The problems name the gap by the number of its mark."""
    if len(answers.gaps) > 2 * MAX_GAPS:
        raise QuestionInvalid(problem=_("A text can have up to %d gaps.") % MAX_GAPS, field="gaps")
    marks = find_gaps(prompt)
    if not marks:
        problem = _("Mark the gaps in the text: write [[1]] where the first one belongs, [[2]] for the second.")
        raise QuestionInvalid(problem=problem, field="prompt")
    if len(marks) > MAX_GAPS or max(marks) > MAX_GAPS:
        raise QuestionInvalid(problem=_("A text can have up to %d gaps.") % MAX_GAPS, field="prompt")
    if twice := next((one for one in marks if marks.count(one) > 1), None):
        problem = _("[[%(number)d]] is in the text twice. Give each gap its own number.")
        raise QuestionInvalid(problem=problem % {"number": twice}, field="prompt")
    if misplaced := find_misplaced_gaps(prompt, lambda text: content.render(text, content.PROMPT)):
        problem = _("[[%(number)d]] is in a formula or an address, where no field can be. Put it in the text.")
        raise QuestionInvalid(problem=problem % {"number": misplaced[0]}, field="prompt")
    by_number = dict(enumerate(answers.gaps, start=1))
    unused = next((one for one, gap in by_number.items() if not gap.is_empty and one not in marks), None)
    if unused is not None:
        problem = _("Gap %(number)d isn't in the text. Write [[%(number)d]] where it belongs.")
        raise QuestionInvalid(problem=problem % {"number": unused}, field="gaps")
    fields, key = [], {}
    for mark in marks:
        gap = by_number.get(mark, Gap())
        try:
            columns = _gap(gap, answers.language)
        except QuestionInvalid as refusal:
            problem = _("Gap %(number)d: %(problem)s") % {"number": mark, "problem": refusal.problem}
            raise QuestionInvalid(problem=problem, field="gaps") from None
        fields.append({"number": mark, "kind": gap.kind, "points": gap.points, "options": columns.options})
        key[str(mark)] = columns.answer
    points = sum(gap["points"] for gap in fields)
    if points > MAX_POINTS:
        raise QuestionInvalid(problem=_("A question can have up to %d points.") % MAX_POINTS, field="gaps")
    return Columns({"gaps": fields}, {"gaps": key}, {}, points=points)


def _gap(gap: Gap, language: str) -> Columns:
    """Build one field as the question of its kind is built."""
    if gap.is_empty:
        raise QuestionInvalid(problem=_("Enter its answer."), field="gaps")
    if not 1 <= gap.points <= MAX_POINTS:
        raise QuestionInvalid(problem=_("Enter points from 1 to %d.") % MAX_POINTS, field="gaps")
    lines = [line for line in gap.lines if line.strip()]
    match gap.kind:
        case Question.Kind.SINGLE:
            split = [split_share(line) for line in lines]
            if split[0][0] and read_share(split[0][0], field_name="gaps") != FULL:
                raise QuestionInvalid(problem=_("Write the correct choice first, without a percentage."), field="gaps")
            choices = read_lines(
                Answers(choices=[Choice(text=text, share=share) for share, text in split]), 2, mix=True
            )
            shares = {one.id: read_share(one.share, field_name="gaps") for one in choices[1:]}
            # The correct one comes first in the form: the order in which choices are stored is that of random ids.
            shown = sorted(as_options(choices), key=lambda one: one["id"])
            return Columns(shown, {"id": choices[0].id, **build_shares(shares)}, {})
        case Question.Kind.NUMERIC:
            if len(lines) > 1:
                raise QuestionInvalid(problem=_("Enter one number."), field="gaps")
            return build_numeric(Answers(number=lines[0], tolerance=gap.tolerance, unit=gap.unit))
        case Question.Kind.TEXT:
            if len(lines) > MAX_ACCEPTED_TEXTS:
                raise QuestionInvalid(problem=_("Enter up to %d accepted answers.") % MAX_ACCEPTED_TEXTS, field="gaps")
            split = [split_share(line) for line in lines]
            worth = [FULL if not share else read_share(share, field_name="gaps") for share, _text_of_line in split]
            return build_text(
                Answers(
                    accepted=[text for (_share, text), one in zip(split, worth, strict=True) if one == FULL],
                    partly=[
                        PartAnswer(text=text, share=share)
                        for (share, text), one in zip(split, worth, strict=True)
                        if one != FULL
                    ],
                    language=language,
                    ignores_accents=gap.ignores_accents,
                    is_case_sensitive=gap.is_case_sensitive,
                    has_wildcards=gap.has_wildcards,
                )
            )
    raise QuestionInvalid(problem=_("Choose what it asks for."), field="gaps")


def _essay(answers: Answers) -> Columns:
    limit = answers.essay_limit
    if limit is None or not MIN_ESSAY_LENGTH <= limit <= MAX_ESSAY_LENGTH:
        problem = _("Enter a limit from %(least)d to %(most)d characters.")
        raise QuestionInvalid(problem=problem % {"least": MIN_ESSAY_LENGTH, "most": MAX_ESSAY_LENGTH}, field="limit")
    return Columns({"limit": limit}, {}, {})


_BUILDERS: dict[str, Callable[[Answers], Columns]] = {
    Question.Kind.SINGLE: build_single,
    Question.Kind.MULTIPLE: build_multiple,
    Question.Kind.TRUTH: build_truth,
    Question.Kind.NUMERIC: build_numeric,
    Question.Kind.TEXT: build_text,
    Question.Kind.ORDERING: _ordering,
    Question.Kind.MATCHING: _matching,
    Question.Kind.ESSAY: _essay,
}
