"""Of which quizzes learners may see the right answers now."""

from collections.abc import Collection

from django.db.models import Count, Q

from apps.accounts.models import User
from apps.courses.models import Quiz
from apps.learning.models import Attempt, LearnerException


def quizzes_shown_to(user: User) -> list[int]:
    """Return the quizzes whose right answers the learner may see, by the rule of ``QuizAttempts.shows_answers``."""
    return [quiz for _, quiz in quizzes_shown_to_each([user.pk])]


def quizzes_shown_to_each(users: Collection[int]) -> list[tuple[int, int]]:
    """Return pairs of a learner and a quiz whose right answers they may see. ``users`` are primary keys.

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
            opened=Count("pk", filter=is_open),
            continuing=Count("pk", filter=is_open & Q(continues__isnull=False)),
            passed=Count("pk", filter=Q(is_passed=True) & ~is_open),
        )
        .order_by()
    )
    extra, reopened = _exceptions_of({user for user, *_rule, granted_at, _1, _2, _3, _4, _5 in rows if granted_at})
    shown = []
    for user, quiz, reveal, most, _granted_at, taken, submitted, opened, continuing, passed in rows:
        if not submitted or continuing or (user, quiz) in reopened:
            continue
        used_up = most and not opened and taken >= most + extra.get((user, quiz), 0)
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
