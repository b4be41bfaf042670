"""Users in the Django admin: changes go through the services, and nothing secret is shown."""

from collections.abc import Callable

import pytest
from django.test import Client

from apps.accounts.models import BrowserSession, Role, User

pytestmark = pytest.mark.django_db
LIST = "/admin/accounts/user/"


@pytest.fixture
def desk(browser_of: Callable[[User], Client], sam: User) -> Client:
    return browser_of(sam)


def act(desk: Client, action: str, *people: User) -> str:
    body = {"action": action, "_selected_action": [str(user.pk) for user in people]}
    return desk.post(LIST, body, follow=True).content.decode()


def test_lists_people_without_a_query_for_each(
    desk: Client, leo: User, django_assert_max_num_queries: Callable[[int], object]
) -> None:
    User.objects.bulk_create(User(username=f"p{n}", email=f"p{n}@example.com") for n in range(90))

    with django_assert_max_num_queries(8):  # type: ignore[attr-defined]
        assert leo.email in desk.get(LIST).content.decode()


def test_shows_no_password_and_changes_no_role_by_form(desk: Client, leo: User) -> None:
    address = f"{LIST}{leo.pk}/change/"
    page = desk.get(address).content.decode()
    assert leo.password not in page
    assert 'name="password"' not in page

    desk.post(
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
    desk: Client, browser_of: Callable[[User], Client], leo: User
) -> None:
    browser = browser_of(leo)
    token = browser.get("/api/v1/auth/session/").json()["token"]

    act(desk, "block", leo)

    assert browser.get("/api/v1/auth/session/").status_code == 401
    assert Client().get("/api/v1/auth/session/", headers={"Authorization": f"Bearer {token}"}).status_code == 401
    assert not BrowserSession.objects.of(leo).exists()
    act(desk, "unblock", leo)
    assert User.objects.get(pk=leo.pk).is_active


def test_roles_change_by_action(desk: Client, leo: User, mia: User) -> None:
    act(desk, "make_instructor", leo, mia)

    assert set(User.objects.filter(pk__in=[leo.pk, mia.pk]).values_list("role", flat=True)) == {Role.INSTRUCTOR}


@pytest.mark.parametrize("action", ["block", "make_student"])
def test_an_admin_does_not_shut_themselves_out(desk: Client, sam: User, action: str) -> None:
    page = act(desk, action, sam)

    assert "Your own account was not changed." in page
    sam.refresh_from_db()
    assert (sam.is_active, sam.role) == (True, Role.ADMIN)


@pytest.mark.parametrize("who", ["leo", "ada"])
def test_only_admins_open_these_pages(
    browser_of: Callable[[User], Client], request: pytest.FixtureRequest, mia: User, who: str
) -> None:
    browser = browser_of(request.getfixturevalue(who))

    assert browser.get(LIST).status_code == 302
    act(browser, "make_admin", mia)
    assert User.objects.get(pk=mia.pk).role == Role.STUDENT


def test_accounts_are_neither_made_nor_deleted_here(desk: Client, leo: User) -> None:
    assert desk.get(f"{LIST}add/").status_code == 403
    assert desk.post(f"{LIST}{leo.pk}/delete/", {"post": "yes"}).status_code == 403
    assert User.objects.filter(pk=leo.pk).exists()
