"""Record what learners were handed out of lessons: parts of videos, and texts that assistants read."""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.courses.models import CourseFile, Lesson
from apps.courses.queries.course_files import handed_out_uses
from apps.files.services import register_report
from apps.learning.activity import watching
from apps.learning.models import Enrollment, LessonUse


@register_report
def record_served(user: int, video: UUID, spans: list[tuple[int, int]]) -> None:
    """Add the parts of a video that a learner's browser has fetched to the lessons that show it. Idempotent."""
    now = timezone.now()
    lessons = list(
        Lesson.objects.filter(video__uid=video, course__next_version_of=None).only("pk", "course_id", "duration")
    )
    enrollments = dict(
        Enrollment.objects.active()
        .of(user)
        .filter(course__in={each.course_id for each in lessons})
        .values_list("course_id", "pk")
    )
    for lesson in lessons:
        if lesson.course_id in enrollments:
            _add(enrollments[lesson.course_id], lesson, spans, now=now)


def _add(enrollment: int, lesson: Lesson, spans: list[tuple[int, int]], *, now: datetime) -> None:
    with transaction.atomic():
        LessonUse.objects.bulk_create(
            [LessonUse(enrollment_id=enrollment, lesson=lesson, updated_at=now)], ignore_conflicts=True
        )
        use = LessonUse.objects.select_for_update().get(enrollment_id=enrollment, lesson=lesson)
        merged = watching.merge([*use.served, *map(list, spans)], duration=lesson.duration)
        if merged != use.served:
            use.served, use.updated_at = merged, now
            use.save(update_fields=["served", "updated_at"])


def record_whole(*, enrollment: Enrollment, lesson: Lesson, now: datetime) -> None:
    """Record that the whole text or transcript of a lesson was handed out. Idempotent; one write the first time."""
    if LessonUse.objects.filter(enrollment=enrollment, lesson=lesson, is_whole=True).exists():
        return
    LessonUse.objects.update_or_create(
        enrollment=enrollment, lesson=lesson, defaults={"is_whole": True, "updated_at": now}
    )


def record_file(*, user_id: int, file: CourseFile, now: datetime) -> None:
    """Record that a learner was sent a file, in each lesson that offers it for download or links it. Idempotent.

    One query if the user is not enrolled, or the file is a picture that texts show.
    """
    enrollment = Enrollment.objects.active().filter(user=user_id, course=file.course_id).first()
    if enrollment is None:
        return
    uses = handed_out_uses().filter(file=file, lesson__course=file.course_id).exclude(lesson=None)
    for lesson in uses.values_list("lesson", flat=True):
        with transaction.atomic():
            LessonUse.objects.bulk_create(
                [LessonUse(enrollment=enrollment, lesson_id=lesson, updated_at=now)], ignore_conflicts=True
            )
            use = LessonUse.objects.select_for_update().get(enrollment=enrollment, lesson=lesson)
            if str(file.uid) not in use.files:
                use.files, use.updated_at = [*use.files, str(file.uid)], now
                use.save(update_fields=["files", "updated_at"])
