"""What readers must not know reaches them through no channel: held, rejected, withdrawn and closed posts.

The world is written twice: once without any secret, and once with posts that the readers may not see. What each reader
gets through each channel of :data:`CHANNELS` must be the same, byte for byte. A new channel is one row.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from apps.accounts.models import Notification, NotificationChoice, User
from apps.accounts.services import send_digest
from apps.courses.models import Course, Lesson
from apps.forum import services
from apps.forum.exports import of_forum
from apps.forum.models import Board, Level, Post, Topic
from apps.forum.queries import live
from apps.forum.services.following import set_level
from studyplatform.kit import jobs
from studyplatform.kit import sockets as hub
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory
from tests.factories.files import FileFactory
from tests.factories.learning import EnrollmentFactory
from tests.factories.topics import BoardFactory
from tests.forum.sockets import heard, with_sockets

NOW = timezone.now()
PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
COMMON = "heron"  # in the title, the text and the tags of every topic, so that searches meet all of them
LINKS = " ".join(f"https://example.com/{n}" for n in range(6))  # so many links hold a post
PART = re.compile(r'csrfmiddlewaretoken" value="\w+|nonce="[^"]+"|nonce-[\w+/=-]+|request_id":"\w+')


@dataclass
class World:
    """What there is for all readers to see, and the people in it."""

    board: Board
    general: Board
    closed: Board
    lesson: Lesson
    topic: Topic
    busy: Topic
    readers: dict[str, User]
    newcomer: User
    veteran: User
    ada: User
    sam: User
    secret_posts: list[Post] = field(default_factory=list)
    images: list[str] = field(default_factory=list)

    def write(self, author: User, board: Board, word: str, **more: Any) -> Topic:
        """A question of which every part contains the word, about the lesson if it is on the board of its course."""
        topic = services.open_topic(
            board=board,
            author=author,
            kind="question",
            title=f"The {COMMON} and its {word}title",
            source=self.text(author, word),
            tags=[COMMON, f"{word}tag"],
            lesson=self.lesson if board == self.board else None,
            second=30 if board == self.board else None,
            now=timezone.now(),
            **more,
        )
        self.secret_posts.append(topic.posts.get())
        return topic

    def answer(self, author: User, topic: Topic, word: str, reply_to: Post | None = None) -> Post:
        post = services.reply(
            topic=topic, author=author, source=self.text(author, word), reply_to=reply_to, now=timezone.now()
        )
        self.secret_posts.append(post)
        return post

    def text(self, author: User, word: str) -> str:
        """A text with a mention and an image of its own."""
        file = FileFactory(
            owner=author,
            name=f"{word}file{len(self.images)}.png",
            content=PNG + word.encode(),
            size=len(PNG) + len(word),
        )
        assert file.current
        self.images.append(f"/forum/images/{file.current.uid}")
        return f"A {COMMON} and {word}text, @leo and @gone ![{word}alt]({self.images[-1]})"


@pytest.fixture
def world(ada: User, leo: User, eve: User, ben: User, sam: User, course: Course, own_folders: Any) -> World:
    lesson = course.lessons.order_by("section__position", "position")[0]
    general = BoardFactory(slug="how-to-study", title="How to study")
    board = BoardFactory(course=course, slug=course.slug, title=course.title)
    hidden = CourseFactory(instructor=ada, slug="closed", title="Closed course", status="suspended")
    LessonFactory(course=hidden, section=SectionFactory(course=hidden))
    closed = BoardFactory(course=hidden, slug="closed", title="Closed course")
    gone = UserFactory(username="gone")
    EnrollmentFactory(user=leo, course=course)
    EnrollmentFactory(user=gone, course=hidden, revoked_at=NOW)
    # They follow everything: what they are told is a channel. Gone by digest, the others by email at once.
    for reader in (leo, gone, eve, ben):
        for one in (general, board, closed):
            set_level(user=reader, level=Level.WATCHING, board=one, now=NOW)
    for kind in ("forum.followed", "forum.reply", "forum.mention", "forum.solved"):
        NotificationChoice.objects.create(user=gone, kind=kind, in_app=True, mail="digest")
    person = UserFactory(username="asker", first_name="Open", last_name="Asker")
    EnrollmentFactory(user=person, course=course)
    world = World(
        board, general, closed, lesson, None, None,  # type: ignore[arg-type]  # the topics follow
        {"enrolled": leo, "no longer enrolled": gone, "other instructor": eve, "blocked": ben},
        UserFactory(username="newcomer", date_joined=NOW, first_name="Quiet", last_name="Newcomer"),
        UserFactory(username="veteran", first_name="Quiet", last_name="Veteran"), ada, sam,
    )  # fmt: skip
    world.topic, world.busy = world.write(person, board, "open"), world.write(person, general, "busy")
    world.write(person, board, "openunanswered")
    for topic in (world.topic, world.busy):
        answer = world.answer(person, topic, "opened")
        services.accept(post=answer, by=person, now=timezone.now())
        for reader in (leo, gone, eve, ben):
            set_level(user=reader, level=Level.WATCHING, topic=topic, now=NOW)
    world.secret_posts, world.images = [], []
    Topic.objects.update(published_at=NOW - timedelta(days=2), first_reply_at=NOW - timedelta(days=2))
    return world


# What a reader gets, by name. A text is an address, with the ids of open things in braces; a function takes the world
# and the reader's browser and user.
Channel = str | Callable[[World, Client, User | None], str]


def notification_rows(world: World, browser: Client, user: User | None) -> str:
    rows = Notification.objects.filter(user=user) if user else Notification.objects.none()
    return json.dumps([[row.kind, row.link, row.params] for row in rows.order_by("pk")])


def emails(world: World, browser: Client, user: User | None) -> str:
    return "\n\n".join(
        f"{one.subject} {one.body} {one.alternatives}" for one in mail.outbox if user and user.email in one.to
    )


def archive(world: World, browser: Client, user: User | None) -> str:
    if user is None:
        return ""
    return json.dumps({part.path: list(part.rows or ()) for part in of_forum(user)}, default=str)


def frames(world: World, browser: Client, user: User | None) -> str:
    """What the sockets of all topics say: no stamp nor number moves for what is never shown."""
    rows = live.states(set(Topic.objects.exclude(board=world.closed).values_list("pk", flat=True)))
    return str({pk: state for pk, state in rows.items() if pk != world.busy.pk})


CHANNELS: dict[str, Channel] = {
    "index": "/forum/",
    "index, unanswered": "/forum/?tab=unanswered",
    "index, solved": "/forum/?tab=solved",
    "index, following": "/forum/?tab=following",
    "index, mine": "/forum/?tab=mine",
    "board": "/forum/boards/{board}",
    "board, unanswered": "/forum/boards/{board}?tab=unanswered",
    "general board": "/forum/boards/how-to-study",
    "closed board": "/forum/boards/closed",
    "tag": f"/forum/tags/{COMMON}",
    "search": f"/forum/?q={COMMON}",
    "search, unanswered": f"/forum/?q={COMMON}&tab=unanswered",
    "search, board": f"/forum/?q={COMMON}&board={{board}}",
    "search for a text": "/forum/?q=heldtext",
    "topic": "/forum/topics/{topic}",
    "topic, changed posts": "/forum/topics/{topic}/posts?page=1",
    "topic, first unread": "/forum/topics/{topic}?go=unread",
    "topic, by date": "/forum/topics/{topic}?date=2100-01-01",
    "similar to a title": f"/forum/new?title=The+{COMMON}+and+its",
    "lesson, its questions": "/forum/lessons/{lesson}",
    "lesson, part": "/forum/lessons/{lesson}?part=1",
    "lesson page, marks and counts": "/learn/{board}/{lesson_slug}",
    "course page": "/courses/{board}",
    "feed": "/forum/boards/{board}/feed",
    "feed of a general board": "/forum/boards/how-to-study/feed",
    "feed of a closed board": "/forum/boards/closed/feed",
    "sitemap": "/sitemap.xml",
    "people of a name": "/api/v1/forum/people/?q=quiet",
    "people of a topic": "/api/v1/forum/people/?q=&topic={topic}",
    "topic links": f"/api/v1/forum/topics/?q={COMMON}",
    "notifications page": "/notifications",
    "notifications panel": "/notifications/panel",
    "moderation": "/dashboard/admin/forum",
    "moderation, of an instructor": "/dashboard/instructor/forum",
    "notification rows": notification_rows,
    "emails": emails,
    "data archive": archive,
    "socket frames": frames,
}  # fmt: skip


def browsers(world: World) -> Iterator[tuple[str, Client, User | None]]:
    """The readers who may see no secret, each with a browser. A blocked one is a visitor with an inbox."""
    yield "visitor", Client(), None
    for name, user in world.readers.items():
        browser = Client()
        browser.force_login(user)
        yield name, browser, user


def ask(world: World, browser: Client, user: User | None, channel: Channel) -> str:
    """What a channel says, without what differs between any two answers."""
    if callable(channel):
        return channel(world, browser, user)
    ids = {"board": world.board.slug, "lesson": world.lesson.uid, "lesson_slug": world.lesson.slug}
    answer = browser.get(channel.format(topic=world.topic.pk, **ids))
    text = f"{answer.status_code} {answer.get('Location', '')}\n{answer.content.decode()}"
    return PART.sub("", text)


def all_answers(world: World) -> dict[tuple[str, str], str]:
    cache.clear()  # of the figures of the boards
    return {
        (name, channel): ask(world, browser, user, CHANNELS[channel])
        for name, browser, user in browsers(world)
        for channel in CHANNELS
        if name != "blocked" or callable(CHANNELS[channel])
    }


def settle(world: World) -> None:
    """Run the jobs, and send the digests."""
    jobs.run_pending("default")
    for user in world.readers.values():
        send_digest(user_id=user.pk, now=timezone.now() + timedelta(days=2))
    jobs.run_pending("default")


def write_secrets(world: World) -> None:
    """Everything that readers may never see, or no longer."""
    newcomer, veteran, sam = world.newcomer, world.veteran, world.sam
    # Held, and rejected: never shown.
    for word in ("held", "rejected"):
        topic = world.write(newcomer, world.general, word)
        posts = [topic.posts.get(), world.answer(newcomer, world.busy, f"{word}reply")]
        if word == "rejected":
            for post in posts:
                services.reject(post=post, by=sam, reason="rejectedreason", now=timezone.now())
    # The opening post withdrawn with its replies, after its followers were told but before their digest.
    gone = world.write(veteran, world.general, "withdrawn")
    world.answer(veteran, gone, "withdrawnreply")
    services.hide(post=gone.posts.get(is_opening=True), by=sam, now=timezone.now())
    # Deleted by its author, and hidden by a moderator: a line without author and text stays.
    deleted = world.answer(veteran, world.busy, "deleted")
    services.delete(post=deleted, by=veteran, now=timezone.now())
    hidden = world.answer(veteran, world.busy, "hidden")
    services.hide(post=hidden, by=sam, reason="hiddenreason", now=timezone.now())
    # An edit that is held: neither the new text nor the new title may show, and reporters learn the outcome only.
    edited = world.write(veteran, world.general, "plain").posts.get()
    world.secret_posts.append(edited)
    for reader in ("enrolled", "no longer enrolled"):
        services.report(post=edited, user=world.readers[reader], reason="spam", now=timezone.now())
        set_level(user=world.readers[reader], level=Level.FOLLOWING, topic=edited.topic, now=NOW)
        services.visit(user=world.readers[reader], topic=edited.topic, number=1, before=None, now=timezone.now())
    source = f"{world.text(veteran, 'edited')} {LINKS}"
    services.edit(post=edited, editor=veteran, source=source, title="The editedtitle", now=timezone.now())
    services.hide(post=edited, by=sam, now=timezone.now())
    # On the board of a course that none of them may read, by someone who may.
    inside = world.write(world.ada, world.closed, "closed")
    reply = world.answer(world.ada, inside, "closedreply")
    services.accept(post=reply, by=world.ada, now=timezone.now())


SECRET = re.compile(
    r"(?:held|rejected|withdrawn|deleted|hidden|edited|closed)(?:reply)?(?:text|title|tag|file|alt|reason)"
)
# They followed and reported a topic themselves while it was open to them, and their archive says so.
OWN = {("enrolled", "data archive"), ("no longer enrolled", "data archive")}


# What shows nothing to any reader even before there are secrets: all that is closed to them.
SILENT = {
    "closed board", "feed of a closed board", "search for a text", "people of a name", "moderation",
    "moderation, of an instructor", "course page",
}  # fmt: skip
OPEN = re.compile(r"open\w*t(ext|itle|ag)|(/forum/topics/|: \()\d|Open Asker")


def silent_channels(answers: dict[tuple[str, str], str]) -> set[str]:
    """The channels that show nothing to anyone: that they show no secret proves nothing."""
    return set(CHANNELS) - {channel for (_, channel), text in answers.items() if OPEN.search(text)}


@pytest.mark.django_db
@pytest.mark.timeout(120)
def test_no_channel_differs_with_what_readers_may_not_see(world: World, django_capture_on_commit_callbacks) -> None:
    settle(world)
    for _, browser, user in browsers(world):  # the first visits, which change what is new
        ask(world, browser, user, CHANNELS["index"])
        ask(world, browser, user, CHANNELS["topic"])
    before = all_answers(world)
    with django_capture_on_commit_callbacks(execute=True):
        write_secrets(world)
    settle(world)

    assert silent_channels(before) == SILENT
    # Reporters learn the outcome, and nothing else of it; the words are looked for in it as well.
    outcomes = Notification.objects.filter(kind="forum.report")
    assert {row.params["topic"] for row in outcomes} == {world.general.title}
    outcomes.delete()
    after = all_answers(world)
    words = {key: found for key, text in after.items() if (found := set(SECRET.findall(without_query(key, text))))}
    assert words == {}
    differing = {key for key in before if before[key] != after[key]}
    assert differing - OWN == set(), first_difference(before, after, differing - OWN)


def without_query(key: tuple[str, str], text: str) -> str:
    """Without the words that the reader searched for."""
    channel = CHANNELS[key[1]]
    return text.replace(channel.partition("q=")[2], "") if isinstance(channel, str) and "q=" in channel else text


def first_difference(before: dict[Any, str], after: dict[Any, str], keys: set[Any]) -> str:
    said = []
    for key in sorted(keys):
        old, new = before[key].splitlines(), after[key].splitlines()
        place = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        said.append(f"{key}: {old[place : place + 1]} → {new[place : place + 1]}")
    return "\n".join(said)


@pytest.mark.django_db
def test_withdrawn_and_held_posts_answer_at_no_address(world: World, django_capture_on_commit_callbacks) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        write_secrets(world)
        root = world.busy.posts.filter(number=2).get()
        hidden = world.answer(world.veteran, world.busy, "hidden", root)
        world.answer(world.readers["enrolled"], world.busy, "openagain", hidden)
        services.hide(post=hidden, by=world.sam, now=timezone.now())
    opened = {post.pk for post in world.secret_posts if Post.objects.public().filter(pk=post.pk).exists()} - set(
        Post.objects.filter(topic__board=world.closed).values_list("pk", flat=True)
    )
    secret = [post for post in world.secret_posts if post.pk not in opened]
    addresses = {f"{post.path}{end}" for post in secret for end in ("", "/history", "/report", "/edit", "/delete")}
    topics = {post.topic for post in secret if post.topic != world.busy}
    addresses |= {f"{topic.path}{end}" for topic in topics for end in ("", "/posts", "?go=unread")}
    addresses |= {f"/api/v1/forum/people/?q=&topic={topic.pk}" for topic in topics}
    addresses |= {f"/forum/tags/{word}tag" for word in ("held", "rejected", "withdrawn", "closed")}
    unseen = set(world.images) - {address for address in world.images if is_open(address)}
    assert len(secret) >= 10
    assert len(unseen) >= 9
    found = []
    for name, browser, user in browsers(world):
        is_signed_in = user is not None and user.is_active
        for address in sorted(addresses | unseen) if name != "enrolled" else ():  # who is as far from these posts
            if is_signed_in or re.search(r"(topics|posts)/\d+$|images|tags", address):
                status = browser.get(address).status_code
                if status != 404:
                    found.append((name, address, status))
    assert found == []
    for _, browser, _user in browsers(world):
        for address in (world.busy.path, f"{world.busy.path}/posts?page=1"):
            text = browser.get(address).text
            assert SECRET.findall(text) == []
            assert "Quiet" not in text, "the name of the author of a hidden or held post"
        assert "Quiet" not in browser.get(f"{world.busy.path}?reply={hidden.pk}").text


def is_open(address: str) -> bool:
    uid = address.rpartition("/")[2]
    return Post.objects.public().exclude(topic__board__slug="closed").filter(files__uid=uid).exists()


@pytest.mark.django_db
def test_earlier_texts_that_were_never_shown_stay_with_author_and_moderators(world: World, browser_of) -> None:
    newcomer, sam, reader = world.newcomer, world.sam, world.readers["no longer enrolled"]
    post = world.answer(newcomer, world.busy, "former")
    services.edit(post=post, editor=sam, source="A clean heron", now=timezone.now())
    services.approve(post=post, by=sam, now=timezone.now())
    services.edit(post=post, editor=sam, source="A cleaner heron", now=timezone.now())
    services.edit(post=post, editor=newcomer, source="formerbad heron", now=timezone.now())
    services.edit(post=post, editor=sam, source="The cleanest heron", now=timezone.now())
    services.approve(post=post, by=sam, now=timezone.now())

    pages = {user: browser_of(user).get(f"{post.path}/history").text for user in (reader, newcomer, sam)}
    for user, text in pages.items():
        assert "A clean heron" in text
        assert "A cleaner heron" in text
        assert ("formertext" in text, "formerbad" in text) == ((user != reader,) * 2), user
    assert "formertext" not in Client().get(f"{post.path}/history").text


SEES: dict[str, tuple[str, str]] = {  # the author and moderators see them: who, where
    "topic": ("newcomer sam", "/forum/topics/{topic}"),
    "post": ("newcomer sam", "/forum/topics/{busy}"),
    "changed posts": ("newcomer sam", "/forum/topics/{busy}/posts?page=1"),
    "mine": ("newcomer", "/forum/?tab=mine"),
    "history": ("newcomer sam", "/forum/posts/{reply}/history"),
    "edit": ("newcomer sam", "/forum/posts/{reply}/edit"),
    "queue": ("sam", "/dashboard/admin/forum?item={reply}"),
    "tag": ("newcomer sam", "/forum/tags/heldtag"),
}


@pytest.mark.django_db
def test_authors_and_moderators_see_what_is_held(world: World, browser_of) -> None:
    topic = world.write(world.newcomer, world.general, "held")
    reply = world.answer(world.newcomer, world.busy, "heldreply")
    for name, (people, address) in SEES.items():
        for person in people.split():
            path = address.format(topic=topic.pk, busy=world.busy.pk, reply=reply.pk)
            answer = browser_of(getattr(world, person)).get(path)
            assert answer.status_code == 200, (name, person)
            assert SECRET.search(answer.text), (name, person)
    for user in (world.newcomer, world.sam):
        assert all(browser_of(user).get(image).status_code == 200 for image in world.images)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_sockets_say_nothing_of_what_is_never_shown(world: World, browser_of, monkeypatch) -> None:
    monkeypatch.setattr(hub, "REFRESH_GAP", 0.01)
    monkeypatch.setattr(hub, "REFRESH_EVERY", 0.05)
    topic, newcomer, sam = world.topic, world.newcomer, world.sam

    def secrets() -> None:
        EnrollmentFactory(user=newcomer, course=world.board.course)
        held = world.answer(newcomer, topic, "held")
        services.edit(post=held, editor=newcomer, source="heldtext again", now=timezone.now())
        services.reject(post=held, by=sam, reason="No", now=timezone.now())
        services.restore(post=held, by=sam, now=timezone.now())
        services.delete(post=held, by=newcomer, now=timezone.now())
        jobs.run_pending("default")

    async def story(first: Any, second: Any) -> None:
        await heard(first, 1)
        await heard(second, 1)
        await sync_to_async(secrets)()
        assert await first.receive_nothing(0.4)
        assert await second.receive_nothing(0.1)

    readers = [browser_of(world.readers["enrolled"]), browser_of(world.readers["other instructor"])]
    with_sockets(readers, f"/ws/forum/topics/{topic.pk}/", story)
