"""Signing in and out, and each role's home page. All of it works without JavaScript."""

from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts import forms, policies, sessions
from apps.accounts.errors import AccountLocked, InvalidCredentials, PasskeyRefused
from apps.accounts.guards import open_to_everyone, signed_in, signed_in_user
from apps.accounts.models import User
from apps.accounts.pages.passkeys import verify_passkey_response
from apps.accounts.pages.redirects import home_of, next_or_home, sign_in_and_redirect
from apps.accounts.pages.responses import form_page
from apps.accounts.passkeys import relying_party
from studyplatform.kit.errors import AppError, RateLimitExceeded
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.requests import safe_next


@signed_in
@require_safe
def dashboard(request: HttpRequest) -> HttpResponse:
    return redirect(home_of(signed_in_user(request)))


@open_to_everyone
@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    if isinstance(request.user, User) and request.method != "POST":
        return redirect(next_or_home(request, request.user))
    form = forms.SignIn(request.POST or None)
    refusal: AppError | None = None
    if form.is_valid():
        given = form.cleaned_data
        try:
            user = sessions.verify_password(
                request, email=given["email"], password=given["password"], now=timezone.now()
            )
        except (InvalidCredentials, AccountLocked, RateLimitExceeded) as error:
            refusal = error
        else:
            return sign_in_and_redirect(request, user, remember=given["remember"])
    return _sign_in_page(request, form, refusal)


@open_to_everyone
@never_cache
@sensitive_post_parameters()
@require_POST
def sign_in_with_passkey(request: HttpRequest) -> HttpResponse:
    """Sign in with a passkey alone: it verifies its owner, so it counts as both factors."""
    try:
        user = verify_passkey_response(request, "sign-in", None)
    except PasskeyRefused as refusal:
        return _sign_in_page(request, forms.SignIn(), refusal)
    return sign_in_and_redirect(request, user, remember="remember" in request.POST, second_step_done=True)


def _sign_in_page(request: HttpRequest, form: forms.SignIn, refusal: AppError | None = None) -> HttpResponse:
    """The sign-in form, with a passkey button where the site's address allows passkeys."""
    passkeys = relying_party.relying_party_of(request) is not None
    return form_page(request, "accounts/login.html", form, refusal=refusal, passkeys=passkeys)


@open_to_everyone
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_for_admin(request: HttpRequest) -> HttpResponse:
    """Replaces the Django admin's own sign-in form, which would bypass the lock."""
    target = safe_next(request, request.GET.get("next"), "/admin/")
    if not request.user.is_authenticated:
        return redirect(f"{settings.LOGIN_URL}?{urlencode({'next': target}, safe='/')}")
    enforce(policies.administer(request.user))
    return redirect(target)


@open_to_everyone
@require_http_methods(["GET", "HEAD", "POST"])
def sign_out(request: HttpRequest) -> HttpResponse:
    """A form ends the session; a GET, which other sites may link to, only asks."""
    if request.method == "POST":
        sessions.sign_out(request)
        return redirect("/")
    if not request.user.is_authenticated:
        return redirect("/")
    return render(request, "accounts/logout.html")
