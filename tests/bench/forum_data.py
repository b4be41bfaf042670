"""Discussions for the benchmark: boards, topics of ten posts each, and one long topic, written by SQL."""

from __future__ import annotations

import random
from datetime import timedelta

from django.db import connection
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.models import Course
from apps.forum.models import Board, Follow, Level, Post, PostState, ReadMark, Tag, Topic
from tests.bench import EMAIL
from tests.bench.data import WORDS, ZIPF

BOARDS, COURSE_BOARDS, PEOPLE, TAGS, TEXTS = 10, 30, 500, 100, 400
PER_TOPIC = 10  # posts
OPEN = "The bench's own topic of"
STARTED = """SELECT n, %(now)s::timestamptz - (%(topics)s - n) * (interval '3 years' / %(topics)s) AS at,
        (%(people)s::bigint[])[1 + n * 7 %% array_length(%(people)s::bigint[], 1)] AS author,
        CASE WHEN n %% 200 = 0 THEN 'held' WHEN n %% 200 = 1 THEN 'hidden' ELSE 'visible' END AS state,
        CASE WHEN n %% 10 = 2 THEN 0 ELSE %(replies)s END AS replies
    FROM generate_series(1, %(topics)s) AS n"""
TOPICS = f"""INSERT INTO forum_topic (board_id, kind, title, excerpt, author_id, second, state, last_number,
        reply_count, score, created_at, published_at, first_reply_at, last_post_at, last_poster_id, stamp)
    SELECT (%(boards)s::bigint[])[1 + n %% array_length(%(boards)s::bigint[], 1)],
        CASE WHEN n %% 5 = 0 THEN 'discussion' ELSE 'question' END,
        'Why ' || left((%(texts)s::text[])[1 + n * 13 %% array_length(%(texts)s::text[], 1)], 40) || ' ' || n,
        'What the text says.',
        author, NULL, state, CASE WHEN state = 'held' THEN 0 ELSE replies + 1 END, replies, 0, at, at,
        CASE WHEN replies > 0 THEN at + interval '2 hours' END, at, author, 0
    FROM ({STARTED}) AS started ORDER BY n"""  # noqa: S608 (fixed texts)
POSTS = """INSERT INTO forum_post (topic_id, number, author_id, source, html, state, state_before, held_for, score,
        created_at, published_at, edit_count, stamp, is_opening)
    SELECT topic.id, CASE WHEN topic.state = 'held' THEN NULL ELSE n END,
        (%(people)s::bigint[])[1 + (topic.id * 7 + n * 3) %% array_length(%(people)s::bigint[], 1)],
        (%(texts)s::text[])[1 + (topic.id * 31 + n * 17) %% array_length(%(texts)s::text[], 1)],
        '<p>' || (%(texts)s::text[])[1 + (topic.id * 31 + n * 17) %% array_length(%(texts)s::text[], 1)] || '</p>',
        CASE WHEN n = 1 THEN topic.state WHEN topic.state = 'held' THEN 'held' ELSE 'visible' END, '', '[]', n %% 4,
        topic.created_at, topic.created_at, 0, 0, n = 1
    FROM forum_topic AS topic, generate_series(1, topic.reply_count + 1) AS n ORDER BY topic.id, n"""
ACCEPTED = """UPDATE forum_topic SET accepted_id = post.id FROM forum_post AS post
    WHERE post.topic_id = forum_topic.id AND post.number = 2 AND kind = 'question' AND forum_topic.id %% 5 < 2"""
TAGGED = """INSERT INTO forum_topic_tags (topic_id, tag_id)
    SELECT id, (%(tags)s::bigint[])[1 + id * 11 %% array_length(%(tags)s::bigint[], 1)] FROM forum_topic"""
DOCUMENTS = """INSERT INTO forum_postdocument (post_id, title, tags, body)
    SELECT post.id, CASE WHEN is_opening THEN topic.title ELSE '' END, '', source
    FROM forum_post AS post JOIN forum_topic AS topic ON topic.id = post.topic_id"""


def fill_forum(posts: int) -> None:
    """About so many posts in topics of ten, with what search reads of them. For PostgreSQL."""
    dice, now = random.Random(11), timezone.now()
    people = User.objects.bulk_create(
        User(email=f"f{n}@example.com", username=f"f{n}", first_name="Fay", last_name=f"Rum {n}",
             email_verified_at=now, date_joined=now - timedelta(days=90))
        for n in range(PEOPLE)
    )  # fmt: skip
    courses = Course.objects.filter(status=Course.Status.PUBLISHED).order_by("pk")[:COURSE_BOARDS]
    boards = Board.objects.bulk_create(
        [Board(slug=f"general-{n}", title=f"General {n}", about="For all.") for n in range(BOARDS)]
        + [Board(slug=course.slug, title=course.title, course=course, position=100) for course in courses]
    )
    tags = Tag.objects.bulk_create(Tag(slug=f"tag-{n}", name=f"tag {n}") for n in range(TAGS))
    texts = [" ".join(dice.choices(WORDS, cum_weights=ZIPF, k=24)) for _ in range(TEXTS)]
    given = {
        "now": now,
        "topics": posts // PER_TOPIC,
        "replies": PER_TOPIC - 1,
        "people": [one.pk for one in people],
        "boards": [one.pk for one in boards],
        "tags": [one.pk for one in tags],
        "texts": texts,
    }
    with connection.cursor() as cursor:
        for statement in (TOPICS, POSTS, ACCEPTED, TAGGED, DOCUMENTS):
            cursor.execute(statement, given)
    person = User.objects.get(email=EMAIL)
    ReadMark.objects.create(user=person, read_until=now - timedelta(days=7))
    Follow.objects.create(user=person, board=boards[0], level=Level.WATCHING, created_at=now)
    for topic in Topic.objects.filter(state=PostState.VISIBLE).order_by("-pk")[:20]:
        Follow.objects.create(user=person, topic=topic, level=Level.WATCHING, created_at=now)


def long_topic(count: int) -> str:
    """The address of a topic of so many posts, on the first general board."""
    now = timezone.now()
    found = Topic.objects.filter(title=f"{OPEN} {count} posts").first()
    if found is None:
        people = list(User.objects.filter(username__startswith="f").order_by("pk")[:50])
        found = Topic.objects.create(
            board=Board.objects.get(slug="general-0"), kind=Topic.Kind.QUESTION, title=f"{OPEN} {count} posts",
            excerpt="How long can it get?", author=people[0], state=PostState.VISIBLE, last_number=count,
            reply_count=count - 1, created_at=now, published_at=now, first_reply_at=now, last_post_at=now,
            last_poster=people[1],
        )  # fmt: skip
        source = " ".join(WORDS[:60])
        Post.objects.bulk_create(
            Post(topic=found, number=n, author=people[n % 50], source=source, html=f"<p>{source}</p>", score=n % 3,
                 state=PostState.VISIBLE, created_at=now, published_at=now, is_opening=n == 1)
            for n in range(1, count + 1)
        )  # fmt: skip
    return found.path
