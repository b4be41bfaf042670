"""Authenticator app, recovery codes and passkeys. Each change requires recent authentication."""

from typing import Any

import qrcode
from allauth.mfa.adapter import get_adapter
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import forms, services
from apps.accounts.errors import PasskeyRefused, TooManyPasskeys, WrongCode
from apps.accounts.guards import recently_authenticated, signed_in, signed_in_user
from apps.accounts.pages.settings.sections import page, posts_from, register, saved
from apps.accounts.passkeys import challenge, relying_party
from apps.accounts.sessions import devices
from studyplatform.kit.errors import AppError
from studyplatform.kit.extensions import SettingsSection

_SECRET = "app_secret"  # noqa: S105 (the name under which the session keeps it, encrypted)


def _context(request: HttpRequest) -> dict[str, Any]:
    party = relying_party.site_relying_party()
    return {
        "factors": services.factors_of(signed_in_user(request)),
        "can_add": relying_party.relying_party_of(request) is not None,
        "elsewhere": f"{party.origin}/settings/security" if party else "",
        "form": forms.PasskeyName(),
    }


register(
    SettingsSection(
        slug="security", order=30, title=gettext_lazy("Two-factor and passkeys"), icon="shield-check", context=_context
    )
)


@recently_authenticated
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def app(request: HttpRequest) -> HttpResponse:
    """Set up an authenticator app, or replace it. The secret stays in the session until a code proves it."""
    user, now = signed_in_user(request), timezone.now()
    form = forms.AppCode(request.POST or None)
    secret = request.session.get(_SECRET)
    if secret is not None and form.is_valid():
        try:
            codes = services.set_up_app(user=user, secret=secret, code=form.cleaned_data["code"], now=now)
        except WrongCode:
            form.add_error("code", _("Incorrect code. Enter the code that the app shows now."))
        else:
            del request.session[_SECRET]
            if codes:
                return _show(request, codes)
            messages.success(request, _("The new app is set up. Codes from the old app no longer work."))
            return saved("security")
    if secret is None or request.method != "POST":
        # A new secret for every visit, in case someone else saw the earlier one.
        secret = request.session[_SECRET] = services.generate_app_secret()
    words = services.decrypt_secret(secret)
    return render(
        request,
        "accounts/settings/app.html",
        {
            "form": form,
            "secret": " ".join(words[i : i + 4] for i in range(0, len(words), 4)),
            "picture": _picture(get_adapter().build_totp_url(user, words)),
            "is_replacing": services.factors_of(user).app is not None,
        },
    )


@recently_authenticated
@require_POST
def remove_app(request: HttpRequest) -> HttpResponse:
    services.remove_app(user=signed_in_user(request))
    messages.success(request, _("The authenticator app was removed."))
    return saved("security")


@recently_authenticated
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def codes(request: HttpRequest) -> HttpResponse:
    """New recovery codes, shown in the answer and never again."""
    user = signed_in_user(request)
    if not services.has_second_factor(user):
        return redirect("accounts:settings-security")
    if request.method == "POST":
        return _show(request, services.replace_recovery_codes(user=user))
    return render(request, "accounts/settings/codes_ask.html")


@recently_authenticated
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def turn_off(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    if request.method == "POST":
        if services.turn_off_two_factor(user=user):
            messages.success(request, _("Two-factor sign-in is off. You now sign in with your password alone."))
        return saved("security")
    if not services.has_second_factor(user):
        return redirect("accounts:settings-security")
    return render(request, "accounts/settings/off.html")


@recently_authenticated
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def add_passkey(request: HttpRequest) -> HttpResponse:
    user, now = signed_in_user(request), timezone.now()
    party = relying_party.relying_party_of(request)
    if party is None:
        return redirect("accounts:settings-security")
    device = devices.device_name(request.headers.get("User-Agent", ""))
    form = forms.NewPasskey(request.POST or None, initial={"name": device})
    refusal: AppError | None = None
    if request.method == "POST":
        try:
            state = challenge.consume(request, "add", now=now, user=user)
            if form.is_valid():
                codes = services.add_passkey(
                    user=user,
                    name=form.cleaned_data["name"],
                    answer=form.cleaned_data["credential"],
                    state=state,
                    party=party,
                    now=now,
                )
                if codes:
                    return _show(request, codes)
                messages.success(request, _("The passkey was added."))
                return saved("security")
            if "credential" in form.errors:
                raise PasskeyRefused
        except (PasskeyRefused, TooManyPasskeys) as error:
            refusal = error
    options, state = services.begin_passkey_registration(user=user, party=party)
    challenge.store(request, "add", state, now=now, user=user)
    return render(
        request, "accounts/settings/passkey_add.html", {"form": form, "question": options, "refusal": refusal}
    )


@signed_in
@posts_from("security")
def rename_passkey(request: HttpRequest, pk: int) -> HttpResponse:
    form = forms.PasskeyName(request.POST)
    if not form.is_valid():
        return page(request, "security", form=form, renamed=pk)
    if not services.rename_passkey(user=signed_in_user(request), pk=pk, name=form.cleaned_data["name"]):
        raise Http404
    return saved("security")


@recently_authenticated
@require_POST
def remove_passkey(request: HttpRequest, pk: int) -> HttpResponse:
    if not services.remove_passkey(user=signed_in_user(request), pk=pk):
        raise Http404
    messages.success(request, _("The passkey was removed."))
    return saved("security")


def _show(request: HttpRequest, codes: list[str]) -> HttpResponse:
    return render(request, "accounts/settings/codes.html", {"codes": codes, "text": "\n".join(codes) + "\n"})


def _picture(text: str) -> dict[str, Any]:
    """A QR code as one path of unit squares, with the quiet zone around it that cameras need."""
    code = qrcode.QRCode(border=4)
    code.add_data(text)
    rows = code.get_matrix()
    squares = (f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, dark in enumerate(row) if dark)
    return {"size": len(rows), "path": "".join(squares)}
