"""The rows of a course that become equal to a content tree, found by the uids of the tree."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Any
from uuid import UUID, uuid4

from django.db.models import Model, Q

from apps.accounts.models import User
from apps.courses.content_tree.shape import Tree, lessons_of, questions_of, quizzes_of
from apps.courses.models import Course, Lesson, Question, Quiz, QuizDraw, Section
from apps.files.models import Upload, VideoAsset

BATCH = 100  # rows of one statement: those of lessons have many columns


class Identity(StrEnum):
    """How rows that are made are named."""

    UID = "uid"
    ORIGIN = "origin"
    NEW = "new"


@dataclass
class Applied:
    """What became of the course. Lessons and questions are named by primary key.

    ``changed_answers``: questions to which another answer is right now. ``replaced_uploads``: what lessons handed out
    before, by primary key. ``missing``: names of what the tree needs and nobody has anymore.
    """

    added_lessons: list[int] = field(default_factory=list)
    removed_lessons: list[int] = field(default_factory=list)
    changed_lessons: list[int] = field(default_factory=list)
    changed_answers: list[int] = field(default_factory=list)
    replaced_uploads: list[int] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


@dataclass
class Target:
    """A course on its way to a tree. ``present`` is its own tree; rows are found by uid of a tree, removed ones too."""

    course: Course
    tree: Tree
    present: Tree
    by: User
    now: datetime
    identity: Identity
    sections: dict[str, Section]
    lessons: dict[str, Lesson]
    questions: dict[str, Question]
    quizzes: dict[str | None, Quiz]
    videos: dict[str, VideoAsset]
    uploads: dict[str, Upload]
    version: int = 1
    applied: Applied = field(default_factory=Applied)

    def name_row(self, uid: str) -> dict[str, UUID]:
        """Return the columns that name a new row which stands for this one of the tree."""
        if self.identity == Identity.NEW:
            return {}
        return {str(self.identity): UUID(uid)}

    @cached_property
    def lessons_of_tree(self) -> set[str]:
        return {lesson["uid"] for lesson in lessons_of(self.tree)}

    @property
    def gone(self) -> dict[str, Any]:
        """The columns of a row that is removed now."""
        return {"removed_at": self.now, "removed_by": self.by}


def load_target(course: Course, tree: Tree, present: Tree, by: User, now: datetime, identity: Identity) -> Target:
    """Load the rows of a course with those that were removed, and the contents that the tree names. Seven queries."""
    quizzes = Quiz.objects.filter(Q(lesson__course=course) | Q(course=course)).select_related("lesson")
    lessons = {str(row.tree_uid): row for row in Lesson.with_removed.filter(course=course)}
    wanted = list(lessons_of(tree))
    videos = VideoAsset.objects.filter(uid__in={one["video"] for one in wanted if one["video"]})
    uploads = Upload.objects.filter(uid__in={one["file"] for one in wanted if one["file"]})
    return Target(
        course=course,
        tree=tree,
        present=present,
        by=by,
        now=now,
        identity=identity,
        sections={str(row.tree_uid): row for row in Section.with_removed.filter(course=course)},
        lessons=lessons,
        questions={str(row.tree_uid): row for row in questions_with_removed(course)},
        quizzes={str(quiz.lesson.tree_uid) if quiz.lesson_id else None: quiz for quiz in quizzes},
        videos={str(video.uid): video for video in videos},
        uploads={str(upload.uid): upload for upload in uploads},
    )


def questions_with_removed(course: Course) -> "Iterable[Question]":
    """Return all questions of a course: of its quizzes, also of removed lessons, and of its bank."""
    return Question.with_removed.filter(Q(quiz__lesson__course=course) | Q(quiz__course=course))


def take_uids(target: Target, source: Course) -> None:
    """Let new rows of a working copy stand for those that the published course gets with their uids now."""
    tree = target.tree
    of_source = Q(quiz__lesson__course=source) | Q(quiz__course=source)
    draws = {draw["uid"] for _lesson, quiz in quizzes_of(tree) for draw in quiz.get("draws", ())}
    rows: list[tuple[Any, Mapping[str, Any] | set[str], set[str]]] = [
        (Section.with_removed.filter(course=source), target.sections, {one["uid"] for one in tree["sections"]}),
        (Lesson.with_removed.filter(course=source), target.lessons, {one["uid"] for one in lessons_of(tree)}),
        (Question.with_removed.filter(of_source), target.questions, {one["uid"] for one in questions_of(tree)}),
        (QuizDraw.objects.filter(of_source), set(), draws),
    ]
    for found, known, wanted in rows:
        given = list(found.filter(uid__in=[uid for uid in wanted if uid not in known], origin=None))
        for row in given:
            row.origin, row.uid = row.uid, uuid4()
        if given:
            model: type[Model] = type(given[0])
            model._base_manager.bulk_update(given, ["origin", "uid"], batch_size=BATCH)  # noqa: SLF001 (all rows)
