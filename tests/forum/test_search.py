"""Full-text search over posts: what is found, for whom, and what is shown of it. The same on both databases."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.forum import search, services
from apps.forum.models import Board, Post, PostDocument, Topic
from apps.forum.services.indexing import index_all_posts
from apps.learning.models import Enrollment
from tests.factories.accounts import UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.database]
NOW = timezone.now()


def ask(board: Board, title: str, source: str = "Please help.", **more: Any) -> Topic:
    author = more.pop("author", None) or UserFactory()
    return services.open_topic(
        board=board, author=author, kind="question", title=title, source=source, now=timezone.now(), **more
    )


def answer(topic: Topic, source: str, author: User | None = None) -> Post:
    return services.reply(topic=topic, author=author or UserFactory(), source=source, now=timezone.now())


def found(client: Client, words: str, **more: str) -> list[str]:
    """The addresses that a search finds, in order."""
    page = client.get("/forum/", {"q": words, **more}).text
    return [part.split('"')[0] for part in page.split('class="thread__t"><a href="')[1:]]


def test_titles_texts_and_tags_are_found_by_all_words_in_any_form(client: Client, general: Board) -> None:
    by_title = ask(general, "Differentiating a résumé")
    by_text = ask(general, "Something else", "How do I *differentiate* this?", tags=["calculus"])
    reply = answer(by_text, "Use the chain rule twice.")
    assert found(client, "resume differentiation") == [by_title.path]
    assert found(client, "differentiate") == [by_title.path, by_text.path]  # a word in the title counts more
    assert found(client, "calculus") == [by_text.path]
    assert found(client, "the chain rul") == [reply.path]
    assert found(client, "chain differentiate") == []
    assert found(client, "the") == found(client, "') OR 1 -- *") == found(client, '"') == []


def test_the_best_post_of_a_topic_stands_for_it(client: Client, general: Board) -> None:
    topic = ask(general, "Chain rule")
    answer(topic, "The chain rule again.")
    assert found(client, "chain") == [topic.path]


def test_snippets_mark_the_words_and_escape_the_rest(client: Client, general: Board) -> None:
    ask(general, "<b>Slopes</b> & tangents", "word " * 100 + "where <script>alert(1)</script> `slope < 2`")
    page = client.get("/forum/?q=slope").text
    assert "&lt;b&gt;<mark>Slopes</mark>&lt;/b&gt; &amp; tangents" in page
    assert "<mark>slope</mark> &lt; 2" in page
    assert "<script>alert" not in page
    assert search.snippet("x " * 500 + "Limits are fun", ["limit"]).startswith("… ")
    assert str(search.snippet("Ein <i>", ["nothing"])) == "Ein &lt;i&gt;"


def test_board_and_tab_limit_a_search(
    client: Client,
    general: Board,
    board: Board,
    browser_of: Callable[[User], Client],
    leo: User,
    enrollment: Enrollment,
) -> None:
    one, other = ask(general, "Slopes here"), ask(board, "Slopes there", author=leo)
    answer(one, "Slopes are steep.")
    assert set(found(client, "slopes")) == {one.path, other.path}
    assert found(client, "slopes", board=board.slug) == [other.path]
    assert found(client, "slopes", tab="unanswered") == [other.path]
    assert found(client, "slopes", tab="solved") == []
    browser = browser_of(leo)
    assert found(browser, "slopes", board="~own") == found(browser, "slopes", tab="mine") == [other.path]
    assert client.get("/forum/", {"board": board.slug}).headers["Location"] == f"/forum/boards/{board.slug}"
    assert "Nothing found" in client.get("/forum/?q=zebra&page=7").text


def test_held_hidden_and_deleted_posts_are_never_found(
    client: Client, general: Board, browser_of: Callable[[User], Client], sam: User
) -> None:
    newcomer = UserFactory(date_joined=NOW)
    held = ask(general, "Walrus question", author=newcomer, tags=["walrus"])
    topic = ask(general, "Open question")
    answer(topic, "The walrus answer.", author=newcomer)
    gone, removed = answer(topic, "A walrus mistake."), answer(topic, "A walrus insult.")
    services.delete(post=gone, by=gone.author, now=NOW)
    services.hide(post=removed, by=sam, now=NOW)
    for browser in (client, browser_of(newcomer), browser_of(sam)):
        for words in ("walrus", "walru", "open walrus"):
            assert found(browser, words) == []
    services.approve(post=held.posts.get(), by=sam, now=timezone.now())
    assert found(client, "walrus") == [held.path]
    services.hide(post=held.posts.get(), by=sam, now=timezone.now())
    assert found(client, "walrus") == []


def test_an_edit_replaces_what_is_found(client: Client, general: Board) -> None:
    topic = ask(general, "Old title", "Old text")
    post = topic.posts.get()
    services.edit(post=post, editor=post.author, source="New words", title="Fresh title", now=NOW + timedelta(hours=1))
    assert found(client, "old") == []
    assert found(client, "fresh") == found(client, "words") == [topic.path]


def test_only_readers_of_a_board_find_its_posts(
    client: Client,
    board: Board,
    browser_of: Callable[[User], Client],
    leo: User,
    mia: User,
    ada: User,
    enrollment: Enrollment,
) -> None:
    topic = ask(board, "Walrus inside", author=ada)
    assert board.course
    board.course.status = "suspended"
    board.course.save()
    assert [found(browser, "walrus") for browser in (client, browser_of(mia))] == [[], []]
    assert [found(browser_of(user), "walrus") for user in (leo, ada)] == [[topic.path]] * 2


def test_marks_follow_the_match_in_every_script() -> None:
    cases = {
        ("機械学習の基礎を学ぶ", "学習"): "機械<mark>学習</mark>の基礎を学ぶ",
        ("線性代數入門", "代數入"): "線性<mark>代數入</mark>門",
        ("선형대수학은 재미있다", "대수학"): "선형<mark>대수학</mark>은 재미있다",
        ("قرأت الكتاب الجديد", "كتاب"): "قرأت <mark>الكتاب</mark> الجديد",
        ("Zürich und Zurich", "zurich"): "<mark>Zürich</mark> und <mark>Zurich</mark>",
        ("C# is not C++", "c++"): "C# is not <mark>C++</mark>",
        ("О матрицах <b>", "матрица"): "О <mark>матрицах</mark> &lt;b&gt;",
    }
    assert {key: str(search.marked(key[0], search.words_of(key[1]))) for key in cases} == cases


def test_posts_in_every_script_are_found_and_indexed_again(client: Client, general: Board) -> None:
    topic = ask(general, "数据结构问题", "为什么链表比数组慢? C++ 代码在下面。")
    for words in ("结构", "链表", "数组慢", "C++"):
        assert found(client, words) == [topic.path], words
    PostDocument.objects.update(title="old", body="old")
    assert found(client, "链表") == []

    index_all_posts()

    assert found(client, "链表") == [topic.path]
