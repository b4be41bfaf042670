"""Read-only lists of videos and uploads."""

from django.contrib import admin

from apps.files.models import Upload, VideoAsset
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
    list_display = ["filename", "owner", "purpose", "length", "offset", "created_at", "completed_at"]
    list_filter = ["purpose", "created_at"]
    list_select_related = ["owner"]
    search_fields = ["filename", "owner__email"]
    ordering = ["-created_at"]
    list_per_page = 50
    show_full_result_count = False
