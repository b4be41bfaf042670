"""One rule for every name and title that people see, wherever it comes from: forms, the API, the admin, providers."""

import re
import unicodedata
from typing import Any

from django import forms
from django.db import models
from django.utils.translation import gettext as _

from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.text.blank import BLANKS, stripped, written

MAX_MARKS = 4  # on one letter: Hebrew with points and accents needs four, "zalgo" dozens

_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]+")
# Control characters, halves of pairs, what turns the direction of the text around it, and characters without width.
# The joiners of Indic scripts, Persian and emoji (U+200C, U+200D) and the marks U+200E and U+200F belong to names.
_REMOVED = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u180e\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U0001d173-\U0001d17a]"
)
_NO_EDGES = "\u200c\u200d\u200e\u200f\u061c"  # a name neither begins nor ends with them
_TAGS = re.compile("(\U0001f3f4[\U000e0020-\U000e007e]{1,8}\U000e007f)|[\U000e0000-\U000e007f]")  # flags keep theirs
_SPACES = re.compile(rf"[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000{BLANKS}]+")


def tidy_name(text: str) -> str:
    """Return a name as it is stored: visible, in one line, in NFC, without what disturbs the text around it.

    "" if nothing in it can be seen.
    """
    text = _TAGS.sub(lambda match: match[1] or "", _REMOVED.sub("", _BREAKS.sub(" ", text)))
    text = unicodedata.normalize("NFC", text)
    if not text.isascii():
        text = _with_few_marks(text)
    return stripped(_SPACES.sub(_as_space, text)).strip(f"{_NO_EDGES} ")


def _as_space(spaces: re.Match[str]) -> str:
    """One space, of its own kind if it is alone and one."""
    return spaces[0] if len(spaces[0]) == 1 and spaces[0] not in BLANKS else " "


def _with_few_marks(text: str) -> str:
    kept, marks = [], 0
    for char in text:
        # Marks with a class stand above or below a letter; those without one, as in Tibetan, are parts of words.
        if unicodedata.combining(char) or unicodedata.category(char) == "Me":
            marks += 1
        elif not unicodedata.category(char).startswith("M"):
            marks = 0
        if marks <= MAX_MARKS:
            kept.append(char)
    return "".join(kept)


class NameField(models.CharField[str, str]):
    """A column for a name or title. What is saved is tidy; a name that cannot be seen is refused.

    :raises ValidationFailed: on saving a name without a visible character.
    """

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:  # noqa: FBT001 (Django's signature)
        value = self._tidy(super().pre_save(model_instance, add))
        setattr(model_instance, self.attname, value)
        return value

    def get_db_prep_save(self, value: Any, connection: Any) -> Any:
        return super().get_db_prep_save(self._tidy(value), connection)

    def formfield(self, **options: Any) -> Any:
        return super().formfield(**{"form_class": NameFormField, **options})

    def deconstruct(self) -> Any:
        """For migrations it is a CharField: the database sees no difference."""
        name, _path, args, options = super().deconstruct()
        return name, "django.db.models.CharField", args, options

    def _tidy(self, value: Any) -> Any:
        if not isinstance(value, str) or not value:
            return value
        tidy = tidy_name(value)
        if not tidy and not self.blank:
            raise ValidationFailed(in_fields={self.name: [{"code": "invisible", "message": _("Enter visible text.")}]})
        return tidy[: self.max_length] if self.max_length and len(value) <= self.max_length else tidy


class NameFormField(forms.CharField):
    """A name in a form. An invisible one is missing."""

    def to_python(self, value: Any) -> Any:
        return tidy_name(super().to_python(value) or "") or self.empty_value


class VisibleTextField(forms.CharField):
    """A text in a form, with its lines. One in which nothing can be seen is missing."""

    def to_python(self, value: Any) -> Any:
        return stripped(super().to_python(value) or "") or self.empty_value


class WrittenFormField(forms.CharField):
    """A text in Markdown in a form, as it was written. One in which nothing can be seen is missing."""

    widget = forms.Textarea

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(strip=False, **kwargs)

    def to_python(self, value: Any) -> Any:
        return written(super().to_python(value) or "") or self.empty_value
