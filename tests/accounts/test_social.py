"""Signing in with a provider over real HTTP: registration, linking, and providers that lie."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
import time_machine
from allauth.socialaccount.models import SocialAccount
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import BrowserSession, Registration, User
from apps.accounts.sessions import signing_in
from studyplatform.kit import jobs
from studyplatform.settings.parts import social as social_settings
from tests.accounts.provider import CLIENT, LyingProvider, configured, consent, honest, lying, register_user
from tests.accounts.test_registration import CHOSEN, finish_registration, read_email
from tests.factories.accounts import PASSWORD, UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("providers")]
LANDING = "/auth/oauth/callback"
JOIN = {"first_name": "Mia", "last_name": "Moss", "terms": "on"}


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    with honest() as issuer:
        yield issuer


@pytest.fixture
def school(settings: Any, issuer: str) -> str:
    settings.SIGN_IN_PROVIDERS = [configured(issuer)]
    register_user(
        issuer, "mia-77", email="mia@school.example", email_verified=True, given_name="Mia", family_name="Moss"
    )
    return issuer


@pytest.fixture
def liar(settings: Any) -> Iterator[LyingProvider]:
    with lying() as liar:
        settings.SIGN_IN_PROVIDERS = [configured(liar.issuer)]
        yield liar


def start_sign_in(browser: Client, onward: str = "", **more: str) -> str:
    """Press the button and return the address that the page redirects to."""
    page = browser.post("/auth/oauth/start/school", {"next": onward, **more})
    assert page.status_code == 200, page.content
    return redirect_address(page)


def redirect_address(page: Any) -> str:
    found = re.search(r'<meta http-equiv="refresh" content="0; url=([^"]+)">', page.content.decode())
    assert found, page.content.decode()
    return unescape(found[1])


def return_from_provider(browser: Client, address: str, *, arrives: bool = True) -> Any:
    """Return from the provider, and answer with the landing page or what follows it."""
    parts = urlsplit(address)
    answer = browser.get(f"{parts.path}?{parts.query}")
    while answer.status_code == 302 and answer["Location"] == LANDING:
        answer = browser.get(LANDING)
    if arrives and b"/me/dashboard?" in answer.content:  # the dashboard is opened with a sign-in token
        dashboard = urlsplit(redirect_address(answer))
        answer = browser.get(f"{dashboard.path}?{dashboard.query}")
    return answer


def sign_in_with_provider(browser: Client, onward: str = "", sub: str = "mia-77", **more: str) -> Any:
    return return_from_provider(browser, consent(start_sign_in(browser, onward, **more), sub))


def link_identity(user: User, sub: str = "mia-77") -> User:
    SocialAccount.objects.create(user=user, provider="school", uid=sub, extra_data={})
    return user


def is_signed_in(browser: Client) -> str:
    return str(browser.session.get("_auth_user_id", ""))


def expire_authentication(browser: Client) -> None:
    """Expire the recent sign-in without changing the clock, which the provider's own process does not share."""
    session = browser.session
    session["proved_at"] = (timezone.now() - timedelta(minutes=11)).isoformat()
    session.save()


def refusal(page: Any) -> str:
    found = re.search(r'data-error="([A-Z_]+)"', page.content.decode())
    return found[1] if found else ""


# --- Signing in ------------------------------------------------------------------------------------


def test_a_configured_provider_shows_its_button(client: Client, settings: Any) -> None:
    for page in ("/auth/login", "/auth/register"):
        assert b"/auth/oauth/start/" not in client.get(page).content
    settings.SIGN_IN_PROVIDERS = [configured("https://login.example")]
    for page in ("/auth/login?next=/courses/", "/auth/register?next=/courses/"):
        shown = client.get(page).content.decode()
        assert "Continue with Field School" in shown
        form = shown.split('action="/auth/oauth/start/school"')[1].split("</form>")[0]
        assert '<input type="hidden" name="next" value="/courses/">' in form


def test_a_new_user_accepts_the_terms_and_is_signed_in(client: Client, school: str) -> None:
    page = sign_in_with_provider(client, "/courses/rivers").content.decode()
    assert "mia@school.example" in page
    assert 'value="Moss"' in page
    assert 'name="email"' not in page
    assert "/auth/login?next=/auth/oauth/callback" in page

    refused = client.post(LANDING, JOIN | {"terms": ""}).content.decode()
    assert "You must agree to the terms of service" in refused
    assert not User.objects.exists()

    assert client.post(LANDING, JOIN | {"email": "other@example.com", "role": "admin"})["Location"] == "/courses/rivers"
    user = User.objects.get()
    assert is_signed_in(client) == str(user.pk)
    assert (user.email, user.first_name, user.role) == ("mia@school.example", "Mia", "student")
    assert user.email_verified_at is not None
    assert user.terms_accepted_at is not None
    assert not user.has_usable_password()
    assert SocialAccount.objects.get().extra_data == {"email": "mia@school.example"}


def test_a_returning_user_is_signed_in_at_once(client: Client, school: str, mia: User) -> None:
    link_identity(mia)
    planted = client.session
    planted["x"] = 1
    planted.save()
    client.cookies["sessionid"] = str(planted.session_key)

    assert sign_in_with_provider(client, "/courses/rivers?tab=2")["Location"] == "/courses/rivers?tab=2"

    assert is_signed_in(client) == str(mia.pk)
    assert client.session.session_key != planted.session_key


def test_the_dashboard_completes_a_sign_in_with_a_token_in_the_address(client: Client, school: str, mia: User) -> None:
    link_identity(mia)

    consented = consent(start_sign_in(client, "/me/dashboard?week=3"), "mia-77")
    page = return_from_provider(client, consented, arrives=False)
    assert page.status_code == 200
    assert "signed in" in page.content.decode()
    assert not is_signed_in(client)
    onward = urlsplit(redirect_address(page))
    assert (onward.path, set(parse_qs(onward.query))) == ("/me/dashboard", {"week", "token", "user"})

    arrived = client.get(f"{onward.path}?{onward.query}", headers={"Sec-Fetch-Site": "same-origin"})
    assert arrived["Location"] == "/me/dashboard?week=3"
    assert is_signed_in(client) == str(mia.pk)


def test_the_authorization_request_has_its_required_parameters(client: Client, school: str) -> None:
    first, second = (parse_qs(urlsplit(start_sign_in(client)).query) for _ in range(2))

    assert first["redirect_uri"] == ["http://testserver/auth/oauth/callback/school"]
    assert (first["response_type"], first["code_challenge_method"]) == (["code"], ["S256"])
    assert "openid" in first["scope"][0].split()
    for name in ("state", "nonce", "code_challenge"):
        assert len(first[name][0]) >= 16
        assert first[name] != second[name]


def test_signing_in_with_a_provider_requires_the_second_step(
    client: Client, school: str, mia: User, monkeypatch: Any
) -> None:
    link_identity(mia)
    monkeypatch.setattr(services, "has_second_factor", lambda user: True)

    for onward in ("/courses/rivers", "/me/dashboard"):
        answer = sign_in_with_provider(client, onward)
        if answer.status_code == 200:  # through the sign-in token
            address = urlsplit(redirect_address(answer))
            answer = client.get(f"{address.path}?{address.query}")
        assert answer["Location"] == f"/auth/second-step?next={onward}"
        assert not is_signed_in(client)


@pytest.mark.parametrize("onward", ["https://evil.example/", "//evil.example", "/\\evil.example"])
def test_signing_in_never_redirects_to_another_site(client: Client, school: str, mia: User, onward: str) -> None:
    link_identity(mia)

    assert sign_in_with_provider(client, onward)["Location"] == "/me/dashboard"


def test_the_landing_page_says_that_there_is_nothing_to_continue(client: Client) -> None:
    page = client.get(LANDING)

    assert page.status_code == 200
    assert "There is nothing to continue" in page.content.decode()


def test_an_unfinished_registration_expires_after_fifteen_minutes(client: Client, school: str) -> None:
    sign_in_with_provider(client)

    with time_machine.travel(timezone.now() + timedelta(minutes=16)):
        assert "There is nothing to continue" in client.post(LANDING, JOIN).content.decode()
    assert not User.objects.exists()


# --- Emails ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("verified", [False, "false", None, 0, "yes", 1])
def test_an_email_that_the_provider_has_not_verified_needs_verification(
    client: Client, school: str, verified: object
) -> None:
    claims = {} if verified is None else {"email_verified": verified}
    register_user(school, "leo-1", email="leo@example.com", **claims)

    page = sign_in_with_provider(client, "/courses/rivers", "leo-1").content.decode()
    assert 'name="email"' in page
    sent = client.post(LANDING, JOIN | {"email": "leo@example.com"})
    jobs.run_pending("default")
    assert sent["Location"] == "/auth/verify-email?next=/courses/rivers"
    assert not User.objects.exists()

    assert client.post(sent["Location"], {"code": read_email()[1]})["Location"] == "/courses/rivers"
    user = User.objects.get()
    assert SocialAccount.objects.get().user == user
    assert not user.has_usable_password()


def test_the_link_in_another_browser_does_not_link_the_identity(client: Client, school: str) -> None:
    """The email of an identity may belong to a stranger, whose click must not give the identity access."""
    register_user(school, "eve-1", email="leo@example.com")
    sign_in_with_provider(client, sub="eve-1")
    client.post(LANDING, JOIN | {"email": "leo@example.com"})
    jobs.run_pending("default")
    owner = Client()

    assert finish_registration(owner, read_email()[0])["Location"] == "/me/dashboard"

    assert User.objects.get().check_password(CHOSEN["password"])
    assert not SocialAccount.objects.exists()
    sign_in_with_provider(client, sub="eve-1")
    client.get(LANDING)
    assert not is_signed_in(client)


def test_an_unverified_taken_email_reveals_nothing(client: Client, school: str, leo: User) -> None:
    register_user(school, "x-1", email=leo.email)

    page = sign_in_with_provider(client, sub="x-1").content.decode()
    assert "You already have an account" not in page
    client.post(LANDING, JOIN | {"email": leo.email})
    jobs.run_pending("default")

    assert mail.outbox[0].subject == "You already have an account at Study Platform"
    assert not SocialAccount.objects.exists()


def test_an_existing_account_is_linked_after_a_password_and_confirmation(client: Client, school: str) -> None:
    owner = UserFactory(username="owner", email="mia@school.example")
    page = sign_in_with_provider(client, "/courses/rivers").content.decode()
    assert "You already have an account" in page
    assert not is_signed_in(client)
    assert client.post(LANDING, JOIN).status_code == 200
    assert User.objects.count() == 1

    signed_in = client.post(f"/auth/login?next={LANDING}", {"email": owner.email, "password": PASSWORD})
    assert signed_in["Location"] == LANDING
    assert "Link Field School?" in client.get(LANDING).content.decode()
    assert not SocialAccount.objects.exists()

    assert client.post(LANDING, {"link": "1"})["Location"] == "/courses/rivers"
    jobs.run_pending("default")
    assert SocialAccount.objects.get().user == owner
    assert "You can now sign in with Field School" in [str(one.subject) for one in mail.outbox]
    assert sign_in_with_provider(Client())["Location"] == "/me/dashboard"


def test_a_user_can_decline_to_link_the_identity(client: Client, school: str) -> None:
    owner = UserFactory(username="owner", email="mia@school.example")
    sign_in_with_provider(client)
    client.post("/auth/login", {"email": owner.email, "password": PASSWORD})

    client.post(LANDING, {})

    assert not SocialAccount.objects.exists()
    assert "There is nothing to continue" in client.get(LANDING).content.decode()


def test_a_missing_email_is_requested(client: Client, school: str) -> None:
    register_user(school, "none-1", name="No Mail")

    assert 'name="email"' in sign_in_with_provider(client, sub="none-1").content.decode()


# --- Blocked users ---------------------------------------------------------------------------------


def test_blocked_users_cannot_sign_in(client: Client, school: str, ben: User) -> None:
    link_identity(ben)

    page = sign_in_with_provider(client)

    assert (page.status_code, refusal(page)) == (403, "AUTH_ACCOUNT_BLOCKED")
    assert not is_signed_in(client)


def test_a_user_blocked_during_the_sign_in_is_not_signed_in(client: Client, school: str, mia: User) -> None:
    link_identity(mia)
    parts = urlsplit(consent(start_sign_in(client), "mia-77"))
    client.get(f"{parts.path}?{parts.query}")
    services.block(user=mia)

    assert refusal(client.get(LANDING)) == "AUTH_ACCOUNT_BLOCKED"
    assert not is_signed_in(client)


def test_the_email_of_a_blocked_user_creates_no_account(client: Client, school: str) -> None:
    UserFactory(username="gone", email="mia@school.example", is_active=False)

    assert refusal(sign_in_with_provider(client)) == "AUTH_ACCOUNT_BLOCKED"
    client.post(LANDING, JOIN)
    assert User.objects.count() == 1


# --- Attacks ---------------------------------------------------------------------------------------


def test_refusing_consent_at_the_provider_changes_nothing(client: Client, school: str) -> None:
    state = parse_qs(urlsplit(start_sign_in(client)).query)["state"][0]

    page = client.get(f"{LANDING}/school", {"error": "access_denied", "state": state})

    assert (page.status_code, refusal(page)) == (403, "AUTH_PROVIDER_DECLINED")
    assert "/auth/login" in page.content.decode()


@pytest.mark.parametrize(
    "twist",
    [
        lambda q: {**q, "state": "made-up"},
        lambda q: {"code": q["code"]},
        lambda q: {"state": q["state"]},
        lambda q: {**q, "code": "made-up"},
        lambda q: {"state": q["state"], "error": "server_error"},
        lambda q: {},
    ],
)
def test_an_unrequested_response_is_refused(
    client: Client, school: str, mia: User, twist: Callable[[dict[str, str]], dict[str, str]]
) -> None:
    link_identity(mia)
    address = urlsplit(consent(start_sign_in(client), "mia-77"))
    query = {name: values[0] for name, values in parse_qs(address.query).items()}

    page = client.get(address.path, twist(query))

    assert (page.status_code, refusal(page)) == (400, "AUTH_PROVIDER_REFUSED")
    assert not is_signed_in(client)
    assert client.get(LANDING).status_code == 200
    assert not is_signed_in(client)


def test_a_response_works_once_in_the_requesting_browser(client: Client, school: str, mia: User) -> None:
    """Otherwise, an attacker could sign a visitor in to the attacker's account or use a leaked address."""
    link_identity(mia)
    address = consent(start_sign_in(client), "mia-77")

    victim = Client()
    victim.post("/auth/oauth/start/school")
    assert refusal(return_from_provider(victim, address)) == "AUTH_PROVIDER_REFUSED"
    assert return_from_provider(client, address).status_code == 302
    assert refusal(return_from_provider(client, address)) == "AUTH_PROVIDER_REFUSED"
    assert not is_signed_in(victim)


def test_a_response_of_one_provider_is_refused_for_another(
    client: Client, school: str, settings: Any, mia: User
) -> None:
    link_identity(mia)
    settings.SIGN_IN_PROVIDERS = [*settings.SIGN_IN_PROVIDERS, configured(school, slug="other", title="Other")]
    address = consent(start_sign_in(client), "mia-77").replace("/callback/school", "/callback/other")

    assert refusal(return_from_provider(client, address)) == "AUTH_PROVIDER_REFUSED"
    assert not is_signed_in(client)


def test_the_same_subject_at_another_provider_is_a_different_identity(
    client: Client, school: str, settings: Any, mia: User
) -> None:
    SocialAccount.objects.create(user=mia, provider="other", uid="mia-77", extra_data={})

    sign_in_with_provider(client)

    assert not is_signed_in(client)


def test_a_form_on_another_site_cannot_start_a_sign_in(school: str, mia: User) -> None:
    strict = Client(enforce_csrf_checks=True)

    assert strict.post("/auth/oauth/start/school").status_code == 403
    assert Client().get("/auth/oauth/start/school").status_code == 405


@pytest.mark.parametrize("path", ["/auth/oauth/start/nobody", "/auth/oauth/callback/nobody"])
def test_an_unknown_provider_is_not_found(client: Client, school: str, path: str) -> None:
    answer = client.post(path, follow=True) if "start" in path else client.get(path)

    assert answer.status_code in {200, 404}
    assert not is_signed_in(client)


def test_an_expired_id_token_is_refused(client: Client, settings: Any) -> None:
    with honest("--token-max-age", "-60") as issuer:
        settings.SIGN_IN_PROVIDERS = [configured(issuer)]
        register_user(issuer, "mia-77", email="mia@school.example", email_verified=True)

        assert refusal(sign_in_with_provider(client)) == "AUTH_PROVIDER_REFUSED"


def test_an_unavailable_provider_shows_an_error_page(client: Client, settings: Any) -> None:
    settings.SIGN_IN_PROVIDERS = [configured("http://127.0.0.1:9")]

    page = client.post("/auth/oauth/start/school")

    assert (page.status_code, refusal(page)) == (503, "AUTH_PROVIDER_UNAVAILABLE")
    assert "reach Field School to confirm who you are" in page.content.decode()


def test_an_honest_response_of_the_second_provider_is_accepted(client: Client, liar: LyingProvider) -> None:
    """The lies below differ from this response; the request also sends the PKCE code verifier."""
    page = return_from_provider(client, liar.authorize(start_sign_in(client)))

    assert "mia@school.example" in page.content.decode()
    assert len(liar.received_forms[0]["code_verifier"][0]) >= 43
    assert liar.received_forms[0]["client_secret"] == ["a-secret"]


def without(*names: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda claims: {name: value for name, value in claims.items() if name not in names}


CLAIMS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "another nonce": lambda claims: {**claims, "nonce": "x" * 32},
    "no nonce": without("nonce"),
    "an empty nonce": lambda claims: {**claims, "nonce": ""},
    "another issuer": lambda claims: {**claims, "iss": "https://evil.example"},
    "no issuer": without("iss"),
    "for another client": lambda claims: {**claims, "aud": "somebody-else"},
    "for many, by another": lambda claims: {**claims, "aud": [CLIENT, "evil"], "azp": "evil"},
    "no audience": without("aud"),
    "expired": lambda claims: {**claims, "exp": claims["iat"] - 60},
    "no expiry": without("exp"),
    "from the future": lambda claims: {**claims, "iat": claims["iat"] + 3600},
    "nobody": without("sub"),
    "somebody else than the user info": lambda claims: {**claims, "sub": "sam-1"},
}


@pytest.mark.parametrize("name", CLAIMS)
def test_an_id_token_with_false_claims_is_refused(client: Client, liar: LyingProvider, mia: User, name: str) -> None:
    link_identity(mia)
    link_identity(UserFactory(username="sam2"), "sam-1")
    liar.lie = CLAIMS[name]

    page = return_from_provider(client, liar.authorize(start_sign_in(client)))

    assert refusal(page) == "AUTH_PROVIDER_REFUSED"
    assert not is_signed_in(client)


SIGNATURES: dict[str, Callable[[LyingProvider], Callable[[dict[str, Any]], str]]] = {
    "no signature": lambda liar: lambda claims: jwt.encode(claims, None, "none", headers={"kid": "one"}),
    "another key": lambda liar: lambda claims: jwt.encode(claims, liar.other_key, "RS256", headers={"kid": "one"}),
    "a key nobody knows": lambda liar: lambda claims: jwt.encode(claims, liar.key, "RS256", headers={"kid": "two"}),
    "our secret": lambda liar: lambda claims: jwt.encode(claims, "a-secret", "HS256", headers={"kid": "one"}),
    "nothing": lambda liar: lambda claims: "",
    "no token": lambda liar: lambda claims: "a.b.c",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_an_id_token_with_a_false_signature_is_refused(
    client: Client, liar: LyingProvider, mia: User, name: str
) -> None:
    link_identity(mia)
    liar.sign = SIGNATURES[name](liar)

    assert refusal(return_from_provider(client, liar.authorize(start_sign_in(client)))) == "AUTH_PROVIDER_REFUSED"
    assert not is_signed_in(client)


def test_a_public_key_used_as_a_shared_secret_is_refused(client: Client, liar: LyingProvider, mia: User) -> None:
    import hashlib
    import hmac
    import json
    from base64 import urlsafe_b64encode

    def sign_with_public_key(claims: dict[str, Any]) -> str:
        parts = [json.dumps(one).encode() for one in ({"alg": "HS256", "kid": "one", "typ": "JWT"}, claims)]
        signed = b".".join(urlsafe_b64encode(one).rstrip(b"=") for one in parts)
        mark = hmac.new(liar.public_pem, signed, hashlib.sha256).digest()
        return (signed + b"." + urlsafe_b64encode(mark).rstrip(b"=")).decode()

    link_identity(mia)
    liar.sign = sign_with_public_key

    assert refusal(return_from_provider(client, liar.authorize(start_sign_in(client)))) == "AUTH_PROVIDER_REFUSED"


@pytest.mark.parametrize(
    ("path", "answer", "code"),
    [
        ("/token", (500, b"{}"), "AUTH_PROVIDER_REFUSED"),
        ("/token", (200, b"<html>"), "AUTH_PROVIDER_REFUSED"),
        ("/token", (200, b'{"access_token": "a"}'), "AUTH_PROVIDER_REFUSED"),
        ("/jwks", (500, b"{}"), "AUTH_PROVIDER_UNAVAILABLE"),
        ("/jwks", (200, b'{"keys": []}'), "AUTH_PROVIDER_REFUSED"),
        ("/userinfo", (503, b"{}"), "AUTH_PROVIDER_UNAVAILABLE"),
        ("/userinfo", (200, b"[]"), "AUTH_PROVIDER_REFUSED"),
        ("/userinfo", (200, b'{"email": "mia@school.example"}'), "AUTH_PROVIDER_REFUSED"),
    ],
)
def test_a_provider_failure_after_consent_shows_an_error(
    client: Client, liar: LyingProvider, mia: User, path: str, answer: tuple[int, bytes], code: str
) -> None:
    link_identity(mia)
    address = liar.authorize(start_sign_in(client))
    liar.broken[path] = answer

    assert refusal(return_from_provider(client, address)) in {
        code,
        "AUTH_PROVIDER_REFUSED",
        "AUTH_PROVIDER_UNAVAILABLE",
    }
    assert not is_signed_in(client)


def test_the_configuration_of_another_issuer_is_refused(client: Client, liar: LyingProvider) -> None:
    liar.config = {"issuer": "https://evil.example"}

    assert refusal(client.post("/auth/oauth/start/school")) == "AUTH_PROVIDER_UNAVAILABLE"


@pytest.mark.parametrize("name", ["x" * 200, "Mia\r\nBcc: x@example.org"])
def test_names_from_a_provider_are_validated_like_typed_names(client: Client, liar: LyingProvider, name: str) -> None:
    liar.userinfo |= {"given_name": name, "family_name": "Moss"}

    page = return_from_provider(client, liar.authorize(start_sign_in(client))).content.decode()
    assert "Create your account" in page
    refused = client.post(LANDING, JOIN | {"first_name": name}).content.decode()

    assert 'aria-invalid="true"' in refused
    assert not User.objects.exists()


# --- Linking and unlinking -------------------------------------------------------------------------


@pytest.fixture
def browser_of_leo(client: Client, leo: User) -> Client:
    client.post("/auth/login", {"email": leo.email, "password": PASSWORD})
    return client


def test_a_user_can_link_a_provider_in_the_settings(browser_of_leo: Client, school: str, leo: User) -> None:
    assert "Not linked" in browser_of_leo.get("/settings/connections", follow=True).content.decode()
    page = browser_of_leo.post("/settings/connections/link/school")

    answer = return_from_provider(browser_of_leo, consent(redirect_address(page), "mia-77"))

    assert answer["Location"] == "/settings/connections"
    assert SocialAccount.objects.get().user == leo
    assert leo.email == User.objects.get().email, "the account keeps its email"
    shown = browser_of_leo.get("/settings/connections", follow=True).content.decode()
    assert "mia@school.example" in shown
    assert "Unlink" in shown


def test_a_stolen_session_cannot_link_an_identity(browser_of_leo: Client, school: str, leo: User) -> None:
    """It can do so neither in the settings nor by signing in with a provider."""
    with time_machine.travel(timezone.now() + timedelta(minutes=11)):
        assert browser_of_leo.post("/settings/connections/link/school")["Location"].startswith("/auth/prove?next=")
        answer = sign_in_with_provider(browser_of_leo)
        assert answer["Location"] == "/auth/prove?next=/auth/oauth/callback"
        assert browser_of_leo.post(LANDING, {"link": "1"})["Location"].startswith("/auth/prove")
    assert not SocialAccount.objects.exists()


def test_an_identity_of_another_user_cannot_be_linked(browser_of_leo: Client, school: str, mia: User) -> None:
    link_identity(mia)

    page = browser_of_leo.post("/settings/connections/link/school")

    assert (
        refusal(return_from_provider(browser_of_leo, consent(redirect_address(page), "mia-77")))
        == "AUTH_IDENTITY_TAKEN"
    )
    assert SocialAccount.objects.get().user == mia


def test_linking_requires_the_same_signed_in_user(browser_of_leo: Client, school: str, mia: User) -> None:
    address = consent(redirect_address(browser_of_leo.post("/settings/connections/link/school")), "mia-77")
    browser_of_leo.post("/auth/login", {"email": mia.email, "password": PASSWORD})

    assert refusal(return_from_provider(browser_of_leo, address)) == "AUTH_PROVIDER_REFUSED"
    assert not SocialAccount.objects.exists()


def test_an_unlinked_provider_no_longer_signs_in(browser_of_leo: Client, school: str, leo: User) -> None:
    link_identity(leo)
    row = SocialAccount.objects.get()

    browser_of_leo.post(f"/settings/connections/{row.pk}/unlink")

    assert not SocialAccount.objects.exists()
    sign_in_with_provider(browser := Client())
    assert not is_signed_in(browser)


def test_the_only_way_to_sign_in_cannot_be_unlinked(client: Client, school: str, leo: User) -> None:
    link_identity(leo)
    leo.set_unusable_password()
    leo.save()
    sign_in_with_provider(client)
    row = SocialAccount.objects.get()

    page = client.post(f"/settings/connections/{row.pk}/unlink")

    assert (page.status_code, refusal(page)) == (422, "AUTH_LAST_SIGN_IN")
    assert "/settings/password" in page.content.decode()
    assert SocialAccount.objects.exists()

    link_identity(leo, "second")
    client.post(f"/settings/connections/{row.pk}/unlink")
    assert SocialAccount.objects.get().uid == "second"


def test_a_user_cannot_unlink_the_identity_of_another(browser_of_leo: Client, school: str, mia: User) -> None:
    link_identity(mia)

    browser_of_leo.post(f"/settings/connections/{SocialAccount.objects.get().pk}/unlink")

    assert SocialAccount.objects.exists()


def test_a_user_without_a_password_reauthenticates_at_the_provider(client: Client, school: str, leo: User) -> None:
    link_identity(leo)
    leo.set_unusable_password()
    leo.save()
    sign_in_with_provider(client)

    expire_authentication(client)
    asking = client.get("/auth/prove?next=/settings/").content.decode()
    assert 'name="purpose" value="prove"' in asking
    address = start_sign_in(client, "/settings/", purpose="prove")
    assert parse_qs(urlsplit(address).query)["prompt"] == ["login"]
    assert return_from_provider(client, consent(address, "mia-77"))["Location"] == "/settings/"
    assert "accounts/social" not in client.get("/settings/").content.decode()
    assert client.session["proved_at"] > (timezone.now() - signing_in.RECENT).isoformat()


@pytest.mark.parametrize(("minutes", "is_proved"), [(0, True), (5, True), (6, False), (600, False)])
def test_a_provider_without_a_new_sign_in_does_not_reauthenticate(
    client: Client, liar: LyingProvider, leo: User, minutes: int, is_proved: bool
) -> None:
    link_identity(leo)
    leo.set_unusable_password()
    leo.save()
    return_from_provider(client, liar.authorize(start_sign_in(client)))
    liar.lie = lambda claims: {**claims, "auth_time": claims["iat"] - 60 * minutes}

    expire_authentication(client)
    page = return_from_provider(client, liar.authorize(start_sign_in(client, "/settings/", purpose="prove")))

    assert refusal(page) == ("" if is_proved else "AUTH_PROVIDER_REFUSED")
    assert (client.get("/settings/security/codes")["Location"] == "/settings/security") is is_proved


def test_another_identity_at_the_provider_does_not_reauthenticate(
    client: Client, school: str, leo: User, mia: User
) -> None:
    link_identity(leo, "leo-9")
    link_identity(mia)
    leo.set_unusable_password()
    leo.save()
    register_user(school, "leo-9", email=leo.email, email_verified=True)
    sign_in_with_provider(client, sub="leo-9")

    expire_authentication(client)
    page = sign_in_with_provider(client, purpose="prove")
    assert refusal(page) == "AUTH_IDENTITY_TAKEN"
    assert client.get("/settings/security/codes")["Location"].startswith("/auth/prove")


def test_a_user_with_a_password_reauthenticates_with_it(browser_of_leo: Client, school: str, leo: User) -> None:
    link_identity(leo)

    expire_authentication(browser_of_leo)
    assert refusal(sign_in_with_provider(browser_of_leo, purpose="prove")) == "AUTH_IDENTITY_TAKEN"


def test_a_visitor_must_sign_in_to_reauthenticate(client: Client, school: str, mia: User) -> None:
    link_identity(mia)

    assert sign_in_with_provider(client, purpose="prove")["Location"] == "/me/dashboard"
    assert BrowserSession.objects.of(mia).exists()


def test_the_section_is_hidden_without_providers(browser_of_leo: Client) -> None:
    assert 'id="connections"' not in browser_of_leo.get("/settings/connections", follow=True).content.decode()


# --- Settings --------------------------------------------------------------------------------------


def test_known_providers_need_only_an_id_and_a_secret(monkeypatch: Any) -> None:
    for name in ("GOOGLE", "GITHUB", "MICROSOFT"):
        monkeypatch.setenv(f"OIDC_{name}_CLIENT_ID", "i")
        monkeypatch.setenv(f"OIDC_{name}_CLIENT_SECRET", "s")
    made = {name: social_settings._provider(name) for name in ("GOOGLE", "GITHUB", "MICROSOFT")}

    assert [one.title for one in made.values()] == ["Google", "GitHub", "Microsoft"]
    assert made["GOOGLE"].issuer == "https://accounts.google.com"
    assert made["GITHUB"].issuer == ""


@pytest.mark.parametrize("missing", ["CLIENT_SECRET", "ISSUER"])
def test_an_incomplete_provider_is_refused_at_startup(monkeypatch: Any, missing: str) -> None:
    for name in ("CLIENT_ID", "CLIENT_SECRET", "ISSUER"):
        if name != missing:
            monkeypatch.setenv(f"OIDC_MY_SCHOOL_{name}", "https://x.example")

    with pytest.raises(ImproperlyConfigured):
        social_settings._provider("MY_SCHOOL")


def test_github_is_configured_with_oauth(client: Client, settings: Any) -> None:
    settings.SIGN_IN_PROVIDERS = [configured("", slug="github", title="GitHub")]

    address = urlsplit(redirect_address(client.post("/auth/oauth/start/github")))
    query = parse_qs(address.query)

    assert f"{address.scheme}://{address.netloc}{address.path}" == "https://github.com/login/oauth/authorize"
    assert query["redirect_uri"] == ["http://testserver/auth/oauth/callback/github"]
    assert query["scope"] == ["user:email"]
    assert "state" in query


def test_a_registration_by_a_provider_is_deleted_with_the_account(client: Client, school: str) -> None:
    register_user(school, "leo-1", email="leo@example.com")
    sign_in_with_provider(client, sub="leo-1")
    client.post(LANDING, JOIN | {"email": "leo@example.com"})

    assert Registration.objects.get().provider_uid == "leo-1"
    assert "There is nothing to continue" in client.get(LANDING).content.decode()
