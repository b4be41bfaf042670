"""The list of signed-in browsers: ending one, ending all others, device names, the email about a new one."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import BrowserSession, Notification, User
from apps.accounts.sessions import devices
from tests.accounts.test_two_factor import is_signed_in, sign_in_again, turn_on_two_factor
from tests.factories.accounts import PASSWORD

pytestmark = pytest.mark.django_db
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
PHONE = (
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 "
    "Mobile Safari/537.36"
)


@pytest.mark.parametrize(
    ("agent", "icon"),
    [
        (FIREFOX, "laptop"),
        (PHONE, "smartphone"),
        ("Mozilla/5.0 (Linux; Android 14; SM-X710) AppleWebKit/537.36 Chrome/126.0 Safari/537.36", "tablet"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1",
            "smartphone",
        ),
        ("Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) CriOS/126.0 Mobile/15E148 Safari/604.1", "tablet"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/17.5 Safari/605.1.15", "laptop"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/126.0 Safari/537.36 Edg/126.0", "monitor"),
        ("", "monitor"),
    ],
)
def test_each_device_has_an_icon(agent: str, icon: str) -> None:
    assert devices.device_icon(agent) == icon


def sign_in(user: User, agent: str = FIREFOX, client: Client | None = None) -> Client:
    client = client or Client()
    client.post("/auth/login", {"email": user.email, "password": PASSWORD}, headers={"User-Agent": agent})
    return client


def sessions_section(client: Client, query: str = "") -> str:
    page = client.get("/settings/sessions" + query).content.decode()
    return page.split('id="sessions"')[1].split("</section>")[0]


def test_the_list_shows_every_browser_and_marks_the_current_one(leo: User, mia: User) -> None:
    here = sign_in(leo)
    sign_in(leo, PHONE)
    sign_in(mia)

    shown = sessions_section(here)

    assert shown.count('class="lines__t"') == 2
    rows = shown.split('class="lines__t"')[1:]
    this = next(one for one in rows if "Firefox on Linux" in one)
    other = next(one for one in rows if "Chrome on Android" in one)
    assert "This device" in this
    assert "127.0.0.1" in this
    assert "<form" not in this.split("</li>")[0]
    assert "This device" not in other
    assert "/end" in other


def test_a_user_can_end_one_session_and_its_tokens(leo: User) -> None:
    here, lost = sign_in(leo), sign_in(leo, PHONE)
    token = lost.get("/api/v1/auth/session/").json()["token"]
    address = re.search(r'action="(/settings/sessions/[^"]+/end)"', sessions_section(here))[1]

    here.post(address)

    assert not is_signed_in(lost)
    assert Client().get("/api/v1/auth/session/", headers={"Authorization": f"Bearer {token}"}).status_code == 401
    assert is_signed_in(here)
    assert here.post(address).status_code == 302  # ending it again is not an error


def test_a_user_can_end_all_other_sessions(leo: User, mia: User) -> None:
    here, first, second, hers = sign_in(leo), sign_in(leo), sign_in(leo, PHONE), sign_in(mia)
    assert "Sign out everywhere else" in sessions_section(here)

    here.post("/settings/sessions/end-others")

    assert [is_signed_in(one) for one in (here, first, second, hers)] == [True, False, False, True]
    assert "Sign out everywhere else" not in sessions_section(here)


def test_a_user_cannot_end_the_session_of_another_user(leo: User, mia: User) -> None:
    here, hers = sign_in(leo), sign_in(mia)
    uid = BrowserSession.objects.get(user=mia).uid

    here.post(f"/settings/sessions/{uid}/end")

    assert is_signed_in(hers)


def test_a_visitor_cannot_end_sessions(client: Client, leo: User) -> None:
    sign_in(leo)
    uid = BrowserSession.objects.get(user=leo).uid

    assert client.post(f"/settings/sessions/{uid}/end")["Location"].startswith("/auth/login")
    assert client.post("/settings/sessions/end-others")["Location"].startswith("/auth/login")
    assert BrowserSession.objects.count() == 1


def test_another_site_cannot_end_sessions(leo: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(leo)

    assert strict.post("/settings/sessions/end-others").status_code == 403


def test_an_outdated_form_shows_an_error_and_a_link_back(leo: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(leo)
    page = strict.get("/settings/goals").content.decode()
    [old, *_] = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    strict.force_login(leo)
    strict.cookies["csrftoken"] = "x" * 32  # set by the new sign-in

    sent = {"daily_minutes": "10", "weekly_lessons": "3", "csrfmiddlewaretoken": old}
    answer = strict.post("/settings/goals", sent, headers={"referer": "http://testserver/settings/goals"})
    elsewhere = strict.post("/settings/goals", sent, headers={"referer": "http://evil.example/"})

    shown = answer.content.decode()
    assert answer.status_code == 403
    assert 'data-error="FORM_OUTDATED"' in shown
    assert 'href="http://testserver/settings/goals"' in shown
    assert "evil.example" not in elsewhere.content.decode()
    leo.refresh_from_db()
    assert leo.daily_minutes == 30


def test_paging_many_browsers_takes_no_more_queries(
    leo: User, django_assert_max_num_queries: Callable[[int], object]
) -> None:
    here = sign_in(leo)
    turn_on_two_factor(leo)
    now = timezone.now()
    BrowserSession.objects.bulk_create(
        BrowserSession(
            session_key=f"key{n}", session_data="x" * 5000, expire_date=now + timedelta(days=1), user=leo,
            user_agent=PHONE, last_seen_at=now - timedelta(minutes=n),
        )
        for n in range(1, 61)
    )  # fmt: skip

    with django_assert_max_num_queries(8):  # type: ignore[attr-defined]
        first = sessions_section(here)
    last = sessions_section(here, "?page=7")

    assert first.count("Chrome on Android") >= 9
    assert 'href="?page=2"' in first
    assert last.count('class="lines__t"') == 1


def test_ended_sessions_are_not_listed(leo: User) -> None:
    here = sign_in(leo)
    sign_in(leo, PHONE)
    BrowserSession.objects.filter(user_agent=PHONE).update(expire_date=timezone.now() - timedelta(seconds=1))

    assert "Android" not in sessions_section(here)


def test_a_sign_in_without_its_second_step_is_not_listed(leo: User) -> None:
    sign_in(leo)
    turn_on_two_factor(leo)

    sign_in_again(Client(), leo)

    assert not Notification.objects.filter(user=leo, kind="account.new_device").exists()
