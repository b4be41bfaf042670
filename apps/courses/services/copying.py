"""Copies of the rows of lessons, sections and quizzes. Contents are shared by rows: no upload or video is copied.

Nothing that learners did is copied. Which rows of other tables a copy gets, `tests/courses/test_copying.py` lists, so
that a new table is not forgotten.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from django.db import models
from django.db.models import Max
from django.utils.text import slugify
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses.errors import OutlineFull
from apps.courses.models import (
    Course,
    CourseFile,
    CourseFileUse,
    Lesson,
    LessonDownload,
    OutlineChange,
    Question,
    QuestionTag,
    Quiz,
    QuizDraw,
    Section,
)
from apps.courses.services.outline_rows import find_free_slug, slugs_in_use
from apps.courses.services.quizzes import BANK_LIMIT, copied_columns

FIRST_POSITION_OF_COPIES = 15_000  # positions of copies until they are put in their place
TITLE_LENGTH = 120  # code points
M = TypeVar("M", bound=models.Model)


@dataclass
class Copies:
    """What was copied: the copies by the primary key of their originals. ``removals``: of originals that were moved."""

    sections: dict[int, Section] = field(default_factory=dict)
    lessons: dict[int, Lesson] = field(default_factory=dict)
    questions: dict[int, Question] = field(default_factory=dict)
    tags: dict[int, QuestionTag] = field(default_factory=dict)
    removals: list[OutlineChange] = field(default_factory=list)

    @property
    def uids(self) -> list[UUID]:
        """The copied sections and lessons."""
        return [one.uid for one in self.sections.values()] + [one.uid for one in self.lessons.values()]


def columns_of(row: models.Model, *, without: Collection[str]) -> dict[str, Any]:
    """Return the columns of a row for its copy, by the names of their attributes."""
    skipped = {"id", "uid", "origin", "since_version", "removed_at", "removed_by", *without}
    fields = row._meta.concrete_fields  # noqa: SLF001 (public by Django's documentation)
    return {one.attname: getattr(row, one.attname) for one in fields if one.name not in skipped}


def name_copy(title: str) -> str:
    """Return the title of a copy beside its original."""
    suffix = _("(copy)")
    return f"{title[: TITLE_LENGTH - len(suffix) - 1].rstrip()} {suffix}"


def copy_sections(sections: Collection[int], into: Course, copies: Copies, *, is_named_copy: bool = False) -> None:
    rows = Section.objects.filter(pk__in=sections).order_by("position")
    made = [
        (
            row.pk,
            Section(
                course=into,
                title=name_copy(row.title) if is_named_copy else row.title,
                position=FIRST_POSITION_OF_COPIES + place,
            ),
        )
        for place, row in enumerate(rows)
    ]
    Section.objects.bulk_create([copy for _pk, copy in made])
    copies.sections |= dict(made)


def copy_lessons(
    pairs: Sequence[tuple[Lesson, Section]],
    source: Course,
    into: Course,
    copies: Copies,
    by: User,
    now: datetime,
    *,
    is_named_copy: bool = False,
) -> None:
    """Copy lessons of one course with their quizzes, files and downloads, each into its section, behind all others."""
    if not pairs:
        return
    is_same = source.pk == into.pk
    taken = slugs_in_use(into)
    made: dict[int, Lesson] = {}
    for place, (row, section) in enumerate(pairs):
        copy = Lesson(**columns_of(row, without={"course", "section", "position", "number", "slug"}))
        copy.course, copy.section, copy.position = into, section, FIRST_POSITION_OF_COPIES + place
        copy.title = name_copy(row.title) if is_named_copy else row.title
        copy.slug = find_free_slug(taken, slugify(copy.title) if is_same else row.slug)
        taken.add(copy.slug)
        if row.video is not None and not is_same and row.video.owner_id not in {into.instructor_id, by.pk}:
            copy.video, copy.duration = None, 0
        made[row.pk] = copy
    Lesson.objects.bulk_create(made.values(), batch_size=200)
    copies.lessons |= made
    _copy_prerequisites(made, is_same=is_same)
    _copy_quizzes(made, source, into, copies, now)
    _copy_uses(made, into, by, now)


def _copy_prerequisites(made: Mapping[int, Lesson], *, is_same: bool) -> None:
    """Copies require the copies of what their originals require, or the same in the same course."""
    through = Lesson.prerequisites.through
    links = through.objects.filter(from_lesson__in=made).order_by("pk").values_list("from_lesson", "to_lesson")
    through.objects.bulk_create(
        through(from_lesson_id=made[waits].pk, to_lesson_id=made[needs].pk if needs in made else needs)
        for waits, needs in links
        if needs in made or is_same
    )


def _copy_quizzes(made: Mapping[int, Lesson], source: Course, into: Course, copies: Copies, now: datetime) -> None:
    quizzes = {row.pk: row for row in Quiz.objects.filter(lesson__in=made)}
    new = {
        pk: Quiz(lesson=made[row.lesson_id or 0], **columns_of(row, without={"lesson", "course"}))
        for pk, row in quizzes.items()
    }
    Quiz.objects.bulk_create(new.values())
    questions = list(Question.objects.filter(quiz__in=quizzes).order_by("quiz", "position"))
    copy_questions(questions, new, copies, is_same=source.pk == into.pk)
    _copy_tags(questions, source, into, copies)
    draws = list(QuizDraw.objects.filter(quiz__in=quizzes).order_by("quiz", "position").prefetch_related("tags"))
    if draws and source.pk != into.pk:
        _bring_bank(draws, source, into, copies)
    made_draws = []
    for row in draws:
        question = copies.questions.get(row.question_id or 0)
        if row.question_id is None or question is not None or source.pk == into.pk:
            question_pk = question.pk if question is not None and source.pk != into.pk else row.question_id
            draw = QuizDraw(quiz=new[row.quiz_id], position=row.position, question_id=question_pk, count=row.count)
            made_draws.append((row, draw))
    QuizDraw.objects.bulk_create(draw for _row, draw in made_draws)
    for row, draw in made_draws:
        tags = list(row.tags.all())
        if tags:
            draw.tags.set([copies.tags.get(tag.pk, tag) for tag in tags])


def copy_questions(
    rows: Sequence[Question], quizzes: Mapping[int, Quiz], copies: Copies, *, is_same: bool, first: int = 0
) -> None:
    """Copy questions to the quizzes that stand for theirs; ``first`` is added to their positions."""
    made: dict[int, Question] = {}
    for row in rows:
        columns = columns_of(row, without={"quiz", "position", "rewatch_lesson"})
        lesson = copies.lessons.get(row.rewatch_lesson_id or 0)
        rewatch = lesson.pk if lesson is not None else row.rewatch_lesson_id if is_same else None
        columns["rewatch_at"] = row.rewatch_at if rewatch is not None else None
        made[row.pk] = Question(
            quiz=quizzes[row.quiz_id], position=row.position + first, rewatch_lesson_id=rewatch, **columns
        )
    Question.objects.bulk_create(made.values(), batch_size=200)
    copies.questions |= made


def _copy_tags(rows: Sequence[Question], source: Course, into: Course, copies: Copies) -> None:
    """Give copies of a quiz's questions the tags of their originals: of the same bank, or of that of their course."""
    through: Any = Question.tags.through  # made by Django
    links = list(through.objects.filter(question__in=rows).values_list("question_id", "questiontag_id"))
    if links and source.pk != into.pk:
        bank, _made = Quiz.objects.get_or_create(course=into)
        _bring_tags(QuestionTag.objects.filter(pk__in={tag for _question, tag in links}), bank, copies)
    through.objects.bulk_create(
        through(
            question_id=copies.questions[question].pk,
            questiontag_id=tag if source.pk == into.pk else copies.tags[tag].pk,
        )
        for question, tag in links
    )


def _bring_tags(tags: Iterable[QuestionTag], bank: Quiz, copies: Copies) -> None:
    for tag in tags:
        if tag.pk not in copies.tags:
            copies.tags[tag.pk], _made = QuestionTag.objects.get_or_create(
                bank=bank, key=tag.key, defaults={"name": tag.name}
            )


def _bring_bank(draws: Iterable[QuizDraw], source: Course, into: Course, copies: Copies) -> None:
    """Copy to the bank of a course what draws from the bank of another one need. What is there already stays one.

    :raises OutlineFull: the bank would have too many questions.
    """
    bank, _made = Quiz.objects.get_or_create(course=into)
    rows = list(Question.objects.filter(quiz__course=source).order_by("position").prefetch_related("tags"))
    linked = {draw.question_id for draw in draws}
    sets = [{tag.pk for tag in draw.tags.all()} for draw in draws if draw.question_id is None]
    needed = [
        row for row in rows if row.pk in linked or any(wanted <= {tag.pk for tag in row.tags.all()} for wanted in sets)
    ]
    missing = _match_questions([row for row in needed if row.pk not in copies.questions], bank, copies)
    last = Question.objects.filter(quiz=bank).aggregate(last=Max("position"))["last"] or 0
    for place, row in enumerate(missing, start=1):
        row.position = last + place
    copy_questions(missing, {row.quiz_id: bank for row in missing}, copies, is_same=False)
    _bring_tags([tag for row in needed for tag in row.tags.all()], bank, copies)
    _bring_tags([tag for draw in draws for tag in draw.tags.all()], bank, copies)
    for row in needed:
        copies.questions[row.pk].tags.add(*(copies.tags[tag.pk] for tag in row.tags.all()))


def _match_questions(rows: Sequence[Question], bank: Quiz, copies: Copies) -> list[Question]:
    """Note for each question the same one of the bank; return those that the bank lacks.

    Questions that say the same get one each: a quiz may ask both, and each can be linked to it only once.

    :raises OutlineFull: the bank has no room for those that it lacks.
    """
    present: dict[str, list[Question]] = {}
    count = 0
    for row in Question.objects.filter(quiz=bank).order_by("-position"):
        present.setdefault(_contents_of(row), []).append(row)
        count += 1
    missing = []
    for row in rows:
        if same := present.get(_contents_of(row)):
            copies.questions[row.pk] = same.pop()
        else:
            missing.append(row)
    if count + len(missing) > BANK_LIMIT:
        raise OutlineFull(limit=BANK_LIMIT)
    return missing


def _contents_of(question: Question) -> str:
    columns = copied_columns(question)
    return repr([columns[name] for name in columns if not name.startswith("rewatch")])


def copy_files(files: Iterable[CourseFile], into: Course, by: User, now: datetime) -> dict[Any, CourseFile]:
    """Give the course rows of its own for these files of other courses, and return all by uid. Contents are shared."""
    wanted = {file.uid: file for file in files}
    found = {file.uid: file for file in CourseFile.objects.filter(course=into, uid__in=wanted)}
    new = [
        CourseFile(
            uid=uid,
            course=into,
            **{**columns_of(file, without={"course"}), "added_by_id": by.pk, "added_at": now, "unused_since": now},
        )
        for uid, file in wanted.items()
        if uid not in found
    ]
    CourseFile.objects.bulk_create(new)
    return found | {file.uid: file for file in new}


def _copy_uses(made: Mapping[int, Lesson], into: Course, by: User, now: datetime) -> None:
    """The copies show and offer the files that their originals show and offer."""
    uses = list(CourseFileUse.objects.filter(lesson__in=made, ended_at=None).select_related("file"))
    downloads = list(LessonDownload.objects.filter(lesson__in=made).order_by("position").select_related("file"))
    files = copy_files([*(use.file for use in uses), *(row.file for row in downloads)], into, by, now)
    CourseFileUse.objects.bulk_create(
        CourseFileUse(file=files[use.file.uid], place=use.place, lesson=made[use.lesson_id or 0]) for use in uses
    )
    LessonDownload.objects.bulk_create(
        LessonDownload(lesson=made[row.lesson_id], file=files[row.file.uid], name=row.name, position=row.position)
        for row in downloads
    )
