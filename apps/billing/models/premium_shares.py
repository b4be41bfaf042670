"""How each month of Premium was shared among the courses that subscribers watched."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from apps.courses.models import Course


class PremiumMonth(models.Model):
    """A month of Premium that was shared, in one currency. The row exists once: it decides who shares the month."""

    month = models.DateField(help_text="Its first day.")
    currency = models.CharField(max_length=3)
    pool = models.BigIntegerField(
        default=0, help_text="What was shared, in minor units: negative if more was refunded of earlier months."
    )
    seconds = models.PositiveBigIntegerField(default=0, help_text="What subscribers watched.")
    share = models.PositiveSmallIntegerField(help_text="The instructors' share in hundredths of a percent.")
    shared_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["month", "currency"], name="a_month_is_shared_once"),
            models.CheckConstraint(condition=Q(share__lte=10_000), name="premium_share_is_at_most_everything"),
        ]

    def __str__(self) -> str:
        return f"{self.month:%Y-%m} {self.currency}"


class PremiumContribution(models.Model):
    """What a subscriber's payments brought to a month: earned until its end, and not in an earlier month.

    Never negative: what is refunded after it was shared lowers the subscriber's own later contributions.
    """

    shared = models.ForeignKey(PremiumMonth, models.PROTECT, related_name="contributions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="premium_contributions")
    amount = models.PositiveBigIntegerField(help_text="Without tax, in minor units.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["shared", "user"], name="one_premium_contribution_per_month")]

    def __str__(self) -> str:
        return f"{self.shared_id} {self.user_id}: {self.amount}"


class PremiumEarning(models.Model):
    """What one course had of a month of Premium, for each who earns from it. The ledger has the same amounts."""

    shared = models.ForeignKey(PremiumMonth, models.PROTECT, related_name="earnings")
    course = models.ForeignKey(Course, models.PROTECT, related_name="premium_earnings")
    instructor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="premium_earnings")
    seconds = models.PositiveBigIntegerField(help_text="What subscribers watched of the course.")
    part = models.PositiveBigIntegerField(help_text="The course's part of the pool, in minor units.")
    earned = models.PositiveBigIntegerField(help_text="The instructor's share of this part, in minor units.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["shared", "course", "instructor"], name="one_premium_earning_per_course_and_user"
            )
        ]

    def __str__(self) -> str:
        return f"{self.shared_id} {self.course_id}: {self.earned}"
