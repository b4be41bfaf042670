"""Speaking to OpenID Connect providers and to GitHub. The protocol is allauth's; here is what it leaves to us.

Beside allauth's state and PKCE: a nonce, the signature of the ID token whatever the way it came, the issuer that
was configured, and that ID token and user info speak of one person. What a provider answers ends in one of two
exceptions, :class:`Arrived` and :class:`Failed`; allauth's own pages and sign-in are not used.
"""

import secrets
import time
from dataclasses import asdict, dataclass
from typing import Any, NoReturn

import jwt
import requests
from allauth.account.models import EmailAddress
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.adapter import get_adapter as allauth_adapter
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin, SocialToken
from allauth.socialaccount.providers.github.provider import GitHubProvider
from allauth.socialaccount.providers.github.views import GitHubOAuth2Adapter
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from apps.accounts.errors import ProviderAnswerRefused, ProviderDeclined, ProviderUnavailable
from apps.accounts.models import UserManager
from studyplatform.kit.errors import AppError, NotFound

ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
LEEWAY = 30  # seconds that a provider's clock may differ
FRESH = 300  # seconds since somebody signed in at the provider who is to prove who they are
_MALFORMED = (KeyError, TypeError, ValueError, AttributeError, jwt.PyJWTError)


@dataclass(frozen=True, kw_only=True)
class Identity:
    """Whom a provider has vouched for."""

    provider: str
    uid: str
    email: str
    is_email_verified: bool
    first_name: str
    last_name: str

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Arrived(Exception):
    """Somebody proved at the provider who they are. ``account`` is linked already if it has a user."""

    identity: Identity
    account: SocialAccount
    state: dict[str, Any]


@dataclass
class Failed(Exception):
    """Nobody did; the refusal says why."""

    refusal: AppError


def title_of(slug: str) -> str:
    """What a provider is called, also one that is no longer configured."""
    return next((one.title for one in settings.SIGN_IN_PROVIDERS if one.slug == slug), slug.capitalize())


def ask(request: HttpRequest, slug: str, *, onward: str, data: dict[str, str]) -> str:
    """The address at the provider where one says who one is; ``data`` comes back with the answer.

    :raises NotFound: there is no such provider.
    :raises Failed: it does not answer.
    """
    provider = allauth_adapter().get_provider(request, slug)
    nonce = secrets.token_urlsafe(24)
    try:
        answer = provider.redirect(
            request,
            process="login",
            next_url=onward,
            data=data,
            auth_params=_extra(nonce, data) if isinstance(provider, OpenIDProvider) else {},
            nonce=nonce,
        )
    except (requests.RequestException, OAuth2Error, *_MALFORMED) as error:
        raise Failed(ProviderUnavailable(provider=provider.name)) from error
    return str(answer.url)


def _extra(nonce: str, data: dict[str, str]) -> dict[str, str]:
    # max_age makes those who follow the protocol say when that was (OpenID Connect Core, 3.1.2.1).
    asks_again = {"prompt": "login", "max_age": str(FRESH)} if data["purpose"] == "prove" else {}
    return {"nonce": nonce, **asks_again}


def hear(request: HttpRequest, slug: str) -> NoReturn:
    """Judge the answer that the browser has brought back.

    :raises NotFound: there is no such provider.
    :raises Arrived: it tells who this is.
    :raises Failed: it does not.
    """
    provider = allauth_adapter().get_provider(request, slug)
    view = Callback()
    view.request, view.adapter = request, provider.get_oauth2_adapter(request)
    try:
        view.dispatch(request)
    except _MALFORMED as error:
        raise Failed(ProviderAnswerRefused(provider=provider.name)) from error
    raise Failed(ProviderAnswerRefused(provider=provider.name))


class Adapter(DefaultSocialAccountAdapter):
    """allauth's hooks: providers come from the settings alone, and what it found out is raised."""

    def get_provider(self, request: HttpRequest, provider: str, client_id: str | None = None) -> Any:
        """
        :raises NotFound: there is no such provider.
        """
        for one in settings.SIGN_IN_PROVIDERS:
            if one.slug == provider:
                app = SocialApp(provider="openid_connect", provider_id=one.slug, name=one.title)
                app.client_id, app.secret = one.client_id, one.client_secret
                app.settings = {"oauth_pkce_enabled": True, "server_url": one.issuer}
                return OpenIDProvider(request, app) if one.issuer else GitHub(request, app)
        raise NotFound

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        account, user, found = sociallogin.account, sociallogin.user, sociallogin.email_addresses
        best = next((one for one in found if one.verified), found[0] if found else None)
        known = account.user if account.pk else user
        identity = Identity(
            provider=account.provider,
            uid=account.uid,
            email=UserManager.normalize_email(best.email) if best else "",
            is_email_verified=bool(best and best.verified),
            first_name="" if account.pk else known.first_name[:80],
            last_name="" if account.pk else known.last_name[:80],
        )
        raise Arrived(identity, account, sociallogin.state)

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: Any = None,
        exception: Exception | None = None,
        extra_context: Any = None,
    ) -> NoReturn:
        kind: type[ProviderAnswerRefused | ProviderDeclined | ProviderUnavailable] = ProviderAnswerRefused
        if error == "cancelled":
            kind = ProviderDeclined
        elif isinstance(exception, requests.RequestException):
            kind = ProviderUnavailable
        raise Failed(kind(provider=provider.name)) from exception


class Callback(OAuth2CallbackView):
    """Knows the nonce that was sent along, and what for."""

    def _get_state(self, request: HttpRequest, provider: Any) -> Any:
        state, answer = super()._get_state(request, provider)
        self.adapter.nonce = state["nonce"]
        self.adapter.is_proof = state["data"]["purpose"] == "prove"
        return state, answer


class OpenIDAdapter(OpenIDConnectOAuth2Adapter):
    """The ID token decides who it is; the user info may only add to it."""

    nonce = ""
    is_proof = False

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        return _callback_url(request, app)

    @property
    def openid_config(self) -> dict[str, Any]:
        config: dict[str, Any] = super().openid_config
        wanted = self.get_provider().app.settings["server_url"]
        # Microsoft's address for every tenant names the issuer by a pattern.
        if config["issuer"].rstrip("/") != wanted and "{tenantid}" not in config["issuer"]:
            raise OAuth2Error("the document of another issuer")
        return config

    def complete_login(self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any) -> SocialLogin:
        claims = self._decode_id_token(app, kwargs["response"]["id_token"])
        if "userinfo_endpoint" in self.openid_config:
            more = self._fetch_user_info(token.token)
            if more["sub"] != claims["sub"]:
                raise OAuth2Error("the user info is somebody else's")
            claims = {**claims, **more}
        return self.get_provider().sociallogin_from_response(request, claims)

    def _decode_id_token(self, app: SocialApp, id_token: str) -> dict[str, Any]:
        config = self.openid_config
        with allauth_adapter().get_requests_session() as session:
            answer = session.get(config["jwks_uri"])
            answer.raise_for_status()
            keys = {one.key_id: one for one in jwt.PyJWKSet.from_dict(answer.json()).keys}
        kid = jwt.get_unverified_header(id_token).get("kid")
        key = keys[kid] if kid or len(keys) != 1 else next(iter(keys.values()))
        claims: dict[str, Any] = jwt.decode(
            id_token,
            key,
            algorithms=ALGORITHMS,
            audience=app.client_id,
            leeway=LEEWAY,
            options={"require": ["exp", "iat", "iss", "aud", "sub"]},
        )
        if claims["iss"] != config["issuer"].replace("{tenantid}", str(claims.get("tid", ""))):
            raise OAuth2Error("another issuer")
        if claims.get("azp", app.client_id) != app.client_id:
            raise OAuth2Error("for another client")
        if not self.nonce or not secrets.compare_digest(str(claims.get("nonce", "")), self.nonce):
            raise OAuth2Error("another nonce")
        # Who does not say when (Google) was asked to ask again, and is believed.
        if self.is_proof and "auth_time" in claims and claims["auth_time"] < time.time() - FRESH - LEEWAY:
            raise OAuth2Error("signed in long ago")
        return claims


class OpenIDProvider(OpenIDConnectProvider):
    oauth2_adapter_class = OpenIDAdapter

    def extract_uid(self, data: dict[str, Any]) -> str:
        return str(data["sub"])

    def extract_email_addresses(self, data: dict[str, Any]) -> list[EmailAddress]:
        """Verified only if the provider says exactly that."""
        said = data.get("email_verified")
        is_verified = said is True or said == "true"
        return [EmailAddress(email=data["email"], verified=is_verified, primary=True)] if data.get("email") else []

    def extract_extra_data(self, data: dict[str, Any]) -> dict[str, Any]:
        return {"email": data.get("email", "")}


class GitHubAdapter(GitHubOAuth2Adapter):
    nonce = ""

    def get_provider(self) -> Any:
        return allauth_adapter().get_provider(self.request, "github")

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        return _callback_url(request, app)


class GitHub(GitHubProvider):
    oauth2_adapter_class = GitHubAdapter

    def extract_extra_data(self, data: dict[str, Any]) -> dict[str, Any]:
        return {"email": data.get("email") or "", "login": data["login"]}


def _callback_url(request: HttpRequest, app: SocialApp) -> str:
    return request.build_absolute_uri(reverse("accounts:provider-answer", kwargs={"slug": app.provider_id}))
