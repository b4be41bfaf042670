"""Changing the password: requires the old one, keeps this browser signed in and signs out all others."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from apps.accounts import forms, services, sessions
from apps.accounts.guards import confirms_identity, signed_in, signed_in_user
from apps.accounts.pages.responses import field_errors
from apps.accounts.pages.settings.sections import page, register, saved
from apps.accounts.sessions import known_browsers
from studyplatform.kit.errors import AppError
from studyplatform.kit.extensions import SettingsSection


def _context(request: HttpRequest) -> dict[str, Any]:
    return {"form": forms.ChangePassword(user=signed_in_user(request)), "refusal": None}


register(SettingsSection(slug="password", order=20, title=_("Password"), icon="lock-keyhole", context=_context))


@confirms_identity
@never_cache
@sensitive_post_parameters()
@require_POST
def change(request: HttpRequest) -> HttpResponse:
    user, now = signed_in_user(request), timezone.now()
    form = forms.ChangePassword(request.POST, user=user)
    refusal: AppError | None = None
    if form.is_valid():
        try:
            services.change_password(
                user=user,
                current=form.cleaned_data.get("current", ""),
                password=form.cleaned_data["password"],
                browser=known_browsers.browser_id(request, user.email),
                now=now,
            )
        except services.WrongPassword:
            form.add_error("current", _("Current password is incorrect"))
        except AppError as error:
            refusal = error
        else:
            sessions.sign_in(request, user, now=now, second_step_done=True)
            return saved("password")
    return page(request, "password", form=form, refusal=refusal)


@signed_in
@never_cache
@sensitive_post_parameters()
@require_POST
def check(request: HttpRequest) -> HttpResponse:
    """Live validation of the rules alone: only the form itself verifies the current password, and counts failures."""
    return field_errors(forms.ChangePassword(request.POST, user=signed_in_user(request)))
