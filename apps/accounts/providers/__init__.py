"""Signing in with OpenID Connect providers and GitHub.

allauth speaks OAuth 2 (with its state and PKCE). This package adds what OpenID Connect requires beyond that: a
nonce, the signature of the ID token on every path, the configured issuer, and an ID token and user info about the same
subject. A callback ends in one of two exceptions, :class:`IdentityVerified` or :class:`SignInFailed`; allauth's own
pages and sign-in are not used.
"""

import secrets
from typing import NoReturn

import requests
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from django.conf import settings
from django.http import HttpRequest

from apps.accounts.errors import ProviderResponseRefused, ProviderUnavailable
from apps.accounts.providers.identity import Identity, IdentityVerified, SignInFailed
from apps.accounts.providers.openid_connect import MALFORMED, OpenIDProvider

__all__ = ["Identity", "IdentityVerified", "SignInFailed", "authorization_url", "handle_callback", "title_of"]


def title_of(slug: str) -> str:
    """The provider's name; derived from the slug if it is no longer configured."""
    return next((one.title for one in settings.SIGN_IN_PROVIDERS if one.slug == slug), slug.capitalize())


def authorization_url(request: HttpRequest, slug: str, *, onward: str, data: dict[str, str]) -> str:
    """The provider's address where the user signs in and agrees.

    ``onward`` and ``data`` are kept in the session and come back with :class:`IdentityVerified`. ``data["purpose"]``
    is "sign in", "link" or "prove"; to "prove", the user must enter their password at the provider again.

    :raises NotFound: no such provider is configured.
    :raises SignInFailed: the provider does not answer.
    """
    provider = get_adapter().get_provider(request, slug)
    state_id = secrets.token_urlsafe(24)
    is_openid = isinstance(provider, OpenIDProvider)
    try:
        response = provider.redirect(
            request,
            process="login",
            next_url=onward,
            data=data,
            auth_params=provider.request_params(state_id, purpose=data["purpose"]) if is_openid else {},
            state_id=state_id,
        )
    except (requests.RequestException, OAuth2Error, *MALFORMED) as error:
        raise SignInFailed(ProviderUnavailable(provider=provider.name)) from error
    return str(response.url)


def handle_callback(request: HttpRequest, slug: str) -> NoReturn:
    """Verify the provider's response, which the browser brings in the address of ``request``.

    :raises NotFound: no such provider is configured.
    :raises IdentityVerified: the provider says who this is.
    :raises SignInFailed: it does not, or its response is not valid.
    """
    provider = get_adapter().get_provider(request, slug)
    view = OAuth2CallbackView()
    view.request, view.adapter = request, provider.get_oauth2_adapter(request)
    try:
        view.dispatch(request)
    except MALFORMED as error:
        raise SignInFailed(ProviderResponseRefused(provider=provider.name)) from error
    raise SignInFailed(ProviderResponseRefused(provider=provider.name))
