"""Courses in the admin. Actions call the services, which enforce the rules and record the history."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.accounts.guards import signed_in_user
from apps.accounts.models import User
from apps.courses import services
from apps.courses.models import (
    CoInstructor,
    Course,
    CourseFile,
    CourseFileUse,
    CoursePicture,
    CourseVersion,
    DiscardedVersion,
    KeptContent,
    LearningPath,
    Lesson,
    PathCourse,
    Question,
    QuestionTag,
    Quiz,
    QuizDraw,
    RevenueShare,
    Section,
    StatusChange,
    Subject,
    Submission,
    VersionDraft,
)
from studyplatform.kit.errors import AppError
from studyplatform.kit.web.read_only_admin import ReadOnly, register_read_only

Step = Callable[[Course, User, datetime], object]


def _each(request: HttpRequest, courses: QuerySet[Course], step: Step) -> None:
    """Call ``step`` for each course; report how many changed, and why the others did not."""
    user, done = signed_in_user(request), 0
    for course in courses:
        try:
            step(course, user, timezone.now())
        except AppError as refusal:
            messages.warning(request, f"{course}: {refusal}")
        else:
            done += 1
    if done:
        messages.success(request, ngettext("%d course changed.", "%d courses changed.", done) % done)


class SubmissionInline(ReadOnly, admin.TabularInline[Submission, Course]):
    model = Submission
    fields = ["submitted_at", "submitted_by", "outcome", "note", "comment", "decided_by", "decided_at"]
    ordering = ["-submitted_at"]
    extra = 0


class StatusChangeInline(ReadOnly, admin.TabularInline[StatusChange, Course]):
    model = StatusChange
    fields = ["changed_at", "was", "became", "changed_by", "reason"]
    ordering = ["-changed_at"]
    extra = 0


@admin.register(Subject)
class SubjectAdmin(admin.ModelAdmin[Subject]):
    list_display = ["name", "slug", "position"]
    list_editable = ["position"]
    search_fields = ["name", "slug"]
    prepopulated_fields = {"slug": ["name"]}


@admin.register(Course)
class CourseAdmin(ReadOnly, admin.ModelAdmin[Course]):
    """Read-only: admins change a course in the studio."""

    list_display = ["title", "instructor", "subject", "status", "lesson_count", "learner_count", "updated_at"]
    list_filter = ["status", "subject", "difficulty", "pricing"]
    list_select_related = ["instructor", "subject"]
    search_fields = ["title", "slug", "instructor__email"]
    list_per_page = 50
    exclude = ["plate"]
    inlines = [SubmissionInline, StatusChangeInline]
    actions = ["suspend", "reinstate", "archive", "restore"]

    @admin.action(description=gettext_lazy("Suspend (policy review)"))
    def suspend(self, request: HttpRequest, courses: QuerySet[Course]) -> None:
        reason = _("Suspended for a policy review.")
        _each(
            request,
            courses,
            lambda course, by, now: services.suspend_course(course=course, by=by, reason=reason, now=now),
        )

    @admin.action(description=gettext_lazy("Lift suspension"))
    def reinstate(self, request: HttpRequest, courses: QuerySet[Course]) -> None:
        _each(request, courses, lambda course, by, now: services.reinstate_course(course=course, by=by, now=now))

    @admin.action(description=gettext_lazy("Archive"))
    def archive(self, request: HttpRequest, courses: QuerySet[Course]) -> None:
        _each(request, courses, lambda course, by, now: services.archive_course(course=course, by=by, now=now))

    @admin.action(description=gettext_lazy("Restore from the archive"))
    def restore(self, request: HttpRequest, courses: QuerySet[Course]) -> None:
        _each(request, courses, lambda course, by, now: services.restore_course(course=course, by=by, now=now))


class PathCourseInline(ReadOnly, admin.TabularInline[PathCourse, LearningPath]):
    model = PathCourse
    fields = ["position", "course"]
    ordering = ["position"]
    extra = 0


@admin.register(LearningPath)
class LearningPathAdmin(ReadOnly, admin.ModelAdmin[LearningPath]):
    """Read-only, like courses: the services keep the order, and admins change every path in the studio."""

    list_display = ["title", "owner", "is_published", "updated_at", "studio"]
    list_filter = ["is_published"]
    list_select_related = ["owner"]
    search_fields = ["title", "slug", "owner__email"]
    list_per_page = 50
    readonly_fields = ["studio"]
    inlines = [PathCourseInline]
    actions = ["publish", "unpublish"]

    @admin.display(description=gettext_lazy("studio"))
    def studio(self, path: LearningPath) -> str:
        return format_html('<a href="{}">{}</a>', reverse("courses:studio-path", args=[path.uid]), _("Edit"))

    @admin.action(description=gettext_lazy("Publish"))
    def publish(self, request: HttpRequest, paths: QuerySet[LearningPath]) -> None:
        by = signed_in_user(request)
        for path in paths:
            try:
                services.publish_path(path=path, by=by, now=timezone.now())
            except AppError as refusal:
                messages.warning(request, f"{path}: {refusal}")

    @admin.action(description=gettext_lazy("Unpublish"))
    def unpublish(self, request: HttpRequest, paths: QuerySet[LearningPath]) -> None:
        for path in paths:
            services.unpublish_path(path=path, by=signed_in_user(request), now=timezone.now())


class OfLiveCourses:
    """The rows of courses that learners can see; those of working copies are versions in the making."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        found: QuerySet[Any] = super().get_queryset(request)  # type: ignore[misc]  # of the admin beside it
        return found.filter(course__next_version_of=None)


@admin.register(Section)
class SectionAdmin(OfLiveCourses, ReadOnly, admin.ModelAdmin[Section]):
    list_display = ["title", "course", "position"]
    list_select_related = ["course"]
    search_fields = ["title", "course__title"]
    list_per_page = 50


@admin.register(Lesson)
class LessonAdmin(OfLiveCourses, ReadOnly, admin.ModelAdmin[Lesson]):
    list_display = ["title", "number", "kind", "course", "duration", "is_preview"]
    list_filter = ["kind", "is_preview"]
    list_select_related = ["course"]
    search_fields = ["title", "course__title"]
    list_per_page = 50


@admin.register(Submission)
class SubmissionAdmin(ReadOnly, admin.ModelAdmin[Submission]):
    """The history of reviews. Decisions that need a comment are made on the review page."""

    list_display = ["course", "submitted_by", "submitted_at", "outcome", "decided_by", "decided_at"]
    list_filter = ["outcome"]
    list_select_related = ["course", "submitted_by", "decided_by"]
    search_fields = ["course__title", "submitted_by__email"]
    list_per_page = 50
    date_hierarchy = "submitted_at"
    actions = ["approve"]

    @admin.action(description=gettext_lazy("Approve: the course goes live"))
    def approve(self, request: HttpRequest, submissions: QuerySet[Submission]) -> None:
        waiting = Course.objects.filter(submissions__in=submissions.filter(outcome=Submission.Outcome.PENDING))
        _each(
            request,
            waiting,
            lambda course, by, now: services.decide_submission(course=course, by=by, outcome="approved", now=now),
        )


register_read_only(
    CoInstructor,
    ["user", "course", "role", "joined_at", "removed_at"],
    filters=["role"],
    search=["user__email", "course__title"],
)
register_read_only(
    RevenueShare, ["user", "course", "percent", "since", "until"], search=["user__email", "course__title"]
)
register_read_only(
    CourseFile, ["name", "course", "media_type", "added_at", "unused_since"], search=["name", "course__title"]
)
register_read_only(CourseFileUse, ["file", "place", "lesson", "ended_at"], filters=["place"], search=["file__name"])
register_read_only(
    CourseVersion,
    ["course", "number", "correction", "published_at", "published_by", "approved_by"],
    search=["course__title"],
    hidden=["tree"],
)
register_read_only(
    VersionDraft, ["course", "number", "begun_by", "begun_at", "transition"], search=["course__title"], hidden=["base"]
)
register_read_only(
    DiscardedVersion,
    ["course", "number", "discarded_by", "discarded_at"],
    search=["course__title"],
    hidden=["tree", "base"],
)
register_read_only(KeptContent, ["version", "discarded", "upload"], search=["upload__filename"])
register_read_only(CoursePicture, ["course", "alt", "width", "updated_at"], search=["course__title", "alt"])
register_read_only(
    Quiz,
    ["lesson", "pass_percent", "max_attempts", "time_limit", "reveal"],
    filters=["reveal"],
    search=["lesson__title"],
)
register_read_only(
    Question, ["prompt", "quiz", "kind", "points", "is_withdrawn"], filters=["kind", "is_withdrawn"], search=["prompt"]
)
register_read_only(QuestionTag, ["name", "bank"], search=["name"])
register_read_only(QuizDraw, ["quiz", "position", "question", "count"], search=["quiz__lesson__title"])
