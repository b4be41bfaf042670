"""The question bank of a course for its staff: its questions, their tags, and where they are used."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Exists, F, OuterRef, Prefetch, Q, QuerySet

from apps.courses.imports.fingerprints import fingerprint_of
from apps.courses.models import Course, Lesson, Question, QuestionTag, Quiz, QuizDraw

PAGE_SIZE = 20
MAX_SEARCH_WORDS = 10


def questions_in_bank(course: Course, *, words: str = "", tag: int = 0) -> QuerySet[Question]:
    """Return the questions of the bank, the newest first, with their tags. ``words`` are searched in their prompts."""
    found = Question.objects.filter(quiz__course=course).order_by("-position")
    for word in words.split()[:MAX_SEARCH_WORDS]:
        found = found.filter(prompt__icontains=word)
    if tag:
        found = found.filter(tags=tag)
    return found.prefetch_related(Prefetch("tags", QuestionTag.objects.order_by("name")))


def tags_of_bank(course: Course) -> list[QuestionTag]:
    """Return the tags that a question of the bank or a draw has, with ``question_count``, by name. One query.

    Tags that only questions of quizzes have are left out: nothing can be found or drawn by them.
    """
    live = Count("questions", filter=Q(questions__removed_at=None, questions__quiz__course=course), distinct=True)
    tags = QuestionTag.objects.filter(bank__course=course).annotate(question_count=live)
    is_drawn = Exists(QuizDraw.tags.through.objects.filter(questiontag=OuterRef("pk")))
    return list(tags.filter(Q(question_count__gt=0) | is_drawn).order_by("name"))


def draws_of_course(course: Course) -> list[QuizDraw]:
    """Return everything that quizzes of the course draw from the bank. Two queries."""
    draws = QuizDraw.objects.filter(quiz__lesson__course=course, quiz__lesson__removed_at=None).select_related(
        "quiz__lesson"
    )
    return list(draws.prefetch_related("tags"))


def uses_of(question: Question, draws: list[QuizDraw]) -> list[Lesson]:
    """Return the quizzes that can ask a question of the bank, each once. Its tags are loaded."""
    tags = {tag.pk for tag in question.tags.all()}
    found: dict[int, Lesson] = {}
    for draw in draws:
        is_linked = draw.question_id == question.pk
        if is_linked or (draw.question_id is None and {tag.pk for tag in draw.tags.all()} <= tags):
            found[draw.quiz.lesson.pk] = draw.quiz.lesson
    return list(found.values())


@dataclass(frozen=True)
class DrawRow:
    """What a quiz draws, as its panel shows it. ``available``: how many questions can be drawn."""

    draw: QuizDraw
    available: int

    @property
    def tags(self) -> str:
        """The names of the tags, as a list in a sentence."""
        return ", ".join(sorted(tag.name for tag in self.draw.tags.all()))


def draw_rows(quiz: Quiz) -> list[DrawRow]:
    """Return what a quiz draws from the bank, in order. One query without draws, otherwise four."""
    draws = list(quiz.draws.order_by("position").select_related("question").prefetch_related("tags"))
    if not draws:
        return []
    questions = Question.objects.filter(quiz__course=quiz.of_course, is_withdrawn=False).prefetch_related("tags")
    tags_of = {one.pk: {tag.pk for tag in one.tags.all()} for one in questions}
    rows = []
    for draw in draws:
        wanted = {tag.pk for tag in draw.tags.all()}
        if draw.question_id is not None:
            rows.append(DrawRow(draw, int(draw.question_id in tags_of)))
        else:
            rows.append(DrawRow(draw, sum(wanted <= tags for tags in tags_of.values())))
    return rows


def questions_beside(lesson: Lesson, *, words: str = "") -> QuerySet[Question]:
    """Return the questions of the course outside of this quiz: those of its bank first. ``words`` as for the bank."""
    course = lesson.course
    found = Question.objects.filter(
        Q(quiz__course=course) | Q(quiz__lesson__course=course, quiz__lesson__removed_at=None)
    ).exclude(quiz__lesson=lesson)
    for word in words.split()[:MAX_SEARCH_WORDS]:
        found = found.filter(prompt__icontains=word)
    return found.select_related("quiz__lesson").order_by(
        F("quiz__lesson").asc(nulls_first=True), "quiz__lesson__number", "position"
    )


def presence_of(questions: Iterable[Question], lesson: Lesson) -> dict[int, str]:
    """Return how a quiz has each of these questions already: "linked", "copied" (it has one that says the same), ""."""
    linked = set(lesson.quiz.draws.values_list("question", flat=True))
    copied = {fingerprint_of(one) for one in lesson.quiz.questions.all()}
    return {
        one.pk: "linked" if one.pk in linked else "copied" if fingerprint_of(one) in copied else "" for one in questions
    }
