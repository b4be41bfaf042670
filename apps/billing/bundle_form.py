"""The form of a bundle."""

import re
from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.billing.models import MAX_COURSES_IN_BUNDLE, MIN_COURSES_IN_BUNDLE
from apps.billing.queries.bundles import BundleView, bundleable_courses
from apps.billing.services.bundles import BundleTerms
from apps.courses.models import Course
from studyplatform.kit.text.lists import list_names
from studyplatform.kit.text.money import minor_units, plain_amount

MAX_COURSES_TO_CHOOSE = 200
"""More are added by their links."""


class BundleForm(forms.Form):
    """A bundle: its texts, its courses in their order, and its price."""

    title = forms.CharField(label=_("Title"), max_length=120, error_messages={"required": _("Enter a title.")})
    summary = forms.CharField(label=_("Summary"), max_length=220, required=False)
    courses = forms.MultipleChoiceField(
        label=_("Courses"), required=False, widget=forms.CheckboxSelectMultiple, choices=[]
    )
    links = forms.CharField(label=_("More courses"), required=False, max_length=2000)
    price = forms.DecimalField(
        label=_("Price"),
        max_digits=10,
        decimal_places=2,
        error_messages={"required": _("Enter a price."), "invalid": _("Enter an amount, such as 80 or 79.50.")},
    )

    def __init__(self, data: Any = None, *, user: User, view: BundleView | None = None) -> None:
        """``view``: the bundle that is edited."""
        owner = (view.bundle.instructor if view else None) or user
        self._chosen: list[Course] = []
        self._available = bundleable_courses(owner)
        super().__init__(data, initial=self._initial(view))
        first = list(self._available[: MAX_COURSES_TO_CHOOSE + 1])
        inside = [course for course in (view.courses if view else ()) if course not in first]
        self.offered: list[Course] = [*first[:MAX_COURSES_TO_CHOOSE], *inside]
        self.has_more = len(first) > MAX_COURSES_TO_CHOOSE
        self.fields["courses"].choices = [(each.slug, each.title) for each in self.offered]  # type: ignore[attr-defined]
        if not self.has_more:
            del self.fields["links"]

    def _initial(self, view: BundleView | None) -> dict[str, Any]:
        if view is None:
            return {}
        bundle = view.bundle
        return {
            "title": bundle.title,
            "summary": bundle.summary,
            "courses": [course.slug for course in view.courses],
            "price": plain_amount(bundle.price, bundle.currency),
        }

    def clean_links(self) -> list[str]:
        """The slugs in what was typed: links or their last parts, separated by spaces, commas or lines."""
        parts = re.split(r"[\s,]+", self.cleaned_data["links"].strip())
        return [part.rstrip("/").rpartition("/")[2] for part in parts if part]

    def clean(self) -> dict[str, Any]:
        found = super().clean() or {}
        slugs = dict.fromkeys([*found.get("courses", []), *found.get("links", [])])
        known = {course.slug: course for course in self._available.filter(slug__in=slugs)} if slugs else {}
        if missing := [slug for slug in slugs if slug not in known]:
            titles = {course.slug: course.title for course in self.offered}
            names = list_names([titles.get(slug, slug) for slug in missing])
            text = ngettext(
                "Only published courses with a one-time price can be in a bundle: %(names)s isn't one.",
                "Only published courses with a one-time price can be in a bundle: %(names)s aren't.",
                len(missing),
            )
            self.add_error(
                "links" if set(missing) & set(found.get("links", [])) else "courses", text % {"names": names}
            )
        elif not MIN_COURSES_IN_BUNDLE <= len(slugs) <= MAX_COURSES_IN_BUNDLE:
            limits = {"least": MIN_COURSES_IN_BUNDLE, "most": MAX_COURSES_IN_BUNDLE}
            self.add_error("courses", _("Choose from %(least)s to %(most)s courses.") % limits)
        self._chosen = [known[slug] for slug in slugs if slug in known]
        return found

    def clean_price(self) -> int:
        minor: Decimal = self.cleaned_data["price"] * minor_units(settings.CURRENCY)
        if minor != int(minor) or minor <= 0:
            raise ValidationError(_("Enter an amount, such as 80 or 79.50."))
        return int(minor)

    def terms(self) -> BundleTerms:
        """What was entered. Only for a valid form."""
        found = self.cleaned_data
        return BundleTerms(title=found["title"], summary=found["summary"], price=found["price"], courses=self._chosen)
