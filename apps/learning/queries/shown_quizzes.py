"""Of which quizzes learners may see the right answers now."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db.models import Count, Max, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.models import Quiz
from apps.learning.models import Attempt, LearnerException
from apps.learning.quizzes.attempts import GRACE


def quizzes_shown_to(user: User, *, now: datetime | None = None) -> list[int]:
    """Return the quizzes whose right answers the learner may see, by the rule of ``QuizAttempts.shows_answers``."""
    return [quiz for _, quiz in quizzes_shown_to_each([user.pk], now=now)]


def quizzes_shown_to_each(users: Collection[int], *, now: datetime | None = None) -> list[tuple[int, int]]:
    """Return pairs of a learner and a quiz whose right answers they may see at this moment, or ``now``.

    ``users`` are primary keys. An attempt whose time is over counts as closed.

    One query, and one more if exceptions were granted to one of them.
    """
    is_open = Q(submitted_at=None)
    rows = list(
        Attempt.objects.filter(
            enrollment__user__in=users, enrollment__revoked_at__isnull=True, quiz__lesson__removed_at=None
        )
        .exclude(quiz__reveal=Quiz.Reveal.NEVER)
        .values_list("enrollment__user", "quiz_id", "quiz__reveal", "quiz__max_attempts", "enrollment__exceptions_at")
        .annotate(
            taken=Count("pk", filter=Q(continues=None)),
            submitted=Count("pk", filter=~is_open),
            # There is at most one open attempt.
            opened_at=Max("started_at", filter=is_open),
            limit=Max(Coalesce("time_limit", "quiz__time_limit"), filter=is_open),
            continuing=Count("pk", filter=is_open & Q(continues__isnull=False)),
            passed=Count("pk", filter=Q(is_passed=True) & ~is_open),
        )
        .order_by()
    )
    extra, reopened = _exceptions_of({user for user, _quiz, _reveal, _most, granted_at, *_counts in rows if granted_at})
    moment, shown = now or timezone.now(), []
    for user, quiz, reveal, most, _granted_at, taken, submitted, opened_at, limit, continuing, passed in rows:
        is_running = opened_at is not None and not (limit and moment > opened_at + timedelta(seconds=limit) + GRACE)
        if not submitted or (continuing and is_running) or (user, quiz) in reopened:
            continue
        used_up = most and not is_running and taken >= most + extra.get((user, quiz), 0)
        if reveal == Quiz.Reveal.ALWAYS or passed or used_up:
            shown.append((user, quiz))
    return shown


def _exceptions_of(users: Collection[int]) -> tuple[dict[tuple[int, int], int], set[tuple[int, int]]]:
    """Return how many more attempts learners have, and which can continue one: by user and quiz."""
    extra: dict[tuple[int, int], int] = {}
    reopened: set[tuple[int, int]] = set()
    if users:
        rows = LearnerException.objects.in_force().filter(enrollment__user__in=users, enrollment__revoked_at=None)
        rows = rows.exclude(kind=LearnerException.Kind.TIME).order_by()
        for user, quiz, kind, count in rows.values_list("enrollment__user", "quiz", "kind", "count"):
            if kind == LearnerException.Kind.REOPENED:
                reopened.add((user, quiz))
            else:
                extra[user, quiz] = extra.get((user, quiz), 0) + count
    return extra, reopened
