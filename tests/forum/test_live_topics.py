"""The socket of a topic and the posts that its page fetches: nothing lost, nothing doubled, nothing held."""

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.forum import consumers, services
from apps.forum.models import Board, Post, Topic, Visit
from apps.learning.models import Enrollment
from studyplatform.kit import sockets as hub
from tests.factories.accounts import UserFactory
from tests.factories.topics import fill_topic, make_post, make_topic
from tests.forum.sockets import heard, is_refused, with_sockets


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "REFRESH_GAP", 0.01)
    monkeypatch.setattr(hub, "REFRESH_EVERY", 0.05)
    monkeypatch.setattr(consumers, "WRITING_GAP", 0)


def say(topic: Topic, user: User, source: str = "On the left page.") -> Post:
    return services.reply(topic=topic, author=user, source=source, now=timezone.now())


def path_of(topic: Topic) -> str:
    return f"/ws/forum/topics/{topic.pk}/"


@dataclass
class Part:
    """What the page of a topic fetched. ``posts``: the HTML of each in its order, empty if it has not changed."""

    text: str

    @property
    def posts(self) -> dict[str, str]:
        found = re.split(r'<div data-at="(\w+)" data-under="\w*">|<div data-at="(accepted)">', self.text)
        names = [first or second for first, second in zip(found[1::3], found[2::3], strict=True)]
        return dict(zip(names, (html.partition("</div>\n<div data-at")[0] for html in found[3::3]), strict=True))

    @property
    def sent(self) -> list[str]:
        return [name for name, html in self.posts.items() if f'id="{name}"' in html]


def part(browser: Client, topic: Topic, since: int | None = None, page: int = 1, **more: Any) -> Part:
    answer = browser.get(f"{topic.path}/posts", {"page": page, **({} if since is None else {"since": since}), **more})
    assert answer.status_code == 200
    return Part(answer.text)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_readers_hear_of_posts_votes_and_acceptance_but_not_of_held_posts(
    topic: Topic, leo: User, mia: User, browser_of
) -> None:
    newcomer = UserFactory(date_joined=timezone.now())

    async def story(first: Any, second: Any) -> None:
        assert await heard(first, 1) == await heard(second, 1) == [{"type": "topic", "last": 1, "stamp": 0}]
        await sync_to_async(say)(topic, newcomer)
        assert await first.receive_nothing(0.2)
        post = await sync_to_async(say)(topic, leo)
        said = {"type": "topic", "last": 2, "stamp": 1}
        assert await heard(first, 1) == await heard(second, 1) == [said]
        await sync_to_async(services.vote)(post=post, user=mia, on=True, now=timezone.now())
        assert (await heard(second, 1))[0]["stamp"] == 2
        await sync_to_async(services.react)(post=post, user=mia, kind="thanks", on=True, now=timezone.now())
        assert (await heard(second, 1))[0]["stamp"] == 3
        await sync_to_async(services.accept)(post=post, by=topic.author, now=timezone.now())
        assert (await heard(second, 1))[0]["stamp"] == 4
        await sync_to_async(services.delete)(post=post, by=leo, now=timezone.now())
        assert await heard(second, 1) == [{"type": "topic", "last": 2, "stamp": 5}]

    with_sockets([browser_of(leo), browser_of(mia)], path_of(topic), story)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_someone_is_writing_is_told_to_the_others_if_the_writer_may_reply(
    board: Board, enrollment: Enrollment, leo: User, mia: User, ada: User, browser_of
) -> None:
    topic = make_topic(board=board)

    async def story(learner: Any, outsider: Any, instructor: Any) -> None:
        for one in (learner, outsider, instructor):
            await heard(one, 1)
        await learner.send_json_to({"type": "dance"})
        await outsider.send_json_to({"type": "writing"})
        assert await instructor.receive_nothing(0.2)
        await learner.send_json_to({"type": "writing"})
        assert await heard(instructor, 1) == await heard(outsider, 1) == [{"type": "writing"}]
        assert await learner.receive_nothing(0.1)

    with_sockets([browser_of(leo), browser_of(mia), browser_of(ada)], path_of(topic), story)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_a_topic_that_a_user_may_not_open_has_no_socket(
    topic: Topic, board: Board, general: Board, mia: User, browser_of
) -> None:
    held = make_topic(board=general, state="held")
    inside = make_topic(board=board)
    board.course.status = "suspended"  # type: ignore[union-attr]
    board.course.save()  # type: ignore[union-attr]
    browser = browser_of(mia)
    assert not is_refused(browser, path_of(topic))
    for path in (path_of(held), path_of(inside), "/ws/forum/topics/999999/"):
        assert is_refused(browser, path)


@pytest.mark.django_db
def test_a_page_gets_what_changed_after_its_stamp_and_the_order_of_all(
    topic: Topic, leo: User, mia: User, browser_of
) -> None:
    browser = browser_of(mia)
    first, second = say(topic, leo), say(topic, leo)
    third = services.reply(topic=topic, author=leo, source="Why?", reply_to=first, now=timezone.now())
    services.vote(post=second, user=mia, on=True, now=timezone.now())
    opening = topic.posts.get(number=1)
    names = [f"p{one.pk}" for one in (opening, first, third, second)]

    found = part(browser, topic, since=2)
    assert list(found.posts) == names
    assert found.sent == [f"p{third.pk}", f"p{second.pk}"]
    assert f'data-at="p{third.pk}" data-under="p{first.pk}"' in found.text
    assert 'data-stamp="4"' in found.text
    assert "3 replies" in found.text
    assert part(browser, topic, since=4).sent == []
    assert "data-head" not in part(browser, topic, since=4).text
    assert part(browser, topic).sent == names

    services.accept(post=second, by=topic.author, now=timezone.now())
    services.accept(post=first, by=topic.author, now=timezone.now())
    found = part(browser, topic, since=5)
    assert found.sent == [f"p{first.pk}", f"p{second.pk}"]
    assert "Accepted answer" in found.posts[f"p{first.pk}"]
    assert "Accepted answer" not in found.posts[f"p{second.pk}"]


@pytest.mark.django_db
def test_held_posts_reach_their_author_and_moderators_only(topic: Topic, leo: User, sam: User, browser_of) -> None:
    newcomer = UserFactory(date_joined=timezone.now())
    held = say(topic, newcomer, "Secret reply")
    assert "Secret" not in part(browser_of(leo), topic).text
    assert f"p{held.pk}" not in part(browser_of(leo), topic).posts
    for user in (newcomer, sam):
        assert "Secret" in part(browser_of(user), topic, since=topic.stamp).text
    services.approve(post=held, by=sam, now=timezone.now())
    assert "Secret" in part(browser_of(leo), topic).text
    services.hide(post=held, by=sam, now=timezone.now())
    found = part(browser_of(leo), topic, since=1)
    assert "Secret" not in found.text
    assert found.sent == [f"p{held.pk}"]  # a stub


@pytest.mark.django_db
def test_a_part_counts_as_read_only_if_the_user_looks_at_it(topic: Topic, leo: User, mia: User, browser_of) -> None:
    browser = browser_of(mia)
    say(topic, leo)
    part(browser, topic)
    assert not Visit.objects.filter(user=mia).exists()
    part(browser, topic, seen=1)
    assert Visit.objects.get(user=mia).last_number == 2


@pytest.mark.django_db
def test_an_accepted_answer_of_a_later_page_is_copied_below_the_question(topic: Topic, leo: User, browser_of) -> None:
    fill_topic(topic, 30, authors=[leo])
    answer = topic.posts.get(number=29)
    services.accept(post=answer, by=topic.author, now=timezone.now())
    found = part(browser_of(leo), topic)
    assert found.sent[1] == "accepted"
    assert len(found.posts) == 26
    assert f"p{answer.pk}" in part(browser_of(leo), topic, page=2).sent


@pytest.mark.django_db
def test_the_part_of_a_page_costs_few_queries(
    topic: Topic, leo: User, browser_of, django_assert_max_num_queries
) -> None:
    fill_topic(topic, 24, authors=[leo, topic.author])
    browser = browser_of(leo)
    part(browser, topic)
    with django_assert_max_num_queries(6):
        part(browser, topic)


@pytest.mark.django_db
def test_scripts_vote_react_and_accept_without_a_new_page(topic: Topic, leo: User, browser_of) -> None:
    post, asker = make_post(topic, author=leo), browser_of(topic.author)
    as_script = {"headers": {"accept": "application/json"}}
    for action in ("vote", "react?kind=thanks", "accept"):
        assert asker.post(f"{post.path}/{action}", {"on": "1"}, **as_script).status_code == 204
    refused = browser_of(leo).post(f"{post.path}/vote", {"on": "1"}, **as_script)
    assert refused.status_code == 409
    assert refused.json()["code"] == "FORUM_OWN_POST"
    post.refresh_from_db()
    topic.refresh_from_db()
    assert (post.score, topic.accepted_id, topic.stamp, post.stamp) == (1, post.pk, 3, 3)


@pytest.mark.django_db
def test_visitors_have_no_socket_and_no_script_of_it(client: Client, topic: Topic, leo: User, browser_of) -> None:
    assert "data-topic=" not in client.get(topic.path).text
    assert client.get(f"{topic.path}/posts").status_code == 302
    page = browser_of(leo).get(topic.path).text
    assert f'data-topic="{topic.pk}"' in page
    assert "/topic-" in page


@pytest.mark.django_db
def test_an_edit_of_a_held_post_tells_nothing(topic: Topic, leo: User) -> None:
    newcomer = UserFactory(date_joined=timezone.now() - timedelta(days=1))
    held = say(topic, newcomer)
    services.edit(post=held, editor=newcomer, source="Another text", now=timezone.now())
    services.delete(post=held, by=newcomer, now=timezone.now())
    topic.refresh_from_db()
    assert topic.stamp == 0
