"""Feeds, structured data, the sitemap, similar topics and figures: what they say, and what they never say."""

import json
from collections.abc import Callable
from datetime import timedelta
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.models import Course
from apps.forum import services
from apps.forum.models import Board, Topic
from apps.forum.queries import figures
from apps.forum.queries.public import sitemap_topics
from apps.learning.models import Enrollment, LessonProgress
from tests.factories.accounts import UserFactory
from tests.factories.topics import make_post, make_topic

pytestmark = pytest.mark.django_db
NOW = timezone.now()
ATOM = "{http://www.w3.org/2005/Atom}"


def ask(board: Board, title: str, *, source: str = "Please help.", author: User | None = None) -> Topic:
    return services.open_topic(
        board=board, author=author or UserFactory(), kind="question", title=title, source=source, now=NOW
    )


def answer(topic: Topic, source: str, author: User | None = None) -> int:
    return services.reply(topic=topic, author=author or UserFactory(), source=source, now=timezone.now()).pk


def test_the_feed_of_a_board_has_its_topics_and_is_sent_once(client: Client, general: Board) -> None:
    topic = ask(general, "Pens & <paper>", source="Which *pen*?")
    address = f"/forum/boards/{general.slug}/feed"
    assert f'href="{address}"' in client.get(f"/forum/boards/{general.slug}").text
    response = client.get(address)
    [entry] = ElementTree.fromstring(response.content).findall(f"{ATOM}entry")  # noqa: S314 (our own)
    assert entry.findtext(f"{ATOM}title") == "Pens & <paper>"
    assert entry.findtext(f"{ATOM}summary") == "Which pen?"
    link = entry.find(f"{ATOM}link")
    assert link is not None
    assert link.attrib["href"].endswith(topic.path)
    assert client.get(address, headers={"If-None-Match": response["ETag"]}).status_code == 304
    assert client.get(address, headers={"If-Modified-Since": response["Last-Modified"]}).status_code == 304
    answer(topic, "A blue one.")
    assert client.get(address, headers={"If-None-Match": response["ETag"]}).status_code == 200


def test_only_boards_that_everyone_may_read_have_a_feed(
    client: Client, board: Board, course: Course, browser_of: Callable[[User], Client], ada: User
) -> None:
    address = f"/forum/boards/{board.slug}/feed"
    assert client.get(address).status_code == 200  # without a topic
    course.status = Course.Status.SUSPENDED
    course.save()
    assert client.get(address).status_code == browser_of(ada).get(address).status_code == 404
    assert "atom+xml" not in browser_of(ada).get(f"/forum/boards/{board.slug}").text
    assert client.get("/forum/boards/nothing/feed").status_code == 404


def test_a_question_describes_itself_and_its_answers(client: Client, topic: Topic) -> None:
    first = make_post(topic, source="One </script> & two", author=UserFactory(first_name="Bo", last_name="Li"))
    best = make_post(topic, source="The best")
    services.accept(post=best, by=topic.author, now=NOW)
    page = client.get(topic.path).text
    [text] = [part.split("</script>")[0] for part in page.split('<script type="application/ld+json">')[1:]]
    question = json.loads(text)["mainEntity"]
    assert (question["name"], question["answerCount"]) == (topic.title, 2)
    assert question["acceptedAnswer"]["text"] == "The best"
    [suggested] = question["suggestedAnswer"]
    assert suggested["author"]["name"] == first.author.display_name
    assert suggested["url"].endswith(first.path)


def test_topics_without_an_answer_and_tags_of_few_topics_are_not_indexed(client: Client, general: Board) -> None:
    lonely, answered = ask(general, "No reply yet"), ask(general, "With a reply")
    answer(answered, "Yes.")
    assert "noindex" in client.get(lonely.path).text
    assert "ld+json" not in client.get(lonely.path).text
    assert "noindex" not in client.get(answered.path).text
    tags = {
        count: services.open_topic(
            board=general,
            author=UserFactory(),
            kind="share",
            title=f"Topic {count}",
            source="x",
            tags=["two", "three"] if count < 3 else ["three"],
            now=NOW,
        )
        for count in (1, 2, 3)
    }
    assert len(tags) == 3
    assert "noindex" in client.get("/forum/tags/two").text
    assert "noindex" not in client.get("/forum/tags/three").text
    assert "noindex" in client.get("/forum/?q=reply").text
    assert [entry.path for entry in sitemap_topics()] == [answered.path]


def test_similar_topics_are_those_that_the_reader_may_open(
    client: Client, general: Board, board: Board, browser_of: Callable[[User], Client], ada: User, leo: User
) -> None:
    topic = ask(general, "Why does a slant keep only one line?")
    near, inside = ask(general, "Does a slant keep lines?"), ask(board, "A slant line in the course", author=ada)
    ask(general, "Boots for a walk in March")
    assert board.course
    board.course.status = Course.Status.SUSPENDED
    board.course.save()
    page = client.get(topic.path).text
    assert f'href="{near.path}"' in page
    assert inside.path not in page
    assert "Boots" not in page
    assert inside.path in browser_of(ada).get(topic.path).text
    form = browser_of(leo).get("/forum/new?title=Slant+and+lines").text
    assert "Possibly already answered" in form
    assert near.path in form
    assert inside.path not in form


def test_what_is_held_or_withdrawn_is_in_no_feed_list_or_data(
    client: Client, general: Board, browser_of: Callable[[User], Client], leo: User, sam: User
) -> None:
    newcomer = UserFactory(date_joined=NOW, first_name="Newcomer")
    topic = ask(general, "Which walrus is this?")
    ask(general, "Secret walrus", source="Secret words", author=newcomer)
    answer(topic, "Secret reply", newcomer)
    answer(topic, "Open reply")
    gone = topic.posts.get(pk=answer(topic, "Secret mistake"))
    services.hide(post=gone, by=sam, now=NOW)
    withdrawn = ask(general, "Secret topic that was open")
    answer(withdrawn, "Secret answer")
    services.hide(post=withdrawn.posts.get(is_opening=True), by=sam, now=NOW)
    pages = [topic.path, "/forum/", "/forum/?q=walrus", "/forum/?q=secret", f"/forum/boards/{general.slug}/feed"]
    pages += [f"/forum/boards/{general.slug}", "/forum/tags/none", "/sitemap.xml"]
    for browser in (client, browser_of(leo)):
        for address in pages:
            text = browser.get(address).text.replace('value="secret"', "")
            assert "Secret" not in text, address
            assert withdrawn.path + '"' not in text, address
    assert "Secret" not in browser_of(leo).get("/forum/new?title=Walrus+secret").text
    assert [entry.path for entry in sitemap_topics()] == [topic.path]
    assert figures.figures_of(None, now=NOW).topics == 1


def test_figures_are_of_questions_older_than_a_day(client: Client, general: Board) -> None:
    def asked(days: float, hours: float | None, kind: str = "question") -> None:
        at = NOW - timedelta(days=days)
        reply = at + timedelta(hours=hours) if hours is not None else None
        make_topic(board=general, published_at=at, first_reply_at=reply, kind=kind)

    for days, hours in ((2, 1), (3, 5), (4, 30), (5, None), (0.5, None), (200, None)):
        asked(days, hours)
    asked(3, 1, "share")
    found = figures.figures_of(general, now=NOW)
    assert (found.topics, found.quick, found.typical) == (7, 50, 5)
    page = client.get(f"/forum/boards/{general.slug}").text
    assert "50%" in page
    assert "5 hours" in page
    assert "7 topics, 50% answered within a day" in client.get("/forum/").text


def test_the_first_reply_is_that_of_someone_else_and_visible(general: Board, sam: User) -> None:
    topic = ask(general, "When?")
    answer(topic, "I add this.", topic.author)
    assert Topic.objects.get(pk=topic.pk).first_reply_at is None
    first, second = (topic.posts.get(pk=answer(topic, words)) for words in ("One", "Two"))
    assert Topic.objects.get(pk=topic.pk).first_reply_at == first.published_at
    services.hide(post=first, by=sam, now=NOW)
    assert Topic.objects.get(pk=topic.pk).first_reply_at == second.published_at


def test_learners_are_offered_questions_about_lessons_that_they_completed(
    board: Board, course: Course, browser_of: Callable[[User], Client], leo: User, enrollment: Enrollment
) -> None:
    done, other = list(course.lessons.all())[:2]
    make_topic(board=board, title="About a completed lesson", lesson=done)
    make_topic(board=board, title="About another lesson", lesson=other)
    make_topic(board=board, title="My own", lesson=done, author=leo)
    LessonProgress.objects.create(enrollment=enrollment, lesson=done, started_at=NOW, updated_at=NOW, completed_at=NOW)
    assert [topic.title for topic in figures.to_answer(leo)] == ["About a completed lesson"]
    assert "You could answer these" in browser_of(leo).get("/forum/").text
