"""The quizzes of a course and its question bank, made equal to those of a content tree."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from django.db.models import F

from apps.courses.content_tree.shape import QUESTION_COLUMNS, QUIZ_COLUMNS, Tree, quizzes_of
from apps.courses.models import Lesson, Question, QuestionTag, Quiz, QuizDraw
from apps.courses.queries.draws import Draw, count_drawn
from apps.courses.services.applying_rows import BATCH, Target
from apps.courses.services.outline_rows import ASIDE
from apps.courses.services.quiz_counts import QUESTION_LIMIT, SECONDS_PER_QUESTION, essays_left

_WRITTEN = (*QUESTION_COLUMNS, "rewatch_lesson", "quiz", "position", "removed_at", "removed_by")
_ANSWERS = ("kind", "answer", "points", "all_or_nothing")


def apply_quizzes(target: Target) -> None:
    """Write quizzes, questions with their tags, and draws."""
    _write_quizzes(target)
    tags = _write_tags(target)
    _write_questions(target)
    _tag_questions(target, tags)
    _write_draws(target, tags)
    QuestionTag.objects.filter(bank__course=target.course, questions=None, draws=None).delete()


def _write_quizzes(target: Target) -> None:
    new, changed = [], []
    for uid, wanted in quizzes_of(target.tree):
        quiz = target.quizzes.get(uid)
        if quiz is None:
            quiz = Quiz(course=target.course) if uid is None else Quiz(lesson=target.lessons[uid])
            target.quizzes[uid] = quiz
            new.append(quiz)
        if uid is not None:
            if quiz.pk is not None and any(getattr(quiz, name) != wanted[name] for name in QUIZ_COLUMNS):
                changed.append(quiz)
            for name in QUIZ_COLUMNS:
                setattr(quiz, name, wanted[name])
    Quiz.objects.bulk_create(new)
    Quiz.objects.bulk_update(changed, QUIZ_COLUMNS, batch_size=BATCH)


def _tag_names(tree: Tree) -> dict[str, str]:
    """Return the names of all tags by key."""
    rows = [row for _uid, quiz in quizzes_of(tree) for row in (*quiz["questions"], *quiz.get("draws", ()))]
    return {name.casefold()[:80]: name for row in rows for name in row["tags"]}


def _write_tags(target: Target) -> dict[str, QuestionTag]:
    """Return the tags of the bank by name, after those that it lacks were made."""
    names = _tag_names(target.tree)
    if not names:
        return {}
    if None not in target.quizzes:  # tags belong to a bank, also to an empty one
        target.quizzes[None] = Quiz.objects.create(course=target.course)
    bank = target.quizzes[None]
    known = {tag.key: tag for tag in QuestionTag.objects.filter(bank=bank)}
    missing = [QuestionTag(bank=bank, key=key, name=name) for key, name in names.items() if key not in known]
    QuestionTag.objects.bulk_create(missing)
    known |= {tag.key: tag for tag in missing}
    return {name: known[name.casefold()[:80]] for name in names.values()} | {tag.name: tag for tag in known.values()}


def _places(tree: Tree) -> dict[str, tuple[str | None, int]]:
    """Return the quiz and the position of each question."""
    return {
        question["uid"]: (uid, position)
        for uid, quiz in quizzes_of(tree)
        for position, question in enumerate(quiz["questions"], start=1)
    }


def _contents(tree: Tree) -> dict[str, Mapping[str, Any]]:
    return {question["uid"]: question for _uid, quiz in quizzes_of(tree) for question in quiz["questions"]}


def _write_questions(target: Target) -> None:
    """Write the questions. Where one changes its place, all are set aside first, as positions are unique."""
    places, former = _places(target.tree), _places(target.present)
    contents, present = _contents(target.tree), _contents(target.present)
    # The questions of a lesson that is removed stay with it: open attempts ask them.
    quizzes = {quiz.pk for uid, quiz in target.quizzes.items() if uid is None or uid in target.lessons_of_tree}
    live = {uid: row for uid, row in target.questions.items() if not row.is_removed}
    gone = [row.pk for uid, row in live.items() if uid not in places and row.quiz_id in quizzes]
    if gone:
        Question.objects.filter(pk__in=gone).update(**target.gone)
    is_moved = any(former.get(uid) != place for uid, place in places.items()) or bool(gone)
    if is_moved:
        kept = [row.pk for uid, row in live.items() if uid in places]
        Question.objects.filter(pk__in=kept).update(position=F("position") + ASIDE)
    new: list[Question] = []
    changed: list[Question] = []
    for uid, (quiz, position) in places.items():
        wanted, row = contents[uid], target.questions.get(uid)
        if row is None:
            row = Question(**target.name_row(uid))
            target.questions[uid] = row
            new.append(row)
        elif is_moved or wanted != present.get(uid):
            changed.append(row)
            _note_answer(target, row, wanted)
        _write_columns(target, row, wanted)
        row.quiz, row.position = target.quizzes[quiz], position
    Question.with_removed.bulk_update(changed, _WRITTEN, batch_size=BATCH)
    Question.objects.bulk_create(new, batch_size=BATCH)


def _note_answer(target: Target, row: Question, wanted: Mapping[str, Any]) -> None:
    """Note that another answer is right now. It counts for a removed question that returns, too."""
    if any(getattr(row, name) != wanted[name] for name in _ANSWERS):
        target.applied.changed_answers.append(row.pk)


def _write_columns(target: Target, row: Question, wanted: Mapping[str, Any]) -> None:
    for name in QUESTION_COLUMNS:
        setattr(row, name, wanted[name])
    row.rewatch_lesson = target.lessons.get(wanted["rewatch_lesson"] or "")
    row.removed_at, row.removed_by = None, None


def _tag_questions(target: Target, tags: Mapping[str, QuestionTag]) -> None:
    through: Any = Question.tags.through  # made by Django
    pks = {target.questions[uid].pk: question["tags"] for uid, question in _contents(target.tree).items()}
    _set_tags(through, "question", pks, tags)


def _set_tags(through: Any, name: str, wanted: Mapping[int, list[str]], tags: Mapping[str, QuestionTag]) -> None:
    """Give questions or draws, by primary key, these tags and no others."""
    pairs = {(pk, tags[tag].pk) for pk, names in wanted.items() for tag in names}
    found = through.objects.filter(**{f"{name}__in": wanted}).values_list("pk", f"{name}_id", "questiontag_id")
    known = {(row, tag): pk for pk, row, tag in found}
    if extra := [pk for pair, pk in known.items() if pair not in pairs]:
        through.objects.filter(pk__in=extra).delete()
    missing = sorted(pairs - known.keys())
    through.objects.bulk_create(through(**{f"{name}_id": row, "questiontag_id": tag}) for row, tag in missing)


def _write_draws(target: Target, tags: Mapping[str, QuestionTag]) -> None:
    """Write the draws of each quiz that has other ones. Nothing refers to their keys, so they are new rows."""
    former = {uid: quiz.get("draws", []) for uid, quiz in quizzes_of(target.present)}
    changed = {
        uid: quiz["draws"]
        for uid, quiz in quizzes_of(target.tree)
        if uid is not None and quiz["draws"] != former.get(uid)
    }
    if not changed:
        return
    found = QuizDraw.objects.filter(quiz__in=[target.quizzes[uid].pk for uid in changed])
    names = {str(row.tree_uid): {"uid": row.uid, "origin": row.origin} for row in found}
    found.delete()
    rows = {
        draw["uid"]: QuizDraw(
            quiz=target.quizzes[uid],
            position=position,
            question=target.questions.get(draw["question"] or ""),
            count=draw["count"],
            **names.get(draw["uid"], target.name_row(draw["uid"])),
        )
        for uid, draws in changed.items()
        for position, draw in enumerate(draws, start=1)
        if draw["question"] is None or draw["question"] in target.questions
    }
    QuizDraw.objects.bulk_create(rows.values())
    wanted = {rows[draw["uid"]].pk: draw["tags"] for draws in changed.values() for draw in draws if draw["uid"] in rows}
    _set_tags(QuizDraw.tags.through, "quizdraw", wanted, tags)


def recount_quizzes(target: Target) -> None:
    """Count what each quiz asks and how long it takes, as ``quiz_counts`` does for one quiz."""
    bank = [one for one in (target.tree["bank"] or {"questions": []})["questions"] if not one["is_withdrawn"]]
    quizzes: list[Quiz] = []
    lessons: list[Lesson] = []
    for uid, wanted in quizzes_of(target.tree):
        if uid is None:
            continue
        quiz, lesson = target.quizzes[uid], target.lessons[uid]
        own = [one for one in wanted["questions"] if not one["is_withdrawn"]]
        essays = sum(one["kind"] == Question.Kind.ESSAY for one in own)
        draws = [_draw(target, draw, bank) for draw in wanted["draws"]]
        drawn = count_drawn(draws, max_essays=essays_left(quiz, pool=len(own), essays=essays))
        bank_count = min(drawn, QUESTION_LIMIT - quiz.asks(len(own)))
        seconds = quiz.time_limit or (quiz.asks(len(own)) + bank_count) * SECONDS_PER_QUESTION
        if quiz.bank_count != bank_count:
            quiz.bank_count = bank_count
            quizzes.append(quiz)
        if lesson.duration != seconds:
            lesson.duration = seconds
            lessons.append(lesson)
    Quiz.objects.bulk_update(quizzes, ["bank_count"], batch_size=BATCH)
    Lesson.objects.bulk_update(lessons, ["duration"], batch_size=BATCH)


def _draw(target: Target, draw: Mapping[str, Any], bank: list[dict[str, Any]]) -> Draw:
    if draw["question"] is not None:
        found = [one for one in bank if one["uid"] == draw["question"]]
    else:
        found = [one for one in bank if set(draw["tags"]) <= set(one["tags"])]
    candidates = tuple(target.questions[one["uid"]] for one in found)
    return Draw(candidates, draw["count"], is_linked=draw["question"] is not None)


def drawable_texts(tree: Tree) -> dict[str, list[dict[str, Any]]]:
    """Return the questions of the bank that the quiz of each lesson may draw, by the uid of the lesson."""
    bank = [one for one in (tree["bank"] or {"questions": []})["questions"] if not one["is_withdrawn"]]
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for uid, quiz in quizzes_of(tree):
        for draw in quiz.get("draws", ()) if uid is not None else ():
            for one in bank:
                is_linked = one["uid"] == draw["question"]
                if uid is not None and (
                    is_linked or (draw["question"] is None and set(draw["tags"]) <= set(one["tags"]))
                ):
                    found[uid].append(one)
    return found
