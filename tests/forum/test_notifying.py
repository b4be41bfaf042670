"""Who is notified of posts and accepted answers, and what disappears with a withdrawn post."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from apps.accounts.models import Notification, NotificationChoice, User
from apps.accounts.services import send_digest
from apps.forum import services
from apps.forum.models import Ban, Block, Board, Follow, Level, NotificationRun, Post, Topic
from apps.forum.models.topics import Tag
from apps.forum.services import notifying
from apps.forum.services.following import set_level
from apps.learning.models import Enrollment
from studyplatform.kit import jobs
from tests.factories.accounts import UserFactory
from tests.factories.topics import make_post, make_topic

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def told(user: User) -> list[str]:
    jobs.run_pending("default")
    return [row.kind.removeprefix("forum.") for row in Notification.objects.filter(user=user).order_by("pk")]


def reply(topic: Topic, author: User, source: str = "See page 3.", reply_to: Post | None = None) -> Post:
    return services.reply(topic=topic, author=author, source=source, reply_to=reply_to, now=timezone.now())


@pytest.fixture
def writer(db: None) -> User:
    return UserFactory(username="writer")


def test_watchers_and_the_author_of_the_answered_post_are_told_of_a_reply(topic: Topic, writer: User) -> None:
    watching, following, muted, answered = (UserFactory() for _ in range(4))
    for user, level in ((watching, Level.WATCHING), (following, Level.FOLLOWING), (muted, Level.MUTED)):
        set_level(user=user, level=level, topic=topic, now=NOW)
    set_level(user=writer, level=Level.WATCHING, topic=topic, now=NOW)
    first = make_post(topic, author=answered)

    post = reply(topic, writer, "I *agree*.", first)

    assert [told(user) for user in (watching, following, muted, answered, writer)] == [
        ["reply"], [], [], ["reply"], []
    ]  # fmt: skip
    row = Notification.objects.get(user=watching)
    assert (row.link, row.params["words"], row.params["topic"]) == (post.path, "I agree.", topic.title)
    jobs.run_pending("default")
    assert {one.to[0] for one in mail.outbox} == {watching.email, answered.email}
    assert all("List-Unsubscribe-Post" in one.extra_headers for one in mail.outbox)


def test_several_reasons_lead_to_one_notification(topic: Topic, writer: User) -> None:
    everything = UserFactory(username="everything")
    set_level(user=everything, level=Level.WATCHING, topic=topic, now=NOW)
    answered = make_post(topic, author=everything)
    post = reply(topic, writer, "@everything look", answered)
    assert told(everything) == ["mention"]

    for _ in range(2):  # an event that comes twice, also when the first notification is gone
        Notification.objects.filter(user=everything).delete()
        jobs.enqueue("forum.notify_of_post", post_id=post.pk)
        assert told(everything) == []


def test_someone_who_wants_no_mentions_still_hears_of_replies(topic: Topic, writer: User) -> None:
    choosy = UserFactory(username="choosy")
    NotificationChoice.objects.create(user=choosy, kind="forum.mention", in_app=False, mail="off")
    set_level(user=choosy, level=Level.WATCHING, topic=topic, now=NOW)
    reply(topic, writer, "@choosy look")
    assert told(choosy) == ["reply"]


def test_only_the_first_ten_of_those_who_are_mentioned_are_told(topic: Topic, writer: User) -> None:
    users = [UserFactory(username=f"reader{n:02}") for n in range(12)]
    reply(topic, writer, " ".join(f"@{user.username}" for user in users))
    assert [bool(told(user)) for user in users] == [True] * 10 + [False] * 2
    post = Post.objects.get(author=writer, is_opening=False)
    edit(post, " ".join(f"@{user.username}" for user in [UserFactory(username="another"), *users[10:]]))
    assert Notification.objects.filter(kind="forum.mention").count() == 10


def test_nobody_is_told_of_a_board_that_they_may_not_read(
    board: Board, leo: User, mia: User, ada: User, sam: User, enrollment: Enrollment
) -> None:
    topic = make_topic(board=board, author=mia)
    assert board.course
    board.course.status = "suspended"
    board.course.save()
    blocked = UserFactory(is_active=False)
    has_blocked_ada = UserFactory()
    Block.objects.create(blocker=has_blocked_ada, blocked=ada, created_at=NOW)
    for user in (mia, leo, sam, blocked):
        set_level(user=user, level=Level.WATCHING, topic=topic, now=NOW)
    reply(topic, ada, f"@{mia.username} @{leo.username} {has_blocked_ada.username}")
    assert [told(user) for user in (mia, leo, sam, blocked)] == [[], ["mention"], ["reply"], []]
    board.course.status = "published"
    board.course.save()
    set_level(user=has_blocked_ada, level=Level.WATCHING, topic=topic, now=NOW)
    reply(topic, ada, "More.")
    assert [told(user) for user in (mia, blocked, has_blocked_ada)] == [["reply"], [], []]
    banned = UserFactory()
    Ban.objects.create(user=banned, board=board, reason="Spam", by=sam, created_at=NOW)
    set_level(user=banned, level=Level.WATCHING, topic=topic, now=NOW)
    reply(topic, ada, "Even more.")
    assert told(banned) == []


def test_followers_of_a_board_or_tag_are_told_of_a_new_topic(general: Board, writer: User) -> None:
    tag = Tag.objects.create(slug="notes", name="notes")
    of_board, of_tag, of_both, muted = (UserFactory() for _ in range(4))
    for user in (of_board, of_both):
        set_level(user=user, level=Level.WATCHING, board=general, now=NOW)
    for user in (of_tag, of_both, muted):
        set_level(user=user, level=Level.WATCHING, tag=tag, now=NOW)
    set_level(user=muted, level=Level.MUTED, board=general, now=NOW)
    services.open_topic(
        board=general, author=writer, kind="question", title="Which pen?", source="For maps.", tags=["notes"], now=NOW
    )
    assert [told(user) for user in (of_board, of_tag, of_both, muted)] == [["followed"]] * 3 + [[]]
    assert Notification.objects.get(user=of_tag).params["board"] == general.title


def test_a_held_post_tells_nobody_until_it_is_approved(topic: Topic, sam: User) -> None:
    reader = UserFactory(username="reader")
    set_level(user=reader, level=Level.WATCHING, topic=topic, now=NOW)
    post = reply(topic, UserFactory(date_joined=NOW), "@reader Secret words")
    jobs.enqueue("forum.notify_of_post", post_id=post.pk)  # even if something else asks for it
    assert told(reader) == []
    services.approve(post=post, by=sam, now=timezone.now())
    assert told(reader) == ["mention"]


def test_the_text_of_a_withdrawn_post_disappears_from_notifications_and_digests(
    topic: Topic, writer: User, sam: User, browser_of: Callable[[User], Client]
) -> None:
    reader, late = UserFactory(), UserFactory()
    for user in (reader, late):
        set_level(user=user, level=Level.WATCHING, topic=topic, now=NOW)
        NotificationChoice.objects.create(user=user, kind="forum.reply", mail="digest")
    post, other = reply(topic, writer, "Secret words"), reply(topic, writer, "Other words")
    assert told(reader) == ["reply", "reply"]
    assert "Secret words" in browser_of(reader).get("/notifications").text

    services.hide(post=post, by=sam, now=NOW)
    page = browser_of(reader).get("/notifications").text
    assert "Secret words" not in page
    assert "Other words" in page
    mail.outbox.clear()
    send_digest(user_id=reader.pk, now=NOW + timedelta(days=2))
    jobs.run_pending("default")
    assert ["Secret words" in str(one.body) for one in mail.outbox if one.to == [reader.email]] == [False]

    services.restore(post=post, by=sam, now=NOW)
    assert told(late) == ["reply"]  # of the other one: no one is notified again
    services.delete(post=topic.posts.get(is_opening=True), by=sam, now=NOW)
    assert told(reader) == told(late) == []
    assert other.is_visible


def test_the_author_of_an_accepted_answer_and_followers_are_told(topic: Topic, writer: User) -> None:
    asker, following, muted = topic.author, UserFactory(), UserFactory()
    for user, level in ((asker, Level.WATCHING), (following, Level.FOLLOWING), (muted, Level.MUTED)):
        set_level(user=user, level=level, topic=topic, now=NOW)
    set_level(user=writer, level=Level.WATCHING, topic=topic, now=NOW)
    answer = reply(topic, writer)
    jobs.run_pending("default")
    for _ in range(2):
        services.accept(post=answer, by=asker, now=NOW)
        assert [told(user) for user in (writer, asker, following, muted)] == [["accepted"], ["reply"], ["solved"], []]
        services.unaccept(post=answer, by=asker, now=NOW)


def test_an_acceptance_that_was_taken_back_tells_nobody(topic: Topic, writer: User) -> None:
    answer = reply(topic, writer)
    services.accept(post=answer, by=topic.author, now=NOW)
    services.unaccept(post=answer, by=topic.author, now=NOW)
    assert told(writer) == []


def test_a_delivery_that_stops_continues_without_telling_anyone_twice(
    topic: Topic, writer: User, monkeypatch: pytest.MonkeyPatch, sam: User, browser_of: Callable[[User], Client]
) -> None:
    monkeypatch.setattr(notifying, "BATCH", 2)
    readers = [UserFactory() for _ in range(5)]
    Follow.objects.bulk_create(
        [Follow(user=user, topic=topic, level=Level.WATCHING, created_at=NOW) for user in readers]
    )
    post = make_post(topic, author=writer)

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        notifying.notify_of_post(post_id=post.pk, now=NOW, extend_lease=stop)
    assert Notification.objects.count() == 2
    jobs.enqueue("forum.notify_of_post", post_id=post.pk)
    page = browser_of(sam).get("/dashboard/admin/jobs/").text
    assert f"{topic.title}: 2 of 5 followers" in page
    assert [told(user) for user in readers] == [["reply"]] * 5
    run = NotificationRun.objects.get()
    assert (run.sent_count, run.expected, run.done_at is not None) == (5, 5, True)


def edit(post: Post, source: str, **more: object) -> None:
    services.edit(post=post, editor=post.author, source=source, now=timezone.now(), **more)  # type: ignore[arg-type]


def test_an_edit_tells_only_those_whom_it_mentions_for_the_first_time(topic: Topic, writer: User, sam: User) -> None:
    first, silent, second, watching = (UserFactory(username=name) for name in ("first", "silent", "second", "watching"))
    NotificationChoice.objects.create(user=silent, kind="forum.mention", in_app=False, mail="off")
    set_level(user=watching, level=Level.WATCHING, topic=topic, now=NOW)
    post = reply(topic, writer, "@first @silent look")
    assert [told(user) for user in (first, silent, watching)] == [["mention"], [], ["reply"]]
    NotificationChoice.objects.all().delete()

    edit(post, "@first @silent @watching @second look")
    assert [told(user) for user in (first, silent, second, watching)] == [["mention"], [], ["mention"], ["reply"]]
    Notification.objects.all().delete()
    edit(post, "Nobody")
    edit(post, "@first @second look at this")
    services.hide(post=post, by=sam, now=NOW)
    services.restore(post=post, by=sam, now=NOW)
    assert [told(user) for user in (first, second)] == [[], []]


def test_an_edit_that_waits_for_a_moderator_tells_nobody_before(topic: Topic, sam: User) -> None:
    newcomer, reader = UserFactory(date_joined=NOW), UserFactory(username="reader")
    post = reply(topic, newcomer, "Look")
    services.approve(post=post, by=sam, now=NOW)
    assert told(reader) == []
    edit(post, "@reader look")
    edit(post, "@reader, look")
    assert told(reader) == []
    services.approve(post=Post.objects.get(pk=post.pk), by=sam, now=NOW)
    assert told(reader) == ["mention"]


def test_texts_in_notifications_follow_an_edit(
    general: Board, writer: User, sam: User, browser_of: Callable[[User], Client]
) -> None:
    reader = UserFactory()
    set_level(user=reader, level=Level.WATCHING, board=general, now=NOW)
    topic = services.open_topic(
        author=writer, board=general, kind="question", title="Where is Anna Berg?", source="At 7 Elm Street", now=NOW
    )
    set_level(user=reader, level=Level.WATCHING, topic=topic, now=NOW)
    post = reply(topic, sam, "I don't know.")
    services.accept(post=post, by=writer, now=NOW)
    assert told(reader) == ["followed", "reply", "solved"]
    opening = topic.posts.get(is_opening=True)
    services.edit(post=opening, editor=sam, source="In town", title="Where is she?", now=timezone.now())
    edit(post, "Nor do I.")
    assert told(reader) == ["followed", "reply", "solved"]
    said = [(row.params["topic"], row.params["words"]) for row in Notification.objects.filter(user=reader)]
    assert set(said) == {("Where is she?", "In town"), ("Where is she?", "Nor do I.")}
    page = browser_of(reader).get("/notifications").text
    for gone in ("Anna", "Elm Street", "don’t know", "don't know"):
        assert gone not in page
