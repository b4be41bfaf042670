"""The texts of the demo's forum are complete and plausible: who writes where and when, links, code, times of videos."""

import ast
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import pytest

from studyplatform.demo.forum_library import HELD_BELOW, TOPIC_LINK, PostText, TopicText, read_forum
from studyplatform.demo.library import CONTENT, Malformed, read_library
from studyplatform.demo.seeding import beginnings

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
LIBRARY = read_library()
FORUM = read_forum(LIBRARY)
TOPICS = {topic.key: topic for topic in FORUM.topics}
COURSES = {course.slug: course for course in LIBRARY.courses}
PEOPLE = {person.username: person for person in LIBRARY.people}
BEGUN = beginnings(LIBRARY, NOW)
GENERAL = {board.slug: board for board in FORUM.boards}
HAS_BOARD = {course.slug for course in LIBRARY.courses if course.status in {"published", "archived"}}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def posts_of(topic: TopicText) -> list[TopicText | PostText]:
    """The opening post and the replies."""
    return [topic, *topic.posts]


POSTS = [(topic, post) for topic in FORUM.topics for post in posts_of(topic)]
HELD = {(one.topic, one.post) for one in FORUM.held}


def key_of(post: TopicText | PostText) -> str:
    return post.key if isinstance(post, PostText) else ""


def is_held(topic: TopicText, post: TopicText | PostText) -> bool:
    """Whether its author's account was too young at the time."""
    return timedelta(days=PEOPLE[post.author].joined_days_ago) - post.ago < HELD_BELOW


def may_write(username: str, board: str, ago: timedelta) -> bool:
    person = PEOPLE[username]
    if person.role == "admin" or board in GENERAL:
        return True
    if COURSES[board].instructor == person.email:
        return True
    begun = BEGUN.get((person.email, board))
    return begun is not None and begun <= NOW - ago


@cache
def members(board: str) -> frozenset[str]:
    """The users who may vote on a board, without the accounts of this week."""
    old = {name for name, person in PEOPLE.items() if timedelta(days=person.joined_days_ago) > HELD_BELOW}
    return frozenset(name for name in old if may_write(name, board, timedelta(0)))


def voters(board: str, author: str) -> int:
    return len(members(board) - {author})


def test_every_file_belongs_to_a_board():
    files = {path.stem for path in (CONTENT / "forum").glob("*.yaml")}
    assert files == HAS_BOARD | set(GENERAL) | {"boards", "messages", "moderation"}
    assert set(GENERAL) == {"how-to-study", "study-groups", "course-ideas", "house-rules"}


def test_the_forum_has_the_documented_size():
    boards = Counter(topic.board for topic in FORUM.topics)
    assert sum(boards.values()) >= 60
    assert all(boards[slug] >= 2 for slug in HAS_BOARD | set(GENERAL))
    about = Counter(tag for topic in FORUM.topics if topic.board == "course-ideas" for tag in topic.tags)
    assert about["heat-and-disorder"] >= 2, "courses that are not public yet have no board"
    assert about["cells"] >= 2
    assert sorted(len(topic.posts) for topic in FORUM.topics)[-1] == 40
    assert sum(not topic.posts for topic in FORUM.topics) >= 4
    authors = Counter(post.author for _, post in POSTS)
    assert min(authors["amara"], authors["ines"], authors["nadia"]) >= 10
    kinds = Counter(topic.kind for topic in FORUM.topics)
    assert set(kinds) == {"question", "discussion", "share", "announcement"}


def test_questions_are_tied_to_what_a_video_shows():
    tied = [(topic, topic.second) for topic in FORUM.topics if topic.second is not None]
    for topic, second in tied:
        lesson = next(lesson for lesson in COURSES[topic.board].lessons if lesson.slug == topic.lesson)
        assert lesson.kind == "video", topic.key
        assert 0 < second < lesson.seconds - 2, topic.key
    boards = Counter(topic.board for topic, _ in tied)
    assert set(boards) == {"linear-algebra-geometrically", "statistics-for-curious-people", "waves-and-interference"}
    assert min(boards.values()) >= 3


def test_topics_are_well_formed():
    for topic in FORUM.topics:
        check(topic)


def check(topic: TopicText) -> None:
    assert len(topic.title) <= 120
    assert "?" in topic.title or topic.pinned, "a title reads as a question"
    assert len(topic.tags) <= 5
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", tag) for tag in topic.tags)
    assert not topic.lesson or topic.lesson in {lesson.slug for lesson in COURSES[topic.board].lessons}
    assert sum(post.accepted for post in topic.posts) <= 1
    assert topic.kind == "question" or not any(post.accepted for post in topic.posts)
    if topic.board in GENERAL and GENERAL[topic.board].topics_by_admins_only:
        assert PEOPLE[topic.author].role == "admin"
    times = [post.ago for post in posts_of(topic) if not is_held(topic, post)]
    assert times == sorted(times, reverse=True)
    assert min(times, default=topic.ago) > timedelta(minutes=5), "in the future"
    for place, post in enumerate(topic.posts):
        assert post.reply_to is None or post.reply_to < place


def test_only_those_write_who_may():
    for topic, post in POSTS:
        assert may_write(post.author, topic.board, post.ago), f"{topic.key}: {post.author} {post.ago}"


def test_sources_are_within_the_limit_and_mention_users():
    for topic, post in POSTS:
        assert 0 < len(post.source.strip()) <= 5000, topic.key
        assert post.votes <= voters(topic.board, post.author), f"{topic.key}: more votes than members"
        outside = FENCE.sub("", post.source)
        for name in re.findall(r"(?<![\w.])@([a-z0-9._-]+\w)", outside):
            assert name in PEOPLE, f"{topic.key}: @{name}"


def test_links_lead_to_pages_of_the_demo():
    lessons = {f"/learn/{course.slug}/{lesson.slug}" for course in LIBRARY.courses for lesson in course.lessons}
    pages = lessons | {f"/courses/{course.slug}" for course in LIBRARY.courses}
    found = 0
    for topic, post in POSTS:
        for key in TOPIC_LINK.findall(post.source):
            assert TOPICS[key].ago > post.ago, f"{topic.key} links to {key}, which is opened later"
            found += 1
        others = {link for link in LINK.findall(FENCE.sub("", post.source)) if not link.startswith("topic:")}
        if "links" not in next(
            (one.reasons for one in FORUM.held if (one.topic, one.post) == (topic.key, key_of(post))), ()
        ):
            assert others <= pages, topic.key
        else:
            assert all(link.startswith("https://study-fast.example/") for link in others)
    assert found >= 3


def test_code_in_python_can_be_compiled():
    codes = [code for _, post in POSTS for language, code in FENCE.findall(post.source) if language == "python"]
    assert len(codes) >= 10
    for code in codes:
        ast.parse(code)
    languages = {language for _, post in POSTS for language, _ in FENCE.findall(post.source)}
    assert languages == {"python", "javascript", "c", "text"}, "each block names its language"


def test_exactly_the_posts_of_this_weeks_accounts_are_held():
    assert {(topic.key, key_of(post)) for topic, post in POSTS if is_held(topic, post)} == HELD
    assert len(HELD) == 7
    again = [post.source for topic, post in POSTS if (topic.key, key_of(post)) in HELD]
    assert len(set(again)) == len(again) - 1, "one of them repeats itself"
    for topic, post in POSTS:
        if (topic.key, key_of(post)) in HELD:
            assert post.votes == 0, "nobody has seen it"


def test_reports_and_bans_are_plausible():
    assert len(FORUM.reported) == 4
    for one in FORUM.reported:
        post = next(post for post in posts_of(TOPICS[one.topic]) if key_of(post) == one.post)
        assert (one.topic, one.post) not in HELD
        assert len({report.by for report in one.reports}) == len(one.reports)
        for report in one.reports:
            assert report.by in PEOPLE
            assert report.by != post.author
            assert timedelta(hours=report.hours_ago) < post.ago, one
            assert report.reason in {"rude", "off_topic", "incorrect", "spam"}
    for ban in FORUM.bans:
        assert ban.by != ban.user
        assert ban.board == "" or COURSES[ban.board].instructor == PEOPLE[ban.by].email
        assert all(post.author != ban.user for _, post in POSTS)
    assert any(ban.until is None for ban in FORUM.bans)


@pytest.mark.parametrize(
    ("topics", "problem"),
    [
        ("[{key: a, kind: question, title: A?, author: nobody, source: x, days_ago: 1}]", "username nobody"),
        ("[{key: a, kind: question, title: A?, author: amara, source: x}]", "either days_ago or hours_ago"),
        ("[{key: a, kind: question, author: amara, source: x, days_ago: 1}]", "title"),
        (
            "[{key: a, kind: question, title: A?, author: amara, source: x, days_ago: 1,"
            " posts: [{author: amara, after: soon, source: y}]}]",
            "'soon' is no time",
        ),
    ],
)
def test_a_malformed_file_is_reported_by_name(tmp_path: Path, topics, problem):
    folder = tmp_path / "forum"
    folder.mkdir()
    (folder / "boards.yaml").write_text("boards: [{slug: talk, title: Talk, about: All}]\n")
    (folder / "moderation.yaml").write_text("held: []\n")
    (folder / "talk.yaml").write_text(f"topics: {topics}\n")
    with pytest.raises(Malformed, match=rf"talk\.yaml.*{problem}"):
        read_forum(LIBRARY, tmp_path)
