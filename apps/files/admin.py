"""Read-only lists of videos and uploads; infected files can be deleted."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from apps.accounts.guards import signed_in_user
from apps.files import services
from apps.files.models import Upload, VideoAsset
from studyplatform.kit.errors import AppError
from studyplatform.kit.web.read_only_admin import ReadOnly


@admin.register(VideoAsset)
class VideoAssetAdmin(ReadOnly, admin.ModelAdmin[VideoAsset]):
    list_display = ["filename", "owner", "stage", "failure", "duration", "stored_bytes", "created_at"]
    list_filter = ["stage", "failure", "created_at"]
    list_select_related = ["owner"]
    search_fields = ["filename", "owner__email"]
    ordering = ["-created_at"]
    list_per_page = 50
    show_full_result_count = False
    exclude = ["facts", "source", "directory", "poster", "storyboard"]


@admin.register(Upload)
class UploadAdmin(ReadOnly, admin.ModelAdmin[Upload]):
    list_display = ["filename", "owner", "purpose", "length", "offset", "created_at", "completed_at", "scan", "threat"]
    list_filter = ["scan", "purpose", "created_at"]
    actions = ["delete_infected"]
    list_select_related = ["owner"]
    search_fields = ["filename", "owner__email"]
    ordering = ["-created_at"]
    list_per_page = 50
    show_full_result_count = False

    @admin.action(description=_("Delete infected files"))
    def delete_infected(self, request: HttpRequest, queryset: QuerySet[Upload]) -> None:
        done = 0
        for upload in queryset:
            try:
                services.delete_infected(upload=upload, by=signed_in_user(request))
                done += 1
            except AppError as refusal:
                messages.warning(request, f"{upload.filename}: {refusal.detail}")
        if done:
            messages.success(request, ngettext("%d file was deleted.", "%d files were deleted.", done) % done)
