"""What stored counts of learners need besides the job that keeps them (`apps.learning.analytics`)."""

from apps.learning.models import EnrollmentRollup


def forget_rollups(*, user_id: int) -> None:
    """Delete what lists of learners show of a user whose account was deleted. Idempotent."""
    EnrollmentRollup.objects.filter(enrollment__user=user_id).delete()
