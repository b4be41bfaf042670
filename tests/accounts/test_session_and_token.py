"""The cookie is the authority, and the token depends on it: normal use and attacks."""

import base64
import json
import re
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import jwt
import pytest
import time_machine
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings
from django.test import Client
from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import BrowserSession, User
from apps.accounts.sessions import tokens
from studyplatform.kit import jobs
from tests.factories.accounts import PASSWORD

pytestmark = pytest.mark.django_db
KEY = settings.SECRET_KEY


def log_in(client: Client, user: User, *, address: str = "/api/v1/auth/login") -> dict[str, Any]:
    body = {"email": user.email, "password": PASSWORD}
    answer = client.post(address, body, content_type="application/json")
    assert answer.status_code == 200, answer.content
    return answer.json()


def get_session_with(token: str) -> Any:
    """Request the session with a token from a browser without a cookie."""
    return Client().get("/api/v1/auth/session/", headers={"Authorization": f"Bearer {token}"})


def claims_of(token: str) -> dict[str, Any]:
    return jwt.decode(token, options={"verify_signature": False})


# --- What works ------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["/api/v1/auth/login", "/api/v1/auth/login/"])
def test_logging_in_returns_the_user_and_a_token_and_sets_the_cookie(client: Client, ada: User, address: str) -> None:
    answer = log_in(client, ada, address=address)

    assert answer["user"] == {
        "id": str(ada.uid),
        "username": "ada",
        "email": ada.email,
        "first_name": "Ada",
        "last_name": "Byron",
        "role": "instructor",
        "roles": ["instructor"],
        "avatar_url": None,
        "theme": "",
        "style": "",
    }
    assert answer["token"].count(".") == 2
    assert time.time() + 60 < claims_of(answer["token"])["exp"] <= time.time() + 15 * 60
    cookie = client.cookies["sessionid"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")


@pytest.mark.parametrize("address", ["/api/v1/auth/session", "/api/v1/auth/session/"])
def test_a_cookie_or_a_bearer_token_renews_the_session(client: Client, leo: User, address: str) -> None:
    token = log_in(client, leo)["token"]

    by_cookie = client.get(address)
    by_bearer = Client().get(address, headers={"Authorization": f"Bearer {token}"})

    for answer in (by_cookie, by_bearer):
        assert answer.json()["user"]["email"] == leo.email
        assert get_session_with(answer.json()["token"]).status_code == 200


def test_a_visitor_has_no_session(client: Client) -> None:
    answer = client.get("/api/v1/auth/session/")

    assert (answer.status_code, answer.json()["code"]) == (401, "NOT_AUTHENTICATED")
    assert answer.json()["detail"] == "User is not authenticated"
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["WWW-Authenticate"].startswith("Bearer")
    assert "csrftoken" in answer.cookies


def test_an_admin_also_has_the_instructor_role(client: Client, sam: User) -> None:
    assert log_in(client, sam)["user"]["roles"] == ["instructor", "admin"]


def test_the_cookie_renews_an_expired_token(client: Client, leo: User) -> None:
    token = log_in(client, leo)["token"]

    with time_machine.travel(timezone.now() + timedelta(minutes=16)):
        stale = {"Authorization": f"Bearer {token}"}
        assert client.get("/api/v1/auth/session/", headers=stale).status_code == 200
        assert get_session_with(token).status_code == 401


def test_a_session_created_by_django_also_has_a_token(browser_of: Callable[[User], Client], leo: User) -> None:
    """Social sign-in and the test client create sessions through Django alone."""
    answer = browser_of(leo).get("/api/v1/auth/session/").json()

    assert get_session_with(answer["token"]).json()["user"]["email"] == leo.email


def test_logging_in_twice_in_one_browser_keeps_one_session(client: Client, leo: User, mia: User) -> None:
    first = log_in(client, leo)["token"]
    again = log_in(client, leo)["token"]
    other = log_in(client, mia)["token"]

    assert [get_session_with(token).status_code for token in (first, again, other)] == [401, 401, 200]
    assert BrowserSession.objects.get().user == mia


def test_a_session_records_its_browser(client: Client, leo: User) -> None:
    client.post(
        "/api/v1/auth/login",
        {"email": leo.email, "password": PASSWORD},
        content_type="application/json",
        headers={"User-Agent": "Firefox " + "x" * 400},
    )

    row = BrowserSession.objects.get()
    assert (row.user, row.address, row.user_agent[:7], len(row.user_agent)) == (leo, "127.0.0.1", "Firefox", 256)
    assert row.signed_in_at is not None


def test_a_browser_in_use_stays_signed_in_and_is_updated_at_most_hourly(client: Client, leo: User) -> None:
    log_in(client, leo)
    before = BrowserSession.objects.get()

    client.get("/api/v1/auth/session/")
    assert BrowserSession.objects.get().last_seen_at == before.last_seen_at

    with time_machine.travel(timezone.now() + timedelta(days=13)):
        client.get("/api/v1/auth/session/")
        after = BrowserSession.objects.get()
    assert after.expire_date - before.expire_date > timedelta(days=12)
    assert (after.uid, after.signed_in_at) == (before.uid, before.signed_in_at)


def test_the_cookie_ends_with_the_browser_without_remember_me(client: Client, leo: User) -> None:
    client.post("/auth/login", {"email": leo.email, "password": PASSWORD})
    assert client.cookies["sessionid"]["max-age"] == ""

    client.post("/auth/login", {"email": leo.email, "password": PASSWORD, "remember": "on"})
    assert client.cookies["sessionid"]["max-age"] == settings.SESSION_COOKIE_AGE


def test_the_user_and_the_session_take_one_query(
    client: Client, leo: User, django_assert_num_queries: Callable[[int], Any]
) -> None:
    token = log_in(client, leo)["token"]

    with django_assert_num_queries(1):
        client.get("/auth/logout")
    with django_assert_num_queries(1):
        get_session_with(token)
    with django_assert_num_queries(0):
        Client().get("/auth/login")


def test_expired_sessions_are_deleted(client: Client, leo: User) -> None:
    log_in(client, leo)

    services.clean_up(now=timezone.now() + timedelta(days=13))
    assert BrowserSession.objects.count() == 1
    with time_machine.travel(timezone.now() + timedelta(days=15)):
        jobs.run_pending("default")  # signing in has enqueued the job
    assert BrowserSession.objects.count() == 0


# --- What ends it ----------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["/api/v1/auth/logout", "/api/v1/auth/logout/", "/auth/logout"])
def test_signing_out_refuses_the_token_at_once(client: Client, leo: User, address: str) -> None:
    token = log_in(client, leo)["token"]
    key = client.cookies["sessionid"].value

    assert client.post(address).status_code in {204, 302}

    assert get_session_with(token).status_code == 401
    replay = Client()
    replay.cookies["sessionid"] = key
    assert replay.get("/api/v1/auth/session/").status_code == 401


def test_signing_out_by_bearer_token_ends_the_browser_session(client: Client, leo: User) -> None:
    token = log_in(client, leo)["token"]

    Client().post("/api/v1/auth/logout", headers={"Authorization": f"Bearer {token}"})

    assert client.get("/api/v1/auth/session/").status_code == 401
    assert get_session_with(token).status_code == 401


def test_signing_out_with_an_expired_token_works_by_cookie(client: Client, leo: User) -> None:
    log_in(client, leo)

    answer = client.post("/api/v1/auth/logout", headers={"Authorization": "Bearer a.b.c"})

    assert answer.status_code == 204
    assert client.get("/api/v1/auth/session/").status_code == 401


def test_signing_out_keeps_the_other_browser_signed_in(client: Client, leo: User) -> None:
    other = Client()
    token = log_in(other, leo)["token"]
    log_in(client, leo)

    client.post("/api/v1/auth/logout")

    assert get_session_with(token).status_code == 200
    assert other.get("/api/v1/auth/session/").status_code == 200


@pytest.mark.parametrize("what", ["password", "block", "deactivated", "deleted", "ended", "expired"])
def test_an_event_ends_the_session_and_the_token_at_once(client: Client, leo: User, what: str) -> None:
    token = log_in(client, leo)["token"]

    match what:
        case "password":
            leo.set_password("AnotherRiver27")
            leo.save()
        case "block":
            services.block(user=leo)
        case "deactivated":
            User.objects.filter(pk=leo.pk).update(is_active=False)
        case "deleted":
            leo.delete()
        case "ended":
            services.end_sessions(user=leo)
        case "expired":
            BrowserSession.objects.update(expire_date=timezone.now())

    assert get_session_with(token).status_code == 401
    assert client.get("/api/v1/auth/session/").status_code == 401


def test_unblocking_does_not_restore_old_sessions(client: Client, leo: User) -> None:
    token = log_in(client, leo)["token"]

    services.block(user=leo)
    services.unblock(user=leo)

    assert get_session_with(token).status_code == 401
    assert client.get("/api/v1/auth/session/").status_code == 401


def test_a_token_lasts_fifteen_minutes(client: Client, leo: User) -> None:
    token = log_in(client, leo)["token"]

    with time_machine.travel(timezone.now() + timedelta(minutes=14, seconds=50)):
        assert get_session_with(token).status_code == 200
    with time_machine.travel(timezone.now() + timedelta(minutes=15, seconds=1)):
        assert get_session_with(token).status_code == 401


# --- Attacks -----------------------------------------------------------------------------


def _unsigned(claims: dict[str, Any], algorithm: str) -> str:
    def part(value: dict[str, Any]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    return f"{part({'alg': algorithm, 'typ': 'JWT'})}.{part(claims)}."


_STRANGER = rsa.generate_private_key(public_exponent=65537, key_size=2048)


FORGERIES: dict[str, Callable[[dict[str, Any], str], str]] = {
    "no signature, alg none": lambda claims, token: _unsigned(claims, "none"),
    "no signature, alg None": lambda claims, token: _unsigned(claims, "None"),
    "no signature, alg HS256": lambda claims, token: _unsigned(claims, "HS256"),
    "another key": lambda claims, token: jwt.encode(claims, "x" * 64, "HS256"),
    "our key, another algorithm": lambda claims, token: jwt.encode(claims, KEY, "HS384"),
    "a key pair of one's own, alg RS256": lambda claims, token: jwt.encode(claims, _STRANGER, "RS256"),
    "changed payload, old signature": lambda claims, token: ".".join(
        [token.split(".")[0], _unsigned({**claims, "role": "admin"}, "HS256").split(".")[1], token.split(".")[2]]
    ),
    "two parts": lambda claims, token: ".".join(token.split(".")[:2]),
    "four parts": lambda claims, token: token + ".x",
    "no token": lambda claims, token: "",
    "not a token": lambda claims, token: "é" * 20,
}
# Signed with our own key: possible claims of a leaked older or foreign token of ours.
MISMATCHED_CLAIMS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "no exp": lambda claims: {name: value for name, value in claims.items() if name != "exp"},
    "exp as text": lambda claims: {**claims, "exp": "never"},
    "exp has passed": lambda claims: {**claims, "exp": int(time.time()) - 1},
    "a refresh token": lambda claims: {**claims, "token_type": "refresh"},
    "no type": lambda claims: {name: value for name, value in claims.items() if name != "token_type"},
    "no session": lambda claims: {name: value for name, value in claims.items() if name != "sid"},
    "another session": lambda claims: {**claims, "sid": str(uuid4())},
    "a session that is no uuid": lambda claims: {**claims, "sid": "1 OR 1=1"},
    "a session that is a number": lambda claims: {**claims, "sid": 1},
    "a user that is no uuid": lambda claims: {**claims, "user_id": "1"},
    "a user that is null": lambda claims: {**claims, "user_id": None},
    "no fingerprint": lambda claims: {name: value for name, value in claims.items() if name != "pwd"},
    "another fingerprint": lambda claims: {**claims, "pwd": "0" * 16},
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_token_is_refused(client: Client, leo: User, name: str) -> None:
    token = log_in(client, leo)["token"]
    assert get_session_with(token).status_code == 200

    answer = get_session_with(FORGERIES[name](claims_of(token), token))

    assert (answer.status_code, answer.json()["code"]) == (401, "NOT_AUTHENTICATED")


@pytest.mark.parametrize("name", MISMATCHED_CLAIMS)
def test_a_token_with_mismatched_claims_is_refused(client: Client, leo: User, name: str) -> None:
    claims = claims_of(log_in(client, leo)["token"])
    assert get_session_with(jwt.encode(claims, KEY, "HS256")).status_code == 200

    assert get_session_with(jwt.encode(MISMATCHED_CLAIMS[name](claims), KEY, "HS256")).status_code == 401


def test_a_token_with_the_session_of_another_user_is_refused(client: Client, leo: User, sam: User) -> None:
    mine = claims_of(log_in(client, leo)["token"])
    theirs = claims_of(log_in(Client(), sam)["token"])

    assert get_session_with(jwt.encode({**mine, "user_id": theirs["user_id"]}, KEY, "HS256")).status_code == 401
    assert get_session_with(jwt.encode({**mine, "sid": theirs["sid"]}, KEY, "HS256")).status_code == 401


def test_the_role_in_the_token_grants_no_access(client: Client, leo: User) -> None:
    claims = claims_of(log_in(client, leo)["token"])

    answer = get_session_with(jwt.encode({**claims, "role": "admin"}, KEY, "HS256"))

    assert answer.json()["user"]["role"] == "student"


def test_a_removed_role_ends_at_once(client: Client, ada: User) -> None:
    token = log_in(client, ada)["token"]

    services.change_role(user=ada, role="student")  # type: ignore[arg-type]

    assert get_session_with(token).json()["user"]["role"] == "student"
    assert client.get("/dashboard")["Location"] == "/me/dashboard"


def test_a_planted_session_key_is_replaced(client: Client, leo: User) -> None:
    client.get("/auth/login")
    session = client.session  # a visitor's session, known to the attacker
    session["planted"] = True
    session.save()
    planted = str(session.session_key)
    client.cookies["sessionid"] = planted

    log_in(client, leo)

    assert client.cookies["sessionid"].value != planted
    attacker = Client()
    attacker.cookies["sessionid"] = planted
    assert attacker.get("/api/v1/auth/session/").status_code == 401


@pytest.mark.parametrize("key", ["", "x", "é" * 32, "a" * 500, "' OR 1=1 --"])
def test_a_forged_session_key_is_treated_as_a_visitor(key: str) -> None:
    stranger = Client()
    stranger.cookies["sessionid"] = key

    assert stranger.get("/api/v1/auth/session/").status_code == 401


def test_tampered_session_data_signs_no_user_in(client: Client, leo: User) -> None:
    client.force_login(leo)
    row = BrowserSession.objects.get(user=leo)
    for _ in range(2):  # cached, because the signature was checked before
        assert client.get("/api/v1/auth/session/").status_code == 200

    swapped = row.session_data[:-1] + ("A" if row.session_data[-1] != "A" else "B")
    BrowserSession.objects.filter(pk=row.pk).update(session_data=swapped)

    assert client.get("/api/v1/auth/session/").status_code == 401


def test_unsaved_session_changes_are_not_shared_between_requests(client: Client, leo: User) -> None:
    log_in(client, leo)
    first, second = (client.session, client.session)
    first["browser"]["address"] = "198.51.100.7"

    assert second["browser"]["address"] != "198.51.100.7"
    assert client.session["browser"]["address"] != "198.51.100.7"


def test_login_and_logout_by_cookie_require_the_csrf_token(leo: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    body = {"email": leo.email, "password": PASSWORD}

    refused = strict.post("/api/v1/auth/login", body, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (403, "PERMISSION_DENIED")
    assert not BrowserSession.objects.exists()

    strict.get("/api/v1/auth/session/")
    csrf = {"X-CSRFToken": strict.cookies["csrftoken"].value}
    assert strict.post("/api/v1/auth/login", body, content_type="application/json", headers=csrf).status_code == 200
    assert strict.post("/api/v1/auth/logout").status_code == 403
    assert strict.get("/api/v1/auth/session/").status_code == 200
    csrf = {"X-CSRFToken": strict.cookies["csrftoken"].value}
    assert strict.post("/api/v1/auth/logout", headers=csrf).status_code == 204


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"password": PASSWORD}, "email"),
        ({"email": "leo", "password": PASSWORD}, "email"),
        ({"email": "leo@example.com"}, "password"),
        ({"email": "leo@example.com", "password": "Short1"}, "password"),
        ({"email": ["leo@example.com"], "password": PASSWORD}, "email"),
        ({"email": "leo@example.com", "password": {"$gt": ""}}, "password"),
        ({"email": "leo@example.com", "password": "x" * 129}, "password"),
    ],
)
def test_login_names_the_invalid_field(client: Client, body: dict[str, Any], field: str) -> None:
    answer = client.post("/api/v1/auth/login", body, content_type="application/json")

    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_FAILED")
    assert list(answer.json()["fields"]) == [field]


def test_no_cache_stores_the_response(client: Client, leo: User) -> None:
    log_in(client, leo)

    assert "no-store" in client.get("/api/v1/auth/session/")["Cache-Control"]


def test_ending_one_session_does_not_end_the_token_of_another(client: Client, leo: User) -> None:
    """A user has two sessions: ending one ends its own token and not the other's."""
    first, second = log_in(Client(), leo)["token"], log_in(Client(), leo)["token"]
    session = tokens.session_of(first)
    assert session is not None

    services.end_session(session=session)

    assert [get_session_with(token).status_code for token in (first, second)] == [401, 200]


def test_only_signing_out_deletes_the_cookie(client: Client, ada: User) -> None:
    """A late answer to a request with an ended session would delete the cookie of the next one."""
    log_in(client, ada)
    tab, old_tab = Client(), Client()
    tab.cookies["sessionid"] = old_tab.cookies["sessionid"] = client.cookies["sessionid"].value
    BrowserSession.objects.all().delete()
    assert "sessionid" not in client.get("/api/v1/auth/session/").cookies

    log_in(tab, ada)
    ada.set_password("QuietRiver26")
    ada.save()
    assert "sessionid" not in tab.get("/courses/").cookies

    ada.set_password(PASSWORD)
    ada.save()
    log_in(old_tab, ada)
    assert old_tab.post("/api/v1/auth/logout").cookies["sessionid"]["max-age"] == 0


def test_a_second_tab_with_the_sign_in_page_lets_in_who_signed_in_in_the_first(leo):
    browser = Client(enforce_csrf_checks=True)
    form = {"email": leo.email, "password": PASSWORD}
    pages = [browser.get("/auth/login?next=/courses/").content.decode() for _ in range(2)]
    both = [re.findall(r'csrfmiddlewaretoken" value="(\w+)"', page)[0] for page in pages]
    first = browser.post("/auth/login?next=/courses/", form | {"csrfmiddlewaretoken": both[0]})
    second = browser.post("/auth/login?next=/courses/", form | {"csrfmiddlewaretoken": both[1]})

    assert (first.status_code, first["Location"]) == (302, "/courses/")
    assert (second.status_code, second["Location"]) == (302, "/auth/login?next=/courses/")
    assert browser.get(second["Location"])["Location"] == "/courses/"


def test_a_browser_without_cookies_is_told_to_allow_them(leo):
    answer = Client(enforce_csrf_checks=True).post("/auth/login", {"email": leo.email, "password": PASSWORD})

    assert answer.status_code == 403
    assert "Your browser sent no cookies of this site" in answer.content.decode()
