"""Merging topics and splitting posts off: numbers, counts, readers, drafts, addresses, search."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.models import Course
from apps.forum import search, services
from apps.forum.errors import AlreadyDecided, MergeWithItself, NothingToSplit, PostNotVisible, TextBecomesPublic
from apps.forum.models import Board, Draft, Follow, Level, ModerationAction, Post, Topic, Visit, Vote
from apps.forum.services.indexing import index_post
from apps.learning.models import Enrollment
from studyplatform.kit.errors import NotFound, ValidationFailed
from tests.factories.accounts import UserFactory
from tests.factories.topics import fill_topic, make_post, make_topic

pytestmark = pytest.mark.django_db
Browser = Callable[[User], Client]
NOW = timezone.now()


def ago(days: int) -> Any:
    return NOW - timedelta(days=days)


def numbers(topic: Topic) -> list[tuple[int | None, str, str]]:
    found = topic.posts.order_by("number", "pk").values_list("number", "source", "state")
    return [(number, source, state) for number, source, state in found]


@pytest.fixture
def older(general: Board, mia: User) -> Topic:
    """A question with one answer."""
    topic = make_topic(board=general, title="Which paper?", source="Q1", author=mia, now=ago(9))
    make_post(topic, source="A1", now=ago(8))
    return topic


@pytest.fixture
def newer(general: Board, leo: User) -> Topic:
    """The same question, with posts in all states; the first answer is accepted."""
    topic = make_topic(board=general, title="What paper is good?", source="Q2", author=leo, now=ago(5))
    topic.accepted = make_post(topic, source="B1", now=ago(4), reply_to=topic.posts.get())
    make_post(topic, source="B2", state="hidden", now=ago(4))
    make_post(topic, source="B3", state="deleted", now=ago(4))
    make_post(topic, source="B4", state="held", now=ago(3))
    make_post(topic, source="B5", author=leo, now=ago(2))
    return topic


def test_a_merge_appends_all_posts_in_their_states(
    older: Topic, newer: Topic, sam: User, leo: User, client: Client, browser_of: Browser
) -> None:
    Vote.objects.create(post=newer.accepted, user=sam, created_at=NOW)
    opening = newer.posts.get(is_opening=True)
    merged = services.merge(topic=newer, into=older, by=sam, now=NOW)
    assert set(numbers(merged)) == {
        (1, "Q1", "visible"), (2, "A1", "visible"), (3, "Q2", "visible"), (4, "B1", "visible"), (5, "B2", "hidden"),
        (6, "B3", "deleted"), (7, "B5", "visible"), (None, "B4", "held"),
    }  # fmt: skip
    merged.refresh_from_db()
    assert (merged.last_number, merged.reply_count, merged.accepted) == (7, 4, newer.accepted)
    assert (merged.last_post_at, merged.last_poster, merged.first_reply_at) == (ago(2), leo, ago(8))
    newer.refresh_from_db()
    assert (newer.state, newer.merged_into, newer.reply_count, newer.accepted) == ("deleted", merged, 0, None)
    assert not newer.posts.exists()
    assert merged.accepted is not None
    assert merged.accepted.votes.count() == 1
    assert merged.accepted.reply_to == opening
    assert set(merged.posts.filter(topic=merged, number__gt=2).values_list("stamp", flat=True)) == {merged.stamp}

    for user in (None, sam, leo):
        browser = browser_of(user) if user else client
        assert browser.get(newer.path).headers["Location"] == merged.path
        assert browser.get(opening.path).headers["Location"] == f"{merged.path}#p{opening.pk}"
        page = browser.get(merged.path).text
        assert "<p>B1</p>" in page
        assert ("<p>B2</p>" in page, "<p>B4</p>" in page) == (user == sam, user == sam)
    assert "What paper is good?" not in browser_of(leo).get("/forum/?tab=mine").text
    held = Post.objects.get(source="B4")
    services.approve(post=held, by=sam, now=NOW)
    held.refresh_from_db()
    assert (held.number, held.topic) == (8, merged)


def test_a_merge_unites_followers_readers_and_drafts(older: Topic, newer: Topic, sam: User) -> None:
    both, closer, muted, only, unread, quiet = UserFactory.create_batch(6)
    levels = [
        (both, older, Level.WATCHING), (both, newer, Level.FOLLOWING), (closer, older, Level.FOLLOWING),
        (closer, newer, Level.WATCHING), (muted, older, Level.MUTED), (muted, newer, Level.WATCHING),
        (only, newer, Level.WATCHING), (quiet, newer, Level.MUTED),
    ]  # fmt: skip
    for user, topic, level in levels:
        Follow.objects.create(user=user, topic=topic, level=level, created_at=NOW)
    for user, old, new in ((both, 2, 5), (closer, 2, 3), (unread, 1, 5)):
        Visit.objects.create(user=user, topic=older, last_number=old, seen_at=NOW)
        Visit.objects.create(user=user, topic=newer, last_number=new, seen_at=NOW)
    for user, key in ((both, older), (both, newer), (only, newer)):
        services.save_draft(user=user, key=f"topic-{key.pk}", source=f"On {key}", fields={}, written_at=NOW, now=NOW)
    services.merge(topic=newer, into=older, by=sam, now=NOW)
    found = dict(Follow.objects.filter(topic=older).values_list("user", "level"))
    assert found == {
        both.pk: "watching", closer.pk: "watching", muted.pk: "muted", only.pk: "watching"
    }  # fmt: skip
    assert not Follow.objects.filter(topic=newer).exists()
    assert dict(Visit.objects.values_list("user", "last_number")) == {both.pk: 7, closer.pk: 5, unread.pk: 1}
    drafts = dict(Draft.objects.values_list("user", "source"))
    assert drafts == {both.pk: "On Which paper?\n\nOn What paper is good?", only.pk: "On What paper is good?"}
    assert set(Draft.objects.values_list("key", flat=True)) == {f"topic-{older.pk}"}


def test_what_is_merged_into_a_merged_topic_leads_to_the_last_one(
    older: Topic, newer: Topic, general: Board, sam: User, leo: User, browser_of: Browser
) -> None:
    last = make_topic(board=general, title="The last one")
    services.merge(topic=newer, into=older, by=sam, now=NOW)
    services.merge(topic=older, into=last, by=sam, now=NOW)
    newer.refresh_from_db()
    assert newer.merged_into == last
    browser = browser_of(leo)  # a page that was open before the merge
    answer = browser.post(f"{newer.path}/reply", {"source": "Written meanwhile"})
    assert (
        last.posts.get(source="Written meanwhile").path in f"/forum/posts/{answer.headers['Location'].split('#p')[1]}"
    )
    assert browser.get(f"{newer.path}/posts?page=1").status_code == 404
    for tool in (services.merge, services.split):
        extra: dict[str, Any] = {"into": last} if tool is services.merge else {"posts": [1], "title": "So"}
        with pytest.raises(NotFound):
            tool(topic=newer, by=sam, now=NOW, **extra)  # type: ignore[operator]
    with pytest.raises(MergeWithItself):
        services.merge(topic=last, into=last, by=sam, now=NOW)


def test_only_visible_topics_of_own_boards_are_merged(
    older: Topic, board: Board, general: Board, ada: User, sam: User
) -> None:
    own, held = make_topic(board=board), make_topic(board=general, state="held")
    for source, target in ((own, older), (older, own)):
        with pytest.raises(NotFound):
            services.merge(topic=source, into=target, by=ada, now=NOW)
    for source, target in ((held, older), (older, held)):
        with pytest.raises(PostNotVisible):
            services.merge(topic=source, into=target, by=sam, now=NOW)
    assert board.course
    board.course.status = "suspended"
    board.course.save()
    with pytest.raises(TextBecomesPublic):
        services.merge(topic=own, into=older, by=sam, now=NOW)
    services.merge(topic=own, into=older, by=sam, is_public_ok=True, now=NOW)


def test_a_merge_takes_the_lesson_of_the_other_topic_only_if_there_is_none(
    board: Board, course: Course, ada: User
) -> None:
    first, second = course.lessons.order_by("section__position", "position")[:2]
    bare, about, other = (make_topic(board=board, lesson=one) for one in (None, first, second))
    services.merge(topic=about, into=bare, by=ada, now=NOW)
    services.merge(topic=other, into=bare, by=ada, now=NOW)
    bare.refresh_from_db()
    assert bare.lesson == first


def test_search_finds_merged_and_split_posts_where_they_are(older: Topic, newer: Topic, sam: User) -> None:
    for topic in (older, newer):
        for post in topic.posts.all():
            index_post(post, topic)

    def found(words: str) -> set[tuple[int, int]]:
        return set(search.search(Post.objects.listed_for(sam), search.words_of(words)))

    opening = newer.posts.get(is_opening=True)
    assert found("good") == {(opening.pk, newer.pk)}
    services.merge(topic=newer, into=older, by=sam, now=NOW)
    assert found("good") == set()
    assert found("Q2") == {(opening.pk, older.pk)}
    new = services.split(topic=older, posts=[opening.pk], title="Pencils", by=sam, now=NOW)
    assert found("pencils") == {(opening.pk, new.pk)}


def test_a_split_makes_a_topic_of_the_chosen_posts(
    newer: Topic, sam: User, leo: User, client: Client, enrollment: Enrollment
) -> None:
    newer.save()  # the accepted answer
    first = newer.accepted
    assert first is not None
    under = make_post(newer, source="B6", reply_to=first, now=ago(1))
    stays = newer.posts.get(source="B5")
    Post.objects.filter(pk=stays.pk).update(reply_to=first)
    for user, last in ((leo, 7), (sam, 2)):
        Visit.objects.create(user=user, topic=newer, last_number=last, seen_at=NOW)
    services.follow(user=leo, target=newer, level=Level.WATCHING, now=NOW)
    chosen = [newer.posts.get(source=source).pk for source in ("B1", "B2", "B4", "B6")]
    new = services.split(topic=newer, posts=chosen, title="Ink", by=sam, now=NOW)
    new.refresh_from_db()
    assert {row for row in numbers(new) if row[0]} == {(1, "B1", "visible"), (2, "B2", "hidden"), (3, "B6", "visible")}
    assert {row for row in numbers(new) if not row[0]} == {(None, "B4", "held")}
    assert (new.title, new.author, new.reply_count, new.last_number) == ("Ink", first.author, 1, 3)
    assert (new.published_at, new.last_post_at, new.first_reply_at) == (ago(4), ago(1), ago(1))
    assert (new.accepted, new.state, new.kind) == (None, "visible", "question")
    assert new.posts.get(is_opening=True) == first
    under.refresh_from_db()
    assert under.reply_to == first
    newer.refresh_from_db()
    assert (newer.accepted, newer.reply_count, newer.last_number) == (None, 1, 6)
    stays.refresh_from_db()
    assert (stays.reply_to, stays.stamp) == (None, newer.stamp)
    assert dict(Visit.objects.filter(topic=new).values_list("user", "last_number")) == {leo.pk: 3, sam.pk: 1}
    assert Follow.objects.get(topic=new).user == leo
    action = ModerationAction.objects.get()
    assert (action.kind, action.topic, action.details["count"]) == ("split", new, 4)
    assert client.get(under.path).headers["Location"] == f"{new.path}#p{under.pk}"


def test_a_split_carries_the_accepted_answer_if_it_stays_an_answer(newer: Topic, sam: User) -> None:
    newer.save()
    accepted = newer.accepted
    assert accepted is not None
    earlier = make_post(newer, source="Asked here", now=ago(1))
    Post.objects.filter(pk=earlier.pk).update(number=90)
    Post.objects.filter(pk=accepted.pk).update(number=91)
    chosen = [earlier.pk, accepted.pk]
    with pytest.raises(AlreadyDecided):
        services.split(topic=newer, posts=[*chosen, 10**9], title="Ink", by=sam, now=NOW)
    new = services.split(topic=newer, posts=chosen, title="Ink", by=sam, now=NOW)
    assert (new.accepted, Topic.objects.get(pk=newer.pk).accepted) == (accepted, None)


def test_a_split_with_all_later_posts(newer: Topic, sam: User) -> None:
    first = newer.posts.get(source="B1")
    new = services.split(topic=newer, posts=[first.pk], title="Ink", kind="share", with_later=True, by=sam, now=NOW)
    assert sorted(source for _, source, _ in numbers(new)) == ["B1", "B2", "B3", "B4", "B5"]
    assert [source for _, source, _ in numbers(newer)] == ["Q2"]
    assert (new.kind, new.accepted) == ("share", None)


def test_a_split_refuses_what_would_leave_a_topic_without_an_opening_post(newer: Topic, sam: User) -> None:
    def split(posts: list[Post], **given: Any) -> Topic:
        pks = [post.pk for post in posts]
        return services.split(**{"topic": newer, "posts": pks, "title": "Ink", "by": sam, "now": NOW, **given})

    opening, hidden, shown = (newer.posts.get(source=source) for source in ("Q2", "B2", "B1"))
    for posts, given, error in (
        ([opening], {}, AlreadyDecided),
        ([hidden], {}, NothingToSplit),
        ([], {}, NothingToSplit),
        ([shown], {"title": " "}, ValidationFailed),
        ([shown], {"kind": "announcement"}, ValidationFailed),
        ([shown], {"by": UserFactory()}, NotFound),
    ):
        with pytest.raises(error):
            split(posts, **given)
    assert newer.posts.count() == 6


def test_merging_and_splitting_without_scripts(older: Topic, newer: Topic, sam: User, browser_of: Browser) -> None:
    browser = browser_of(sam)
    index_post(older.posts.get(is_opening=True), older)
    assert older.title in browser.get(f"{newer.path}/merge?into=which+paper").text
    assert "No topic on your boards" in browser.get(f"{newer.path}/merge?into=zzz").text
    assert browser.get(f"{newer.path}/merge?into={newer.pk}").status_code == 400
    for name in (str(older.pk), f"https://study.example{older.path}?page=2", older.posts.all()[0].path):
        page = browser.get(f"{newer.path}/merge", {"into": name}).text
        assert "Into this topic" in page
        assert older.title in page
    shown = newer.posts.get(source="B1")
    page = browser.get(f"{newer.path}/split").text
    assert f'value="{shown.pk}"' in page
    assert f'value="{newer.posts.get(is_opening=True).pk}"' not in page
    assert browser.post(f"{newer.path}/split", {"title": "Ink and paper", "kind": "question"}).status_code == 422
    wrong = browser.post(f"{newer.path}/split", {"title": "", "kind": "question", "posts": [shown.pk]})
    assert wrong.status_code == 422
    assert f'value="{shown.pk}" checked' in wrong.text
    done = browser.post(f"{newer.path}/split", {"title": "Ink and paper", "kind": "question", "posts": [shown.pk]})
    new = Topic.objects.get(title="Ink and paper")
    assert done.headers["Location"] == new.path
    merged = browser.post(f"{new.path}/merge", {"into": older.pk})
    assert merged.headers["Location"] == older.path
    log = browser.get("/dashboard/admin/forum?tab=log").text
    assert "Merged “Ink and paper” into “Which paper?”" in log
    assert "Split 1 post from “What paper is good?” into “Ink and paper”" in log


def test_a_page_whose_posts_are_all_elsewhere_says_so(newer: Topic, sam: User, client: Client) -> None:
    fill_topic(newer, 60, authors=[sam])
    chosen = newer.posts.filter(number__range=(26, 50)).values_list("pk", flat=True)
    services.split(topic=newer, posts=list(chosen), title="Ink", by=sam, now=NOW)
    assert "The posts on this page are now in another topic." in client.get(f"{newer.path}?page=2").text
    assert "Reply 51" in client.get(f"{newer.path}?page=3").text


def test_the_pages_cost_the_same_for_many_posts(
    newer: Topic, sam: User, browser_of: Browser, django_assert_max_num_queries: Any
) -> None:
    browser = browser_of(sam)
    fill_topic(newer, 200, authors=UserFactory.create_batch(5))
    for page in ("title", "move", "merge", f"merge?into={make_topic(board=newer.board).pk}", "split?page=3"):
        browser.get(f"{newer.path}/{page}")
        with django_assert_max_num_queries(12):
            assert browser.get(f"{newer.path}/{page}").status_code == 200
