"""Background jobs of learning."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_lazy as _

from apps.courses.models import Course
from apps.learning import services
from apps.learning.analytics.counting import COUNTING_INTERVAL, keep_rollups
from studyplatform.kit import jobs


def _about_course(payloads: Sequence[Mapping[str, Any]]) -> list[jobs.JobSubject | None]:
    courses = Course.objects.only("slug", "title").in_bulk([payload.get("course_id", 0) for payload in payloads])
    found = [courses.get(payload.get("course_id", 0)) for payload in payloads]
    return [
        jobs.JobSubject(course.title, reverse("site:review", args=[course.slug])) if course else None
        for course in found
    ]


@jobs.job("learning.recount_course", label=_("Recalculate progress"), about=_about_course)
def recount_course(running: jobs.Running, *, course_id: int) -> None:
    """Recalculate the progress of everyone enrolled in a course. Idempotent."""
    course = Course.objects.filter(pk=course_id).first()
    if course is not None:
        services.recount_course(course=course, now=timezone.now(), extend_lease=running.extend_lease)


@jobs.job("learning.remark", label=_("Mark attempts again after answers were corrected"))
def remark(running: jobs.Running, *, questions: list[int], tells_passed: bool) -> None:
    """Mark the attempts that asked these questions again. Idempotent."""
    services.remark_questions(
        questions=questions, tells_passed=tells_passed, now=timezone.now(), extend_lease=running.extend_lease
    )


@jobs.job("learning.tell_of_lesson", label=_("Notify learners about a new lesson"))
def announce_lesson(running: jobs.Running, *, lesson_id: int, added_at: str = "") -> None:
    services.announce_lesson(
        lesson_id=lesson_id,
        added_at=parse_datetime(added_at) if added_at else None,  # jobs of former releases don't have it
        now=timezone.now(),
        extend_lease=running.extend_lease,
    )


@jobs.job("learning.tell_of_version", label=_("Notify learners about a new version of their course"))
def announce_version(running: jobs.Running, *, version_id: int) -> None:
    services.announce_version(version_id=version_id, extend_lease=running.extend_lease)


@jobs.job("learning.announce_openings", label=_("Notify learners of lessons that open on a date"))
def announce_openings(running: jobs.Running) -> None:
    services.announce_openings(now=timezone.now(), extend_lease=running.extend_lease)
    raise jobs.Postpone(services.OPENING_CHECK_INTERVAL, is_planned=True)


jobs.PLANS.register("learning.announce_openings", lambda now: services.plan_opening_checks())


@jobs.job("learning.forget_rating", label=_("Erase a deleted review"))
def forget_rating(running: jobs.Running, *, rating_id: int) -> None:
    services.forget_rating(rating_id=rating_id, now=timezone.now())


@jobs.job("learning.forget_card", label=_("Erase a deleted flash card"))
def forget_card(running: jobs.Running, *, card_id: int) -> None:
    services.forget_card(card_id=card_id, now=timezone.now())


@jobs.job(
    "learning.build_document",
    label=_("Make a PDF of notes"),
    on_failure=lambda error, **payload: services.mark_document_failed(**payload),
)
def build_document(running: jobs.Running, *, uid: str, language: str) -> None:
    services.build_document(running, uid=uid, language=language)


@jobs.job("learning.expire_documents", label=_("Delete expired PDFs of notes"))
def delete_expired_documents(running: jobs.Running) -> None:
    services.delete_expired_documents(now=timezone.now())


@jobs.job("learning.keep_rollups", label=_("Count learners for their instructors"))
def count_learners(running: jobs.Running) -> None:
    """Count what has changed since the last run; each night everything. Idempotent."""
    keep_rollups(now=timezone.now(), keep_alive=running.extend_lease)
    raise jobs.Postpone(COUNTING_INTERVAL, is_planned=True)


jobs.PLANS.register("learning.keep_rollups", lambda now: jobs.enqueue("learning.keep_rollups", key="rollups"))


@jobs.job("learning.close_attempts", label=_("Close attempts whose time is over"))
def close_attempts(running: jobs.Running) -> None:
    """Close the attempts that nobody submitted in time. Idempotent."""
    services.close_overdue_attempts(now=timezone.now(), keep_alive=running.extend_lease)
    raise jobs.Postpone(services.CLOSING_INTERVAL, is_planned=True)


jobs.PLANS.register("learning.close_attempts", lambda now: jobs.enqueue("learning.close_attempts", key="attempts"))


@jobs.job("learning.send_analytics_reports", label=_("Send reports of analytics"))
def send_analytics_reports(running: jobs.Running) -> None:
    """Send the reports that are due. Idempotent."""
    services.send_due_reports(now=timezone.now(), keep_alive=running.extend_lease)
    raise jobs.Postpone(services.LOOK_INTERVAL, is_planned=True)


jobs.PLANS.register(
    "learning.send_analytics_reports", lambda now: jobs.enqueue("learning.send_analytics_reports", key="reports")
)


@jobs.job("learning.forget_changes", label=_("Forget old answers to changes that were made offline"))
def forget_changes(running: jobs.Running) -> None:
    """Delete what is kept of changes and papers that are too old. Idempotent."""
    services.forget_old_changes(now=timezone.now())
    raise jobs.Postpone(services.FORGETTING_INTERVAL, is_planned=True)


jobs.PLANS.register("learning.forget_changes", lambda now: jobs.enqueue("learning.forget_changes", key="changes"))
