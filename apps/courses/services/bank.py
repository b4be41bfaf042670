"""The question bank of a course: its questions with tags, and what quizzes get from it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.errors import OutlineFull, QuestionInvalid
from apps.courses.models import Course, Question, QuestionTag, Quiz, QuizDraw
from apps.courses.services.locking import lock_course_row
from apps.courses.services.outline_rows import arrange, moved
from apps.courses.services.quiz_counts import finish_change
from apps.courses.services.quizzes import (
    QUESTION_LIMIT,
    QuestionDraft,
    add_question,
    check_room_for,
    copied_columns,
    edit_question,
)
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.blank import stripped

MAX_TAGS = 10  # of a question
MAX_TAG_LENGTH = 40  # code points
MAX_DRAWS = 30  # of a quiz


def open_bank(*, course: Course) -> Quiz:
    """Return the question bank of a course, which is made when it is first opened."""
    bank, _made = Quiz.objects.get_or_create(course=course)
    bank.course = course
    return bank


def save_bank_question(
    *, course: Course, question: Question | None, by: User, draft: QuestionDraft, tags: Sequence[str], now: datetime
) -> Question:
    """Add a question to the bank of a course, or change one, with its tags: all of it or nothing.

    :raises QuestionInvalid: it is incomplete, or it has too many tags.
    """
    with transaction.atomic():
        enforce(policies.edit_course(by, course))
        bank = open_bank(course=course)
        return save_tagged_question(quiz=bank, question=question, by=by, draft=draft, tags=tags, now=now)


def save_tagged_question(
    *, quiz: Quiz, question: Question | None, by: User, draft: QuestionDraft, tags: Sequence[str], now: datetime
) -> Question:
    """Add a question to a quiz or a bank, or change one, with its tags: all of it or nothing.

    :raises QuestionInvalid: it is incomplete, or it has too many tags.
    """
    with transaction.atomic():
        if question is None:
            question = add_question(quiz=quiz, by=by, draft=draft, now=now)
        else:
            edit_question(question=question, by=by, draft=draft, now=now)
        set_tags(question=question, by=by, names=tags, now=now)
    return question


def set_tags(*, question: Question, by: User, names: Sequence[str], now: datetime) -> None:
    """Give a question these tags of its course's bank and no others. One that no question and no draw has anymore goes.

    Quizzes draw questions of the bank only. Those of a quiz have tags to be kept when they are copied or exported.

    :raises QuestionInvalid: there are too many, or one is too long.
    """
    with transaction.atomic():
        course = _locked(question.quiz.of_course, by)
        if any(name.strip() for name in names):
            question.tags.set(_tags(open_bank(course=course), names))
        else:
            question.tags.clear()
        QuestionTag.objects.filter(bank__course=course, questions=None, draws=None).delete()
        if question.quiz.course_id:
            finish_change(question.quiz, course, by, now)


def _tags(bank: Quiz, names: Sequence[str]) -> list[QuestionTag]:
    if len(names) > 4 * MAX_TAGS:
        raise QuestionInvalid(problem=_("A question can have up to %d tags.") % MAX_TAGS, field="tags")
    by_key: dict[str, str] = {}
    for name in names:
        plain = _plain(name)
        if len(plain) > MAX_TAG_LENGTH:
            raise QuestionInvalid(problem=_("A tag can have up to %d characters.") % MAX_TAG_LENGTH, field="tags")
        if plain:
            by_key.setdefault(_key(plain), plain)
    if len(by_key) > MAX_TAGS:
        raise QuestionInvalid(problem=_("A question can have up to %d tags.") % MAX_TAGS, field="tags")
    return [
        QuestionTag.objects.get_or_create(bank=bank, key=key, defaults={"name": name})[0]
        for key, name in by_key.items()
    ]


def add_tags(bank: Quiz, names: Mapping[int, Sequence[str]]) -> None:
    """Add tags of a bank to questions, by their primary keys: each gets its first `MAX_TAGS`. For many at once."""
    plain = {pk: [_plain(name)[:MAX_TAG_LENGTH].strip() for name in given] for pk, given in names.items()}
    by_key = {_key(name): name for given in plain.values() for name in given if name}
    known = {tag.key: tag for tag in QuestionTag.objects.filter(bank=bank, key__in=list(by_key))}
    missing = [QuestionTag(bank=bank, key=key, name=name) for key, name in by_key.items() if key not in known]
    known |= {tag.key: tag for tag in QuestionTag.objects.bulk_create(missing)}
    through: Any = Question.tags.through
    through.objects.bulk_create(
        through(question_id=pk, questiontag_id=known[key].pk)
        for pk, given in plain.items()
        for key in list(dict.fromkeys(_key(name) for name in given if name))[:MAX_TAGS]
    )


def _plain(name: str) -> str:
    """Return a name in one line without commas, which separate tags in forms and files."""
    return " ".join(stripped(name).replace(",", " ").split())


def _key(name: str) -> str:
    return name.casefold()[:80]


def link_question(*, quiz: Quiz, question: Question, by: User, now: datetime) -> QuizDraw:
    """Let every attempt at a quiz ask this question of the bank. What is changed in the bank, new attempts ask.

    :raises QuestionInvalid: it is linked already, or no question of this course's bank.
    """
    with transaction.atomic():
        course = _locked(quiz.of_course, by)
        if question.quiz.course_id != course.pk:
            raise QuestionInvalid(problem=_("Choose a question of this course's question bank."), field="question")
        if quiz.draws.filter(question=question).exists():
            raise QuestionInvalid(problem=_("This question is already linked to the quiz."), field="question")
        draw = QuizDraw.objects.create(quiz=quiz, position=_next_position(quiz, 1), question=question)
        finish_change(quiz, course, by, now)
    return draw


def add_draw(*, quiz: Quiz, by: User, tags: Sequence[QuestionTag], count: int, now: datetime) -> QuizDraw:
    """Let every attempt at a quiz draw ``count`` questions of the bank that have all of these tags; any without tags.

    :raises QuestionInvalid: the count is out of range, too few questions have the tags, or a tag is of another bank.
    """
    with transaction.atomic():
        course = _locked(quiz.of_course, by)
        if not 1 <= count <= QUESTION_LIMIT:
            raise QuestionInvalid(problem=_("Enter a number from 1 to %d.") % QUESTION_LIMIT, field="count")
        if any(tag.bank.course_id != course.pk for tag in tags):
            raise QuestionInvalid(problem=_("Choose a tag of this course's question bank."), field="tags")
        found = Question.objects.filter(quiz__course=course, is_withdrawn=False)
        for tag in tags:
            found = found.filter(tags=tag)
        if found.count() < count:
            problem = _("The question bank has only %d such questions.") % found.count()
            raise QuestionInvalid(problem=problem, field="count")
        draw = QuizDraw.objects.create(quiz=quiz, position=_next_position(quiz, count), count=count)
        draw.tags.set(tags)
        finish_change(quiz, course, by, now)
    return draw


def _next_position(quiz: Quiz, count: int) -> int:
    """
    :raises OutlineFull: the quiz has the maximum number of draws, or an attempt would ask too many questions.
    """
    draws = list(quiz.draws.values_list("position", "count"))
    asked = quiz.asks(quiz.questions.filter(is_withdrawn=False).count()) + sum(one for _position, one in draws)
    if len(draws) >= MAX_DRAWS or asked + count > QUESTION_LIMIT:
        raise OutlineFull(limit=MAX_DRAWS if len(draws) >= MAX_DRAWS else QUESTION_LIMIT)
    return max((position for position, _count in draws), default=0) + 1


def move_draw(*, draw: QuizDraw, by: User, position: int) -> None:
    """Put a draw at this position of its quiz (1 is first)."""
    with transaction.atomic():
        _locked(draw.quiz.of_course, by)
        order = list(draw.quiz.draws.order_by("position").values_list("pk", flat=True))
        arrange(draw.quiz.draws.all(), moved(order, draw.pk, position))


def delete_draw(*, draw: QuizDraw, by: User, now: datetime) -> None:
    """Take a draw out of its quiz. The questions stay in the bank."""
    with transaction.atomic():
        quiz = draw.quiz
        course = _locked(quiz.of_course, by)
        draw.delete()
        arrange(quiz.draws.all(), list(quiz.draws.order_by("position").values_list("pk", flat=True)))
        QuestionTag.objects.filter(bank__course=course, questions=None, draws=None).delete()
        finish_change(quiz, course, by, now)


def copy_question(*, question: Question, into: Quiz, by: User, now: datetime) -> Question:
    """Copy a question to the end of another quiz of its course, or of the bank. After that the two are independent.

    :raises QuestionInvalid: it is of another course, or an essay too many.
    """
    with transaction.atomic():
        course = _locked(into.of_course, by)
        if question.quiz.of_course.pk != course.pk:
            raise QuestionInvalid(problem=_("Choose a question of this course."), field="question")
        check_room_for(into, question.kind)
        last = into.questions.aggregate(last=Max("position"))["last"] or 0
        copy = Question.objects.create(quiz=into, position=last + 1, **copied_columns(question))
        copy.tags.set(question.tags.all())
        finish_change(into, course, by, now)
    return copy


def copy_to_bank(*, question: Question, by: User, now: datetime) -> Question:
    """Copy a question of a quiz to the question bank of its course."""
    course = question.quiz.of_course
    with transaction.atomic():
        enforce(policies.edit_course(by, course))
        return copy_question(question=question, into=open_bank(course=course), by=by, now=now)


def _locked(course: Course, by: User) -> Course:
    locked = lock_course_row(course.pk)
    enforce(policies.edit_course(by, locked))
    return locked
