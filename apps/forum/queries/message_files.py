"""Which messages use an uploaded file: for the pages of the library."""

from collections.abc import Collection

from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.files.services import Use
from apps.forum import message_policies as policies
from apps.forum.message_policies import Side
from apps.forum.models import MessageFile


def messages_using(uploads: Collection[int], viewer: User) -> dict[int, list[Use]]:
    """The messages that have these uploads attached, by the upload's id; named only to their two people. One query."""
    found: dict[int, list[Use]] = {}
    rows = MessageFile.objects.filter(upload__in=uploads).select_related(
        "message__conversation__course__instructor", "message__conversation__learner"
    )
    for row in rows.order_by("pk"):
        conversation = row.message.conversation
        side = policies.side_in(viewer, conversation.course, conversation.learner)
        if side is None:
            found.setdefault(row.upload_id, []).append(Use(_("a message between other people")))
            continue
        other = conversation.course.instructor if side is Side.LEARNER else conversation.learner
        label = _("a message in your conversation with %(name)s") % {"name": other.display_name}
        place = "/me/messages" if side is Side.LEARNER else "/dashboard/instructor/messages"
        url = f"{place}/{conversation.uid}?at={row.message.number}#m-{row.message.number}"
        found.setdefault(row.upload_id, []).append(Use(label, url))
    return found
