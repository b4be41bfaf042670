from apps.forum.services.answers import accept, unaccept
from apps.forum.services.attachments import attach_files
from apps.forum.services.bans import ban, lift_ban
from apps.forum.services.boards import create_course_board
from apps.forum.services.drafts import delete_drafts, discard_draft, save_draft
from apps.forum.services.following import follow, unfollow
from apps.forum.services.live import tell_of_writing
from apps.forum.services.merging import merge, split
from apps.forum.services.moderation import approve, hide, keep, reject, remove
from apps.forum.services.posts import delete, edit, reply, restore
from apps.forum.services.reading import forget_reading, mark_all_read, visit
from apps.forum.services.reporting import report
from apps.forum.services.topic_tools import close, move, pin, rename, rename_and_retag, retag
from apps.forum.services.topics import open_topic
from apps.forum.services.undoing import undo
from apps.forum.services.voting import react, vote

__all__ = [
    "accept",
    "approve",
    "attach_files",
    "ban",
    "close",
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
    "merge",
    "move",
    "open_topic",
    "pin",
    "react",
    "reject",
    "remove",
    "rename",
    "rename_and_retag",
    "reply",
    "report",
    "restore",
    "retag",
    "save_draft",
    "split",
    "tell_of_writing",
    "unaccept",
    "undo",
    "unfollow",
    "visit",
    "vote",
]
