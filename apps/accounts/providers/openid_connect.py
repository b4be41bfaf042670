"""OpenID Connect providers: the ID token decides who the user is (OpenID Connect Core 1.0)."""

import secrets
import time
from typing import Any

import jwt
from allauth.account.models import EmailAddress
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialApp, SocialLogin, SocialToken
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.http import HttpRequest
from django.urls import reverse
from django.utils.crypto import salted_hmac

ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
LEEWAY = 30  # seconds that a provider's clock may differ
FRESH = 300  # seconds since the user signed in at the provider, where they must prove who they are
MALFORMED = (KeyError, TypeError, ValueError, AttributeError, jwt.PyJWTError)  # what a broken response raises


def nonce_of(state_id: str) -> str:
    """The nonce of a sign-in, derived from the id of its state.

    allauth accepts a state id only in the session that it was created in, so the nonce binds the ID token to that
    session (OpenID Connect Core 1.0, 15.5.2) without being stored.
    """
    return salted_hmac("accounts.provider_nonce", state_id, algorithm="sha256").hexdigest()


def callback_url(request: HttpRequest, app: SocialApp) -> str:
    """The absolute address to which the provider sends the browser back."""
    return request.build_absolute_uri(reverse("accounts:provider-answer", kwargs={"slug": app.provider_id}))


class OpenIDAdapter(OpenIDConnectOAuth2Adapter):
    """Verifies the provider's responses; the user info may only add to the ID token."""

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        return callback_url(request, app)

    @property
    def openid_config(self) -> dict[str, Any]:
        """The provider's discovery document.

        :raises OAuth2Error: it is the document of another issuer.
        """
        config: dict[str, Any] = super().openid_config
        wanted = self.get_provider().app.settings["server_url"]
        # Microsoft's multi-tenant address names its issuer by a pattern.
        if config["issuer"].rstrip("/") != wanted and "{tenantid}" not in config["issuer"]:
            raise OAuth2Error("the document of another issuer")
        return config

    def complete_login(self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any) -> SocialLogin:
        """The login that the token response leads to.

        :raises OAuth2Error: the ID token or the user info is not valid for this sign-in.
        """
        id_token = self.verified_claims(app, kwargs["response"]["id_token"], nonce_of(request.GET["state"]))
        claims = id_token
        if "userinfo_endpoint" in self.openid_config:
            userinfo = self.fetch_json(self.profile_url, {"Authorization": f"Bearer {token.token}"})
            if userinfo["sub"] != id_token["sub"]:
                raise OAuth2Error("the user info of another subject")
            claims = {**id_token, **userinfo}
        login = self.get_provider().sociallogin_from_response(request, claims)
        login.id_token = id_token  # for is_fresh()
        return login

    def verified_claims(self, app: SocialApp, id_token: str, nonce: str) -> dict[str, Any]:
        """The claims of the ID token (OpenID Connect Core 1.0, 3.1.3.7).

        The signature is verified even though the token came directly from the provider.

        :raises OAuth2Error: a claim is meant for another issuer, client or sign-in.
        :raises jwt.PyJWTError: the signature, the audience or a time is wrong.
        """
        config = self.openid_config
        keys = {one.key_id: one for one in jwt.PyJWKSet.from_dict(self.fetch_json(config["jwks_uri"])).keys}
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
        if not secrets.compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode()):
            raise OAuth2Error("another nonce")
        return claims

    def fetch_json(self, address: str, headers: dict[str, str] | None = None) -> Any:
        """The JSON that the provider serves under this address.

        :raises requests.RequestException: it does not answer, or with an error.
        """
        with get_adapter().get_requests_session() as session:
            response = session.get(address, headers=headers)
            response.raise_for_status()
            return response.json()


class OpenIDProvider(OpenIDConnectProvider):
    oauth2_adapter_class = OpenIDAdapter

    def request_params(self, state_id: str, *, purpose: str) -> dict[str, str]:
        """What the authentication request says besides OAuth's parameters."""
        # max_age makes providers that follow the protocol return auth_time (OpenID Connect Core 1.0, 3.1.2.1).
        sign_in_again = {"prompt": "login", "max_age": str(FRESH)} if purpose == "prove" else {}
        return {"nonce": nonce_of(state_id), **sign_in_again}

    def extract_uid(self, data: dict[str, Any]) -> str:
        return str(data["sub"])

    def extract_email_addresses(self, data: dict[str, Any]) -> list[EmailAddress]:
        """The email counts as verified only if the provider says exactly that."""
        said = data.get("email_verified")
        is_verified = said is True or said == "true"
        return [EmailAddress(email=data["email"], verified=is_verified, primary=True)] if data.get("email") else []

    def extract_extra_data(self, data: dict[str, Any]) -> dict[str, Any]:
        return {"email": data.get("email", "")}


def is_fresh(login: SocialLogin) -> bool:
    """Whether the user has just signed in at the provider.

    A provider that does not say when (Google) was requested to show its sign-in form, and is trusted to have done so.
    """
    claims: dict[str, Any] = getattr(login, "id_token", {})
    return "auth_time" not in claims or bool(claims["auth_time"] >= time.time() - FRESH - LEEWAY)
