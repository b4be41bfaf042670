"""Quiz definitions: the rules and the questions with their answers."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses import policies, questions
from apps.courses.errors import DrawTooLarge, OutlineFull, QuestionInvalid
from apps.courses.models import Course, Lesson, OutlineChange, Question, Quiz
from apps.courses.services.locking import lock_course_row
from apps.courses.services.outline_changes import record_removed_question
from apps.courses.services.outline_rows import arrange, moved
from apps.courses.services.quiz_counts import MAX_ESSAYS as MAX_ESSAYS
from apps.courses.services.quiz_counts import QUESTION_LIMIT as QUESTION_LIMIT
from apps.courses.services.quiz_counts import count_questions, finish_change
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.blank import written

BANK_LIMIT = 1_000


@dataclass(frozen=True, kw_only=True)
class QuestionDraft:
    """A question as its author has entered it."""

    kind: str
    prompt: str
    answers: questions.Answers = field(default_factory=questions.Answers)
    points: int = 1
    explanation: str = ""
    all_or_nothing: bool = False
    is_withdrawn: bool = False
    rewatch_lesson: Lesson | None = None
    rewatch_at: int | None = None

    def fields(self, quiz: Quiz) -> dict[str, object]:
        """Return the values of the question's columns.

        :raises QuestionInvalid: it is incomplete.
        """
        prompt = written(self.prompt)
        if not prompt:
            raise QuestionInvalid(problem=str(questions.NO_PROMPT), field="prompt")
        course = quiz.of_course
        answers = replace(self.answers, language=course.language)
        columns = questions.build(self.kind, answers, prompt=prompt)
        lesson = self.rewatch_lesson
        if lesson is not None and (lesson.course_id != course.pk or lesson.kind != Lesson.Kind.VIDEO):
            lesson = None
        return {
            "kind": Question.Kind(self.kind),
            "prompt": prompt,
            "options": columns.options,
            "answer": columns.answer,
            "remarks": columns.remarks,
            "points": columns.points or min(max(self.points, 1), questions.MAX_POINTS),
            "explanation": written(self.explanation),
            "all_or_nothing": self.all_or_nothing,
            "is_withdrawn": self.is_withdrawn,
            "rewatch_lesson": lesson,
            "rewatch_at": self.rewatch_at if lesson is not None else None,
        }


def edit_quiz(
    *,
    quiz: Quiz,
    by: User,
    intro: str,
    pass_percent: int,
    max_attempts: int,
    time_limit: int,
    reveal: str,
    retry_wait: int,
    draw_count: int = 0,
    shuffle_questions: bool = False,
    shuffle_options: bool = False,
    now: datetime,
) -> Quiz:
    """Change the rules: the pass mark in percent, attempts (0: any number), the time limit in seconds (0: none),
    when the right answers are shown (``Quiz.Reveal``), the seconds between unlimited attempts, how many questions
    an attempt draws (0: all), and whether it has its own order of questions and of choices. Open attempts keep theirs.

    :raises DrawTooLarge: the quiz has fewer questions than an attempt would draw.
    """
    with transaction.atomic():
        course = _locked(quiz, by)
        pool = _pool(quiz)
        if draw_count > pool:
            raise DrawTooLarge(pool=pool)
        quiz.draw_count, quiz.shuffle_questions, quiz.shuffle_options = draw_count, shuffle_questions, shuffle_options
        quiz.intro = written(intro)
        quiz.pass_percent = min(max(pass_percent, 1), 100)
        quiz.max_attempts = max_attempts
        quiz.time_limit = time_limit
        quiz.reveal = Quiz.Reveal(reveal)
        quiz.retry_wait = retry_wait
        quiz.save(update_fields=_RULES)
        finish_change(quiz, course, by, now)
    return quiz


def add_question(*, quiz: Quiz, by: User, draft: QuestionDraft, now: datetime) -> Question:
    """Add a question at the end of the quiz.

    :raises QuestionInvalid: it is incomplete.
    :raises OutlineFull: the quiz has the maximum number of questions.
    """
    with transaction.atomic():
        course = _locked(quiz, by)
        _check_room(quiz)
        last = quiz.questions.aggregate(last=Max("position"))["last"] or 0
        _check_essays(quiz, draft.kind)
        question = Question.objects.create(quiz=quiz, position=last + 1, **draft.fields(quiz))
        finish_change(quiz, course, by, now)
    return question


def edit_question(*, question: Question, by: User, draft: QuestionDraft, now: datetime) -> Question:
    """Change a question. Submitted attempts keep their results.

    :raises QuestionInvalid: it is incomplete.
    """
    with transaction.atomic():
        course = _locked(question.quiz, by)
        _check_essays(question.quiz, draft.kind, besides=question.pk)
        changed = draft.fields(question.quiz)
        for name, value in changed.items():
            setattr(question, name, value)
        question.save(update_fields=list(changed))
        finish_change(question.quiz, course, by, now)
    return question


def duplicate_question(*, question: Question, by: User, now: datetime) -> Question:
    """Insert a copy directly after the original."""
    with transaction.atomic():
        course = _locked(question.quiz, by)
        quiz = question.quiz
        _check_room(quiz)
        _check_essays(quiz, question.kind)
        order = _order(quiz)
        last = quiz.questions.aggregate(last=Max("position"))["last"] or 0
        copy = Question.objects.create(quiz=quiz, position=last + 1, **copied_columns(question))
        copy.tags.set(question.tags.all())
        arrange(quiz.questions.all(), moved([*order, copy.pk], copy.pk, order.index(question.pk) + 2))
        finish_change(quiz, course, by, now)
        copy.refresh_from_db()
    return copy


def move_question(*, question: Question, by: User, position: int, now: datetime) -> None:
    """Put the question at this position (1 is first)."""
    with transaction.atomic():
        course = _locked(question.quiz, by)
        arrange(question.quiz.questions.all(), moved(_order(question.quiz), question.pk, position))
        finish_change(question.quiz, course, by, now)


def delete_question(*, question: Question, by: User, now: datetime) -> OutlineChange | None:
    """Remove a question, with the draws that link it. Attempts keep what they asked. Idempotent."""
    with transaction.atomic():
        quiz = question.quiz
        course = _locked(quiz, by)
        present = quiz.questions.filter(pk=question.pk).first()
        if present is None:
            return None
        change = record_removed_question(present, course, made_by=by, now=now)
        present.removed_at, present.removed_by = now, by
        present.save(update_fields=["removed_at", "removed_by"])
        arrange(quiz.questions.all(), _order(quiz))
        _delete_links(present)
        finish_change(quiz, course, by, now)
    return change


def _delete_links(question: Question) -> None:
    """Delete the draws of one question, and close the gaps they leave."""
    quizzes = list(Quiz.objects.filter(draws__question=question))
    question.draws.all().delete()
    for quiz in quizzes:
        arrange(quiz.draws.all(), list(quiz.draws.order_by("position").values_list("pk", flat=True)))
        if not quiz.draws.exists():  # the others are counted with their bank
            count_questions(quiz)


def delete_questions(*, quiz: Quiz, chosen: Sequence[Question], by: User, now: datetime) -> None:
    """Remove several questions of a quiz or a bank at once, with the draws that link them."""
    with transaction.atomic():
        course = _locked(quiz, by)
        quiz.questions.filter(pk__in=[one.pk for one in chosen]).update(removed_at=now, removed_by=by)
        for question in chosen:
            _delete_links(question)
        arrange(quiz.questions.all(), _order(quiz))
        finish_change(quiz, course, by, now)


_RULES = (
    "intro", "pass_percent", "max_attempts", "time_limit", "reveal", "retry_wait",
    "draw_count", "shuffle_questions", "shuffle_options",
)  # fmt: skip
_COPIED = (
    "kind", "prompt", "options", "answer", "remarks", "points", "explanation", "rewatch_lesson", "rewatch_at",
    "all_or_nothing", "is_withdrawn",
)  # fmt: skip


def copied_columns(question: Question) -> dict[str, object]:
    """Return the values of a copy's columns."""
    return {name: getattr(question, name) for name in _COPIED}


def check_room_for(quiz: Quiz, kind: str) -> None:
    """
    :raises OutlineFull: the quiz has the maximum number of questions.
    :raises QuestionInvalid: a question of this kind would be one essay too many.
    """
    _check_room(quiz)
    _check_essays(quiz, kind)


def _check_room(quiz: Quiz) -> None:
    """
    :raises OutlineFull: the quiz, or the question bank, has the maximum number of questions.
    """
    limit = BANK_LIMIT if quiz.course_id else QUESTION_LIMIT
    if quiz.questions.count() >= limit:
        raise OutlineFull(limit=limit)


def _check_essays(quiz: Quiz, kind: str, besides: int = 0) -> None:
    """
    :raises QuestionInvalid: a question of this kind would be one essay too many.
    """
    if kind != Question.Kind.ESSAY or quiz.course_id:  # of a bank each attempt gets no more than that
        return
    if quiz.questions.filter(kind=Question.Kind.ESSAY).exclude(pk=besides).count() >= MAX_ESSAYS:
        raise QuestionInvalid(problem=_("A quiz can have up to %d essays.") % MAX_ESSAYS, field="kind")


def _pool(quiz: Quiz) -> int:
    """Return how many questions the quiz may ask."""
    return quiz.questions.filter(is_withdrawn=False).count()


def _order(quiz: Quiz) -> list[int]:
    return list(quiz.questions.order_by("position").values_list("pk", flat=True))


def _locked(quiz: Quiz, by: User) -> Course:
    course = lock_course_row(quiz.of_course.pk)
    enforce(policies.edit_course(by, course))
    return course
