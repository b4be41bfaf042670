"""The form of a promo code."""

import re
import unicodedata
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db.models import Max, Q
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User
from apps.accounts.queries import zone_of
from apps.billing.models import PromoCode
from apps.billing.plans import offers
from apps.billing.services import PromoLimits, PromoTerms
from apps.courses.models import Course
from studyplatform.kit.text.money import minor_units, money, plain_amount, price_step

Scope = PromoCode.Scope
TERMS = ("code", "kind", "percent", "amount", "scope", "course", "instructor")
DAYS = [
    MinValueValidator(date(2000, 1, 1), _("Enter a date after 1999.")),
    MaxValueValidator(date(2099, 12, 31), _("Enter a date before 2100.")),
]  # years that calendars can reckon with
PERCENT = _("Enter a whole number from 1 to 100.")
USES = _("Enter a whole number from 1 to 1,000,000.")
USES_OF_LEARNER = _("Enter a whole number from 1 to 1,000.")


def discountable(user: User) -> Any:
    """Return the courses for which the user may give a code: those with a price, drafts too."""
    priced = Course.objects.filter(pricing=Course.Pricing.ONE_TIME, price__gt=0).order_by("title")
    return priced if user.is_admin else priced.taught_by(user.pk)


class PromoCodeForm(forms.Form):
    """A promo code. The days are whole days in the time zone of the user, the last one included."""

    code = forms.CharField(
        label=_("Code"),
        min_length=3,
        max_length=24,
        help_text=_("Letters, digits and hyphens. Capitals don't matter."),
        error_messages={"required": _("Enter the code.")},
    )
    kind = forms.ChoiceField(
        label=_("Discount"),
        choices=[("percent", _("Percent")), ("amount", _("Amount"))],
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose a kind of discount.")},
    )
    percent = forms.IntegerField(
        label=_("Percent off"),
        required=False,
        error_messages={"invalid": PERCENT},
    )
    amount = forms.DecimalField(
        label=_("Amount off"),
        required=False,
        max_digits=8,
        decimal_places=2,
        error_messages={"invalid": _("Enter an amount, such as 10 or 9.50.")},
    )
    scope = forms.ChoiceField(
        label=_("For"), widget=forms.RadioSelect, error_messages={"required": _("Choose what the code applies to.")}
    )
    course = forms.CharField(label=_("Course"), required=False, max_length=200)
    instructor = forms.CharField(label=_("Instructor"), required=False, max_length=254)
    limit = forms.IntegerField(
        label=_("Uses in total"),
        required=False,
        min_value=1,
        max_value=1_000_000,
        error_messages={"invalid": USES, "min_value": USES, "max_value": USES},
    )
    limit_per_user = forms.IntegerField(
        label=_("Uses per learner"),
        min_value=1,
        max_value=1000,
        error_messages={
            "required": _("Enter how often each learner can use the code."),
            "invalid": USES_OF_LEARNER,
            "min_value": USES_OF_LEARNER,
            "max_value": USES_OF_LEARNER,
        },
    )
    first_day = forms.DateField(
        label=_("First day"), required=False, validators=DAYS, widget=forms.DateInput(attrs={"type": "date"})
    )
    last_day = forms.DateField(
        label=_("Last day"), required=False, validators=DAYS, widget=forms.DateInput(attrs={"type": "date"})
    )

    def __init__(
        self,
        data: Any = None,
        *,
        user: User,
        now: datetime,
        code: PromoCode | None = None,
        is_used: bool = False,
        course: str = "",
    ) -> None:
        """``code``: the one that is edited. ``is_used``: its terms are fixed. ``course``: a slug to begin with."""
        self.user, self.now, self.known, self.is_used, self.zone = user, now, code, is_used, zone_of(user)
        super().__init__(data, initial=self._initial(code, course))
        if is_used:
            for name in TERMS:
                del self.fields[name]
            return
        scopes = [Scope.COURSE, Scope.INSTRUCTOR]
        if user.is_admin:
            scopes += [Scope.ALL, Scope.PREMIUM]
        else:
            del self.fields["instructor"]
            titles = discountable(user).values_list("slug", "title")
            self.fields["course"] = forms.ChoiceField(
                label=_("Course"), required=False, choices=[("", _("Choose a course")), *titles]
            )
        own = {Scope.INSTRUCTOR: _("All my courses")} if not user.is_admin else {}
        self.fields["scope"].choices = [(each.value, own.get(each, each.label)) for each in scopes]  # type: ignore[attr-defined]

    def _initial(self, code: PromoCode | None, course: str) -> dict[str, Any]:
        if code is None:
            return {"kind": "percent", "scope": Scope.COURSE, "course": course, "limit_per_user": 1}
        return {
            "code": code.code,
            "kind": "percent" if code.percent is not None else "amount",
            "percent": code.percent,
            "amount": plain_amount(code.amount, code.currency) if code.amount is not None else None,
            "scope": code.scope,
            "course": code.course.slug if code.course else "",
            "instructor": code.instructor.username if code.instructor else "",
            "limit": code.limit,
            "limit_per_user": code.limit_per_user,
            **dict(zip(("first_day", "last_day"), period_of(code, self.user), strict=True)),
        }

    @property
    def courses(self) -> Iterator[tuple[str, str]]:
        """Slugs and titles that the field of an admin suggests."""
        yield from discountable(self.user).values_list("slug", "title")[:200]

    def clean_code(self) -> str:
        """The name in capitals."""
        text: str = self.cleaned_data["code"]
        if any(unicodedata.category(letter) in {"Cf", "Cc", "Co", "Cn", "Mn"} for letter in text):
            raise ValidationError(_("This contains an invisible character. Type the code instead of pasting it."))
        if not re.fullmatch(r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*", text):
            raise ValidationError(_("Use letters from A to Z, digits, and hyphens between them."))
        return text.upper()

    def clean_course(self) -> Course | None:
        slug = self.cleaned_data["course"].strip()
        if not slug or self.data.get("scope") != Scope.COURSE:
            return None
        course: Course | None = discountable(self.user).filter(slug=slug).first()
        if course is None:
            raise ValidationError(_("No course with a price has this link."))
        return course

    def clean_instructor(self) -> User | None:
        text = self.cleaned_data["instructor"].strip()
        if not text or self.data.get("scope") != Scope.INSTRUCTOR:
            return None
        person = User.objects.filter(Q(email__iexact=text) | Q(username__iexact=text), is_active=True).first()
        if person is None or not person.can_teach:
            raise ValidationError(_("No instructor has this username or email."))
        return person

    def clean(self) -> dict[str, Any]:
        found = super().clean() or {}
        if not self.is_used:
            self._check_scope(found)
            self._check_discount(found)
        first, last = found.get("first_day"), found.get("last_day")
        if first and last and last < first:
            self.add_error("last_day", _("The last day is before the first one."))
        elif last and "last_day" in self.changed_data and last < self.now.astimezone(self.zone).date():
            self.add_error("last_day", _("This day has passed."))
        return found

    def _check_scope(self, found: dict[str, Any]) -> None:
        scope = found.get("scope")
        if scope == Scope.COURSE and not found.get("course") and "course" not in self.errors:
            self.add_error("course", _("Choose the course."))
        if scope == Scope.INSTRUCTOR and "instructor" in self.fields:
            if not found.get("instructor") and "instructor" not in self.errors:
                self.add_error("instructor", _("Enter the instructor's username or email."))
        elif scope == Scope.INSTRUCTOR:
            found["instructor"] = self.user

    def _check_discount(self, found: dict[str, Any]) -> None:
        kind = found.get("kind")
        if kind == "percent" and "percent" not in self.errors:
            if not 1 <= (found.get("percent") or 0) <= 100:
                self.add_error("percent", PERCENT)
        elif kind == "amount" and "amount" not in self.errors:
            self._check_amount(found)

    def _check_amount(self, found: dict[str, Any]) -> None:
        course, currency = found.get("course"), settings.CURRENCY
        if course is not None:
            currency = course.currency
        minor = (found.get("amount") or Decimal(0)) * minor_units(currency)
        if minor <= 0 or minor % price_step(currency):
            self.add_error("amount", _("Enter an amount, such as 10 or 9.50."))
            return
        most = self._highest_price(found, currency)
        if most is not None and minor > most:
            price = money(most, currency)
            if course is not None:
                self.add_error(
                    "amount", _("The course costs %(price)s. The discount can't be higher.") % {"price": price}
                )
            else:
                text = _("The highest price is %(price)s. The discount can't be higher.")
                self.add_error("amount", text % {"price": price})
        found["minor"], found["currency"] = int(minor), currency

    def _highest_price(self, found: dict[str, Any], currency: str) -> int | None:
        """The highest price that the code can lower; None if that isn't known."""
        if found.get("scope") == Scope.PREMIUM:
            return max(offer.price for offer in offers())
        if found.get("course") is not None:
            return int(found["course"].price)
        if found.get("scope") == Scope.COURSE:
            return None
        priced = discountable(self.user).filter(currency=currency)
        if found.get("instructor") is not None:
            priced = priced.filter(instructor=found["instructor"])
        highest: int | None = priced.aggregate(most=Max("price"))["most"]
        return highest

    def terms(self) -> PromoTerms:
        """What the code takes off and covers. Only for a valid form of a code that no one has used."""
        found, scope = self.cleaned_data, self.cleaned_data["scope"]
        by_percent = found["kind"] == "percent"
        return PromoTerms(
            code=found["code"],
            scope=scope,
            percent=found["percent"] if by_percent else None,
            amount=None if by_percent else found["minor"],
            currency="" if by_percent else found["currency"],
            course=found["course"] if scope == Scope.COURSE else None,
            instructor=found["instructor"] if scope == Scope.INSTRUCTOR else None,
        )

    def limits(self) -> PromoLimits:
        """How often and when the code can be used. A day that was not changed keeps its moment: the user who entered
        it may live in another time zone."""
        found = self.cleaned_data
        starts_at = found["first_day"] and datetime.combine(found["first_day"], time(), self.zone)
        ends_at = found["last_day"] and datetime.combine(found["last_day"] + timedelta(days=1), time(), self.zone)
        if self.known is not None:
            starts_at = starts_at if "first_day" in self.changed_data else self.known.starts_at
            ends_at = ends_at if "last_day" in self.changed_data else self.known.ends_at
        return PromoLimits(
            limit=found["limit"], limit_per_user=found["limit_per_user"], starts_at=starts_at, ends_at=ends_at
        )


def period_of(code: PromoCode, user: User) -> tuple[date | None, date | None]:
    """Return the first and the last day of the code in the user's time zone; None: without a beginning or an end."""
    zone = zone_of(user)
    first = code.starts_at.astimezone(zone).date() if code.starts_at else None
    last = (code.ends_at.astimezone(zone) - timedelta(microseconds=1)).date() if code.ends_at else None
    return first, last
