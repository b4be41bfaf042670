"""The form of what admins post by hand."""

import uuid
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.billing.models import ManualEntry
from studyplatform.kit.names import VisibleTextField
from studyplatform.kit.text.money import minor_units

MAX_DIGITS = 12
FIRST_DAY = date(2000, 1, 1)  # before any site began
_ONE_LINE = RegexValidator(r"\A[^\x00-\x1f]*\Z", _("Enter it on one line."))


class ManualEntryForm(forms.Form):
    """Money that moved at the platform's own bank. ``uid``: of the entry, so that a form sent twice posts once."""

    uid = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)
    kind = forms.ChoiceField(
        label=_("What happened"),
        choices=ManualEntry.Kind.choices,
        error_messages={"required": _("Choose what happened.")},
    )
    amount = forms.DecimalField(
        label=_("Amount"),
        min_value=Decimal("0.001"),
        max_digits=MAX_DIGITS,
        decimal_places=3,
        error_messages={"required": _("Enter an amount."), "min_value": _("Enter an amount above zero.")},
    )
    currency = forms.ChoiceField(label=_("Currency"), error_messages={"required": _("Choose the currency.")})
    day = forms.DateField(
        label=_("Date"),
        help_text=_("When your bank moved the money."),
        error_messages={"required": _("Enter the date."), "invalid": _("Enter a date such as 2026-11-30.")},
    )
    period = VisibleTextField(
        label=_("Period"),
        max_length=60,
        required=False,
        validators=[_ONE_LINE],
        help_text=_("What the tax is for, such as 2026-Q3."),
    )
    reference = VisibleTextField(
        label=_("Reference"),
        max_length=140,
        required=False,
        validators=[_ONE_LINE],
        help_text=_("The number of the tax return or of the bank statement."),
    )

    def __init__(self, *args: Any, currencies: Iterable[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = sorted({settings.CURRENCY, *currencies})
        self.fields["currency"].choices = [(code, code.upper()) for code in known]  # type: ignore[attr-defined]
        self.initial.setdefault("currency", settings.CURRENCY)

    def clean_day(self) -> Any:
        day = self.cleaned_data["day"]
        if day > timezone.localdate():
            raise ValidationError(_("The date is in the future."))
        if day < FIRST_DAY:
            raise ValidationError(_("The date is too long ago."))
        return day

    def clean(self) -> dict[str, Any]:
        """The amount in minor units, as ``minor_amount``."""
        values = super().clean() or {}
        if "amount" in values and "currency" in values:
            amount = values["amount"] * minor_units(values["currency"])
            if amount % 1:
                self.add_error("amount", _("This currency has fewer decimals."))
            values["minor_amount"] = int(amount)
        return values
