"""The second step after the password: a code or a passkey."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from apps.accounts import forms, services
from apps.accounts.errors import PasskeyRefused, SecondStepLocked, WrongCode
from apps.accounts.guards import open_to_everyone
from apps.accounts.models import User
from apps.accounts.pages.passkeys import passkey_options, verify_passkey_response
from apps.accounts.pages.redirects import next_or_home, sign_in_and_redirect
from apps.accounts.pages.responses import form_page
from apps.accounts.sessions import known_browsers
from apps.accounts.sessions import second_step as step
from studyplatform.kit.errors import AppError, RateLimitExceeded
from studyplatform.kit.web.requests import MAX_ADDRESS_LENGTH


@open_to_everyone
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def second_step(request: HttpRequest) -> HttpResponse:
    """Open to the browser that has just proved the password, for five minutes."""
    now = timezone.now()
    waiting = step.pending(request, now=now)
    if waiting is None:
        if isinstance(request.user, User):
            return redirect(next_or_home(request, request.user))
        messages.warning(request, _("Your sign-in took too long, or you finished it in another tab. Sign in again."))
        query = request.META.get("QUERY_STRING", "")
        return redirect(reverse("accounts:sign-in") + (f"?{query}" if 0 < len(query) <= MAX_ADDRESS_LENGTH else ""))
    user = waiting.user
    form = forms.SecondStepCode(request.POST if "code" in request.POST else None)
    refusal: AppError | None = None
    try:
        if "credential" in request.POST:
            verify_passkey_response(request, "second-step", user)
            return sign_in_and_redirect(request, user, remember=waiting.remember, second_step_done=True)
        if form.is_valid():
            browser = known_browsers.browser_id(request, user.email)
            services.verify_second_step_code(user=user, code=form.cleaned_data["code"], browser=browser, now=now)
            return sign_in_and_redirect(request, user, remember=waiting.remember, second_step_done=True)
    except WrongCode as error:
        form.add_error("code", error.detail)
    except (PasskeyRefused, SecondStepLocked, RateLimitExceeded) as error:
        refusal = error
    return form_page(
        request,
        "accounts/second_step.html",
        form,
        refusal=refusal,
        has_app=services.factors_of(user).app is not None,
        question=passkey_options(request, "second-step", user),
    )
