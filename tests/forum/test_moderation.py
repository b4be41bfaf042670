"""Reports, decisions of moderators, their undo, bans, and what each of them says to whom."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.errors import RoleRequired
from apps.accounts.models import Notification, User
from apps.forum import services
from apps.forum.errors import (
    AlreadyDecided,
    AlreadyReported,
    Banned,
    ModeratorNotBanned,
    NotUndoable,
    NotYourPost,
    OwnPostReported,
    ReasonMissing,
)
from apps.forum.models import Ban, Board, ModerationAction, Post, Report, Topic
from apps.learning.models import Enrollment
from studyplatform.kit.errors import NotFound
from tests.factories.accounts import UserFactory
from tests.factories.topics import make_post, make_topic

pytestmark = pytest.mark.django_db
NOW = timezone.now()
Kind = ModerationAction.Kind


def newcomer() -> User:
    return UserFactory(date_joined=NOW - timedelta(days=1))


def told(user: User) -> list[str]:
    return list(Notification.objects.filter(user=user).order_by("pk").values_list("kind", flat=True))


def state_of(post: Post) -> tuple[str, int, int | None]:
    """The state of a post, the number of visible replies of its topic, and its accepted answer."""
    found = Post.objects.select_related("topic").get(pk=post.pk)
    return found.state, found.topic.reply_count, found.topic.accepted_id


DECISIONS: dict[str, tuple[str, Callable[[Post, User], Any], str]] = {
    "approve": ("held", lambda post, by: services.approve(post=post, by=by, now=NOW), "visible"),
    "reject": ("held", lambda post, by: services.reject(post=post, by=by, reason="Twice", now=NOW), "hidden"),
    "hide": ("visible", lambda post, by: services.hide(post=post, by=by, reason="Rude", now=NOW), "hidden"),
    "hide a held one": ("held", lambda post, by: services.hide(post=post, by=by, now=NOW), "hidden"),
    "remove": ("visible", lambda post, by: services.remove(post=post, by=by, now=NOW), "deleted"),
    "delete": ("visible", lambda post, by: services.delete(post=post, by=by, now=NOW), "deleted"),
    "edit": (
        "visible",
        lambda post, by: services.edit(post=post, editor=by, source="Clean words", now=NOW),
        "visible",
    ),
}


@pytest.mark.parametrize("name", DECISIONS)
def test_each_decision_is_one_line_of_the_log_and_can_be_undone_once(
    name: str, topic: Topic, leo: User, sam: User
) -> None:
    before, decide, after = DECISIONS[name]
    post = make_post(topic, author=leo, state=before)
    if before == "visible":
        services.accept(post=post, by=sam, now=NOW)
    start, source = state_of(post), post.source
    decide(post, sam)
    assert state_of(post)[0] == after

    action = ModerationAction.objects.get()
    assert (action.actor, action.post, action.topic, action.board, action.user) == (sam, post, topic, topic.board, leo)
    services.undo(action=action, by=sam, now=NOW)
    assert state_of(post) == start
    assert Post.objects.get(pk=post.pk).source == source
    assert ModerationAction.objects.filter(kind=Kind.UNDONE, undoes=action).count() == 1
    with pytest.raises(NotUndoable):
        services.undo(action=action, by=sam, now=NOW)
    assert ModerationAction.objects.count() == 2


def test_the_log_only_grows(topic: Topic, sam: User) -> None:
    services.hide(post=make_post(topic), by=sam, now=NOW)
    action = ModerationAction.objects.get()
    action.reason = "Another one"
    with pytest.raises(TypeError):
        action.save()


def test_the_second_moderator_learns_that_the_first_was_faster(topic: Topic, sam: User, leo: User) -> None:
    post = make_post(topic, state="held", author=leo)
    services.reject(post=post, by=sam, reason="Twice", now=NOW)
    for decide in (services.approve, services.reject, services.hide):
        extra = {"reason": "Late"} if decide is not services.approve else {}
        with pytest.raises(AlreadyDecided):
            decide(post=post, by=sam, now=NOW, **extra)  # type: ignore[operator]
    assert (told(leo), ModerationAction.objects.count()) == (["forum.rejected"], 1)
    assert Notification.objects.get(user=leo).params["reason"] == "Twice"


def test_a_rejected_post_that_its_author_edits_is_read_again(topic: Topic, sam: User, leo: User) -> None:
    post = make_post(topic, state="held", author=leo)
    with pytest.raises(ReasonMissing):
        services.reject(post=post, by=sam, reason="  ", now=NOW)
    services.reject(post=post, by=sam, reason="Too short", now=NOW)
    services.edit(post=post, editor=leo, source="A longer text", now=NOW)
    post.refresh_from_db()
    assert (post.state, post.held_for) == ("held", ["rewritten"])
    services.approve(post=post, by=sam, now=NOW)
    assert told(leo) == ["forum.rejected", "forum.approved"]


def test_an_author_can_not_restore_what_a_moderator_removed(topic: Topic, sam: User, leo: User) -> None:
    post = make_post(topic, author=leo)
    services.remove(post=post, by=sam, reason="Advertising", now=NOW)
    with pytest.raises(NotYourPost):
        services.restore(post=post, by=leo, now=NOW)
    assert told(leo) == ["forum.hidden"]


def test_each_reader_reports_a_post_once(topic: Topic, leo: User, mia: User) -> None:
    post = make_post(topic, author=leo)
    report = services.report(post=post, user=mia, reason="rude", comment=" Not nice ", now=NOW)
    assert (report.reason, report.comment, report.state) == ("rude", "Not nice", "open")
    with pytest.raises(AlreadyReported):
        services.report(post=post, user=mia, reason="spam", now=NOW)
    with pytest.raises(OwnPostReported):
        services.report(post=post, user=leo, reason="spam", now=NOW)
    with pytest.raises(ValueError, match="dull"):
        services.report(post=post, user=UserFactory(), reason="dull", now=NOW)
    held = make_post(topic, state="held")
    with pytest.raises(NotFound):
        services.report(post=held, user=mia, reason="spam", now=NOW)


def test_reports_of_three_accounts_that_are_not_new_hide_a_post(
    topic: Topic, leo: User, sam: User, settings: Any
) -> None:
    settings.FORUM_REPORTS_TO_HIDE = 3
    post = make_post(topic, author=leo)
    reporters = [UserFactory(), UserFactory(), newcomer(), UserFactory()]
    for n, user in enumerate(reporters):
        assert state_of(post)[0] == "visible", n
        services.report(post=post, user=user, reason="rude", now=NOW)
    assert state_of(post)[:2] == ("hidden", 0)
    action = ModerationAction.objects.get()
    assert (action.kind, action.actor) == (Kind.HIDDEN_BY_REPORTS, None)
    assert told(leo) == ["forum.hidden"]

    services.keep(post=post, by=sam, now=NOW)
    assert state_of(post)[:2] == ("visible", 1)
    services.report(post=post, user=UserFactory(), reason="rude", now=NOW)
    assert state_of(post)[0] == "visible"  # the dismissed reports no longer count
    assert not Notification.objects.filter(user__in=reporters).exists()


def test_reports_never_hide_the_posts_of_moderators(topic: Topic, sam: User, settings: Any) -> None:
    settings.FORUM_REPORTS_TO_HIDE = 1
    post = make_post(topic, author=sam)
    services.report(post=post, user=UserFactory(), reason="rude", now=NOW)
    assert state_of(post)[0] == "visible"


def test_reporters_learn_once_that_they_were_right(topic: Topic, sam: User, mia: User) -> None:
    post = make_post(topic)
    services.report(post=post, user=mia, reason="spam", now=NOW)
    services.hide(post=post, by=sam, now=NOW)
    assert Report.objects.get().state == "upheld"
    services.undo(action=ModerationAction.objects.get(kind=Kind.HIDDEN), by=sam, now=NOW)
    assert Report.objects.get().state == "open"
    services.hide(post=post, by=sam, now=NOW)
    assert told(mia) == ["forum.report"]


def test_a_banned_user_reads_and_can_not_write(
    board: Board, general: Board, leo: User, ada: User, enrollment: Enrollment
) -> None:
    topic, elsewhere = make_topic(board=board, author=leo), make_topic(board=general)
    own, others = make_post(topic, author=leo), make_post(topic)
    found = services.ban(user=leo, by=ada, board=board, days=3, reason="Same advert six times", now=NOW)
    assert found.until == NOW + timedelta(days=3)
    assert topic in Topic.objects.seen_by(leo)
    services.delete(post=own, by=leo, now=NOW)
    entries: list[Callable[[], Any]] = [
        lambda: services.open_topic(board=board, author=leo, kind="question", title="Why", source="So", now=NOW),
        lambda: services.reply(topic=topic, author=leo, source="So", now=NOW),
        lambda: services.edit(post=topic.posts.get(number=1), editor=leo, source="So", now=NOW),
        lambda: services.restore(post=own, by=leo, now=NOW),
        lambda: services.vote(post=others, user=leo, on=True, now=NOW),
        lambda: services.react(post=others, user=leo, kind="thanks", on=True, now=NOW),
        lambda: services.accept(post=others, by=leo, now=NOW),
        lambda: services.report(post=others, user=leo, reason="spam", now=NOW),
    ]
    for entry in entries:
        with pytest.raises(Banned, match="Same advert six times"):
            entry()
    assert services.reply(topic=elsewhere, author=leo, source="So", now=NOW).is_visible

    Ban.objects.update(until=timezone.now() - timedelta(seconds=1))
    assert services.reply(topic=topic, author=leo, source="Again", now=NOW).is_visible
    assert told(leo) == ["forum.banned"]


def test_who_bans_whom(board: Board, general: Board, leo: User, ada: User, eve: User, sam: User) -> None:
    def ban(user: User, by: User, board: Board | None) -> Ban:
        return services.ban(user=user, by=by, board=board, days=None, reason="Adverts", now=NOW)

    for by, where in ((eve, board), (leo, board), (ada, general)):
        with pytest.raises(NotFound):
            ban(leo, by, where)
    with pytest.raises(RoleRequired):
        ban(leo, ada, None)
    both: list[tuple[User, Board | None]] = [(ada, board), (sam, None)]
    for user, anywhere in both:
        with pytest.raises(ModeratorNotBanned):
            ban(user, sam, anywhere)
    first = ban(leo, sam, None)
    assert ban(leo, sam, None) == first  # sent twice

    action = ModerationAction.objects.get()
    services.undo(action=action, by=sam, now=NOW)
    first.refresh_from_db()
    assert first.lifted_at == NOW
    again = ban(leo, sam, None)
    services.lift_ban(ban=again, by=sam, now=NOW)
    with pytest.raises(AlreadyDecided):
        services.lift_ban(ban=again, by=sam, now=NOW)
    assert services.reply(topic=make_topic(board=general), author=leo, source="Back", now=NOW).is_visible


def test_moderators_are_told_once_a_day_that_something_waits(
    board: Board, general: Board, ada: User, sam: User, enrollment: Enrollment,
    django_capture_on_commit_callbacks: Any,
) -> None:  # fmt: skip
    topics = [make_topic(board=board), make_topic(board=general)]
    with django_capture_on_commit_callbacks(execute=True):
        for topic in topics:
            for _ in range(2):
                services.report(post=make_post(topic), user=UserFactory(), reason="spam", now=NOW)
    assert (told(ada), told(sam)) == (["forum.waiting"], ["forum.waiting"])
