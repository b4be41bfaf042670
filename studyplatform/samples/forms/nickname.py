"""The one-field form."""

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MinLengthValidator, RegexValidator
from django.utils.translation import gettext_lazy as _

TAKEN = {"admin", "amara", "root", "support"}  # a real form would ask the database


class Nickname(forms.Form):
    """Checked while it is typed and when it is sent: the page calls this form for both."""

    nickname = forms.CharField(
        label=_("Nickname"),
        help_text=_("3 to 20 letters, digits or hyphens. “Admin” is taken: try it."),
        max_length=20,
        validators=[
            MinLengthValidator(3, _("Use at least 3 characters.")),
            RegexValidator(r"\A[\w-]*\Z", _("Use letters, digits and hyphens only.")),
        ],
        error_messages={"required": _("Enter a nickname."), "max_length": _("Use at most 20 characters.")},
    )

    def clean_nickname(self) -> str:
        """Refuse a nickname that is taken, whatever its case."""
        nickname: str = self.cleaned_data["nickname"]
        if nickname.casefold() in TAKEN:
            raise ValidationError(_("“%(nickname)s” is taken."), params={"nickname": nickname})
        return nickname
