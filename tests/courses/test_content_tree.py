"""Content trees: read, compared and applied. A begun and merged version loses nothing that learners did."""

import copy
import json
from typing import Any
from uuid import uuid4

import pytest

from apps.courses import services
from apps.courses.content_tree import (
    check_format,
    compare_texts,
    contents_of,
    count_changed_words,
    diff_trees,
    replace_contents,
    select_corrections,
    with_corrections,
)
from apps.courses.errors import ContentTreeUnreadable, PrerequisitesInCircle
from apps.courses.models import Course, CourseFileUse, Lesson, Question, Quiz, QuizDraw, Section
from apps.courses.queries.content_tree import read_tree
from apps.courses.services.applying import apply_tree
from tests.courses.whole_course import NOW, make_whole_course
from tests.factories.courses import CourseFactory, LessonFactory, QuestionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.edits_in_place]

Tree = dict[str, Any]


def begin(live: Course) -> Course:
    """Return a course that stands for a working copy of the published one."""
    working = CourseFactory(instructor=live.instructor, subject=live.subject)
    apply_tree(read_tree(live), working, live.instructor, NOW, identity="origin")
    return Course.objects.get(pk=working.pk)


def merge(working: Course, live: Course) -> Any:
    """Apply a working copy to the published course."""
    live = Course.objects.get(pk=live.pk)
    return apply_tree(read_tree(working), live, live.instructor, NOW, identity="uid", source=working)


def lesson(tree: Tree, title: str) -> Tree:
    """Return the lesson with this title."""
    return next(one for section in tree["sections"] for one in section["lessons"] if one["title"] == title)


def test_a_version_begun_and_merged_without_an_edit_changes_nothing() -> None:
    live = make_whole_course()
    tree = read_tree(live)
    rows = [list(model.objects.order_by("pk").values()) for model in (Section, Lesson, Quiz, Question, QuizDraw)]
    working = begin(live)

    assert read_tree(working) == tree == json.loads(json.dumps(tree))
    assert check_format(tree) is tree
    assert CourseFileUse.objects.filter(file__course=working, ended_at=None).count() == 2
    assert (working.lesson_count, working.required_count) == (4, 3)
    quizzes = Quiz.objects.filter(lesson__course__in=[live, working])
    assert list(quizzes.values_list("bank_count", flat=True)) == [2, 2]

    applied = merge(working, live)

    assert read_tree(Course.objects.get(pk=live.pk)) == tree
    assert not applied.changed_lessons
    assert not applied.added_lessons
    assert not applied.removed_lessons
    assert not applied.changed_answers
    assert not applied.missing
    of_live = [{row["id"] for row in table} for table in rows]
    after = [
        list(model.objects.filter(pk__in=pks).order_by("pk").values())
        for model, pks in zip((Section, Lesson, Quiz, Question, QuizDraw), of_live, strict=True)
    ]
    assert after == rows


def test_what_authors_did_to_a_working_copy_is_merged() -> None:
    live = make_whole_course()
    by = live.instructor
    pks = dict(live.lessons.values_list("slug", "pk"))
    working = begin(live)
    deltas = working.sections.get(title="Deltas")
    services.delete_lesson(lesson=working.lessons.get(slug="mouths"), by=by, now=NOW)
    added = services.add_lesson(section=deltas, by=by, kind="text", title="Mouths", body="New", position=1, now=NOW)
    assert added.slug == "mouths"  # the address of the lesson that was removed
    added_section = services.add_section(course=working, by=by, title="Lakes", position=1, now=NOW)
    quiz = Quiz.objects.get(lesson__course=working)
    question = QuestionFactory(quiz=quiz, prompt="Another?")
    quiz.questions.filter(prompt="Own?").update(answer={"id": "a"})
    services.move_question(question=question, by=by, position=1, now=NOW)
    text = working.lessons.get(slug="springs")
    services.edit_lesson(
        lesson=text, by=by, title="Wells", summary="", body="Dry.", is_preview=False, now=NOW, prerequisites=[added]
    )
    wanted = read_tree(working)
    difference = diff_trees(read_tree(live), wanted)

    applied = merge(working, live)

    live.refresh_from_db()
    assert read_tree(live) == wanted
    assert Lesson.with_removed.get(pk=pks["mouths"]).is_removed
    assert live.lessons.get(title="Wells").pk == pks["springs"]
    new = live.lessons.get(title="Mouths")
    assert (new.uid, new.slug, new.position, new.number) == (added.uid, "mouths", 1, "3.1")
    assert live.sections.get(title="Lakes").uid == added_section.uid
    assert applied.added_lessons == [new.pk]
    assert applied.removed_lessons == [pks["mouths"]]
    assert [Question.objects.get(pk=pk).prompt for pk in applied.changed_answers] == ["Own?"]
    assert {(one.title, one.state) for one in difference.lessons} == {
        ("Mouths", "added"),
        ("Mouths", "removed"),
        ("Wells", "changed"),
        ("Quiz", "changed"),
    }
    assert [(one.title, one.state) for one in difference.sections] == [("Lakes", "added")]
    # The working copy goes on: its rows stand for the new ones now.
    assert read_tree(working) == wanted
    merge(working, live)
    assert read_tree(live) == wanted


def test_a_former_version_brings_removed_rows_back() -> None:
    live = make_whole_course()
    by, first = live.instructor, read_tree(live)
    pks = set(live.lessons.values_list("pk", flat=True))
    working = begin(live)
    for title in ("Film", "Quiz", "Springs"):
        services.delete_lesson(lesson=working.lessons.get(title=title), by=by, now=NOW)
    services.delete_question(question=Question.objects.get(quiz__course=working, prompt="Linked?"), by=by, now=NOW)
    merge(working, live)
    assert [one.title for one in live.lessons.all()] == ["Mouths"]
    working.delete()

    working = begin(Course.objects.get(pk=live.pk))
    LessonFactory(section=working.sections.first(), title="Other", slug="springs")  # an address that is used before
    apply_tree(first, working, by, NOW, identity="origin")

    assert read_tree(working) == first
    merge(working, live)
    assert read_tree(Course.objects.get(pk=live.pk)) == first
    assert set(live.lessons.values_list("pk", flat=True)) == pks


def test_an_archive_becomes_a_course_of_its_own() -> None:
    live = make_whole_course()
    tree = read_tree(live)
    other = CourseFactory(instructor=live.instructor)

    apply_tree(tree, other, live.instructor, NOW, identity="new")

    copied = read_tree(other)
    assert not set(_uids(copied)) & set(_uids(tree))
    assert diff_trees(_without_uids(tree), _without_uids(copied)).is_empty
    assert lesson(copied, "Film")["prerequisites"] == [lesson(copied, "Springs")["uid"]]


def _uids(tree: Tree) -> list[str]:
    return [one["uid"] for section in tree["sections"] for one in section["lessons"]]


def _without_uids(tree: Tree) -> Tree:
    """Name rows by their place."""
    text = json.dumps(tree)
    rows = [one["uid"] for one in tree["sections"]] + _uids(tree)
    rows += [one["uid"] for one in [*lesson(tree, "Quiz")["quiz"]["questions"], *tree["bank"]["questions"]]]
    rows += [one["uid"] for one in lesson(tree, "Quiz")["quiz"]["draws"]]
    for place, uid in enumerate(rows):
        text = text.replace(uid, f"row {place}")
    return json.loads(text)


def test_trees_that_no_course_can_have_are_refused_and_change_nothing() -> None:
    live = make_whole_course()
    tree = read_tree(live)
    later, torn, twice, twins, circle, wrong = (copy.deepcopy(tree) for _ in range(6))
    later["format"] = 99
    del lesson(torn, "Film")["kind"]
    lesson(twice, "Film")["uid"] = lesson(twice, "Quiz")["uid"]
    lesson(twins, "Film")["slug"] = "quiz"
    lesson(circle, "Springs")["prerequisites"] = [lesson(circle, "Film")["uid"]]
    lesson(wrong, "Springs").update(opens_at="2027-01-01T00:00:00+00:00", opens_after_days=3)

    for broken in (later, torn, twice, twins, wrong, {}, None, {"format": 1}, {"format": "1"}):
        with pytest.raises(ContentTreeUnreadable):
            apply_tree(broken, live, live.instructor, NOW)  # type: ignore[arg-type]
    with pytest.raises(PrerequisitesInCircle):
        apply_tree(circle, live, live.instructor, NOW)
    assert read_tree(Course.objects.get(pk=live.pk)) == tree


def test_contents_that_are_gone_are_named_and_the_rest_is_applied() -> None:
    live = make_whole_course()
    tree = read_tree(live)
    lesson(tree, "Film").update(video=str(uuid4()), title="Movie")
    tree["picture"] = {**tree["picture"], "key": "gone", "alt": "Gone"}
    tree["files"].append({**tree["files"][0], "uid": str(uuid4()), "name": "gone.png"})

    applied = apply_tree(tree, live, live.instructor, NOW)

    assert set(applied.missing) == {"Movie", "Gone", "gone.png"}
    assert live.lessons.get(title="Movie").video is None
    assert live.picture.alt == "A bend"


def test_a_working_copy_shares_the_picture_until_one_of_both_is_gone() -> None:
    live = make_whole_course()
    working = begin(live)
    assert working.picture.key == live.picture.key
    assert services.draw_plate(live) == working.plate

    working.delete()

    assert Course.objects.get(pk=live.pk).picture.upload_id


def test_contents_are_listed_and_replaced() -> None:
    tree = read_tree(make_whole_course())
    contents = contents_of(tree)
    (film,) = contents.videos
    shown = next(file["uid"] for file in tree["files"] if file["uid"] in lesson(tree, "Springs")["body"])
    assert contents.uploads == contents.files | {tree["picture"]["upload"]}

    new = replace_contents(tree, videos={film: "v"}, files={shown: "f"}, uploads={tree["picture"]["upload"]: "u"})

    assert contents_of(new).videos == {"v"}
    assert "f" in contents_of(new).files
    assert "/course-files/f)" in lesson(new, "Springs")["body"]
    assert new["picture"]["upload"] == "u"


def test_texts_are_compared_by_paragraphs_and_words() -> None:
    before, after = "Rivers flow.\n\nThey bend here.\n\nEnd.", "Rivers flow.\n\nThey bent here.\n\nEnd.\n\nMore."
    first, second, third, fourth = compare_texts(before, after)

    assert [one.kind for one in (first, second, third, fourth)] == ["same", "changed", "same", "added"]
    assert [(run.kind, run.text) for run in second.runs] == [
        ("same", "They "),
        ("removed", "bend"),
        ("added", "bent"),
        ("same", " here."),
    ]
    assert "".join(run.text for run in second.runs if run.kind != "added") == "They bend here."
    assert compare_texts("", "") == []
    pairs = [("a b", "a c"), ("a", "a"), ("a", ""), ("", "a b c"), ("a.", "a,")]
    assert [count_changed_words(*pair) for pair in pairs] == [1, 0, 1, 3, 1]
    long = "word " * 30_000
    assert count_changed_words(long + "end", long + "ends") == 1


def test_beginning_and_merging_takes_as_many_queries_for_a_large_course(django_assert_max_num_queries: Any) -> None:
    live = make_whole_course()
    quiz, section = Quiz.objects.get(lesson__course=live), live.sections.first()
    for number in range(20):
        LessonFactory(section=section, slug=f"more-{number}", update_counts=False)
        QuestionFactory(quiz=quiz)
    working = CourseFactory(instructor=live.instructor, subject=live.subject)
    tree = read_tree(live)
    with django_assert_max_num_queries(90):
        apply_tree(tree, working, live.instructor, NOW, identity="origin")
    Lesson.objects.filter(course=working, slug="film").update(title="Movie")
    tree = read_tree(working)
    with django_assert_max_num_queries(60):
        apply_tree(tree, live, live.instructor, NOW, source=working)


def _fields_of(found: Any) -> list[str]:
    return [one.place[2] for one in found.chosen]


def test_only_corrected_texts_are_small_corrections() -> None:
    base = read_tree(make_whole_course())
    lesson(base, "Film")["chapters"] = [[0, "Begining"], [30, "End"]]
    own = lesson(base, "Quiz")["quiz"]["questions"][0]
    own["options"][0]["text"] = "Thsi"
    new = copy.deepcopy(base)
    springs, film, quiz = lesson(new, "Springs"), lesson(new, "Film"), lesson(new, "Quiz")["quiz"]
    springs["body"] = springs["body"].replace("hill", "hillside")
    springs["is_preview"] = not springs["is_preview"]
    film["chapters"] = [[0, "Beginning"], [30, "End"]]
    film["duration"] += 5
    quiz["questions"][0]["options"][0]["text"] = "This"
    quiz["questions"][0]["prompt"] = "Own one?"
    quiz["questions"][0]["points"] = 3
    new["course"].update(title="Riverss", price=99)
    new["sections"][1]["lessons"].append({**copy.deepcopy(film), "uid": str(uuid4()), "slug": "new"})

    found = select_corrections(base, base, new)

    assert _fields_of(found) == ["title", "body", "chapters:0", "prompt", "options:0"]
    assert found.words == 5
    corrected = with_corrections(base, found.chosen)
    assert lesson(corrected, "Film")["chapters"][0][1] == "Beginning"
    assert lesson(corrected, "Quiz")["quiz"]["questions"][0]["points"] == 1
    assert corrected["course"]["price"] == base["course"]["price"]
    assert with_corrections(corrected, found.chosen, is_undo=True) == base
    assert select_corrections(corrected, corrected, new).chosen == ()
    assert not diff_trees(corrected, new).is_empty


@pytest.mark.parametrize(
    ("before", "after", "is_small"),
    [
        ("They bend.", "They bent.", True),
        ("They bend.", "", False),
        ("", "They bend.", False),
        ("[here](https://a.example)", "[there](https://a.example)", True),
        ("[here](https://a.example)", "[here](https://b.example)", False),
        ("See https://a.example now", "See https://b.example now", False),
        ("![x](/course-files/1)", "![y](/course-files/1)", True),
        ("A map ![x](/course-files/1)", "A map", False),
        ("The `code` here", "The `mode` here", False),
        ("Area $x^2$", "Area $x^3$", False),
        ("[[1]] and [[2]] flow", "[[1]] flow", False),
        ("one " * 8 + "end", "two " * 8 + "end", True),
        ("one " * 12 + "end", "two " * 12 + "end", True),
        ("one " * 13 + "end", "two " * 13 + "end", False),
    ],
)
def test_a_correction_changes_few_words_and_nothing_else(before: str, after: str, *, is_small: bool) -> None:
    tree: Tree = {"course": {"title": "T", "summary": "", "description": before, "before_you_begin": ""}}
    tree |= {"sections": [], "bank": None}
    new = copy.deepcopy(tree)
    new["course"]["description"] = after

    assert bool(select_corrections(tree, tree, new).chosen) is is_small


def test_corrections_that_are_too_many_or_of_texts_that_changed_since_wait() -> None:
    base = read_tree(make_whole_course())
    new, live = copy.deepcopy(base), copy.deepcopy(base)
    for name in ("summary", "title"):
        new["course"][name] = f"{base['course'][name]} now"
    live["course"]["summary"] = "Something that an admin wrote."

    assert _fields_of(select_corrections(base, live, new)) == ["title"]
    assert select_corrections(base, base, new, words_left=1).is_too_much
    assert select_corrections(base, base, new, words_left=1).chosen == ()


@pytest.mark.long
def test_a_course_of_130_lessons_and_400_questions_is_begun_and_merged_at_once(
    django_assert_max_num_queries: Any,
) -> None:
    live = make_whole_course()
    quiz, bank = Quiz.objects.get(lesson__course=live), Quiz.objects.get(course=live)
    for number in range(126):
        LessonFactory(section=live.sections.first(), slug=f"more-{number}", update_counts=False)
    for number in range(396):
        QuestionFactory(quiz=quiz if number < 90 else bank)
    working = CourseFactory(instructor=live.instructor, subject=live.subject)
    tree = read_tree(live)
    with django_assert_max_num_queries(120):
        apply_tree(tree, working, live.instructor, NOW, identity="origin")
    Lesson.objects.filter(course=working, slug="film").update(title="Movie")
    services.delete_lesson(lesson=working.lessons.get(slug="more-1"), by=live.instructor, now=NOW)
    tree = read_tree(working)
    with django_assert_max_num_queries(120):
        apply_tree(tree, live, live.instructor, NOW, source=working)
