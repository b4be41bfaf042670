from apps.forum.services.answers import accept, unaccept
from apps.forum.services.attachments import attach_files
from apps.forum.services.bans import ban, lift_ban
from apps.forum.services.boards import create_course_board
from apps.forum.services.drafts import delete_drafts, discard_draft, save_draft
from apps.forum.services.following import follow, unfollow
from apps.forum.services.live import tell_of_writing
from apps.forum.services.moderation import approve, hide, keep, reject, remove
from apps.forum.services.posts import delete, edit, reply, restore
from apps.forum.services.reading import forget_reading, mark_all_read, visit
from apps.forum.services.reporting import report
from apps.forum.services.topics import open_topic
from apps.forum.services.undoing import undo
from apps.forum.services.voting import react, vote

__all__ = [
    "accept",
    "approve",
    "attach_files",
    "ban",
    "create_course_board",
    "delete",
    "delete_drafts",
    "discard_draft",
    "edit",
    "follow",
    "forget_reading",
    "hide",
    "keep",
    "lift_ban",
    "mark_all_read",
    "open_topic",
    "react",
    "reject",
    "remove",
    "reply",
    "report",
    "restore",
    "save_draft",
    "tell_of_writing",
    "unaccept",
    "undo",
    "unfollow",
    "visit",
    "vote",
]
