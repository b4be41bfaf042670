"""Moderators, authors and readers act on one post at once, on a real database with threads.

Whatever the order, each action that succeeded has happened: it is in the log, its author was told once, and the numbers
of the topic are those of its visible posts.
"""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from itertools import combinations_with_replacement, count
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Notification, Role, User
from apps.forum import services
from apps.forum.errors import AlreadyDecided, AlreadyReported, NotYourPost, PostChanged, PostNotVisible
from apps.forum.models import Board, Level, ModerationAction, Post, PostState, Report, Topic
from apps.forum.services import notifying
from apps.forum.services.following import set_level
from studyplatform.kit import jobs
from studyplatform.kit.errors import AppError
from tests.factories.accounts import UserFactory
from tests.factories.topics import BoardFactory, make_topic
from tests.learning.test_races import run_simultaneously

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]
Kind = ModerationAction.Kind
_texts = count()


@pytest.fixture
def general(db: None) -> Board:
    return BoardFactory(slug="how-to-study", title="How to study")


@pytest.fixture
def topic(general: Board) -> Topic:
    return make_topic(board=general)


@pytest.fixture
def kim(db: None) -> User:
    """The second moderator."""
    return UserFactory(username="kim", role=Role.ADMIN)


def say(topic: Topic, author: User, **more: Any) -> Post:
    source = more.pop("source", f"Answer number {next(_texts)}.")
    return services.reply(topic=topic, author=author, source=source, now=timezone.now(), **more)


def edit(post: Post, by: User) -> Post:
    return services.edit(post=post, editor=by, source=f"Other words {next(_texts)}", expected_edits=post.edit_count,
                         now=timezone.now())  # fmt: skip


def decide(name: str) -> Callable[[Post, User], Post]:
    more = {"reason": "Off topic"} if name == "reject" else {}
    return lambda post, by: getattr(services, name)(post=post, by=by, now=timezone.now(), **more)


MODERATOR = {name: decide(name) for name in ("approve", "reject", "hide", "remove", "restore")} | {"edit": edit}
AUTHOR = {"delete": decide("delete"), "restore": decide("restore"), "edit": edit}
LOGGED = {"approve": "approved", "reject": "rejected", "hide": "hidden", "remove": "removed", "restore": "restored",
          "edit": "edited"}  # fmt: skip
TOLD = {"approve": "forum.approved", "reject": "forum.rejected", "hide": "forum.hidden", "remove": "forum.hidden"}
REFUSALS = (AlreadyDecided, PostNotVisible, NotYourPost, PostChanged)


def begin_held(topic: Topic, author: User, by: User) -> Post:
    post = say(topic, author)
    services.hide(post=post, by=by, now=timezone.now())
    post.refresh_from_db()
    return edit(post, author)  # rewritten: held until a moderator has read it again


def begin_hidden(topic: Topic, author: User, by: User) -> Post:
    post = say(topic, author)
    services.hide(post=post, by=by, now=timezone.now())
    return post


def begin_deleted(topic: Topic, author: User, by: User) -> Post:
    return services.delete(post=say(topic, author), by=author, now=timezone.now())


BEGIN: dict[str, Callable[[Topic, User, User], Post]] = {
    "visible": lambda topic, author, by: say(topic, author),
    "held": begin_held,
    "hidden": begin_hidden,
    "deleted": begin_deleted,
}


def check_numbers(topic: Topic) -> None:
    """What the topic says of its posts is what a count of them says."""
    topic = Topic.objects.get(pk=topic.pk)
    posts = list(topic.posts.order_by("number"))
    visible = [post for post in posts if post.state == PostState.VISIBLE]
    replies = [post for post in visible if not post.is_opening]
    numbers = [post.number for post in posts if post.number]
    assert topic.reply_count == len(replies)
    assert numbers == list(range(1, topic.last_number + 1))
    assert max(post.stamp for post in posts) <= topic.stamp
    newest = max(visible, key=lambda post: post.published_at or topic.created_at)
    assert (topic.last_post_at, topic.last_poster_id) == (newest.published_at, newest.author_id)
    others = [post.published_at for post in replies if post.author_id != topic.author_id and post.published_at]
    assert topic.first_reply_at == min(others, default=None)
    assert topic.accepted is None or topic.accepted in replies


# What two moderators and the author do. All of it is much, so each run takes some, and `make test-all` the rest.
ALL = [(*both, third) for both in combinations_with_replacement(MODERATOR, 2) for third in AUTHOR]
SOME = [("approve", "reject", "edit"), ("approve", "approve", "delete"), ("hide", "remove", "edit"),
        ("approve", "edit", "edit"), ("remove", "restore", "delete"), ("restore", "restore", "restore")]  # fmt: skip


@pytest.mark.timeout(300)
@pytest.mark.parametrize("start", BEGIN)
@pytest.mark.parametrize(
    "triples", [pytest.param(SOME, id="some"), pytest.param(ALL, id="all", marks=pytest.mark.long)]
)
def test_two_moderators_and_the_author_lose_no_action(
    topic: Topic, leo: User, sam: User, kim: User, settings: Any, start: str, triples: list[tuple[str, str, str]]
) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "forum_post": (10**6, 60), "forum_edit": (10**6, 60)}
    for first, second, third in triples:
        post = BEGIN[start](topic, leo, sam)
        post.refresh_from_db()
        ModerationAction.objects.all().delete()
        Notification.objects.all().delete()
        edits, texts = post.edit_count, post.revisions.count()

        outcomes = run_simultaneously(
            partial(MODERATOR[first], post, sam),
            partial(MODERATOR[second], post, kim),
            partial(AUTHOR[third], post, leo),
        )

        case = (start, first, second, third, outcomes)
        assert all(isinstance(one, (Post, *REFUSALS)) for one in outcomes), case
        done = [name for name, one in zip((first, second, third), outcomes, strict=True) if isinstance(one, Post)]
        decided = [one for one, outcome in zip((first, second), outcomes, strict=False) if isinstance(outcome, Post)]
        assert Counter(ModerationAction.objects.values_list("kind", flat=True)) == Counter(
            LOGGED[name] for name in decided
        ), case
        told = Counter(Notification.objects.filter(user=leo).values_list("kind", flat=True))
        assert told == Counter(TOLD[name] for name in decided if name in TOLD), case
        post.refresh_from_db()
        assert post.edit_count - edits == post.revisions.count() - texts == done.count("edit"), case
        check_numbers(topic)
    jobs.run_pending("default")


def test_a_text_that_changes_while_it_is_read_is_not_approved(topic: Topic, leo: User, sam: User) -> None:
    for _ in range(5):
        post = begin_held(topic, leo, sam)
        post.refresh_from_db()
        approve = partial(services.approve, post=post, by=sam, edits=post.edit_count, now=timezone.now())
        approved, edited = run_simultaneously(approve, partial(edit, post, leo))
        read = post.source
        post.refresh_from_db()
        if isinstance(approved, AlreadyDecided):
            assert (post.state, post.number is not None) == ("held", True)
        else:  # it was approved first; the edit of an account that is not new shows at once
            assert isinstance(edited, Post)
            assert post.revisions.order_by("-pk")[0].source == read


def test_telling_followers_while_the_post_is_hidden_leaves_nothing(
    topic: Topic, leo: User, mia: User, sam: User
) -> None:
    set_level(user=mia, level=Level.WATCHING, topic=topic, now=timezone.now())
    for _ in range(5):
        post = say(topic, leo)
        tell = partial(notifying.notify_of_post, post_id=post.pk, now=timezone.now(), extend_lease=lambda: None)
        outcomes = run_simultaneously(tell, tell, partial(services.hide, post=post, by=sam, now=timezone.now()))
        assert isinstance(outcomes[2], Post), outcomes
        assert not Notification.objects.filter(user=mia).exists()
        services.restore(post=post, by=sam, now=timezone.now())
        run_simultaneously(tell, tell)
        assert Notification.objects.filter(user=mia).count() <= 1  # not a second time after it was told
        Notification.objects.all().delete()


def test_voters_at_once_are_all_counted_and_a_double_click_once(topic: Topic, leo: User) -> None:
    post, voters = say(topic, leo), UserFactory.create_batch(4)
    vote = partial(services.vote, post=post, on=True, now=timezone.now())
    outcomes = run_simultaneously(*[partial(vote, user=user) for user in voters * 2])
    post.refresh_from_db()
    assert (post.score, post.votes.count()) == (4, 4), outcomes
    run_simultaneously(*[partial(services.vote, post=post, user=voters[0], on=False, now=timezone.now())] * 3)
    post.refresh_from_db()
    assert (post.score, post.votes.count()) == (3, 3)
    thank = partial(services.react, post=post, kind="thanks", on=True, now=timezone.now())
    run_simultaneously(*[partial(thank, user=user) for user in voters * 2])
    assert post.reactions.count() == 4


def test_a_double_click_writes_one_reply_one_topic_and_one_edit(topic: Topic, general: Board, leo: User) -> None:
    since = timezone.now() - timedelta(seconds=30)
    replies = run_simultaneously(*[partial(say, topic, leo, source="Page 3.", same_since=since)] * 4)
    assert {one.pk for one in replies} == {topic.posts.get(is_opening=False).pk}, replies
    ask = partial(services.open_topic, board=general, author=leo, kind="question", title="Why?", source="So?",
                  same_since=since, now=timezone.now())  # fmt: skip
    topics = run_simultaneously(*[ask] * 4)
    assert {one.pk for one in topics} == {Topic.objects.get(title="Why?").pk}, topics
    change = partial(services.edit, post=replies[0], editor=leo, source="Page 4.", expected_edits=0, now=timezone.now())
    assert all(isinstance(one, Post) for one in run_simultaneously(*[change] * 4))
    assert (Post.objects.get(pk=replies[0].pk).edit_count, replies[0].revisions.count()) == (1, 1)
    check_numbers(topic)


def test_answers_accepted_at_once_are_one_and_told_once(topic: Topic, leo: User, mia: User, sam: User) -> None:
    one, other = say(topic, leo), say(topic, mia)
    jobs.run_pending("default")
    Notification.objects.all().delete()
    accept = partial(services.accept, now=timezone.now())
    outcomes = run_simultaneously(
        *[partial(accept, post=one, by=topic.author)] * 2, *[partial(accept, post=other, by=sam)] * 2
    )
    assert not any(isinstance(outcome, (AppError, Exception)) for outcome in outcomes), outcomes
    jobs.run_pending("default")
    topic.refresh_from_db()
    assert topic.accepted in {one, other}
    told = list(Notification.objects.filter(kind="forum.accepted").values_list("user", flat=True))
    assert told == [topic.accepted.author_id]
    unaccept = partial(services.unaccept, post=topic.accepted, by=sam, now=timezone.now())
    run_simultaneously(unaccept, partial(services.hide, post=topic.accepted, by=sam, now=timezone.now()))
    check_numbers(topic)


def test_reports_that_reach_the_threshold_together_hide_once(topic: Topic, leo: User, sam: User, settings: Any) -> None:
    settings.FORUM_REPORTS_TO_HIDE = 2
    post, readers = say(topic, leo), UserFactory.create_batch(4)
    report = partial(services.report, post=post, reason="spam", now=timezone.now())
    outcomes = run_simultaneously(*[partial(report, user=user) for user in [*readers, readers[0]]])
    # The second report hides the post: those who are later cannot read it any longer.
    assert 2 <= Report.objects.count() == sum(isinstance(one, Report) for one in outcomes), outcomes
    assert all(isinstance(one, (Report, AppError)) for one in outcomes), outcomes
    assert not any(isinstance(one, AlreadyReported) for one in outcomes[1:4])  # the first reader reports twice
    post.refresh_from_db()
    assert (post.state, ModerationAction.objects.get().kind) == ("hidden", Kind.HIDDEN_BY_REPORTS)
    assert Notification.objects.filter(user=leo, kind="forum.hidden").count() == 1
    check_numbers(topic)


def test_a_decision_is_undone_once(topic: Topic, leo: User, sam: User, kim: User) -> None:
    post = say(topic, leo)
    services.hide(post=post, by=sam, now=timezone.now())
    action = ModerationAction.objects.get()
    undo = partial(services.undo, action=action, now=timezone.now())
    outcomes = run_simultaneously(*[partial(undo, by=by) for by in (sam, kim, sam, kim)])
    assert sum(one is None for one in outcomes) == 1, outcomes
    assert ModerationAction.objects.filter(kind=Kind.UNDONE).count() == 1
    check_numbers(topic)
