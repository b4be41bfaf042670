"""Sections and lessons duplicated in their course or inserted in another one, and whole courses duplicated."""

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.arrangement import Arrangement
from apps.courses.events import CourseDuplicated, CourseEdited
from apps.courses.models import (
    Course,
    CourseFile,
    CourseFileUse,
    CoursePicture,
    Lesson,
    OutlineChange,
    Question,
    QuestionTag,
    Quiz,
)
from apps.courses.picture_files import Crop
from apps.courses.queries.openings import add_days
from apps.courses.services.copying import (
    Copies,
    columns_of,
    copy_files,
    copy_lessons,
    copy_questions,
    copy_sections,
    name_copy,
)
from apps.courses.services.courses import CourseTexts, create_course
from apps.courses.services.locking import lock_course_row
from apps.courses.services.outline_changes import Kind, recording
from apps.courses.services.outline_rows import (
    apply_arrangement,
    check_room,
    lock_course,
    read_arrangement,
    refresh_outline,
)
from apps.courses.services.pictures import set_picture
from apps.courses.services.quiz_counts import recount_draws
from studyplatform.kit.errors import AppError, NotFound
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce


def duplicate_items(
    *, course: Course, by: User, sections: Collection[int] = (), lessons: Collection[int] = (), now: datetime
) -> tuple[OutlineChange | None, Copies]:
    """Put a copy behind each of these sections, with its lessons, and behind each of these lessons.

    :raises OutlineFull: the course would have too many sections or lessons.
    :raises NotFound: something is not in the course.
    """
    with transaction.atomic():
        course = lock_course(course, by)
        present = read_arrangement(course)
        if not set(sections) <= set(present.section_pks) or not set(lessons) <= set(present.lesson_pks):
            raise NotFound
        inside = dict(present.sections)
        wanted = {pk for section in sections for pk in inside[section]}
        check_room(course, sections=len(set(sections)), lessons=len(wanted) + len(set(lessons)))
        copies = Copies()
        with recording(course, made_by=by, kind=Kind.DUPLICATE, now=now) as recorded:
            copy_sections(sections, course, copies, is_named_copy=True)
            rows = _rows_of(wanted)
            copy_lessons([(row, copies.sections[row.section_id]) for row in rows], course, course, copies, by, now)
            in_sections = dict(copies.lessons)
            rows = _rows_of(lessons)
            single = Copies()
            copy_lessons([(row, row.section) for row in rows], course, course, single, by, now, is_named_copy=True)
            target: list[tuple[int, list[int]]] = []
            for section, row_pks in present.sections:
                target.append((section, _with_copies(row_pks, single.lessons)))
                if section in copies.sections:
                    target.append((copies.sections[section].pk, [in_sections[pk].pk for pk in row_pks]))
            apply_arrangement(course, Arrangement.of(target))
            refresh_outline(course, now=now)
        copies.lessons |= single.lessons
    return recorded.change, copies


def _with_copies(row: Iterable[int], copies: Mapping[int, Lesson]) -> list[int]:
    return [pk for one in row for pk in ([one, copies[one].pk] if one in copies else [one])]


def _rows_of(lessons: Collection[int]) -> list[Lesson]:
    """Return these lessons in the order of the outline."""
    found = Lesson.objects.filter(pk__in=lessons).select_related("section", "video")
    return list(found.order_by("section__position", "position"))


def duplicate_course(
    *, course: Course, by: User, key: UUID, title: str = "", shift_days: int = 0, now: datetime
) -> Course:
    """Make a draft with everything that the authors of a course wrote, and nothing that its learners did.

    Its lessons open ``shift_days`` later, at the same time of day. ``key`` names the copy: asked for twice, it is made
    once. Prices are copied; promo codes, bundles and learning paths are not.

    :raises RoleRequired, EmailNotVerified: the user may not create courses.
    :raises CourseNotFound, OnlyForInstructor: the user is not its instructor.
    :raises DraftClosed: it is a next version that was published or discarded meanwhile.
    """
    enforce(policies.own_course(by, course))
    enforce(policies.create_course(by))
    with transaction.atomic():
        course = lock_course_row(course.pk)
        known = Course.objects.filter(copy_key=key, copied_from=course).first()
        if known is not None:
            return known
        copy = _copy_course(course, by, key, title, now)
        copies = Copies()
        _copy_bank(course, copy, copies)
        sections = list(course.sections.order_by("position"))
        copy_sections([one.pk for one in sections], copy, copies)
        rows = _rows_of(list(course.lessons.values_list("pk", flat=True)))
        copy_lessons([(row, copies.sections[row.section_id]) for row in rows], course, copy, copies, by, now)
        _set_rewatch(course, copies)
        _shift(copies.lessons.values(), shift_days)
        inside: dict[int, list[int]] = {copies.sections[one.pk].pk: [] for one in sections}
        for row in rows:
            inside[copies.sections[row.section_id].pk].append(copies.lessons[row.pk].pk)
        apply_arrangement(copy, Arrangement.of(inside.items()))
        _copy_course_files(course, copy, by, now)
        recount_draws(copy, now)
        refresh_outline(copy, now=now)
        publish(CourseEdited(course_id=copy.pk))
        publish(CourseDuplicated(course_id=copy.pk, source_id=course.pk))
    _copy_picture(course, copy, by, now)
    return copy


def _copy_course(course: Course, by: User, key: UUID, title: str, now: datetime) -> Course:
    texts = {name: getattr(course, name) for name in CourseTexts.__dataclass_fields__ if name != "prerequisites"}
    texts |= {"title": title.strip() or name_copy(course.title), "is_announced": False}
    owner = course.instructor if policies.create_course(course.instructor) is None else by
    copy = create_course(by=owner, texts=CourseTexts(**texts, prerequisites=list(course.prerequisites.all())), now=now)
    copy.copied_from, copy.copy_key, copy.requires_order = course, key, course.requires_order
    copy.save(update_fields=["copied_from", "copy_key", "requires_order"])
    return copy


def _copy_bank(course: Course, copy: Course, copies: Copies) -> None:
    bank = Quiz.objects.filter(course=course).first()
    if bank is None:
        return
    new = Quiz.objects.create(course=copy, **columns_of(bank, without={"lesson", "course"}))
    tags = list(QuestionTag.objects.filter(bank=bank))
    copies.tags = {tag.pk: QuestionTag(bank=new, name=tag.name, key=tag.key) for tag in tags}
    QuestionTag.objects.bulk_create(copies.tags.values())
    rows = list(Question.objects.filter(quiz=bank).order_by("position"))
    copy_questions(rows, {bank.pk: new}, copies, is_same=False)
    through: Any = Question.tags.through  # made by Django
    links = through.objects.filter(question__in=rows).values_list("question_id", "questiontag_id")
    through.objects.bulk_create(
        through(question_id=copies.questions[question].pk, questiontag_id=copies.tags[tag].pk)
        for question, tag in links
    )


def _set_rewatch(course: Course, copies: Copies) -> None:
    """Questions of the bank were copied before the lessons that they name."""
    named = Question.objects.filter(quiz__course=course, rewatch_lesson__in=copies.lessons)
    changed = []
    for row in named:
        copy = copies.questions[row.pk]
        copy.rewatch_lesson, copy.rewatch_at = copies.lessons[row.rewatch_lesson_id or 0], row.rewatch_at
        changed.append(copy)
    Question.objects.bulk_update(changed, ["rewatch_lesson", "rewatch_at"], batch_size=200)


def _shift(lessons: Iterable[Lesson], days: int) -> None:
    """Let lessons open so much later, at the same time of day in the zone of the site: also across daylight saving."""
    dated = [lesson for lesson in lessons if lesson.opens_at is not None] if days else []
    for lesson in dated:
        if lesson.opens_at is not None:
            lesson.opens_at = add_days(lesson.opens_at, days)
    Lesson.objects.bulk_update(dated, ["opens_at"], batch_size=200)


def _copy_course_files(course: Course, copy: Course, by: User, now: datetime) -> None:
    """All files of the course, also those that no text shows yet, and what the course page shows."""
    files = copy_files(CourseFile.objects.filter(course=course), copy, by, now)
    shown = CourseFileUse.objects.filter(file__course=course, lesson=None, ended_at=None).select_related("file")
    known = set(CourseFileUse.objects.filter(file__course=copy, lesson=None).values_list("file__uid", flat=True))
    CourseFileUse.objects.bulk_create(
        CourseFileUse(file=files[use.file.uid], place=use.place) for use in shown if use.file.uid not in known
    )


def _copy_picture(course: Course, copy: Course, by: User, now: datetime) -> None:
    """The copy has a picture of its own from the same file; without it, it shows its artwork."""
    picture = CoursePicture.objects.select_related("upload").filter(course=course).first()
    if picture is not None:
        with suppress(AppError):
            crop = Crop(picture.x, picture.y, picture.zoom)
            set_picture(course=copy, by=by, source=picture.upload, alt=picture.alt, crop=crop, now=now)
