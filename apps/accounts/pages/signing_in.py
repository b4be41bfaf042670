"""Sign in, register, reset a password, sign out. All of it works without JavaScript."""

from typing import Any, cast
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import forms, known_browsers, policies, services, sessions
from apps.accounts.errors import AccountLocked, InvalidCredentials
from apps.accounts.guards import open_to_everyone, signed_in
from apps.accounts.models import Role, User
from studyplatform.kit.errors import AppError, RateLimitExceeded
from studyplatform.kit.pages import safe_next
from studyplatform.kit.policies import enforce

HOMES = {
    Role.STUDENT: "/me/enrollments",
    Role.INSTRUCTOR: "/dashboard/instructor/",
    Role.ADMIN: "/dashboard/admin/",
}


def home_of(user: User) -> str:
    """Where a role's day begins."""
    return HOMES[Role(user.role)]


@signed_in
def dashboard(request: HttpRequest) -> HttpResponse:
    return redirect(home_of(cast(User, request.user)))


@open_to_everyone
@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    if isinstance(request.user, User) and request.method != "POST":
        return redirect(_back(request, request.user))
    form = forms.SignIn(request.POST or None)
    refusal: AppError | None = None
    if form.is_valid():
        email, now = form.cleaned_data["email"], timezone.now()
        try:
            user = services.prove_password(
                email=email,
                password=form.cleaned_data["password"],
                browser=known_browsers.name_for(request, email),
                now=now,
            )
        except (InvalidCredentials, AccountLocked, RateLimitExceeded) as error:
            refusal = error
        else:
            return _enter(request, user, remember=form.cleaned_data["remember"])
    return _form_page(request, "accounts/login.html", form, refusal=refusal)


@open_to_everyone
def sign_in_for_admin(request: HttpRequest) -> HttpResponse:
    """In the place of the admin's own sign-in form, which would go around the lock."""
    target = safe_next(request, request.GET.get("next"), "/admin/")
    if not request.user.is_authenticated:
        return redirect(f"{settings.LOGIN_URL}?{urlencode({'next': target}, safe='/')}")
    enforce(policies.administer(request.user))
    return redirect(target)


@open_to_everyone
@never_cache
@sensitive_post_parameters("password", "confirmation")
@require_http_methods(["GET", "HEAD", "POST"])
def register(request: HttpRequest) -> HttpResponse:
    if isinstance(request.user, User) and request.method != "POST":
        return redirect(_back(request, request.user))
    form = forms.Register(request.POST or None)
    if form.is_valid():
        wanted = {name: form.cleaned_data[name] for name in ("first_name", "last_name", "email", "password")}
        try:
            user = services.sign_up(**wanted, now=timezone.now())
        except services.EmailTaken:
            form.add_error("email", _("There is already an account with this email."))
        else:
            sent = _("Welcome, %(name)s. We sent a link to %(email)s: open it to verify your email.")
            messages.success(request, sent % {"name": user.first_name, "email": user.email})
            return _enter(request, user)
    return _form_page(request, "accounts/register.html", form)


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


@open_to_everyone
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def verify_email(request: HttpRequest) -> HttpResponse:
    """By the link of the mail, which anybody's browser may open, or by its code, typed by who is signed in.

    The link asks for a press: mail programs that follow links by themselves prove nothing.
    """
    person = request.user if isinstance(request.user, User) else None
    if key := request.POST.get("key") or request.GET.get("key"):
        owner = services.user_of_key(key)
        if owner is not None and request.method == "POST":
            services.verify_by_key(key=key, now=timezone.now())
        state = "ended" if owner is None else "done" if request.method == "POST" else "press"
        return _private(_proof_page(request, owner or person, state, key=key))
    if person is None or person.email_verified_at:
        return _proof_page(request, person, "done" if person else "visitor")
    form = forms.Code(request.POST or None)
    if form.is_valid():
        if services.verify_by_code(user=person, code=form.cleaned_data["code"], now=timezone.now()):
            return _proof_page(request, person, "done")
        form.add_error("code", _("This code is not right, or has ended. Five wrong ones end a code."))
    return _proof_page(request, person, "code", form=form)


@signed_in
@require_POST
def resend_proof(request: HttpRequest) -> HttpResponse:
    wait = services.ask_for_email_proof(user=cast(User, request.user), now=timezone.now())
    if wait:
        messages.info(
            request, _("The last mail is on its way. Another one is possible in %(wait)d s.") % {"wait": wait}
        )
    else:
        messages.success(request, _("A new link and a new code are on their way."))
    back = safe_next(request, request.POST.get("next"), "")
    return redirect("/auth/verify-email" + (f"?{urlencode({'next': back}, safe='/')}" if back else ""))


def _proof_page(request: HttpRequest, person: User | None, state: str, **context: Any) -> HttpResponse:
    now = timezone.now()
    context |= {
        "state": state,
        "email": person.email if person else "",
        "wait": services.seconds_to_wait(person, now=now) if person and state in {"code", "ended"} else 0,
        "next": safe_next(request, request.POST.get("next") or request.GET.get("next"), ""),
    }
    return render(request, "accounts/verify_email.html", context)


@open_to_everyone
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def forgot_password(request: HttpRequest) -> HttpResponse:
    form = forms.ForgotPassword(request.POST or None, initial={"email": request.GET.get("email", "")})
    if form.is_valid():
        services.ask_for_password_reset(email=form.cleaned_data["email"])
        return render(request, "accounts/reset_sent.html", {"email": form.cleaned_data["email"]})
    return _form_page(request, "accounts/forgot_password.html", form)


@open_to_everyone
@never_cache
@sensitive_post_parameters("password", "confirmation")
@require_http_methods(["GET", "HEAD", "POST"])
def reset_password(request: HttpRequest, uid: UUID, token: str) -> HttpResponse:
    user = services.user_of_reset(uid, token)
    if user is None:
        return _private(render(request, "accounts/reset_expired.html", status=410))
    form = forms.ResetPassword(request.POST or None, user=user)
    if form.is_valid():
        done = services.reset_password(uid=uid, token=token, password=form.cleaned_data["password"], now=timezone.now())
        if done is None:
            return _private(render(request, "accounts/reset_expired.html", status=410))
        sessions.sign_out(request)
        messages.success(request, _("Your new password is set. Every device was signed out; sign in with it here."))
        return redirect("accounts:sign-in")
    return _private(_form_page(request, "accounts/reset_password.html", form, email=user.email))


def _enter(request: HttpRequest, user: User, *, remember: bool = True) -> HttpResponseRedirect:
    sessions.sign_in(request, user, now=timezone.now(), remember=remember)
    response = HttpResponseRedirect(_back(request, user))
    known_browsers.remember(request, response, user.email)
    return response


def _back(request: HttpRequest, user: User) -> str:
    return safe_next(request, request.POST.get("next") or request.GET.get("next"), home_of(user))


def _form_page(request: HttpRequest, template: str, form: Any, **context: Any) -> HttpResponse:
    """The form with what was typed and what is wrong with it."""
    back = safe_next(request, request.POST.get("next") or request.GET.get("next"), "")
    return render(request, template, {"form": form, "next": back, **context})


def _private(response: HttpResponse) -> HttpResponse:
    """The address is a secret: it must not travel on in a Referer."""
    response["Referrer-Policy"] = "same-origin"
    return response
