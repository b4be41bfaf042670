"""What an attempt asks: drawn once, kept with the attempt, and untouched by edits of the quiz."""

import random
from datetime import timedelta
from fractions import Fraction
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.courses.models import Question, Quiz
from apps.learning import services
from apps.learning.models import Attempt
from apps.learning.queries.quizzes import attempt_page_out, get_attempt
from apps.learning.quizzes import marking
from apps.learning.quizzes.drawing import drawn, kept, restored
from tests.factories.courses import QuestionFactory
from tests.learning.quiz import make_quiz, right_answers

MINUTE = timedelta(minutes=1)


def pool(size: int) -> list[Question]:
    options = [{"id": one, "text": one.upper()} for one in "abcde"]
    return [
        Question(uid=uuid4(), kind="single", prompt=str(n), options=options, answer={"id": "a"}) for n in range(size)
    ]


@settings(deadline=None)
@given(st.integers(0, 30), st.integers(0, 40), st.booleans(), st.text(max_size=8))
def test_a_draw_is_a_part_of_the_pool_and_stays_the_same(size: int, count: int, shuffles: bool, seed: str):
    quiz, questions = Quiz(draw_count=count, shuffle_questions=shuffles), pool(size)

    first = drawn(quiz, questions, seed=seed)

    assert first == drawn(quiz, questions, seed=seed)
    assert len(first) == len({one.uid for one in first}) == (min(count, size) if count else size)
    assert {one.uid for one in first} <= {one.uid for one in questions}
    if not shuffles:
        assert [int(one.prompt) for one in first] == sorted(int(one.prompt) for one in first)


@settings(deadline=None)
@given(st.text(max_size=8))
def test_shuffled_choices_are_a_permutation_and_survive_storing(seed: str):
    quiz, questions = Quiz(shuffle_options=True), pool(3)

    again = restored(kept(quiz, questions, seed=seed))

    assert [one.uid for one in again] == [one.uid for one in questions]
    assert all(sorted(one["id"] for one in question.options) == list("abcde") for question in again)
    assert kept(quiz, questions, seed=seed) == kept(quiz, questions, seed=seed)


def test_two_attempts_have_different_orders():
    quiz, questions = Quiz(draw_count=10, shuffle_questions=True), pool(30)

    orders = {tuple(one.prompt for one in drawn(quiz, questions, seed=str(uuid4()))) for _ in range(20)}

    assert len(orders) == 20


def open_one(leo, quiz, now) -> Attempt:
    return services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)


def asked(attempt: Attempt, now) -> list[dict]:
    return attempt_page_out(attempt, now=now)["questions"]


def test_a_reload_asks_the_same_and_edits_change_nothing(leo, enrollment, course, now):
    quiz = make_quiz(course, draw_count=4, shuffle_questions=True, shuffle_options=True)
    attempt = open_one(leo, quiz, now)
    before = asked(attempt, now)
    answers = {uid: answer for uid, answer in right_answers(quiz).items() if uid in {one["uid"] for one in before}}

    quiz.questions.update(prompt="Something else", options=[], answer={}, points=50, is_withdrawn=True)
    quiz.questions.first().delete()
    QuestionFactory(quiz=quiz, position=99)

    again = open_one(leo, quiz, now + MINUTE)
    assert again.pk == attempt.pk
    assert asked(get_attempt(leo, attempt.uid), now) == before
    done, saved = services.submit_attempt(user=leo, attempt=again, answers=answers, now=now + MINUTE)
    assert (done.percent, len(done.results)) == (100, 4)
    assert saved is not None
    repeated, _ = services.submit_attempt(
        user=leo, attempt=get_attempt(leo, attempt.uid), answers=answers, now=now + 2 * MINUTE
    )
    assert repeated.percent == 100


def test_an_answer_to_a_question_that_was_not_drawn_is_refused(call_as, leo, enrollment, course, now):
    quiz = make_quiz(course, draw_count=2)
    opened = call_as("leo", "POST", f"/lessons/{quiz.lesson.uid}/attempts/")[2]
    Attempt.objects.update(started_at=now - MINUTE)

    status, code, _body = call_as("leo", "POST", f"/attempts/{opened['uid']}/submit/", {"answers": right_answers(quiz)})

    assert len(opened["questions"]) == 2
    assert (status, code) == (400, "VALIDATION_FAILED")


def test_a_withdrawn_question_is_not_asked(leo, enrollment, course, now):
    quiz = make_quiz(course)
    hidden = quiz.questions.first()
    Question.objects.filter(pk=hidden.pk).update(is_withdrawn=True)

    assert str(hidden.uid) not in {one["uid"] for one in asked(open_one(leo, quiz, now), now)}


# --- Partial credit --------------------------------------------------------------------------------


def several(options: int, right: set[int], **rules) -> Question:
    ids = [str(n) for n in range(options)]
    return Question(
        kind="multiple",
        options=[{"id": one, "text": one} for one in ids],
        answer={"ids": [str(n) for n in right]},
        **rules,
    )


@settings(deadline=None)
@given(st.data())
def test_partial_credit_stays_between_none_and_all_and_grows_with_each_right_choice(data):
    size = data.draw(st.integers(2, 8))
    right = data.draw(st.sets(st.integers(0, size - 1), min_size=1))
    chosen = data.draw(st.sets(st.integers(0, size - 1)))
    question = several(size, right)

    def share(ids: set[int]):
        return marking.mark(question, {"ids": sorted(str(n) for n in ids)}).share

    assert 0 <= share(chosen) <= 1
    assert (share(chosen) == 1) == (chosen == right)
    for one in range(size):
        more = chosen | {one}
        assert share(more) >= share(chosen) if one in right else share(more) <= share(chosen)
    if len(right) < size:
        assert share(set(range(size))) == 0


@given(st.sampled_from(["multiple", "ordering", "matching"]), st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_all_or_nothing_gives_all_or_nothing(kind: str, seed: int):
    dice = random.Random(seed)
    ids = list("abcd")
    options = [{"id": one, "text": one} for one in ids]
    key = {
        "multiple": {"ids": ["a", "b"]},
        "ordering": {"ids": ids},
        "matching": {"pairs": dict(zip(ids, "1234", strict=True))},
    }
    mixed = dice.sample(ids, 4)
    given_ = {
        "multiple": {"ids": mixed[:2]},
        "ordering": {"ids": mixed},
        "matching": {"pairs": dict(zip(ids, dice.sample("1234", 4), strict=True))},
    }
    strict, lenient = (
        marking.mark(Question(kind=kind, options=options, answer=key[kind], all_or_nothing=rule), given_[kind]).share
        for rule in (True, False)
    )

    assert strict == (1 if lenient == 1 else 0)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=2, max_size=12), st.data())
def test_in_matching_one_right_side_for_all_lines_earns_no_more_than_a_guess(partners: list[int], data):
    pairs = {f"l{place}": str(partner) for place, partner in enumerate(partners)}
    question = Question(kind="matching", options={}, answer={"pairs": pairs})
    used = set(partners)

    def share(answer: dict[str, str]) -> Fraction:
        return marking.mark(question, {"pairs": answer}).share

    assert share(pairs) == 1
    assert {share(dict.fromkeys(pairs, str(one))) for one in used} == {Fraction(1, len(used))}
    assert share(dict.fromkeys(pairs, "9")) == share({}) == 0
    wrong = data.draw(st.sampled_from(sorted(pairs)))
    assert share(pairs | {wrong: "9"}) == 1 - Fraction(1, len(used) * partners.count(int(pairs[wrong])))


@pytest.mark.parametrize("right", [1, 2, 3, 4])
def test_guessing_wins_nothing(right: int):
    """Over all ways to choose, an answer earns on average less than a third of the points."""
    question = several(5, set(range(right)))
    shares = [
        marking.mark(question, {"ids": [str(n) for n in range(5) if mask >> n & 1]}).share for mask in range(1, 32)
    ]

    assert sum(shares) / len(shares) < 1 / 3
