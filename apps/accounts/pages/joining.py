"""Make an account and prove its email. All of it works without JavaScript."""

from typing import Any, cast
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import forms, services
from apps.accounts.guards import open_to_everyone, signed_in
from apps.accounts.models import User
from apps.accounts.pages.common import back, enter, form_page, private
from studyplatform.kit.pages import safe_next


@open_to_everyone
@never_cache
@sensitive_post_parameters("password", "confirmation")
@require_http_methods(["GET", "HEAD", "POST"])
def register(request: HttpRequest) -> HttpResponse:
    if isinstance(request.user, User) and request.method != "POST":
        return redirect(back(request, request.user))
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
            return enter(request, user)
    return form_page(request, "accounts/register.html", form)


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
        return private(_proof_page(request, owner or person, state, key=key))
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
    onward = safe_next(request, request.POST.get("next"), "")
    return redirect("/auth/verify-email" + (f"?{urlencode({'next': onward}, safe='/')}" if onward else ""))


def _proof_page(request: HttpRequest, person: User | None, state: str, **context: Any) -> HttpResponse:
    now = timezone.now()
    context |= {
        "state": state,
        "email": person.email if person else "",
        "wait": services.seconds_to_wait(person, now=now) if person and state in {"code", "ended"} else 0,
        "next": safe_next(request, request.POST.get("next") or request.GET.get("next"), ""),
    }
    return render(request, "accounts/verify_email.html", context)
