"""The question bank of a course: its questions with tags, links, draws, and who may change them."""

import random
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from apps.courses import services
from apps.courses.errors import CourseNotFound, NotCourseStaff, OutlineFull, QuestionInvalid
from apps.courses.models import Course, Lesson, Question, QuestionTag, QuizDraw
from apps.courses.queries.bank import draws_of_course, uses_of
from apps.courses.queries.draws import Draw, count_drawn, draw_questions
from apps.courses.questions import Answers
from apps.learning import services as learning
from apps.learning.models import Attempt, PracticeCard
from apps.learning.queries.lessons import lesson_at
from apps.learning.queries.practice import cards_of, sources_of
from apps.learning.queries.quizzes import attempt_page_out, quiz_page_out
from tests.factories.courses import LessonFactory, QuestionFactory, QuizFactory, SectionFactory

pytestmark = pytest.mark.edits_in_place

NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)
TRUE = services.QuestionDraft(kind="truth", prompt="Rivers bend?", answers=Answers(truth=True))


@pytest.fixture
def quiz(course):
    lesson = LessonFactory(section=SectionFactory(course=course), kind=Lesson.Kind.QUIZ, title="Bends")
    return QuizFactory(lesson=lesson, reveal="always")


def add(course, by, *tags, prompt="Rivers bend?"):
    draft = services.QuestionDraft(kind="truth", prompt=prompt, answers=Answers(truth=True))
    return services.save_bank_question(course=course, question=None, by=by, draft=draft, tags=tags, now=NOW)


def tag(name):
    return QuestionTag.objects.select_related("bank").get(name=name)


def test_tags_are_found_without_case_and_go_with_their_last_question(course, ada):
    first = add(course, ada, "Delta", " delta ", "Fläche")
    second = add(course, ada, "DELTA")
    assert list(second.tags.values_list("name", flat=True)) == ["Delta"]
    services.set_tags(question=first, by=ada, names=["New"], now=NOW)
    assert set(QuestionTag.objects.values_list("name", flat=True)) == {"Delta", "New"}
    for names in (["x"] * 100, [f"t{n}" for n in range(11)], ["x" * 41]):
        with pytest.raises(QuestionInvalid):
            services.set_tags(question=first, by=ada, names=names, now=NOW)


def test_attempts_get_links_and_draws_and_keep_them(course, ada, leo, enrollment, quiz):
    QuestionFactory(quiz=quiz, prompt="Own")
    linked = add(course, ada, prompt="Linked")
    for n in range(4):
        add(course, ada, "delta", prompt=f"Delta {n}")
    services.link_question(quiz=quiz, question=linked, by=ada, now=NOW)
    draw = services.add_draw(quiz=quiz, by=ada, tags=[tag("delta")], count=2, now=NOW)
    quiz.refresh_from_db()
    assert (quiz.bank_count, Lesson.objects.get(pk=quiz.lesson_id).duration) == (3, 240)
    assert [lesson.pk for lesson in uses_of(linked, draws_of_course(course))] == [quiz.lesson_id]

    attempt = learning.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=NOW)
    asked = [row["prompt"] for row in attempt.asked]
    assert asked[:2] == ["Own", "Linked"]
    assert len({*asked[2:]}) == 2
    services.save_bank_question(course=course, question=linked, by=ada, draft=TRUE, tags=[], now=NOW)
    for question in Question.objects.filter(quiz__course=course).exclude(pk=linked.pk)[:3]:
        services.delete_question(question=question, by=ada, now=NOW)
    quiz.refresh_from_db()
    assert quiz.bank_count == 2
    services.delete_draw(draw=draw, by=ada, now=NOW)
    assert [one["prompt_html"] for one in attempt_page_out(attempt, now=NOW)["questions"]] == asked

    answers = {row["uid"]: {"value": False} for row in attempt.asked if row["kind"] == "truth"}
    learning.submit_attempt(user=leo, attempt=attempt, answers=answers, now=NOW + timedelta(minutes=1))
    card = PracticeCard.objects.get(question=linked)
    assert card.quiz_id == quiz.pk
    assert [one.count for one in sources_of(cards_of(leo))] == [PracticeCard.objects.count()]
    again = learning.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=NOW + timedelta(minutes=2))
    assert [row["prompt"] for row in again.asked] == ["Own", "Rivers bend?"]  # the link follows the bank


def test_a_quiz_may_ask_from_the_bank_alone(course, ada, leo, enrollment, quiz):
    services.link_question(quiz=quiz, question=add(course, ada), by=ada, now=NOW)
    shown = quiz_page_out(lesson_at(leo, course.slug, quiz.lesson.slug), now=NOW)
    assert (shown["question_count"], shown["kinds"]) == (1, [{"kind": "truth", "count": 1}])
    assert len(learning.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=NOW).asked) == 1


def test_each_attempt_gets_as_many_essays_as_are_counted(course, ada, leo, enrollment, quiz):
    bank = services.open_bank(course=course)
    essay = {"kind": "essay", "options": {"limit": 50}, "answer": {}}
    for n in range(8):
        QuestionFactory(quiz=bank, prompt=f"Essay {n}", **essay)
        QuestionFactory(quiz=quiz, prompt=f"Own {n}", **essay if n else {})
    services.add_draw(quiz=quiz, by=ada, tags=[], count=6, now=NOW)
    quiz.refresh_from_db()
    assert quiz.bank_count == 3
    asked = learning.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=NOW).asked
    assert len(asked) == quiz.asks(8) + quiz.bank_count
    services.delete_question(question=quiz.questions.get(prompt="Own 7"), by=ada, now=NOW)
    quiz.refresh_from_db()
    assert quiz.bank_count == 4


def question(pk, kind="truth"):
    return Question(pk=pk, kind=kind)


def test_draws_are_fair_full_and_never_repeat_a_question():
    alone = [Draw(tuple(question(n) for n in range(5)), 2)]
    counts = Counter(one.pk for seed in range(150) for one in draw_questions(alone, random.Random(seed), max_essays=10))
    assert set(counts) == set(range(5))
    assert all(40 < count < 80 for count in counts.values())  # 60 each
    # Of the three shared questions the second draw needs all: the first one gives them up.
    a, b = tuple(question(n) for n in range(6)), tuple(question(n) for n in range(3))
    for seed in range(10):
        both = draw_questions([Draw(a, 3), Draw(b, 3)], random.Random(seed), max_essays=10)
        assert sorted(one.pk for one in both) == list(range(6))
        linked = draw_questions(
            [Draw(a, 5), Draw((question(0),), 1, is_linked=True)], random.Random(seed), max_essays=10
        )
        assert [len(linked), linked[-1].pk, len({one.pk for one in linked})] == [6, 0, 6]
    assert count_drawn([Draw(b, 9), Draw(b, 9)], max_essays=10) == 3
    essays = tuple(question(n, "essay") for n in range(6))
    assert count_drawn([Draw(essays, 6)], max_essays=4) == 4


def test_draws_have_limits(course, ada, quiz, monkeypatch):
    linked = add(course, ada, "delta")
    services.link_question(quiz=quiz, question=linked, by=ada, now=NOW)
    stranger = QuestionFactory()
    with pytest.raises(QuestionInvalid):
        services.link_question(quiz=quiz, question=linked, by=ada, now=NOW)
    with pytest.raises(QuestionInvalid):
        services.link_question(quiz=quiz, question=stranger, by=ada, now=NOW)
    for count in (0, 2, 101):
        with pytest.raises(QuestionInvalid):
            services.add_draw(quiz=quiz, by=ada, tags=[tag("delta")], count=count, now=NOW)
    monkeypatch.setattr("apps.courses.services.bank.QUESTION_LIMIT", 1)
    with pytest.raises(OutlineFull):
        services.add_draw(quiz=quiz, by=ada, tags=[], count=1, now=NOW)


def test_copies_are_independent(course, ada, quiz):
    original = QuestionFactory(quiz=quiz, prompt="Own")
    kept = services.copy_to_bank(question=original, by=ada, now=NOW)
    back = services.copy_question(question=kept, into=quiz, by=ada, now=NOW)
    services.delete_question(question=kept, by=ada, now=NOW)
    assert list(quiz.questions.order_by("position")) == [original, back]
    with pytest.raises(QuestionInvalid):
        services.copy_question(question=QuestionFactory(), into=quiz, by=ada, now=NOW)


def test_strangers_change_nothing(course, ada, eve, quiz):
    found = add(course, ada, "delta")
    draw = services.link_question(quiz=quiz, question=found, by=ada, now=NOW)
    Course.objects.filter(pk=course.pk).update(status="draft")
    steps = [
        lambda: add(course, eve),
        lambda: services.set_tags(question=found, by=eve, names=[], now=NOW),
        lambda: services.link_question(quiz=quiz, question=found, by=eve, now=NOW),
        lambda: services.add_draw(quiz=quiz, by=eve, tags=[], count=1, now=NOW),
        lambda: services.move_draw(draw=draw, by=eve, position=1),
        lambda: services.delete_draw(draw=draw, by=eve, now=NOW),
        lambda: services.copy_question(question=found, into=quiz, by=eve, now=NOW),
        lambda: services.copy_to_bank(question=found, by=eve, now=NOW),
    ]
    for step in steps:
        with pytest.raises((CourseNotFound, NotCourseStaff)):
            step()
    assert (Question.objects.count(), QuizDraw.objects.count()) == (1, 1)


@pytest.mark.long
def test_an_instructor_works_with_the_bank_by_forms(
    course, ada, eve, quiz, browser_of, django_assert_max_num_queries, monkeypatch
):
    monkeypatch.setattr("apps.courses.queries.bank.PAGE_SIZE", 3)
    browser = browser_of(ada)
    base = reverse("courses:studio-bank", args=[course.slug])
    sent = {"kind": "truth", "prompt": "Rivers bend?", "points": "1", "truth": "yes", "tags": "delta, Bends"}
    assert "No questions yet" in browser.get(base).content.decode()
    assert "Choose true or false." in browser.post(f"{base}/new", sent | {"truth": ""}).content.decode()
    page = browser.post(f"{base}/new", sent)["Location"]
    found = Question.objects.get(quiz__course=course)
    assert 'value="Bends, delta"' in browser.get(page).content.decode()
    browser.post(f"{page}/use", {"quiz": quiz.lesson.slug, "link": "1"})
    browser.post(f"{page}/use", {"quiz": quiz.lesson.slug, "copy": "1"})
    browser.post(f"{page}/copy")
    lesson = reverse("courses:studio-lesson", args=[course.slug, quiz.lesson.slug])
    browser.post(f"{lesson}/draws", {"count": "1", "tags": [tag("delta").pk]})
    assert [quiz.questions.count(), quiz.draws.count()] == [1, 2]
    shown = browser.get(lesson).content.decode()
    assert "Linked" in shown
    assert "tagged delta" in shown
    last = quiz.draws.get(position=2)
    browser.post(f"{lesson}/draws/{last.uid}", {"to": "up"})
    last.refresh_from_db()
    assert last.position == 1
    browser.post(f"{lesson}/draws/{last.uid}", {"remove": "1"})
    own = quiz.questions.get()
    browser.post(reverse("courses:studio-question-to-bank", args=[course.slug, quiz.lesson.slug, own.uid]))
    add(course, ada, "many", prompt="Number 11")
    with django_assert_max_num_queries(16):
        listed = browser.get(base).content.decode()
    assert "page=2" in listed
    assert browser.get(f"{base}?q=number+11").content.decode().count('class="table__title"') == 1
    assert browser.get(f"{base}?tag={tag('delta').pk}").content.decode().count('class="table__title"') == 3
    browser.post(f"{page}/delete")
    assert not Question.objects.filter(pk=found.pk).exists()
    assert not quiz.draws.exists()
    before = Question.objects.count()
    browser_of(eve).post(f"{base}/new", sent)
    assert Question.objects.count() == before
    assert not Attempt.objects.exists()


def test_existing_questions_are_found_and_inserted(course, ada, eve, quiz, browser_of):
    banked = add(course, ada, prompt="Deltas **grow**?")
    other = QuizFactory(lesson=LessonFactory(section=quiz.lesson.section, kind=Lesson.Kind.QUIZ))
    near = QuestionFactory(quiz=other, prompt="Deltas sink?")
    own = QuestionFactory(quiz=quiz, prompt="Deltas here?")
    browser = browser_of(ada)
    page = reverse("courses:studio-question-search", args=[course.slug, quiz.lesson.slug])
    found = browser.get(f"{page}?q=deltas").text
    assert "Deltas grow?" in found
    assert "Deltas sink?" in found
    assert "Deltas here?" not in found
    browser.post(page, {"question": banked.uid, "link": "1"})
    browser.post(page, {"question": near.uid, "copy": "1"})
    assert [draw.question_id for draw in quiz.draws.all()] == [banked.pk]
    assert list(quiz.questions.order_by("position").values_list("prompt", flat=True)) == [
        "Deltas here?",
        "Deltas sink?",
    ]
    shown = browser.get(page).text
    assert (shown.count(">Linked<"), shown.count(">Copied<")) == (1, 1)
    for uid in (own.uid, "x"):
        assert (
            "Choose a question of this course." in browser.post(page, {"question": uid, "copy": "1"}, follow=True).text
        )
        assert quiz.questions.count() == 2
    browser.post(page, {"question": near.uid, "link": "1"})
    assert quiz.draws.count() == 1
    assert browser_of(eve).get(page).url == "/"
