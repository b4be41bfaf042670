"""What the tutor finds, and for whom."""

import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.courses.models import Course, Lesson
from apps.learning.models import Attempt
from apps.learning.queries.openable import openable_lessons
from apps.tutor.answers import Certainty, certainty_of
from apps.tutor.models import Passage
from apps.tutor.retrieval import index
from apps.tutor.retrieval.search import About, Earlier, Question, scope_of, scopes_of, search, search_all
from apps.tutor.retrieval.words import content_words
from apps.tutor.services import ask
from apps.tutor.services.indexing import index_course
from tests.cases import all_cases
from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory
from tests.factories.learning import AttemptFactory, EnrollmentFactory, LessonProgressFactory
from tests.tutor.vectors import compute_vectors

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh_index(monkeypatch):
    """Build the index whenever passages have changed, without the rest between."""
    monkeypatch.setattr(index, "_kept", index._Kept())
    monkeypatch.setattr(index, "REST", 0.0)


def slugs(user, question, **scope) -> list[str]:
    return [one.passage.lesson.slug for one in search(question, scope_of(user, **scope))]


@pytest.mark.parametrize(
    ("question", "lesson"),
    [
        ("why does a river bend", "meanders"),
        ("Where does sediment settle at the coast?", "deltas"),
        ("what is a sprnig", "springs"),
        ("limstone and clay", "springs"),
    ],
)
def test_the_passage_is_found_by_words_by_meaning_and_misspelled(rivers, leo, enrollment, question, lesson):
    assert slugs(leo, question)[0] == lesson


def test_a_follow_up_is_searched_with_the_question_before_it(rivers, leo, enrollment):
    history = [Earlier("Where does a spring come from?", "From rain that meets clay.")]
    assert (
        search("and which rock does it go through?", scope_of(leo), history=history)[0].passage.lesson.slug == "springs"
    )


def test_questions_that_are_searched_together_find_the_same_as_alone(
    rivers, leo, enrollment, mia, sam, django_assert_max_num_queries
):
    before = [Earlier("Where does a spring come from?", "From rain that meets clay.")]
    scopes = dict(zip((leo, mia, sam), scopes_of([About(user) for user in (leo, mia, sam)]), strict=True))
    assert scopes == {user: scope_of(user) for user in scopes}
    asked = [
        Question(text, scopes[user], history)
        for user in (leo, mia, sam)
        for text, history in (
            ("why does a river bend", ()),
            ("Where does sediment settle at the coast, where the river has lost the speed with which it came?", ()),
            ("what is a sprnig", ()),
            ("and which rock does it go through?", before),
            ("", ()),
            ("radiocarbon", ()),
        )
    ]
    alone = [search(one.text, one.scope, history=one.history) for one in asked]
    with django_assert_max_num_queries(2):
        together = search_all(asked)
    for one, same in zip(together, alone, strict=True):
        assert [[part.pk for part in each.parts] for each in one] == [[part.pk for part in each.parts] for each in same]
        for each, other in zip(one, same, strict=True):
            figures = (other.score, other.similarity, other.coverage, other.missing)
            assert (each.score, each.similarity, each.coverage, each.missing) == pytest.approx(figures, abs=1e-5)


def test_texts_of_any_length_have_the_same_vectors_together_and_alone():
    words = content_words(
        "Water flows faster on the outside of a river bend, carves the bank and drops its sand there."
    )
    texts = [" ".join((words * 40)[:count]) for count in (0, 1, 2, 5, 5, 8, 14, 40, 40, 170, 250, 400)]
    alone = np.concatenate([compute_vectors([text]) for text in texts])
    assert np.abs(compute_vectors(texts) - alone).max() < 1e-5
    assert np.abs(compute_vectors(texts[::-1])[::-1] - alone).max() < 1e-5
    assert np.abs(np.linalg.norm(alone, axis=1) - 1).max() < 1e-5


def test_nobody_finds_what_they_may_not_open(rivers, course, leo, enrollment, mia, ada, eve, sam, nobody):
    for user, sees in ((leo, True), (ada, True), (sam, True), (mia, False), (eve, False), (nobody, False)):
        assert ("deltas" in slugs(user, "what is a delta")) is sees, user
    enrollment.revoked_at = timezone.now()
    enrollment.save()
    assert slugs(leo, "what is a delta") == []


def test_a_preview_is_found_by_everyone_and_a_locked_lesson_by_nobody(rivers, course, leo, enrollment, nobody):
    Lesson.objects.filter(slug="meanders").update(is_preview=True)
    Course.objects.filter(pk=course.pk).update(requires_order=True)
    course.refresh_from_db()
    index_course(course_id=course.pk, now=timezone.now())
    assert slugs(nobody, "why does a river bend") == ["meanders"]
    assert "springs" not in slugs(leo, "what is a spring")
    for slug in ("meanders", "deltas"):
        LessonProgressFactory(enrollment=enrollment, lesson=rivers[slug], completed_at=timezone.now())
    assert slugs(leo, "what is a spring")[0] == "springs"


def test_an_explanation_is_found_once_the_answers_may_be_shown(rivers, leo, enrollment):
    def kinds():
        return [one.passage.kind for one in search("what is an oxbow", scope_of(leo))]

    assert Passage.Kind.EXPLANATION not in kinds()
    attempt: Attempt = AttemptFactory(enrollment=enrollment, quiz=rivers["check"].quiz)
    attempt.submitted_at, attempt.is_passed = timezone.now(), True
    attempt.save()
    assert kinds()[0] == Passage.Kind.EXPLANATION
    AttemptFactory(enrollment=enrollment, quiz=rivers["check"].quiz)  # while another attempt is open, nothing is shown
    assert Passage.Kind.EXPLANATION not in kinds()


def test_a_scope_is_a_course_or_a_lesson(rivers, course, leo, enrollment):
    other = CourseFactory(status="published")
    EnrollmentFactory(user=leo, course=other)
    LessonFactory(
        section=SectionFactory(course=other), slug="canals", body="A river bends less where people dug a canal."
    )
    index_course(course_id=other.pk, now=timezone.now())
    assert "canals" in slugs(leo, "why does a river bend")
    assert "canals" not in slugs(leo, "why does a river bend", course=course)
    assert slugs(leo, "why does a river bend", lesson=rivers["deltas"]) == ["deltas"]


@all_cases("question", ["", " ", "?!", "\x00", "the of and", "🦆" * 500, "x" * 50_000, "[MASK] [CLS]", "a' OR 1=1 --"])
def test_odd_questions_are_no_error(rivers, leo, enrollment, question):
    answer, _found = ask(user=leo, question=question)
    assert answer.text


def test_searching_asks_the_database_few_times(rivers, leo, enrollment, django_assert_max_num_queries):
    for _ in range(4):
        EnrollmentFactory(user=leo)
    search("warm up", scope_of(leo))
    with django_assert_max_num_queries(12):
        search("why does a river bend", scope_of(leo))


def test_an_answer_quotes_and_cites_or_declines(rivers, leo, enrollment):
    answer, found = ask(user=leo, question="why does a river bend")
    assert not answer.is_declined
    assert "carves the bank away" in answer.text
    assert "[1]" in answer.text
    assert answer.cited[0] is found[0]
    declined, _ = ask(user=leo, question="Who won the football match yesterday?")
    assert declined.is_declined
    assert declined.cited == ()


def test_the_command_answers_the_lines_of_a_file(rivers, leo, enrollment, tmp_path):
    file = tmp_path / "questions.jsonl"
    rows = [
        {"id": 1, "question": "why does a river bend"},
        {
            "id": "b",
            "question": "and then?",
            "course": "rivers-and-their-work",
            "history": [{"question": "what is a delta", "answer": ""}],
        },
    ]
    file.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n")
    out = StringIO()
    call_command("ask_tutor", user=leo.email, file=str(file), stdout=out)
    first, second = map(json.loads, out.getvalue().splitlines())
    assert first["id"] == 1
    assert first["passages"][0]["lesson"] == "meanders"
    assert first["declined"] is False
    assert second["passages"][0]["lesson"] == "deltas"


@pytest.mark.parametrize(
    "line", ["[", "[]", "{}", '{"question": "a", "history": [5]}', '{"question": "a", "course": "no"}']
)
def test_the_command_names_the_line_that_it_cannot_read(leo, tmp_path, line):
    file = tmp_path / "questions.jsonl"
    file.write_text(line)
    with pytest.raises(CommandError, match="Line 1"):
        call_command("ask_tutor", user=leo.email, file=str(file), stdout=StringIO())


@pytest.mark.parametrize(
    "options", [{"user": "who@example.org", "file": "-"}, {"user": "leo@example.com", "file": "/no/such"}]
)
def test_the_command_names_what_is_missing(leo, options):
    with pytest.raises(CommandError):
        call_command("ask_tutor", **options)


def test_openable_lessons_ends_with_a_block(rivers, ben, course):
    EnrollmentFactory(user=ben, course=course)
    assert openable_lessons(ben) == frozenset()


def test_a_rare_word_that_no_passage_contains_speaks_against_an_answer(rivers, leo, enrollment):
    known, similar = (
        search(question, scope_of(leo))[0]
        for question in ("Where does mud build land?", "Where does the streamlet bend?")
    )
    strange = search("Where does radiocarbon build land?", scope_of(leo))[0]
    assert known.missing == 0
    assert 0 < similar.missing < strange.missing <= 1


def test_a_word_of_another_course_speaks_against_an_answer_from_this_one(rivers, leo, enrollment):
    other = CourseFactory(status="published")
    EnrollmentFactory(user=leo, course=other)
    LessonFactory(section=SectionFactory(course=other), slug="dating", body="Radiocarbon dates a piece of parchment.")
    index_course(course_id=other.pk, now=timezone.now())
    assert search("Does radiocarbon date parchment?", scope_of(leo))[0].missing == 0
    assert search("Where does radiocarbon build land?", scope_of(leo, course=rivers["deltas"].course))[0].missing > 0


def test_how_near_one_word_is_by_itself_is_told(rivers, leo, enrollment):
    found = search("Which river did the king cross with his army?", scope_of(leo))
    word = search("river", scope_of(leo))[0]
    assert {one.nearest_word for one in found} == {found[0].nearest_word}
    assert found[0].nearest_word > found[0].similarity
    assert word.nearest_word == pytest.approx(word.similarity, abs=1e-3)
    assert search("and why is it so?", scope_of(leo))[0].nearest_word == 0
    assert certainty_of(found) != Certainty.CERTAIN


def test_a_summary_is_found_only_where_nothing_else_says_more(rivers, course, leo, enrollment):
    Lesson.objects.filter(slug="meanders").update(summary="Why a river bends.")
    Lesson.objects.filter(slug="deltas").update(summary="How mud becomes land.", body="")
    index_course(course_id=course.pk, now=timezone.now())
    found = {one.passage.lesson.slug: one.passage.kind for one in search("why does a river bend", scope_of(leo))}
    assert found["meanders"] == Passage.Kind.TEXT
    assert found["deltas"] == Passage.Kind.SUMMARY
