"""How many learners are in the lessons of a course, and which removed lessons they have worked in."""

from collections.abc import Collection

from django.db.models import Count, Q

from apps.courses.services import lesson_holds, question_holds
from apps.learning.models import Attempt, LessonProgress, PracticeCard
from studyplatform.kit.extensions import lesson_learners


@lesson_learners.registers("progress")
def count_in_lessons(course_id: int) -> dict[int, tuple[int, int]]:
    """Return how many enrolled learners began each lesson of a course, and how many completed it. One query."""
    rows = (
        LessonProgress.objects.filter(enrollment__course=course_id, enrollment__revoked_at=None)
        .order_by()
        .values("lesson_id")
        .annotate(began=Count("pk"), completed=Count("pk", filter=Q(completed_at__isnull=False)))
    )
    return {row["lesson_id"]: (row["began"], row["completed"]) for row in rows}


@lesson_holds.registers("progress")
def lessons_with_work(lessons: Collection[int]) -> set[int]:
    """Return those of the lessons that a learner has opened, or whose quiz was attempted. Two queries."""
    opened = LessonProgress.objects.filter(lesson__in=lessons).values_list("lesson_id", flat=True)
    attempted = Attempt.objects.filter(quiz__lesson__in=lessons).values_list("quiz__lesson_id", flat=True)
    return {*opened, *(pk for pk in attempted if pk is not None)}


@question_holds.registers("practice")
def questions_with_cards(questions: Collection[int]) -> set[int]:
    """Return those of the questions of which a learner has a practice card. One query."""
    cards = PracticeCard.objects.filter(question__in=questions).values_list("question_id", flat=True)
    return {pk for pk in cards if pk is not None}
