"""What admins decide about users."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.accounts.forms.fields import one_line
from studyplatform.kit.names import VisibleTextField


class DecideTeaching(forms.Form):
    answer = forms.CharField(label=_("Answer"), max_length=2000, required=False)
    decision = forms.ChoiceField(
        choices=[("approve", ""), ("decline", "")], error_messages={"required": _("Approve or decline the request.")}
    )

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = self.cleaned_data
        if data.get("decision") == "decline" and not data.get("answer"):
            self.add_error("answer", _("Explain why, so they know what to change."))
        return data


class Block(forms.Form):
    reason = VisibleTextField(
        label=_("Reason"), max_length=300, validators=[one_line], error_messages={"required": _("Enter a reason.")}
    )
