"""Signing in with GitHub, which uses OAuth without OpenID Connect, over real HTTP."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.socialaccount.models import SocialAccount
from django.core import mail
from django.test import Client

from apps.accounts.models import Registration, User
from apps.accounts.providers.github import GitHubAdapter
from tests.accounts.provider import GitHubProvider, configured, hub
from tests.accounts.test_registration import read_email
from tests.accounts.test_social import JOIN, LANDING, is_signed_in, redirect_address, refusal, return_from_provider
from tests.factories.accounts import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def github(settings: Any, monkeypatch: Any) -> Iterator[GitHubProvider]:
    settings.SIGN_IN_PROVIDERS = [configured("", slug="github", title="GitHub")]
    with hub() as one:
        monkeypatch.setattr(GitHubAdapter, "access_token_url", f"{one.issuer}/login/oauth/access_token")
        monkeypatch.setattr(GitHubAdapter, "profile_url", f"{one.issuer}/user")
        monkeypatch.setattr(GitHubAdapter, "emails_url", f"{one.issuer}/user/emails")
        yield one


def start_sign_in(browser: Client) -> str:
    return redirect_address(browser.post("/auth/oauth/start/github", {"next": "/courses/"}))


def sign_in_with_github(browser: Client, github: GitHubProvider) -> Any:
    return return_from_provider(browser, github.authorize(start_sign_in(browser)))


def email_list(**verified: bool) -> list[dict[str, Any]]:
    return [
        {"email": f"{name}@hub.example", "primary": name == "main", "verified": is_verified}
        for name, is_verified in verified.items()
    ]


def test_a_user_registers_with_the_primary_email_and_signs_in_next_time(client: Client, github: GitHubProvider) -> None:
    page = sign_in_with_github(client, github).content.decode()
    assert "mia@hub.example" in page
    assert "noreply" not in page
    assert 'value="Moss"' in page
    assert client.post(LANDING, JOIN)["Location"] == "/courses/"
    user = User.objects.get()
    assert (user.email, bool(user.email_verified_at)) == ("mia@hub.example", True)
    row = SocialAccount.objects.get()
    assert (row.provider, row.uid) == ("github", "4711")
    assert github.tokens[0] not in str(row.extra_data)

    other = Client()
    sign_in_with_github(other, github)

    assert is_signed_in(other) == str(user.pk)


def test_a_renamed_github_user_keeps_the_same_account(client: Client, github: GitHubProvider) -> None:
    """The numeric ID identifies the user: someone else can take a login that was given up."""
    mia = UserFactory(email="mia@hub.example")
    SocialAccount.objects.create(user=mia, provider="github", uid="4711", extra_data={})
    github.user |= {"login": "moss"}
    sign_in_with_github(client, github)
    assert is_signed_in(client) == str(mia.pk)

    github.user |= {"id": 4712, "login": "mia-hub"}
    stranger = Client()
    page = sign_in_with_github(stranger, github)

    assert not is_signed_in(stranger)
    assert "You already have an account" in page.content.decode()


@pytest.mark.parametrize(
    ("profile", "found"),
    [(None, email_list(main=False)), ("main@hub.example", email_list(main=False)), ("main@hub.example", [])],
    ids=["listed", "shown and listed", "only shown"],
)
def test_an_email_that_github_has_not_verified_needs_verification(
    client: Client, github: GitHubProvider, profile: str | None, found: list[dict[str, Any]]
) -> None:
    """This also applies if an account has this email: nothing is linked, and nothing is revealed."""
    leo = UserFactory(email="main@hub.example")
    github.user |= {"email": profile}
    github.emails = found
    page = sign_in_with_github(client, github).content.decode()
    assert 'name="email"' in page
    assert "You already have an account" not in page

    client.post(LANDING, JOIN | {"email": "new@hub.example"})
    assert not User.objects.exclude(pk=leo.pk).exists()
    assert Registration.objects.get().provider_uid == "4711"
    client.post("/auth/verify-email", {"code": read_email()[1]})

    assert mail.outbox[-1].to == ["new@hub.example"]
    assert SocialAccount.objects.get().user == User.objects.get(email="new@hub.example")


def test_a_verified_email_is_preferred_to_an_unverified_primary_one(client: Client, github: GitHubProvider) -> None:
    github.emails = email_list(main=False, other=True)

    page = sign_in_with_github(client, github).content.decode()

    assert "other@hub.example" in page
    assert 'name="email"' not in page


@pytest.mark.parametrize("twist", ["another state", "no state", "another browser", "twice", "a made-up code"])
def test_an_unrequested_response_is_refused(client: Client, github: GitHubProvider, twist: str) -> None:
    mia = UserFactory()
    SocialAccount.objects.create(user=mia, provider="github", uid="4711", extra_data={})
    address = github.authorize(start_sign_in(client))
    state = parse_qs(urlsplit(address).query)["state"][0]
    browser = client
    match twist:
        case "another state":
            address = address.replace(state, state[::-1])
        case "no state":
            address = address.split("&state=")[0]
        case "another browser":
            browser = Client()
        case "twice":
            return_from_provider(client, address)
            client.post("/auth/logout")
        case "a made-up code":
            address = address.replace("code=code-0", "code=made-up")

    page = return_from_provider(browser, address)

    assert refusal(page) == "AUTH_PROVIDER_REFUSED"
    assert not is_signed_in(browser)


@pytest.mark.parametrize(
    ("path", "answer", "code"),
    [
        ("/login/oauth/access_token", (200, {"error": "incorrect_client_credentials"}), "AUTH_PROVIDER_REFUSED"),
        ("/login/oauth/access_token", (200, []), "AUTH_PROVIDER_REFUSED"),
        ("/user", (200, {"login": "no-number"}), "AUTH_PROVIDER_REFUSED"),
        ("/user", (200, []), "AUTH_PROVIDER_REFUSED"),
        ("/user", (401, {"message": "Bad credentials"}), "AUTH_PROVIDER_UNAVAILABLE"),
        ("/user/emails", (500, {}), "AUTH_PROVIDER_UNAVAILABLE"),
        ("/user/emails", (200, [{"email": "x@hub.example"}]), "AUTH_PROVIDER_REFUSED"),
    ],
)
def test_a_malformed_response_signs_no_user_in(
    client: Client, github: GitHubProvider, path: str, answer: tuple[int, Any], code: str
) -> None:
    github.broken[path] = answer

    page = sign_in_with_github(client, github)

    assert refusal(page) == code
    assert not is_signed_in(client)


def test_the_form_requests_an_email_if_github_lists_none(client: Client, github: GitHubProvider) -> None:
    github.broken["/user/emails"] = (404, {"message": "Not Found"})

    assert 'name="email"' in sign_in_with_github(client, github).content.decode()
