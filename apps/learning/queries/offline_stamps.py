"""What the stored page of a lesson shows, in short: devices fetch it again when this changes."""

from collections import defaultdict
from collections.abc import Iterable
from hashlib import sha256

from django.db.models import Count, Max, Q
from django.db.models.functions import MD5
from django.utils.translation import get_language

from apps.accounts.models import User
from apps.courses.models import Lesson, LessonDownload, Quiz
from apps.files.models import CaptionTrack
from apps.learning.models import Attempt, LessonProgress, Note

_OF_LESSON = (
    *("kind", "number", "title", "slug", "summary", "is_preview", "chapters", "file", "file_name"),
    *("section__title", "course__title", "course__slug", "course__version"),
    *("video__directory", "video__poster", "video__storyboard", "video__is_playable"),
)
_OF_QUIZ = (
    *("pass_percent", "max_attempts", "time_limit", "reveal", "retry_wait", "draw_count", "bank_count"),
    *("shuffle_questions", "shuffle_options"),
)
STAMP_LENGTH = 16


def stamps_of(lessons: Iterable[Lesson]) -> dict[int, str]:
    """Return a stamp of the content of each lesson, by primary key: the same in every process. Five queries.

    The questions of a quiz are not part of it: a device has them sealed, and keeps them until they are answered. The
    version of the course is, as the page lists all lessons.
    """
    pks = [lesson.pk for lesson in lessons]
    if not pks:
        return {}
    facts: dict[int, list[object]] = defaultdict(list)
    rows = Lesson.with_removed.filter(pk__in=pks).order_by("pk").annotate(body_digest=MD5("body"))
    for row in rows.values_list("pk", "body_digest", *_OF_LESSON):
        facts[row[0]] += row[1:]
    tracks = CaptionTrack.objects.filter(video__lessons__in=pks).annotate(digest=MD5("webvtt"))
    for pk, *row in tracks.order_by("language").values_list(
        "video__lessons", "uid", "language", "label", "origin", "digest"
    ):
        if pk in facts:
            facts[pk] += row
    downloads = LessonDownload.objects.filter(lesson__in=pks).order_by("position")
    for pk, *row in downloads.values_list("lesson", "uid", "name", "file__uid"):
        facts[pk] += row
    pool = Count("questions", filter=Q(questions__is_withdrawn=False, questions__removed_at=None))
    quizzes = Quiz.objects.filter(lesson__in=pks).annotate(pool=pool, intro_digest=MD5("intro")).order_by("pk")
    for pk, *row in quizzes.values_list("lesson", "pool", "intro_digest", *_OF_QUIZ):
        facts[pk or 0] += row
    language = get_language()
    return {pk: _stamp((language, *facts[pk])) for pk in pks}


def states_of(user: User, lessons: Iterable[Lesson]) -> dict[int, str]:
    """Return a stamp of what the learner has done in each lesson, by primary key. Three queries.

    It changes with what another browser of theirs does in it: progress, notes, also deleted ones, and attempts.
    """
    pks = [lesson.pk for lesson in lessons]
    if not pks:
        return {}
    facts: dict[int | None, list[object]] = defaultdict(list)
    progress = LessonProgress.objects.filter(enrollment__user=user, lesson__in=pks).order_by("pk")
    for pk, *row in progress.values_list("lesson", "position", "watched_seconds", "completed_at"):
        facts[pk] += row
    notes = Note.objects.of(user.pk).filter(lesson__in=pks).values("lesson").order_by()
    for note in notes.annotate(number=Count("pk"), latest=Max("updated_at")):
        facts[note["lesson"]] += note["number"], note["latest"]
    attempts = Attempt.objects.filter(enrollment__user=user, quiz__lesson__in=pks).order_by("pk")
    for pk, *row in attempts.values_list("quiz__lesson", "submitted_at", "percent", "waiting"):
        facts[pk] += row
    return {pk: _stamp(facts[pk]) for pk in pks}


def _stamp(facts: Iterable[object]) -> str:
    return sha256(repr(tuple(facts)).encode()).hexdigest()[:STAMP_LENGTH]
