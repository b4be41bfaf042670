"""What is asked about lessons."""

from collections.abc import Iterable
from uuid import UUID

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.models import Course, Lesson
from apps.forum.models import Board, Topic
from apps.forum.queries.lists import with_marks
from studyplatform.kit.errors import NotFound
from studyplatform.kit.extensions import Discussion

MOST = 500  # newest topics about the lessons of a course that are counted
SHOWN = 50  # topics about one lesson


def draft_key(lesson: int) -> str:
    """The key of the draft of a question that is written on the page of a lesson."""
    return f"ask-{lesson}"


def discussion_of(lesson: Lesson, user: AnyUser) -> Discussion | None:
    """The visible topics about the lessons of a course, as one of its lessons shows them.

    The page of a lesson that the user may open: so they may read its board, unless the course is not published yet.
    Visitors see nothing but the link, as their pages are cached. One query, none for visitors.
    """
    if lesson.course.status in {Course.Status.DRAFT, Course.Status.REVIEW}:
        return None
    path = f"/forum/lessons/{lesson.uid}"
    if not isinstance(user, User):
        return Discussion(path=path)
    topics = Topic.objects.listed_for(user).filter(board__course=lesson.course_id, lesson__isnull=False)
    counts: dict[int, int] = {}
    marks, links, questions = [], [], 0
    columns = ("lesson", "kind", "reply_count", "second", "title", "pk")
    rows = topics.order_by("-last_post_at", "-pk").values_list(*columns)
    for pk, kind, replies, second, title, topic in rows[:MOST]:
        if kind == Topic.Kind.QUESTION and replies:
            counts[pk] = counts.get(pk, 0) + 1
        if pk == lesson.pk:
            questions += 1
            if second is not None:
                marks.append((second, title))
                links.append((second, title, f"/forum/topics/{topic}", replies))
    return Discussion(path=path, questions=questions, counts=counts, marks=sorted(marks), links=sorted(links))


def at_seconds(topics: Iterable[Topic]) -> list[tuple[int, str, str, int]]:
    """Second, title, address and number of replies of the topics at a second of a video, in the order of the video."""
    return sorted((one.second, one.title, one.path, one.reply_count) for one in topics if one.second is not None)


def topics_about(uid: UUID, user: AnyUser) -> tuple[Lesson, Board, list[Topic]]:
    """A lesson, the board of its course, and the newest topics about the lesson that the user may read. Four queries.

    :raises NotFound: there is no such lesson, or the user may not read the board.
    """
    lesson = Lesson.objects.select_related("course").filter(uid=uid).first()
    board = Board.objects.seen_by(user).filter(course=lesson.course_id).first() if lesson else None
    if lesson is None or board is None:
        raise NotFound
    topics = Topic.objects.listed_for(user).filter(lesson=lesson, board=board)
    return lesson, board, list(with_marks(topics, user).order_by("-last_post_at", "-pk")[:SHOWN])
