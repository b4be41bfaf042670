"""Up to when learners were notified of lessons that open by their date."""

from django.db import models


class OpeningCheck(models.Model):
    """The one row says which openings the next check looks at: those after ``checked_until``."""

    ONLY_PK = 1

    checked_until = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="one_opening_check")]

    def __str__(self) -> str:
        return f"{self.checked_until:%Y-%m-%d %H:%M}"
