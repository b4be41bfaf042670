"""The notifications page, panel and socket show users their own notifications and no one else's."""

import asyncio
import html
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings as django_settings
from django.test import Client
from django.utils import timezone

from apps.accounts import kinds, queries, services
from apps.accounts.kinds import Kind
from apps.accounts.models import Notification, NotificationChoice, User
from studyplatform.asgi import application
from studyplatform.kit import sockets as hub
from studyplatform.kit.sockets import MAX_SOCKETS
from tests.factories.accounts import PASSWORD

pytestmark = pytest.mark.django_db
NASTY = '"><img src=x onerror=alert(1)><script>alert(2)</script>'


@pytest.fixture(autouse=True)
def _kind(monkeypatch) -> None:
    made = Kind(name="test.tide", group="learning", title="Tides", headline="Tide at %(place)s", text="Of %(place)s")
    monkeypatch.setitem(kinds.KINDS, made.name, made)


def notify(user: User, place: str = "Brest", **given: Any) -> Notification:
    services.notify("test.tide", user, "/courses/", place=place, **given)
    return Notification.objects.of(user).latest("pk")


def page(browser: Client, address: str = "/notifications", **headers: str) -> str:
    answer = browser.get(address, headers=headers)
    assert answer.status_code == 200
    return answer.content.decode()


# --- The page and the panel ----------------------------------------------------------------------------------


def test_the_header_counts_notifications_and_the_page_lists_them(leo, mia, browser_of) -> None:
    notify(leo)
    notify(mia, "Cuxhaven")
    browser = browser_of(leo)

    home = page(browser, "/")
    listed = page(browser)

    assert 'aria-label="Notifications, 1 new"' in home
    assert '<noscript><a class="icon-btn" href="/notifications"' in home
    assert "Tide at Brest" in listed
    assert "Cuxhaven" not in listed
    assert "Tide at Brest" in page(browser, "/notifications/panel")


def test_the_header_shows_nine_plus_for_more_than_nine(leo, browser_of) -> None:
    for _ in range(12):
        notify(leo)

    home = page(browser_of(leo), "/")

    assert 'aria-label="Notifications, 9+ new"' in home
    assert ">9+</span>" in home


def test_the_studio_shows_the_count_beside_its_links(ada, browser_of) -> None:
    notify(ada)

    studio = page(browser_of(ada), "/dashboard/instructor/")

    assert 'href="/notifications"' in studio.split('class="rail"')[1].split("</header>")[0]
    assert studio.count("data-unread>1</span>") >= 3


def test_marking_a_notification_read_lowers_the_unread_count(leo, browser_of) -> None:
    first, second = notify(leo, "Brest"), notify(leo, "Cuxhaven")
    browser = browser_of(leo)

    answer = browser.post(f"/notifications/{first.uid}/read")
    again = browser.post(f"/notifications/{first.uid}/read", headers={"accept": "application/json"})

    assert answer["Location"] == "/notifications"
    assert again.json() == {"unread": 1}
    unread = page(browser, "/notifications?show=unread")
    assert "Cuxhaven" in unread
    assert "Brest" not in unread
    assert "Brest" in page(browser)
    second.refresh_from_db()
    assert second.read_at is None


def test_a_user_can_mark_all_notifications_read(leo, mia, browser_of) -> None:
    notify(leo)
    notify(leo)
    notify(mia)
    browser = browser_of(leo)

    browser.post("/notifications/read")

    assert queries.unread_count(leo) == 0
    assert queries.unread_count(mia) == 1
    assert "all caught up" in page(browser, "/notifications?show=unread")


def test_a_user_cannot_read_or_mark_notifications_of_another_user(leo, mia, browser_of) -> None:
    theirs = notify(mia, "Cuxhaven")
    browser = browser_of(leo)

    answer = browser.post(f"/notifications/{theirs.uid}/read", headers={"accept": "application/json"})

    assert answer.status_code in {302, 404}
    theirs.refresh_from_db()
    assert theirs.read_at is None
    assert "Cuxhaven" not in page(browser) + page(browser, "/notifications/panel")


def test_a_notification_by_email_only_is_neither_shown_nor_counted(leo, browser_of) -> None:
    User.objects.filter(pk=leo.pk).update(email_verified_at=timezone.now())
    leo.refresh_from_db()
    NotificationChoice.objects.create(user=leo, kind="test.tide", in_app=False, mail="now")
    hidden = notify(leo)
    browser = browser_of(leo)

    assert "Brest" not in page(browser)
    assert 'aria-label="Notifications"' in page(browser, "/")
    assert browser.post(f"/notifications/{hidden.uid}/read").status_code in {302, 404}


@pytest.mark.parametrize("address", ["/notifications", "/notifications/panel"])
def test_a_visitor_must_sign_in(client: Client, address: str) -> None:
    assert client.get(address)["Location"].startswith("/auth/login?next=/notifications")


def test_marking_requires_the_csrf_token(leo) -> None:
    notify(leo)
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(leo)

    assert browser.post("/notifications/read").status_code == 403
    assert queries.unread_count(leo) == 1


def test_the_redirect_after_marking_stays_on_this_site(leo, browser_of) -> None:
    answer = browser_of(leo).post("/notifications/read", headers={"referer": "https://evil.example/x"})

    assert answer["Location"] == "/notifications"


def test_the_page_escapes_text_from_other_users(leo, browser_of) -> None:
    notify(leo, NASTY)
    browser = browser_of(leo)

    for shown in (page(browser), page(browser, "/notifications/panel")):
        assert html.escape(NASTY).replace("&#x27;", "&#39;")[:20].replace("&quot;", "&#34;") in shown
        assert "<img src=x" not in shown
        assert "<script>alert(2)" not in shown


def test_a_notification_of_a_removed_kind_breaks_no_page(leo, browser_of) -> None:
    notify(leo)
    Notification.objects.create(user=leo, kind="test.gone", created_at=timezone.now(), link="/")
    Notification.objects.create(user=leo, kind="test.tide", created_at=timezone.now(), link="/", params={})

    assert "Tide at Brest" in page(browser_of(leo))


def test_a_thousand_notifications_take_as_few_queries_as_one(leo, browser_of, django_assert_max_num_queries) -> None:
    now = timezone.now()
    Notification.objects.bulk_create(
        Notification(
            user=leo, kind="test.tide", link="/", params={"place": str(n)}, created_at=now - timedelta(minutes=n)
        )
        for n in range(1000)
    )
    browser = browser_of(leo)
    browser.get("/notifications")

    with django_assert_max_num_queries(3):
        shown = page(browser)
    with django_assert_max_num_queries(2):
        page(browser, "/notifications/panel")

    assert shown.count('class="note is-new"') == 50
    assert "Tide at 999" in page(browser, "/notifications?page=20")


def test_equal_notifications_of_one_day_form_one_entry(leo, browser_of) -> None:
    """Days follow the user's time zone: in Honolulu it is noon, and 13 hours ago was yesterday."""
    User.objects.filter(pk=leo.pk).update(time_zone="Pacific/Honolulu")
    browser = browser_of(leo)
    with time_machine.travel(datetime(2026, 5, 4, 22, tzinfo=UTC), tick=False):
        for hours in (0, 1, 3, 13):
            notify(leo, now=timezone.now() - timedelta(hours=hours))
        notify(leo, "Cuxhaven", now=timezone.now() - timedelta(hours=2))
        notify(leo, now=datetime(2025, 12, 31, 22, tzinfo=UTC))
        shown, panel = page(browser), page(browser, "/notifications/panel")

    days = re.findall(r'news__day">\s*<h2 class="h5">(.*?)</h2>', shown)
    assert days == ["Today", "Yesterday", "December 2025"]
    assert shown.count('class="note is-new"') == 4
    assert panel.count('class="note is-new"') == 4
    assert shown.count("3 times") == panel.count("3 times") == 1
    assert shown.count("data-local") == 3, "the entry lists all three"


def test_marking_an_entry_marks_only_its_own_notifications(leo, mia, browser_of) -> None:
    for _ in range(3):
        notify(leo)
    other, theirs = notify(leo, "Cuxhaven"), notify(mia)
    earlier = notify(leo, now=timezone.now() - timedelta(days=2))
    browser = browser_of(leo)
    [address] = set(re.findall(r'data-read-by="([^"]+)"', page(browser).split("Tide at Brest")[0].split("<li")[-1]))

    answer = browser.post(address, headers={"accept": "application/json"})

    assert answer.json() == {"unread": 2}
    unread = set(Notification.objects.filter(read_at=None).values_list("pk", flat=True))
    assert unread == {other.pk, theirs.pk, earlier.pk}


def test_the_count_in_the_header_takes_no_query(leo, browser_of, django_assert_num_queries) -> None:
    browser = browser_of(leo)
    notify(leo)
    browser.get("/terms")

    with django_assert_num_queries(1):
        answer = page(browser, "/terms")

    assert "Notifications, 1 new" in answer


# --- The socket ----------------------------------------------------------------------------------------------


@pytest.fixture
def _quick(monkeypatch) -> None:
    monkeypatch.setattr(hub, "REFRESH_EVERY", 0.05)


def open_socket(browser: Client | None, origin: str = "http://127.0.0.1") -> WebsocketCommunicator:
    headers = [(b"origin", origin.encode()), (b"host", b"127.0.0.1")]
    if browser is not None:
        cookie = browser.cookies[django_settings.SESSION_COOKIE_NAME].value
        headers.append((b"cookie", f"{django_settings.SESSION_COOKIE_NAME}={cookie}".encode()))
    return WebsocketCommunicator(application, "/ws/notifications/", headers=headers)


def with_socket(browser: Client | None, story: Callable[[WebsocketCommunicator], Any]) -> Any:
    """Open the socket, run ``story`` with it and close it."""

    async def run() -> Any:
        socket = open_socket(browser)
        accepted, _ = await socket.connect(timeout=30)
        if not accepted:
            return "refused"
        try:
            return await story(socket)
        finally:
            await socket.disconnect()

    return asyncio.run(run())


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_quick")
def test_the_socket_sends_new_notifications_of_its_user_only(leo, mia, browser_of) -> None:
    notify(leo, "old")

    async def story(socket: WebsocketCommunicator) -> list[Any]:
        heard = [await socket.receive_json_from(30)]
        await sync_to_async(notify)(mia, "Cuxhaven")
        assert await socket.receive_nothing(0.3)
        await sync_to_async(notify)(leo, NASTY)
        heard.append(await socket.receive_json_from(30))
        await sync_to_async(services.mark_all_read)(user=leo, now=timezone.now())
        heard.append(await socket.receive_json_from(30))
        await sync_to_async(notify)(leo, "Brest")
        heard.append(await socket.receive_json_from(30))
        return heard

    first, second, third, fourth = with_socket(browser_of(leo), story)

    assert first == {"type": "unread", "unread": 1}
    assert (second["unread"], second["notice"]["headline"]) == (
        2,
        f"Tide at {NASTY}",
    )
    assert third == {"type": "unread", "unread": 0}
    assert (fourth["unread"], fourth["notice"]["link"]) == (1, "/courses/")


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_quick")
def test_the_socket_rejects_visitors_and_blocked_users(leo, ben, browser_of) -> None:
    async def story(_: WebsocketCommunicator) -> str:
        return "let in"

    stale = browser_of(leo)
    stale.cookies[django_settings.SESSION_COOKIE_NAME] = "0" * 32
    assert with_socket(None, story) == "refused"
    assert with_socket(browser_of(ben), story) == "refused"
    assert with_socket(stale, story) == "refused"
    assert with_socket(browser_of(leo), story) == "let in"


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize("how", ["signs out", "is blocked", "changes the password", "is signed out everywhere"])
def test_the_socket_closes_when_the_session_ends(leo, browser_of, how) -> None:
    browser = browser_of(leo)
    other = browser_of(leo)
    new = {"current": PASSWORD, "password": "BrightLake27", "confirmation": "BrightLake27"}

    def happen() -> None:
        match how:
            case "signs out":
                browser.post("/auth/logout")
            case "is blocked":
                services.block(user=leo)
            case "changes the password":
                assert other.post("/settings/password", new).status_code == 302
            case _:
                services.end_sessions(user=leo)

    async def story(socket: WebsocketCommunicator) -> Any:
        await socket.receive_json_from(30)
        await sync_to_async(happen)()
        return await socket.receive_output(5)

    assert with_socket(browser, story) == {"type": "websocket.close", "code": 4401}


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_quick")
def test_the_socket_ignores_client_messages(leo, browser_of) -> None:
    notify(leo)

    async def story(socket: WebsocketCommunicator) -> bool:
        await socket.receive_json_from(30)
        await socket.send_to(text_data="{not json")
        await socket.send_to(bytes_data=b"\x00" * 1000)
        return await socket.receive_nothing(0.3)

    assert with_socket(browser_of(leo), story)
    assert queries.unread_count(leo) == 1


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_quick")
def test_a_user_has_a_limited_number_of_sockets(leo, browser_of) -> None:
    browser = browser_of(leo)

    async def run() -> list[bool]:
        sockets = [open_socket(browser) for _ in range(MAX_SOCKETS + 1)]
        answers = [(await socket.connect(timeout=30))[0] for socket in sockets]
        for socket, accepted in zip(sockets, answers, strict=True):
            if accepted:
                await socket.disconnect()
        return answers

    assert asyncio.run(run()) == [True] * MAX_SOCKETS + [False]
