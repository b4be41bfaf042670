"""The pages of the discussions: who sees what, and what they cost."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.forum import services
from apps.forum.models import Board, ReadMark, Topic
from apps.forum.queries import lists
from apps.learning.models import Enrollment
from tests.factories.accounts import UserFactory
from tests.factories.topics import fill_topic, make_post, make_topic

pytestmark = pytest.mark.django_db
Browser = Callable[[User], Client]
NOW = timezone.now()


def test_visitors_read_lists_topics_and_posts(client: Client, topic: Topic) -> None:
    post = make_post(topic, source="On the left page.")
    assert "How do you take notes?" in client.get("/forum/").text
    assert "How do you take notes?" in client.get(f"/forum/boards/{topic.board.slug}").text
    page = client.get(topic.path).text
    assert "On the left page." in page
    assert "Post reply" not in page
    assert client.get(post.path).headers["Location"] == f"{topic.path}#p{post.pk}"
    assert client.get("/forum/topics/999999").status_code == 404
    assert client.get("/forum/posts/999999").status_code == 404


def test_a_held_topic_and_a_held_reply_are_for_their_authors_and_moderators(
    client: Client, topic: Topic, general: Board, browser_of: Browser, sam: User, leo: User
) -> None:
    writer = UserFactory()
    hidden = make_topic(board=general, title="Secret question", state="held", author=writer)
    held = make_post(topic, state="held", source="Secret reply", author=writer)
    for browser in (client, browser_of(leo)):
        for address in ("/forum/", topic.path, f"/forum/boards/{general.slug}"):
            assert "Secret" not in browser.get(address).text
        assert browser.get(hidden.path).status_code == 404
        assert browser.get(held.path).status_code == 404
        assert browser.get(f"{held.path}/history").status_code == 404
    for user in (writer, sam):
        assert "Secret question" in browser_of(user).get(hidden.path).text
        assert "Secret reply" in browser_of(user).get(topic.path).text
    assert "Pending review" in browser_of(writer).get(topic.path).text
    assert "Secret question" in browser_of(writer).get("/forum/?tab=mine").text


def test_the_board_of_a_suspended_course_is_for_its_learners_and_staff(
    client: Client, board: Board, browser_of: Browser, leo: User, mia: User, ada: User, enrollment: Enrollment
) -> None:
    topic = make_topic(board=board, title="Inside only")
    assert client.get(topic.path).status_code == 200
    assert board.course
    board.course.status = "suspended"
    board.course.save()
    for browser, status in ((client, 404), (browser_of(mia), 404), (browser_of(leo), 200), (browser_of(ada), 200)):
        assert browser.get(topic.path).status_code == status
        assert browser.get(f"/forum/boards/{board.slug}").status_code == status
        assert ("Inside only" in browser.get("/forum/").text) == (status == 200)


def test_deleted_and_hidden_posts_leave_a_line_without_their_text(
    client: Client, topic: Topic, browser_of: Browser, leo: User, sam: User
) -> None:
    gone, removed = make_post(topic, source="Wrong words", author=leo), make_post(topic, source="Rude words")
    services.delete(post=gone, by=leo, now=NOW)
    services.hide(post=removed, by=sam, now=NOW)
    page = client.get(topic.path).text
    assert "Wrong words" not in page
    assert "Rude words" not in page
    assert "This post was deleted by its author." in page
    assert "A moderator removed this post." in page
    assert "Wrong words" in browser_of(leo).get(topic.path).text


def test_a_line_says_who_hid_or_deleted_a_post(
    client: Client, topic: Topic, browser_of: Browser, leo: User, sam: User
) -> None:
    removed, reported = make_post(topic, author=leo), make_post(topic, author=leo)
    services.remove(post=removed, by=sam, reason="Rude", now=NOW)
    page = client.get(topic.path).text
    assert "A moderator removed this post." in page
    assert "deleted by its author" not in page
    assert f"{removed.path}/restore" not in browser_of(leo).get(topic.path).text
    assert f"{removed.path}/restore" in browser_of(sam).get(topic.path).text

    reported.state, reported.changed_by = "hidden", None
    reported.save()
    assert "This post is hidden until a moderator reviews it." in client.get(topic.path).text
    own = browser_of(leo).get(topic.path).text
    assert f"{reported.path}/delete" not in own
    assert f"{reported.path}/edit" in own

    services.restore(post=removed, by=sam, now=NOW)
    services.delete(post=removed, by=leo, now=NOW)
    assert f"{removed.path}/restore" in browser_of(leo).get(topic.path).text


def test_a_menu_offers_only_what_its_author_may(
    general: Board, browser_of: Browser, leo: User, mia: User, sam: User
) -> None:
    topic = make_topic(board=general, author=leo)
    opening = topic.posts.get()
    page = browser_of(leo).get(topic.path).text
    assert f"{opening.path}/edit" in page
    assert f"{opening.path}/delete" in page
    make_post(topic, author=mia)
    assert f"{opening.path}/delete" not in browser_of(leo).get(topic.path).text
    Topic.objects.update(locked_at=NOW)
    assert f"{opening.path}/edit" not in browser_of(leo).get(topic.path).text
    page = browser_of(sam).get(topic.path).text
    assert f"{opening.path}/edit" in page
    assert f"{opening.path}/delete" in page


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "Be the first to ask."),
        ("?tab=solved", "No answered questions yet"),
        ("?before=2020-01-01T00:00:00%2B00:00", "No older topics"),
        ("?tab=solved&before=2020-01-01T00:00:00%2B00:00", "No older topics"),
    ],
)
def test_an_empty_list_says_what_it_would_show(query: str, said: str, general: Board, client: Client) -> None:
    page = client.get(f"/forum/{query}").text
    assert said in page
    assert ("Be the first to ask." in page) == (not query)


def test_a_board_that_one_may_not_read_is_not_followed(board: Board, browser_of: Browser, leo: User) -> None:
    assert board.course
    board.course.status = "suspended"
    board.course.save()
    for level in ("watching", ""):
        for slug in (board.slug, "no-such-board"):
            assert browser_of(leo).post(f"/forum/boards/{slug}/follow", {"level": level}).status_code == 404


def test_a_long_topic_has_pages_and_a_post_leads_to_its_own(
    client: Client, topic: Topic, browser_of: Browser, leo: User
) -> None:
    fill_topic(topic, 60, authors=[UserFactory()])
    post = topic.posts.get(number=42)
    assert client.get(post.path).headers["Location"] == f"{topic.path}?page=2#p{post.pk}"
    assert f'id="p{post.pk}"' in client.get(f"{topic.path}?page=2").text
    last = client.get(f"{topic.path}?page=99").text
    assert "Reply 61" in last
    assert "Reply 50<" not in last

    browser = browser_of(leo)
    browser.get(topic.path)
    first_new = topic.posts.get(number=26)
    assert browser.get(f"{topic.path}?go=unread").headers["Location"] == f"{topic.path}?page=2#p{first_new.pk}"
    topic.posts.filter(number__gte=30).update(published_at=NOW + timedelta(days=9))
    target = topic.posts.get(number=30)
    day = (NOW + timedelta(days=8)).date().isoformat()
    assert client.get(f"{topic.path}?date={day}").headers["Location"].endswith(f"?page=2#p{target.pk}")
    assert client.get(f"{topic.path}?date=2026-02-31").status_code == 200


def test_what_is_new_is_marked_until_it_was_read(topic: Topic, browser_of: Browser, leo: User) -> None:
    ReadMark.objects.create(user=leo, read_until=NOW - timedelta(days=1))
    browser = browser_of(leo)
    assert "1 topic has something new for you" in browser.get("/forum/").text
    browser.get(topic.path)
    assert "Nothing new" in browser.get("/forum/").text
    make_post(topic)
    assert "1 topic has something new for you" in browser.get("/forum/").text
    browser.post("/forum/read")
    assert "Nothing new" in browser.get("/forum/").text


def test_a_learner_asks_replies_edits_deletes_and_restores_without_scripts(
    board: Board, browser_of: Browser, leo: User, enrollment: Enrollment
) -> None:
    browser = browser_of(leo)
    form = {
        "kind": "question",
        "board": board.slug,
        "title": "Why twice?",
        "source": "It says *twice*.",
        "tags": "sums",
    }
    made = browser.post("/forum/new", form)
    topic = Topic.objects.get()
    assert (made.status_code, made.headers["Location"]) == (302, topic.path)

    browser.post(f"{topic.path}/reply", {"source": "I found it.", "is_watched": "on"})
    reply = topic.posts.get(number=2)
    assert browser.post(f"{reply.path}/edit", {"source": "I found it!", "edits": "0"}).status_code == 302
    assert "I found it." in browser.get(f"{reply.path}/history").text
    assert "Delete this post?" in browser.get(f"{reply.path}/delete").text
    browser.post(f"{reply.path}/delete")
    reply.refresh_from_db()
    assert reply.state == "deleted"
    browser.post(f"{reply.path}/restore")
    reply.refresh_from_db()
    assert reply.state == "visible"


def test_what_cannot_be_posted_is_shown_again(topic: Topic, browser_of: Browser, leo: User, general: Board) -> None:
    browser = browser_of(leo)
    answer = browser.post(f"{topic.path}/reply", {"source": "x" * 5003})
    assert answer.status_code == 422
    assert "3 too long" in answer.text
    assert "x" * 5003 in answer.text
    assert browser.post(f"{topic.path}/reply", {"source": " "}).status_code == 422

    form = {"kind": "question", "board": general.slug, "title": "?", "source": "kept text", "tags": "a,b,c,d,e,f"}
    answer = browser.post("/forum/new", form)
    assert answer.status_code == 422
    assert "kept text" in answer.text
    assert "up to five tags" in answer.text
    Topic.objects.update(locked_at=NOW)
    answer = browser.post(f"{topic.path}/reply", {"source": "too late, but long enough to keep"})
    assert answer.status_code == 409
    assert "too late, but long enough to keep</textarea>" in answer.text


def test_two_edits_at_once_show_both_texts(topic: Topic, browser_of: Browser, leo: User) -> None:
    post = make_post(topic, author=leo, source="first")
    services.edit(post=post, editor=leo, source="second", now=NOW)
    answer = browser_of(leo).post(f"{post.path}/edit", {"source": "third", "edits": "0"})
    assert answer.status_code == 409
    assert "second" in answer.text
    assert "third" in answer.text


def test_strangers_change_nothing(
    topic: Topic, client: Client, browser_of: Browser, leo: User, mia: User, eve: User
) -> None:
    post = make_post(topic, author=leo)
    for action in ("edit", "delete", "restore", "accept"):
        assert client.post(f"{post.path}/{action}", {"source": "x", "edits": "0", "on": "1"}).status_code == 302
        for user in (mia, eve):
            answer = browser_of(user).post(f"{post.path}/{action}", {"source": "x", "edits": "0", "on": "1"})
            assert answer.status_code == 409 or answer.headers["Location"] == "/"
    assert "/login" in client.post(f"{topic.path}/reply", {"source": "x"}).headers["Location"]
    assert "/login" in client.get("/forum/new").headers["Location"]
    post.refresh_from_db()
    assert (post.source, post.state) == ("It means that.", "visible")


def test_a_topic_of_100_posts_costs_at_most_eight_queries(
    board: Board,
    browser_of: Browser,
    leo: User,
    enrollment: Enrollment,
    django_assert_max_num_queries: Callable[..., Any],
) -> None:
    topic = make_topic(board=board)
    fill_topic(topic, 99, authors=[UserFactory() for _ in range(5)])
    browser = browser_of(leo)
    browser.get(topic.path)
    with django_assert_max_num_queries(8):
        page = browser.get(f"{topic.path}?page=2")
    assert len(page.content) < 90_000


def test_lists_cost_the_same_with_many_topics(
    board: Board,
    browser_of: Browser,
    leo: User,
    enrollment: Enrollment,
    django_assert_max_num_queries: Callable[..., Any],
) -> None:
    for number in range(25):
        make_topic(board=board, title=f"Question {number}")
    browser = browser_of(leo)
    browser.get("/forum/")
    with django_assert_max_num_queries(14):
        page = browser.get("/forum/").text
    assert page.count('class="thread ') == 20
    with django_assert_max_num_queries(15):
        browser.get(f"/forum/boards/{board.slug}?page=2")


def test_a_search_costs_the_same_with_many_hits(
    general: Board, leo: User, browser_of: Callable[[User], Client], django_assert_max_num_queries: Callable[..., Any]
) -> None:
    browser = browser_of(leo)
    for _ in range(8):
        services.open_topic(
            board=general, author=UserFactory(), kind="share", title="A heron", source="Seen", now=timezone.now()
        )
    browser.get("/forum/?q=heron")
    with django_assert_max_num_queries(9):
        assert browser.get("/forum/?q=heron").text.count("thread__t") == 8


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00%2B14:00", "9999-12-31T23:59:59-14:00", "yesterday"])
def test_a_date_that_no_database_stores_is_ignored(client: Client, moment: str) -> None:
    assert client.get(f"/forum/?before={moment}").status_code == 200
    assert client.get(f"/api/v1/forum/lists/latest/?before={moment}").status_code == 200


def test_nothing_is_new_where_the_new_posts_were_hidden_or_deleted(
    board: Board, browser_of: Browser, leo: User, sam: User, ada: User, enrollment: Enrollment
) -> None:
    topic = make_topic(board=board, author=ada)
    browser = browser_of(leo)
    browser.get("/forum/")
    browser.get(topic.path)

    def unread() -> tuple[bool, int, bool]:
        row = lists.with_marks(Topic.objects.all(), leo).get()
        [mine] = lists.boards_for(leo).own
        return row.is_new, mine.unread or 0, browser.get(f"/api/v1/forum/topics/{topic.pk}/").json()["is_new"]

    first = services.reply(topic=topic, author=ada, source="One", now=timezone.now())
    second = services.reply(topic=topic, author=ada, source="Two", now=timezone.now())
    assert unread() == (True, 1, True)
    services.hide(post=second, by=sam, now=timezone.now())
    assert unread() == (True, 1, True)
    services.delete(post=first, by=ada, now=timezone.now())
    assert unread() == (False, 0, False)
    services.reply(topic=topic, author=ada, source="Three", now=timezone.now())
    assert unread() == (True, 1, True)


def test_what_cannot_be_posted_any_more_is_shown_for_copying(
    topic: Topic, browser_of: Browser, sam: User, leo: User
) -> None:
    User.objects.filter(pk=leo.pk).update(date_joined=NOW - timedelta(days=90), email_verified_at=NOW)
    leo.refresh_from_db()
    mine = services.reply(topic=topic, author=leo, source="Earlier", now=timezone.now())
    browser, written = browser_of(leo), {"title": "Is this a <title>?", "source": "Hours and hours of <work>"}
    changed = {**written, "edits": "0"}
    services.close(topic=topic, by=sam, on=True, now=timezone.now())
    refused = [browser.post(f"{topic.path}/reply", written)]
    services.close(topic=topic, by=sam, on=False, now=timezone.now())
    services.ban(user=leo, by=sam, board=None, days=1, reason="Spam", now=timezone.now())
    refused += [browser.post(f"{topic.path}/reply", written), browser.post("/forum/new", written)]
    services.remove(post=mine, by=sam, now=timezone.now())
    services.hide(post=topic.posts.get(is_opening=True), by=sam, now=timezone.now())
    refused += [browser.post(f"{topic.path}/reply", written), browser.post(f"{mine.path}/edit", changed)]

    assert [answer.status_code for answer in refused] == [409, 403, 403, 404, 404]
    for answer in refused:
        assert "Hours and hours of &lt;work&gt;</textarea>" in answer.text
    assert topic.posts.count() == 2
    short = browser.post("/forum/new", {"source": "Short"}, headers={"Referer": "http://testserver/forum/"})
    assert short["Location"] == "http://testserver/forum/"  # as before
