"""Random edits of working copies, merged and restored: what learners did stays, and the course becomes the copy.

``VERSION_EDITS=5000`` makes more edits than the usual 30 and 1,000, ``VERSION_SEED=7`` the same ones again.
"""

import os
import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from apps.courses import services
from apps.courses.content_tree import diff_trees
from apps.courses.models import Course, Lesson, OutlineChange, Question, QuestionTag, Quiz
from apps.courses.queries import content_tree
from apps.courses.queries.outline_changes import undoable_changes
from apps.courses.services.applying import apply_tree
from apps.courses.services.merged import MergedVersion, Partway, finish_merge
from apps.learning import services as learning
from apps.learning.models import Attempt, Bookmark, Certificate, Enrollment, LessonProgress, Note, PracticeCard
from apps.learning.queries.quizzes import get_attempt
from studyplatform.kit.errors import AppError
from tests.courses.whole_course import NOW, make_whole_course
from tests.factories.courses import CourseFactory, QuestionFactory, QuizFactory
from tests.factories.learning import EnrollmentFactory, LessonProgressFactory, MissedCardFactory, NoteFactory

pytestmark = pytest.mark.django_db

EDITS_OF_A_VERSION = 10
WORDS = ["river", "bank", "delta", "silt", "spring", "mouth", "ford", "weir", "lock", "reed"]


def read_tree(course: Course) -> dict[str, Any]:
    """Return the tree without how long quizzes take: factories add questions without counting them."""
    tree = content_tree.read_tree(course)
    for section in tree["sections"]:
        for lesson in section["lessons"]:
            lesson["duration"] = 0 if lesson["kind"] == Lesson.Kind.QUIZ else lesson["duration"]
    return tree


class Author:
    """Somebody who edits a working copy at random, by the services that the studio calls."""

    def __init__(self, course: Course, dice: random.Random) -> None:
        self.course, self.dice, self.by = course, dice, course.instructor
        self.acts: list[Callable[[], Any]] = [
            self.add_lesson, self.add_lesson, self.delete_lesson, self.edit_lesson, self.edit_lesson,
            self.move_lesson, self.add_section, self.delete_section, self.rename_section, self.require_lesson,
            self.add_question, self.edit_question, self.delete_question, self.move_question, self.draw, self.tag,
            self.undo, self.edit_course, self.add_bank_question, self.schedule,
        ]  # fmt: skip

    def edit(self) -> None:
        """Make one edit; one that the studio refuses is none."""
        act = self.dice.choice(self.acts)
        try:
            act()
        except (AppError, IndexError):
            self.edit_course()

    def text(self) -> str:
        return " ".join(self.dice.choices(WORDS, k=self.dice.randint(1, 6))).capitalize()

    def lesson(self) -> Lesson:
        return self.dice.choice(list(self.course.lessons.select_related("course", "section").order_by("pk")))

    def section(self) -> Any:
        return self.dice.choice(list(self.course.sections.select_related("course").order_by("pk")))

    def quiz(self) -> Quiz:
        return self.dice.choice(list(Quiz.objects.filter(lesson__course=self.course, lesson__removed_at=None)))

    def question(self) -> Question:
        rows = Question.objects.filter(quiz__lesson__course=self.course, quiz__lesson__removed_at=None)
        bank = Question.objects.filter(quiz__course=self.course)
        return self.dice.choice(list((rows | bank).select_related("quiz__lesson__course", "quiz__course")))

    def add_lesson(self) -> None:
        kind = self.dice.choice(["text", "quiz", "text", "file"])
        made = services.add_lesson(
            section=self.section(), by=self.by, kind=kind, title=self.text(), position=self.dice.randint(1, 5), now=NOW
        )
        if kind == "quiz":
            QuestionFactory(quiz=made.quiz, prompt=self.text())

    def delete_lesson(self) -> None:
        services.delete_lesson(lesson=self.lesson(), by=self.by, now=NOW)

    def edit_lesson(self) -> None:
        services.edit_lesson(
            lesson=self.lesson(), by=self.by, title=self.text(), summary=self.text(), body=self.text(),
            is_preview=self.dice.random() < 0.3, now=NOW,
        )  # fmt: skip

    def move_lesson(self) -> None:
        services.move_lesson(
            lesson=self.lesson(), by=self.by, section=self.section(), position=self.dice.randint(1, 5), now=NOW
        )

    def add_section(self) -> None:
        position = self.dice.randint(1, 4)
        services.add_section(course=self.course, by=self.by, title=self.text(), position=position, now=NOW)

    def delete_section(self) -> None:
        if self.course.sections.count() > 2:
            services.delete_section(section=self.section(), by=self.by, now=NOW)

    def rename_section(self) -> None:
        services.rename_section(section=self.section(), by=self.by, title=self.text(), now=NOW)

    def require_lesson(self) -> None:
        lesson, needed = self.lesson(), self.lesson()
        services.edit_lesson(
            lesson=lesson, by=self.by, title=lesson.title, summary="", body=lesson.body, is_preview=False,
            prerequisites=[needed] if needed.pk != lesson.pk else [], now=NOW,
        )  # fmt: skip

    def schedule(self) -> None:
        days = self.dice.choice([None, 3, 9])
        values = {"opens_at": None, "opens_after_days": days, "is_optional": self.dice.random() < 0.5}
        services.change_settings(course=self.course, by=self.by, values={self.lesson().pk: values}, now=NOW)

    def add_question(self) -> None:
        QuestionFactory(quiz=self.quiz(), prompt=self.text())

    def add_bank_question(self) -> None:
        QuestionFactory(quiz=services.open_bank(course=self.course), prompt=self.text())

    def edit_question(self) -> None:
        question = self.question()
        question.prompt, question.answer = self.text(), {"id": self.dice.choice("ab")}
        question.is_withdrawn = self.dice.random() < 0.2
        question.rewatch_lesson, question.rewatch_at = self.lesson(), 3
        question.save()

    def delete_question(self) -> None:
        services.delete_question(question=self.question(), by=self.by, now=NOW)

    def move_question(self) -> None:
        services.move_question(question=self.question(), by=self.by, position=self.dice.randint(1, 4), now=NOW)

    def tag(self) -> None:
        services.set_tags(question=self.question(), by=self.by, names=[self.dice.choice(WORDS)], now=NOW)

    def draw(self) -> None:
        quiz = self.quiz()
        if self.dice.random() < 0.5:
            tags = list(QuestionTag.objects.filter(bank__course=self.course).order_by("pk"))
            services.add_draw(quiz=quiz, by=self.by, tags=[self.dice.choice(tags)], count=1, now=NOW)
        else:
            bank = list(Question.objects.filter(quiz__course=self.course).order_by("pk"))
            services.link_question(quiz=quiz, question=self.dice.choice(bank), by=self.by, now=NOW)

    def undo(self) -> None:
        changes: list[OutlineChange] = list(undoable_changes(self.course, now=NOW))
        services.undo_change(change=self.dice.choice(changes), by=self.by, now=NOW)

    def edit_course(self) -> None:
        Course.objects.filter(pk=self.course.pk).update(title=self.text(), summary=self.text())
        self.course.refresh_from_db()


def learn(enrollment: Enrollment, dice: random.Random) -> None:
    """Let a learner do everything in what a version brought: watch, read, note, take quizzes, practice."""
    user, course = enrollment.user, enrollment.course
    lessons = list(Lesson.objects.filter(course=course).exclude(progress__enrollment=enrollment).order_by("pk"))
    for lesson in lessons:
        done = NOW if dice.random() < 0.6 else None
        seen = {"watched_seconds": 7, "watched": [[0, 7]], "position": 6.5, "position_at": NOW}
        LessonProgressFactory(enrollment=enrollment, lesson=lesson, completed_at=done, **seen)
        NoteFactory(user=user, course=course, lesson=lesson, second=dice.choice([None, 5]))
        quiz = Quiz.objects.filter(lesson=lesson).first()
        if quiz is not None:
            attempt = learning.draw_attempt(enrollment=enrollment, quiz=quiz, number=1, now=NOW)
            if dice.random() < 0.5:
                submit(attempt, dice)
    for question in Question.objects.filter(quiz__lesson__course=course).exclude(pk__in=cards_of(enrollment)):
        MissedCardFactory(user=user, question=question, stability=2.5, turn=3)
    learning.set_bookmark(user=user, course=course, on=True, now=NOW)
    if lessons:
        Enrollment.objects.filter(pk=enrollment.pk).update(last_lesson=dice.choice(lessons))
    learning.recount(enrollment_id=enrollment.pk, now=NOW)


def cards_of(enrollment: Enrollment) -> Any:
    return PracticeCard.objects.filter(user=enrollment.user, question__isnull=False).values("question")


def submit(attempt: Attempt, dice: random.Random) -> Attempt:
    """Submit an attempt as its page does; each answer is one of the choices that it shows."""
    found = get_attempt(attempt.enrollment.user, attempt.uid)
    chosen = {row["uid"]: {"id": dice.choice("ab")} for row in found.asked if row["kind"] == "single"}
    later = NOW + timedelta(hours=1)
    submitted, _saved = learning.submit_attempt(user=attempt.enrollment.user, attempt=found, answers=chosen, now=later)
    assert [row["uid"] for row in submitted.results] == [row["uid"] for row in attempt.asked]
    return submitted


def recorded(enrollment: Enrollment) -> dict[str, list[Any]]:
    """Return what the learner did, as the database has it."""
    user = enrollment.user
    rows: dict[str, Any] = {
        "enrollment": Enrollment.objects.filter(pk=enrollment.pk),
        "progress": LessonProgress.objects.filter(enrollment=enrollment),
        "attempts": Attempt.objects.filter(enrollment=enrollment),
        "notes": Note.objects.filter(user=user),
        "cards": PracticeCard.objects.filter(user=user),
        "bookmarks": Bookmark.objects.filter(user=user),
        "certificates": Certificate.objects.filter(enrollment=enrollment),
    }
    return {name: list(found.order_by("pk").values()) for name, found in rows.items()}


def follow(enrollment: Enrollment, merged: MergedVersion) -> None:
    """Do what follows a merge, and check that it takes nothing from the learner, and leads on."""
    before = recorded(enrollment)
    finish_merge(merged)
    learning.remark_questions(questions=merged.changed_answers, tells_passed=False, now=NOW)
    learning.recount_course(course=merged.course, now=NOW)
    after = recorded(enrollment)
    for name in ("notes", "cards", "bookmarks"):
        assert after[name] == before[name]
    assert after["certificates"][: len(before["certificates"])] == before["certificates"]
    for old, new in zip(before["attempts"], after["attempts"], strict=True):
        assert new["percent"] >= old["percent"]
        assert new["is_passed"] >= old["is_passed"]
        assert [row["prompt"] for row in new["asked"]] == [row["prompt"] for row in old["asked"]]
    for old, new in zip(before["progress"], after["progress"], strict=False):  # an attempt that passes now begins more
        assert (new["watched"], new["position"]) == (old["watched"], old["position"])
        assert old["completed_at"] in {None, new["completed_at"]}
    [was], [now] = before["enrollment"], after["enrollment"]
    assert now["milestone"] >= was["milestone"]
    assert was["completed_at"] in {None, now["completed_at"]}
    if merged.course.lesson_count:
        assert now["last_lesson_id"] not in merged.removed_lessons, "the course resumes at a lesson that it has"


def end_attempts(enrollment: Enrollment, dice: random.Random) -> None:
    """Submit some of the open attempts, also those at quizzes that are gone by now."""
    for attempt in Attempt.objects.filter(enrollment=enrollment, submitted_at=None).select_related("enrollment__user"):
        if dice.random() < 0.7:
            submit(attempt, dice)


def restart(enrollment: Enrollment, dice: random.Random) -> None:
    """Let some lessons begin again, as a version with another video does; those who completed them keep all."""
    lessons = Lesson.objects.filter(course=enrollment.course).exclude(kind="quiz").order_by("pk")
    again = [pk for pk in lessons.values_list("pk", flat=True) if dice.random() < 0.3]
    before = recorded(enrollment)
    learning.restart_lessons(lesson_ids=again, now=NOW)
    after = recorded(enrollment)
    for old, new in zip(before.pop("progress"), after.pop("progress"), strict=True):
        if old["lesson_id"] in again and old["completed_at"] is None:
            assert (new["watched"], new["position"], new["started_at"]) == ([], 0, old["started_at"])
        else:
            assert new == old
    assert after == before


def go_through_versions(edits: int, seed: int) -> None:
    """Edit, merge, and now and then restore, until so many edits are made."""
    dice = random.Random(seed)
    live = make_whole_course()
    QuizFactory(lesson__section=live.sections.first(), lesson__slug="another")
    learner = EnrollmentFactory(course=live)
    trees = []
    for round_number in range(-(-edits // EDITS_OF_A_VERSION)):
        learn(learner, dice)
        before = recorded(learner)
        trees.append(read_tree(live))
        known = {str(row.uid): row.pk for row in Lesson.with_removed.filter(course=live)}
        working = CourseFactory(instructor=live.instructor, subject=live.subject)
        apply_tree(trees[-1], working, live.instructor, NOW, identity="origin")
        assert read_tree(working) == trees[-1], f"seed {seed}, round {round_number}: another beginning"
        working.refresh_from_db()
        if dice.random() < 0.2:
            tree = dice.choice(trees)
            apply_tree(tree, working, live.instructor, NOW, identity="origin")
            assert diff_trees(tree, read_tree(working)).is_empty, f"seed {seed}, round {round_number}: not restored"
        author = Author(Course.objects.get(pk=working.pk), dice)
        for _ in range(EDITS_OF_A_VERSION):
            author.edit()
        wanted = read_tree(Course.objects.get(pk=working.pk))
        number = round_number + 2
        applied = apply_tree(wanted, live, live.instructor, NOW, identity="uid", source=working, version=number)
        live = Course.objects.get(pk=live.pk)
        assert read_tree(live) == wanted, f"seed {seed}, round {round_number}: not equal to the copy"
        assert recorded(learner) == before, f"seed {seed}, round {round_number}: something was lost"
        present = {str(row.uid): row.pk for row in Lesson.with_removed.filter(course=live)}
        assert known.items() <= present.items(), f"seed {seed}, round {round_number}: a lesson has another row"
        positions = list(live.lessons.order_by("section__position", "position").values_list("number", flat=True))
        assert len(set(positions)) == live.lesson_count == len(positions)
        working.delete()
        changes = {name: getattr(applied, name) for name in ("added_lessons", "removed_lessons", "changed_answers")}
        partway = dice.choice(list(Partway))
        follow(learner, MergedVersion(course=live, number=number, now=NOW, partway=partway, **changes))
        end_attempts(learner, dice)
        restart(learner, dice)


def test_edits_of_three_versions_keep_what_learners_did() -> None:
    go_through_versions(int(os.environ.get("VERSION_EDITS", "30")), int(os.environ.get("VERSION_SEED", "1")))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_a_thousand_edits_keep_what_learners_did(seed: int) -> None:
    go_through_versions(250, 100 + seed)
