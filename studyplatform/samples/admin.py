"""What visitors entered on the sample pages, in Django's admin."""

from django.contrib import admin
from django.http import HttpRequest

from studyplatform.samples.models import SampleEntry


@admin.register(SampleEntry)
class SampleEntryAdmin(admin.ModelAdmin[SampleEntry]):
    """Entries can be deleted, because their text is a stranger's, but not written."""

    list_display = ["text", "kind", "is_done", "created_at"]
    list_filter = ["kind"]
    search_fields = ["text"]
    ordering = ["-created_at"]
    fields = ["text", "kind", "is_done", "created_at"]
    readonly_fields = ["text", "kind", "is_done", "created_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: SampleEntry | None = None) -> bool:
        return False
