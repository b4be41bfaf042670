"""Forms of the authoring pages."""

from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.courses.chapters import LONGEST_TEXT, Chapter, parse_chapters
from apps.courses.models import Course, LearningPath, Lesson, Section, Subject
from apps.courses.opening_fields import OpeningFields
from apps.courses.price_field import price_field
from apps.courses.services import CourseTexts, PathTexts, dependents_of
from apps.files.services import caption_languages
from studyplatform.kit.names import NameFormField, WrittenFormField
from studyplatform.kit.text.money import in_units, to_minor

LANGUAGES = [
    ("en", gettext_lazy("English")),
    ("de", gettext_lazy("German")),
    ("es", gettext_lazy("Spanish")),
    ("fr", gettext_lazy("French")),
    ("it", gettext_lazy("Italian")),
    ("ja", gettext_lazy("Japanese")),
    ("nl", gettext_lazy("Dutch")),
    ("pl", gettext_lazy("Polish")),
    ("pt", gettext_lazy("Portuguese")),
    ("ru", gettext_lazy("Russian")),
    ("uk", gettext_lazy("Ukrainian")),
    ("zh", gettext_lazy("Chinese")),
]
MOST_OUTCOMES = 12
PLATE_VARIANTS = 4


class CourseForm(forms.Form):
    """A course's texts. ``outcomes`` are repeated inputs of one name, so that rows can be added freely."""

    title = NameFormField(
        label=gettext_lazy("Title"), max_length=120, error_messages={"required": gettext_lazy("Enter a title.")}
    )
    summary = NameFormField(label=gettext_lazy("One-sentence summary"), max_length=220, required=False)
    description = WrittenFormField(label=gettext_lazy("Description"), max_length=10_000, required=False)
    subject = forms.ModelChoiceField(
        Subject.objects.order_by("position", "name"),
        label=gettext_lazy("Category"),
        empty_label=gettext_lazy("Choose one"),
        error_messages={"required": gettext_lazy("Choose a category.")},
    )
    difficulty = forms.ChoiceField(
        label=gettext_lazy("Difficulty"),
        choices=Course.Difficulty.choices,
        initial=Course.Difficulty.BEGINNER,
        error_messages={"required": gettext_lazy("Choose a difficulty.")},
    )
    language = forms.ChoiceField(
        label=gettext_lazy("Language"),
        choices=LANGUAGES,
        initial="en",
        error_messages={"required": gettext_lazy("Choose a language.")},
    )
    before_you_begin = WrittenFormField(
        label=gettext_lazy("What learners need to know or have"), max_length=4000, required=False
    )
    prerequisites = forms.ModelMultipleChoiceField(Course.objects.none(), required=False)
    pricing = forms.ChoiceField(choices=Course.Pricing.choices, initial=Course.Pricing.FREE, required=False)
    price = forms.DecimalField(label=gettext_lazy("Price"), required=False)
    is_announced = forms.BooleanField(required=False)
    plate_variant = forms.IntegerField(min_value=0, max_value=PLATE_VARIANTS - 1, required=False)

    def __init__(self, *args: Any, possible_prerequisites: Any = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["price"] = price_field(settings.CURRENCY)
        if possible_prerequisites is not None:
            self.fields["prerequisites"].queryset = possible_prerequisites  # type: ignore[attr-defined]

    @property
    def outcomes(self) -> list[str]:
        """The posted lines, or those of the course."""
        if isinstance(self.data, QueryDict):
            return self.data.getlist("outcomes")
        return list(self.initial.get("outcomes", []))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("pricing") != Course.Pricing.ONE_TIME:
            # The field is hidden: ignore what it contains.
            self.errors.pop("price", None)
            cleaned["price"] = None
        elif not cleaned.get("price"):
            self.add_error("price", _("Enter a price, or choose another pricing option."))
        lines = [" ".join(line.split()) for line in self.outcomes]
        if sum(map(bool, lines)) > MOST_OUTCOMES:
            self.add_error(None, _("Enter at most %d outcomes.") % MOST_OUTCOMES)
        if any(len(line) > 200 for line in lines):
            self.add_error(None, _("An outcome can have up to 200 characters."))
        cleaned["outcomes"] = lines
        return cleaned

    def texts(self) -> CourseTexts:
        """Return the input of the service. Only after ``is_valid``."""
        given = dict(self.cleaned_data)
        price = given.pop("price") or Decimal(0)
        return CourseTexts(
            **{
                **given,
                "pricing": given["pricing"] or Course.Pricing.FREE,
                "price": to_minor(price, settings.CURRENCY),
                "plate_variant": given["plate_variant"] or 0,
            },
        )

    @classmethod
    def initial_of(cls, course: Course) -> dict[str, Any]:
        """Return the form's initial values for a course."""
        is_in_site_currency = course.currency == settings.CURRENCY
        names = (
            "title", "summary", "description", "subject", "difficulty", "language", "before_you_begin", "pricing",
            "is_announced", "plate_variant", "outcomes",
        )  # fmt: skip
        return {
            **{name: getattr(course, name) for name in names},
            "prerequisites": list(course.prerequisites.all()),
            # A price in another currency, from before the site's was changed, says nothing about this one.
            "price": in_units(course.price, course.currency) if course.price and is_in_site_currency else None,
        }


class PathForm(forms.Form):
    """The texts of a learning path."""

    title = NameFormField(
        label=gettext_lazy("Title"), max_length=120, error_messages={"required": gettext_lazy("Enter a title.")}
    )
    summary = NameFormField(label=gettext_lazy("One-sentence summary"), max_length=220, required=False)
    description = WrittenFormField(label=gettext_lazy("Description"), max_length=10_000, required=False)

    def texts(self) -> PathTexts:
        """Return the input of the service. Only after ``is_valid``."""
        return PathTexts(**self.cleaned_data)

    @classmethod
    def initial_of(cls, path: LearningPath) -> dict[str, str]:
        return {name: getattr(path, name) for name in ("title", "summary", "description")}


class SectionForm(forms.Form):
    title = NameFormField(
        label=gettext_lazy("Section title"), max_length=120, error_messages={"required": gettext_lazy("Enter a title.")}
    )


class NewLessonForm(forms.Form):
    """A new lesson: its section (by uid), kind and title."""

    section = forms.ModelChoiceField(
        Section.objects.none(), to_field_name="uid", error_messages={"required": gettext_lazy("Choose a section.")}
    )
    kind = forms.ChoiceField(
        choices=Lesson.Kind.choices, error_messages={"required": gettext_lazy("Choose a type of lesson.")}
    )
    title = NameFormField(max_length=120, required=False)

    def __init__(self, *args: Any, course: Course, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["section"].queryset = course.sections.all()  # type: ignore[attr-defined]


class LessonForm(OpeningFields):
    title = NameFormField(
        label=gettext_lazy("Title"), max_length=120, error_messages={"required": gettext_lazy("Enter a title.")}
    )
    summary = forms.CharField(label=gettext_lazy("Summary"), max_length=220, required=False)
    body = WrittenFormField(label=gettext_lazy("Text"), max_length=100_000, required=False)
    is_preview = forms.BooleanField(label=gettext_lazy("Open to everyone as a preview"), required=False)
    prerequisites = forms.ModelMultipleChoiceField(
        Lesson.objects.none(),
        label=gettext_lazy("Lessons to complete first"),
        required=False,
        to_field_name="uid",
        error_messages={
            "invalid_choice": gettext_lazy("One of these lessons already requires this one or no longer exists.")
        },
    )

    def __init__(self, *args: Any, lesson: Lesson, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        possible = lesson.course.lessons.exclude(pk__in=dependents_of(lesson.course, lesson))
        self.fields["prerequisites"].queryset = possible.order_by(  # type: ignore[attr-defined]
            "section__position", "position"
        ).defer("body")
        self.fields["prerequisites"].label_from_instance = (  # type: ignore[attr-defined]
            lambda one: f"{one.number} {one.title}".strip()
        )


class CaptionsForm(forms.Form):
    """A caption file in a format that is read, at most a few megabytes."""

    file = forms.FileField(
        label=gettext_lazy("Caption file"),
        max_length=255,
        error_messages={"required": gettext_lazy("Choose a caption file.")},
    )
    language = forms.ChoiceField(
        label=gettext_lazy("Language"),
        choices=caption_languages,
        initial="en",
        error_messages={"required": gettext_lazy("Choose a language.")},
    )


class ChaptersForm(forms.Form):
    """The chapters of a video, one a line; ``cleaned_data["chapters"]`` is a list of them."""

    chapters = forms.CharField(
        label=gettext_lazy("Chapters"), max_length=LONGEST_TEXT, required=False, widget=forms.Textarea
    )

    def __init__(self, *args: Any, duration: float, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.duration = duration

    def clean_chapters(self) -> list[Chapter]:
        return parse_chapters(self.cleaned_data["chapters"], duration=self.duration)


class AttachmentForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File"), max_length=255, error_messages={"required": gettext_lazy("Choose a file.")}
    )
