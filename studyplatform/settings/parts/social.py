"""Signing in with a provider: any OpenID Connect provider, and GitHub, from the environment.

``OIDC_<NAME>_CLIENT_ID`` and ``OIDC_<NAME>_CLIENT_SECRET`` switch one on; ``GOOGLE``, ``MICROSOFT`` and ``GITHUB`` need
nothing more, others their ``OIDC_<NAME>_ISSUER`` and, for the button, ``OIDC_<NAME>_TITLE``. Its answer goes to
``<site>/auth/oauth/callback/<name>``.
"""

import os
import re
from dataclasses import dataclass

from django.core.exceptions import ImproperlyConfigured

from studyplatform.settings import env

_KNOWN = {
    "google": ("Google", "https://accounts.google.com"),
    "microsoft": ("Microsoft", "https://login.microsoftonline.com/common/v2.0"),
    "github": ("GitHub", ""),
}


@dataclass(frozen=True)
class SignInProvider:
    """An identity provider. Without an issuer it is GitHub, which supports OAuth only."""

    slug: str
    title: str
    issuer: str
    client_id: str
    client_secret: str


def _provider(name: str) -> SignInProvider:
    slug = name.lower().replace("_", "-")
    title, issuer = _KNOWN.get(slug, (name.replace("_", " ").title(), ""))
    provider = SignInProvider(
        slug=slug,
        title=env.text(f"OIDC_{name}_TITLE", title),
        issuer=env.text(f"OIDC_{name}_ISSUER", issuer).rstrip("/"),
        client_id=env.text(f"OIDC_{name}_CLIENT_ID"),
        client_secret=env.text(f"OIDC_{name}_CLIENT_SECRET"),
    )
    if not provider.client_secret or not (provider.issuer or slug == "github"):
        raise ImproperlyConfigured(f"OIDC_{name}: needs CLIENT_ID, CLIENT_SECRET and ISSUER (see .env.example).")
    return provider


SIGN_IN_PROVIDERS = [
    _provider(found[1]) for key in sorted(os.environ) if (found := re.fullmatch(r"OIDC_([A-Z0-9_]+)_CLIENT_ID", key))
]
SOCIALACCOUNT_ADAPTER = "apps.accounts.providers.adapter.Adapter"
SOCIALACCOUNT_AUTO_SIGNUP = False
SOCIALACCOUNT_STORE_TOKENS = False
SOCIALACCOUNT_QUERY_EMAIL = True
SOCIALACCOUNT_REQUESTS_TIMEOUT = 8
