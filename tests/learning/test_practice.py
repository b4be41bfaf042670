"""Practice: cards of missed questions, flash cards, reviews, and the limits of the day."""

import random
import re
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.courses.models import Question, Quiz
from apps.learning import services
from apps.learning.errors import CardNotFound
from apps.learning.models import Attempt, Enrollment, PracticeCard, PracticeReview
from apps.learning.practice.day import NEW_PER_DAY, REVIEWS_PER_DAY, day_of
from apps.learning.practice.schedule import Reviewed, preview, replayed
from apps.learning.queries.practice import cards_of, due_today, get_card, own_cards
from apps.learning.queries.practice_page import practice_out
from studyplatform.kit.models import Job
from tests.factories.learning import FlashCardFactory
from tests.learning.quiz import SECRETS, make_quiz, right_answers

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
MADE = datetime(2026, 3, 1, 8, tzinfo=UTC)

reviews = st.lists(
    st.builds(
        Reviewed,
        turn=st.integers(0, 6),
        at=st.integers(0, 60 * 24 * 30).map(lambda minutes: MADE + minutes * MINUTE),
        key=st.uuids(),
        rating=st.integers(1, 4),
    ),
    max_size=12,
)


@given(reviews, st.randoms())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_reviews_merge_in_any_order_and_repetition_to_the_same_schedule(found: list[Reviewed], dice: random.Random):
    mixed = [*found, *dice.choices(found, k=3)] if found else []
    dice.shuffle(mixed)

    assert replayed(MADE, mixed) == replayed(MADE, found)


@given(reviews)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_card_never_returns_before_its_last_review(found: list[Reviewed]):
    schedule = replayed(MADE, found)

    assert schedule.due >= (schedule.last_review or MADE)
    intervals = list(preview(schedule, MADE + 40 * DAY).values())
    assert intervals == sorted(intervals)
    assert intervals[0] <= timedelta(minutes=10)


def test_the_day_is_that_of_the_learner():
    berlin = timezone.zoneinfo.ZoneInfo("Europe/Berlin")
    start, end = day_of(datetime(2026, 3, 29, 12, tzinfo=UTC), berlin)

    assert (start.isoformat(), end - start) == ("2026-03-28T23:00:00+00:00", timedelta(hours=23))


# --- Cards of missed questions ---------------------------------------------------------------------


def take(leo, quiz: Quiz, now: datetime, **wrong) -> Attempt:
    """Leo answers everything right but the questions of these positions (p1={...})."""
    answers = right_answers(quiz)
    uids = list(answers)
    for name, answer in wrong.items():
        answers[uids[int(name[1:]) - 1]] = answer
    attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)
    return services.submit_attempt(user=leo, attempt=attempt, answers=answers, now=now + MINUTE)[0]


def test_a_passed_quiz_makes_a_card_of_each_missed_question(leo, enrollment, course, now):
    quiz = make_quiz(course, pass_percent=50)
    take(leo, quiz, now, p1={"id": "a"}, p2={"ids": ["p"]})

    cards = cards_of(leo).order_by("question__position")
    assert [card.question.position for card in cards] == [1, 2]
    assert all((card.missed, card.missed_at, card.due) == (1, now + MINUTE, now + MINUTE) for card in cards)


def test_a_question_left_unanswered_makes_a_card(leo, enrollment, course, now):
    take(leo, make_quiz(course, pass_percent=50), now, p2=None)

    assert [card.question.position for card in cards_of(leo)] == [2]


def test_no_card_reveals_an_answer_that_the_quiz_hides(leo, enrollment, course, now):
    quiz = make_quiz(course, pass_percent=100)
    take(leo, quiz, now, p1={"id": "a"})
    assert not PracticeCard.objects.exists()

    take(leo, quiz, now + 5 * MINUTE, p1={"id": "a"})
    take(leo, quiz, now + 10 * MINUTE)
    assert [card.missed for card in cards_of(leo)] == [2]

    Quiz.objects.update(reveal="never")
    assert not cards_of(leo).exists()
    Quiz.objects.update(reveal="always")
    assert cards_of(leo).exists()


def test_a_quiz_that_never_shows_answers_makes_no_cards(leo, enrollment, course, now):
    take(leo, make_quiz(course, reveal="never"), now, p1={"id": "a"})

    assert not PracticeCard.objects.exists()


def test_cards_disappear_with_the_enrollment_and_the_question_and_return_with_them(leo, enrollment, course, now):
    quiz = make_quiz(course)
    take(leo, quiz, now, p1={"id": "a"})
    uid = cards_of(leo).get().uid

    for hide, show in [
        (lambda: Enrollment.objects.update(revoked_at=now), lambda: Enrollment.objects.update(revoked_at=None)),
        (lambda: Question.objects.update(is_withdrawn=True), lambda: Question.objects.update(is_withdrawn=False)),
    ]:
        hide()
        with pytest.raises(CardNotFound):
            get_card(leo, uid)
        assert due_today(leo, now).count == 0
        show()
        assert get_card(leo, uid).uid == uid


def test_cards_are_their_learners_alone(call_as, leo, mia, enrollment, course, now):
    take(leo, make_quiz(course), now, p1={"id": "a"})
    uid = cards_of(leo).get().uid
    body = {"key": str(uuid4()), "turn": 0, "rating": 3}

    assert call_as("nobody", "GET", "/practice/")[0] == 401
    for who in ("mia", "ada"):
        assert call_as(who, "GET", "/practice/")[2]["cards"] == []
        assert call_as(who, "POST", f"/practice/cards/{uid}/answer/", {})[1] == "PRACTICE_CARD_NOT_FOUND"
        assert call_as(who, "POST", f"/practice/cards/{uid}/reviews/", body)[1] == "PRACTICE_CARD_NOT_FOUND"
    assert not PracticeReview.objects.exists()


def test_a_card_shows_its_answer_only_after_it_was_answered(call_as, leo, enrollment, course, now, video_lesson):
    quiz = make_quiz(course, rewatch=video_lesson)
    wrong = {"p1": {"id": "a"}, "p4": {"text": "3"}, "p5": {"text": "x"}}
    Quiz.objects.update(pass_percent=1)
    take(leo, quiz, now, **wrong)

    shown = str(call_as("leo", "GET", "/practice/")[2])
    assert not [secret for secret in SECRETS if secret in shown]

    card = cards_of(leo).get(question__position=1)
    answered = call_as("leo", "POST", f"/practice/cards/{card.uid}/answer/", {"answer": {"id": "a"}})[2]
    assert (answered["result"]["verdict"], answered["suggested"]) == ("wrong", 1)
    assert answered["result"]["rewatch"]["url"].endswith("?t=42")
    assert "zeppelin-explains" in answered["result"]["explanation_html"]
    right = call_as("leo", "POST", f"/practice/cards/{card.uid}/answer/", {"answer": {"id": "b"}})[2]
    assert (right["result"]["verdict"], right["suggested"]) == ("right", 3)
    bad = call_as("leo", "POST", f"/practice/cards/{card.uid}/answer/", {"answer": {"id": "zzz"}})
    assert bad[:2] == (400, "VALIDATION_FAILED")


def test_the_second_to_rewatch_is_named_only_if_its_lesson_is_open(call_as, leo, enrollment, course, now, lessons):
    quiz = make_quiz(course, rewatch=lessons[-1])
    take(leo, quiz, now, p1={"id": "a"})
    lessons[-1].prerequisites.add(lessons[0])
    course.version += 1
    course.save()
    uid = cards_of(leo).get().uid

    assert call_as("leo", "POST", f"/practice/cards/{uid}/answer/", {})[2]["result"]["rewatch"] is None
    result = call_as("leo", "GET", f"/lessons/{quiz.lesson.uid}/quiz/")[2]["attempt"]["result"]
    assert {one["rewatch"] for one in result["questions"]} == {None}


# --- Reviews ---------------------------------------------------------------------------------------


def test_a_review_counts_once_however_often_it_arrives(call_as, leo):
    card = FlashCardFactory(user=leo)
    body = {"key": str(uuid4()), "turn": 0, "rating": 3}
    path = f"/practice/cards/{card.uid}/reviews/"

    answers = [call_as("leo", "POST", path, body)[2] for _ in range(3)]

    assert answers[0] == answers[1] == answers[2]
    assert answers[0]["is_counted"]
    assert PracticeReview.objects.count() == 1


def test_of_two_tabs_the_first_rating_counts(call_as, leo):
    card = FlashCardFactory(user=leo)
    path = f"/practice/cards/{card.uid}/reviews/"
    first = call_as("leo", "POST", path, {"key": str(uuid4()), "turn": 0, "rating": 4})[2]
    second = call_as("leo", "POST", path, {"key": str(uuid4()), "turn": 0, "rating": 1})[2]

    assert (first["is_counted"], second["is_counted"]) == (True, False)
    assert (second["due"], second["turn"]) == (first["due"], 1)


def test_a_rating_from_before_the_connection_was_lost_keeps_its_time(leo, now):
    card = FlashCardFactory(user=leo, created_at=now - 9 * DAY)
    early, late = now - 5 * DAY, now + 5 * DAY

    def rate(turn: int, at: datetime) -> PracticeCard:
        return services.review_card(
            user=leo, card=card, key=uuid4(), turn=turn, rating=3, answer=None, reviewed_at=at, now=now
        )[0]

    rate(1, late)
    moved = rate(0, early)

    assert sorted(PracticeReview.objects.values_list("reviewed_at", flat=True)) == [early, now]
    assert (moved.turn, moved.last_review) == (2, now)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"key": "x", "turn": 0, "rating": 3},
        {"key": str(UUID(int=1)), "turn": -1, "rating": 3},
        {"key": str(UUID(int=1)), "turn": 500, "rating": 3},
        {"key": str(UUID(int=1)), "turn": 0, "rating": 5},
        {"key": str(UUID(int=1)), "turn": 0, "rating": 3, "reviewed_at": "soon"},
    ],
)
def test_bad_reviews_are_refused(call_as, leo, body: dict):
    card = FlashCardFactory(user=leo)

    assert call_as("leo", "POST", f"/practice/cards/{card.uid}/reviews/", body)[:2] == (400, "VALIDATION_FAILED")
    assert not PracticeReview.objects.exists()


# --- The day ---------------------------------------------------------------------------------------


def test_the_day_has_limits_and_what_was_missed_comes_back(leo, now):
    for _ in range(NEW_PER_DAY + 3):
        FlashCardFactory(user=leo, created_at=now - DAY)
    assert due_today(leo, now).count == NEW_PER_DAY

    first, second, *_rest = practice_out(leo, "", now)["cards"]
    for shown, rating in ((first, 1), (second, 3)):
        card = get_card(leo, UUID(shown["uid"]))
        services.review_card(
            user=leo, card=card, key=uuid4(), turn=0, rating=rating, answer=None, reviewed_at=None, now=now
        )

    left = practice_out(leo, "", now)
    assert left["left"] == NEW_PER_DAY - 2 + 1
    assert left["cards"][-1]["uid"] == first["uid"]
    assert second["uid"] not in {card["uid"] for card in left["cards"]}
    assert practice_out(leo, "", now + DAY)["left"] == NEW_PER_DAY + 1


def test_tomorrow_keeps_to_the_limits_of_a_day(leo, now):
    for _ in range(3 * NEW_PER_DAY):
        FlashCardFactory(user=leo, created_at=now - DAY)
    assert practice_out(leo, "", now)["tomorrow"] == NEW_PER_DAY

    PracticeCard.objects.all().delete()
    for _ in range(REVIEWS_PER_DAY + 4):
        FlashCardFactory(
            user=leo,
            created_at=now - 9 * DAY,
            turn=1,
            state=2,
            stability=5.0,
            difficulty=5.0,
            last_review=now - 6 * DAY,
            due=now - DAY,
        )
    shown = practice_out(leo, "", now)
    assert (shown["left"], shown["tomorrow"]) == (REVIEWS_PER_DAY, 4)
    assert shown["next_due"] == day_of(now, UTC)[1]


def test_a_list_of_many_cards_costs_few_queries(leo, now, django_assert_max_num_queries):
    PracticeCard.objects.bulk_create(
        PracticeCard(
            user=leo, front="f", back="b", created_at=now - 90 * DAY, due=now - DAY + n * MINUTE,
            turn=n % 3, state=2 if n % 3 else 1, stability=n % 60 + 1.0, difficulty=5.0, last_review=now - 9 * DAY,
        )
        for n in range(1_600)
    )  # fmt: skip

    with django_assert_max_num_queries(8):
        out = practice_out(leo, "", now)
    with django_assert_max_num_queries(3):
        due = due_today(leo, now)

    assert len(out["cards"]) == 20
    assert (due.count, out["left"]) == (NEW_PER_DAY + REVIEWS_PER_DAY, NEW_PER_DAY + REVIEWS_PER_DAY)


# --- Pages -----------------------------------------------------------------------------------------


def test_the_page_of_many_cards_costs_few_queries(browser_of, leo, django_assert_max_num_queries):
    browser = browser_of(leo)
    browser.get("/me/practice")
    for _ in range(40):
        FlashCardFactory(user=leo)

    with django_assert_max_num_queries(13):
        page = browser.get("/me/practice")

    assert page.status_code == 200
    assert "Up to 10 new and" in page.content.decode()


def test_flash_cards_are_made_edited_deleted_and_brought_back(browser_of, leo):
    browser = browser_of(leo)
    assert browser.post("/me/practice/cards", {"front": " ", "back": ""}).status_code == 422

    browser.post("/me/practice/cards", {"front": "*Ebb*?", "back": "Falling <b>tide</b>"})
    card = own_cards(leo).get()
    page = browser.get("/me/practice/cards").content.decode()
    assert "<em>Ebb</em>?" in page
    assert "<b>tide</b>" not in page

    browser.post(f"/me/practice/cards/{card.uid}", {"front": "Ebb?", "back": "The falling tide"})
    gone = browser.post(f"/me/practice/cards/{card.uid}/delete", follow=True)
    assert "The card was deleted" in gone.content.decode()
    assert not cards_of(leo).exists()
    assert browser.get(f"/me/practice/cards/{card.uid}").status_code == 404

    browser.post(f"/me/practice/cards/{card.uid}/restore")
    assert own_cards(leo).get().back == "The falling tide"


def test_a_card_of_a_question_cannot_be_edited(browser_of, leo, enrollment, course, now):
    take(leo, make_quiz(course), now, p1={"id": "a"})
    uid = cards_of(leo).get().uid

    for path in ("", "/delete", "/restore"):
        browser_of(leo).post(f"/me/practice/cards/{uid}{path}", {"front": "x", "back": "y"})

    assert browser_of(leo).get(f"/me/practice/cards/{uid}").status_code == 404
    assert PracticeCard.objects.values_list("front", "back", "deleted_at").get() == ("", "", None)


def test_a_form_can_be_filled_from_a_note(browser_of, leo):
    page = browser_of(leo).get("/me/practice/cards?front=Ebb%3F&back=%3Cscript%3E").content.decode()

    assert "Ebb?" in page
    assert "&lt;script&gt;" in page


def test_one_source_at_a_time(leo, enrollment, course, now):
    take(leo, make_quiz(course), now, p1={"id": "a"})
    FlashCardFactory(user=leo, created_at=now)

    assert practice_out(leo, "", now + MINUTE)["left"] == 2
    assert [card["course"] for card in practice_out(leo, course.slug, now + MINUTE)["cards"]] == [course.title]
    assert [card["course"] for card in practice_out(leo, "own", now + MINUTE)["cards"]] == [""]
    assert practice_out(leo, "elsewhere", now + MINUTE)["cards"] == []


# --- Without scripts -------------------------------------------------------------------------------


def field(page: str, name: str) -> str:
    """The value of a hidden field."""
    return re.search(rf'<input type="hidden" name="{name}" value="([^"]*)"', page)[1]


def test_a_card_is_answered_rated_and_followed_by_the_next_with_plain_forms(browser_of, leo, enrollment, course, now):
    quiz = make_quiz(course, pass_percent=1)
    take(leo, quiz, now - DAY, p1={"id": "a"}, p2={"ids": ["p"]})
    browser = browser_of(leo)
    first, second = cards_of(leo).order_by("due", "pk")
    asked = browser.get(f"/me/practice?source={course.slug}").content.decode()
    assert f'action="/me/practice/cards/{first.uid}/answer"' in asked
    assert not [secret for secret in SECRETS if secret in asked]

    name = f"q.{first.question.uid}"
    posted = {name: "a", "source": course.slug}
    shown = browser.post(f"/me/practice/cards/{first.uid}/answer", posted).content.decode()
    assert "Incorrect, 0 of 2" in shown
    assert "zeppelin-explains" in shown
    assert not PracticeReview.objects.exists()

    rating = {one: field(shown, one) for one in ("key", "turn", "source", name)} | {"rating": "1"}
    for _ in range(2):  # sent twice, it is the same review
        gone = browser.post(f"/me/practice/cards/{first.uid}/rate", rating)
        assert gone["Location"] == f"/me/practice?source={course.slug}"
    review = PracticeReview.objects.get()
    assert (review.card_id, review.rating, review.verdict) == (first.pk, 1, "wrong")
    assert f"/me/practice/cards/{second.uid}/answer" in browser.get(gone["Location"]).content.decode()


def test_a_form_without_an_answer_and_a_wrong_one_lose_nothing(browser_of, leo, enrollment, course, now):
    quiz = make_quiz(course, pass_percent=1)
    take(leo, quiz, now - DAY, p6={"ids": ["p", "q", "r", "s"]})
    card = cards_of(leo).get()
    name, address = f"q.{card.question.uid}", f"/me/practice/cards/{card.uid}/answer"
    halves = {f"{name}.p": "1", f"{name}.q": "1"}

    refused = browser_of(leo).post(address, halves)
    assert refused.status_code == 422
    assert refused.content.decode().count("<option selected>1</option>") == 2
    unknown = browser_of(leo).post(address, {"unknown": "1", **halves}).content.decode()
    assert "Not answered, 0 of 1" in unknown
    assert f'name="{name}' not in unknown


def test_the_list_of_flash_cards_tells_when_each_is_due(browser_of, leo):
    now = timezone.now()
    for turn, due in ((0, now), (2, now - 3 * DAY), (2, now + 9 * DAY)):
        FlashCardFactory(user=leo, turn=turn, due=due)

    page = browser_of(leo).get("/me/practice/cards").content.decode()

    assert [page.count(words) for words in ("Not practiced yet", "Due today", "Returns on")] == [1, 1, 1]


def test_a_flash_card_turns_with_plain_forms_and_two_tabs_count_once(browser_of, leo):
    card, browser = FlashCardFactory(user=leo, back="*Falling* tide"), browser_of(leo)
    tabs = [browser.post(f"/me/practice/cards/{card.uid}/answer").content.decode() for _ in range(2)]
    assert "<em>Falling</em> tide" in tabs[0]

    for tab, rating in zip(tabs, "34", strict=True):
        form = {one: field(tab, one) for one in ("key", "turn")} | {"rating": rating}
        end = browser.post(f"/me/practice/cards/{card.uid}/rate", form, follow=True)
    page = end.content.decode()
    assert "You already rated this card in another tab." in page
    assert "Done for today" in page
    assert PracticeCard.objects.get().turn == 1


@pytest.mark.parametrize("form", [{}, {"key": "x", "turn": "0", "rating": "3"}, {"rating": "9"}])
def test_a_rating_that_no_page_sent_is_refused(browser_of, leo, form: dict):
    card = FlashCardFactory(user=leo)

    assert browser_of(leo).post(f"/me/practice/cards/{card.uid}/rate", form)["Location"] == "/"
    assert not PracticeReview.objects.exists()


# --- Deleted and changed ---------------------------------------------------------------------------


def test_a_deleted_card_is_erased_a_day_later_unless_it_came_back(leo, now):
    kept, erased = FlashCardFactory(user=leo), FlashCardFactory(user=leo)
    for card in (kept, erased):
        services.delete_card(card=card, now=now)
        services.delete_card(card=card, now=now + MINUTE)  # twice is once
    services.restore_card(card=kept)
    jobs = Job.objects.filter(kind="learning.forget_card")
    assert {job.payload["card_id"] for job in jobs} == {kept.pk, erased.pk}
    assert jobs.count() == 2

    for at in (now + DAY - MINUTE, now + DAY):
        before = PracticeCard.objects.count()
        for job in jobs:
            services.forget_card(**job.payload, now=at)
    assert (before, list(PracticeCard.objects.all())) == (2, [kept])


def test_bringing_cards_back_keeps_to_the_limit(browser_of, leo, now, monkeypatch):
    monkeypatch.setattr("apps.learning.services.practice.MOST_OWN_CARDS", 1)
    gone = FlashCardFactory(user=leo, deleted_at=now)
    FlashCardFactory(user=leo)

    refused = browser_of(leo).post(f"/me/practice/cards/{gone.uid}/restore", follow=True)
    assert "You can keep up to 1 flash cards" in refused.content.decode()
    assert own_cards(leo).count() == 1


def test_an_edited_or_deleted_question_leaves_the_other_cards_alone(leo, ada, enrollment, course, now):
    quiz = make_quiz(course, pass_percent=1)
    take(leo, quiz, now - DAY, p1={"id": "a"}, p2={"ids": ["p"]}, p3={"value": False})
    first, second, third = cards_of(leo).order_by("question__position")
    flash = FlashCardFactory(user=leo)
    for card in (first, second, third):
        services.review_card(user=leo, card=card, key=uuid4(), turn=0, rating=3, answer=None, reviewed_at=None, now=now)
    options = [{"id": one, "text": f"New {one}"} for one in "xyz"]
    Question.objects.filter(pk=first.question_id).update(options=options, answer={"id": "x"})
    second.question.delete()

    assert set(cards_of(leo)) == {first, third, flash}
    assert set(PracticeReview.objects.values_list("card_id", flat=True)) == {first.pk, third.pk}
    changed = get_card(leo, first.uid)
    shown = practice_out(leo, "", now + 9 * DAY)["cards"]
    assert [one["html"] for card in shown if card["uid"] == str(changed.uid) for one in card["question"]["options"]]
