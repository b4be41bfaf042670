"""What waits for those who write a course: suspensions, reviewers' requests, and what is under review."""

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from apps.accounts.models import User
from apps.courses.models import Appeal, Course, Right, StatusChange, Submission

Status = Course.Status
Outcome = Submission.Outcome
RETURNED = (Outcome.CHANGES_REQUESTED, Outcome.REJECTED)
MAX_COURSES_NAMED = 10


def courses_in_need(user: User) -> QuerySet[Course]:
    """Return the courses that are suspended, returned by a reviewer, or under review, and that the user edits.

    ``edited_status``: of the course, or of its next version if one was begun. ``last_outcome``, ``last_comment``,
    ``submitted_at``, ``decided_at``: of the newest submission that was not withdrawn. ``suspended_at``, ``reason``: of
    the last suspension, and ``is_appealed``: whether admins read an appeal of it. One query, the longest waiting first.
    """
    newest = Submission.objects.filter(course=OuterRef("pk")).exclude(outcome=Outcome.WITHDRAWN).order_by("-pk")
    suspensions = StatusChange.objects.filter(course=OuterRef("pk"), became=Status.SUSPENDED).order_by("-pk")
    rows = Course.objects.taught_by(user.pk, Right.EDIT).annotate(
        edited_status=Coalesce(F("working_copy__status"), F("status")),
        last_outcome=Subquery(newest.values("outcome")[:1]),
        last_comment=Subquery(newest.values("comment")[:1]),
        submitted_at=Subquery(newest.values("submitted_at")[:1]),
        decided_at=Subquery(newest.values("decided_at")[:1]),
        suspended_at=Subquery(suspensions.values("changed_at")[:1]),
        reason=Subquery(suspensions.values("reason")[:1]),
        is_appealed=Exists(Appeal.objects.filter(course=OuterRef("pk"), outcome=Appeal.Outcome.PENDING)),
    )
    is_returned = Q(edited_status=Status.DRAFT, last_outcome__in=RETURNED)
    # What was said about a version that was discarded is not about the one that was begun since.
    is_returned &= Q(working_copy=None) | Q(decided_at__gt=F("working_copy__draft__begun_at"))
    rows = rows.filter(Q(status=Status.SUSPENDED) | is_returned | Q(last_outcome=Outcome.PENDING))
    return rows.defer("description", "outcomes", "before_you_begin", "plate").order_by("updated_at", "pk")
