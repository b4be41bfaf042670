"""Forms of sharing."""

from datetime import datetime, time, timedelta
from typing import Any
from uuid import UUID

from django import forms
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.files.models import Share
from studyplatform.kit.passwords import PasswordField

KINDS = [
    (Share.Kind.COURSE, gettext_lazy("People in a course")),
    (Share.Kind.LINK, gettext_lazy("Anyone with the link")),
]
ON_DATE = "date"
PERIODS = [
    ("1", gettext_lazy("1 day")),
    ("7", gettext_lazy("7 days")),
    ("30", gettext_lazy("30 days")),
    (ON_DATE, gettext_lazy("Until a date")),
]
LONGEST_DAYS = 365


class ShareForm(forms.Form):
    """With whom to share: people in a course, or anyone with a link. ``courses``: uids and titles to choose from."""

    kind = forms.ChoiceField(
        label=gettext_lazy("Who can open it"),
        choices=KINDS,
        error_messages={"required": gettext_lazy("Choose who can open it.")},
    )
    course = forms.ChoiceField(label=gettext_lazy("Course"), required=False)
    period = forms.ChoiceField(label=gettext_lazy("The link works for"), choices=PERIODS, required=False, initial="7")
    until = forms.DateField(
        label=gettext_lazy("Last day"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    password = PasswordField(
        label=gettext_lazy("Password"),
        required=False,
        min_length=8,
        max_length=128,
        widget=forms.TextInput,
        help_text=gettext_lazy("At least 8 characters. Send it separately from the link."),
    )
    max_downloads = forms.IntegerField(
        label=gettext_lazy("Download limit"),
        required=False,
        min_value=1,
        max_value=1_000_000,
        help_text=gettext_lazy("A link with a limit shows no preview."),
    )

    def __init__(self, *args: Any, courses: dict[UUID, str], now: datetime, **options: Any) -> None:
        super().__init__(*args, **options)
        self.now, self.courses = now, courses
        self.fields["course"].choices = [(str(uid), title) for uid, title in courses.items()]  # type: ignore[attr-defined]
        self.fields["kind"].initial = Share.Kind.COURSE if courses else Share.Kind.LINK

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("kind") == Share.Kind.COURSE:
            if "course" not in self.errors and not given.get("course"):
                self.add_error("course", _("Choose a course."))
        elif given.get("kind") == Share.Kind.LINK and not {"period", "until"} & self.errors.keys():
            given["expires_at"] = self._expiry(given)
        return given

    def _expiry(self, given: dict[str, Any]) -> datetime | None:
        """When the link expires: after the period, or at the end of the last day in the user's time zone."""
        if given.get("period") != ON_DATE:
            return self.now + timedelta(days=int(given.get("period") or self.fields["period"].initial))
        if given.get("until") is None:
            self.add_error("until", _("Choose a date."))
            return None
        today = timezone.localdate(self.now)
        if not today <= given["until"] <= today + timedelta(days=LONGEST_DAYS):
            self.add_error("until", _("Choose a date within the next year."))
            return None
        return timezone.make_aware(datetime.combine(given["until"], time.max))


class SharePasswordForm(forms.Form):
    """The password of a link."""

    password = PasswordField(
        label=gettext_lazy("Password"),
        max_length=128,
        error_messages={"required": gettext_lazy("Enter the password.")},
    )
