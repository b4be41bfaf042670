"""What instructors see of the questions to the tutor: nobody can be recognized."""

import html
import re
from datetime import datetime, timedelta
from itertools import combinations

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.errors import NotCourseStaff
from apps.courses.models import Course, Lesson
from apps.courses.services import delete_lesson
from apps.learning.models import Enrollment
from apps.tutor import services
from apps.tutor.insight import LEAST_LEARNERS, Asked, group, masked
from apps.tutor.models import Answer, Chat, SettledQuestion, TodoCount
from apps.tutor.queries import insight
from apps.tutor.queries.insight import PERIODS, insight_of, insight_of_all
from studyplatform.kit import jobs
from studyplatform.kit.errors import NotFound, ValidationFailed
from studyplatform.kit.models import Job
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory
from tests.factories.learning import EnrollmentFactory
from tests.factories.topics import BoardFactory
from tests.factories.tutor import AnswerFactory, CitationFactory

pytestmark = [pytest.mark.django_db, pytest.mark.edits_in_place]
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

    delete_lesson(lesson=Lesson.objects.get(course=course, slug="meanders"), by=ada, now=timezone.now())
    assert insight_of(course, days=30, now=timezone.now()).cited == []
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
        services.reopen_question(course=course, by=eve, key="0" * 64, now=now)
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


# --- All courses of an instructor ---------------------------------------------------------------------------------


@pytest.fixture
def second(ada: User) -> Course:
    """Another course of Ada's."""
    lesson = LessonFactory(
        section=SectionFactory(course=CourseFactory(instructor=ada, status="published", title="Seas"))
    )
    return lesson.section.course


def test_all_courses_show_the_groups_of_each_and_no_other_ones(
    browser_of, ada: User, eve: User, course: Course, second: Course, learners: list[User]
) -> None:
    for learner in learners[:3]:
        EnrollmentFactory(user=learner, course=second)
        ask(learner, second, "What is a tide?")
    for learner in learners[3:6]:
        ask(learner, course, "What is a delta?")
    page = browser_of(ada).get(f"{PAGES}?view=questions").text
    assert "What is a" not in page  # six learners, but fewer than five in each course
    assert "Nothing to show yet" in page

    for learner in learners[3:5]:
        EnrollmentFactory(user=learner, course=second)
        ask(learner, second, "What is a tide?", kind=Answer.Kind.DECLINED)
    page = browser_of(ada).get(f"{PAGES}?view=questions&days=7").text
    assert "What is a tide?" in page
    assert "What is a delta?" not in page
    assert f'action="{PAGES}{second.slug}/questions"' in page
    assert "What is a tide?" not in browser_of(eve).get(f"{PAGES}?view=questions").text


def test_courses_periods_and_lessons_subtracted_from_each_other_leave_whole_groups(
    ada: User, course: Course, second: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is read of all courses, minus what is read of some, has questions of five learners or none."""
    monkeypatch.setattr(insight, "MOST_SHOWN", 30)
    people = [UserFactory() for _ in range(9)]
    for both in (course, second):
        for one in people:
            EnrollmentFactory(user=one, course=both)
    third = LessonFactory(section=SectionFactory(course=second))
    asked_by: dict[str, int] = {}
    for number in range(110):
        about = course if number % 3 else second
        lesson = third if about is second and number % 2 else None
        learner = people[(number * 5 + number // 4) % 9]
        text = f"Word {number}?"
        asked_by[text] = learner.pk
        ask(learner, about, text, lesson=lesson, days=(110 - number) / 1.3, rating=(1, -1, None)[number % 3])
    now = timezone.now()
    views = [frozenset[str]()]
    for days in PERIODS:
        for courses, lesson in (([course], ""), ([second], ""), ([second], third.slug), ([course, second], "")):
            views.append(
                frozenset(one.text for one in insight_of_all(courses, days=days, now=now, lesson=lesson).lines)
            )
    assert len({len(view) for view in views}) > 3
    for one, other in combinations(views, 2):
        for rest in (one - other, other - one, one | other, one & other):
            assert not rest or len({asked_by[text] for text in rest}) >= LEAST_LEARNERS


def test_ratings_are_shared_by_five_learners_in_every_choice(
    course: Course, second: Course, learners: list[User]
) -> None:
    """One rating of another course, or of an older period, is not what two shares differ by."""
    for number, learner in enumerate(learners[:5]):
        EnrollmentFactory(user=learner, course=second)
        ask(learner, course, "What is a delta?", rating=1)
        ask(learner, second, "What is a tide?", rating=None if number else -1)
    now = timezone.now()
    assert insight_of(course, days=30, now=now).helpful == 100
    assert insight_of(second, days=30, now=now).helpful is None
    assert insight_of_all([course, second], days=30, now=now).helpful == 100
    Answer.objects.update(rating=-1)
    assert insight_of_all([course, second], days=30, now=now).helpful == 0


def test_masked_words_tell_nothing_about_other_choices(course: Course, second: Course, learners: list[User]) -> None:
    """A name is masked in the questions of a course by who asked about it, whatever else is shown."""
    outsider = UserFactory(first_name="Delta")
    EnrollmentFactory(user=outsider, course=second)
    for learner in learners[:5]:
        EnrollmentFactory(user=learner, course=second)
        ask(learner, course, "What is a delta?")
        ask(learner, second, "What is a tide?")
    for learner in [*learners[:4], outsider]:
        ask(learner, second, "What is an ebb?", days=80)
    now = timezone.now()
    for days in PERIODS:
        alone = [one.text for one in insight_of(course, days=days, now=now).lines]
        together = [one.text for one in insight_of_all([course, second], days=days, now=now).lines]
        assert alone == ["What is a delta?"]
        assert "What is a delta?" in together


def test_the_page_of_all_courses_needs_few_queries(
    browser_of, ada: User, course: Course, learners: list[User], django_assert_max_num_queries
) -> None:
    for _number in range(6):
        other = CourseFactory(instructor=ada, status="published")
        for learner in learners:
            EnrollmentFactory(user=learner, course=other)
            ask(learner, other, f"What is {other.title}?", kind="declined")
    browser = browser_of(ada)
    browser.get(f"{PAGES}?view=questions")
    with django_assert_max_num_queries(16):
        page = browser.get(f"{PAGES}?view=questions&days=90&page=2&todos=1")
    assert page.status_code == 200
    assert browser.get(f"{PAGES}?view=questions&days=x&settled=-1&page=%00").status_code == 200


# --- To-dos --------------------------------------------------------------------------------------------------------


@pytest.fixture
def todo(course: Course, learners: list[User]) -> str:
    """The key of an unanswered question that Ada may read."""
    for learner in learners[:5]:
        ask(learner, course, "What is an oxbow?", kind=Answer.Kind.DECLINED)
    [found] = insight_of(course, days=30, now=timezone.now()).todos
    return found.key


def test_the_menu_shows_how_many_questions_wait(
    browser_of, ada: User, eve: User, course: Course, todo: str, django_assert_max_num_queries
) -> None:
    def badge(who: User) -> str:
        page = browser_of(who).get("/dashboard/instructor/earnings/").text
        link = page[page.index('<a href="/dashboard/instructor/tutor/"') :]
        return link[: link.index("</a>")]

    assert "badge" not in badge(ada)
    jobs.run_pending("default")
    services.count_todos_later(exchange_id=Answer.objects.earliest("pk").exchange_id, now=timezone.now())
    Job.objects.filter(kind="tutor.count_todos").update(run_at=timezone.now())
    jobs.run_pending("default")
    assert (TodoCount.objects.get().count, Job.objects.filter(kind="tutor.count_todos", state="queued").count()) == (
        1,
        1,
    )
    assert '<span>1</span><span class="vh"> unanswered</span>' in badge(ada)
    assert "badge" not in badge(eve)

    services.settle_question(course=course, by=ada, key=todo, outcome="done", now=timezone.now())
    assert "badge" not in badge(ada)
    services.reopen_question(course=course, by=ada, key=todo, now=timezone.now())
    assert "badge" in badge(ada)


def test_an_ended_or_rated_answer_is_counted_ten_minutes_later(browser_of, leo: User, course: Course) -> None:
    answer = AnswerFactory(exchange__chat__user=leo, exchange__chat__course=course)
    path = f"/api/v1/tutor/answers/{answer.uid}/rating/"
    for _twice in range(2):
        assert browser_of(leo).put(path, {"rating": -1}, "application/json").status_code == 200
    [job] = Job.objects.filter(kind="tutor.count_todos")
    assert timezone.now() < job.run_at <= timezone.now() + timedelta(minutes=10)
    everywhere = AnswerFactory(exchange__chat__user=leo)
    services.count_todos_later(exchange_id=everywhere.exchange_id, now=timezone.now())
    assert Job.objects.filter(kind="tutor.count_todos").count() == 1


def test_a_todo_remembers_the_topic_that_answers_it(
    browser_of, ada: User, eve: User, course: Course, todo: str
) -> None:
    board = BoardFactory(course=course, slug=course.slug)
    browser = browser_of(ada)
    page = browser.get(f"{PAGES}{course.slug}").text
    link = re.search(r'href="(/forum/new\?[^"]+)"', page)
    assert link is not None
    form = browser.get(html.unescape(link[1])).text
    origin = re.search(r'name="origin" value="([^"]+)"', form)
    assert origin is not None
    assert origin[1] == f"tutor.{course.slug}.{todo}"
    sent = {
        "kind": "discussion",
        "board": board.slug,
        "title": "What is an oxbow?",
        "source": "A bend that was cut off.",
    }
    opened = browser.post("/forum/new", {**sent, "origin": origin[1]})
    assert opened.status_code == 302

    settled = SettledQuestion.objects.get()
    assert (settled.outcome, settled.topic) == ("answered", opened["Location"])
    page = browser.get(f"{PAGES}{course.slug}").text
    assert f'href="{settled.topic}"' in page
    assert "/forum/new?board=" not in page
    browser.post(f"{PAGES}{course.slug}/questions", {"key": todo, "outcome": "open"})
    [again] = insight_of(course, days=30, now=timezone.now()).todos
    assert again.topic == settled.topic

    # Others, other things and pages of their own.
    SettledQuestion.objects.all().delete()
    assert not services.remember_topic(
        user=eve, about=f"{course.slug}.{todo}", path="/forum/topics/1", now=timezone.now()
    )
    for text in ("tutor.", "tutor", "tutor.x.y", f"tutor.{course.slug}", f"nobody.{course.slug}.{todo}", "\0"):
        title = {"title": f"About {text!r}?"}
        assert browser.post("/forum/new", {**sent, **title, "origin": text}).status_code == 302
    browser.post(f"{PAGES}{course.slug}/questions", {"key": todo, "outcome": "answered"})
    assert not SettledQuestion.objects.exists()
