"""Resetting a forgotten password. All of it works without JavaScript."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import forms, services, sessions
from apps.accounts.guards import open_to_everyone
from apps.accounts.pages.responses import field_errors, form_page, without_referrer
from studyplatform.kit.errors import AppError, RateLimitExceeded
from studyplatform.kit.web import rate_limits


@open_to_everyone
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def forgot_password(request: HttpRequest) -> HttpResponse:
    form = forms.ForgotPassword(request.POST or None, initial={"email": request.GET.get("email", "")})
    refusal: AppError | None = None
    if form.is_valid():
        try:
            rate_limits.consume_for_address(request, "reset", now=timezone.now())
        except RateLimitExceeded as error:
            refusal = error
        else:
            services.request_password_reset(email=form.cleaned_data["email"])
            return render(request, "accounts/reset_sent.html", {"email": form.cleaned_data["email"]})
    return form_page(request, "accounts/forgot_password.html", form, refusal=refusal)


@open_to_everyone
@never_cache
@sensitive_post_parameters("password", "confirmation")
@require_http_methods(["GET", "HEAD", "POST"])
def reset_password(request: HttpRequest, uid: UUID, token: str) -> HttpResponse:
    user = services.user_of_reset(uid, token)
    if user is None:
        return without_referrer(render(request, "accounts/reset_expired.html", status=410))
    form = forms.ResetPassword(request.POST or None, user=user)
    if form.is_valid():
        done = services.reset_password(uid=uid, token=token, password=form.cleaned_data["password"], now=timezone.now())
        if done is None:
            return without_referrer(render(request, "accounts/reset_expired.html", status=410))
        sessions.sign_out(request)
        messages.success(request, _("Your new password is set, and every device was signed out. Sign in with it here."))
        return redirect("accounts:sign-in")
    return without_referrer(
        form_page(request, "accounts/reset_password.html", form, email=user.email, uid=uid, token=token)
    )


@open_to_everyone
@never_cache
@sensitive_post_parameters("password", "confirmation")
@require_POST
def check_reset(request: HttpRequest, uid: UUID, token: str) -> HttpResponse:
    """Live validation, only with the link of the email: the rules depend on the user's name and email."""
    user = services.user_of_reset(uid, token)
    if user is None:
        raise Http404
    return without_referrer(field_errors(forms.ResetPassword(request.POST, user=user)))
