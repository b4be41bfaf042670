"""What stored counts of learners need besides the job that keeps them (`apps.learning.analytics`)."""

from apps.learning.models import EnrollmentRollup, TeacherDay, TeacherRollup


def forget_rollups(*, user_id: int) -> None:
    """Delete the counts of a deleted account: of its learning, and of those whom it taught. Idempotent."""
    EnrollmentRollup.objects.filter(enrollment__user=user_id).delete()
    TeacherDay.objects.filter(user=user_id).delete()
    TeacherRollup.objects.filter(user=user_id).delete()
