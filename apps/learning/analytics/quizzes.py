"""How the questions of a quiz work."""

from dataclasses import dataclass, field, replace

from apps.courses.models import Question, Quiz
from apps.learning.analytics.items import CHOICES
from apps.learning.analytics.smallest_group import SMALLEST_GROUP, hide_small, is_shown
from apps.learning.models import QuestionRollup
from apps.learning.quizzes import rendering

_REMOVED = "removed"
"""Key of the group that chose what the question has no more. Keys of choices are UUIDs."""


@dataclass(frozen=True)
class Option:
    """A choice of a question as it is now, with how many chose it; None if that is hidden."""

    key: str
    text: str
    is_right: bool
    chosen: int | None = 0


@dataclass(frozen=True, kw_only=True)
class ItemFigures:
    """A question that the course still has. With fewer than five responses, the figures are None.

    ``difficulty``: the mean share of its points that was earned, from 0 to 1. ``discrimination``: from -1 to 1, how
    that share correlates with the rest of the attempt.
    """

    question: Question
    responses: int = 0
    unanswered: int | None = None
    difficulty: float | None = None
    discrimination: float | None = None
    options: tuple[Option, ...] = field(default=())

    @property
    def prompt_html(self) -> str:
        """What the question asks, as learners see it."""
        return rendering.prompt_html(self.question)

    @property
    def is_shown(self) -> bool:
        return self.responses >= SMALLEST_GROUP


def items_of(quiz: Quiz) -> list[ItemFigures]:
    """Return the questions of a quiz that were asked in attempts, also those of the question bank. Two queries.

    Own questions come first, in their order. Counted is the first submitted attempt of each learner.
    """
    rows = {row.question_uid: row for row in QuestionRollup.objects.filter(quiz=quiz)}
    questions = Question.objects.filter(uid__in=rows)
    ordered = sorted(questions, key=lambda one: (one.quiz_id != quiz.pk, one.position, one.pk))
    return [_item_of(question, rows[question.uid]) for question in ordered]


def _item_of(question: Question, row: QuestionRollup) -> ItemFigures:
    if row.responses < SMALLEST_GROUP:
        return ItemFigures(question=question, responses=row.responses)
    options = _options_of(question)
    shown = _shown_counts(question, row, [option.key for option in options])
    return ItemFigures(
        question=question,
        responses=row.responses,
        unanswered=row.unanswered,
        difficulty=row.difficulty,
        discrimination=row.discrimination,
        options=tuple(replace(option, chosen=shown[option.key]) for option in options),
    )


def _options_of(question: Question) -> list[Option]:
    if question.kind not in CHOICES:
        return []
    if question.kind == Question.Kind.TRUTH:
        right = "true" if question.answer["value"] else "false"
        return [Option(key, key, key == right) for key in ("true", "false")]
    keys = {question.answer["id"]} if "id" in question.answer else set(question.answer["ids"])
    return [Option(one["id"], one["text"], one["id"] in keys) for one in question.options]


def _shown_counts(question: Question, row: QuestionRollup, keys: list[str]) -> dict[str, int | None]:
    """Return how many chose each choice; None for groups that are too small to be shown."""
    counts = {key: row.options.get(key, 0) for key in keys}
    if question.kind not in {Question.Kind.SINGLE, Question.Kind.TRUTH}:
        return {key: count if is_shown(count) else None for key, count in counts.items()}
    # Everyone who answered is in one of the groups, so what is shown must not tell what is hidden.
    counts[_REMOVED] = max(0, row.responses - row.unanswered - sum(counts.values()))
    return hide_small(counts)
