"""Blocking the other person of a conversation, and reporting messages to the admins."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from apps.accounts.models import User
from apps.forum import errors
from apps.forum import message_policies as policies
from apps.forum.models import Block, Conversation, Message, MessageReport
from apps.forum.services.messages import other_in
from studyplatform.kit.policies import enforce
from studyplatform.kit.web import rate_limits


def block(*, conversation: Conversation, user: User, now: datetime) -> None:
    """Block the other person of a conversation: in all courses neither can write to the other. Idempotent.

    :raises NotFound: the user is neither of its two people.
    """
    enforce(policies.read_conversation(user, conversation))
    other = other_in(conversation, user)
    with transaction.atomic():
        # Who sends a message has its conversation locked: after this block, no message arrives that began before it.
        pair = Q(learner=other, course__instructor=user) | Q(learner=user, course__instructor=other)
        list(Conversation.objects.select_for_update(of=("self",)).filter(pair).order_by("pk").values_list("pk"))
        Block.objects.get_or_create(blocker=user, blocked=other, defaults={"created_at": now})


def unblock(*, conversation: Conversation, user: User) -> None:
    """Let the other person of a conversation write again. Idempotent.

    :raises NotFound: the user is neither of its two people.
    """
    enforce(policies.read_conversation(user, conversation))
    Block.objects.filter(blocker=user, blocked=other_in(conversation, user)).delete()


def report_message(*, message: Message, user: User, reason: str, note: str, now: datetime) -> MessageReport:
    """Report a message to the admins. A second report of the same user changes nothing.

    :raises NotFound: the user is neither of the two people of its conversation.
    :raises OwnMessage: the user wrote it.
    :raises ValueError: there is no such reason.
    """
    enforce(policies.report_message(user, message))
    given = {"reason": MessageReport.Reason(reason), "note": note.strip()[:500], "created_at": now}
    with transaction.atomic():
        report, is_new = MessageReport.objects.get_or_create(message=message, reporter=user, defaults=given)
        if is_new:
            rate_limits.consume("message-report", str(user.pk), now=now)
    return report


def decide_report(*, report: MessageReport, by: User, is_upheld: bool, now: datetime) -> None:
    """Note what an admin decided about a report. What follows from it, such as blocking an account, is done there.

    :raises RoleRequired: the user is no admin.
    :raises ReportDecided: another admin has decided it.
    """
    enforce(policies.decide_report(by))
    state = MessageReport.State.UPHELD if is_upheld else MessageReport.State.DISMISSED
    waiting = MessageReport.objects.filter(pk=report.pk, state=MessageReport.State.OPEN)
    if not waiting.update(state=state, decided_by=by, decided_at=now):
        raise errors.ReportDecided


def delete_blocks_of(*, user_id: int) -> None:
    """Delete the blocks by and of a deleted account. Its messages stay for those to whom it wrote."""
    Block.objects.filter(Q(blocker=user_id) | Q(blocked=user_id)).delete()
