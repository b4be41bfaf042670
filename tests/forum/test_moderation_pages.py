"""The pages of moderators: the queue, its forms, reports, and what they cost."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.forum import services
from apps.forum.models import Ban, Board, ModerationAction, Post, Report, Topic
from apps.learning.models import Enrollment
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory
from tests.factories.forum import MessageReportFactory
from tests.factories.topics import BoardFactory, make_post, make_topic

pytestmark = pytest.mark.django_db
Browser = Callable[[User], Client]
NOW = timezone.now()
QUEUE = "/dashboard/admin/forum"


def test_the_queue_shows_the_post_why_it_is_held_and_who_wrote_it(topic: Topic, browser_of: Browser, sam: User) -> None:
    author = UserFactory(first_name="Hana", last_name="Ito", date_joined=NOW - timedelta(days=1))
    make_post(topic, author=author, source="An earlier one")
    held = make_post(topic, author=author, state="held", source="Draw the triangle first", held_for=["new_account"])
    browser = browser_of(sam)
    page = browser.get(QUEUE).text
    assert "Draw the triangle first" in page
    assert "How do you take notes?" in page
    assert "Every post from a new account is reviewed for the first week" in page
    assert "1 item is waiting." in page

    answer = browser.post(f"{held.path}/decide", {"action": "approve", "next": QUEUE})
    assert (answer.status_code, answer["Location"]) == (302, QUEUE)
    page = browser.get(QUEUE).text
    assert "Nothing is waiting" in page
    assert "Approved a post by Hana Ito" in page
    browser.post(f"/forum/decisions/{ModerationAction.objects.get().pk}/undo", {"next": QUEUE})
    assert Post.objects.get(pk=held.pk).state == "held"


def test_a_decision_that_needs_a_reason_or_comes_too_late_says_so(topic: Topic, browser_of: Browser, sam: User) -> None:
    held, browser = make_post(topic, state="held"), browser_of(sam)
    answer = browser.post(f"{held.path}/decide", {"action": "reject"}, follow=True)
    assert "A reason is missing" in answer.text
    browser.post(f"{held.path}/decide", {"action": "reject", "reason": "Twice"})
    answer = browser.post(f"{held.path}/decide", {"action": "approve"}, follow=True)
    assert "Another moderator or the author got there first" in answer.text
    assert "Choose what to do" in browser.post(f"{held.path}/decide", {"action": "dance"}, follow=True).text
    assert ModerationAction.objects.count() == 1


def test_reported_posts_show_their_reports_and_several_are_decided_at_once(
    topic: Topic, browser_of: Browser, sam: User, mia: User
) -> None:
    posts = [make_post(topic, source=f"Words {n}") for n in range(3)]
    for post in posts:
        services.report(post=post, user=mia, reason="rude", comment="Not how we speak here", now=NOW)
    browser = browser_of(sam)
    page = browser.get(f"{QUEUE}?tab=reported&item={posts[1].pk}").text
    assert "“Not how we speak here”" in page
    assert "Rude or hurtful" in page
    services.keep(post=posts[0], by=sam, now=NOW)
    answer = browser.post("/forum/decide", {"action": "keep", "posts": [one.pk for one in posts]}, follow=True)
    assert "2 posts decided. The others have changed in the meantime." in answer.text
    assert set(Report.objects.values_list("state", flat=True)) == {"dismissed"}
    assert ModerationAction.objects.count() == 3


def test_a_text_that_changed_after_it_was_shown_is_not_approved(topic: Topic, browser_of: Browser, sam: User) -> None:
    author, browser = UserFactory(date_joined=NOW), browser_of(sam)
    posts = [make_post(topic, state="held", author=author, source=f"Good words {n}") for n in range(2)]
    form = browser.get(QUEUE).text
    assert 'name="edits" value="0"' in form
    chosen = [f"{post.pk}:0" for post in posts]
    assert all(f'value="{one}"' in form for one in chosen)
    services.edit(post=posts[0], editor=author, source="Buy my book", now=timezone.now())

    answer = browser.post(f"{posts[0].path}/decide", {"action": "approve", "edits": "0"}, follow=True)
    assert "got there first" in answer.text
    answer = browser.post("/forum/decide", {"action": "approve", "posts": [*chosen, "x:1", "9:9:9"]}, follow=True)
    assert "1 post decided. The others have changed in the meantime." in answer.text
    assert [Post.objects.get(pk=post.pk).state for post in posts] == ["held", "visible"]
    browser.post(f"{posts[0].path}/decide", {"action": "approve", "edits": "1"})
    assert Post.objects.get(pk=posts[0].pk).state == "visible"


def test_new_accounts_bans_and_the_log(topic: Topic, browser_of: Browser, sam: User, mia: User) -> None:
    author = UserFactory(first_name="Kim", last_name="Brand", date_joined=NOW - timedelta(days=2))
    make_post(topic, author=author, state="held", source="The best summary of all lessons")
    browser = browser_of(sam)
    page = browser.get(f"{QUEUE}?tab=new").text
    assert "Kim Brand" in page
    assert "The best summary of all lessons" in page
    assert mia.display_name not in page

    address = f"{QUEUE}/accounts/{author.pk}/ban"
    assert "Enter a reason." in browser.post(address, {"days": "3"}, follow=True).text
    browser.post(address, {"days": "3", "reason": "Adverts"})
    ban = Ban.objects.get()
    assert (ban.user, ban.board, ban.until and (ban.until - ban.created_at).days) == (author, None, 3)
    assert "“Adverts”" in browser.get(f"{QUEUE}?tab=bans").text
    assert "Banned Kim Brand for 3 days" in browser.get(f"{QUEUE}?tab=log").text
    assert "You can read, but not write, until" in browser_of(author).get("/forum/new", follow=True).text

    browser.post(f"/forum/bans/{ban.pk}/lift")
    ban.refresh_from_db()
    assert ban.lifted_at
    assert browser_of(author).get("/forum/new").status_code == 200
    assert browser.get(f"{QUEUE}?tab=nothing").status_code == 404


def test_a_ban_from_a_post_is_for_its_board_or_for_all(
    board: Board, browser_of: Browser, ada: User, sam: User, leo: User, enrollment: Enrollment
) -> None:
    post = make_post(make_topic(board=board), author=leo)
    given = {"action": "ban", "days": "30", "reason": "Adverts", "everywhere": "on"}
    browser_of(ada).post(f"{post.path}/decide", given)
    browser_of(sam).post(f"{post.path}/decide", {**given, "days": "0"})
    found = [(ban.by, ban.board, ban.until is None) for ban in Ban.objects.order_by("pk")]
    assert found == [(ada, board, False), (sam, None, True)]
    page = browser_of(leo).get(f"/forum/topics/{post.topic_id}").text
    assert "Adverts" in page
    assert "Post reply" not in page


def test_a_report_of_a_message_is_decided_by_a_named_decision(browser_of: Browser, sam: User) -> None:
    report, browser = MessageReportFactory(), browser_of(sam)
    address = f"{QUEUE}/messages/{report.uid}"
    for given in ({}, {"decision": "dance"}):
        assert "Choose what to do with it." in browser.post(address, given, follow=True).text
        report.refresh_from_db()
        assert report.state == "open"
    browser.post(address, {"decision": "dismiss"})
    report.refresh_from_db()
    assert report.state == "dismissed"


def test_a_ban_is_shown_with_its_board_to_its_moderators(
    board: Board, general: Board, browser_of: Browser, ada: User, sam: User
) -> None:
    author = UserFactory(date_joined=NOW - timedelta(days=1))
    make_post(make_topic(board=board), author=author, state="held", held_for=["new_account"])
    services.ban(user=author, by=sam, board=general, days=None, reason="Adverts", now=NOW)
    teaching = "/dashboard/instructor/forum?tab=pending"
    assert f"<dd>{general.title}, permanent</dd>" in browser_of(sam).get(QUEUE).text
    assert "permanent" not in browser_of(ada).get(teaching).text
    assert "Ban this account" in browser_of(sam).get(f"{QUEUE}?tab=new").text

    services.ban(user=author, by=ada, board=board, days=None, reason="Adverts", now=NOW)
    assert f"<dd>{board.title}, permanent</dd>" in browser_of(ada).get(teaching).text
    services.ban(user=author, by=sam, board=None, days=None, reason="Adverts", now=NOW)
    services.ban(user=author, by=sam, board=general, days=9, reason="Adverts", now=NOW)
    for browser, address in ((browser_of(sam), QUEUE), (browser_of(ada), teaching)):
        assert "<dd>all boards, permanent</dd>" in browser.get(address).text
    assert "Ban this account" not in browser_of(sam).get(f"{QUEUE}?tab=new").text


def test_the_log_does_not_tell_the_title_of_a_topic_that_was_moved_to_a_closed_board(
    board: Board, browser_of: Browser, ada: User, sam: User, ben: User
) -> None:
    closed = BoardFactory(course=CourseFactory(instructor=ben, status="suspended"))
    topic = make_topic(board=board, title="Old words")
    services.close(topic=topic, by=ada, on=True, now=NOW)
    services.undo(action=ModerationAction.objects.get(), by=ada, now=NOW)
    Topic.objects.update(board=closed, title="Secret words")
    page = browser_of(ada).get("/dashboard/instructor/forum?tab=log").text
    assert "Closed “a topic that was moved”" in page
    assert "Undone: Closed “a topic that was moved”" in page
    assert "Secret words" not in page
    assert "Closed “Secret words”" in browser_of(sam).get(f"{QUEUE}?tab=log").text


def test_readers_report_a_post_from_its_menu(client: Client, topic: Topic, browser_of: Browser, leo: User) -> None:
    post = make_post(topic, source="Buy this")
    browser = browser_of(leo)
    assert f"{post.path}/report" in browser.get(topic.path).text
    assert f"{post.path}/report" not in client.get(topic.path).text
    assert "Buy this" in browser.get(f"{post.path}/report").text
    assert "Choose a reason." in browser.post(f"{post.path}/report", {}).text
    answer = browser.post(f"{post.path}/report", {"reason": "spam", "comment": "Twice"}, follow=True)
    assert "The moderators will read this post" in answer.text
    assert Report.objects.get().user == leo
    own = make_post(topic, author=leo)
    assert f"{own.path}/report" not in browser.get(topic.path).text


def test_an_edit_from_the_queue_leads_back_to_it_but_to_no_other_site(
    topic: Topic, browser_of: Browser, sam: User
) -> None:
    post, browser = make_post(topic, state="held", held_for=["new_account"]), browser_of(sam)
    back = f"{QUEUE}?tab=pending&item={post.pk}"
    page = browser.get(f"{post.path}/edit", {"next": back}).text
    assert f'name="next" value="{back.replace("&", "&amp;")}"' in page
    answer = browser.post(f"{post.path}/edit", {"source": "Better", "edits": 0, "next": back}, follow=True)
    assert answer.redirect_chain == [(back, 302)]
    assert "Your changes were saved." in answer.text
    assert "reviewed during the first week" not in answer.text
    assert Post.objects.get(pk=post.pk).state == "held"
    for n, foreign in enumerate(("https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil.example")):
        assert "evil" not in browser.get(f"{post.path}/edit", {"next": foreign}).text.split("<main")[1]
        answer = browser.post(f"{post.path}/edit", {"source": f"Better {n}", "edits": n + 1, "next": foreign})
        assert answer["Location"].startswith(topic.path)


def test_authors_read_why_their_post_waits(topic: Topic, browser_of: Browser, leo: User) -> None:
    said = {
        "new_account": "Posts from new accounts are reviewed",
        "links": "checks its links first",
        "rate": "posted many times",
        "repetition": "resembles another post",
        "shouting": "capital letters",
        "rewritten": "removed this post and it has been edited",
    }
    browser = browser_of(leo)
    for reason, words in said.items():
        post = make_post(topic, author=leo, state="held", held_for=[reason])
        page = browser.get(topic.path).text
        assert [one in page for one in said.values()] == [one == words for one in said.values()]
        post.delete()
    shouted = "THIS IS WRITTEN IN CAPITAL LETTERS AND IT SHOULD NOT BE, NOT AT ALL"
    answer = browser.post(f"{topic.path}/reply", {"source": shouted}, follow=True)
    assert "mostly capital letters, so a moderator reviews it first. It is saved" in answer.text
    assert "first week" not in answer.text


def test_the_queue_costs_the_same_with_many_rows(
    topic: Topic, browser_of: Browser, sam: User, django_assert_max_num_queries: Any
) -> None:
    authors = [UserFactory(date_joined=NOW - timedelta(days=1)) for _ in range(6)]
    for n in range(24):
        author = authors[n % 6]
        make_post(topic, author=author, state="held", held_for=["new_account"])
        post = make_post(topic, author=author)
        Report.objects.create(post=post, user=authors[n % 5], reason="rude", created_at=NOW)
    for post in Post.objects.filter(state="held")[:12]:
        services.hide(post=post, by=sam, now=NOW)
    for author in authors:
        services.ban(user=author, by=sam, board=None, days=2, reason="Adverts", now=NOW)
    browser = browser_of(sam)
    browser.get(QUEUE)
    for tab, most in (("pending", 18), ("reported", 18), ("new", 18), ("bans", 10), ("log", 10)):
        with django_assert_max_num_queries(most):
            assert browser.get(f"{QUEUE}?tab={tab}").status_code == 200
    assert "item=" in browser.get(f"{QUEUE}?tab=reported&page=2").text
