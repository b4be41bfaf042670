"""What admins see of the tutor: read-only, as services write it. What learners ask is theirs and not shown."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from apps.tutor.models import Chat, CourseTutor, IndexedCourse, Passage, TutorBudget, UsageDay
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


@admin.register(TutorBudget)
class TutorBudgetAdmin(admin.ModelAdmin[Any]):
    """One row, that admins change."""

    list_display = ("__str__", "per_user", "per_course", "whole_site")
    search_fields = ("pk",)
    fields = ("per_user", "per_course", "whole_site")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return super().has_add_permission(request) and not TutorBudget.objects.exists()

    def save_model(self, request: HttpRequest, obj: TutorBudget, form: Any, change: bool) -> None:  # noqa: FBT001 (Django's)
        obj.pk = 1
        super().save_model(request, obj, form, change)
