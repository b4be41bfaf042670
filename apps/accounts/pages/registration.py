"""Creating an account and verifying its email. All of it works without JavaScript."""

from typing import Any
from urllib.parse import urlencode, urlsplit

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import forms, policies, services
from apps.accounts.guards import open_to_everyone
from apps.accounts.models import Registration, User
from apps.accounts.pages.redirects import next_or_home, sign_in_and_redirect
from apps.accounts.pages.responses import field_errors, form_page, without_referrer
from studyplatform.kit.errors import RateLimitExceeded
from studyplatform.kit.policies import enforce
from studyplatform.kit.web import rate_limits
from studyplatform.kit.web.requests import safe_next

JOINING = "joining"  # the key in the visitor's session: the registration that this browser has made


@open_to_everyone
@never_cache
@sensitive_post_parameters("password", "confirmation")
@require_http_methods(["GET", "HEAD", "POST"])
def register(request: HttpRequest) -> HttpResponse:
    """Requests an account; the response does not reveal whether the email already has one."""
    if isinstance(request.user, User):
        return redirect(next_or_home(request, request.user))
    form = forms.Register(request.POST or None)
    refusal: RateLimitExceeded | None = None
    if form.is_valid():
        now = timezone.now()
        wanted = {name: form.cleaned_data[name] for name in ("first_name", "last_name", "email", "password")}
        try:
            rate_limits.consume_for_address(request, "register", now=now)
            row = services.request_registration(**wanted, now=now)
        except RateLimitExceeded as error:
            refusal = error
        else:
            return await_verification(request, row)
    return form_page(request, "accounts/register.html", form, refusal=refusal)


def await_verification(request: HttpRequest, row: Registration, *, onward: str = "") -> HttpResponse:
    """Redirect to the page for the emailed code: entered in this browser, it signs this browser in."""
    request.session[JOINING] = str(row.uid)
    return redirect(
        "/auth/verify-email" + (f"?{urlencode({'next': onward}, safe='/')}" if onward else _onward(request))
    )


@open_to_everyone
@never_cache
@sensitive_post_parameters("password", "confirmation")
@require_POST
def check_registration(request: HttpRequest) -> HttpResponse:
    return field_errors(forms.Register(request.POST))


@open_to_everyone
@never_cache
@sensitive_post_parameters("password", "confirmation")
@require_http_methods(["GET", "HEAD", "POST"])
def verify_email(request: HttpRequest) -> HttpResponse:
    """Verify by the emailed link, which any browser may open, or by its code, entered in the browser that
    registered.

    The link requires a click on a button, because mail programs follow links by themselves. The page that waits for
    the code looks the same whether the email is free, taken, or verified by the link in another browser.
    """
    signed_in = request.user if isinstance(request.user, User) else None
    if key := request.POST.get("key") or request.GET.get("key"):
        return without_referrer(_by_link(request, key, signed_in))
    if signed_in is not None:
        return _by_code(request, signed_in)
    row = _joining(request)
    if row is None:
        return _proof_page(request, "visitor")
    form = forms.EmailCode(request.POST or None)
    if form.is_valid():
        try:
            user = services.complete_registration_by_code(
                uid=row.uid, code=form.cleaned_data["code"], now=timezone.now()
            )
        except services.EmailTaken:
            return _proof_page(request, "taken", email=row.email)
        if user is not None:
            return _arrive(request, user)
        _refuse_code(form)
    return _proof_page(request, "joining", form=form, row=row)


def _by_link(request: HttpRequest, key: str, signed_in: User | None) -> HttpResponse:
    now, is_pressed = timezone.now(), request.method == "POST"
    registration = services.registration_of_key(key, now=now)
    if registration is None:  # the key is not of a registration, but of an existing account
        owner = services.user_of_verification_key(key)
        if owner is not None and is_pressed:
            services.verify_email_by_key(key=key, now=now)
        state = "ended" if owner is None else "done" if is_pressed else "press"
        return _proof_page(request, state, signed_in=owner or signed_in, key=key)
    if registration.user is not None:
        return _proof_page(request, "joined", email=registration.email)
    try:
        mine = _joining(request)
        if mine is None or mine.pk != registration.pk:
            return _elsewhere(request, registration, key, signed_in)
        if not is_pressed:
            return _proof_page(request, "press", email=registration.email, key=key)
        user = services.complete_registration_by_key(key=key, now=now)
    except services.EmailTaken:
        return _proof_page(request, "taken", email=registration.email)
    return _joined(request, user, signed_in, registration.email)


def _elsewhere(request: HttpRequest, registration: Registration, key: str, signed_in: User | None) -> HttpResponse:
    """This browser did not register: someone else may have, so nothing that was chosen there is used."""
    names = {"first_name": registration.first_name, "last_name": registration.last_name}
    form = forms.FinishRegistration(
        request.POST if "password" in request.POST else None, email=registration.email, initial=names
    )
    if not form.is_valid():
        return _proof_page(request, "finish", email=registration.email, key=key, form=form)
    chosen = {name: form.cleaned_data[name] for name in ("first_name", "last_name", "password")}
    user = services.complete_registration_elsewhere(key=key, **chosen, now=timezone.now())
    return _joined(request, user, signed_in, registration.email)


def _joined(request: HttpRequest, user: User | None, signed_in: User | None, email: str) -> HttpResponse:
    """Sign this browser in if the account is new, unless a user is signed in already."""
    if user is None or signed_in is not None:
        return _proof_page(request, "joined", email=email)
    return _arrive(request, user)


@open_to_everyone
@never_cache
@sensitive_post_parameters("password", "confirmation")
@require_POST
def check_finish_registration(request: HttpRequest) -> HttpResponse:
    """Live validation, only with the link of the email: the rules depend on the email."""
    registration = services.registration_of_key(request.POST.get("key", ""), now=timezone.now())
    if registration is None:
        raise Http404
    return without_referrer(field_errors(forms.FinishRegistration(request.POST, email=registration.email)))


def _by_code(request: HttpRequest, signed_in: User) -> HttpResponse:
    if signed_in.email_verified_at:
        return _proof_page(request, "done", signed_in=signed_in)
    form = forms.EmailCode(request.POST or None)
    if form.is_valid():
        if services.verify_email_by_code(user=signed_in, code=form.cleaned_data["code"], now=timezone.now()):
            return _proof_page(request, "done", signed_in=signed_in)
        _refuse_code(form)
    return _proof_page(request, "code", signed_in=signed_in, form=form)


def _refuse_code(form: forms.EmailCode) -> None:
    form.add_error("code", _("This code is wrong or has expired. A code expires after five wrong attempts."))


def _arrive(request: HttpRequest, user: User) -> HttpResponse:
    """The account was created in this browser, so sign it in."""
    request.session.pop(JOINING, None)
    messages.success(request, _("Welcome, %(name)s. Your email is verified.") % {"name": user.first_name})
    return sign_in_and_redirect(request, user)


@open_to_everyone
@require_POST
def resend_verification_email(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    rate_limits.consume_for_address(request, "resend", now=now)
    row = _joining(request)
    if isinstance(request.user, User):
        wait = services.request_email_verification(user=request.user, now=now)
    elif row is not None:
        wait = services.resend_registration_email(row=row, now=now)
    else:
        enforce(policies.be_signed_in(request.user))
        wait = 0
    if wait:
        messages.info(
            request, _("An email is already on its way. You can request another one in %(wait)d s.") % {"wait": wait}
        )
    else:
        messages.success(request, _("We've sent you a new link and code."))
    return redirect("/auth/verify-email" + (_onward(request) or _asked_from(request)))


def _joining(request: HttpRequest) -> Registration | None:
    uid = request.session.get(JOINING)
    return services.find_registration(uid) if uid else None


def _onward(request: HttpRequest) -> str:
    onward = safe_next(request, request.POST.get("next") or request.GET.get("next"), "")
    return f"?{urlencode({'next': onward}, safe='/')}" if onward else ""


def _asked_from(request: HttpRequest) -> str:
    """Back to the page that required a verified email."""
    page = urlsplit(safe_next(request, request.headers.get("Referer"), ""))
    if not page.path or page.path.startswith("/auth/"):
        return ""
    back = page.path + (f"?{page.query}" if page.query else "")
    return f"?{urlencode({'next': back}, safe='/')}"


def _proof_page(
    request: HttpRequest, state: str, *, signed_in: User | None = None, row: Registration | None = None, **context: Any
) -> HttpResponse:
    now = timezone.now()
    wait = 0
    if row is not None:
        wait = services.seconds_until_registration_email(row, now=now)
    elif signed_in is not None and state in {"code", "ended"}:
        wait = services.seconds_until_verification_email(signed_in, now=now)
    context = {"email": row.email if row else signed_in.email if signed_in else "", **context}
    context |= {
        "state": state,
        "wait": wait,
        "next": safe_next(request, request.POST.get("next") or request.GET.get("next"), ""),
    }
    return render(request, "accounts/verify_email.html", context)
