"""GitHub, which speaks OAuth 2 but not OpenID Connect."""

from typing import Any

from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.github.provider import GitHubProvider
from allauth.socialaccount.providers.github.views import GitHubOAuth2Adapter
from django.http import HttpRequest

from apps.accounts.providers.openid_connect import callback_url


class GitHubAdapter(GitHubOAuth2Adapter):
    def get_provider(self) -> Any:
        return get_adapter().get_provider(self.request, "github")

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        return callback_url(request, app)


class GitHub(GitHubProvider):
    oauth2_adapter_class = GitHubAdapter

    def extract_extra_data(self, data: dict[str, Any]) -> dict[str, Any]:
        return {"email": data.get("email") or "", "login": data["login"]}
