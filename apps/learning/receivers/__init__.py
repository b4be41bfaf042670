"""How learning reacts to events, and which tables the version of the cached lessons depends on."""

from django.utils import timezone

from apps.accounts.events import AccountDeleted
from apps.accounts.models import PROFILE_FIELDS, User
from apps.courses.events import LessonAdded, LessonsRestarted, OutlineChanged, VersionPublished
from apps.courses.models import Course, Lesson, LessonDownload, Question, Quiz, Section
from apps.files import services as files
from apps.files.models import CaptionTrack, VideoAsset
from apps.learning import policies, services
from apps.learning.models import Rating
from apps.learning.receivers import essays as essays
from apps.learning.receivers import notices as notices
from studyplatform.kit import jobs, mail
from studyplatform.kit.caching import table_versions
from studyplatform.kit.events import subscribe

files.register_offer(policies.lessons_offering)
mail.register_attachment(services.ATTACHED_TABLE, lambda which: services.attach_table(which, now=timezone.now()))

table_versions.watch("catalogue", Rating, ignoring={"helpful_count"})

# What a lesson shows to everyone who may open it. A video counts from the moment it can be played.
table_versions.watch("lessons", Course, ignoring={"learner_count", "rating_count", "rating_sum"})
table_versions.watch("lessons", User, only={*PROFILE_FIELDS, "avatar"})
table_versions.watch(
    "lessons",
    VideoAsset,
    only={"is_playable", "failure", "directory", "version", "duration", "has_audio", "poster", "storyboard"},
)
for shown in (Section, Lesson, LessonDownload, Quiz, Question, CaptionTrack):
    table_versions.watch("lessons", shown)


@subscribe(OutlineChanged)
def recount_enrollments(event: OutlineChanged) -> None:
    """Lessons were added, removed or moved, which changes the progress of everyone enrolled."""
    jobs.enqueue("learning.recount_course", key=str(event.course_id), course_id=event.course_id)


@subscribe(LessonsRestarted)
def restart_lessons(event: LessonsRestarted) -> None:
    services.restart_lessons(lesson_ids=event.lesson_ids, now=timezone.now())


@subscribe(AccountDeleted)
def forget_deleted_user(event: AccountDeleted) -> None:
    """Delete what only the learner needed. Enrollments and progress stay: the figures count them.

    What lists of learners show of the enrollments goes.
    """
    own = (
        services.delete_bookmarks,
        services.delete_notes,
        services.delete_cards_of,
        services.delete_documents,
        services.forget_devices,
    )
    teaching = (
        services.forget_exceptions,
        services.forget_staff_notes,
        services.forget_saved_filters,
        services.forget_reports,
    )
    counted = (services.forget_learned_days, services.forget_rollups)
    for forget in (*own, services.forget_changes, services.forget_essays, *counted, *teaching):
        forget(user_id=event.user_id)


@subscribe(LessonAdded)
def schedule_lesson_announcement(event: LessonAdded) -> None:
    if Course.objects.published().filter(pk=event.course_id).exists():
        key = str(event.lesson_id)
        added_at = timezone.now().isoformat()
        wait = services.WRITING_TIME
        jobs.enqueue("learning.tell_of_lesson", key=key, delay=wait, lesson_id=event.lesson_id, added_at=added_at)


@subscribe(VersionPublished)
def tell_learners_of_version(event: VersionPublished) -> None:
    if event.is_announced:
        jobs.enqueue("learning.tell_of_version", key=str(event.version_id), version_id=event.version_id)
