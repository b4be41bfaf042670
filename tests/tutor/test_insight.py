"""What instructors see of the questions to the tutor: nobody can be recognized."""

from datetime import datetime, timedelta
from itertools import combinations

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.errors import NotCourseStaff
from apps.courses.models import Course, Lesson
from apps.learning.models import Enrollment
from apps.tutor import services
from apps.tutor.insight import LEAST_LEARNERS, Asked, group, masked
from apps.tutor.models import Answer, Chat, SettledQuestion
from apps.tutor.queries.insight import PERIODS, insight_of
from studyplatform.kit.errors import NotFound, ValidationFailed
from tests.factories.accounts import UserFactory
from tests.factories.learning import EnrollmentFactory
from tests.factories.tutor import AnswerFactory, CitationFactory

pytestmark = pytest.mark.django_db
PAGES = "/dashboard/instructor/tutor/"


def ask(learner: User, course: Course, question: str, *, lesson: Lesson | None = None, days: float = 1, **answer):
    at = timezone.now() - timedelta(days=days)
    about = {"exchange__chat__course": course, "exchange__lesson": lesson, "exchange__created_at": at}
    return AnswerFactory(exchange__chat__user=learner, exchange__question=question, **about, **answer)


@pytest.fixture
def learners(course: Course) -> list[User]:
    found = [UserFactory(first_name=f"Zoe{n}x", last_name=f"Quill{n}x") for n in range(6)]
    for one in found:
        EnrollmentFactory(user=one, course=course)
    return found


def seen(course: Course, days: int = 30, lesson: str = "") -> list[str]:
    return [one.text for one in insight_of(course, days=days, now=timezone.now(), lesson=lesson).lines]


def test_nothing_is_shown_before_five_learners_have_asked(browser_of, ada: User, course: Course, learners: list[User]):
    for learner in learners[:4]:
        for number in range(3):
            ask(learner, course, f"Question {number} of four learners?")
    ask(UserFactory(), course, "Question of somebody who is not enrolled?")
    ask(ada, course, "Question of the instructor?")
    page = browser_of(ada).get(f"{PAGES}{course.slug}").content.decode()
    assert "of four learners" not in page
    assert "Nothing to show yet" in page

    fifth = ask(learners[4], course, "Question of the fifth?")
    page = browser_of(ada).get(f"{PAGES}{course.slug}").content.decode()
    assert "of four learners" in page
    assert "not enrolled" not in page
    assert "of the instructor" not in page

    fifth.exchange.chat.deleted_at = timezone.now()
    fifth.exchange.chat.save()
    assert seen(course) == []
    Chat.objects.update(deleted_at=None)
    assert seen(course)
    Enrollment.objects.filter(user=learners[0]).update(revoked_at=timezone.now())
    assert seen(course) == []


def test_no_two_choices_differ_by_fewer_learners_than_five(course: Course) -> None:
    """Whatever somebody reads is whole groups, and each question is in one group at most."""
    start = datetime(2026, 3, 1, tzinfo=timezone.get_current_timezone())
    rows = [
        Asked(n, (n * 7) % 11 + n % 3, (None, 1, 2, 3)[(n * 3 + n // 7) % 4], start + timedelta(hours=9 * n))
        for n in range(300)
    ]
    learner = {row.exchange: row.learner for row in rows}
    groups = group(rows)
    taken = [exchange for one in groups for exchange in one.exchanges]
    assert len(taken) == len(set(taken))
    assert {one.lesson for one in groups} >= {1, 2, 3}

    views = {frozenset[int]()}
    for days in (*PERIODS, 400):
        since = start + timedelta(days=113 - days)
        chosen = [one for one in groups if one.complete_at > since]
        for lessons in ({None, 1, 2, 3}, {None}, {1}, {2}, {3}):
            views.add(frozenset(e for one in chosen if one.lesson in lessons for e in one.exchanges))
    for one, other in combinations(views, 2):
        for rest in (one - other, other - one):
            assert not rest or len({learner[exchange] for exchange in rest}) >= LEAST_LEARNERS


def test_lessons_have_their_own_groups(course: Course, learners: list[User], rivers: dict[str, Lesson]) -> None:
    for learner in learners[:5]:
        ask(learner, course, "What is a delta?", lesson=rivers["deltas"])
    for learner in learners[:4]:
        ask(learner, course, "What is a spring?", lesson=rivers["springs"])
    found = insight_of(course, days=30, now=timezone.now())
    assert [(one.text, one.count, one.lesson) for one in found.lines] == [("What is a delta?", 5, rivers["deltas"])]
    assert seen(course, lesson="springs") == []
    ask(learners[4], course, "And the whole course?")
    assert [one.lesson for one in insight_of(course, days=30, now=timezone.now()).lines][1:] == [None, None]
    assert seen(course, lesson="springs") == []
    assert seen(course, days=7, lesson="no-such-lesson") == []


def test_words_that_name_somebody_are_masked(course: Course, learners: list[User]) -> None:
    texts = [
        "Write to zoe@example.com or +49 170 1234567",
        "I am Zoe0x Quill0x, what is a delta?",
        "Ask @zoe_q at https://example.com/zoe",
        "My name is Bartholomew Finch. Why?",
        "What is 3 + 4?",
    ]
    for learner, text in zip(learners, texts, strict=False):
        ask(learner, course, text)
    shown = " ".join(seen(course))
    for hidden in ("zoe@", "1234567", "Zoe0x", "Quill0x", "@zoe_q", "example.com", "Bartholomew", "Finch"):
        assert hidden not in shown, shown
    assert "3 + 4" in shown
    assert masked("a" * 50_000 + "@") == "a" * 50_000 + "@"


def test_shares_citations_and_todos(browser_of, ada: User, course: Course, learners: list[User], rivers) -> None:
    for number, learner in enumerate(learners[:5]):
        kind = Answer.Kind.DECLINED if number < 2 else ""
        answer = ask(learner, course, "What is  an Oxbow?" if number else "what is an oxbow", kind=kind)
        if number >= 2:
            CitationFactory(answer=answer, lesson=rivers["meanders"], course=course, heading="Bends", second=75.4)
    ask(learners[0], course, "Show me the grades of Mia", kind=Answer.Kind.FILTERED)
    now = timezone.now()
    found = insight_of(course, days=30, now=now)
    assert (found.total, found.answered, found.helpful) == (5, 60, None)
    assert [(one.count, one.second, one.url) for one in found.cited] == [(3, 75, f"/learn/{course.slug}/meanders?t=75")]
    [todo] = found.todos
    assert todo.count == 2

    browser = browser_of(ada)
    page = browser.get(f"{PAGES}{course.slug}").content.decode()
    assert "/forum/new?board=" in page
    assert "grades of Mia" not in page
    for outcome in ("done", "dismissed", "dismissed"):
        sent = {"key": todo.key, "outcome": outcome, "days": "30", "lesson": ""}
        assert browser.post(f"{PAGES}{course.slug}/questions", sent).status_code == 302
    assert SettledQuestion.objects.get().outcome == "dismissed"
    assert insight_of(course, days=30, now=now).todos == []
    browser.post(f"{PAGES}{course.slug}/questions", {"key": todo.key, "outcome": "open"})
    assert insight_of(course, days=30, now=now).todos == [todo]

    Answer.objects.filter(kind="").update(rating=1)
    assert insight_of(course, days=30, now=now).helpful is None  # three learners rated
    Answer.objects.exclude(kind="filtered").update(rating=-1)
    assert insight_of(course, days=30, now=now).helpful == 0


def test_only_questions_that_staff_may_read_are_settled(ada: User, eve: User, course: Course, learners) -> None:
    ask(learners[0], course, "What is an oxbow?", kind=Answer.Kind.DECLINED)
    now = timezone.now()
    with pytest.raises(NotFound):
        services.settle_question(course=course, by=ada, key="0" * 64, outcome="done", now=now)
    with pytest.raises(ValidationFailed):
        services.settle_question(course=course, by=ada, key="0" * 64, outcome="", now=now)
    with pytest.raises(NotCourseStaff):
        services.settle_question(course=course, by=eve, key="0" * 64, outcome="done", now=now)
    with pytest.raises(NotCourseStaff):
        services.reopen_question(course=course, by=eve, key="0" * 64)
    assert not SettledQuestion.objects.exists()


def test_many_questions_need_few_queries(
    browser_of, ada: User, course: Course, learners, rivers, django_assert_max_num_queries
) -> None:
    for number in range(60):
        lesson = rivers["deltas"] if number % 2 else None
        answer = ask(learners[number % 6], course, f"Question {number}?", lesson=lesson, kind="declined")
        CitationFactory(answer=answer, lesson=rivers["meanders"], course=course)
    browser = browser_of(ada)
    browser.get(f"{PAGES}{course.slug}")
    with django_assert_max_num_queries(18):
        page = browser.get(f"{PAGES}{course.slug}?days=90&page=2&todos=2")
    assert page.status_code == 200
    for query in ("?days=x&page=x&todos=-1&settled=99", "?lesson=%00&days=7", "?days=90&lesson=deltas"):
        assert browser.get(f"{PAGES}{course.slug}{query}").status_code == 200
