"""How users choose to be notified: the settings, the digest, and the unsubscribe link."""

import re
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core import mail
from django.test import Client
from django.utils import timezone

from apps.accounts import kinds, queries, services
from apps.accounts.kinds import Kind, Mail
from apps.accounts.models import Notification, NotificationChoice, User
from studyplatform.kit import jobs
from studyplatform.kit.models import Job

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _kinds(monkeypatch) -> None:
    for name, way in (("test.tide", Mail.NOW), ("test.wind", Mail.DIGEST)):
        made = Kind(
            name=name, group="learning", title=f"Of {name}", headline="%(what)s", text="Really: %(what)s", mail=way
        )
        monkeypatch.setitem(kinds.KINDS, name, made)


@pytest.fixture
def leo(leo: User) -> User:
    leo.email_verified_at = timezone.now()
    leo.save()
    return leo


def sent_emails() -> list:
    jobs.run_pending("default")
    return list(mail.outbox)


def notify(user: User, kind: str = "test.tide", what: str = "Low water", **given) -> None:
    services.notify(kind, user, "/courses/", what=what, **given)


# --- The settings --------------------------------------------------------------------------------------------


def test_the_table_offers_every_available_choice(leo, browser_of) -> None:
    page = browser_of(leo).get("/settings/notifications").content.decode()

    assert 'name="site.test.tide" checked' in page
    assert re.findall(r'name="mail.test.wind" value="(\w+)" checked', page) == ["digest"]
    assert "account.password_changed" not in page
    assert "Always on the site and by email" in page


def test_the_button_saves_all_choices(leo, browser_of) -> None:
    answer = browser_of(leo).post(
        "/settings/notifications",
        {"kind": ["test.tide", "test.wind"], "mail.test.tide": "off", "site.test.wind": "on", "mail.test.wind": "now"},
    )

    assert answer["Location"] == "/settings/notifications?saved=1"
    assert {k: v for k, v in queries.choices_of(leo).items() if k.startswith("test")} == {
        "test.tide": (False, "off"),
        "test.wind": (True, "now"),
    }


def test_a_script_saves_one_row_and_leaves_the_others(leo, browser_of) -> None:
    answer = browser_of(leo).post(
        "/settings/notifications",
        {"kind": "test.tide", "mail.test.tide": "digest"},
        headers={"accept": "application/json"},
    )

    assert answer.status_code == 204
    assert NotificationChoice.objects.values_list("user", "kind", "in_app", "mail").get() == (
        leo.pk,
        "test.tide",
        False,
        "digest",
    )


@pytest.mark.parametrize(
    "sent",
    [
        {"kind": "account.password_changed", "mail.account.password_changed": "off"},
        {"kind": "test.unknown", "mail.test.unknown": "now"},
        {"kind": ["test.tide", "test.unknown"], "mail.test.tide": "off", "mail.test.unknown": "off"},
        {"kind": "test.tide", "mail.test.tide": "hourly"},
        {"kind": "test.tide"},
    ],
)
def test_a_form_with_an_unavailable_choice_saves_nothing(leo, browser_of, sent) -> None:
    answer = browser_of(leo).post("/settings/notifications", sent)

    assert answer.status_code == 422
    assert "Nothing was changed" in answer.content.decode()
    assert not NotificationChoice.objects.exists()


def test_a_kind_for_teachers_is_not_offered_to_learners(leo, ada, browser_of, monkeypatch) -> None:
    made = Kind(name="test.staff", group="teaching", title="Staff", headline="x", is_for=lambda user: user.can_teach)
    monkeypatch.setitem(kinds.KINDS, made.name, made)
    sent = {"kind": "test.staff", "mail.test.staff": "off"}

    assert browser_of(leo).post("/settings/notifications", sent).status_code == 422
    assert browser_of(ada).post("/settings/notifications", sent).status_code == 302


# --- The digest ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("zone", "now", "due"),
    [
        ("UTC", "2026-06-01T06:59:59", "2026-06-01T07:00:00"),
        ("UTC", "2026-06-01T07:00:00", "2026-06-02T07:00:00"),
        ("Europe/Helsinki", "2026-06-01T05:00:00", "2026-06-02T04:00:00"),
        ("America/Los_Angeles", "2026-06-01T05:00:00", "2026-06-01T14:00:00"),
        ("Asia/Kathmandu", "2026-06-01T00:00:00", "2026-06-01T01:15:00"),
        # The nights with 23 and 25 hours.
        ("Europe/Berlin", "2026-03-28T12:00:00", "2026-03-29T05:00:00"),
        ("Europe/Berlin", "2026-03-27T12:00:00", "2026-03-28T06:00:00"),
        ("Europe/Berlin", "2026-10-24T12:00:00", "2026-10-25T06:00:00"),
        ("Europe/Berlin", "2026-10-25T00:30:00", "2026-10-25T06:00:00"),
        ("Mars/Olympus", "2026-06-01T00:00:00", "2026-06-01T07:00:00"),
        ("../../etc/passwd", "2026-06-01T00:00:00", "2026-06-01T07:00:00"),
        ("", "2026-06-01T00:00:00", "2026-06-01T07:00:00"),
    ],
)
def test_the_digest_is_due_at_seven_in_the_time_zone_of_the_user(zone: str, now: str, due: str) -> None:
    found = services.next_digest(zone, now=datetime.fromisoformat(now).replace(tzinfo=UTC))

    assert found == datetime.fromisoformat(due).replace(tzinfo=UTC)


def test_one_email_lists_the_notifications_since_yesterday(leo) -> None:
    User.objects.filter(pk=leo.pk).update(time_zone="Europe/Helsinki")
    leo.refresh_from_db()
    with time_machine.travel("2026-03-28 12:00:00Z", tick=False) as clock:  # the clocks go forward that night
        notify(leo, "test.wind", "Storm <b>1</b>")
        clock.shift(timedelta(hours=3))
        notify(leo, "test.wind", "Storm 2")
        notify(leo, "test.wind", "Seen on the site")
        services.mark_read(user=leo, uid=Notification.objects.latest("pk").uid, now=timezone.now())
        assert sent_emails() == []

        clock.move_to("2026-03-29 03:59:59Z")
        assert sent_emails() == []
        clock.move_to("2026-03-29 04:00:00Z")  # seven in Helsinki's summer time
        sent = sent_emails()
        services.send_digest(user_id=leo.pk, now=timezone.now())
        clock.shift(timedelta(days=1))
        assert len(sent_emails()) == 1

    assert sent[0].subject == "2 new notifications on Study Platform"
    assert "Storm <b>1</b>" in sent[0].body
    page = sent[0].alternatives[0][0]
    assert "Storm &lt;b&gt;1&lt;/b&gt;" in page
    assert "Seen on the site" not in page
    assert page.index("Storm 2") < page.index("Storm &lt;b&gt;")
    assert Notification.objects.count() == 3


def test_a_repeated_digest_job_sends_one_email(leo) -> None:
    notify(leo, "test.wind")
    due = Notification.objects.get().digest_due_at
    assert due
    for _ in range(2):
        services.send_digest(user_id=leo.pk, now=due)

    assert len(sent_emails()) == 1


def test_a_digest_with_a_lost_job_is_sent(leo) -> None:
    notify(leo, "test.wind")
    Job.objects.all().delete()
    due = Notification.objects.get().digest_due_at
    assert due
    with time_machine.travel(due + timedelta(minutes=11), tick=False):
        services.clean_up(now=timezone.now())
        assert len(sent_emails()) == 1


def test_switching_the_digest_off_removes_waiting_notifications(leo) -> None:
    notify(leo, "test.wind")
    services.save_notification_choices(user=leo, choices={"test.wind": (True, Mail.OFF)})
    with time_machine.travel(timezone.now() + timedelta(days=2)):
        assert sent_emails() == []


def test_a_blocked_user_gets_no_digest(leo) -> None:
    notify(leo, "test.wind")
    services.block(user=leo)
    with time_machine.travel(timezone.now() + timedelta(days=2)):
        assert sent_emails() == []


# --- The unsubscribe link in emails --------------------------------------------------------------------------


def link_in(message) -> str:
    header = str(message.message()["List-Unsubscribe"])
    found = re.fullmatch(r"<http://127\.0\.0\.1:8000(/notifications/unsubscribe/[^>]+)>", header)
    assert found
    return found[1]


@pytest.fixture
def address(leo: User) -> str:
    notify(leo)
    return link_in(sent_emails()[0])


def test_emails_have_the_one_click_unsubscribe_headers(leo, address) -> None:
    message = mail.outbox[0].message()

    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert message["Auto-Submitted"] == "auto-generated"
    assert address in str(mail.outbox[0].body)


def test_security_emails_have_no_unsubscribe_headers(leo) -> None:
    services.notify("account.password_changed", leo, "/settings/")
    message = sent_emails()[0].message()

    assert message["List-Unsubscribe"] is None
    assert "unsubscribe" not in message.as_string()


def test_a_one_click_request_unsubscribes_the_user(leo, address) -> None:
    stranger = Client(enforce_csrf_checks=True)

    answer = stranger.post(address, "List-Unsubscribe=One-Click", content_type="application/x-www-form-urlencoded")
    notify(leo)

    assert answer.status_code == 200
    assert len(sent_emails()) == 1  # the earlier email
    assert queries.choices_of(leo)["test.tide"] == (True, "off")
    assert queries.choices_of(leo)["test.wind"] == (True, "digest")


def test_opening_the_unsubscribe_page_changes_nothing(client, leo, address) -> None:
    page = client.get(address)
    client.head(address)

    assert "Stop these emails?" in page.content.decode()
    assert page["Referrer-Policy"] == "same-origin"
    assert not NotificationChoice.objects.exists()


def test_a_user_can_undo_unsubscribing_on_the_page(client, leo, address) -> None:
    NotificationChoice.objects.create(user=leo, kind="test.tide", in_app=False, mail=Mail.DIGEST)

    done = client.post(address).content.decode()
    undo = re.search(r'name="undo" value="([^"]+)"', done)
    assert undo
    assert queries.choices_of(leo)["test.tide"] == (False, "off")
    assert "still subscribed" in client.post(address, {"undo": undo[1]}).content.decode()

    assert queries.choices_of(leo)["test.tide"] == (False, "digest")


def test_the_unsubscribe_link_works_after_a_password_change(client, leo, address) -> None:
    leo.set_password("BrightLake27")
    leo.save()

    client.post(address)

    assert queries.choices_of(leo)["test.tide"] == (True, "off")


def test_the_link_in_the_digest_ends_the_digest(client, leo) -> None:
    notify(leo, "test.wind")
    with time_machine.travel(timezone.now() + timedelta(days=2)):
        address = link_in(sent_emails()[0])

    client.post(address)

    assert queries.choices_of(leo)["test.wind"] == (True, "off")
    assert queries.choices_of(leo)["test.tide"] == (True, "now")


def test_unsubscribing_discards_notifications_waiting_for_the_digest(client, leo) -> None:
    notify(leo, "test.wind")
    with time_machine.travel(timezone.now() + timedelta(days=2)):
        address = link_in(sent_emails()[0])
        notify(leo, "test.wind")
        client.post(address)
    with time_machine.travel(timezone.now() + timedelta(days=4)):
        assert len(sent_emails()) == 1  # the earlier email


def test_a_forged_link_changes_and_reveals_nothing(client, leo, mia, address) -> None:
    token = address.rpartition("/")[2]
    forged = [token[:-2] + "xx", "x" * 40, token.replace(":", "", 1), "a:b:c"]
    gone = address
    pages = {client.post(f"/notifications/unsubscribe/{one}").content for one in forged}
    assert [client.get(f"/notifications/unsubscribe/{one}").status_code for one in forged] == [404] * 4
    User.objects.filter(pk=leo.pk).update(deleted_at=timezone.now())

    answer = client.post(gone)

    assert answer.status_code == 404
    assert not NotificationChoice.objects.exists()
    assert (
        len(
            {re.sub(rb'nonce="[^"]+"|/notifications/unsubscribe/[^"]*', b"", page) for page in [*pages, answer.content]}
        )
        == 1
    )


def test_the_undo_token_of_another_user_changes_nothing(client, leo, mia, address) -> None:
    User.objects.filter(pk=mia.pk).update(email_verified_at=timezone.now())
    mia.refresh_from_db()
    notify(mia)
    theirs = link_in(sent_emails()[-1])
    undo = re.search(r'name="undo" value="([^"]+)"', client.post(theirs).content.decode())
    assert undo

    client.post(address)
    client.post(address, {"undo": undo[1]})

    assert queries.choices_of(leo)["test.tide"] == (True, "off")
    assert queries.choices_of(mia)["test.tide"] == (True, "off")
