"""What admins see of the tutor: read-only, as services write it. What learners ask is theirs and not shown."""

from typing import Any

from django.contrib import admin

from apps.tutor.models import Chat, CourseTutor, IndexedCourse, Passage, UsageDay
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


@admin.register(Chat)
class ChatAdmin(ReadOnly, admin.ModelAdmin[Any]):
    list_display = ("uid", "user", "course", "lesson", "created_at", "changed_at", "deleted_at")
    list_select_related = ("user", "course", "lesson")
    search_fields = ("user__email", "course__title")
    exclude = ("title",)
    ordering = ("-changed_at",)
    list_per_page = 50
    show_full_result_count = False


@admin.register(UsageDay)
class UsageDayAdmin(ReadOnly, admin.ModelAdmin[Any]):
    list_display = ("day", "user", "course", "questions", "prompt_tokens", "completion_tokens", "cost_micros")
    list_select_related = ("user", "course")
    list_filter = ("day",)
    search_fields = ("user__email", "course__title")
    ordering = ("-day", "pk")
    list_per_page = 50
    show_full_result_count = False


@admin.register(CourseTutor)
class CourseTutorAdmin(ReadOnly, admin.ModelAdmin[Any]):
    list_display = ("course", "is_enabled", "demands_grounding")
    list_select_related = ("course",)
    search_fields = ("course__title",)
    list_per_page = 50
    show_full_result_count = False
