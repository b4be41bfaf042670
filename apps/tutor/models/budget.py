"""What models may cost."""

from typing import Any

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise


def _amount(verbose: StrOrPromise, help_text: StrOrPromise) -> "models.DecimalField[Any, Any]":
    return models.DecimalField(
        verbose,
        max_digits=12,
        decimal_places=2,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text=help_text,
    )


class TutorBudget(models.Model):
    """What the tutor's model may cost in a calendar month (UTC), in the currency of its prices. One row, of an admin.

    An empty amount is no limit. Once one is used up, the search answers until the month ends.
    """

    per_user = _amount(_("per user"), _("In a month. Empty: no limit."))
    per_course = _amount(_("per course"), _("In a month, for chats about one course. Empty: no limit."))
    whole_site = _amount(_("whole site"), _("In a month. Empty: no limit."))

    class Meta:
        verbose_name = _("budget of the tutor")
        verbose_name_plural = _("budgets of the tutor")
        constraints = [models.CheckConstraint(condition=Q(pk=1), name="one_budget_of_the_tutor")]

    def __str__(self) -> str:
        return str(_("Budget of the tutor"))
