"""Whatever devices come back in whatever order, and however often they send the same, all ends in the same.

``OFFLINE_ORDERS=1000`` tries other trips than usual, and more.
"""

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from apps.accounts.models import User
from apps.courses.models import Course, Lesson, Quiz
from apps.learning import services
from apps.learning.models import (
    Attempt,
    Enrollment,
    LessonProgress,
    Note,
    PracticeCard,
    PracticeReview,
    RestartedLesson,
    SealedPaper,
    TakenChange,
)
from apps.learning.notes.merging import Content, Edit
from apps.learning.services.offline_sending import Outcome
from studyplatform.kit.caching.lru import clear_caches
from tests.factories.courses import LessonFactory, SectionFactory
from tests.factories.learning import FlashCardFactory
from tests.learning.conftest import NOON
from tests.learning.offline import DAY, Phone
from tests.learning.quiz import make_quiz, right_answers

pytestmark = pytest.mark.django_db
SECOND, HOUR, MONTH = timedelta(seconds=1), timedelta(hours=1), timedelta(days=30)
MORE = int(os.environ.get("OFFLINE_ORDERS", "0"))
ORDERS = 3  # of each trip
TRIES = 6  # how often all is sent again until nothing is left for later


@dataclass
class World:
    """A course with all kinds of lessons, in which the order counts for some trips."""

    leo: User
    ada: User
    course: Course
    enrollment: Enrollment
    texts: list[Lesson]
    films: list[Lesson] = field(default_factory=list)
    quizzes: list[Quiz] = field(default_factory=list)
    cards: list[PracticeCard] = field(default_factory=list)
    notes: list[UUID] = field(default_factory=lambda: [uuid4(), uuid4()])


@pytest.fixture
def world(leo, ada, course, enrollment, lessons) -> World:
    section = SectionFactory(course=course)
    made = World(leo, ada, course, enrollment, lessons[:3])
    Lesson.objects.filter(pk=lessons[0].pk).update(body="word " * 300)
    for duration in (600, 3600):
        made.films.append(LessonFactory(section=section, course=course, kind="video", duration=duration))
    made.quizzes = [
        make_quiz(course, max_attempts=2, time_limit=600, pass_percent=60),
        make_quiz(course, retry_wait=0, reveal="always"),
    ]
    made.cards = [FlashCardFactory(user=leo, created_at=NOON - 3 * DAY) for _ in range(2)]
    return made


# --- Trips -------------------------------------------------------------------------------------------

NUMBER = st.integers(0, 10**9)
STEP = st.tuples(st.sampled_from(["watch", "watch", "read", "note", "review", "answer", "answer"]), NUMBER)
DEVICE = st.tuples(st.sampled_from([timedelta(0), timedelta(0), MONTH, -MONTH]), st.lists(STEP, min_size=1, max_size=4))
MEANWHILE = st.sampled_from(
    ["nothing", "nothing", "order", "removed", "revoked", "restarted", "lesson added", "attempt", "extra time"]
)
TRIP = st.tuples(st.lists(DEVICE, min_size=1, max_size=3), MEANWHILE, st.randoms(use_true_random=False))


def do(world: World, phone: Phone, papers: dict[int, SealedPaper], step: tuple[str, int], at: datetime) -> None:
    """Do one thing on a device."""
    what, number = step
    dice = random.Random(number)
    match what:
        case "watch":
            film = dice.choice(world.films)
            begin, length = dice.randrange(film.duration), dice.randrange(1, 1200)
            pairs = [[begin, begin + length], [dice.randrange(600), dice.randrange(600)]]
            # Some claim more than they can have played; each is cut by its own evidence.
            phone.watch(film, pairs, at=at, took=dice.choice([length, length / 2, 10]), position=dice.randrange(3600))
        case "read":
            phone.complete(dice.choice(world.texts), at=at, took=dice.choice([5, 40, 400]))
        case "note":
            edit = Edit(
                dice.randrange(1, 4), dice.randrange(5), dice.choice(["silt", "delta", "𐍈", ""]), dice.random() < 0.2
            )
            content = Content({f"device{dice.randrange(4)}": edit}, {f"device{dice.randrange(4)}": 1})
            phone.write(world.films[0], dice.choice(world.notes), content, at=at)
        case "review":
            phone.review(dice.choice(world.cards), dice.randrange(1, 5), at=at, turn=dice.randrange(3))
        case "answer":
            which = dice.choice([0, 0, 1])
            if which not in papers:
                return
            right = right_answers(world.quizzes[which])
            answers = {uid: right[uid] for uid in dice.sample(sorted(right), dice.randrange(len(right) + 1))}
            phone.answer(papers[which], answers, at=at, took=dice.choice([60, 300, 900]))


def happen(world: World, meanwhile: str) -> None:
    """Let something happen with a connection while the devices have none."""
    match meanwhile:
        case "order":
            Course.objects.filter(pk=world.course.pk).update(requires_order=True)
        case "removed":
            gone = [world.texts[1].pk, world.films[0].pk, world.quizzes[0].lesson_id]
            Lesson.objects.filter(pk__in=gone).update(removed_at=NOON - HOUR)
        case "revoked":
            Enrollment.objects.filter(pk=world.enrollment.pk).update(revoked_at=NOON - HOUR)
        case "restarted":
            RestartedLesson.objects.create(lesson=world.films[0], restarted_at=NOON - 6 * HOUR)
        case "lesson added":  # a version of the course has put a lesson before all others, and the order counts
            first = LessonFactory(section=SectionFactory(course=world.course, position=0), course=world.course)
            Course.objects.filter(pk=world.course.pk).update(requires_order=True)
            services.recount(enrollment_id=world.enrollment.pk, now=NOON)
            world.texts = [*world.texts[:2], first]
        case "attempt":
            for quiz in world.quizzes:
                at = NOON - 5 * HOUR
                opened = services.open_attempt(user=world.leo, lesson_uid=quiz.lesson.uid, now=at)
                services.submit_attempt(user=world.leo, attempt=opened, answers={}, now=at + 60 * SECOND)
        case "extra time":
            act = services.Act(by=world.ada, learners=[world.enrollment.uid], key=uuid4())
            services.grant_extra_time(act, quiz=world.quizzes[0], minutes=10, now=NOON - HOUR)


def take_trip(world: World, devices: list[Any]) -> list[Phone]:
    """Store quizzes on the devices, and do what each did: at the same time as the others, in turns of an hour."""
    phones = [Phone(world.leo, at=NOON - DAY, clock=clock) for clock, _steps in devices]
    for which, quiz in enumerate(world.quizzes):
        for phone in phones[:2]:
            phone.papers[which] = phone.seal(quiz, at=NOON - DAY + which * SECOND)
    for place, (phone, (_clock, steps)) in enumerate(zip(phones, devices, strict=True)):
        for hour, step in enumerate(steps):
            do(world, phone, phone.papers, step, NOON - 10 * HOUR + hour * HOUR + place * 7 * SECOND)
    return phones


def come_back(phones: list[Phone], dice: random.Random) -> dict[UUID, Any]:
    """Send what the devices have in a random order, some of it repeatedly; return what became of each change."""
    waiting = {number: list(phone.changes) for number, phone in enumerate(phones) if phone.changes}
    sent: list[tuple[Phone, list[services.Change]]] = []
    now, outcomes = NOON, {}

    def send(phone: Phone, changes: list[services.Change]) -> bool:
        nonlocal now
        now += SECOND
        found = phone.send(*changes, at=now)
        outcomes.update({change.id: outcome for change, outcome in zip(changes, found, strict=True)})
        return all(outcome.state != "later" for outcome in found)

    while waiting:
        if sent and dice.random() < 0.25:  # the answer was lost
            send(*dice.choice(sent))
            continue
        number = dice.choice(sorted(waiting))
        batch, rest = waiting[number][: (size := dice.randrange(1, 4))], waiting[number][size:]
        sent.append((phones[number], batch))
        send(*sent[-1])
        waiting[number] = rest
        if not rest:
            del waiting[number]
    for _try in range(TRIES):
        dice.shuffle(sent)
        now += 400 * SECOND
        answers = [send(*one) for one in sent]
        if all(answers):
            break
    return {key: (one.state, reason(one), one.percent) for key, one in outcomes.items()}


def reason(outcome: Outcome) -> str | None:
    """Why a change was refused. Whether the paper that comes first is still waiting, or was used, is one reason."""
    code = outcome.refusal["code"] if outcome.refusal else None
    return "QUIZ_NO_ATTEMPTS_LEFT" if code == "OFFLINE_ATTEMPTS_HELD" else code


def state_of(world: World) -> dict[str, Any]:
    """All that must be the same in the end."""
    progress = LessonProgress.objects.filter(enrollment=world.enrollment)
    attempts = Attempt.objects.filter(enrollment=world.enrollment).order_by("quiz", "number")
    enrollment = Enrollment.objects.values("percent", "completed_lessons", "last_lesson", "last_activity_at")
    reviews = PracticeReview.objects.order_by("key").values_list("key", "turn", "rating", "reviewed_at")
    schedules = PracticeCard.objects.filter(question=None).values_list("pk", "due", "stability", "turn", "lapses")
    missed = PracticeCard.objects.exclude(question=None).values_list("question", "missed", "missed_at")
    return {
        "progress": {
            one.lesson_id: (
                one.watched,
                one.watched_seconds,
                one.position,
                one.position_at,
                one.completed_at is not None,
            )
            for one in progress
        },
        "enrollment": enrollment.get(pk=world.enrollment.pk),
        "attempts": list(
            attempts.values_list(
                "quiz", "number", "uid", "started_at", "submitted_at", "answers", "score", "percent", "is_passed"
            )
        ),
        "notes": sorted(Note.objects.values_list("uid", "text", "is_deleted")),
        "reviews": list(reviews),
        "schedules": sorted(schedules),
        "missed": sorted(missed),
        "papers": sorted(SealedPaper.objects.values_list("uid", "attempt__uid"), key=str),
        "taken": TakenChange.objects.count(),
    }


@contextmanager
def undone() -> Iterator[None]:
    """Undo in the end what happens meanwhile."""
    with transaction.atomic():
        clear_caches()
        yield
        transaction.set_rollback(True)
    clear_caches()


def try_trips(world: World, examples: int) -> list[str]:
    """Return which changes were seen, by kind and outcome, so that a test can say that it tried something."""
    seen: list[str] = []

    # Without making a failing trip shorter: that takes minutes.
    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=not MORE,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(trip=TRIP)
    def run(trip: Any) -> None:
        devices, meanwhile, dice = trip
        texts = list(world.texts)
        with undone():
            phones = take_trip(world, devices)
            happen(world, meanwhile)
            ends = []
            for _order in range(ORDERS):
                with undone():
                    outcomes = come_back(phones, dice)
                    ends.append({"outcomes": outcomes, **state_of(world)})
            kinds = {change.id: change.kind for phone in phones for change in phone.changes}
            seen.extend(f"{kinds[key]} {state} {code}" for key, (state, code, _percent) in ends[0]["outcomes"].items())
        world.texts = texts
        for end in ends[1:]:
            assert end == ends[0]

    run()
    return seen


def test_devices_that_come_back_in_any_order_end_in_the_same(world):
    seen = try_trips(world, 12)

    assert {one.partition(" ")[0] for one in seen} == {"watched", "completed", "note", "review", "attempt"}


@pytest.mark.long
def test_three_hundred_trips_end_in_the_same(world):
    seen = try_trips(world, MORE or 300)

    refusals = {one.partition("refused ")[2] for one in seen}
    assert {
        "QUIZ_TIME_OVER",
        "QUIZ_NO_ATTEMPTS_LEFT",
        "OFFLINE_VIDEO_REPLACED",
        "ENROLLMENT_REQUIRED",
        "LESSON_TAKEN_OUT",
    } <= refusals
