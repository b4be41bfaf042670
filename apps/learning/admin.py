"""Enrollments, attempts, certificates and ratings in the admin: a learner's record is never edited."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.learning import services
from apps.learning.models import (
    Achievement,
    AnalyticsReport,
    Attempt,
    Certificate,
    CourseDay,
    CourseVisit,
    Enrollment,
    EnrollmentRollup,
    EssayAnswer,
    EssayMark,
    LearnedDay,
    LearnerException,
    LessonProgress,
    LessonRollup,
    LessonUse,
    NotebookDocument,
    OfflineDevice,
    PracticeCard,
    QuestionRollup,
    Rating,
    RatingDecision,
    RatingReport,
    SealedPaper,
    TakenChange,
    TeacherDay,
    WatchedDay,
)
from apps.learning.queries.addresses import certificate_url
from studyplatform.kit.web.read_only_admin import ReadOnly, register_read_only


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
    list_display = ["enrollment", "quiz", "number", "percent", "is_passed", "is_offline", "started_at", "submitted_at"]
    list_filter = ["is_passed", "is_offline", "started_at"]
    list_select_related = ["enrollment__user", "enrollment__course", "quiz__lesson"]
    search_fields = ["enrollment__user__email", "enrollment__course__title"]
    ordering = ["-started_at"]
    list_per_page = 50
    show_full_result_count = False
    exclude = ["answers", "results"]


@admin.register(Certificate)
class CertificateAdmin(ReadOnly, admin.ModelAdmin[Certificate]):
    """A reason revokes a certificate; without one it is valid again. Nothing else changes."""

    list_display = ["code", "learner_name", "course_title", "issued_at", "revoked_at"]
    list_filter = ["issued_at", "revoked_at"]
    readonly_fields = ["code", "learner_name", "course_title", "instructor_name", "issued_at", "revoked_at"]
    fieldsets = [
        (None, {"fields": [*readonly_fields]}),
        (
            _("Revocation"),
            {
                "fields": ["revocation_reason"],
                "description": _(
                    "A reason revokes the certificate, and its owner is notified. "
                    "To make the certificate valid again, delete the reason and save."
                ),
            },
        ),
    ]
    search_fields = ["code", "learner_name", "course_title"]
    ordering = ["-issued_at"]
    list_per_page = 50
    show_full_result_count = False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return admin.ModelAdmin.has_change_permission(self, request, obj)  # type: ignore[arg-type]

    def view_on_site(self, obj: Certificate) -> str:
        return certificate_url(obj.code)

    def log_change(self, request: HttpRequest, obj: Certificate, message: Any) -> LogEntry:
        if message:
            reason = obj.revocation_reason
            message = _("Revoked: %(reason)s") % {"reason": reason} if reason else _("Made valid again")
        return super().log_change(request, obj, message)

    def save_model(
        self,
        request: HttpRequest,
        obj: Certificate,
        form: ModelForm[Certificate],
        change: bool,  # noqa: FBT001 (Django's)
    ) -> None:
        services.set_revocation(certificate=obj, reason=obj.revocation_reason, now=timezone.now())


@admin.register(Rating)
class RatingAdmin(ReadOnly, admin.ModelAdmin[Rating]):
    list_display = ["course", "enrollment", "stars", "updated_at"]
    list_filter = ["stars", "updated_at"]
    list_select_related = ["course", "enrollment__user", "enrollment__course"]
    search_fields = ["course__title", "enrollment__user__email"]
    ordering = ["-updated_at"]
    list_per_page = 50
    show_full_result_count = False


register_read_only(
    LessonProgress,
    ["enrollment", "lesson", "watched_seconds", "started_at", "completed_at"],
    search=["enrollment__user__email", "lesson__title"],
)
register_read_only(
    LessonUse, ["enrollment", "lesson", "is_whole", "updated_at"], search=["enrollment__user__email", "lesson__title"]
)
register_read_only(LearnedDay, ["user", "day", "seconds", "lessons"], search=["user__email"])
register_read_only(WatchedDay, ["user", "course", "day", "seconds"], search=["user__email", "course__title"])
register_read_only(Achievement, ["user", "kind", "earned_at"], filters=["kind"], search=["user__email"])
register_read_only(
    PracticeCard,
    ["user", "state", "due", "lapses", "created_at", "deleted_at"],
    filters=["state"],
    search=["user__email"],
    hidden=["front", "back"],  # what learners write is theirs
)
register_read_only(
    RatingReport,
    ["rating", "user", "reason", "state", "created_at", "decided_at"],
    filters=["state", "reason"],
    search=["user__email"],
)
register_read_only(
    RatingDecision, ["rating", "admin", "kind", "decided_at"], filters=["kind"], search=["admin__email", "reason"]
)
register_read_only(
    NotebookDocument,
    ["user", "course", "state", "progress", "created_at"],
    filters=["state"],
    search=["user__email", "course__title"],
)
register_read_only(
    EssayAnswer,
    ["attempt", "points", "earned", "submitted_at", "marked_at"],
    search=["attempt__enrollment__user__email"],
)
register_read_only(EssayMark, ["essay", "revision", "earned", "marked_by", "marked_at"], search=["marked_by__email"])
register_read_only(
    CourseDay, ["course", "day", "enrollments", "completions", "active_learners_30"], search=["course__title"]
)
register_read_only(CourseVisit, ["course", "day", "visitors"], search=["course__title"])
register_read_only(TeacherDay, ["user", "day", "active_learners", "active_learners_30"], search=["user__email"])
register_read_only(
    LessonRollup, ["lesson", "began", "completed", "left_early"], search=["lesson__title"], hidden=["retention"]
)
register_read_only(
    QuestionRollup, ["quiz", "question_uid", "responses", "difficulty", "discrimination"], search=["question_uid"]
)
register_read_only(
    EnrollmentRollup,
    ["enrollment", "risk", "risk_since", "quiz_percent", "seconds"],
    filters=["risk"],
    search=["enrollment__user__email", "enrollment__course__title"],
)
register_read_only(
    LearnerException,
    ["enrollment", "kind", "quiz", "granted_by", "granted_at", "ended_at"],
    filters=["kind"],
    search=["enrollment__user__email"],
    hidden=["reason"],  # it may say something about a learner's health
)
register_read_only(
    SealedPaper,
    ["enrollment", "quiz", "device", "sealed_at", "used_at"],
    search=["enrollment__user__email", "quiz__lesson__title"],
    hidden=["asked"],  # with the answers
)
register_read_only(TakenChange, ["user", "kind", "taken_at"], filters=["kind"], search=["user__email"])
register_read_only(
    AnalyticsReport, ["user", "course", "frequency", "next_at"], filters=["frequency"], search=["user__email"]
)
register_read_only(
    OfflineDevice,
    ["user", "name", "created_at", "last_contact_at", "watched_seconds"],
    search=["user__email"],
    hidden=["key"],  # it opens what the device stores
)
