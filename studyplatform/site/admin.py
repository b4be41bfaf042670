"""The operator's own desk in Django's admin: announcements."""

from django.contrib import admin

from studyplatform.kit.models import Announcement


@admin.register(Announcement)
class AnnouncementAdmin(admin.ModelAdmin[Announcement]):
    """A sentence on top of every page, from one moment to another. Everyone can dismiss it for themselves."""

    list_display = ["text", "shown_from", "shown_until"]
    ordering = ["-shown_until"]
    search_fields = ["text"]
    fields = ["text", "shown_from", "shown_until"]
