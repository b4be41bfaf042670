"""Appeals of suspensions: written by instructors, decided by admins (docs/adr/0065)."""

from datetime import datetime

from django.db import IntegrityError, transaction

from apps.accounts import services as accounts
from apps.accounts.models import Role, User
from apps.courses import policies
from apps.courses.errors import CommentMissing, WrongCourseStatus
from apps.courses.errors.review import AppealDecided, AppealNotPossible
from apps.courses.models import Appeal, Course, Right, StatusChange
from apps.courses.services.review import reinstate_course
from studyplatform.kit.policies import enforce
from studyplatform.kit.text import content

Outcome = Appeal.Outcome


def appeal_suspension(*, course: Course, by: User, text: str, now: datetime) -> Appeal:
    """Appeal the suspension of the course, once.

    :raises CommentMissing: there is no text.
    :raises WrongCourseStatus: the course is not suspended.
    :raises AppealNotPossible: this suspension was appealed before.
    """
    if not text.strip():
        raise CommentMissing
    with transaction.atomic():
        course = Course.objects.select_for_update().get(pk=course.pk)
        enforce(policies.hold_right(by, course, Right.EDIT))
        if course.status != Course.Status.SUSPENDED:
            raise WrongCourseStatus(status_now=str(course.get_status_display()))
        suspension = (
            StatusChange.objects.filter(course=course, became=Course.Status.SUSPENDED)
            .order_by("-changed_at", "-pk")
            .first()
        )
        if suspension is None or Appeal.objects.filter(suspension=suspension).exists():
            raise AppealNotPossible
        try:
            with transaction.atomic():
                appeal = Appeal.objects.create(
                    course=course,
                    suspension=suspension,
                    text=text[: content.COMMENT.max_length],
                    written_by=by,
                    written_at=now,
                )
        except IntegrityError:  # an earlier one is pending, of a suspension that was lifted by other means
            raise AppealNotPossible from None
        admins = User.objects.filter(role=Role.ADMIN, is_active=True).exclude(pk=by.pk)
        address = f"/dashboard/admin/courses/{course.slug}/review#appeal"
        words = content.plain_text(appeal.text, content.COMMENT)[:500]
        accounts.notify_all(
            "courses.appealed",
            admins,
            address,
            appeal.uid.hex,
            course=course.title,
            writer=by.display_name,
            comment=words,
        )
    return appeal


def decide_appeal(*, appeal: Appeal, by: User, is_reinstated: bool, reply: str, now: datetime) -> Appeal:
    """Lift the suspension or keep it. Of two admins at the same moment the first one decides.

    :raises CommentMissing: keeping it needs a reason.
    :raises AppealDecided: it was decided before, or the course is not suspended any longer.
    """
    if not is_reinstated and not reply.strip():
        raise CommentMissing
    with transaction.atomic():
        course = Course.objects.select_for_update().get(pk=appeal.course_id)
        appeal = Appeal.objects.select_for_update(of=("self",)).get(pk=appeal.pk)
        if appeal.outcome != Outcome.PENDING or course.status != Course.Status.SUSPENDED:
            raise AppealDecided
        enforce(policies.reinstate_course(by, course))
        appeal.outcome = Outcome.REINSTATED if is_reinstated else Outcome.KEPT
        appeal.reply = reply.strip()[: content.COMMENT.max_length]
        appeal.decided_by, appeal.decided_at = by, now
        appeal.save(update_fields=["outcome", "reply", "decided_by", "decided_at"])
        if is_reinstated:
            reinstate_course(course=course, by=by, now=now)
        accounts.notify_all(
            "courses.appeal_accepted" if is_reinstated else "courses.appeal_rejected",
            _people_told(appeal, course),
            f"/dashboard/instructor/courses/{course.slug}/appeal",
            appeal.uid.hex,
            course=course.title,
            comment=content.plain_text(appeal.reply, content.COMMENT)[:500],
        )
    return appeal


def _people_told(appeal: Appeal, course: Course) -> list[User]:
    """Return the instructor, and the co-instructor who appealed if they were not removed meanwhile."""
    writer = appeal.written_by
    is_told = writer.pk != course.instructor_id and policies.hold_right(writer, course, Right.EDIT) is None
    return [course.instructor, writer] if is_told else [course.instructor]


def settle_appeals(*, course_id: int, now: datetime) -> None:
    """Close what is pending when a suspension ended by other means: it was lifted, or the course was archived."""
    course = Course.objects.get(pk=course_id)
    if course.status == Course.Status.SUSPENDED:
        return
    outcome = Outcome.REINSTATED if course.status == Course.Status.PUBLISHED else Outcome.KEPT
    Appeal.objects.filter(course=course, outcome=Outcome.PENDING).update(outcome=outcome, decided_at=now)
