"""Signing in with a provider: to the provider and back, the landing page, and registering or linking from there.

The verified identity stays in the visitor's session until the landing page (/auth/oauth/callback) has used it: none of
it travels through the browser.
"""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts import forms, providers, services, sessions
from apps.accounts.errors import AccountBlocked, IdentityTaken, ProviderResponseRefused
from apps.accounts.guards import open_to_everyone
from apps.accounts.models import User
from apps.accounts.pages.redirects import SIGN_IN_TOKEN_PAGES, home_of, next_or_home, sign_in_and_redirect
from apps.accounts.pages.registration import await_verification
from apps.accounts.pages.responses import without_referrer
from apps.accounts.providers import Identity, IdentityVerified, SignInFailed
from studyplatform.kit.errors import AppError
from studyplatform.kit.web import rate_limits
from studyplatform.kit.web.requests import safe_next

LANDING = "/auth/oauth/callback"
WAITS = timedelta(minutes=15)
_KEY = "social"


@open_to_everyone
@never_cache
@require_POST
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """On to the provider.

    Not by a redirect: the content security policy restricts forms to this site, including what they redirect to.
    """
    purpose = "prove" if request.POST.get("purpose") == "prove" and request.user.is_authenticated else "sign in"
    return go(request, slug, purpose=purpose, onward=safe_next(request, request.POST.get("next"), ""))


def go(request: HttpRequest, slug: str, *, purpose: str, onward: str) -> HttpResponse:
    """To the provider, to "sign in", to "link" an identity (the caller has authenticated the user) or to "prove"
    the signed-in user's identity.

    :raises RateLimitExceeded: too many requests from this address.
    """
    rate_limits.consume_for_address(request, "social", now=timezone.now())
    user = str(request.user.uid) if isinstance(request.user, User) else ""
    try:
        address = providers.authorization_url(request, slug, onward=onward, data={"purpose": purpose, "user": user})
    except SignInFailed as failed:
        return _refused(request, failed.refusal)
    return render(request, "accounts/social/onward.html", {"address": address, "title": providers.title_of(slug)})


@open_to_everyone
@never_cache
@require_safe
def answer(request: HttpRequest, slug: str) -> HttpResponse:
    """The provider sends the browser back to this address; the next page's address no longer contains its response."""
    rate_limits.consume_for_address(request, "social", now=timezone.now())
    request.session.pop(_KEY, None)
    try:
        providers.handle_callback(request, slug)
    except IdentityVerified as verified:
        response = _handle_identity(request, verified)
    except SignInFailed as failed:
        response = _refused(request, failed.refusal)
    return without_referrer(response)


def _handle_identity(request: HttpRequest, verified: IdentityVerified) -> HttpResponse:
    identity, onward, data = verified.identity, verified.state.get("next") or "", verified.state["data"]
    user: User | None = verified.account.user if verified.account.pk else None
    if data["purpose"] != "sign in":
        # The user who started this must still be the one signed in.
        me = request.user
        if not isinstance(me, User) or str(me.uid) != data["user"]:
            return _refused(request, ProviderResponseRefused(provider=providers.title_of(identity.provider)))
        if data["purpose"] == "link":
            return _link(request, me, identity, onward)
        has_better = me.has_usable_password() or services.has_second_factor(me)
        if user != me or has_better:
            return _refused(request, IdentityTaken(provider=providers.title_of(identity.provider)))
        sessions.note_authentication(request, now=timezone.now())
        return redirect(onward or "/settings/security")
    if user is None:
        return _wait(request, identity=identity.as_dict(), onward=onward)
    if not user.is_active:
        return _refused(request, AccountBlocked())
    return _wait(request, user=user.pk, onward=onward)


@open_to_everyone
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def landing(request: HttpRequest) -> HttpResponse:
    """Redirects on, asks what is still needed, or says what went wrong."""
    kept = request.session.get(_KEY)
    if kept is None or datetime.fromisoformat(kept["at"]) < timezone.now() - WAITS:
        request.session.pop(_KEY, None) if kept else None
        return _page(request, "nothing")
    if "user" in kept:
        return _lead_on(request, kept)
    identity = Identity(**kept["identity"])
    if isinstance(request.user, User):
        return _offer_link(request, request.user, identity, kept["onward"])
    if identity.is_email_verified and (owner := User.objects.with_email(identity.email)):
        if not owner.is_active:
            return _refused(request, AccountBlocked())
        return _page(request, "taken", identity=identity)
    return _join(request, identity, kept["onward"])


def _lead_on(request: HttpRequest, kept: dict[str, Any]) -> HttpResponse:
    """Sign in, or redirect to the page that accepts a sign-in token."""
    del request.session[_KEY]
    now = timezone.now()
    user = User.objects.filter(pk=kept["user"], is_active=True).first()
    if user is None:
        return _refused(request, AccountBlocked())
    onward = safe_next(request, kept["onward"], "") or home_of(user)
    parts = urlsplit(onward)
    if parts.path.removesuffix("/") not in SIGN_IN_TOKEN_PAGES or request.user.is_authenticated:
        return sign_in_and_redirect(request, user, onward=onward)
    query = urlencode({"token": services.create_sign_in_token(user=user, now=now), "user": str(user.uid)})
    return without_referrer(
        _page(request, "in", onward=f"{parts.path}?{parts.query + '&' if parts.query else ''}{query}")
    )


def _offer_link(request: HttpRequest, user: User, identity: Identity, onward: str) -> HttpResponse:
    """Offer a user who has signed in meanwhile to link the identity, after recent authentication."""
    if not sessions.is_recently_authenticated(request, now=timezone.now()):
        return redirect(f"{reverse('accounts:prove')}?{urlencode({'next': LANDING}, safe='/')}")
    if request.method == "POST":
        del request.session[_KEY]
        if "link" in request.POST:
            return _link(request, user, identity, onward)
        return redirect(onward or next_or_home(request, user))
    return _page(request, "link", identity=identity)


def _link(request: HttpRequest, user: User, identity: Identity, onward: str) -> HttpResponse:
    title = providers.title_of(identity.provider)
    try:
        services.link_identity(
            user=user, provider=identity.provider, uid=identity.uid, email=identity.email, title=title
        )
    except AppError as refusal:
        return _refused(request, refusal)
    messages.success(request, _("You can now sign in with %(provider)s.") % {"provider": title})
    return redirect(safe_next(request, onward, "/settings/connections"))


def _join(request: HttpRequest, identity: Identity, onward: str) -> HttpResponse:
    form = forms.RegisterWithProvider(request.POST or None, identity=identity)
    if not form.is_valid():
        return _page(request, "join", identity=identity, form=form)
    given, now = form.cleaned_data, timezone.now()
    who = {
        "first_name": given["first_name"],
        "last_name": given["last_name"],
        "provider": identity.provider,
        "provider_uid": identity.uid,
    }
    try:
        rate_limits.consume_for_address(request, "register", now=now)
        if not identity.is_email_verified:  # as anybody who registers: the mail proves it (docs/adr/0009)
            row = services.request_registration(email=given["email"], **who, now=now)
            del request.session[_KEY]
            return await_verification(request, row, onward=onward)
        user = services.create_account(services.NewAccount(email=identity.email, **who), now=now)
    except services.EmailTaken:  # a moment ago: the next look at the landing offers to link
        return redirect(LANDING)
    except AppError as refusal:
        return _refused(request, refusal)
    del request.session[_KEY]
    messages.success(request, _("Welcome, %(name)s.") % {"name": user.first_name})
    return sign_in_and_redirect(request, user, onward=onward)


def _wait(request: HttpRequest, **kept: Any) -> HttpResponseRedirect:
    request.session[_KEY] = {**kept, "at": timezone.now().isoformat()}
    return HttpResponseRedirect(LANDING)


def _refused(request: HttpRequest, refusal: AppError) -> HttpResponse:
    return _page(request, "refused", refusal=refusal, status=refusal.status)


def _page(request: HttpRequest, state: str, *, status: int = 200, **context: Any) -> HttpResponse:
    identity: Identity | None = context.get("identity")
    title = providers.title_of(identity.provider) if identity else ""
    context |= {"state": state, "title": title, "landing": LANDING}
    return render(request, "accounts/social/landing.html", context, status=status)
