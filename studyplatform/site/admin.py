"""Announcements in Django's admin."""

from django.contrib import admin

from studyplatform.kit.models import Announcement


@admin.register(Announcement)
class AnnouncementAdmin(admin.ModelAdmin[Announcement]):
    """A sentence at the top of every page for a period of time. Each visitor can dismiss it."""

    list_display = ["text", "shown_from", "shown_until"]
    ordering = ["-shown_until"]
    search_fields = ["text"]
    fields = ["text", "shown_from", "shown_until"]
