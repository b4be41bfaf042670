"""What one content tree has that another one hasn't, by lessons, fields and questions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from apps.courses.arrangement import Arrangement, Difference, compare
from apps.courses.content_tree.shape import (
    COURSE_COLUMNS,
    LESSON_COLUMNS,
    QUESTION_COLUMNS,
    QUIZ_COLUMNS,
    Tree,
    lessons_of,
)
from apps.courses.content_tree.text_differences import Paragraph, compare_texts, count_changed_words

TEXT_FIELDS = frozenset(
    {"title", "summary", "description", "before_you_begin", "body", "intro", "prompt", "explanation"}
)
_NO_ROW: Mapping[str, Any] = {}


@dataclass(frozen=True)
class FieldChange:
    """A field with another value. ``name`` is the column of the tree; a quiz's ones begin with "quiz."."""

    name: str
    before: Any
    after: Any

    @property
    def is_text(self) -> bool:
        return self.name.removeprefix("quiz.") in TEXT_FIELDS

    @cached_property
    def paragraphs(self) -> list[Paragraph]:
        """What differs within a text; empty for other fields."""
        return compare_texts(self.before or "", self.after or "") if self.is_text else []

    @cached_property
    def changed_words(self) -> int:
        """How many words of a text differ; 0 for other fields."""
        return count_changed_words(self.before or "", self.after or "") if self.is_text else 0


@dataclass(frozen=True)
class ItemChange:
    """A section or a lesson that was added, removed, moved, or whose fields changed."""

    uid: str
    title: str
    is_added: bool = False
    is_removed: bool = False
    is_moved: bool = False
    fields: tuple[FieldChange, ...] = ()

    @property
    def state(self) -> str:
        """ "added", "removed", "changed" or, if nothing else happened, "moved"."""
        if self.is_added or self.is_removed:
            return "added" if self.is_added else "removed"
        return "changed" if self.is_changed else "moved"

    @property
    def is_changed(self) -> bool:
        return bool(self.fields)


@dataclass(frozen=True)
class QuestionChange(ItemChange):
    """A question; ``title`` is its prompt. ``is_answer_changed``: another answer is right, or earns other points."""

    kind: str = ""
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None

    @property
    def is_answer_changed(self) -> bool:
        return any(field.name in {"answer", "points", "all_or_nothing", "kind"} for field in self.fields)


@dataclass(frozen=True)
class LessonChange(ItemChange):
    """A lesson with the changes of its quiz. Numbers are as learners see them, like "2.4"; "" where there is none."""

    kind: str = ""
    number_before: str = ""
    number_after: str = ""
    section_before: str = ""
    section_after: str = ""
    questions: tuple[QuestionChange, ...] = ()

    @property
    def is_changed(self) -> bool:
        return bool(self.fields or self.questions)

    @property
    def video_before(self) -> str | None:
        """The uid of the former video, if it was replaced or taken out."""
        return next((field.before for field in self.fields if field.name == "video"), None)

    @property
    def video_after(self) -> str | None:
        return next((field.after for field in self.fields if field.name == "video"), None)


@dataclass(frozen=True)
class TreeDifference:
    """All that differs: of the course page, of sections, of lessons in their order, and of the question bank."""

    course: tuple[FieldChange, ...]
    sections: tuple[ItemChange, ...]
    lessons: tuple[LessonChange, ...]
    bank: tuple[QuestionChange, ...]

    @property
    def is_empty(self) -> bool:
        return not self.count

    @property
    def count(self) -> int:
        """How many changes a reader counts: each field of the course page, and each section, lesson and question."""
        return len(self.course) + len(self.sections) + len(self.lessons) + len(self.bank)

    @property
    def removed_lessons(self) -> list[str]:
        return [lesson.uid for lesson in self.lessons if lesson.is_removed]

    @property
    def questions(self) -> Iterator[QuestionChange]:
        """Those of the bank and of all quizzes."""
        yield from self.bank
        for lesson in self.lessons:
            yield from lesson.questions


def diff_trees(before: Tree, after: Tree) -> TreeDifference:
    """Return what led from one tree to the other. Files count where something shows them, captions by their digest."""
    moves, uids = _compare_places(before, after)
    return TreeDifference(
        course=tuple(_course_changes(before, after)),
        sections=tuple(_section_changes(before, after, {uids[pk] for pk in moves.moved_sections})),
        lessons=tuple(_lesson_changes(before, after, {uids[pk] for pk in moves.moved_lessons})),
        bank=tuple(compare_questions(_questions(before["bank"]), _questions(after["bank"]))),
    )


def _compare_places(before: Tree, after: Tree) -> tuple[Difference, list[str]]:
    """Return the difference of both outlines; it names rows by their place in the list of uids."""
    uids: list[str] = []
    places: dict[tuple[str, str], int] = {}

    def place(kind: str, uid: str) -> int:
        if (kind, uid) not in places:
            places[kind, uid] = len(uids)
            uids.append(uid)
        return places[kind, uid]

    def arrange(tree: Tree) -> Arrangement:
        return Arrangement.of(
            (place("section", one["uid"]), [place("lesson", lesson["uid"]) for lesson in one["lessons"]])
            for one in tree["sections"]
        )

    return compare(arrange(before), arrange(after)), uids


def _fields(
    before: Mapping[str, Any], after: Mapping[str, Any], names: Sequence[str], prefix: str = ""
) -> Iterator[FieldChange]:
    for name in names:
        if before.get(name) != after.get(name):
            yield FieldChange(prefix + name, before.get(name), after.get(name))


def _course_changes(before: Tree, after: Tree) -> Iterator[FieldChange]:
    yield from _fields(before["course"], after["course"], (*COURSE_COLUMNS, "subject", "prerequisites"))
    yield from _fields(before, after, ("picture",))


def _section_changes(before: Tree, after: Tree, moved: set[str]) -> Iterator[ItemChange]:
    old = {one["uid"]: one for one in before["sections"]}
    new = {one["uid"]: one for one in after["sections"]}
    for uid, section in new.items():
        was = old.get(uid)
        fields = tuple(_fields(was, section, ("title",))) if was is not None else ()
        if was is None or fields or uid in moved:
            yield ItemChange(uid, section["title"], is_added=was is None, is_moved=uid in moved, fields=fields)
    for uid in old.keys() - new.keys():
        yield ItemChange(uid, old[uid]["title"], is_removed=True)


def _placed(tree: Tree) -> dict[str, tuple[dict[str, Any], str, str]]:
    """Return the lessons by uid, each with its number and the title of its section."""
    return {
        lesson["uid"]: (lesson, f"{place}.{at}", section["title"])
        for place, section in enumerate(tree["sections"], start=1)
        for at, lesson in enumerate(section["lessons"], start=1)
    }


def _lesson_changes(before: Tree, after: Tree, moved: set[str]) -> Iterator[LessonChange]:
    """Yield the lessons in the order of the outline; one that was removed stands where it was."""
    old, new = _placed(before), _placed(after)
    titles = {uid: lesson["title"] for uid, (lesson, _number, _section) in {**old, **new}.items()}
    for uid in _in_order(before, after):
        lesson, number, section = new.get(uid, (_NO_ROW, "", ""))
        was, number_before, section_before = old.get(uid, (_NO_ROW, "", ""))
        fields = tuple(_lesson_fields(was, lesson, titles)) if lesson and was else ()
        questions = tuple(compare_questions(_questions(was.get("quiz")), _questions(lesson.get("quiz"))))
        if lesson and was and not fields and not questions and uid not in moved:
            continue
        shown = lesson or was
        yield LessonChange(
            uid,
            shown["title"],
            is_added=not was,
            is_removed=not lesson,
            is_moved=uid in moved,
            fields=fields,
            kind=shown["kind"],
            number_before=number_before,
            number_after=number,
            section_before=section_before,
            section_after=section,
            questions=questions,
        )


def _in_order(before: Tree, after: Tree) -> list[str]:
    """Return the uids of the lessons of both trees: each removed one behind the one before it."""
    order = [lesson["uid"] for lesson in lessons_of(after)]
    known = set(order)
    last: str | None = None
    for lesson in lessons_of(before):
        if lesson["uid"] not in known:
            order.insert(order.index(last) + 1 if last is not None else 0, lesson["uid"])
            known.add(lesson["uid"])
        last = lesson["uid"]
    return order


def _lesson_fields(
    before: Mapping[str, Any], after: Mapping[str, Any], titles: Mapping[str, str]
) -> Iterator[FieldChange]:
    # The length follows from the contents, except of a video elsewhere, whose author has entered it.
    counted = () if before["external_video"] and after["external_video"] else ("duration",)
    columns = [name for name in (*LESSON_COLUMNS, "video", "file", "downloads", "captions") if name not in counted]
    yield from _fields(before, after, columns)
    if before["prerequisites"] != after["prerequisites"]:
        names = ([titles.get(uid, "") for uid in lesson["prerequisites"]] for lesson in (before, after))
        yield FieldChange("prerequisites", *names)
    old, new = before["quiz"] or _NO_ROW, after["quiz"] or _NO_ROW
    yield from _fields(old, new, QUIZ_COLUMNS, prefix="quiz.")
    draws = [[(draw["question"], draw["tags"], draw["count"]) for draw in quiz.get("draws", ())] for quiz in (old, new)]
    if draws[0] != draws[1]:
        yield FieldChange("quiz.draws", old.get("draws", []), new.get("draws", []))


def _questions(quiz: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    return quiz["questions"] if quiz else []


def compare_questions(
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
) -> Iterator[QuestionChange]:
    """Yield the questions of a quiz, or of the bank, that were added, changed, moved or removed."""
    old, new = ({one["uid"]: one for one in rows} for rows in (before, after))
    places = {uid: place for place, uid in enumerate([*old, *(uid for uid in new if uid not in old)])}
    uids = list(places)
    former, present = (Arrangement.of([(-1, [places[uid] for uid in rows])]) for rows in (old, new))
    moved = {uids[pk] for pk in compare(former, present).moved_lessons}
    columns = (*QUESTION_COLUMNS, "rewatch_lesson", "tags")
    for uid, question in new.items():
        was = old.get(uid)
        fields = tuple(_fields(was, question, columns)) if was is not None else ()
        if was is None or fields or uid in moved:
            yield QuestionChange(
                uid,
                question["prompt"],
                is_added=was is None,
                is_moved=uid in moved,
                fields=fields,
                kind=question["kind"],
                before=was,
                after=question,
            )
    for uid, was in old.items():
        if uid not in new:
            yield QuestionChange(uid, was["prompt"], is_removed=True, kind=was["kind"], before=was)
