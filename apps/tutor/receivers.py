"""How the tutor follows changes of courses, and which tables the version of its index depends on."""

from collections.abc import Iterable

from django.utils import timezone

from apps.accounts.events import AccountDeleted
from apps.courses.events import CourseDuplicated, CoursePublished, OutlineChanged
from apps.courses.models import Course, Lesson
from apps.files.events import VideoCompleted
from apps.learning.events import AttemptOpened
from apps.tutor import services
from apps.tutor.events import AnswerEnded
from apps.tutor.models import Answer, CourseTutor, Passage, TutorBudget
from studyplatform.kit.caching import table_versions
from studyplatform.kit.events import subscribe
from studyplatform.kit.extensions import answers_changed

table_versions.watch("passages", Passage)
table_versions.watch("tutors", CourseTutor)
table_versions.watch("tutors", TutorBudget)


def _follow(course_ids: Iterable[int]) -> None:
    """Index these courses again, unless they were never published: learners can't ask about those."""
    published = Course.objects.filter(pk__in=list(course_ids), published_at__isnull=False)
    for course_id in published.values_list("pk", flat=True):
        services.index_course_later(course_id=course_id, now=timezone.now())


@subscribe(CoursePublished)
def follow_publication(event: CoursePublished) -> None:
    _follow([event.course_id])


@subscribe(CourseDuplicated)
def follow_copy(event: CourseDuplicated) -> None:
    """What the instructor decided about the tutor holds for the copy of the course, too."""
    services.copy_switches(course_id=event.course_id, source_id=event.source_id)


@subscribe(OutlineChanged)
def follow_outline(event: OutlineChanged) -> None:
    """Whatever changes in a lesson, its questions or its captions changes the outline."""
    _follow([event.course_id])


@subscribe(VideoCompleted)
def follow_video(event: VideoCompleted) -> None:
    """Its file may have brought captions."""
    _follow(Lesson.objects.filter(video=event.video_id).values_list("course_id", flat=True))


@subscribe(AnswerEnded)
def count_unanswered(event: AnswerEnded) -> None:
    """It may complete a group of questions that the instructor may read."""
    exchange_id = Answer.objects.filter(pk=event.answer_id, state="finished").values_list("exchange", flat=True).first()
    if exchange_id is not None:
        services.count_todos_later(exchange_id=exchange_id, now=timezone.now())


@subscribe(AttemptOpened)
def stop_explaining_its_quiz(event: AttemptOpened) -> None:
    """Answers that are complete are withheld when they are read (``queries/withheld.py``)."""
    services.stop_explaining(user_id=event.user_id, lesson_id=event.lesson_id, now=timezone.now())


@subscribe(AccountDeleted)
def forget_deleted_user(event: AccountDeleted) -> None:
    """Usage stays: it is part of the budgets of courses."""
    services.delete_chats_of(user_id=event.user_id)


@answers_changed.registers("tutor")
def follow_answers(course_id: int) -> None:
    """A helpful answer was written, accepted, edited or withdrawn."""
    _follow([course_id])
