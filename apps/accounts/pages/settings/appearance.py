"""Theme and style, saved with the account so that they apply on every device."""

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
    wants = {name: getattr(user, name) for name in ("theme", "style")}
    return {"form": forms.Appearance(initial=wants)}


register(SettingsSection(slug="appearance", order=80, title=_("Appearance"), icon="contrast", context=_context))


@signed_in
@require_POST
def save(request: HttpRequest) -> HttpResponse:
    form = forms.Appearance(request.POST)
    if not form.is_valid():
        return page(request, "appearance", form=form)
    services.save_appearance(user=signed_in_user(request), **form.cleaned_data)
    return saved("appearance")
