"""Take changes of outlines back, without overwriting what others have changed since."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.arrangement import Arrangement, Chosen, PlaceLost, take_back
from apps.courses.errors import OutlineFull, UndoConflict
from apps.courses.models import Course, Lesson, OutlineChange, Question, QuizDraw, Section
from apps.courses.queries.draws import askable_bank
from apps.courses.queries.outline_changes import describe_change, undoable_changes
from apps.courses.services.bank import MAX_DRAWS
from apps.courses.services.course_files import record_uses
from apps.courses.services.locking import lock_course_row
from apps.courses.services.outline_changes import Kind, State, digest_contents, later_change, read_state
from apps.courses.services.outline_rows import (
    apply_arrangement,
    arrange,
    check_room,
    find_free_slug,
    moved,
    refresh_outline,
)
from apps.courses.services.quiz_counts import finish_change, quizzes_with_draws, recount_draws
from apps.courses.services.quizzes import check_room_for
from apps.courses.services.removed import lesson_holds
from apps.files import services as files
from apps.files.models import Upload
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce

FIRST_POSITION_OF_RETURNED_ROWS = 20_000  # above those in use, and those where rows wait that change places


def undo_change(*, change: OutlineChange, by: User, now: datetime) -> None:
    """Take a change of an outline back. What others have changed since stays as it is. Idempotent.

    :raises UndoConflict: the same was changed again since, or something it needs is gone.
    :raises OutlineFull, QuestionInvalid: the course or the quiz has no room for what would return.
    :raises NotFound: it is none of the last `UNDOABLE_CHANGES`, or older than `UNDO_PERIOD`.
    :raises CourseUnderReview: the course is under review.
    """
    with transaction.atomic():
        course = lock_course_row(change.course_id)
        enforce(policies.edit_course(by, course))
        change = OutlineChange.objects.select_related("made_by").get(pk=change.pk)
        if change.undone_at is not None:
            return
        if change.pk not in {one.pk for one in undoable_changes(course, now=now)}:
            raise NotFound
        if change.kind == Kind.QUESTION:
            _bring_questions_back(change, course, by=by, now=now)
        else:
            _undo_in_outline(change, course, by=by, now=now)
        change.undone_at = now
        change.save(update_fields=["undone_at"])
        refresh_outline(course, now=now)


def _undo_in_outline(change: OutlineChange, course: Course, *, by: User, now: datetime) -> None:
    state = read_state(course)
    _check_fields(change, state)
    order = change.facts.get("order")
    if order is not None:
        before, after = (Arrangement.of(order[name]) for name in ("before", "after"))
        if state.arrangement != after and (later := later_change(change)) is not None:
            raise UndoConflict(reason=_("It was changed again since. Undo this first: %s") % describe_change(later))
        _check_added(change, state)
        _cancel_uploads(change, by)
        try:
            target = take_back(before, after, state.arrangement, Chosen(**change.facts["moved"]))
        except PlaceLost:
            raise UndoConflict(
                reason=_("It can't return to its place: its section was deleted or filled with other lessons since.")
            ) from None
        removed = change.facts["removed"]
        check_room(course, sections=len(removed["sections"]), lessons=len(removed["lessons"]))
        _restore(course, removed)
        _remove_again(course, change, now)
        apply_arrangement(course, target)
        _follow_bank(course, removed["lessons"], by=by, now=now)
    _restore_fields(change, course, state)


def _restore_fields(change: OutlineChange, course: Course, state: State) -> None:
    """Give each row its former fields at once, so that it opens in one way all the time.

    :raises UndoConflict: the lesson would open on a date and after some days, as someone has set the other one since.
    """
    before: dict[tuple[str, int], dict[str, Any]] = defaultdict(dict)
    for kind, pk, name, was, _became in change.facts["fields"]:
        before[kind, pk][name] = was
    for (kind, pk), values in before.items():
        after = {**state.fields[kind, pk], **values}
        if after.get("opens_at") is not None and after.get("opens_after_days") is not None:
            raise UndoConflict(reason=_("“%s” was changed again since.") % after["title"])
        if values.get("opens_at"):
            values["opens_at"] = parse_datetime(values["opens_at"])
        rows = Section.objects if kind == "section" else Lesson.objects
        rows.filter(pk=pk, course=course).update(**values)


def _check_fields(change: OutlineChange, state: State) -> None:
    """
    :raises UndoConflict: a field has another value than the change gave it.
    """
    for kind, pk, name, _was, became in change.facts["fields"]:
        present = state.fields.get((kind, pk))
        if present is None:
            raise UndoConflict(reason=_("It was deleted since."))
        if present[name] != became:
            raise UndoConflict(reason=_("“%s” was changed again since.") % present["title"])


def _check_added(change: OutlineChange, state: State) -> None:
    """
    :raises UndoConflict: what the change added was edited since, holds lessons by now, or learners have begun it.
    """
    contents = change.facts.get("contents", {})
    lessons = [int(pk) for pk in contents]
    sections = {("section", int(pk)): title for pk, title in change.facts.get("titles", {}).items()}
    is_renamed = any(key in state.fields and state.fields[key]["title"] != title for key, title in sections.items())
    if is_renamed or (lessons and digest_contents(lessons, without_files=_with_own_files(change, lessons)) != contents):
        raise UndoConflict(reason=_("What was added has been edited since. Delete it instead."))
    added = change.facts["added"]
    for section, inside in state.arrangement.sections:
        if section in added["sections"] and not set(inside) <= set(added["lessons"]):
            raise UndoConflict(reason=_("The section has got lessons since. Delete it instead."))
    if any(hold(lessons) for hold in lesson_holds.ordered() if lessons):
        raise UndoConflict(reason=_("Learners have begun what was added. Delete it instead."))


def _with_own_files(change: OutlineChange, lessons: Collection[int]) -> set[int]:
    """Return those of the lessons that have no other file or video than the first one that was uploaded for them.

    For lessons that were made from files, this is no edit: it belongs to what added them. Two queries.
    """
    if "batch" not in change.facts:
        return set()
    columns = ("pk", "uid", "video_id", "file_id")
    rows = {str(row["uid"]): row for row in Lesson.objects.filter(pk__in=lessons).values(*columns)}
    uploads = Upload.objects.of(change.made_by_id or 0).filter(target__in=rows).exclude(purpose=Upload.Purpose.PARTIAL)
    first = {one.target: one for one in uploads.order_by("-pk")}
    return {
        row["pk"]
        for uid, row in rows.items()
        if uid in first and row["video_id"] in {None, first[uid].video_id} and row["file_id"] in {None, first[uid].pk}
    }


def _cancel_uploads(change: OutlineChange, by: User) -> None:
    """Cancel the user's unfinished uploads for lessons that were made from these files.

    :raises UndoConflict: someone else uploads a file for what was added, or it was added in another way.
    """
    added = Lesson.objects.filter(pk__in=change.facts["added"]["lessons"]).values_list("uid", flat=True)
    targets = [str(uid) for uid in added]
    for upload in Upload.objects.open().filter(target__in=targets, part_of=None).order_by("pk") if targets else ():
        if "batch" not in change.facts or upload.owner_id != by.pk:
            raise UndoConflict(reason=_("A file is being uploaded for what was added. Delete it instead."))
        files.cancel_upload(upload=upload, by=by)


def _restore(course: Course, removed: dict[str, list[int]]) -> None:
    """Bring rows back, aside of the live ones. A lesson whose address was taken since gets another one.

    :raises UndoConflict: they were deleted for good.
    """
    sections = list(Section.with_removed.filter(course=course, pk__in=removed["sections"]))
    lessons = list(Lesson.with_removed.filter(course=course, pk__in=removed["lessons"]).order_by("pk"))
    if len(sections) != len(removed["sections"]) or len(lessons) != len(removed["lessons"]):
        raise UndoConflict(reason=_("It was deleted for good."))
    taken = set(course.lessons.values_list("slug", flat=True))
    for place, section in enumerate(sections):
        section.removed_at, section.removed_by, section.position = None, None, FIRST_POSITION_OF_RETURNED_ROWS + place
    for place, lesson in enumerate(lessons):
        lesson.removed_at, lesson.removed_by, lesson.position = None, None, FIRST_POSITION_OF_RETURNED_ROWS + place
        if lesson.slug in taken:
            lesson.slug = find_free_slug(taken, lesson.slug)
        taken.add(lesson.slug)
    Section.with_removed.bulk_update(sections, ["removed_at", "removed_by", "position"])
    Lesson.with_removed.bulk_update(lessons, ["removed_at", "removed_by", "position", "slug"], batch_size=200)


def _follow_bank(course: Course, lessons: Collection[int], *, by: User, now: datetime) -> None:
    """Let the quizzes of lessons that came back follow what happened to the question bank meanwhile."""
    drawing = [quiz for quiz in quizzes_with_draws(course) if quiz.lesson.pk in lessons]
    bank = askable_bank(course) if drawing else []
    if drawing:
        recount_draws(course, now, bank)
    for quiz in drawing:
        record_uses(course=course, by=by, lesson=quiz.lesson, bank=bank, now=now)


def _remove_again(course: Course, change: OutlineChange, now: datetime) -> None:
    """Remove what the change has added."""
    gone = {"removed_at": now, "removed_by": change.made_by}
    added = change.facts["added"]
    Lesson.objects.filter(course=course, pk__in=added["lessons"]).update(**gone)
    Section.objects.filter(course=course, pk__in=added["sections"]).update(**gone)


def _bring_questions_back(change: OutlineChange, course: Course, *, by: User, now: datetime) -> None:
    for pk, quiz_pk, position in change.facts["questions"]:
        question = Question.with_removed.select_related("quiz__lesson").filter(pk=pk, quiz=quiz_pk).first()
        if question is None or (question.quiz.lesson_id and question.quiz.lesson.is_removed):
            raise UndoConflict(reason=_("Its quiz was deleted since."))
        if not question.is_removed:
            continue
        quiz = question.quiz
        check_room_for(quiz, question.kind)
        order = list(quiz.questions.order_by("position").values_list("pk", flat=True))
        question.removed_at, question.removed_by, question.position = None, None, FIRST_POSITION_OF_RETURNED_ROWS
        question.save(update_fields=["removed_at", "removed_by", "position"])
        arrange(quiz.questions.all(), moved(order, pk, position))
        for draw_quiz, draw_position in change.facts["draws"]:
            _link_again(draw_quiz, question, draw_position, course)
        finish_change(quiz, course, by, now)


def _link_again(quiz_pk: int, question: Question, position: int, course: Course) -> None:
    """Link a question of the bank to a quiz again, unless the quiz is gone for good or links it already.

    A quiz that is removed itself gets its link too: it may come back.

    :raises OutlineFull: the quiz has got as many other draws as it can have.
    """
    is_known = Lesson.with_removed.filter(course=course, quiz=quiz_pk).exists()
    if not is_known or question.draws.filter(quiz=quiz_pk).exists():
        return
    draws = QuizDraw.objects.filter(quiz=quiz_pk)
    if draws.count() >= MAX_DRAWS:
        raise OutlineFull(limit=MAX_DRAWS)
    order = list(draws.order_by("position").values_list("pk", flat=True))
    draw = QuizDraw.objects.create(quiz_id=quiz_pk, position=FIRST_POSITION_OF_RETURNED_ROWS, question=question)
    arrange(draws, moved(order, draw.pk, position))
