"""What the readers of a topic tell each other while they read."""

from apps.accounts.models import User
from apps.forum import policies
from apps.forum.queries.finding import find_topic
from studyplatform.kit import sockets
from studyplatform.kit.policies import enforce


def name_of(topic_id: int) -> str:
    """The name under which the sockets of a topic hear what is published."""
    return f"forum topic {topic_id}"


def tell_of_writing(*, topic_id: int, user: User) -> None:
    """Show the other readers of a topic that someone writes a reply. Who it is, is not told.

    :raises AppError: the user may not reply here.
    """
    enforce(policies.reply(user, find_topic(topic_id, user)))
    sockets.publish(name_of(topic_id), {"type": "writing", "by": user.pk})
