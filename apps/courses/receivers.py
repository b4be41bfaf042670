"""How courses react to events, and which tables the version of the cached catalog depends on."""

import logging
import re
from uuid import UUID

from django.db.models import Q
from django.db.models.signals import post_delete
from django.dispatch import receiver
from django.utils import timezone

from apps.accounts import services as accounts
from apps.accounts.events import AccountDeleted
from apps.accounts.models import PROFILE_FIELDS, Role, User
from apps.courses import correction_policies, deletion_policies, policies, services
from apps.courses.events import CourseArchived, CoursePublished, CourseSubmitted, CourseSuspended, SubmissionDecided
from apps.courses.models import (
    CoInstructor,
    Course,
    CourseFile,
    CoursePicture,
    KeptContent,
    LearningPath,
    Lesson,
    PathCourse,
    ReviewComment,
    Right,
    SearchDocument,
    StatusChange,
    Subject,
    Submission,
)
from apps.courses.models.file import RENDITIONS_FOLDER, rendition_name, widths_up_to
from apps.courses.models.picture import PICTURES_FOLDER
from apps.courses.models.review_thread import REVIEW_PICTURES_FOLDER
from apps.courses.queries.course_files import pictures_of
from apps.courses.queries.file_uses import course_files_using, lessons_using, pictures_using, versions_using
from apps.courses.services import people
from apps.files import services as files
from apps.files.events import VideoAnalyzed, VideoAnnounced, VideoCompleted, VideoPlayable
from apps.files.policies import register_caption_check, register_work_check
from studyplatform.kit.caching import table_versions
from studyplatform.kit.errors import AppError
from studyplatform.kit.events import subscribe
from studyplatform.kit.text import content, picture_rules

logger = logging.getLogger(__name__)


def _about_rendition(name: str) -> Q:
    """The files of whose uid the name of a rendition begins."""
    uid = name.rpartition("/")[2].partition("-")[0]
    return Q(uid=UUID(uid)) if re.fullmatch("[0-9a-f]{32}", uid) else Q(pk__in=[])


# A video that a published course uses can't be deleted.
files.register_deletion_check(deletion_policies.delete_video)
files.register_replacement_check(deletion_policies.replace_video)
register_caption_check(correction_policies.replace_shown_captions)
register_work_check(correction_policies.change_shown_video)
accounts.register_hindrance(deletion_policies.leave)
files.register_use(lessons_using)
files.register_use(pictures_using)
files.register_use(course_files_using)
files.register_use(versions_using)
files.register_source(
    files.Source(
        "course picture",
        lambda: CoursePicture.objects.values("pk", "key", "width"),
        lambda row, picture: (
            files.Reference(row=row, place="storage", name=name)
            for name in CoursePicture(key=picture["key"], width=picture["width"]).file_names
        ),
        lambda name: Q(key=name.rpartition("/")[2].partition("-")[0]),
    ),
    folder=PICTURES_FOLDER,
)
files.register_source(
    files.Source(
        "course file",
        lambda: CourseFile.objects.filter(rendition_width__gt=0).values("pk", "uid", "rendition_width", "is_rendered"),
        lambda row, file: (
            files.Reference(
                row=row,
                place="storage",
                name=rendition_name(file["uid"], width),
                required=file["is_rendered"],
            )
            for width in widths_up_to(file["rendition_width"])
        ),
        _about_rendition,
    ),
    folder=RENDITIONS_FOLDER,
)
files.register_source(
    files.Source(
        "picture of a review comment",
        lambda: ReviewComment.objects.exclude(picture_key="").values("pk", "picture_key"),
        lambda row, comment: (
            files.Reference(row=row, place="storage", name=f"{REVIEW_PICTURES_FOLDER}/{comment['picture_key']}.webp"),
        ),
        lambda name: Q(picture_key=name.rpartition("/")[2].removesuffix(".webp")),
    ),
    folder=REVIEW_PICTURES_FOLDER,
)
picture_rules.register_pictures(content.COURSE_FILES, pictures_of)


# What everyone sees of courses and instructors. Learner counts change all day, so the cached ones may be a minute old.
table_versions.watch("catalogue", Course, ignoring={"learner_count"})
table_versions.watch("catalogue", Subject)
table_versions.watch("catalogue", SearchDocument)
table_versions.watch("catalogue", CoInstructor)
table_versions.watch("catalogue", LearningPath)
table_versions.watch("catalogue", PathCourse)
table_versions.watch("catalogue", User, only={*PROFILE_FIELDS, "avatar"})


@receiver(post_delete, sender=Lesson)
def remove_file_of_lesson(instance: Lesson, **_: object) -> None:
    """Delete the file of a deleted lesson, whether it was deleted alone or with its section or course.

    A video stays with its owner, unless the owner's account was deleted.
    """
    if instance.file_id is not None:
        files.release_content(upload_id=instance.file_id)
    if instance.video_id is not None:
        services.delete_ownerless_video(video_id=instance.video_id)


@receiver(post_delete, sender=CoursePicture)
def remove_files_of_picture(instance: CoursePicture, **_: object) -> None:
    services.discard_files(picture=instance)


@receiver(post_delete, sender=CourseFile)
def remove_contents_of_course_file(instance: CourseFile, **_: object) -> None:
    services.discard_course_file(file=instance)


@receiver(post_delete, sender=KeptContent)
def remove_file_that_a_version_kept(instance: KeptContent, **_: object) -> None:
    files.release_content(upload_id=instance.upload_id)


@receiver(post_delete, sender=ReviewComment)
def remove_picture_of_comment(instance: ReviewComment, **_: object) -> None:
    services.discard_picture_of(comment=instance)


@subscribe(AccountDeleted)
def delete_unused_videos_of_deleted_user(event: AccountDeleted) -> None:
    services.delete_unused_videos(user_id=event.user_id)


@subscribe(AccountDeleted)
def end_co_teaching_of_deleted_user(event: AccountDeleted) -> None:
    people.end_co_teaching(user_id=event.user_id, now=timezone.now())


@subscribe(AccountDeleted)
def delete_unpublished_paths_of_deleted_user(event: AccountDeleted) -> None:
    services.delete_unpublished_paths(user_id=event.user_id)


@subscribe(VideoAnnounced)
def show_announced_video(event: VideoAnnounced) -> None:
    _show(event.video_id, may_replace=False, is_announced=True)


@subscribe(VideoPlayable)
def show_playable_video(event: VideoPlayable) -> None:
    """A lesson keeps a video that can be played until the new one is complete, as processing may still fail."""
    _show(event.video_id, may_replace=False)


@subscribe(VideoCompleted)
def replace_video_by_complete_one(event: VideoCompleted) -> None:
    _show(event.video_id, may_replace=True)


@subscribe(VideoAnalyzed)
def set_duration_after_analysis(event: VideoAnalyzed) -> None:
    services.set_lesson_durations(video_id=event.video_id, now=timezone.now())


@subscribe(VideoCompleted)
def set_final_duration(event: VideoCompleted) -> None:
    services.set_lesson_durations(video_id=event.video_id, now=timezone.now())


def _show(video_id: int, *, may_replace: bool, is_announced: bool = False) -> None:
    try:
        services.show_uploaded_video(
            video_id=video_id, may_replace=may_replace, is_announced=is_announced, now=timezone.now()
        )
    except AppError as refusal:
        logger.info("Video %s is not shown in its lesson: %s", video_id, refusal)


_KIND_OF_OUTCOME = {
    Submission.Outcome.APPROVED: "courses.approved",
    Submission.Outcome.CHANGES_REQUESTED: "courses.changes_requested",
    Submission.Outcome.REJECTED: "courses.rejected",
}


@subscribe(SubmissionDecided)
def notify_of_decision(event: SubmissionDecided) -> None:
    row = Submission.objects.select_related("course__instructor").get(pk=event.submission_id)
    kind = _KIND_OF_OUTCOME.get(Submission.Outcome(row.outcome))
    if kind is not None:
        link = f"/dashboard/instructor/courses/{row.course.slug}/edit"
        course = row.course
        accounts.notify_all(
            kind, policies.teachers_of(course, Right.EDIT), link, row.uid.hex, course=course.title, comment=row.comment
        )


@subscribe(CourseSuspended)
def notify_of_suspension(event: CourseSuspended) -> None:
    steps = StatusChange.objects.filter(course=event.course_id, became=Course.Status.SUSPENDED)
    step = steps.select_related("course__instructor").order_by("-pk").first()
    if step is not None:
        course = step.course
        link = f"/dashboard/instructor/courses/{course.slug}/appeal"
        key = f"step {step.pk}"
        editors = policies.teachers_of(course, Right.EDIT)
        accounts.notify_all("courses.suspended", editors, link, key, course=course.title, comment=step.reason)


@subscribe(CoursePublished)
def settle_appeals_of_reinstated_course(event: CoursePublished) -> None:
    services.settle_appeals(course_id=event.course_id, now=timezone.now())


@subscribe(CourseArchived)
def settle_appeals_of_archived_course(event: CourseArchived) -> None:
    services.settle_appeals(course_id=event.course_id, now=timezone.now())


@subscribe(CourseSubmitted)
def notify_admins_of_submission(event: CourseSubmitted) -> None:
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
