"""Signing in with GitHub, which speaks OAuth and no OpenID Connect: there and back over real HTTP."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.socialaccount.models import SocialAccount
from django.core import mail
from django.test import Client

from apps.accounts.models import Registration, User
from apps.accounts.providers.github import GitHubAdapter
from tests.accounts.provider import Hub, configured, hub
from tests.accounts.test_registration import posted
from tests.accounts.test_social import JOIN, LANDING, back, is_signed_in, led_on, refusal
from tests.factories.accounts import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def github(settings: Any, monkeypatch: Any) -> Iterator[Hub]:
    settings.SIGN_IN_PROVIDERS = [configured("", slug="github", title="GitHub")]
    with hub() as one:
        monkeypatch.setattr(GitHubAdapter, "access_token_url", f"{one.issuer}/login/oauth/access_token")
        monkeypatch.setattr(GitHubAdapter, "profile_url", f"{one.issuer}/user")
        monkeypatch.setattr(GitHubAdapter, "emails_url", f"{one.issuer}/user/emails")
        yield one


def asked(browser: Client) -> str:
    return led_on(browser.post("/auth/oauth/start/github", {"next": "/courses/"}))


def there_and_back(browser: Client, github: Hub) -> Any:
    return back(browser, github.authorize(asked(browser)))


def emails(**verified: bool) -> list[dict[str, Any]]:
    return [
        {"email": f"{name}@hub.example", "primary": name == "main", "verified": is_verified}
        for name, is_verified in verified.items()
    ]


def test_a_private_email_joins_by_its_primary_address_and_the_next_time_one_is_in(client: Client, github: Hub) -> None:
    page = there_and_back(client, github).content.decode()
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
    there_and_back(other, github)

    assert is_signed_in(other) == str(user.pk)


def test_who_renames_themselves_there_stays_the_same_person_here(client: Client, github: Hub) -> None:
    """The number counts: a login that somebody gave up may be another person's by now."""
    mia = UserFactory(email="mia@hub.example")
    SocialAccount.objects.create(user=mia, provider="github", uid="4711", extra_data={})
    github.user |= {"login": "moss"}
    there_and_back(client, github)
    assert is_signed_in(client) == str(mia.pk)

    github.user |= {"id": 4712, "login": "mia-hub"}
    stranger = Client()
    page = there_and_back(stranger, github)

    assert not is_signed_in(stranger)
    assert "You already have an account" in page.content.decode()


@pytest.mark.parametrize(
    ("profile", "found"),
    [(None, emails(main=False)), ("main@hub.example", emails(main=False)), ("main@hub.example", [])],
    ids=["listed", "shown and listed", "shown alone"],
)
def test_an_email_that_github_has_not_verified_is_proved_by_mail(
    client: Client, github: Hub, profile: str | None, found: list[dict[str, Any]]
) -> None:
    """Also if somebody has an account with it: nothing is linked, and nothing is told."""
    leo = UserFactory(email="main@hub.example")
    github.user |= {"email": profile}
    github.emails = found
    page = there_and_back(client, github).content.decode()
    assert 'name="email"' in page
    assert "You already have an account" not in page

    client.post(LANDING, JOIN | {"email": "new@hub.example"})
    assert not User.objects.exclude(pk=leo.pk).exists()
    assert Registration.objects.get().provider_uid == "4711"
    client.post("/auth/verify-email", {"code": posted()[1]})

    assert mail.outbox[-1].to == ["new@hub.example"]
    assert SocialAccount.objects.get().user == User.objects.get(email="new@hub.example")


def test_a_verified_address_goes_before_a_primary_one_that_is_not(client: Client, github: Hub) -> None:
    github.emails = emails(main=False, other=True)

    page = there_and_back(client, github).content.decode()

    assert "other@hub.example" in page
    assert 'name="email"' not in page


@pytest.mark.parametrize("twist", ["another state", "no state", "another browser", "twice", "a made-up code"])
def test_an_answer_that_was_not_asked_for_is_refused(client: Client, github: Hub, twist: str) -> None:
    mia = UserFactory()
    SocialAccount.objects.create(user=mia, provider="github", uid="4711", extra_data={})
    address = github.authorize(asked(client))
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
            back(client, address)
            client.post("/auth/logout")
        case "a made-up code":
            address = address.replace("code=code-0", "code=made-up")

    page = back(browser, address)

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
def test_a_malformed_response_signs_nobody_in(
    client: Client, github: Hub, path: str, answer: tuple[int, Any], code: str
) -> None:
    github.broken[path] = answer

    page = there_and_back(client, github)

    assert refusal(page) == code
    assert not is_signed_in(client)


def test_without_a_list_of_emails_one_is_asked_for(client: Client, github: Hub) -> None:
    github.broken["/user/emails"] = (404, {"message": "Not Found"})

    assert 'name="email"' in there_and_back(client, github).content.decode()
