"""The reviewers' checklist of a submission."""

from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.errors import WrongCourseStatus
from apps.courses.models import Course, ReviewTick, Submission
from apps.courses.review_checklist import POINTS
from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.policies import enforce


def tick_point(*, course: Course, by: User, point: str, is_ticked: bool, now: datetime) -> None:
    """Check a point of the pending submission, or take it back. Of two reviewers the first one counts. Idempotent.

    :raises WrongCourseStatus: nothing is pending, for example because another admin has decided.
    """
    if point not in POINTS:
        raise ValidationFailed
    with transaction.atomic():
        enforce(policies.review_course(by, course))
        pending = course.live.submissions.select_for_update().filter(outcome=Submission.Outcome.PENDING).first()
        if pending is None:
            raise WrongCourseStatus(status_now=str(course.get_status_display()))
        if is_ticked:
            ReviewTick.objects.get_or_create(
                submission=pending, point=point, defaults={"ticked_by": by, "ticked_at": now}
            )
        else:
            ReviewTick.objects.filter(submission=pending, point=point).delete()
