"""Whether the questions of a file can become questions of a quiz or a bank, and which are there already."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from apps.courses import questions
from apps.courses.errors import QuestionInvalid
from apps.courses.imports.entries import ParsedFile, ParsedQuestion
from apps.courses.imports.fingerprints import fingerprint_of
from apps.courses.models import Question, Quiz
from apps.courses.services.bank import MAX_TAGS
from apps.courses.services.quizzes import BANK_LIMIT, MAX_ESSAYS, QUESTION_LIMIT, QuestionDraft
from studyplatform.kit.text import content

Row = dict[str, Any]
"""A row of ``QuestionImport.rows``."""
Columns = dict[str, Any]
"""The values of a question's columns."""


class QuestionChecker:
    """Compares the questions of a file with those of a quiz, and counts its room."""

    def __init__(self, quiz: Quiz) -> None:
        self.quiz = quiz
        present = list(quiz.questions.all())
        self.known = Counter(fingerprint_of(one) for one in present)
        self.limit = BANK_LIMIT if quiz.course_id else QUESTION_LIMIT
        self.room = self.limit - len(present)
        self.essays = sum(one.kind == Question.Kind.ESSAY for one in present)
        self.seen: dict[str, int] = {}

    def rows(self, parsed: ParsedFile, *, repeats: bool) -> Iterator[tuple[Row, Columns | None]]:
        """Yield the report's row of each entry, with the columns of the question if it can be imported."""
        for entry in parsed.entries:
            state, problem, columns = "refused", entry.problem, None
            notes = list(entry.notes)
            if len(entry.tags) > MAX_TAGS:
                notes.append(_("Only %d tags are kept.") % MAX_TAGS)
            if entry.question is not None:
                try:
                    columns = self._columns(entry.question, notes)
                    state = self._state_of(columns, notes, entry.number, repeats=repeats)
                except QuestionInvalid as refusal:
                    problem, columns = refusal.problem, None
            elif entry.intro:
                state = "intro"
            yield (
                {
                    "number": entry.number,
                    "line": entry.line,
                    "name": entry.name,
                    "excerpt": entry.excerpt,
                    "source": entry.source_type,
                    "kind": entry.question.kind if entry.question else "",
                    "state": state,
                    "notes": notes,
                    "problem": problem,
                    "tags": list(entry.tags[:MAX_TAGS]),
                },
                columns if state == "ready" else None,
            )

    def _columns(self, question: ParsedQuestion, notes: list[str]) -> Columns:
        """
        :raises QuestionInvalid: the question breaks a rule of ours.
        """
        check_lengths(question, notes)
        draft = QuestionDraft(
            kind=question.kind,
            prompt=question.prompt,
            answers=question.answers,
            points=question.points,
            explanation=question.explanation,
            all_or_nothing=question.all_or_nothing,
            is_withdrawn=question.is_withdrawn,
        )
        return draft.fields(self.quiz)

    def _state_of(self, columns: Columns, notes: list[str], number: int, *, repeats: bool) -> str:
        """
        :raises QuestionInvalid: there is no room for the question.
        """
        key = fingerprint_of(Question(**columns))
        if self.known[key]:
            self.known[key] -= 1
            if not repeats:
                return "known"
        if key in self.seen:
            notes.append(_("It is the same as question %d of the file.") % self.seen[key])
        self.seen.setdefault(key, number)
        if self.room <= 0:
            raise QuestionInvalid(problem=_("There is no room: up to %d questions are possible.") % self.limit)
        if columns["kind"] == Question.Kind.ESSAY and not self.quiz.course_id:
            if self.essays >= MAX_ESSAYS:
                raise QuestionInvalid(problem=_("A quiz can have up to %d essays.") % MAX_ESSAYS)
            self.essays += 1
        self.room -= 1
        return "ready"


def check_lengths(question: ParsedQuestion, notes: list[str]) -> None:
    """
    :raises QuestionInvalid: a text is longer than its place allows.
    """
    texts = [
        (question.prompt, content.PROMPT.max_length, _("The question is longer than %d characters.")),
        (question.explanation, content.EXPLANATION.max_length, _("The explanation is longer than %d characters.")),
    ]
    answers = question.answers
    typed = [*answers.accepted, *(one.text for one in answers.partly)]
    lines = [*typed, *(line for gap in answers.gaps for line in gap.lines)]
    lines += [text for choice in answers.choices for text in (choice.text, choice.partner)]
    texts += [(line, questions.TEXT_LIMIT, _("An answer is longer than %d characters.")) for line in lines]
    for text, limit, problem in texts:
        if len(text) > limit:
            raise QuestionInvalid(problem=problem % limit)
    if len(typed) > questions.MAX_ACCEPTED_TEXTS:
        raise QuestionInvalid(problem=_("Enter up to %d accepted answers.") % questions.MAX_ACCEPTED_TEXTS)
    remarks = [*(choice.remark for choice in answers.choices), *answers.remarks.values()]
    if any(len(remark) > questions.REMARK_LIMIT for remark in remarks):
        notes.append(_("Feedback is cut after %d characters.") % questions.REMARK_LIMIT)
