"""The guards of pages, on one page of each kind."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import AnonymousUser
from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import path

from apps.accounts import guards, services
from apps.accounts.errors import SessionExpired
from apps.accounts.models import User
from studyplatform.kit.errors import NotAuthenticated
from studyplatform.urls import urlpatterns as real


def _page(request: HttpRequest) -> HttpResponse:
    return HttpResponse("in")


urlpatterns = [
    path("t/open", guards.open_to_everyone(_page)),
    path("t/forgotten", _page),
    path("t/signed-in", guards.signed_in(_page)),
    path("t/teach", guards.teaches(_page)),
    path("t/admin", guards.administers(_page)),
    *real,
]
pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


@pytest.mark.parametrize("address", ["/t/forgotten", "/t/signed-in", "/t/teach", "/t/admin"])
def test_a_visitor_must_sign_in_and_returns_to_the_page(client: Client, address: str) -> None:
    answer = client.get(address, {"page": "2"})

    assert (answer.status_code, answer["Location"]) == (302, f"/auth/login?next={address}%3Fpage%3D2")


def test_a_very_long_address_leads_to_the_sign_in_page_without_its_query(client: Client) -> None:
    long = "q=" + "%C3%A4" * 5_000
    assert client.get(f"/dashboard?{long}").headers["Location"] == "/auth/login?next=/dashboard"
    assert client.get(f"/auth/second-step?{long}").headers["Location"] == "/auth/login"
    assert client.get(f"/auth/login/?{long}").headers["Location"] == "/auth/login"


def test_a_visitor_can_open_a_public_page(client: Client) -> None:
    assert client.get("/t/open").content == b"in"


@pytest.mark.parametrize(
    ("username", "allowed_pages"),
    [
        ("leo", {"/t/open", "/t/forgotten", "/t/signed-in"}),
        ("ada", {"/t/open", "/t/forgotten", "/t/signed-in", "/t/teach"}),
        ("sam", {"/t/open", "/t/forgotten", "/t/signed-in", "/t/teach", "/t/admin"}),
    ],
)
def test_each_role_opens_its_own_pages_and_is_redirected_from_others(
    request: pytest.FixtureRequest, browser_of: Callable[[User], Client], username: str, allowed_pages: set[str]
) -> None:
    browser = browser_of(request.getfixturevalue(username))

    for address in ("/t/open", "/t/forgotten", "/t/signed-in", "/t/teach", "/t/admin"):
        answer = browser.get(address)
        if address in allowed_pages:
            assert answer.content == b"in", address
        else:
            assert (answer.status_code, answer["Location"]) == (302, "/"), address
            assert {message.extra_tags for message in get_messages(answer.wsgi_request)} == {"ROLE_REQUIRED"}


def test_a_blocked_user_is_treated_as_a_visitor(browser_of: Callable[[User], Client], leo: User) -> None:
    browser = browser_of(leo)
    User.objects.filter(pk=leo.pk).update(is_active=False)

    assert browser.get("/t/signed-in")["Location"] == "/auth/login?next=/t/signed-in"


def test_only_an_ended_session_shows_a_message(browser_of: Callable[[User], Client], leo: User) -> None:
    browser = browser_of(leo)
    browser.session.flush()

    ended, first = browser.get("/t/signed-in"), Client().get("/t/signed-in")

    assert [message.extra_tags for message in get_messages(ended.wsgi_request)] == ["AUTH_SESSION_EXPIRED"]
    assert not list(get_messages(first.wsgi_request))


def test_a_reloaded_page_says_that_the_session_has_ended(browser_of: Callable[[User], Client], leo: User) -> None:
    browser = browser_of(leo)
    services.block(user=leo)

    answer = browser.get("/api/v1/auth/session/")
    shown = browser.get("/auth/login?next=/me/enrollments").content.decode()

    assert answer.status_code == 401
    assert str(SessionExpired().detail) in shown
    assert not get_messages(Client().get("/api/v1/auth/session/").wsgi_request)


@pytest.mark.parametrize(
    ("referer", "back"),
    [
        ("http://testserver/courses/rivers?tab=2", "/courses/rivers%3Ftab%3D2"),
        ("https://evil.example/courses/", "/"),
        ("", "/"),
    ],
)
def test_a_refused_form_returns_to_its_own_page(client: Client, referer: str, back: str) -> None:
    answer = client.post("/t/signed-in", headers={"Referer": referer})

    assert answer["Location"] == f"/auth/login?next={back}"


def test_signed_in_user_returns_the_user(rf: RequestFactory, leo: User) -> None:
    request = rf.get("/")
    request.user = leo

    assert guards.signed_in_user(request) == leo


def test_signed_in_user_rejects_a_visitor(rf: RequestFactory) -> None:
    request = rf.get("/")
    request.user = AnonymousUser()

    with pytest.raises(NotAuthenticated):
        guards.signed_in_user(request)
