"""Forms of reports and of moderators' decisions."""

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.forum.models import Board, Report
from apps.forum.services.bans import MOST_DAYS
from apps.forum.services.moderation import LONGEST_REASON
from studyplatform.kit.names import VisibleTextField


class ReportForm(forms.Form):
    """Why a post is reported."""

    reason = forms.ChoiceField(
        label=_("What is wrong with it?"),
        choices=Report.Reason.choices,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose a reason.")},
    )
    comment = VisibleTextField(
        label=_("Anything else the moderators should know"), required=False, max_length=500, widget=forms.Textarea
    )


class DecisionForm(forms.Form):
    """A decision about one post, or about several."""

    ACTIONS = ("approve", "reject", "hide", "keep", "remove", "ban")

    action = forms.ChoiceField(
        choices=[(one, one) for one in ACTIONS], error_messages={"required": _("Choose a decision.")}
    )
    reason = VisibleTextField(required=False, max_length=LONGEST_REASON)
    days = forms.TypedChoiceField(
        required=False,
        coerce=int,
        empty_value="7",
        choices=[(1, _("1 day")), (7, _("7 days")), (30, _("30 days")), (365, _("A year")), (0, _("Permanent"))],
    )
    everywhere = forms.BooleanField(required=False)
    edits = forms.IntegerField(required=False, help_text="How often the text that the moderator has read was edited.")


class BanForm(forms.Form):
    """A ban of a user, apart from a post."""

    days = forms.IntegerField(label=_("Days"), min_value=1, max_value=MOST_DAYS, required=False)
    reason = VisibleTextField(
        label=_("Reason"), max_length=LONGEST_REASON, error_messages={"required": _("Enter a reason.")}
    )
    board = forms.ModelChoiceField(
        Board.objects.all(), required=False, to_field_name="slug", empty_label=_("Everywhere")
    )
