"""The form of the page on which a course's picture is chosen."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from apps.courses.models import CoursePicture
from apps.courses.picture_files import MAX_ZOOM, Crop
from studyplatform.kit.names import NameFormField


class PictureForm(forms.Form):
    """A course's picture, what it shows, and its crop in percent. Without a file, the present one is cropped again."""

    picture = forms.FileField(label=gettext_lazy("Picture"), max_length=255, required=False)
    alt = NameFormField(label=gettext_lazy("Alternative text"), max_length=200, required=False)
    zoom = forms.IntegerField(label=gettext_lazy("Zoom"), min_value=100, max_value=100 * MAX_ZOOM, required=False)
    x = forms.IntegerField(label=gettext_lazy("Left to right"), min_value=0, max_value=100, required=False)
    y = forms.IntegerField(label=gettext_lazy("Top to bottom"), min_value=0, max_value=100, required=False)

    def crop(self) -> Crop:
        """Return the crop; the largest one in the middle unless the form said another. Only after ``is_valid``."""
        middle = self.initial_of(None)
        sent = {name: self.cleaned_data[name] for name in ("x", "y", "zoom")}
        return Crop(**{name: (middle[name] if value is None else value) / 100 for name, value in sent.items()})

    @classmethod
    def initial_of(cls, picture: CoursePicture | None) -> dict[str, Any]:
        if picture is None:
            return {"x": 50, "y": 50, "zoom": 100}
        places = {name: round(100 * getattr(picture, name)) for name in ("x", "y", "zoom")}
        return {"alt": picture.alt, **places}
