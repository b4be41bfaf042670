"""What the composer offers while someone writes: people to mention, and topics to link to."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from apps.accounts.models import User
from apps.courses.policies import teachers_of
from apps.forum.models import Post, Topic

MOST = 8
MIN_TOPIC = 2  # characters of a topic's title
MIN_OTHERS = 2  # characters of a name before people who have not written here are offered


@dataclass(frozen=True)
class Mentionable:
    username: str
    name: str
    is_staff: bool


@dataclass(frozen=True)
class TopicLink:
    id: int
    title: str
    board: str


def people_to_mention(user: User, q: str, topic: Topic | None) -> list[Mentionable]:
    """People whose username or name begins with ``q``: those who wrote in the topic or teach its course first.

    Others are offered from the second letter on, and only if they have written something that the user may read: the
    list tells nobody who has an account here. Up to three queries.
    """
    everyone = User.objects.filter(is_active=True, deleted_at=None).exclude(pk=user.pk).order_by("username")
    people = everyone.filter(
        Q(username__folded_startswith=q) | Q(first_name__folded_startswith=q) | Q(last_name__folded_startswith=q)
    )
    read = Post.objects.listed_for(user)
    course = topic.board.course if topic else None
    teachers = set(teachers_of(course).values_list("pk", flat=True)) if course else set()
    found: list[User] = []
    if topic is not None:
        near = Q(pk__in=teachers) | Q(pk__in=read.filter(topic=topic).values("author"))
        found = list(people.filter(near)[:MOST])
    if len(found) < MOST and len(q) >= MIN_OTHERS:
        others = people.filter(Exists(read.filter(author=OuterRef("pk")))).exclude(pk__in=[one.pk for one in found])
        found += others[: MOST - len(found)]
    return [Mentionable(one.username, one.display_name, one.pk in teachers or one.is_admin) for one in found]


def topics_to_link(user: User, q: str) -> list[TopicLink]:
    """Visible topics that the user may read, by the words of their titles, the latest first."""
    q = q.strip()
    if len(q) < MIN_TOPIC:
        return []
    topics = Topic.objects.listed_for(user).select_related("board")
    for word in q.split()[:5]:
        topics = topics.filter(title__folded_contains=word)
    return [TopicLink(one.pk, one.title, one.board.title) for one in topics.order_by("-last_post_at")[:MOST]]
