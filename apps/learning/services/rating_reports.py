"""Readers report ratings, and admins decide about them."""

from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.learning import rating_policies
from apps.learning.errors import RatingChanged
from apps.learning.models import Rating, RatingDecision, RatingReport
from apps.learning.services.ratings import correct_quotes, count_ratings, locked
from studyplatform.kit.policies import enforce
from studyplatform.kit.web import rate_limits

Kind = RatingDecision.Kind


def report_rating(*, rating: Rating, user: User, reason: str, comment: str, now: datetime) -> None:
    """Report a rating to the admins. A second report of a user counts only if the text has changed since the decision.

    :raises NotFound: the rating isn't shown.
    :raises OwnRatingJudged: it is the user's own.
    :raises RateLimitExceeded: too many reports within an hour.
    :raises ValueError: there is no such reason.
    """
    said = {"reason": RatingReport.Reason(reason), "comment": comment.strip()[:500]}
    with locked(rating) as row:
        enforce(rating_policies.judge(user, row))
        rate_limits.consume("rating_report", str(user.pk), now=now)
        found, is_new = RatingReport.objects.get_or_create(rating=row, user=user, defaults={**said, "created_at": now})
        if not is_new and found.decided_at is not None and found.decided_at < row.updated_at:
            again = {**said, "created_at": now, "state": RatingReport.State.OPEN, "decided_at": None}
            RatingReport.objects.filter(pk=found.pk).update(**again)


def decide_rating(*, rating: Rating, by: User, kind: str, seen: str, reason: str, now: datetime) -> None:
    """Hide a rating, keep it, or show it again, and write a line in the log.

    :param seen: when the text that the admin read was last changed, in ISO format.
    :raises NotFound: the user is no admin.
    :raises RatingChanged: the text has changed since, or it was decided already.
    :raises ValueError: there is no such decision.
    """
    enforce(rating_policies.decide(by))
    decision = Kind(kind)
    with transaction.atomic(), locked(rating) as row:
        is_fit = (row.hidden_at is not None) == (decision == Kind.SHOW) and (
            decision != Kind.KEEP or row.reports.filter(state=RatingReport.State.OPEN).exists()
        )
        if row.updated_at.isoformat() != seen or not is_fit:
            raise RatingChanged
        if decision != Kind.KEEP:
            row.hidden_at = now if decision == Kind.HIDE else None
            row.save(update_fields=["hidden_at"])
            correct_quotes(row)
            count_ratings(row.course_id)
        state = RatingReport.State.UPHELD if decision == Kind.HIDE else RatingReport.State.DISMISSED
        row.reports.filter(state=RatingReport.State.OPEN).update(state=state, decided_at=now)
        RatingDecision.objects.create(rating=row, admin=by, kind=decision, reason=reason.strip()[:500], decided_at=now)
