"""The discussions of an instructor: what waits on their own boards, answered and decided in place."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from apps.accounts.models import Notification, User
from apps.courses.models import Course
from apps.forum import moderation_notices, services
from apps.forum.models import Ban, Board, Draft, ModerationAction, Post, Report, Topic
from apps.forum.queries import teaching
from apps.learning.models import Enrollment
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory
from tests.factories.topics import BoardFactory, make_post, make_topic

pytestmark = pytest.mark.django_db
Browser = Callable[[User], Client]
NOW = timezone.now()
PAGE = "/dashboard/instructor/forum"


@pytest.fixture
def foreign(eve: User) -> Board:
    """The board of another instructor."""
    course = CourseFactory(instructor=eve, status="published")
    return BoardFactory(course=course, slug=course.slug, title=course.title)


def titles(page: str) -> str:
    return page[page.index("data-queue") : page.index("</ul>", page.index("data-queue"))]


def refused(browser: Client, sent: dict[str, Any], address: str = PAGE) -> bool:
    """Whether a form is refused as one for something that does not exist."""
    answer = browser.post(address, sent, headers={"Accept": "application/json"})
    return answer.status_code == 404


def test_the_tabs_show_what_waits_on_own_boards_only(
    board: Board, foreign: Board, general: Board, ada: User, browser_of: Browser
) -> None:
    make_topic(board=board, title="Nobody replied")
    asker = UserFactory()
    alone = make_topic(board=board, title="Only its author replied", author=asker)
    make_post(alone, author=asker)
    replied = make_topic(board=board, title="A learner replied")
    make_post(replied)
    solved = make_topic(board=board, title="Accepted already")
    solved.accepted = make_post(solved)
    solved.save()
    make_topic(board=board, title="Closed without a reply", locked_at=NOW)
    make_topic(board=board, title="Her own question", author=ada)
    make_topic(board=board, title="No question", kind="discussion")
    make_topic(board=board, title="Held question", state="held")
    for other in (foreign, general):
        make_topic(board=other, title="Elsewhere")
    browser = browser_of(ada)

    page = browser.get(PAGE).text
    shown = titles(page)
    assert [one in shown for one in ("Nobody replied", "Only its author replied", "A learner")] == [True, True, False]
    assert "2 questions are waiting" in page
    assert "unanswered</span>" in page
    accept = titles(browser.get(f"{PAGE}?tab=accept").text)
    assert "A learner replied" in accept
    assert "Accepted already" not in accept
    everything = titles(browser.get(f"{PAGE}?tab=all").text)
    assert everything.count("<li>") == 7
    for text in (shown, accept, everything):
        assert "Elsewhere" not in text
        assert "Held question" not in text
    assert teaching.counts([board], ada, now=NOW) == teaching.Counts(
        unanswered=2, pending=1, reported=0, accept=1, all=7, week=2, oldest=Topic.objects.first().published_at
    )
    assert browser.get(f"{PAGE}?tab=nothing").status_code == 404


def test_search_course_and_order_narrow_the_list(
    board: Board, course: Course, ada: User, browser_of: Browser, leo: User, enrollment: Enrollment
) -> None:
    second = CourseFactory(instructor=ada, status="published", title="Rivers")
    other = BoardFactory(course=second, slug=second.slug, title=second.title)
    for title, where, days in (("Tides and moons", board, 3), ("Ebb", board, 1), ("Meanders", other, 2)):
        given = {"kind": "question", "tags": [], "is_watched": False, "lesson": None, "second": None}
        asker = leo if where is board else ada
        topic = services.open_topic(author=asker, board=where, title=title, source="Why is it so?", now=NOW, **given)
        Topic.objects.filter(pk=topic.pk).update(published_at=NOW - timedelta(days=days))
    browser = browser_of(ada)
    shown = titles(browser.get(PAGE).text)
    assert shown.index("Tides") < shown.index("Ebb")
    shown = titles(browser.get(f"{PAGE}?sort=newest").text)
    assert shown.index("Ebb") < shown.index("Tides")
    assert "Meanders" in titles(browser.get(f"{PAGE}?tab=all").text)
    page = browser.get(f"{PAGE}?tab=all&course={second.slug}").text
    assert "Meanders" in titles(page)
    assert "Ebb" not in titles(page)
    assert titles(browser.get(f"{PAGE}?q=moons").text).count("<li>") == 1
    assert "Nothing found" in browser.get(f"{PAGE}?q=walrus").text
    assert browser.get(f"{PAGE}?course=not-hers").status_code == 404


def test_an_answer_is_posted_in_place_and_leads_on(
    board: Board, ada: User, browser_of: Browser, enrollment: Enrollment, leo: User
) -> None:
    first = make_topic(board=board, title="First", author=leo, now=NOW - timedelta(hours=30))
    second = make_topic(board=board, title="Second", now=NOW - timedelta(hours=3))
    browser = browser_of(ada)
    page = browser.get(PAGE).text
    assert f'name="after" value="{second.pk}"' in page
    assert "due--late" in page
    assert f"at {enrollment.percent}% of the course" in page

    Draft.objects.create(user=ada, key=f"topic-{first.pk}", source="Begun", saved_at=NOW)

    sent = {"topic": first.pk, "source": "Because of the moon.", "after": second.pk, "stay": "1"}
    answer = browser.post(f"{PAGE}?tab=unanswered", sent)
    assert (answer.status_code, answer["Location"]) == (302, f"{PAGE}?tab=unanswered&item={second.pk}")
    assert Post.objects.get(topic=first, author=ada).source == "Because of the moon."
    assert not Draft.objects.exists()

    answer = browser.post(PAGE, {"topic": second.pk, "source": "Yes."})
    post = Post.objects.get(topic=second, author=ada)
    assert answer["Location"] == f"{second.path}#p{post.pk}"
    assert "Every question has an answer" in browser.get(PAGE).text


def test_what_was_written_is_kept_when_it_cannot_be_posted(board: Board, ada: User, browser_of: Browser) -> None:
    other = make_topic(board=board, title="First one", now=NOW - timedelta(hours=3))
    topic = make_topic(board=board, title="The long one")
    browser = browser_of(ada)
    answer = browser.post(PAGE, {"topic": topic.pk, "source": "word " * 1100})
    assert answer.status_code == 422
    assert "word word" in answer.text
    assert "too long" in answer.text
    assert "The long one</h2>" in answer.text
    assert browser.post(PAGE, {"topic": topic.pk, "source": " "}).status_code == 422
    reply = make_post(topic, state="hidden")
    answer = browser.post(PAGE, {"topic": topic.pk, "source": "Yes.", "accept": reply.pk})
    assert answer.status_code == 422
    assert not Post.objects.filter(author=ada).exists()
    for wrong in ("", "x", "9" * 30, "0"):
        assert refused(browser, {"topic": wrong, "source": "Yes."})
    assert refused(browser, {"topic": other.pk, "accept": "9" * 18})


def test_a_reply_is_accepted_from_the_list_or_with_an_answer(board: Board, ada: User, browser_of: Browser) -> None:
    topics = [make_topic(board=board, title=f"Question {n}") for n in range(2)]
    replies = [make_post(topic, source="It is so.") for topic in topics]
    browser = browser_of(ada)
    page = browser.get(f"{PAGE}?tab=accept").text
    assert "Accept the reply of" in page
    answer = browser.post(f"{PAGE}?tab=accept", {"topic": topics[0].pk, "accept": replies[0].pk, "after": topics[1].pk})
    assert answer["Location"] == f"{PAGE}?tab=accept&item={topics[1].pk}"
    browser.post(PAGE, {"topic": topics[1].pk, "source": "Right.", "accept": replies[1].pk})
    assert list(Topic.objects.order_by("pk").values_list("accepted", flat=True)) == [one.pk for one in replies]
    opening = topics[0].posts.get(is_opening=True)
    answer = browser.post(PAGE, {"topic": topics[0].pk, "accept": opening.pk}, follow=True)
    assert answer.status_code == 200
    assert Topic.objects.get(pk=topics[0].pk).accepted_id == replies[0].pk


def test_held_and_reported_posts_are_decided_here(
    board: Board, foreign: Board, ada: User, mia: User, browser_of: Browser
) -> None:
    topic = make_topic(board=board)
    held = make_post(topic, state="held", source="Held words", held_for=["links"])
    reported = make_post(topic, source="Rude words")
    services.report(post=reported, user=mia, reason="rude", comment="Not nice", now=NOW)
    elsewhere = make_post(make_topic(board=foreign), state="held", source="Held elsewhere")
    browser = browser_of(ada)
    front = browser.get(PAGE).text
    assert "1 post is waiting for approval" in front
    assert "Rude words" in front
    assert "Held elsewhere" not in front
    page = browser.get(f"{PAGE}?tab=pending").text
    assert "Held words" in page
    assert "Many links" in page
    assert "Held elsewhere" not in page
    assert 'name="everywhere"' not in page
    assert "“Not nice”" in browser.get(f"{PAGE}?tab=reported").text

    answer = browser.post(f"{held.path}/decide", {"action": "reject", "reason": "An advert"})
    assert answer["Location"] == PAGE
    browser.post("/forum/decide", {"action": "keep", "posts": [reported.pk], "next": f"{PAGE}?tab=reported"})
    assert Report.objects.get().state == "dismissed"
    browser.post(f"{reported.path}/decide", {"action": "ban", "days": "7", "reason": "Rude", "everywhere": "on"})
    assert Ban.objects.get().board == board
    page = browser.get(f"{PAGE}?tab=log").text
    assert "Rejected a post" in page
    assert "Banned from your boards" in page
    browser.post(f"/forum/bans/{Ban.objects.get().pk}/lift")
    assert "Banned from your boards" not in browser.get(f"{PAGE}?tab=log").text
    undone = ModerationAction.objects.get(kind="rejected")
    assert browser.post(f"/forum/decisions/{undone.pk}/undo")["Location"] == PAGE
    assert Post.objects.get(pk=held.pk).state == "held"
    assert refused(browser, {"action": "approve"}, f"{elsewhere.path}/decide")
    assert Post.objects.get(pk=elsewhere.pk).state == "held"


def test_only_instructors_of_the_course_get_in(
    board: Board, foreign: Board, client: Client, ada: User, leo: User, sam: User, browser_of: Browser
) -> None:
    topic = make_topic(board=board, title="A question to Ada")
    reply = make_post(topic)
    assert client.get(PAGE).status_code == 302
    assert browser_of(leo).get(PAGE).status_code == 302
    for person in (foreign.course.instructor, sam):
        browser = browser_of(person)
        assert "A question to Ada" not in browser.get(f"{PAGE}?tab=all").text
        assert refused(browser, {"topic": topic.pk, "source": "No."})
        assert refused(browser, {"topic": topic.pk, "accept": reply.pk})
        assert browser.get(f"{PAGE}?tab=all&course={board.slug}").status_code == 404
    assert "Your courses have no discussions yet" in browser_of(sam).get(PAGE).text
    assert Post.objects.filter(topic=topic).count() == 2


def test_moderators_are_led_to_the_queue_that_they_may_open(board: Board, general: Board, ada: User, sam: User) -> None:
    def told() -> set[tuple[int, str]]:
        found = set(Notification.objects.filter(kind="forum.waiting").values_list("user", "link"))
        Notification.objects.all().delete()
        return found

    moderation_notices.tell_moderators(board, tab="reported", now=NOW)
    assert told() == {(ada.pk, f"{PAGE}?tab=reported")}
    moderation_notices.tell_moderators(general, tab="pending", now=NOW)
    assert told() == {(sam.pk, "/dashboard/admin/forum?tab=pending")}
    for change in ({"is_active": False}, {"is_active": True, "role": "student"}):
        User.objects.filter(pk=ada.pk).update(**change)
        moderation_notices.tell_moderators(Board.objects.get(pk=board.pk), tab="pending", now=NOW)
        assert told() == {(sam.pk, "/dashboard/admin/forum?tab=pending")}


def test_the_page_costs_the_same_with_many_rows(
    board: Board, ada: User, browser_of: Browser, django_assert_max_num_queries: Any
) -> None:
    boards = [board]
    for _ in range(4):
        course = CourseFactory(instructor=ada, status="published")
        boards.append(BoardFactory(course=course, slug=course.slug, title=course.title))
    people = [UserFactory() for _ in range(5)]
    for n in range(25):
        topic = make_topic(board=boards[n % 5], author=people[n % 5], now=NOW - timedelta(days=2, hours=n))
        replied = make_topic(board=boards[n % 5], author=people[n % 5], now=NOW - timedelta(days=3))
        for k in range(3):
            make_post(replied, author=people[(n + k + 1) % 5])
        make_post(topic, author=people[n % 5], state="held", held_for=["links"])
        Report.objects.create(post=replied.posts.last(), user=people[n % 4], reason="rude", created_at=NOW)
    services.ban(user=people[0], by=ada, board=board, days=3, reason="Rude", now=NOW)
    browser = browser_of(ada)
    browser.get(PAGE)
    for tab, most in (("unanswered", 18), ("accept", 18), ("all", 18), ("pending", 18), ("reported", 18), ("log", 12)):
        cache.clear()
        with django_assert_max_num_queries(most):
            page = browser.get(f"{PAGE}?tab={tab}").text
        assert tab == "log" or "page=2" in page, tab
    with django_assert_max_num_queries(19):
        assert "<h2" in browser.get(f"{PAGE}?tab=all&q=mean").text
