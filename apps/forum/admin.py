"""What admins see of the forum. General boards can be added and changed, the rest is read-only.

Messages are private: only reported ones are shown, to those who decide about them.
"""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from apps.forum.models import (
    Announcement,
    Ban,
    Block,
    Board,
    Conversation,
    MessageReport,
    ModerationAction,
    NotificationRun,
    Post,
    Report,
    Revision,
    Tag,
    Topic,
)
from studyplatform.kit.web.read_only_admin import ReadOnly, register_read_only


@admin.register(Announcement)
class AnnouncementAdmin(ReadOnly, admin.ModelAdmin[Any]):
    list_display = ("subject", "course", "sender", "audience", "sent_count", "read_count", "created_at")
    list_select_related = ("course", "sender")
    search_fields = ("subject", "course__title", "sender__email")
    list_per_page = 50
    show_full_result_count = False


@admin.register(MessageReport)
class MessageReportAdmin(ReadOnly, admin.ModelAdmin[Any]):
    list_display = ("uid", "reason", "reporter", "state", "created_at")
    list_select_related = ("reporter",)
    list_filter = ("state", "reason")
    search_fields = ("note", "reporter__email")
    list_per_page = 50
    show_full_result_count = False
    raw_id_fields = ("message",)


@admin.register(Board)
class BoardAdmin(admin.ModelAdmin[Board]):
    """Boards of courses come and go with their courses."""

    list_display = ["title", "course", "position", "topics_by_admins_only"]
    list_select_related = ["course"]
    search_fields = ["title"]
    fields = ["title", "slug", "about", "icon", "position", "topics_by_admins_only"]
    prepopulated_fields = {"slug": ["title"]}

    def has_delete_permission(self, request: HttpRequest, obj: Board | None = None) -> bool:
        return super().has_delete_permission(request, obj) and (
            obj is None or (obj.course_id is None and not obj.topics.exists())
        )


@admin.register(Topic)
class TopicAdmin(ReadOnly, admin.ModelAdmin[Topic]):
    list_display = ["title", "board", "author", "state", "reply_count", "last_post_at"]
    list_filter = ["state", "kind"]
    list_select_related = ["board", "author"]
    search_fields = ["title"]
    show_full_result_count = False


@admin.register(Post)
class PostAdmin(ReadOnly, admin.ModelAdmin[Post]):
    list_display = ["id", "topic", "number", "author", "state", "score", "created_at"]
    list_filter = ["state"]
    list_select_related = ["topic", "author"]
    search_fields = ["topic__title", "author__email"]
    show_full_result_count = False


@admin.register(Tag)
class TagAdmin(admin.ModelAdmin[Tag]):
    list_display = ["name", "slug"]
    search_fields = ["name"]


register_read_only(
    Report,
    ["post", "user", "reason", "state", "created_at", "decided_at"],
    filters=["state", "reason"],
    search=["user__email"],
)
register_read_only(Ban, ["user", "board", "until", "by", "created_at", "lifted_at"], search=["user__email", "reason"])
register_read_only(
    ModerationAction,
    ["kind", "actor", "user", "board", "at"],
    filters=["kind"],
    search=["actor__email", "user__email", "reason"],
)
register_read_only(Revision, ["post", "editor", "created_at", "was_shown"], search=["editor__email"])
register_read_only(
    Conversation,
    ["course", "learner", "last_number", "last_message_at"],
    search=["course__title", "learner__email"],
    hidden=["last_excerpt"],  # admins read reported messages only
)
register_read_only(Block, ["blocker", "blocked", "created_at"], search=["blocker__email", "blocked__email"])
register_read_only(
    NotificationRun, ["post", "what", "expected", "sent_count", "done_at"], filters=["what"], search=["what"]
)
