"""What a form says about an empty field: it names what to enter, instead of "This field is required."."""

from collections.abc import Iterator

from django import forms
from django.urls import get_resolver


def project_forms(base: type = forms.BaseForm) -> Iterator[type[forms.Form]]:
    """Every form class of the project. The URLs import the pages, and those import the forms."""
    for form in base.__subclasses__():
        if form.__module__.startswith(("apps.", "studyplatform.")):
            yield form
        yield from project_forms(form)


def test_every_required_field_with_a_label_says_what_to_enter():
    assert get_resolver().url_patterns
    general = str(forms.Field.default_error_messages["required"])
    lacking = {
        f"{form.__module__}.{form.__name__}.{name}"
        for form in project_forms()
        if not issubclass(form, forms.ModelForm)  # those are of Django's admin
        for name, field in form.base_fields.items()
        if field.required and field.label and str(field.error_messages["required"]) == general
    }
    assert not lacking
