"""How learning reacts to events, and which tables the version of the cached lessons depends on."""

from datetime import timedelta

from django.utils import timezone

from apps.accounts import services as people
from apps.accounts.events import AccountDeleted
from apps.accounts.models import PROFILE_FIELDS, User
from apps.billing import services as billing
from apps.courses.events import LessonAdded, OutlineChanged
from apps.courses.models import Course, Lesson, Question, Quiz, Section
from apps.files import services as files
from apps.files.models import CaptionTrack, VideoAsset
from apps.learning import policies, services
from apps.learning.events import CertificateIssued, CertificateRevoked, LearnerEnrolled, MilestoneReached
from apps.learning.models import Certificate, Enrollment, Rating
from studyplatform.kit import jobs
from studyplatform.kit.caching import table_versions
from studyplatform.kit.events import subscribe

WRITING_TIME = timedelta(minutes=30)  # a lesson is created empty: learners are notified once it has content

files.register_offer(policies.lessons_offering)

table_versions.watch("catalogue", Rating, ignoring={"helpful_count"})

# What a lesson shows to everyone who may open it. A video counts from the moment it can be played.
table_versions.watch("lessons", Course, ignoring={"learner_count", "rating_count", "rating_sum"})
table_versions.watch("lessons", User, only={*PROFILE_FIELDS, "avatar"})
table_versions.watch(
    "lessons",
    VideoAsset,
    only={"is_playable", "failure", "directory", "version", "duration", "has_audio", "poster", "storyboard"},
)
for shown in (Section, Lesson, Quiz, Question, CaptionTrack):
    table_versions.watch("lessons", shown)


@subscribe(OutlineChanged)
def recount_enrollments(event: OutlineChanged) -> None:
    """Lessons were added, removed or moved, which changes the progress of everyone enrolled."""
    jobs.enqueue("learning.recount_course", key=str(event.course_id), course_id=event.course_id)


@subscribe(AccountDeleted)
def forget_deleted_user(event: AccountDeleted) -> None:
    """Delete what only the learner needed. Enrollments and progress stay: the figures count them."""
    own = (services.delete_bookmarks, services.delete_notes, services.delete_cards_of)
    for forget in (*own, services.forget_learned_days):
        forget(user_id=event.user_id)


@subscribe(LearnerEnrolled)
def notify_of_enrollment(event: LearnerEnrolled) -> None:
    """Notify the learner, and let billing look at the milestones of the instructor."""
    enrollment = Enrollment.objects.select_related("user", "course").get(pk=event.enrollment_id)
    link = f"/courses/{enrollment.course.slug}"
    key = f"seat {enrollment.pk}"  # stored: a new wording would notify a second time
    people.notify(
        "learning.enrolled", enrollment.user, link, key, now=enrollment.enrolled_at, course=enrollment.course.title
    )
    billing.plan_students_note(instructor_id=enrollment.course.instructor_id, now=timezone.now())


@subscribe(MilestoneReached)
def notify_of_milestone(event: MilestoneReached) -> None:
    """Notify of 25, 50 and 75 percent; the certificate's own notification covers 100.

    If one lesson reaches several milestones, only the highest is announced.
    """
    enrollment = Enrollment.objects.select_related("user", "course").get(pk=event.enrollment_id)
    if not 0 < event.percent < 100 or event.percent < enrollment.milestone:
        return
    people.notify(
        "learning.milestone",
        enrollment.user,
        f"/me/course/{enrollment.course.slug}/progress",
        f"seat {enrollment.pk} at {event.percent}",
        now=enrollment.last_activity_at,
        percent=event.percent,
        course=enrollment.course.title,
        done=enrollment.completed_lessons,
        total=enrollment.course.lesson_count,
    )


@subscribe(CertificateIssued)
def notify_of_certificate(event: CertificateIssued) -> None:
    row = Certificate.objects.select_related("enrollment__user").get(pk=event.certificate_id)
    link = f"/certificates/{row.code}"
    user = row.enrollment.user
    people.notify("learning.certificate", user, link, row.code, now=row.issued_at, course=row.course_title)


@subscribe(CertificateRevoked)
def notify_of_revocation(event: CertificateRevoked) -> None:
    row = Certificate.objects.select_related("enrollment__user").get(pk=event.certificate_id)
    if row.revoked_at is None:  # it is valid again
        return
    people.notify(
        "learning.certificate_revoked",
        row.enrollment.user,
        f"/certificates/{row.code}",
        f"{row.code} {row.revoked_at.isoformat()}",
        now=row.revoked_at,
        course=row.course_title,
        reason=row.revocation_reason,
    )


@subscribe(LessonAdded)
def schedule_lesson_announcement(event: LessonAdded) -> None:
    if Course.objects.published().filter(pk=event.course_id).exists():
        key = str(event.lesson_id)
        jobs.enqueue("learning.tell_of_lesson", key=key, delay=WRITING_TIME, lesson_id=event.lesson_id)
