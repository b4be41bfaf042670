"""Similar topics while a title is typed, and the button with which topics, boards and tags are followed."""

from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.courses.models import Course
from apps.forum.models import Board, Follow, Level, Tag, Topic
from apps.forum.queries import searching
from apps.forum.services.indexing import index_post
from tests.factories.accounts import UserFactory
from tests.factories.topics import BoardFactory, make_post, make_topic

pytestmark = pytest.mark.django_db
SIMILAR = "/api/v1/forum/similar/"


def ask(board: Board, title: str, **fields: Any) -> Topic:
    topic = make_topic(board=board, title=title, **fields)
    index_post(topic.posts.get(), topic)
    return topic


def test_similar_topics_are_at_most_five_of_those_the_user_may_read(
    general: Board, board: Board, browser_of: Any, leo: User, ada: User, django_assert_max_num_queries: Any
) -> None:
    titles = {ask(general, f"Does a slant keep {n} lines?").title for n in range(7)}
    inside = ask(board, "A <b>slant</b> line in the course")
    ask(general, "A secret slant of lines", state="held")
    assert board.course
    Course.objects.filter(pk=board.course.pk).update(status=Course.Status.SUSPENDED)
    browser, words = browser_of(leo), {"title": "Why does a slant keep lines", "board": board.slug}
    browser.get(SIMILAR, words)
    with django_assert_max_num_queries(12):
        found = browser.get(SIMILAR, words).json()
    assert len(found) == 5
    assert {one["title_html"].replace("<mark>", "").replace("</mark>", "") for one in found} <= titles
    assert all("<mark>slant</mark>" in one["title_html"] for one in found)
    first = browser_of(ada).get(SIMILAR, {"title": "slant line", "board": board.slug}).json()[0]
    assert first["id"] == inside.pk
    assert "&lt;b&gt;<mark>slant</mark>&lt;/b&gt;" in first["title_html"]


def test_common_words_make_no_topics_similar(general: Board, leo: User, ada: User) -> None:
    """Nothing is better than noise: "take" and "good" are in many topics, "determinant" in few."""
    for n in range(18):
        ask(general, f"Which road would you take to a good evening number {n}?")
    near = ask(general, "What does a negative determinant say?")
    elsewhere = ask(BoardFactory(), "Determinant of a good matrix")
    topic = ask(general, "Would you take the determinant of a good matrix?")

    assert {one.pk for one in searching.similar_topics(topic, leo)} == {elsewhere.pk, near.pk}
    assert searching.similar_to("Is it good to take a nap after a walk of twelve hours?", ada) == []


def test_they_say_whether_they_were_answered(general: Board, browser_of: Any, leo: User) -> None:
    ask(general, "A slant without replies")
    answered = ask(general, "A slant with an answer")
    Topic.objects.filter(pk=answered.pk).update(accepted=make_post(answered))
    found = {one["id"]: one for one in browser_of(leo).get(SIMILAR, {"title": "slant"}).json()}
    assert [(one["is_answered"], one["is_unanswered"]) for _, one in sorted(found.items())] == [
        (False, True),
        (True, False),
    ]
    assert found[answered.pk]["reply_count"] == 1


@pytest.mark.parametrize(
    "sent", [{}, {"title": "why is it"}, {"title": "\0"}, {"title": "' OR * NEAR(", "board": "\0x"}, {"board": "no"}]
)
def test_what_resembles_nothing_finds_nothing(general: Board, browser_of: Any, leo: User, sent: dict[str, str]) -> None:
    ask(general, "Why does it bend?")
    answer = browser_of(leo).get(SIMILAR, sent)
    assert (answer.status_code, answer.json()) == (200, [])


def test_visitors_ask_for_nothing_and_a_user_not_too_often(
    client: Client, browser_of: Any, leo: User, settings: Any
) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "forum_similar": (1, 600)}
    assert client.get(SIMILAR, {"title": "slant"}).status_code == 401
    browser = browser_of(leo)
    assert [browser.get(SIMILAR, {"title": "slant"}).status_code for _ in range(2)] == [200, 429]


def test_the_form_has_a_place_for_them(general: Board, browser_of: Any, leo: User) -> None:
    topic = ask(general, "Why does a slant keep lines?")
    browser = browser_of(leo)
    assert "data-alike hidden" in browser.get("/forum/new").text
    page = browser.get("/forum/new?title=Slant+and+lines").text
    assert "data-alike hidden" not in page
    assert f'href="{topic.path}" target="_blank"' in page


def pressed(page: str) -> list[str]:
    """The texts of the buttons of the menu that are marked as the present choice."""
    menu = page.partition('<details class="menu follow">')[2].partition("</form>")[0]
    rows = menu.split('<button class="menu__item follow__item"')[1:]
    return [row.partition("<b>")[2].partition("</b>")[0] for row in rows if 'aria-current="true"' in row]


def test_one_button_shows_and_changes_how_a_topic_is_followed(
    topic: Topic, browser_of: Any, leo: User, client: Client
) -> None:
    assert "follow__item" not in client.get(topic.path).text
    browser = browser_of(leo)
    assert pressed(browser.get(topic.path).text) == ["Not following"]
    for level, name in (("watching", "Watching"), ("following", "Following"), ("muted", "Muted")):
        assert browser.post(f"{topic.path}/follow", {"level": level}).headers["Location"] == topic.path
        page = browser.get(topic.path).text
        assert pressed(page) == [name]
        assert f"</span>{name}</span>" in page
    answer = browser.post(f"{topic.path}/follow", {"level": "", "page": "3"})
    assert answer.headers["Location"] == f"{topic.path}?page=3"
    assert browser.post(f"{topic.path}/follow", {"page": "//evil.example"}).headers["Location"] == topic.path
    assert not Follow.objects.filter(user=leo).exists()


def test_boards_and_tags_are_followed_or_muted(topic: Topic, browser_of: Any) -> None:
    tag = Tag.objects.create(slug="notes", name="notes")
    topic.tags.add(tag)
    browser = browser_of(UserFactory())
    for address in (f"/forum/boards/{topic.board.slug}", f"/forum/tags/{tag.slug}"):
        assert pressed(browser.get(address).text) == ["Not following"]
        for level, name in (("watching", "Following"), ("following", "Following"), ("muted", "Muted")):
            assert browser.post(f"{address}/follow", {"level": level}).headers["Location"] == address
            assert pressed(browser.get(address).text) == [name]
    assert set(Follow.objects.values_list("level", flat=True)) == {Level.MUTED}
