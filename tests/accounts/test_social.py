"""Signing in with a provider: there and back over real HTTP, joining, linking, and providers that lie."""

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
from tests.accounts.provider import CLIENT, Liar, configured, consent, honest, know, lying
from tests.accounts.test_registration import CHOSEN, finish, posted
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
    know(issuer, "mia-77", email="mia@school.example", email_verified=True, given_name="Mia", family_name="Moss")
    return issuer


@pytest.fixture
def liar(settings: Any) -> Iterator[Liar]:
    with lying() as liar:
        settings.SIGN_IN_PROVIDERS = [configured(liar.issuer)]
        yield liar


def asked(browser: Client, onward: str = "", **more: str) -> str:
    """Press the button; where the page leads on to."""
    page = browser.post("/auth/oauth/start/school", {"next": onward, **more})
    assert page.status_code == 200, page.content
    return led_on(page)


def led_on(page: Any) -> str:
    found = re.search(r'<meta http-equiv="refresh" content="0; url=([^"]+)">', page.content.decode())
    assert found, page.content.decode()
    return unescape(found[1])


def back(browser: Client, address: str) -> Any:
    """Back from the provider; the landing."""
    parts = urlsplit(address)
    answer = browser.get(f"{parts.path}?{parts.query}")
    while answer.status_code == 302 and answer["Location"] == LANDING:
        answer = browser.get(LANDING)
    return answer


def there_and_back(browser: Client, onward: str = "", sub: str = "mia-77", **more: str) -> Any:
    return back(browser, consent(asked(browser, onward, **more), sub))


def linked(user: User, sub: str = "mia-77") -> User:
    SocialAccount.objects.create(user=user, provider="school", uid=sub, extra_data={})
    return user


def is_signed_in(browser: Client) -> str:
    return str(browser.session.get("_auth_user_id", ""))


def ten_minutes_later(browser: Client) -> None:
    """The proof has ended. Not by the clock: the provider, a process of its own, has another."""
    session = browser.session
    session["proved_at"] = (timezone.now() - timedelta(minutes=11)).isoformat()
    session.save()


def refusal(page: Any) -> str:
    found = re.search(r'data-error="([A-Z_]+)"', page.content.decode())
    return found[1] if found else ""


# --- There and back --------------------------------------------------------------------------------


def test_the_buttons_are_there_where_a_provider_is_configured(client: Client, settings: Any) -> None:
    for page in ("/auth/login", "/auth/register"):
        assert b"/auth/oauth/start/" not in client.get(page).content
    settings.SIGN_IN_PROVIDERS = [configured("https://login.example")]
    for page in ("/auth/login?next=/courses/", "/auth/register?next=/courses/"):
        shown = client.get(page).content.decode()
        assert "Continue with Field School" in shown
        form = shown.split('action="/auth/oauth/start/school"')[1].split("</form>")[0]
        assert '<input type="hidden" name="next" value="/courses/">' in form


def test_somebody_new_agrees_to_the_terms_and_is_in(client: Client, school: str) -> None:
    page = there_and_back(client, "/courses/rivers").content.decode()
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


def test_the_next_time_one_is_in_at_once(client: Client, school: str, mia: User) -> None:
    linked(mia)
    planted = client.session
    planted["x"] = 1
    planted.save()
    client.cookies["sessionid"] = str(planted.session_key)

    assert there_and_back(client, "/courses/rivers?tab=2")["Location"] == "/courses/rivers?tab=2"

    assert is_signed_in(client) == str(mia.pk)
    assert client.session.session_key != planted.session_key


def test_the_dashboard_takes_the_sign_in_over_from_the_address(client: Client, school: str, mia: User) -> None:
    linked(mia)

    page = there_and_back(client, "/me/dashboard?week=3")
    assert page.status_code == 200
    assert "signed in" in page.content.decode()
    assert not is_signed_in(client)
    onward = urlsplit(led_on(page))
    assert (onward.path, set(parse_qs(onward.query))) == ("/me/dashboard", {"week", "token", "user"})

    arrived = client.get(f"{onward.path}?{onward.query}", headers={"Sec-Fetch-Site": "same-origin"})
    assert arrived["Location"] == "/me/dashboard?week=3"
    assert is_signed_in(client) == str(mia.pk)


def test_what_is_sent_along(client: Client, school: str) -> None:
    first, second = (parse_qs(urlsplit(asked(client)).query) for _ in range(2))

    assert first["redirect_uri"] == ["http://testserver/auth/oauth/callback/school"]
    assert (first["response_type"], first["code_challenge_method"]) == (["code"], ["S256"])
    assert "openid" in first["scope"][0].split()
    for name in ("state", "nonce", "code_challenge"):
        assert len(first[name][0]) >= 16
        assert first[name] != second[name]


def test_a_second_step_is_asked_for_here_too(client: Client, school: str, mia: User, monkeypatch: Any) -> None:
    linked(mia)
    monkeypatch.setattr(services, "has_second_factor", lambda user: True)

    for onward in ("/courses/rivers", "/me/dashboard"):
        answer = there_and_back(client, onward)
        if answer.status_code == 200:  # by way of the hand-over
            address = urlsplit(led_on(answer))
            answer = client.get(f"{address.path}?{address.query}")
        assert answer["Location"] == f"/auth/second-step?next={onward}"
        assert not is_signed_in(client)


@pytest.mark.parametrize("onward", ["https://evil.example/", "//evil.example", "/\\evil.example"])
def test_never_leads_to_another_site(client: Client, school: str, mia: User, onward: str) -> None:
    linked(mia)

    assert there_and_back(client, onward)["Location"] == "/me/enrollments"


def test_the_bare_landing_says_that_nothing_waits(client: Client) -> None:
    page = client.get(LANDING)

    assert page.status_code == 200
    assert "There is nothing to continue" in page.content.decode()


def test_what_waits_waits_a_quarter_of_an_hour(client: Client, school: str) -> None:
    there_and_back(client)

    with time_machine.travel(timezone.now() + timedelta(minutes=16)):
        assert "There is nothing to continue" in client.post(LANDING, JOIN).content.decode()
    assert not User.objects.exists()


# --- Emails ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("verified", [False, "false", None, 0, "yes", 1])
def test_an_email_that_the_provider_has_not_checked_is_proved_by_mail(
    client: Client, school: str, verified: object
) -> None:
    claims = {} if verified is None else {"email_verified": verified}
    know(school, "leo-1", email="leo@example.com", **claims)

    page = there_and_back(client, "/courses/rivers", "leo-1").content.decode()
    assert 'name="email"' in page
    sent = client.post(LANDING, JOIN | {"email": "leo@example.com"})
    jobs.run_pending("default")
    assert sent["Location"] == "/auth/verify-email?next=/courses/rivers"
    assert not User.objects.exists()

    assert client.post(sent["Location"], {"code": posted()[1]})["Location"] == "/courses/rivers"
    user = User.objects.get()
    assert SocialAccount.objects.get().user == user
    assert not user.has_usable_password()


def test_the_link_in_another_browser_does_not_link_the_provider_s_account(client: Client, school: str) -> None:
    """Its holder named an email that may be a stranger's: the stranger's click must not give them a way in."""
    know(school, "eve-1", email="leo@example.com")
    there_and_back(client, sub="eve-1")
    client.post(LANDING, JOIN | {"email": "leo@example.com"})
    jobs.run_pending("default")
    owner = Client()

    assert finish(owner, posted()[0])["Location"] == "/me/enrollments"

    assert User.objects.get().check_password(CHOSEN["password"])
    assert not SocialAccount.objects.exists()
    there_and_back(client, sub="eve-1")
    client.get(LANDING)
    assert not is_signed_in(client)


def test_a_taken_email_that_is_not_checked_tells_nothing(client: Client, school: str, leo: User) -> None:
    know(school, "x-1", email=leo.email)

    page = there_and_back(client, sub="x-1").content.decode()
    assert "You already have an account" not in page
    client.post(LANDING, JOIN | {"email": leo.email})
    jobs.run_pending("default")

    assert mail.outbox[0].subject == "You already have an account at Study Platform"
    assert not SocialAccount.objects.exists()


def test_an_email_with_an_account_is_linked_after_its_password_and_a_press(client: Client, school: str) -> None:
    owner = UserFactory(username="owner", email="mia@school.example")
    page = there_and_back(client, "/courses/rivers").content.decode()
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
    assert there_and_back(Client())["Location"] == "/me/enrollments"


def test_one_may_leave_it_unlinked(client: Client, school: str) -> None:
    owner = UserFactory(username="owner", email="mia@school.example")
    there_and_back(client)
    client.post("/auth/login", {"email": owner.email, "password": PASSWORD})

    client.post(LANDING, {})

    assert not SocialAccount.objects.exists()
    assert "There is nothing to continue" in client.get(LANDING).content.decode()


def test_no_email_at_all_is_asked_for(client: Client, school: str) -> None:
    know(school, "none-1", name="No Mail")

    assert 'name="email"' in there_and_back(client, sub="none-1").content.decode()


# --- Blocked people --------------------------------------------------------------------------------


def test_blocked_users_cannot_sign_in(client: Client, school: str, ben: User) -> None:
    linked(ben)

    page = there_and_back(client)

    assert (page.status_code, refusal(page)) == (403, "AUTH_ACCOUNT_BLOCKED")
    assert not is_signed_in(client)


def test_blocked_between_the_provider_and_the_landing(client: Client, school: str, mia: User) -> None:
    linked(mia)
    parts = urlsplit(consent(asked(client), "mia-77"))
    client.get(f"{parts.path}?{parts.query}")
    services.block(user=mia)

    assert refusal(client.get(LANDING)) == "AUTH_ACCOUNT_BLOCKED"
    assert not is_signed_in(client)


def test_the_email_of_a_blocked_user_creates_no_account(client: Client, school: str) -> None:
    UserFactory(username="gone", email="mia@school.example", is_active=False)

    assert refusal(there_and_back(client)) == "AUTH_ACCOUNT_BLOCKED"
    client.post(LANDING, JOIN)
    assert User.objects.count() == 1


# --- What providers and attackers tried ------------------------------------------------------------


def test_declining_at_the_provider_changes_nothing(client: Client, school: str) -> None:
    state = parse_qs(urlsplit(asked(client)).query)["state"][0]

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
def test_an_answer_that_was_not_asked_for_is_refused(
    client: Client, school: str, mia: User, twist: Callable[[dict[str, str]], dict[str, str]]
) -> None:
    linked(mia)
    address = urlsplit(consent(asked(client), "mia-77"))
    query = {name: values[0] for name, values in parse_qs(address.query).items()}

    page = client.get(address.path, twist(query))

    assert (page.status_code, refusal(page)) == (400, "AUTH_PROVIDER_REFUSED")
    assert not is_signed_in(client)
    assert client.get(LANDING).status_code == 200
    assert not is_signed_in(client)


def test_an_answer_works_in_the_browser_that_asked_and_once(client: Client, school: str, mia: User) -> None:
    """Else a stranger could sign a visitor in as the stranger, or use what leaked from an address."""
    linked(mia)
    address = consent(asked(client), "mia-77")

    victim = Client()
    victim.post("/auth/oauth/start/school")
    assert refusal(back(victim, address)) == "AUTH_PROVIDER_REFUSED"
    assert back(client, address).status_code == 302
    assert refusal(back(client, address)) == "AUTH_PROVIDER_REFUSED"
    assert not is_signed_in(victim)


def test_one_provider_s_answer_is_no_other_s(client: Client, school: str, settings: Any, mia: User) -> None:
    linked(mia)
    settings.SIGN_IN_PROVIDERS = [*settings.SIGN_IN_PROVIDERS, configured(school, slug="other", title="Other")]
    address = consent(asked(client), "mia-77").replace("/callback/school", "/callback/other")

    assert refusal(back(client, address)) == "AUTH_PROVIDER_REFUSED"
    assert not is_signed_in(client)


def test_the_same_name_at_another_provider_is_somebody_else(
    client: Client, school: str, settings: Any, mia: User
) -> None:
    SocialAccount.objects.create(user=mia, provider="other", uid="mia-77", extra_data={})

    there_and_back(client)

    assert not is_signed_in(client)


def test_a_form_of_another_site_starts_nothing(school: str, mia: User) -> None:
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
        know(issuer, "mia-77", email="mia@school.example", email_verified=True)

        assert refusal(there_and_back(client)) == "AUTH_PROVIDER_REFUSED"


def test_a_provider_that_is_down_has_a_kind_page(client: Client, settings: Any) -> None:
    settings.SIGN_IN_PROVIDERS = [configured("http://127.0.0.1:9")]

    page = client.post("/auth/oauth/start/school")

    assert (page.status_code, refusal(page)) == (503, "AUTH_PROVIDER_UNAVAILABLE")
    assert "reach Field School to confirm who you are" in page.content.decode()


def test_the_honest_answer_of_the_second_provider_is_taken(client: Client, liar: Liar) -> None:
    """What the lies below differ from; and that the proof of the code (PKCE) is sent."""
    page = back(client, liar.authorize(asked(client)))

    assert "mia@school.example" in page.content.decode()
    assert len(liar.asked[0]["code_verifier"][0]) >= 43
    assert liar.asked[0]["client_secret"] == ["a-secret"]


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
def test_refuses_an_id_token_with(client: Client, liar: Liar, mia: User, name: str) -> None:
    linked(mia)
    linked(UserFactory(username="sam2"), "sam-1")
    liar.lie = CLAIMS[name]

    page = back(client, liar.authorize(asked(client)))

    assert refusal(page) == "AUTH_PROVIDER_REFUSED"
    assert not is_signed_in(client)


SIGNATURES: dict[str, Callable[[Liar], Callable[[dict[str, Any]], str]]] = {
    "no signature": lambda liar: lambda claims: jwt.encode(claims, None, "none", headers={"kid": "one"}),
    "another key": lambda liar: lambda claims: jwt.encode(claims, liar.other_key, "RS256", headers={"kid": "one"}),
    "a key nobody knows": lambda liar: lambda claims: jwt.encode(claims, liar.key, "RS256", headers={"kid": "two"}),
    "our secret": lambda liar: lambda claims: jwt.encode(claims, "a-secret", "HS256", headers={"kid": "one"}),
    "nothing": lambda liar: lambda claims: "",
    "no token": lambda liar: lambda claims: "a.b.c",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_refuses_an_id_token_signed_with(client: Client, liar: Liar, mia: User, name: str) -> None:
    linked(mia)
    liar.sign = SIGNATURES[name](liar)

    assert refusal(back(client, liar.authorize(asked(client)))) == "AUTH_PROVIDER_REFUSED"
    assert not is_signed_in(client)


def test_refuses_the_public_key_used_as_a_shared_secret(client: Client, liar: Liar, mia: User) -> None:
    import hashlib
    import hmac
    import json
    from base64 import urlsafe_b64encode

    def swapped(claims: dict[str, Any]) -> str:
        parts = [json.dumps(one).encode() for one in ({"alg": "HS256", "kid": "one", "typ": "JWT"}, claims)]
        signed = b".".join(urlsafe_b64encode(one).rstrip(b"=") for one in parts)
        mark = hmac.new(liar.public_pem, signed, hashlib.sha256).digest()
        return (signed + b"." + urlsafe_b64encode(mark).rstrip(b"=")).decode()

    linked(mia)
    liar.sign = swapped

    assert refusal(back(client, liar.authorize(asked(client)))) == "AUTH_PROVIDER_REFUSED"


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
def test_a_provider_that_breaks_on_the_way_back(
    client: Client, liar: Liar, mia: User, path: str, answer: tuple[int, bytes], code: str
) -> None:
    linked(mia)
    address = liar.authorize(asked(client))
    liar.broken[path] = answer

    assert refusal(back(client, address)) in {code, "AUTH_PROVIDER_REFUSED", "AUTH_PROVIDER_UNAVAILABLE"}
    assert not is_signed_in(client)


def test_refuses_the_description_of_another_issuer(client: Client, liar: Liar) -> None:
    liar.config = {"issuer": "https://evil.example"}

    assert refusal(client.post("/auth/oauth/start/school")) == "AUTH_PROVIDER_UNAVAILABLE"


@pytest.mark.parametrize("name", ["x" * 200, "Mia\r\nBcc: x@example.org"])
def test_names_of_a_provider_are_judged_as_typed_ones(client: Client, liar: Liar, name: str) -> None:
    liar.userinfo |= {"given_name": name, "family_name": "Moss"}

    page = back(client, liar.authorize(asked(client))).content.decode()
    assert "Create your account" in page
    refused = client.post(LANDING, JOIN | {"first_name": name}).content.decode()

    assert 'aria-invalid="true"' in refused
    assert not User.objects.exists()


# --- Linking and unlinking -------------------------------------------------------------------------


@pytest.fixture
def leo_s(client: Client, leo: User) -> Client:
    client.post("/auth/login", {"email": leo.email, "password": PASSWORD})
    return client


def test_a_provider_is_linked_in_the_settings(leo_s: Client, school: str, leo: User) -> None:
    assert "Not linked" in leo_s.get("/settings/").content.decode()
    page = leo_s.post("/settings/connections/link/school")

    answer = back(leo_s, consent(led_on(page), "mia-77"))

    assert answer["Location"] == "/settings/#connections"
    assert SocialAccount.objects.get().user == leo
    assert leo.email == User.objects.get().email, "the account's own email stays"
    shown = leo_s.get("/settings/").content.decode()
    assert "mia@school.example" in shown
    assert "Unlink" in shown


def test_a_stolen_session_links_nothing(leo_s: Client, school: str, leo: User) -> None:
    """Neither in the settings nor by signing in with a provider while somebody is signed in."""
    with time_machine.travel(timezone.now() + timedelta(minutes=11)):
        assert leo_s.post("/settings/connections/link/school")["Location"].startswith("/auth/prove?next=")
        answer = there_and_back(leo_s)
        assert answer["Location"] == "/auth/prove?next=/auth/oauth/callback"
        assert leo_s.post(LANDING, {"link": "1"})["Location"].startswith("/auth/prove")
    assert not SocialAccount.objects.exists()


def test_an_identity_of_another_user_is_not_linked(leo_s: Client, school: str, mia: User) -> None:
    linked(mia)

    page = leo_s.post("/settings/connections/link/school")

    assert refusal(back(leo_s, consent(led_on(page), "mia-77"))) == "AUTH_IDENTITY_TAKEN"
    assert SocialAccount.objects.get().user == mia


def test_the_user_who_asked_to_link_must_still_be_signed_in(leo_s: Client, school: str, mia: User) -> None:
    address = consent(led_on(leo_s.post("/settings/connections/link/school")), "mia-77")
    leo_s.post("/auth/login", {"email": mia.email, "password": PASSWORD})

    assert refusal(back(leo_s, address)) == "AUTH_PROVIDER_REFUSED"
    assert not SocialAccount.objects.exists()


def test_an_unlinked_provider_no_longer_signs_in(leo_s: Client, school: str, leo: User) -> None:
    linked(leo)
    row = SocialAccount.objects.get()

    leo_s.post(f"/settings/connections/{row.pk}/unlink")

    assert not SocialAccount.objects.exists()
    there_and_back(browser := Client())
    assert not is_signed_in(browser)


def test_the_only_way_to_sign_in_cannot_be_unlinked(client: Client, school: str, leo: User) -> None:
    linked(leo)
    leo.set_unusable_password()
    leo.save()
    there_and_back(client)
    row = SocialAccount.objects.get()

    page = client.post(f"/settings/connections/{row.pk}/unlink")

    assert (page.status_code, refusal(page)) == (422, "AUTH_LAST_SIGN_IN")
    assert "/auth/forgot-password" in page.content.decode()
    assert SocialAccount.objects.exists()

    linked(leo, "second")
    client.post(f"/settings/connections/{row.pk}/unlink")
    assert SocialAccount.objects.get().uid == "second"


def test_a_user_cannot_unlink_the_identity_of_another(leo_s: Client, school: str, mia: User) -> None:
    linked(mia)

    leo_s.post(f"/settings/connections/{SocialAccount.objects.get().pk}/unlink")

    assert SocialAccount.objects.exists()


def test_who_has_no_password_shows_who_they_are_at_the_provider(client: Client, school: str, leo: User) -> None:
    linked(leo)
    leo.set_unusable_password()
    leo.save()
    there_and_back(client)

    ten_minutes_later(client)
    asking = client.get("/auth/prove?next=/settings/").content.decode()
    assert 'name="purpose" value="prove"' in asking
    address = asked(client, "/settings/", purpose="prove")
    assert parse_qs(urlsplit(address).query)["prompt"] == ["login"]
    assert back(client, consent(address, "mia-77"))["Location"] == "/settings/"
    assert "accounts/social" not in client.get("/settings/").content.decode()
    assert client.session["proved_at"] > (timezone.now() - signing_in.RECENT).isoformat()


@pytest.mark.parametrize(("minutes", "is_proved"), [(0, True), (5, True), (6, False), (600, False)])
def test_a_provider_that_did_not_ask_again_proves_nothing(
    client: Client, liar: Liar, leo: User, minutes: int, is_proved: bool
) -> None:
    linked(leo)
    leo.set_unusable_password()
    leo.save()
    back(client, liar.authorize(asked(client)))
    liar.lie = lambda claims: {**claims, "auth_time": claims["iat"] - 60 * minutes}

    ten_minutes_later(client)
    page = back(client, liar.authorize(asked(client, "/settings/", purpose="prove")))

    assert refusal(page) == ("" if is_proved else "AUTH_PROVIDER_REFUSED")
    assert (client.get("/settings/security/codes")["Location"] == "/settings/#security") is is_proved


def test_another_s_account_at_the_provider_proves_nothing(client: Client, school: str, leo: User, mia: User) -> None:
    linked(leo, "leo-9")
    linked(mia)
    leo.set_unusable_password()
    leo.save()
    know(school, "leo-9", email=leo.email, email_verified=True)
    there_and_back(client, sub="leo-9")

    ten_minutes_later(client)
    page = there_and_back(client, purpose="prove")
    assert refusal(page) == "AUTH_IDENTITY_TAKEN"
    assert client.get("/settings/security/codes")["Location"].startswith("/auth/prove")


def test_who_has_a_password_proves_themselves_with_it(leo_s: Client, school: str, leo: User) -> None:
    linked(leo)

    ten_minutes_later(leo_s)
    assert refusal(there_and_back(leo_s, purpose="prove")) == "AUTH_IDENTITY_TAKEN"


def test_a_visitor_who_asks_to_prove_signs_in(client: Client, school: str, mia: User) -> None:
    linked(mia)

    assert there_and_back(client, purpose="prove")["Location"] == "/me/enrollments"
    assert BrowserSession.objects.of(mia).exists()


def test_the_section_is_there_for_who_can_use_it(leo_s: Client) -> None:
    assert 'id="connections"' not in leo_s.get("/settings/").content.decode()


# --- Settings --------------------------------------------------------------------------------------


def test_known_providers_need_nothing_but_their_id_and_secret(monkeypatch: Any) -> None:
    for name in ("GOOGLE", "GITHUB", "MICROSOFT"):
        monkeypatch.setenv(f"OIDC_{name}_CLIENT_ID", "i")
        monkeypatch.setenv(f"OIDC_{name}_CLIENT_SECRET", "s")
    made = {name: social_settings._provider(name) for name in ("GOOGLE", "GITHUB", "MICROSOFT")}

    assert [one.title for one in made.values()] == ["Google", "GitHub", "Microsoft"]
    assert made["GOOGLE"].issuer == "https://accounts.google.com"
    assert made["GITHUB"].issuer == ""


@pytest.mark.parametrize("missing", ["CLIENT_SECRET", "ISSUER"])
def test_half_a_provider_is_refused_at_the_start(monkeypatch: Any, missing: str) -> None:
    for name in ("CLIENT_ID", "CLIENT_SECRET", "ISSUER"):
        if name != missing:
            monkeypatch.setenv(f"OIDC_MY_SCHOOL_{name}", "https://x.example")

    with pytest.raises(ImproperlyConfigured):
        social_settings._provider("MY_SCHOOL")


def test_github_is_asked_by_oauth(client: Client, settings: Any) -> None:
    settings.SIGN_IN_PROVIDERS = [configured("", slug="github", title="GitHub")]

    address = urlsplit(led_on(client.post("/auth/oauth/start/github")))
    query = parse_qs(address.query)

    assert f"{address.scheme}://{address.netloc}{address.path}" == "https://github.com/login/oauth/authorize"
    assert query["redirect_uri"] == ["http://testserver/auth/oauth/callback/github"]
    assert query["scope"] == ["user:email"]
    assert "state" in query


def test_a_registration_by_a_provider_is_deleted_with_the_account(client: Client, school: str) -> None:
    know(school, "leo-1", email="leo@example.com")
    there_and_back(client, sub="leo-1")
    client.post(LANDING, JOIN | {"email": "leo@example.com"})

    assert Registration.objects.get().provider_uid == "leo-1"
    assert "There is nothing to continue" in client.get(LANDING).content.decode()
