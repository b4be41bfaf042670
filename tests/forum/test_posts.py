"""Writing, editing, deleting, publishing and accepting posts."""

from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.utils import timezone

from apps.accounts.errors import EmailNotVerified
from apps.accounts.models import User
from apps.forum import services
from apps.forum.errors import (
    AlreadyDecided,
    AnnouncementsByStaff,
    BoardForAdmins,
    EditNeedsModerator,
    NotAQuestion,
    NotYourPost,
    OwnVote,
    PostChanged,
    PostNotVisible,
    PostTooLong,
    TooManyTags,
    TopicHasReplies,
    TopicLocked,
)
from apps.forum.models import Board, Level, Post, Reaction, Topic
from apps.learning.errors import NotEnrolled
from apps.learning.models import Enrollment
from studyplatform.kit.errors import NotFound, RateLimitExceeded
from tests.factories.accounts import UserFactory
from tests.factories.topics import make_post, make_topic

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def newcomer(db: None) -> User:
    """An account that is one day old."""
    return UserFactory(username="newcomer", date_joined=NOW - timedelta(days=1))


def open_topic(board: Board, author: User, **changes: object) -> Topic:
    asked = {"kind": "question", "title": "Why?", "source": "I see *no* reason."} | changes
    return services.open_topic(board=board, author=author, now=NOW, **asked)  # type: ignore[arg-type]


def test_a_topic_is_visible_with_its_post_and_the_author_watches_it(general: Board, leo: User) -> None:
    topic = open_topic(general, leo, tags=["Sums", "sums ", "long division"], title="  Why\n not? ")
    post = topic.posts.get()
    topic.refresh_from_db()

    assert (topic.title, topic.state, topic.last_number, topic.reply_count) == ("Why not?", "visible", 1, 0)
    assert (post.number, post.is_opening, post.state) == (1, True, "visible")
    assert "<em>no</em>" in post.html
    assert topic.excerpt == "I see no reason."
    assert sorted(topic.tags.values_list("name", "slug")) == [("long division", "long-division"), ("sums", "sums")]
    assert topic.follows.get().level == Level.WATCHING


def test_who_may_open_a_topic(
    board: Board, general: Board, leo: User, mia: User, ada: User, enrollment: Enrollment
) -> None:
    with pytest.raises(NotEnrolled):
        open_topic(board, mia)
    with pytest.raises(EmailNotVerified):
        open_topic(general, UserFactory(email_verified_at=None))
    with pytest.raises(AnnouncementsByStaff):
        open_topic(board, leo, kind="announcement")
    assert open_topic(board, ada, kind="announcement").state == "visible"

    enrollment.revoke(now=NOW)
    with pytest.raises(NotEnrolled):
        open_topic(board, leo)
    general.topics_by_admins_only = True
    general.save()
    with pytest.raises(BoardForAdmins):
        open_topic(general, ada)


def test_on_the_board_of_a_suspended_course_others_find_nothing(
    board: Board, leo: User, mia: User, enrollment: Enrollment
) -> None:
    assert board.course
    board.course.status = "suspended"
    board.course.save()
    topic = open_topic(board, leo)

    with pytest.raises(NotFound):
        open_topic(board, mia)
    with pytest.raises(NotFound):
        services.reply(topic=topic, author=mia, source="Me too.", now=NOW)
    assert not Topic.objects.seen_by(mia).exists()
    assert Topic.objects.seen_by(leo).get() == topic


def test_too_many_tags_leave_nothing_behind(general: Board, leo: User) -> None:
    with pytest.raises(TooManyTags):
        open_topic(general, leo, tags=list("abcdef"))
    with pytest.raises(TooManyTags):
        open_topic(general, leo, tags=["a" * 41])
    assert not Topic.objects.exists()


def test_a_reply_gets_the_next_number_and_counts(topic: Topic, leo: User, mia: User) -> None:
    first = services.reply(topic=topic, author=leo, source="One", now=NOW)
    second = services.reply(topic=topic, author=mia, source="Two", reply_to=first, now=NOW)
    topic.refresh_from_db()

    assert (first.number, second.number, second.reply_to) == (2, 3, first)
    assert (topic.reply_count, topic.last_number, topic.last_poster) == (2, 3, mia)


def test_a_long_post_and_a_closed_topic_are_refused(topic: Topic, leo: User, sam: User) -> None:
    with pytest.raises(PostTooLong):
        services.reply(topic=topic, author=leo, source="é" * 5001, now=NOW)
    assert services.reply(topic=topic, author=leo, source="a\r\n" * 2499 + "aa", now=NOW).source.count("\r") == 0

    Topic.objects.update(locked_at=NOW)
    with pytest.raises(TopicLocked):
        services.reply(topic=topic, author=leo, source="Late", now=NOW)
    assert services.reply(topic=topic, author=sam, source="Moderators may.", now=NOW).number == 3


def test_the_number_of_topics_and_replies_is_limited_in_parallel_topics_too(
    general: Board, leo: User, settings: LazySettings
) -> None:
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"forum_topic": (2, 3600), "forum_post": (3, 600)}
    topics = [open_topic(general, leo), open_topic(general, leo)]
    with pytest.raises(RateLimitExceeded):
        open_topic(general, leo)
    for number in range(3):
        services.reply(topic=topics[number % 2], author=leo, source="More", now=NOW)
    with pytest.raises(RateLimitExceeded):
        services.reply(topic=topics[1], author=leo, source="More", now=NOW)
    assert Post.objects.count() == 5


def test_a_post_of_a_new_account_is_held_and_leaves_no_trace_in_the_topic(
    topic: Topic, newcomer: User, mia: User, sam: User
) -> None:
    held = services.reply(topic=topic, author=newcomer, source="Hello", now=NOW)
    later = services.reply(topic=topic, author=mia, source="Me first", now=NOW)
    topic.refresh_from_db()

    assert (held.state, held.number, held.held_for) == ("held", None, ["new_account"])
    assert (later.number, topic.reply_count, topic.last_poster) == (2, 1, mia)
    assert held in Post.objects.seen_by(newcomer)
    assert held in Post.objects.seen_by(sam)
    assert held not in Post.objects.seen_by(mia)

    services.approve(post=held, by=sam, now=NOW + timedelta(hours=1))
    held.refresh_from_db()
    topic.refresh_from_db()
    assert (held.state, held.number, held.published_at) == ("visible", 3, NOW + timedelta(hours=1))
    assert (topic.reply_count, topic.last_poster) == (2, newcomer)
    with pytest.raises(AlreadyDecided):
        services.approve(post=held, by=sam, now=NOW)


def test_a_held_topic_opens_when_it_is_approved(general: Board, newcomer: User, mia: User, sam: User) -> None:
    topic = open_topic(general, newcomer)
    assert topic not in Topic.objects.seen_by(mia)
    assert topic in Topic.objects.seen_by(newcomer)
    with pytest.raises(PostNotVisible):
        services.reply(topic=topic, author=newcomer, source="More about it", now=NOW)

    services.approve(post=topic.posts.get(), by=sam, now=NOW)
    assert topic in Topic.objects.listed_for(mia)


def test_only_moderators_of_the_board_approve_and_hide(
    board: Board, enrollment: Enrollment, eve: User, ada: User, leo: User
) -> None:
    topic = make_topic(board=board)
    post = make_post(topic, state="held")
    for user in (eve, leo):
        with pytest.raises(NotFound):
            services.approve(post=post, by=user, now=NOW)
        with pytest.raises(NotFound):
            services.hide(post=post, by=user, now=NOW)
    assert services.approve(post=post, by=ada, now=NOW).is_visible


def test_an_edit_keeps_the_earlier_text_and_notices_another_edit(topic: Topic, leo: User, mia: User) -> None:
    post = services.reply(topic=topic, author=leo, source="Ninety one is prime.", now=NOW)
    services.edit(post=post, editor=leo, source="Ninety-one is 7 · 13.", expected_edits=0, now=NOW)

    post.refresh_from_db()
    assert (post.source, post.edit_count) == ("Ninety-one is 7 · 13.", 1)
    assert post.revisions.get().source == "Ninety one is prime."
    with pytest.raises(PostChanged):
        services.edit(post=post, editor=leo, source="Other", expected_edits=0, now=NOW)
    with pytest.raises(NotYourPost):
        services.edit(post=post, editor=mia, source="Other", now=NOW)


def test_an_edit_of_a_new_account_is_reviewed(
    topic: Topic, newcomer: User, leo: User, sam: User, general: Board
) -> None:
    reply = services.reply(topic=topic, author=newcomer, source="Good point", now=NOW)
    services.approve(post=reply, by=sam, now=NOW)
    services.edit(post=reply, editor=newcomer, source="Buy this", now=NOW)
    reply.refresh_from_db()
    topic.refresh_from_db()
    assert (reply.state, reply.number, topic.reply_count) == ("held", 2, 0)
    services.approve(post=reply, by=sam, now=NOW)
    reply.refresh_from_db()
    assert (reply.state, reply.number) == ("visible", 2)

    own = open_topic(general, newcomer)
    opening = own.posts.get()
    services.approve(post=opening, by=sam, now=NOW)
    services.reply(topic=own, author=leo, source="An answer", now=NOW)
    with pytest.raises(EditNeedsModerator):
        services.edit(post=opening, editor=newcomer, source="Buy this", now=NOW)
    opening.refresh_from_db()
    assert opening.source != "Buy this"


def test_deleting_and_restoring_keeps_the_counts(topic: Topic, leo: User, mia: User, sam: User) -> None:
    now = timezone.now()
    first = services.reply(topic=topic, author=leo, source="One", now=now)
    second = services.reply(topic=topic, author=mia, source="Two", now=now + timedelta(minutes=1))
    services.accept(post=second, by=topic.author, now=now)

    with pytest.raises(NotYourPost):
        services.delete(post=second, by=leo, now=now)
    services.delete(post=second, by=mia, now=now)
    topic.refresh_from_db()
    assert (topic.reply_count, topic.last_poster, topic.last_post_at, topic.accepted) == (
        1,
        leo,
        first.published_at,
        None,
    )

    services.restore(post=second, by=mia, now=now)
    topic.refresh_from_db()
    second.refresh_from_db()
    assert (topic.reply_count, second.number, second.state) == (2, 3, "visible")

    services.delete(post=second, by=sam, now=now)
    with pytest.raises(NotYourPost):
        services.restore(post=second, by=mia, now=now)


def test_a_held_post_that_is_deleted_and_restored_is_still_held(topic: Topic, newcomer: User) -> None:
    held = services.reply(topic=topic, author=newcomer, source="Hello", now=NOW)
    services.delete(post=held, by=newcomer, now=NOW)
    services.restore(post=held, by=newcomer, now=NOW)
    held.refresh_from_db()
    topic.refresh_from_db()
    assert (held.state, held.number, topic.reply_count) == ("held", None, 0)


def test_a_topic_with_replies_is_deleted_by_moderators_only(topic: Topic, leo: User, sam: User) -> None:
    opening = topic.posts.get()
    services.reply(topic=topic, author=leo, source="One", now=NOW)
    with pytest.raises(TopicHasReplies):
        services.delete(post=opening, by=topic.author, now=NOW)

    services.delete(post=opening, by=sam, now=NOW)
    assert not Topic.objects.seen_by(leo).exists()
    assert not Post.objects.seen_by(leo).exists()
    services.restore(post=opening, by=sam, now=NOW)
    assert Topic.objects.listed_for(leo).exists()


def test_who_may_accept_an_answer(topic: Topic, leo: User, mia: User, general: Board) -> None:
    answer = services.reply(topic=topic, author=leo, source="One", now=NOW)
    with pytest.raises(NotYourPost):
        services.accept(post=answer, by=mia, now=NOW)
    services.accept(post=answer, by=topic.author, now=NOW)
    services.accept(post=answer, by=topic.author, now=NOW)
    topic.refresh_from_db()
    assert topic.accepted == answer
    services.unaccept(post=answer, by=topic.author, now=NOW)
    topic.refresh_from_db()
    assert topic.accepted is None

    talk = make_topic(board=general, kind="discussion", author=mia)
    with pytest.raises(NotAQuestion):
        services.accept(post=make_post(talk), by=mia, now=NOW)
    with pytest.raises(NotAQuestion):
        services.accept(post=topic.posts.get(number=1), by=topic.author, now=NOW)


def test_a_vote_and_a_reaction_count_once(topic: Topic, leo: User, mia: User) -> None:
    post = services.reply(topic=topic, author=leo, source="One", now=NOW)
    for _ in range(2):
        assert services.vote(post=post, user=mia, on=True, now=NOW) == 1
        services.react(post=post, user=mia, kind="thanks", on=True, now=NOW)
    assert Reaction.objects.count() == 1
    with pytest.raises(OwnVote):
        services.vote(post=post, user=leo, on=True, now=NOW)
    for _ in range(2):
        assert services.vote(post=post, user=mia, on=False, now=NOW) == 0
        services.react(post=post, user=mia, kind="thanks", on=False, now=NOW)
    assert not Reaction.objects.exists()


def test_a_mention_is_of_an_existing_user(topic: Topic, leo: User, mia: User) -> None:
    post = services.reply(topic=topic, author=leo, source="@MIA and @nobody-there, see `@mia`", now=NOW)
    assert '<span class="mention">@mia</span>' in post.html
    assert post.html.count("mention") == 1


def test_deleting_and_restoring_does_not_avoid_the_review(topic: Topic, newcomer: User, leo: User, sam: User) -> None:
    reply = services.reply(topic=topic, author=newcomer, source="Good point", now=NOW)
    services.approve(post=reply, by=sam, now=NOW)
    services.edit(post=reply, editor=newcomer, source="Buy this", now=NOW)
    services.delete(post=reply, by=newcomer, now=NOW)
    services.restore(post=reply, by=newcomer, now=NOW)
    reply.refresh_from_db()
    assert reply.state == "held"

    rude = services.reply(topic=topic, author=leo, source="Rude", now=NOW)
    services.hide(post=rude, by=sam, now=NOW)
    with pytest.raises(PostNotVisible):
        services.delete(post=rude, by=leo, now=NOW)
    with pytest.raises(NotYourPost):
        services.restore(post=rude, by=leo, now=NOW)
    services.delete(post=rude, by=sam, now=NOW)
    services.restore(post=rude, by=sam, now=NOW)
    rude.refresh_from_db()
    assert rude.state == "visible"


def test_an_author_restores_their_deleted_topic_but_not_one_that_a_moderator_deleted(
    general: Board, leo: User, mia: User, sam: User
) -> None:
    topic = open_topic(general, leo)
    opening = topic.posts.get()
    services.delete(post=opening, by=leo, now=NOW)
    assert topic in Topic.objects.seen_by(leo)
    assert opening in Post.objects.seen_by(leo)
    assert topic not in Topic.objects.seen_by(mia)
    services.restore(post=opening, by=leo, now=NOW)
    assert topic in Topic.objects.listed_for(mia)

    services.delete(post=opening, by=sam, now=NOW)
    assert topic not in Topic.objects.seen_by(leo)
    assert opening not in Post.objects.seen_by(leo)
