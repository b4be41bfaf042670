"""Forms about ratings: one's own, a reply, a report, a decision."""

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.learning.models import RatingDecision, RatingReport
from studyplatform.kit.text.blank import stripped

MOST = 2000
STARS = [(str(number), str(number)) for number in range(5, 0, -1)]


class RatingForm(forms.Form):
    """A learner's own review."""

    stars = forms.TypedChoiceField(
        label=_("Stars"),
        choices=STARS,
        coerce=int,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose how many stars you give."), "invalid_choice": _("Choose 1 to 5 stars.")},
    )
    text = forms.CharField(
        label=_("In your own words"),
        max_length=MOST,
        required=False,
        widget=forms.Textarea,
        error_messages={"max_length": _("Write at most %(limit_value)d characters.")},
    )


class ReplyForm(forms.Form):
    """The instructor's reply; the button "remove" sends no text."""

    reply = forms.CharField(
        label=_("Your public reply"),
        max_length=MOST,
        widget=forms.Textarea,
        error_messages={
            "required": _("Write your reply."),
            "max_length": _("Write at most %(limit_value)d characters."),
        },
    )

    def clean_reply(self) -> str:
        text = stripped(str(self.cleaned_data["reply"]))
        if not text:
            raise forms.ValidationError(self.fields["reply"].error_messages["required"])
        return text


class RatingReportForm(forms.Form):
    """Why a reader shows a review to the admins."""

    reason = forms.ChoiceField(
        label=_("What is wrong with it?"),
        choices=RatingReport.Reason.choices,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose a reason.")},
    )
    comment = forms.CharField(label=_("Anything to add?"), max_length=500, required=False, widget=forms.Textarea)


class RatingDecisionForm(forms.Form):
    """What an admin decides about a review, and when the text that they read was last changed."""

    kind = forms.ChoiceField(choices=RatingDecision.Kind.choices, error_messages={"required": _("Choose a decision.")})
    seen = forms.CharField(max_length=40)
    reason = forms.CharField(max_length=500, required=False)
