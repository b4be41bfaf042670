"""Proving one's identity again, before changing how to sign in to the account or downloading all its data."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from apps.accounts import forms, services, sessions
from apps.accounts.errors import AccountLocked, InvalidCredentials, PasskeyRefused, SecondStepLocked, WrongCode
from apps.accounts.guards import signed_in, signed_in_user
from apps.accounts.models import User
from apps.accounts.pages.passkeys import passkey_options, verify_passkey_response
from apps.accounts.pages.responses import form_page
from apps.accounts.sessions import known_browsers
from studyplatform.kit.errors import AppError, RateLimitExceeded
from studyplatform.kit.web.requests import safe_next


@signed_in
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def prove(request: HttpRequest) -> HttpResponse:
    """Prove it by password, code or passkey; failures count as at sign-in."""
    user, now = signed_in_user(request), timezone.now()
    by_password = forms.ConfirmPassword(request.POST if "password" in request.POST else None)
    by_code = forms.SecondStepCode(request.POST if "code" in request.POST else None)
    refusal: AppError | None = None
    try:
        if _proves(request, user, by_password, by_code):
            sessions.note_authentication(request, now=now)
            return redirect(safe_next(request, request.POST.get("next"), "/settings/security"))
    except InvalidCredentials:
        by_password.add_error("password", _("Incorrect password."))
    except WrongCode as error:
        by_code.add_error("code", error.detail)
    except (AccountLocked, PasskeyRefused, SecondStepLocked, RateLimitExceeded) as error:
        refusal = error
    return form_page(
        request,
        "accounts/prove.html",
        by_password,
        by_code=by_code,
        refusal=refusal,
        has_password=user.has_usable_password(),
        factors=services.factors_of(user),
        linked=_linked(user),
        question=passkey_options(request, "prove", user),
    )


def _linked(user: User) -> list[Any]:
    """The providers with which a user without a password can prove their identity."""
    slugs = {one.provider for one in services.identities_of(user)} if not user.has_usable_password() else set()
    return [one for one in settings.SIGN_IN_PROVIDERS if one.slug in slugs]


def _proves(
    request: HttpRequest, user: User, by_password: forms.ConfirmPassword, by_code: forms.SecondStepCode
) -> bool:
    browser, now = known_browsers.browser_id(request, user.email), timezone.now()
    if "credential" in request.POST:
        verify_passkey_response(request, "prove", user)
        return True
    if by_password.is_valid():
        services.verify_password(
            email=user.email, password=by_password.cleaned_data["password"], browser=browser, now=now
        )
        return True
    if by_code.is_valid():
        services.verify_second_step_code(user=user, code=by_code.cleaned_data["code"], browser=browser, now=now)
        return True
    return False
