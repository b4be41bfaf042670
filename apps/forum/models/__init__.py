from apps.forum.models.boards import Board
from apps.forum.models.bulk_messages import BulkMessage, BulkRecipient
from apps.forum.models.documents import PostDocument
from apps.forum.models.messages import (
    Announcement,
    AnnouncementCopy,
    Block,
    Conversation,
    Message,
    MessageFile,
    MessageReport,
)
from apps.forum.models.moderation import Ban, ModerationAction, Report
from apps.forum.models.posts import Post, PostState, Reaction, Revision, Vote
from apps.forum.models.reading import Follow, Level, ReadMark, Visit
from apps.forum.models.runs import NotificationRun
from apps.forum.models.topics import Tag, Topic
from apps.forum.models.writing import Draft, PostFile

__all__ = [
    "Announcement",
    "AnnouncementCopy",
    "Ban",
    "Block",
    "Board",
    "BulkMessage",
    "BulkRecipient",
    "Conversation",
    "Draft",
    "Follow",
    "Level",
    "Message",
    "MessageFile",
    "MessageReport",
    "ModerationAction",
    "NotificationRun",
    "Post",
    "PostDocument",
    "PostFile",
    "PostState",
    "Reaction",
    "ReadMark",
    "Report",
    "Revision",
    "Tag",
    "Topic",
    "Visit",
    "Vote",
]
