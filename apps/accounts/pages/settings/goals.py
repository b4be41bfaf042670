"""Learning goals: minutes a day, lessons a week."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from apps.accounts import forms, services
from apps.accounts.guards import signed_in, signed_in_user
from apps.accounts.pages.settings.sections import page, register, saved
from studyplatform.kit.extensions import SettingsSection


def _context(request: HttpRequest) -> dict[str, Any]:
    user = signed_in_user(request)
    wants = {"daily_minutes": user.daily_minutes, "weekly_lessons": user.weekly_lessons}
    return {"form": forms.Goals(initial=wants)}


register(SettingsSection(slug="goals", order=70, title=_("Goals"), icon="target", context=_context))


@signed_in
@require_POST
def save(request: HttpRequest) -> HttpResponse:
    form = forms.Goals(request.POST)
    if not form.is_valid():
        return page(request, "goals", form=form)
    services.set_goals(user=signed_in_user(request), **form.cleaned_data)
    return saved("goals")
