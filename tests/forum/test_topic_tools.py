"""Pinning, closing, renaming, retagging and moving topics: who may, what it changes, and how it is undone."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import Notification, User
from apps.courses.models import Course
from apps.forum import services
from apps.forum.errors import (
    AlreadyDecided,
    Banned,
    EditNeedsModerator,
    NotYourPost,
    TextBecomesPublic,
    TooManyTags,
    TopicLocked,
)
from apps.forum.exports import of_forum
from apps.forum.models import Board, Follow, Level, ModerationAction, PostDocument, Topic
from apps.learning.models import Enrollment
from studyplatform.kit import jobs
from studyplatform.kit.errors import NotAuthenticated, NotFound, ValidationFailed
from tests.factories.accounts import UserFactory
from tests.factories.topics import BoardFactory, make_post, make_topic

pytestmark = pytest.mark.django_db
Browser = Callable[[User], Client]
NOW = timezone.now()


def kinds() -> list[str]:
    return list(ModerationAction.objects.order_by("pk").values_list("kind", flat=True))


def suspended(board: Board) -> Board:
    """The board after its course was suspended: only its learners and staff read it."""
    assert board.course
    board.course.status = "suspended"
    board.course.save()
    return board


TOOLS: dict[str, tuple[Callable[[Topic, User], None], Callable[[Topic], Any], Any]] = {
    "pinned": (lambda topic, by: services.pin(topic=topic, by=by, on=True, now=NOW), lambda one: one.pinned_at, NOW),
    "closed": (lambda topic, by: services.close(topic=topic, by=by, on=True, now=NOW), lambda one: one.locked_at, NOW),
    "renamed": (
        lambda topic, by: services.rename(topic=topic, by=by, title=" Taking   notes ", now=NOW),
        lambda one: one.title,
        "Taking notes",
    ),
    "retagged": (
        lambda topic, by: services.retag(topic=topic, by=by, tags=["Paper", "#pens", "paper"], now=NOW),
        lambda one: sorted(tag.name for tag in one.tags.all()),
        ["paper", "pens"],
    ),
}


@pytest.mark.parametrize("kind", TOOLS)
def test_a_tool_is_one_line_of_the_log_and_can_be_undone(kind: str, topic: Topic, sam: User) -> None:
    use, read, after = TOOLS[kind]
    before = read(topic)
    for _ in range(2):  # the second time nothing changes
        use(topic, sam)
    found = Topic.objects.get(pk=topic.pk)
    assert (read(found), kinds()) == (after, [kind])
    assert found.stamp > topic.stamp
    action = ModerationAction.objects.get()
    assert (action.topic, action.board, action.actor) == (topic, topic.board, sam)
    services.undo(action=action, by=sam, now=NOW)
    assert read(Topic.objects.get(pk=topic.pk)) == before

    use(topic, sam)
    again = ModerationAction.objects.filter(kind=kind).latest("pk")
    other = {
        "pinned": lambda: services.pin(topic=topic, by=sam, on=False, now=NOW),
        "closed": lambda: services.close(topic=topic, by=sam, on=False, now=NOW),
        "renamed": lambda: services.rename(topic=topic, by=sam, title="Another title", now=NOW),
        "retagged": lambda: services.retag(topic=topic, by=sam, tags=["ink"], now=NOW),
    }
    other[kind]()
    with pytest.raises(AlreadyDecided):
        services.undo(action=again, by=sam, now=NOW)


def test_only_moderators_of_the_board_use_tools(
    board: Board, topic: Topic, ada: User, eve: User, leo: User, nobody: Any, enrollment: Enrollment
) -> None:
    on_course = make_topic(board=board, author=leo)
    for user, target in ((eve, on_course), (leo, on_course), (ada, topic)):
        for use in (services.pin, services.close):
            with pytest.raises(NotFound):
                use(topic=target, by=user, on=True, now=NOW)
        with pytest.raises(NotFound):
            services.move(topic=target, board=board, by=user, now=NOW)
    with pytest.raises(NotAuthenticated):
        services.pin(topic=topic, by=nobody, on=True, now=NOW)
    services.pin(topic=on_course, by=ada, on=True, now=NOW)
    services.delete(post=on_course.posts.get(), by=ada, now=NOW)
    with pytest.raises(NotFound):
        services.close(topic=on_course, by=ada, on=True, now=NOW)


def test_the_author_renames_and_retags_an_open_topic(general: Board, leo: User, mia: User, sam: User) -> None:
    topic = make_topic(board=general, author=leo)
    services.rename_and_retag(topic=topic, by=leo, title="A better title", tags=["paper"], now=NOW)
    topic.refresh_from_db()
    assert (topic.title, topic.tags.get().name, kinds()) == ("A better title", "paper", [])
    document = PostDocument.objects.get(post=topic.posts.get())
    assert (document.title, document.tags) == ("a better title", "paper")
    with pytest.raises(NotYourPost):
        services.retag(topic=topic, by=mia, tags=[], now=NOW)
    with pytest.raises(ValidationFailed):
        services.rename(topic=topic, by=leo, title=" ", now=NOW)
    with pytest.raises(TooManyTags):
        services.rename_and_retag(topic=topic, by=leo, title="Not saved", tags=list("abcdef"), now=NOW)
    assert Topic.objects.get(pk=topic.pk).title == "A better title"
    services.close(topic=topic, by=sam, on=True, now=NOW)
    with pytest.raises(TopicLocked):
        services.rename(topic=topic, by=leo, title="Too late", now=NOW)
    services.ban(user=mia, by=sam, board=None, days=1, reason="Adverts", now=NOW)
    with pytest.raises(Banned):
        services.retag(topic=make_topic(board=general, author=mia), by=mia, tags=["adverts"], now=NOW)


def test_tags_of_a_new_account_are_reviewed(general: Board, mia: User) -> None:
    newcomer = UserFactory(date_joined=NOW - timedelta(days=1))
    topic, answered = (make_topic(board=general, author=newcomer) for _ in range(2))
    make_post(answered, author=mia)
    services.retag(topic=topic, by=newcomer, tags=["cheap pills"], now=NOW)
    topic.refresh_from_db()
    assert topic.state == "held"
    with pytest.raises(EditNeedsModerator):
        services.retag(topic=answered, by=newcomer, tags=["cheap pills"], now=NOW)
    assert not answered.tags.exists()


def test_a_moved_topic_keeps_its_lesson_only_on_the_board_of_its_course(
    board: Board, general: Board, course: Course, sam: User
) -> None:
    lesson = course.lessons.all()[0]
    topic = make_topic(board=board, lesson=lesson, second=42, pinned_at=NOW)
    services.move(topic=topic, board=general, by=sam, now=NOW)
    found = Topic.objects.get(pk=topic.pk)
    assert (found.board, found.lesson, found.second, found.pinned_at) == (general, None, None, None)
    services.undo(action=ModerationAction.objects.get(), by=sam, now=NOW)
    found = Topic.objects.get(pk=topic.pk)
    assert (found.board, found.lesson, found.second, found.pinned_at) == (board, lesson, 42, NOW)


def test_moving_private_text_to_others_asks_first(
    board: Board, general: Board, leo: User, sam: User, enrollment: Enrollment
) -> None:
    topic = make_topic(board=general, author=leo)
    services.move(topic=topic, board=suspended(board), by=sam, now=NOW)
    topic.refresh_from_db()
    make_post(topic, author=leo, source="Among us", now=timezone.now())
    with pytest.raises(AlreadyDecided):  # what was written since would become public
        services.undo(action=ModerationAction.objects.get(), by=sam, now=NOW)
    with pytest.raises(TextBecomesPublic):
        services.move(topic=topic, board=general, by=sam, now=NOW)
    services.move(topic=topic, board=general, by=sam, is_public_ok=True, now=NOW)
    assert Topic.objects.get(pk=topic.pk).board == general


def test_a_topic_on_a_board_that_one_may_not_read_leaves_no_notification_and_no_title(
    client: Client, board: Board, general: Board, leo: User, mia: User, sam: User, enrollment: Enrollment,
    browser_of: Browser,
) -> None:  # fmt: skip
    topic = make_topic(board=general, author=leo, title="Before")
    for user in (leo, mia):
        services.follow(user=user, target=topic, level=Level.WATCHING, now=NOW)
    reply = services.reply(topic=topic, author=sam, source="So", now=NOW)
    while jobs.run_pending("default"):
        pass
    assert Notification.objects.filter(kind="forum.reply").count() == 2
    services.move(topic=topic, board=suspended(board), by=sam, now=NOW)
    services.rename(topic=topic, by=sam, title="Confidential", now=NOW)
    while jobs.run_pending("default"):
        pass
    assert [one.user for one in Notification.objects.filter(kind="forum.reply")] == [leo]
    services.reply(topic=topic, author=sam, source="Confidential words", now=NOW)
    while jobs.run_pending("default"):
        pass
    assert not Notification.objects.filter(user=mia).exists()
    for browser in (client, browser_of(mia)):
        for address in (topic.path, reply.path, f"{topic.path}/posts", f"{topic.path}/title"):
            answer = browser.get(address)
            assert answer.status_code in {302, 404}
            assert "Confidential" not in answer.text
        for address in ("/forum/?tab=following", "/forum/", "/forum/?q=confidential", "/me/notifications"):
            assert "Confidential" not in browser.get(address).text
    assert "Confidential" not in str([list(part.rows) for part in of_forum(mia)])
    assert Follow.objects.filter(user=mia).exists()  # comes back with the topic


def test_tools_on_pages_without_scripts(
    general: Board, browser_of: Browser, leo: User, sam: User, ada: User, board: Board
) -> None:
    topic = make_topic(board=general, author=leo, title="How do you take notes?")
    browser = browser_of(sam)
    page = browser.get(topic.path).text
    for words in ("Tools", "Pin to the top", "Close to replies", "Move to another board", "Merge into"):
        assert words in page
    browser.post(f"{topic.path}/pin", {"on": "1"})
    browser.post(f"{topic.path}/close", {"on": "1"})
    page = browser.get(topic.path).text
    assert "Unpin" in page
    assert "Open to replies" in page
    answer = browser.post(f"{topic.path}/title", {"title": "On", "tags": "a, b, c, d, e, f"})
    assert answer.status_code == 422
    assert "up to five tags" in answer.text
    assert browser.post(f"{topic.path}/title", {"title": "Other notes", "tags": "paper"}).status_code == 302

    assert browser.post(f"{topic.path}/move", {"board": "nowhere"}).status_code == 422
    assert browser.post(f"{topic.path}/move", {"board": board.slug}).status_code == 302
    suspended(board)
    asked = browser.post(f"{topic.path}/move", {"board": general.slug})
    assert asked.status_code == 409
    assert 'name="is_public_ok"' in asked.text
    browser.post(f"{topic.path}/move", {"board": general.slug, "is_public_ok": "on"})
    topic.refresh_from_db()
    assert (topic.title, topic.board) == ("Other notes", general)
    assert "Moved “Other notes” to How to study" in browser.get("/dashboard/admin/forum?tab=log").text

    author = browser_of(leo)
    assert "Tools" not in author.get(topic.path).text  # closed
    services.close(topic=topic, by=sam, on=False, now=NOW)
    page = author.get(topic.path).text
    assert "Edit title and tags" in page
    assert "Pin to the top" not in page
    assert author.post(f"{topic.path}/title", {"title": "My own title"}).status_code == 302
    for name in ("pin", "close", "move", "merge", "split"):
        for other in (author, browser_of(ada)):
            assert other.post(f"{topic.path}/{name}", {"on": "1"}).headers["Location"] == "/"
            assert other.get(f"{topic.path}/{name}").status_code in {404, 405}
    assert Topic.objects.get(pk=topic.pk).pinned_at is None  # it was moved
    assert "You don't moderate any other boards." in browser_of(ada).get(f"{make_topic(board=board).path}/move").text


def test_a_move_offers_only_boards_that_one_moderates(board: Board, general: Board, ada: User) -> None:
    other = BoardFactory()
    topic = make_topic(board=board)
    with pytest.raises(NotFound):
        services.move(topic=topic, board=other, by=ada, now=NOW)
