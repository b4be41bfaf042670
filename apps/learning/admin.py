"""Enrollments, attempts, certificates and ratings in the admin, read-only: a learner's record is never edited."""

from django.contrib import admin

from apps.learning.models import Attempt, Certificate, Enrollment, Rating
from studyplatform.kit.web.read_only_admin import ReadOnly


@admin.register(Enrollment)
class EnrollmentAdmin(ReadOnly, admin.ModelAdmin[Enrollment]):
    list_display = ["user", "course", "percent", "completed_lessons", "enrolled_at", "completed_at", "revoked_at"]
    list_filter = ["milestone", "enrolled_at"]
    list_select_related = ["user", "course"]
    search_fields = ["user__email", "course__title"]
    ordering = ["-enrolled_at"]
    list_per_page = 50
    show_full_result_count = False


@admin.register(Attempt)
class AttemptAdmin(ReadOnly, admin.ModelAdmin[Attempt]):
    list_display = ["enrollment", "quiz", "number", "percent", "is_passed", "started_at", "submitted_at"]
    list_filter = ["is_passed", "started_at"]
    list_select_related = ["enrollment__user", "enrollment__course", "quiz__lesson"]
    search_fields = ["enrollment__user__email", "enrollment__course__title"]
    ordering = ["-started_at"]
    list_per_page = 50
    show_full_result_count = False
    exclude = ["answers", "results"]


@admin.register(Certificate)
class CertificateAdmin(ReadOnly, admin.ModelAdmin[Certificate]):
    list_display = ["code", "learner_name", "course_title", "issued_at"]
    list_filter = ["issued_at"]
    search_fields = ["code", "learner_name", "course_title"]
    ordering = ["-issued_at"]
    list_per_page = 50
    show_full_result_count = False


@admin.register(Rating)
class RatingAdmin(ReadOnly, admin.ModelAdmin[Rating]):
    list_display = ["course", "enrollment", "stars", "updated_at"]
    list_filter = ["stars", "updated_at"]
    list_select_related = ["course", "enrollment__user", "enrollment__course"]
    search_fields = ["course__title", "enrollment__user__email"]
    ordering = ["-updated_at"]
    list_per_page = 50
    show_full_result_count = False
