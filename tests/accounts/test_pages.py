"""The auth pages, as a browser without scripts uses them."""

import re

import pytest
from django.test import Client

from apps.accounts.models import BrowserSession, User
from tests.factories.accounts import PASSWORD

pytestmark = pytest.mark.django_db
GOOD = {
    "first_name": "Amara",
    "last_name": "Lindgren",
    "email": "Amara@Example.org",
    "password": "QuietRiver26",
    "confirmation": "QuietRiver26",
    "terms": "on",
}


@pytest.mark.parametrize("address", ["/auth/login", "/auth/register", "/auth/forgot-password"])
def test_a_page_opens_in_both_spellings_for_a_visitor(client: Client, address: str) -> None:
    assert client.get(address).status_code == 200
    assert client.get(address + "/", follow=True).status_code == 200


def test_the_sign_in_page_says_where_it_continues(client: Client) -> None:
    sent = client.get("/auth/login?next=/courses/enroll%3Fcourse%3Drivers").content.decode()
    alone = client.get("/auth/login").content.decode()

    assert "to continue to the page you opened" in sent
    assert "to continue to the page" not in alone


def test_signing_in_returns_to_the_requested_page(client: Client, leo: User) -> None:
    answer = client.post("/auth/login?next=/me/enrollments%3Ffilter%3Dbookmarked", _login(leo))

    assert (answer.status_code, answer["Location"]) == (302, "/me/enrollments?filter=bookmarked")
    assert client.session["_auth_user_id"] == str(leo.pk)


@pytest.mark.parametrize(
    ("username", "home"), [("leo", "/me/dashboard"), ("ada", "/dashboard/instructor/"), ("sam", "/dashboard/admin/")]
)
def test_each_role_starts_at_its_own_home_page(
    client: Client, request: pytest.FixtureRequest, username: str, home: str
) -> None:
    assert client.post("/auth/login", _login(request.getfixturevalue(username)))["Location"] == home
    assert client.get("/dashboard")["Location"] == home


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "javascript:alert(1)",
        "http:evil.example",
        "https:/evil.example",
        " //evil.example",
        "\t//evil.example",
        "/\t/evil.example",
        "https://testserver@evil.example/",
        "http://testserver.evil.example/",
    ],
)
def test_signing_in_never_redirects_to_another_site(client: Client, leo: User, elsewhere: str) -> None:
    shown = client.get("/auth/login", {"next": elsewhere})
    answer = client.post("/auth/login", {**_login(leo), "next": elsewhere})

    assert "evil" not in shown.content.decode().split("<main")[1]
    assert answer["Location"] == "/me/dashboard"
    assert client.get("/auth/login", {"next": elsewhere})["Location"] == "/me/dashboard"


def test_a_failed_sign_in_explains_the_error_and_keeps_the_email(client: Client, leo: User) -> None:
    page = client.post("/auth/login", {"email": leo.email, "password": "WrongGuess1"}).content.decode()

    assert "The email or password you entered is incorrect" in page
    assert f'value="{leo.email}"' in page
    assert "WrongGuess1" not in page
    assert 'data-error="AUTH_INVALID_CREDENTIALS"' in page
    assert re.search(r'<a class="btn[^"]*" href="/auth/forgot-password">Reset password</a>', page)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("email", "", "Enter your email address."),
        ("email", "leo", "Enter a valid email address."),
        ("password", "", "Enter your password."),
        ("password", "Short1", "Passwords have at least 8 characters."),
    ],
)
def test_sign_in_names_the_field_that_needs_attention(
    client: Client, leo: User, field: str, value: str, message: str
) -> None:
    page = client.post("/auth/login", {**_login(leo), field: value}).content.decode()

    assert message in page
    assert re.search(rf'id="id_{field}"[^>]*aria-invalid="true"[^>]*aria-describedby="id_{field}-e', page)
    assert f'<a class="link" href="#id_{field}">' in page
    assert "data-errors" in page


def test_signing_out_requires_a_form(client: Client, leo: User) -> None:
    client.force_login(leo)

    confirmation = client.get("/auth/logout")
    assert confirmation.status_code == 200
    assert "_auth_user_id" in client.session

    gone = client.post("/auth/logout")
    assert gone["Location"] == "/"
    assert not BrowserSession.objects.exists()


def test_every_form_requires_the_csrf_token(leo: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post("/auth/login", _login(leo)).status_code == 403
    strict.force_login(leo)

    for address in ("/auth/register", "/auth/logout", "/auth/forgot-password"):
        assert strict.post(address, _login(leo)).status_code == 403, address
    assert BrowserSession.objects.count() == 1


def test_no_page_contains_a_password(client: Client) -> None:
    page = client.post("/auth/register", GOOD | {"terms": ""}).content.decode()

    assert "QuietRiver26" not in page


def test_no_cache_stores_the_sign_in_pages(client: Client) -> None:
    for address in ("/auth/login", "/auth/register", "/auth/forgot-password"):
        assert "no-store" in client.get(address)["Cache-Control"]


def test_the_admin_has_no_separate_sign_in_form(client: Client, leo: User, sam: User) -> None:
    assert client.get("/admin/")["Location"] == "/auth/login?next=/admin/"
    assert client.get("/admin/login/?next=/admin/")["Location"] == "/auth/login?next=/admin/"
    assert client.post("/admin/login/", {"username": sam.email, "password": PASSWORD}).status_code == 302
    assert "_auth_user_id" not in client.session

    client.force_login(leo)
    assert client.get("/admin/login/?next=/admin/")["Location"] == "/"
    client.force_login(sam)
    assert client.get("/admin/login/?next=/admin/")["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200


def _login(user: User) -> dict[str, str]:
    return {"email": user.email, "password": PASSWORD}
