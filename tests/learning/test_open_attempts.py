"""Open attempts survive every edit of their quiz: what was asked stays asked, and is marked by what was right then."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import transaction

from apps.courses import services
from apps.courses.errors import DrawTooLarge, OutlineFull, QuestionInvalid
from apps.courses.models import Course, Lesson, Question, QuestionTag, Quiz, QuizDraw
from apps.courses.questions import Answers, Choice, Gap
from apps.courses.services import QuestionDraft, QuestionFile, open_bank
from apps.learning import services as learning
from apps.learning.queries.quizzes import attempt_page_out
from tests.factories.courses import LessonFactory, QuizFactory, SectionFactory

pytestmark = [pytest.mark.edits_in_place, pytest.mark.django_db, pytest.mark.long]
NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)
GIFT = r"""
$CATEGORY: rivers

Single? {=a ~b ~c}

Several? {~%50%a ~%50%b ~%-50%c ~%-50%d}

Bends? {T#No.}

Pi? {#3.14:0.01}

Cell? {=*cell =Zelle}

Pairs {=a -> 1 =b -> 2 = -> 3}
"""
SEEDS = range(25)
LINES = [Choice(text=text, is_right=text == "y") for text in "xyz"]
DRAFTS = [
    QuestionDraft(kind="single", prompt="New?", answers=Answers(choices=LINES)),
    QuestionDraft(kind="truth", prompt="New.", answers=Answers(truth=False)),
    QuestionDraft(kind="numeric", prompt="New #", answers=Answers(number="7", unit="m")),
    QuestionDraft(kind="text", prompt="New word", answers=Answers(accepted=["new"])),
    QuestionDraft(kind="ordering", prompt="New order", answers=Answers(choices=LINES)),
    QuestionDraft(kind="essay", prompt="New essay"),
    QuestionDraft(kind="gaps", prompt="New [[1]]", answers=Answers(gaps=[Gap(lines=["x"], points=4)])),
]


class Author:
    """Changes a quiz and the bank of its course at random."""

    def __init__(self, quiz: Quiz, by: Any, dice: random.Random) -> None:
        self.quiz, self.by, self.dice = quiz, by, dice
        self.course: Course = quiz.of_course
        self.imports: list[Any] = []

    def change(self) -> None:
        steps: list[Callable[[], object]] = [
            self.delete, self.rewrite, self.move, self.add, self.copy, self.withdraw, self.draw, self.undraw,
            self.import_file, self.undo, self.change_rules,
        ]  # fmt: skip
        try:
            with transaction.atomic():
                self.dice.choice(steps)()
        except (QuestionInvalid, OutlineFull, DrawTooLarge):
            pass

    def question(self) -> Question:
        found = list(Question.objects.filter(quiz__in=[self.quiz, open_bank(course=self.course)]))
        return self.dice.choice(found) if found else self.add()

    def delete(self) -> None:
        services.delete_question(question=self.question(), by=self.by, now=NOW)

    def rewrite(self) -> None:
        services.edit_question(question=self.question(), by=self.by, draft=self.dice.choice(DRAFTS), now=NOW)

    def withdraw(self) -> None:
        Question.objects.filter(pk=self.question().pk).update(is_withdrawn=True)

    def move(self) -> None:
        services.move_question(question=self.question(), by=self.by, position=self.dice.randint(1, 9), now=NOW)

    def add(self) -> Question:
        into = self.dice.choice([self.quiz, open_bank(course=self.course)])
        return services.add_question(quiz=into, by=self.by, draft=self.dice.choice(DRAFTS), now=NOW)

    def copy(self) -> None:
        services.copy_question(question=self.question(), into=self.quiz, by=self.by, now=NOW)

    def draw(self) -> None:
        if self.dice.random() < 0.5:
            services.link_question(quiz=self.quiz, question=self.question(), by=self.by, now=NOW)
        else:
            services.add_draw(quiz=self.quiz, by=self.by, tags=[], count=1, now=NOW)

    def undraw(self) -> None:
        for draw in QuizDraw.objects.filter(quiz=self.quiz)[:1]:
            services.delete_draw(draw=draw, by=self.by, now=NOW)

    def import_file(self) -> None:
        into = self.dice.choice([self.quiz, open_bank(course=self.course)])
        self.imports.append(take_in(into, self.by, repeats=self.dice.random() < 0.5))

    def undo(self) -> None:
        if self.imports:
            services.undo_import(done=self.imports.pop(), by=self.by, now=NOW)

    def change_rules(self) -> None:
        rules = {"intro": "", "max_attempts": 0, "time_limit": 0, "retry_wait": 0, "reveal": "always"}
        services.edit_quiz(
            quiz=Quiz.objects.select_related("lesson__course").get(pk=self.quiz.pk),
            by=self.by,
            pass_percent=self.dice.randint(1, 100),
            draw_count=self.dice.choice([0, 1, 2]),
            shuffle_questions=self.dice.random() < 0.5,
            shuffle_options=self.dice.random() < 0.5,
            now=NOW,
            **rules,
        )


def take_in(quiz: Quiz, by: Any, *, repeats: bool = False) -> Any:
    checked = services.check_questions(quiz=quiz, by=by, file=QuestionFile(raw=GIFT.encode()), now=NOW)
    return services.import_questions(checked=checked, by=by, repeats=repeats, now=NOW)


def right_answer(row: dict[str, Any]) -> dict[str, Any]:
    key = row["answer"]
    match row["kind"]:
        case "numeric":
            return {"text": key["value"]}
        case "text":
            return {"text": key["accepted"][0].replace("*", "plant ")}
        case "matching":
            return {"pairs": key["pairs"]}
    return dict(key)


@pytest.mark.parametrize("seed", SEEDS)
def test_open_attempts_survive_every_edit(seed, course, ada, leo, enrollment):
    dice = random.Random(seed)
    lesson = LessonFactory(section=SectionFactory(course=course), kind=Lesson.Kind.QUIZ)
    quiz = QuizFactory(lesson=lesson, reveal="always", shuffle_options=dice.random() < 0.5)
    take_in(quiz, ada)
    take_in(open_bank(course=course), ada)
    tag = QuestionTag.objects.select_related("bank").get(name="rivers")
    services.add_draw(quiz=quiz, by=ada, tags=[tag], count=3, now=NOW)
    attempt = learning.open_attempt(user=leo, lesson_uid=lesson.uid, now=NOW)
    asked = attempt_page_out(attempt, now=NOW)["questions"]
    assert len(asked) == 9

    author = Author(quiz, ada, dice)
    for _step in range(12):
        author.change()
    again = learning.open_attempt(user=leo, lesson_uid=lesson.uid, now=NOW + timedelta(minutes=1))
    assert again.pk == attempt.pk
    assert attempt_page_out(again, now=NOW)["questions"] == asked
    answers = {row["uid"]: right_answer(row) for row in again.asked}
    done, _saved = learning.submit_attempt(user=leo, attempt=again, answers=answers, now=NOW + timedelta(minutes=9))
    assert [stored["verdict"] for stored in done.results] == ["right"] * len(asked)
    assert (done.percent, done.points, done.is_passed) == (100, sum(one["points"] for one in asked), True)
