"""Forms of messages, reports and announcements."""

import uuid
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.utils.translation import gettext_lazy as _

from apps.forum import text
from apps.forum.models import MessageReport
from apps.forum.queries.announcements import Recipients
from studyplatform.kit.names import NameFormField, VisibleTextField

MAX_UIDS = 100
MAX_INPUT_LENGTH = 4 * text.MOST  # a text that is too long to send is shown again, so that nothing is lost


class Uids(forms.Field):
    """Up to `MAX_UIDS` uids, such as those of the boxes that were ticked."""

    widget = forms.CheckboxSelectMultiple

    def to_python(self, value: Any) -> list[uuid.UUID]:
        if value and len(value) > MAX_UIDS:
            raise ValidationError(_("Choose fewer files."))
        try:
            return [uuid.UUID(one) for one in value or []]
        except ValueError as error:
            raise ValidationError(_("Choose from the list.")) from error


class Writing(forms.Form):
    """A message. The service checks its length, as it counts characters in its own way."""

    source = forms.CharField(
        label=_("Message"),
        required=False,
        strip=False,
        widget=forms.Textarea,
        validators=[MaxLengthValidator(MAX_INPUT_LENGTH)],
    )
    key = forms.UUIDField(required=False)
    attached = Uids(label=_("Files"), required=False)


class Report(forms.Form):
    """Why a message is reported."""

    reason = forms.ChoiceField(
        label=_("What is wrong with it?"),
        choices=MessageReport.Reason.choices,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose a reason.")},
    )
    note = VisibleTextField(
        label=_("Anything else the admins should know"), required=False, max_length=500, widget=forms.Textarea
    )


class AnnouncementForm(forms.Form):
    """An announcement to a course. ``recipients`` are the choices for that course."""

    recipients = forms.ChoiceField(label=_("Recipients"), error_messages={"required": _("Choose the recipients.")})
    subject = NameFormField(label=_("Subject"), max_length=120, error_messages={"required": _("Enter a subject.")})
    source = VisibleTextField(
        label=_("Message"),
        strip=False,
        widget=forms.Textarea,
        validators=[MaxLengthValidator(MAX_INPUT_LENGTH)],
        error_messages={"required": _("Write the announcement.")},
    )
    is_mailed = forms.BooleanField(label=_("By email too"), required=False)
    key = forms.UUIDField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, recipients: Sequence[Recipients], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["recipients"].choices = [(one.value, one.label) for one in recipients]  # type: ignore[attr-defined]

    @property
    def audience(self) -> str:
        return str(self.cleaned_data["recipients"]).partition("-")[0]

    @property
    def section_pk(self) -> int | None:
        """The section, of the audience that has one."""
        pk = str(self.cleaned_data["recipients"]).partition("-")[2]
        return int(pk) if pk else None
