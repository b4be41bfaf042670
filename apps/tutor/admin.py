"""What admins see of the tutor: read-only, as jobs write it."""

from typing import Any

from django.contrib import admin

from apps.tutor.models import IndexedCourse, Passage
from studyplatform.kit.web.read_only_admin import ReadOnly


@admin.register(IndexedCourse)
class IndexedCourseAdmin(ReadOnly, admin.ModelAdmin[Any]):
    list_display = ("course", "indexed_at")
    list_select_related = ("course",)
    search_fields = ("course__title",)
    list_per_page = 50
    show_full_result_count = False


@admin.register(Passage)
class PassageAdmin(ReadOnly, admin.ModelAdmin[Any]):
    list_display = ("__str__", "course", "lesson", "kind", "second", "encoder")
    list_select_related = ("course", "lesson")
    list_filter = ("kind",)
    search_fields = ("text", "lesson__title", "course__title")
    exclude = ("vector",)
    list_per_page = 50
    show_full_result_count = False
