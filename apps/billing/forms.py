"""Forms of the billing pages."""

import re
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from stdnum import bic, iban
from stdnum.exceptions import ValidationError as InvalidNumber
from stdnum.us import rtn

from apps.accounts.models import User
from apps.billing.access import access_to
from apps.billing.services.bank_returns import ReturnAccount
from apps.courses.models import Course
from studyplatform.kit.names import NameFormField, VisibleTextField

ROUTING_LENGTH = 9


class PayoutDetails(forms.Form):
    """A bank account: an IBAN, or another account number with the code of its bank."""

    holder = NameFormField(
        label=_("Account holder"),
        max_length=120,
        help_text=_("Exactly as your bank writes it."),
        error_messages={"required": _("Enter the name of the account holder.")},
    )
    number = forms.CharField(
        label=_("IBAN or account number"),
        max_length=60,
        help_text=_("Stored encrypted. Only the last four characters are shown."),
        error_messages={"required": _("Enter an account number.")},
    )
    bank_code = forms.CharField(
        label=_("BIC or routing number"),
        max_length=20,
        required=False,
        help_text=_("Not needed for an IBAN."),
    )

    def clean_number(self) -> str:
        """The number without spaces. An IBAN is checked by its check digits and the length of its country."""
        number = re.sub(r"[\s-]", "", self.cleaned_data["number"]).upper()
        if number[:2].isalpha():
            if not iban.is_valid(number):
                raise ValidationError(_("This IBAN is not valid. Check it for a typing error."))
        elif not re.fullmatch(r"\d{4,17}", number):
            raise ValidationError(_("Enter an IBAN, or an account number of 4 to 17 digits."))
        return number

    def clean_bank_code(self) -> str:
        code = re.sub(r"[\s-]", "", self.cleaned_data["bank_code"]).upper()
        if not code:
            return ""
        try:
            return str(rtn.validate(code) if code.isdecimal() and len(code) == ROUTING_LENGTH else _bank_code(code))
        except InvalidNumber:
            raise ValidationError(_("This bank code is not valid. Check it for a typing error.")) from None

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        number = values.get("number", "")
        if number.isdecimal() and not values.get("bank_code") and "bank_code" not in self.errors:
            self.add_error("bank_code", _("Enter the BIC or routing number of the bank."))
        return values


def _bank_code(code: str) -> str:
    """Codes of other countries have 5 to 8 digits, such as sort codes."""
    return code if re.fullmatch(r"\d{5,8}", code) else str(bic.validate(code))


class ReceiptEmail(forms.Form):
    """Where the receipts of Premium go."""

    email = forms.EmailField(
        label=_("Email address"),
        max_length=254,
        error_messages={"required": _("Enter an email address."), "invalid": _("Enter a valid email address.")},
    )


class DecideRefund(forms.Form):
    """An admin's decision about a refund request."""

    decision = forms.ChoiceField(
        choices=[("grant", _("Refund")), ("decline", _("Decline"))],
        error_messages={"required": _("Choose whether to refund the payment.")},
    )
    reason = VisibleTextField(label=_("Reason"), max_length=500, error_messages={"required": _("Enter a reason.")})


def free_seats_field(free: int) -> forms.IntegerField:
    """Return a field for how many of the ``free`` seats of a payment end."""
    unclear = _("Enter how many seats to close, or 0.")
    too_many = ngettext("Only %(num)d seat is free.", "Only %(num)d seats are free.", free) % {"num": free}
    return forms.IntegerField(
        label=_("Free seats to close"),
        min_value=0,
        max_value=free,
        error_messages={"required": unclear, "invalid": unclear, "min_value": unclear, "max_value": too_many},
    )


class AdminRefund(forms.Form):
    """A refund that an admin makes: all of a payment, or a part of it."""

    amount = forms.DecimalField(
        label=_("Amount"),
        min_value=Decimal("0.01"),
        max_digits=10,
        decimal_places=2,
        error_messages={"required": _("Enter an amount.")},
    )
    reason = VisibleTextField(label=_("Reason"), max_length=500, error_messages={"required": _("Enter a reason.")})

    def __init__(self, *args: Any, free_seats: int | None = None, **more: Any) -> None:
        """``free_seats``: of a payment for seats; None for others, which have no such field."""
        super().__init__(*args, **more)
        if free_seats is not None:
            self.fields["seats"] = free_seats_field(free_seats)


class CloseSeats(forms.Form):
    """How many free seats an admin closes, because their money went back."""

    def __init__(self, *args: Any, free_seats: int, **more: Any) -> None:
        super().__init__(*args, **more)
        self.fields["seats"] = free_seats_field(free_seats)


class GrantCourse(forms.Form):
    """A course that an admin gives to a learner."""

    person = forms.CharField(
        label=_("Learner"),
        max_length=254,
        help_text=_("Email or username"),
        error_messages={"required": _("Enter the learner's email or username.")},
    )
    course = forms.CharField(
        label=_("Course"),
        max_length=80,
        help_text=_("The last part of its link, such as linear-algebra"),
        error_messages={"required": _("Choose the course.")},
    )
    reason = VisibleTextField(
        label=_("Reason"),
        max_length=200,
        help_text=_("The learner sees this."),
        validators=[RegexValidator(r"\A[^\x00-\x1f]*\Z", _("Enter the reason on one line."))],
        error_messages={"required": _("Enter a reason.")},
    )

    def clean_person(self) -> User:
        text = self.cleaned_data["person"]
        person = User.objects.filter(Q(email__iexact=text) | Q(username__iexact=text), is_active=True).first()
        if person is None:
            raise ValidationError(_("No active account has this email or username."))
        return person

    def clean_course(self) -> Course:
        course = Course.objects.listed().filter(slug=self.cleaned_data["course"], published_at__isnull=False).first()
        if course is None:
            raise ValidationError(_("No published course has this link."))
        return course

    def clean(self) -> dict[str, Any]:
        """What the learner has for good needs no grant."""
        found = super().clean() or {}
        person, course = found.get("person"), found.get("course")
        if person is not None and course is not None:
            access = access_to(person, course)
            if access is not None and access.lasts:
                self.add_error(
                    "person", _("This learner already has access to “%(course)s”.") % {"course": course.title}
                )
        return found


class RefundForm(forms.Form):
    """Why a learner wants their money back. ``told``: which rule the page said applies."""

    told = forms.ChoiceField(choices=[("immediate", ""), ("decision", "")], required=False, widget=forms.HiddenInput)
    reason = VisibleTextField(
        label=_("Reason"),
        max_length=1000,
        widget=forms.Textarea,
        error_messages={"required": _("Tell us why you'd like a refund.")},
    )
    agrees = forms.BooleanField(
        label=_("I understand that a refund ends my access to the course"),
        error_messages={"required": _("Confirm that you'll lose access to the course.")},
    )


class TransferRefundForm(PayoutDetails, RefundForm):
    """The same for a payment by bank transfer, with the account to which it goes back."""

    field_order = ["told", "reason", "holder", "number", "bank_code", "agrees"]

    def account(self) -> ReturnAccount:
        """The account, once the form is valid."""
        return ReturnAccount(**{name: self.cleaned_data[name] for name in ("holder", "number", "bank_code")})


class AdminTransferRefund(AdminRefund):
    """A refund that an admin makes by bank transfer. The account can be named later."""

    by_transfer = forms.BooleanField(required=False, label=_("Return it by bank transfer"))
