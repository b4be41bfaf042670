"""Write the demo's forum: boards, topics, replies, votes and accepted answers, in the order in which they happened.

Everything with rules goes through the services of the forum, dated in the past. Votes are written in bulk: there are
thousands of them, and nothing follows from one.
"""

from __future__ import annotations

import random
import zlib
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from django.db.models import Max

from apps.accounts.models import Role, User
from apps.courses.models import Course, Lesson
from apps.forum import services
from apps.forum.models import Board, Level, Post, Topic, Vote
from apps.learning.models import Enrollment
from studyplatform.demo.forum_library import HELD_BELOW, TOPIC_LINK, BoardText, ForumText, TopicText
from studyplatform.demo.library import Library
from studyplatform.kit.models import Job

ICONS = {  # written in the way in which the build of the sprite finds them
    "how-to-study": {"icon": "notebook-pen"},
    "study-groups": {"icon": "users"},
    "course-ideas": {"icon": "lightbulb"},
    "house-rules": {"icon": "scroll-text"},
}
READ_UNTIL = {"student@example.com": 20, "instructor@example.com": 30, "admin@example.com": 9}  # hours ago
EDITED_AFTER = timedelta(minutes=12)
TELLING = ["accounts.mail_notification", "forum.notify_of_post", "forum.notify_of_answer"]
ACCEPTED_AFTER = timedelta(minutes=25)


def seed_forum(library: Library, forum: ForumText, now: datetime) -> None:
    """The forum, in one transaction. Does nothing if one of the demo's topics exists, and leaves all others alone.

    Nobody gets a notification or an email about it.
    """
    last_job = Job.objects.aggregate(last=Max("pk"))["last"] or 0
    with transaction.atomic():
        boards = _boards(forum.boards)
        emails = [person.email for person in library.people]
        users = {user.email: user for user in User.objects.filter(email__in=emails)}
        people = {person.username: users[person.email] for person in library.people}
        if not Topic.objects.filter(author__in=users.values()).exists():
            _Forum(boards, people, now).write(forum)
    Job.objects.filter(kind__in=TELLING, pk__gt=last_job).delete()


def _boards(general: tuple[BoardText, ...]) -> dict[str, Board]:
    """All boards by slug."""
    for place, text in enumerate(general):
        Board.objects.get_or_create(
            slug=text.slug,
            defaults={
                "title": text.title,
                "about": text.about,
                "position": place,
                "topics_by_admins_only": text.topics_by_admins_only,
                **ICONS[text.slug],
            },
        )
    for course_id in Course.objects.filter(status__in=["published", "archived"]).values_list("pk", flat=True):
        services.create_course_board(course_id=course_id)
    return {board.slug: board for board in Board.objects.select_related("course")}


class _Forum:
    """The forum while it is written."""

    def __init__(self, boards: dict[str, Board], people: dict[str, User], now: datetime) -> None:
        self.boards, self.people, self.now = boards, people, now
        self.topics: dict[str, Topic] = {}
        self.replies: dict[tuple[str, int], Post] = {}
        self.voted: list[tuple[Post, Board, int]] = []
        lessons = Lesson.objects.select_related("course").defer("body")
        self.lessons = {(lesson.course.slug, lesson.slug): lesson for lesson in lessons}

    def write(self, forum: ForumText) -> None:
        moments: list[tuple[datetime, int, Callable[[datetime], None]]] = []

        def plan(ago: timedelta, act: Callable[[datetime], None]) -> None:
            moments.append((self.now - max(ago, timedelta(0)), len(moments), act))

        for text in forum.topics:
            plan(text.ago, partial(self._open, text))
            for place, post in enumerate(text.posts):
                plan(post.ago, partial(self._reply, text, place))
                if post.was:
                    plan(post.ago - EDITED_AFTER, partial(self._edit, text, place))
                if post.accepted:
                    plan(post.ago - ACCEPTED_AFTER, partial(self._accept, text, place))
        for at, _, act in sorted(moments, key=lambda moment: moment[:2]):
            act(at)
        for text in forum.topics:
            self._finish(text)
        self._moderate(forum)
        self._vote()
        for email, hours in READ_UNTIL.items():
            reader = next((user for user in self.people.values() if user.email == email), None)
            if reader is not None:
                services.mark_all_read(user=reader, now=self.now - timedelta(hours=hours))

    def _open(self, text: TopicText, at: datetime) -> None:
        board = self.boards[text.board]
        topic = services.open_topic(
            board=board,
            author=self.people[text.author],
            kind=text.kind,
            title=text.title,
            source=self._linked(text.source),
            tags=text.tags,
            lesson=self.lessons.get((text.board, text.lesson)),
            second=text.second,
            now=at,
        )
        self.topics[text.key] = topic
        self.voted.append((Post.objects.get(topic=topic, is_opening=True), board, text.votes))

    def _reply(self, text: TopicText, place: int, at: datetime) -> None:
        post = text.posts[place]
        written = services.reply(
            topic=self.topics[text.key],
            author=self.people[post.author],
            source=self._linked(post.was or post.source),
            reply_to=None if post.reply_to is None else self.replies[text.key, post.reply_to],
            now=at,
        )
        self.replies[text.key, place] = written
        self.voted.append((written, self.boards[text.board], post.votes))

    def _edit(self, text: TopicText, place: int, at: datetime) -> None:
        post = self.replies[text.key, place]
        services.edit(post=post, editor=post.author, source=self._linked(text.posts[place].source), now=at)

    def _accept(self, text: TopicText, place: int, at: datetime) -> None:
        services.accept(post=self.replies[text.key, place], by=self.people[text.author], now=at)

    def _finish(self, text: TopicText) -> None:
        """What happens to a topic after the last post."""
        topic = self.topics[text.key]
        end = min(self.now, self.now - min([text.ago, *(post.ago for post in text.posts)]) + timedelta(hours=1))
        pinned, locked = (end if text.pinned else None), (end if text.locked else None)
        if pinned or locked:
            Topic.objects.filter(pk=topic.pk).update(pinned_at=pinned, locked_at=locked)
        for name in text.following:
            services.follow(user=self.people[name], target=topic, level=Level.FOLLOWING, now=end)

    def _moderate(self, forum: ForumText) -> None:
        """What readers reported, and who was banned."""
        places = {(text.key, post.key): place for text in forum.topics for place, post in enumerate(text.posts)}
        reports = [
            (self.now - timedelta(hours=one.hours_ago), reported, one)
            for reported in forum.reported
            for one in reported.reports
        ]
        for at, reported, one in sorted(reports, key=lambda each: each[0]):
            if reported.post:
                post = self.replies[reported.topic, places[reported.topic, reported.post]]
            else:
                post = Post.objects.get(topic=self.topics[reported.topic], is_opening=True)
            services.report(post=post, user=self.people[one.by], reason=one.reason, comment=one.comment, now=at)
        for each in forum.bans:
            days = None if each.until is None else round(each.days_ago + each.until)
            banned, by = self.people[each.user], self.people[each.by]
            board = self.boards[each.board] if each.board else None
            at = self.now - timedelta(days=each.days_ago)
            services.ban(user=banned, by=by, board=board, days=days, reason=each.reason, now=at)

    def _linked(self, source: str) -> str:
        """The text with addresses in place of the keys of topics."""
        return TOPIC_LINK.sub(lambda found: f"]({self._address(found[1])})", source)

    def _address(self, key: str) -> str:
        return self.topics[key].path if key in self.topics else "/forum/"

    def _vote(self) -> None:
        """Who found a post helpful: members of its board, as many as its text says and the board has."""
        members = self._members()
        rows: list[Vote] = []
        for post, board, count in self.voted:
            electors = [user for user in members[board.pk] if user.pk != post.author_id]
            dice = random.Random(zlib.crc32(post.source.encode()))  # noqa: S311 (the same votes each time)
            chosen = dice.sample(electors, min(count, len(electors)))
            for user in chosen:
                at = min(self.now, post.created_at + timedelta(minutes=dice.randrange(10, 4000)))
                rows.append(Vote(post=post, user=user, created_at=at))
            post.score = len(chosen)
            if post.is_opening:
                post.topic.score = post.score
        Vote.objects.bulk_create(rows)
        scored = [post for post, _, _ in self.voted if post.score]
        Post.objects.bulk_update(scored, ["score"])
        Topic.objects.bulk_update([post.topic for post in scored if post.is_opening], ["score"])

    def _members(self) -> dict[int, list[User]]:
        """The users who may vote on each board, without the accounts of this week."""
        old = {user.pk: user for user in self.people.values() if self.now - user.date_joined > HELD_BELOW}
        admins = [user for user in old.values() if user.role == Role.ADMIN]
        found: dict[int, list[User]] = defaultdict(list)
        for board in self.boards.values():
            if board.course is None:
                found[board.pk] = list(old.values())
            else:
                teachers = [user for user in old.values() if user.pk == board.course.instructor_id]
                found[board.pk] = [*admins, *(user for user in teachers if user not in admins)]
        courses = {board.course_id: board.pk for board in self.boards.values()}
        active = Enrollment.objects.active().filter(course__in=[pk for pk in courses if pk], user__in=old)
        for user_id, course_id in active.order_by("pk").values_list("user_id", "course_id"):
            if old[user_id] not in found[courses[course_id]]:
                found[courses[course_id]].append(old[user_id])
        return found
