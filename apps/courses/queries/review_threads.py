"""What was said about places of a course in its reviews, with where each place is now."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar
from uuid import UUID, uuid4

from django.db.models import Count, Prefetch, Q, QuerySet
from django.urls import reverse

from apps.accounts.models import Role, User
from apps.courses.models import Course, Lesson, Question, ReviewComment, ReviewLink, ReviewThread, Right, Submission
from apps.courses.models.review_thread import MAX_REVIEW_PICTURE_BYTES
from apps.courses.queries.review_places import anchor_of, name_change, name_place
from apps.courses.rights import teachers_of

MAX_MENTIONABLE = 40  # people whom forms of comments offer
MAX_ON_PAGE = 200  # threads of a lesson or of a version that one page shows; the list has all of them


@dataclass(frozen=True)
class ThreadRow:
    """A thread as pages show it."""

    thread: ReviewThread
    comments: list[ReviewComment]
    where: str
    """The place in words, such as "2.4 at 4:12"."""
    note: str
    """What became of the place since; empty if it is as it was."""
    lesson: Lesson | None
    """The lesson in the course that is shown; None for the course page and for a lesson that is gone."""
    anchor: str = ""
    """What leads from the address of the lesson in the studio to the place."""


@dataclass(frozen=True)
class Addresses:
    """Where the forms and pictures of the comments on a course lead. An expert's link has others."""

    course: Course
    max_picture_bytes: ClassVar[int] = MAX_REVIEW_PICTURE_BYTES

    @cached_property
    def people(self) -> list[tuple[str, str]]:
        """Username and name of those whom a comment can mention: who sees the course, and reviewers. One query."""
        staff = teachers_of(self.course, Right.VIEW).values("pk")
        found = User.objects.filter(Q(pk__in=staff) | Q(role=Role.ADMIN), is_active=True).order_by("username")
        return [(user.username, user.display_name) for user in found[:MAX_MENTIONABLE]]

    @property
    def add(self) -> str:
        return reverse("courses:studio-review-add", args=[self.course.slug])

    def answer(self, thread: ReviewThread) -> str:
        return reverse("courses:studio-review-answer", args=[self.course.slug, thread.uid])

    def state(self, thread: ReviewThread) -> str:
        """The address that resolves and reopens a thread; empty if the reader may not."""
        return reverse("courses:studio-review-state", args=[self.course.slug, thread.uid])

    def picture(self, comment: ReviewComment) -> str:
        return reverse("courses:studio-review-picture", args=[self.course.slug, comment.uid])

    def place(self, row: ThreadRow) -> str:
        """Where the place of a thread is changed; empty for the course page, and while the course is locked."""
        if row.lesson is None or self.course.status == Course.Status.REVIEW:
            return ""
        return reverse("courses:studio-lesson", args=[self.course.slug, row.lesson.slug]) + row.anchor

    def new_uid(self) -> str:
        """The uid of the comment that a form sends."""
        return uuid4().hex


def find_threads(
    course: Course, *, state: str = "", lessons: Collection[UUID | None] | None = None, submission: UUID | None = None
) -> QuerySet[ReviewThread]:
    """Return the threads of the course, last changed first, with their comments.

    ``state``: "open" or "resolved", otherwise all. ``lessons``: the uids of lessons, and None for the course page.
    """
    comments = ReviewComment.objects.select_related("author").order_by("written_at", "pk")
    found = (
        ReviewThread.objects.filter(course=course.live)
        .select_related("resolved_by", "submission")
        .prefetch_related(Prefetch("comments", comments))
        .order_by("-changed_at", "-pk")
    )
    if state in {"open", "resolved"}:
        found = found.filter(resolved_at__isnull=state == "open")
    if lessons is not None:
        named = Q(lesson_uid__in=[uid for uid in lessons if uid is not None])
        found = found.filter(named | Q(lesson_uid=None) if None in lessons else named)
    return found.filter(submission__uid=submission) if submission else found


def rows_of(threads: Iterable[ReviewThread], course: Course) -> list[ThreadRow]:
    """Return the threads with what became of their places in ``course``: the live one or its working copy.

    Two queries, besides those of the threads.
    """
    threads = list(threads)
    lessons = _lessons_of(threads, course)
    questions = _questions_of(threads, lessons)
    return [_row(thread, lessons, questions) for thread in threads]


def rows_of_lesson(course: Course, lesson: Lesson | None) -> list[ThreadRow]:
    """Return the threads of a lesson, or with None those of the course page, in the order of their places.

    At most ``MAX_ON_PAGE``, those that were changed last. Five queries.
    """
    found = find_threads(course, lessons=[lesson.tree_uid if lesson else None])[:MAX_ON_PAGE]
    return sorted(rows_of(found, course), key=_place_in_lesson)


def rows_by_lesson(
    course: Course, lessons: Collection[UUID | None] | None = None
) -> dict[UUID | None, list[ThreadRow]]:
    """Return the threads by the uid of their lesson, None for the course page, for pages that show several lessons.

    At most ``MAX_ON_PAGE`` in all, those that were changed last. Five queries.
    """
    grouped: dict[UUID | None, list[ThreadRow]] = defaultdict(list)
    for row in sorted(rows_of(find_threads(course, lessons=lessons)[:MAX_ON_PAGE], course), key=_place_in_lesson):
        grouped[row.thread.lesson_uid].append(row)
    return grouped


def rows_of_deleted_lessons(course: Course, lessons: Iterable[Lesson]) -> list[ThreadRow]:
    """Return the open threads about lessons that are not among ``lessons``, which are all that the course has now."""
    present = [lesson.tree_uid for lesson in lessons]
    found = find_threads(course, state="open").exclude(lesson_uid=None).exclude(lesson_uid__in=present)
    return rows_of(found[:MAX_ON_PAGE], course)


def rows_of_link(course: Course, link: ReviewLink, lesson: Lesson | None) -> list[ThreadRow]:
    """Return the threads of a lesson, or with None those of the course page, in which somebody wrote at this link."""
    found = find_threads(course, lessons=[lesson.tree_uid if lesson else None])
    return sorted(rows_of(found.filter(comments__link=link).distinct()[:MAX_ON_PAGE], course), key=_place_in_lesson)


def count_open_by_lesson(course: Course) -> dict[UUID | None, int]:
    """Return how many threads of each lesson are open; None stands for the course page. One query."""
    rows = (
        ReviewThread.objects.filter(course=course.live, resolved_at=None)
        .order_by()
        .values_list("lesson_uid")
        .annotate(count=Count("pk"))
    )
    return dict(rows)


def count_by_state(course: Course) -> dict[str, int]:
    """Return how many threads are "open", "required" of them, and "resolved". One query."""
    counts: dict[str, int] = ReviewThread.objects.filter(course=course.live).aggregate(
        open=Count("pk", filter=Q(resolved_at=None)),
        required=Count("pk", filter=Q(resolved_at=None, is_required=True)),
        resolved=Count("pk", filter=Q(resolved_at__isnull=False)),
    )
    return counts


def count_by_submission(submissions: Iterable[Submission]) -> dict[int, tuple[int, int]]:
    """Return by primary key how many threads were opened in each submission, and how many of them are open."""
    rows = (
        ReviewThread.objects.filter(submission__in=[one.pk for one in submissions])
        .order_by()
        .values_list("submission")
        .annotate(count=Count("pk"), left=Count("pk", filter=Q(resolved_at=None)))
    )
    return {pk: (count, left) for pk, count, left in rows}


def address_of(thread: ReviewThread) -> str:
    """Return the address of a thread in the list of the course's comments."""
    return f"{reverse('courses:studio-review', args=[thread.course.slug])}?thread={thread.uid}#t-{thread.uid}"


def _lessons_of(threads: list[ReviewThread], course: Course) -> dict[UUID, Lesson]:
    if not any(thread.lesson_uid for thread in threads):
        return {}
    lessons = Lesson.objects.filter(course=course).select_related("video").defer("video__facts")
    return {lesson.tree_uid: lesson for lesson in lessons}


def _questions_of(threads: list[ReviewThread], lessons: dict[UUID, Lesson]) -> dict[UUID, Question]:
    quizzes = [
        lessons[thread.lesson_uid].pk for thread in threads if thread.question_uid and thread.lesson_uid in lessons
    ]
    if not quizzes:
        return {}
    found = Question.objects.filter(quiz__lesson__in=quizzes, is_withdrawn=False)
    return {one.tree_uid: one for one in found}


def _row(thread: ReviewThread, lessons: dict[UUID, Lesson], questions: dict[UUID, Question]) -> ThreadRow:
    lesson = lessons.get(thread.lesson_uid) if thread.lesson_uid else None
    note = name_change(thread, lesson, questions)
    anchor = anchor_of(thread, lesson, questions)
    return ThreadRow(thread, list(thread.comments.all()), name_place(thread), note, lesson, anchor)


def _place_in_lesson(row: ThreadRow) -> tuple[bool, int, int, int]:
    thread = row.thread
    return (thread.is_resolved, thread.second or 0, thread.paragraph or 0, thread.pk)
