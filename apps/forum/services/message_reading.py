"""What is read in a conversation, and that someone is writing."""

from datetime import datetime

from django.db import transaction

from apps.accounts import services as people
from apps.accounts.models import User
from apps.forum import message_policies as policies
from apps.forum.message_policies import Side
from apps.forum.models import Conversation
from apps.forum.services.messages import link_of, others_in
from studyplatform.kit import sockets
from studyplatform.kit.policies import enforce


def topic_of(user_id: int) -> str:
    """The topic to which the sockets of a user subscribe."""
    return f"messages of {user_id}"


def tell_of_writing(*, conversation: Conversation, user: User) -> None:
    """Show the other person of a conversation that the user is writing.

    :raises AppError: the user may not write here.
    """
    enforce(policies.write_message(user, conversation.course, conversation.learner))
    told = {"type": "writing", "conversation": str(conversation.uid)}
    for other in others_in(conversation, user):
        sockets.publish(topic_of(other), told)


def mark_read(*, conversation: Conversation, user: User, number: int, now: datetime) -> None:
    """Mark the messages up to this number as read by the user. Idempotent; a lower number changes nothing.

    :raises NotFound: the user is neither of its two people.
    """
    enforce(policies.read_conversation(user, conversation))
    is_learner = user.pk == conversation.learner_id
    with transaction.atomic():
        row = Conversation.objects.select_for_update().get(pk=conversation.pk)
        number = min(number, row.last_number)
        if number <= (row.read_by_learner if is_learner else row.read_by_instructor):
            return
        unread = row.messages.filter(number__gt=number, is_by_learner=not is_learner).count()
        if is_learner:
            row.read_by_learner, row.unread_by_learner = number, unread
        else:
            row.read_by_instructor, row.unread_by_instructor = number, unread
        row.changed_at = now
        row.save()
        sockets.wake("messages")
    link = link_of(conversation, Side.LEARNER if is_learner else Side.INSTRUCTOR)
    people.mark_read_by_link(user=user, kind="forum.message", link=link, now=now)


def mark_unread(*, conversation: Conversation, user: User, now: datetime) -> None:
    """Mark the newest message of the other one, if there is one, as unread: the user finds the conversation again.

    :raises NotFound: the user is neither of its two people.
    """
    enforce(policies.read_conversation(user, conversation))
    is_learner = user.pk == conversation.learner_id
    with transaction.atomic():
        row = Conversation.objects.select_for_update().get(pk=conversation.pk)
        theirs = row.messages.filter(is_by_learner=not is_learner).order_by("-number").first()
        if theirs is None:
            return
        if is_learner:
            row.read_by_learner, row.unread_by_learner = theirs.number - 1, 1
        else:
            row.read_by_instructor, row.unread_by_instructor = theirs.number - 1, 1
        row.changed_at = now
        row.save()
        sockets.wake("messages")
