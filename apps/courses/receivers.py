"""What courses do when files report something about a video, and what the catalogue's version follows."""

import logging

from django.db.models.signals import post_delete
from django.dispatch import receiver
from django.utils import timezone

from apps.accounts import services as accounts
from apps.accounts.events import AccountDeleted
from apps.accounts.models import PROFILE_FIELDS, Role, User
from apps.courses import policies, services
from apps.courses.events import CourseSubmitted, CourseSuspended, SubmissionDecided
from apps.courses.models import Course, Lesson, SearchDocument, StatusChange, Subject, Submission
from apps.files import services as files
from apps.files.events import VideoAnalyzed, VideoAnnounced, VideoCompleted, VideoPlayable
from studyplatform.kit.caching import table_versions
from studyplatform.kit.errors import AppError
from studyplatform.kit.events import subscribe

logger = logging.getLogger(__name__)

# A video that a public course shows is not deleted under its learners' eyes.
files.register_deletion_check(policies.delete_video)
accounts.register_hindrance(policies.leave)


# What everybody sees of courses and their teachers. Seats are taken all day; their count may be a minute old.
table_versions.watch("catalogue", Course, ignoring={"learner_count"})
table_versions.watch("catalogue", Subject)
table_versions.watch("catalogue", SearchDocument)
table_versions.watch("catalogue", User, only={*PROFILE_FIELDS, "avatar"})


@receiver(post_delete, sender=Lesson)
def remove_its_file(instance: Lesson, **_: object) -> None:
    """Alone, with its section or with its course: what a lesson handed out goes with it, and its room is free.

    A video stays with its owner, if there still is one.
    """
    if instance.file_id is not None:
        files.discard_file(upload_id=instance.file_id)
    if instance.video_id is not None:
        services.let_ownerless_go(video_id=instance.video_id)


@subscribe(AccountDeleted)
def drop_what_nobody_is_shown(event: AccountDeleted) -> None:
    services.drop_unshown_videos(user_id=event.user_id)


@subscribe(VideoAnnounced)
def show_it_in_its_lesson(event: VideoAnnounced) -> None:
    _show(event.video_id, may_replace=False)


@subscribe(VideoPlayable)
def show_it_where_nothing_can_be_watched(event: VideoPlayable) -> None:
    """A lesson that has a video keeps it until the new one is complete: only then is all of that known to be good."""
    _show(event.video_id, may_replace=False)


@subscribe(VideoCompleted)
def show_it_in_place_of_the_old_one(event: VideoCompleted) -> None:
    _show(event.video_id, may_replace=True)


@subscribe(VideoAnalyzed)
def take_its_length(event: VideoAnalyzed) -> None:
    services.take_video_length(video_id=event.video_id, now=timezone.now())


@subscribe(VideoCompleted)
def take_its_final_length(event: VideoCompleted) -> None:
    services.take_video_length(video_id=event.video_id, now=timezone.now())


def _show(video_id: int, *, may_replace: bool) -> None:
    try:
        services.show_uploaded_video(video_id=video_id, may_replace=may_replace, now=timezone.now())
    except AppError as refusal:
        logger.info("Video %s is not shown in its lesson: %s", video_id, refusal)


_TOLD = {
    Submission.Outcome.APPROVED: "courses.approved",
    Submission.Outcome.CHANGES_REQUESTED: "courses.changes_requested",
    Submission.Outcome.REJECTED: "courses.rejected",
}


@subscribe(SubmissionDecided)
def tell_the_instructor_what_was_decided(event: SubmissionDecided) -> None:
    row = Submission.objects.select_related("course__instructor").get(pk=event.submission_id)
    kind = _TOLD.get(Submission.Outcome(row.outcome))
    if kind is not None:
        link = f"/dashboard/instructor/courses/{row.course.slug}/edit"
        course = row.course
        accounts.notify(kind, course.instructor, link, row.uid.hex, course=course.title, comment=row.comment)


@subscribe(CourseSuspended)
def tell_the_instructor_of_the_suspension(event: CourseSuspended) -> None:
    steps = StatusChange.objects.filter(course=event.course_id, became=Course.Status.SUSPENDED)
    step = steps.select_related("course__instructor").order_by("-pk").first()
    if step is not None:
        course = step.course
        link = f"/dashboard/instructor/courses/{course.slug}/edit"
        key = f"step {step.pk}"
        accounts.notify("courses.suspended", course.instructor, link, key, course=course.title, comment=step.reason)


@subscribe(CourseSubmitted)
def tell_the_admins_of_the_work(event: CourseSubmitted) -> None:
    row = Submission.objects.select_related("course__instructor").get(pk=event.submission_id)
    admins = User.objects.filter(role=Role.ADMIN, is_active=True).exclude(pk=row.submitted_by_id)
    accounts.notify_all(
        "courses.submitted",
        admins,
        f"/dashboard/admin/courses/{row.course.slug}/review",
        row.uid.hex,
        course=row.course.title,
        instructor=row.course.instructor.display_name,
    )
