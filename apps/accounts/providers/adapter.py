"""allauth's hooks (SOCIALACCOUNT_ADAPTER): providers come from the settings alone, and results are raised."""

from typing import Any, NoReturn

import requests
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialLogin
from django.conf import settings
from django.http import HttpRequest

from apps.accounts.errors import ProviderDeclined, ProviderResponseRefused, ProviderUnavailable
from apps.accounts.models import UserManager
from apps.accounts.providers.github import GitHub
from apps.accounts.providers.identity import Identity, IdentityVerified, SignInFailed
from apps.accounts.providers.openid_connect import OpenIDProvider, is_fresh
from studyplatform.kit.errors import NotFound


class Adapter(DefaultSocialAccountAdapter):
    def get_provider(self, request: HttpRequest, provider: str, client_id: str | None = None) -> Any:
        """
        :raises NotFound: no such provider is configured.
        """
        for one in settings.SIGN_IN_PROVIDERS:
            if one.slug == provider:
                app = SocialApp(provider="openid_connect", provider_id=one.slug, name=one.title)
                app.client_id, app.secret = one.client_id, one.client_secret
                app.settings = {"oauth_pkce_enabled": True, "server_url": one.issuer}
                return OpenIDProvider(request, app) if one.issuer else GitHub(request, app)
        raise NotFound

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> NoReturn:
        """
        :raises IdentityVerified: always, except where the user had to prove who they are.
        :raises SignInFailed: they did that too long ago.
        """
        account, user, found = sociallogin.account, sociallogin.user, sociallogin.email_addresses
        if sociallogin.state["data"]["purpose"] == "prove" and not is_fresh(sociallogin):
            raise SignInFailed(ProviderResponseRefused(provider=sociallogin.provider.name))
        best = next((one for one in found if one.verified), found[0] if found else None)
        identity = Identity(
            provider=account.provider,
            uid=account.uid,
            email=UserManager.normalize_email(best.email) if best else "",
            is_email_verified=bool(best and best.verified),
            first_name="" if account.pk else user.first_name[:80],
            last_name="" if account.pk else user.last_name[:80],
        )
        raise IdentityVerified(identity, account, sociallogin.state)

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: Any = None,
        exception: Exception | None = None,
        extra_context: Any = None,
    ) -> NoReturn:
        """
        :raises SignInFailed: always, with the reason.
        """
        kind: type[ProviderResponseRefused | ProviderDeclined | ProviderUnavailable] = ProviderResponseRefused
        if error == "cancelled":
            kind = ProviderDeclined
        elif isinstance(exception, requests.RequestException):
            kind = ProviderUnavailable
        raise SignInFailed(kind(provider=provider.name)) from exception
