"""Sign in, sign out, and where each role's day begins. All of it works without JavaScript."""

from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts import forms, policies, services, sessions
from apps.accounts.errors import AccountLocked, InvalidCredentials
from apps.accounts.guards import open_to_everyone, signed_in, signed_in_user
from apps.accounts.models import User
from apps.accounts.pages.common import back, enter, home_of, sign_in_page
from apps.accounts.sessions import known_browsers
from studyplatform.kit.errors import AppError, RateLimitExceeded
from studyplatform.kit.policies import enforce
from studyplatform.kit.web import rate_limits
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
        return redirect(back(request, request.user))
    form = forms.SignIn(request.POST or None)
    refusal: AppError | None = None
    if form.is_valid():
        email, now = form.cleaned_data["email"], timezone.now()
        try:
            rate_limits.spend_of(request, "sign-in", now=now)
            user = services.prove_password(
                email=email,
                password=form.cleaned_data["password"],
                browser=known_browsers.name_for(request, email),
                now=now,
            )
        except (InvalidCredentials, AccountLocked, RateLimitExceeded) as error:
            refusal = error
        else:
            return enter(request, user, remember=form.cleaned_data["remember"])
    return sign_in_page(request, form, refusal)


@open_to_everyone
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_for_admin(request: HttpRequest) -> HttpResponse:
    """In the place of the admin's own sign-in form, which would go around the lock."""
    target = safe_next(request, request.GET.get("next"), "/admin/")
    if not request.user.is_authenticated:
        return redirect(f"{settings.LOGIN_URL}?{urlencode({'next': target}, safe='/')}")
    enforce(policies.administer(request.user))
    return redirect(target)


@open_to_everyone
@require_http_methods(["GET", "HEAD", "POST"])
def sign_out(request: HttpRequest) -> HttpResponse:
    """A form ends the session; the address itself, which others may link to, only asks."""
    if request.method == "POST":
        sessions.sign_out(request)
        return redirect("/")
    if not request.user.is_authenticated:
        return redirect("/")
    return render(request, "accounts/logout.html")
