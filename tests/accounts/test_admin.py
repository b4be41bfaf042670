"""Users in the Django admin: the services make every change, and no secret is shown."""

from collections.abc import Callable
from html import unescape

import pytest
from django.test import Client

from apps.accounts.models import BrowserSession, Role, User

pytestmark = pytest.mark.django_db
LIST = "/admin/accounts/user/"


@pytest.fixture
def admin_browser(browser_of: Callable[[User], Client], sam: User) -> Client:
    return browser_of(sam)


def run_action(admin_browser: Client, action: str, *people: User) -> str:
    body = {"action": action, "_selected_action": [str(user.pk) for user in people]}
    return admin_browser.post(LIST, body, follow=True).content.decode()


def test_the_list_of_users_takes_a_fixed_number_of_queries(
    admin_browser: Client, leo: User, django_assert_max_num_queries: Callable[[int], object]
) -> None:
    User.objects.bulk_create(User(username=f"p{n}", email=f"p{n}@example.com") for n in range(90))

    with django_assert_max_num_queries(8):  # type: ignore[attr-defined]
        assert leo.email in admin_browser.get(LIST).content.decode()


def test_the_form_shows_no_password_and_changes_no_role(admin_browser: Client, leo: User) -> None:
    address = f"{LIST}{leo.pk}/change/"
    page = admin_browser.get(address).content.decode()
    assert leo.password not in page
    assert 'name="password"' not in page

    admin_browser.post(
        address,
        {
            "username": "leo2",
            "first_name": "Leo",
            "last_name": "Marsh",
            "role": "admin",
            "is_staff": "on",
            "password": "x",
            "email": "x@example.com",
        },
    )
    changed = User.objects.get(pk=leo.pk)
    assert (changed.username, changed.role, changed.email) == ("leo2", "student", leo.email)
    assert changed.password == leo.password


def test_blocking_ends_sessions_and_tokens_at_once(
    admin_browser: Client, browser_of: Callable[[User], Client], leo: User
) -> None:
    browser = browser_of(leo)
    token = browser.get("/api/v1/auth/session/").json()["token"]

    run_action(admin_browser, "block", leo)

    assert browser.get("/api/v1/auth/session/").status_code == 401
    assert Client().get("/api/v1/auth/session/", headers={"Authorization": f"Bearer {token}"}).status_code == 401
    assert not BrowserSession.objects.of(leo).exists()
    run_action(admin_browser, "unblock", leo)
    assert User.objects.get(pk=leo.pk).is_active


def test_an_action_changes_roles(admin_browser: Client, leo: User, mia: User) -> None:
    run_action(admin_browser, "make_instructor", leo, mia)

    assert set(User.objects.filter(pk__in=[leo.pk, mia.pk]).values_list("role", flat=True)) == {Role.INSTRUCTOR}


@pytest.mark.parametrize("action", ["block", "make_student"])
def test_admins_cannot_remove_their_own_access(admin_browser: Client, sam: User, action: str) -> None:
    page = run_action(admin_browser, action, sam)

    assert "Your own account wasn't changed." in unescape(page)
    sam.refresh_from_db()
    assert (sam.is_active, sam.role) == (True, Role.ADMIN)


@pytest.mark.parametrize("username", ["leo", "ada"])
def test_only_admins_can_open_the_admin_pages(
    browser_of: Callable[[User], Client], request: pytest.FixtureRequest, mia: User, username: str
) -> None:
    browser = browser_of(request.getfixturevalue(username))

    assert browser.get(LIST).status_code == 302
    run_action(browser, "make_admin", mia)
    assert User.objects.get(pk=mia.pk).role == Role.STUDENT


def test_the_admin_neither_creates_nor_deletes_accounts(admin_browser: Client, leo: User) -> None:
    assert admin_browser.get(f"{LIST}add/").status_code == 403
    assert admin_browser.post(f"{LIST}{leo.pk}/delete/", {"post": "yes"}).status_code == 403
    assert User.objects.filter(pk=leo.pk).exists()
