"""The function by which every app notifies users."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core import mail
from django.db import transaction
from django.test import Client
from django.utils import timezone

from apps.accounts import kinds, services
from apps.accounts.kinds import Kind, Mail
from apps.accounts.models import Notification, NotificationChoice, Role, User
from apps.accounts.services.notifications import KEPT, delete_old_notifications
from studyplatform.kit import jobs
from studyplatform.kit.models import Job
from tests.factories.accounts import PASSWORD, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def kind(monkeypatch):
    """Register a kind that notifies users on the site and by email."""
    made = Kind(
        name="test.tide", group="learning", title="Tides", headline="Tide at %(place)s", text="It is %(level)d."
    )
    monkeypatch.setitem(kinds.KINDS, made.name, made)
    return made


@pytest.fixture
def leo(leo: User) -> User:
    leo.email_verified_at = timezone.now()
    leo.save()
    return leo


def notify(user: User, key: str = "", **changed) -> None:
    services.notify("test.tide", user, "/courses/", key, **({"place": "Brest", "level": 4} | changed))


def test_notify_reaches_the_user_on_the_site_and_by_email(kind, leo) -> None:
    notify(leo)
    jobs.run_pending("default")

    row = Notification.objects.get()
    assert (row.user, row.kind, row.link, row.in_app, row.read_at) == (leo, "test.tide", "/courses/", True, None)
    assert [(sent.to, sent.subject) for sent in mail.outbox] == [([leo.email], "Tide at Brest")]
    assert "It is 4." in str(mail.outbox[0].body)
    assert "http://127.0.0.1:8000/courses/" in str(mail.outbox[0].body)


def test_an_older_event_sends_no_email(kind, leo) -> None:
    """An older event is imported, such as the enrollments of the demo."""
    then = timezone.now() - timedelta(days=30)
    notify(leo, now=then)
    jobs.run_pending("default")

    assert [row.created_at for row in Notification.objects.all()] == [then]
    assert mail.outbox == []


@pytest.mark.database
def test_the_same_key_notifies_once(kind, leo, mia) -> None:
    notify(leo, "tide-7")
    notify(leo, "tide-7")
    notify(mia, "tide-7")
    notify(leo, "tide-8")
    jobs.run_pending("default")

    assert [row.user_id for row in Notification.objects.order_by("pk")] == [leo.pk, mia.pk, leo.pk]
    assert len(mail.outbox) == 3


def test_a_key_is_deleted_with_its_notification(kind, leo) -> None:
    notify(leo, "tide-7")
    Notification.objects.update(created_at=timezone.now() - KEPT - timedelta(days=1))
    delete_old_notifications(now=timezone.now())

    notify(leo, "tide-7")

    assert Notification.objects.count() == 1


def test_a_key_is_not_stored_if_the_user_turned_the_kind_off(kind, leo) -> None:
    services.save_notification_choices(user=leo, choices={"test.tide": (False, "off")})
    notify(leo, "tide-7")
    assert not Notification.objects.exists()
    services.save_notification_choices(user=leo, choices={"test.tide": (True, "off")})

    notify(leo, "tide-7")

    assert Notification.objects.count() == 1


def test_each_call_without_a_key_notifies_the_user(kind, leo) -> None:
    notify(leo)
    notify(leo)

    assert Notification.objects.count() == 2


def test_a_rolled_back_transaction_notifies_no_user(kind, leo) -> None:
    def fail():
        with transaction.atomic():
            notify(leo)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()

    assert not Notification.objects.exists()
    assert not Job.objects.filter(kind="accounts.mail_notification").exists()


def test_a_repeated_key_leaves_the_transaction_usable(kind, leo) -> None:
    notify(leo, "once")
    with transaction.atomic():
        notify(leo, "once")
        leo.headline = "still here"
        leo.save()

    leo.refresh_from_db()
    assert leo.headline == "still here"


@pytest.mark.parametrize(
    ("in_app", "way", "rows", "mails"),
    [(True, Mail.NOW, 1, 1), (True, Mail.OFF, 1, 0), (False, Mail.NOW, 1, 1), (False, Mail.OFF, 0, 0)],
)
def test_a_notification_follows_the_users_choice(kind, leo, in_app, way, rows, mails) -> None:
    NotificationChoice.objects.create(user=leo, kind="test.tide", in_app=in_app, mail=way)

    notify(leo)
    jobs.run_pending("default")

    assert Notification.objects.count() == rows
    assert Notification.objects.shown().count() == (1 if in_app else 0)
    assert len(mail.outbox) == mails


def test_security_notifications_cannot_be_switched_off(leo) -> None:
    NotificationChoice.objects.create(user=leo, kind="account.password_changed", in_app=False, mail=Mail.OFF)

    services.notify("account.password_changed", leo, "/settings/")
    jobs.run_pending("default")

    assert Notification.objects.shown().count() == 1
    assert len(mail.outbox) == 1
    assert "If this wasn't you" in str(mail.outbox[0].body)


def test_other_emails_go_to_verified_addresses_only(kind, mia) -> None:
    """A user who registers with someone else's email must not be able to make us write to it."""
    User.objects.filter(pk=mia.pk).update(email_verified_at=None)
    mia.refresh_from_db()
    notify(mia)
    jobs.run_pending("default")

    assert Notification.objects.shown().count() == 1
    assert mail.outbox == []


def test_an_email_can_be_sent_to_a_former_address(leo) -> None:
    services.notify("account.email_changed", leo, "/settings/", to="old@example.com", email="new@example.com")
    jobs.run_pending("default")

    assert [sent.to for sent in mail.outbox] == [["old@example.com"]]


@pytest.mark.parametrize("change", [{"is_active": False}, {"deleted_at": datetime(2026, 1, 1, tzinfo=UTC)}])
def test_blocked_and_deleted_users_get_no_email(kind, leo, change) -> None:
    notify(leo)
    User.objects.filter(pk=leo.pk).update(**change)
    jobs.run_pending("default")

    assert mail.outbox == []


def test_keys_fit_their_column(kind, leo) -> None:
    with pytest.raises(ValueError, match="longer than 64"):
        services.notify("test.tide", leo, "/courses/", "k" * 65, place="Brest", level=1)


@pytest.mark.parametrize(
    "link",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        "courses/",
        "",
        "/a" * 200,
        "/\r\nX: y",
    ],
)
def test_links_must_stay_on_this_site(kind, leo, link) -> None:
    with pytest.raises(ValueError, match="does not lead"):
        services.notify("test.tide", leo, link, place="Brest", level=1)

    assert not Notification.objects.exists()


def test_an_unknown_kind_or_missing_parameter_raises_an_error(kind, leo) -> None:
    with pytest.raises(KeyError):
        services.notify("test.tide", leo, "/courses/", place="Brest")
    with pytest.raises(KeyError):
        services.notify("test.unknown", leo, "/courses/")


def test_a_kind_can_be_registered_only_once(kind) -> None:
    with pytest.raises(ValueError, match="registered already"):
        services.register_kind(kind)


def test_notifying_many_users_takes_a_fixed_number_of_queries_besides_emails(
    kind, django_assert_max_num_queries
) -> None:
    people = [UserFactory() for _ in range(40)]
    choices = [NotificationChoice(user=user, kind="test.tide", mail=Mail.OFF) for user in people]
    NotificationChoice.objects.bulk_create(choices)

    with django_assert_max_num_queries(7):
        services.notify_all("test.tide", people, "/courses/", "low", place="Brest", level=1)
    services.notify_all("test.tide", [*people, UserFactory()], "/courses/", "low", place="Brest", level=1)

    assert Notification.objects.count() == 41


# --- Notifications of accounts -------------------------------------------------------------------------------


def notified_kinds(user: User) -> list[str]:
    return list(Notification.objects.of(user).order_by("pk").values_list("kind", flat=True))


def test_a_new_user_gets_a_welcome_notification(django_capture_on_commit_callbacks) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        wish = services.NewAccount(email="amara@example.org", first_name="Amara", last_name="L")
        user = services.create_account(wish, now=timezone.now())

    assert notified_kinds(user) == ["account.welcome"]


def test_a_new_role_notifies_the_user(leo, django_capture_on_commit_callbacks) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        services.change_role(user=leo, role=Role.INSTRUCTOR)

    assert notified_kinds(leo) == ["account.role_changed"]
    assert Notification.objects.get().params == {"role": "Instructor"}


def test_a_new_password_notifies_the_user(leo, browser_of) -> None:
    new = {"current": PASSWORD, "password": "BrightLake27", "confirmation": "BrightLake27"}
    browser_of(leo).post("/settings/password", new)

    assert "account.password_changed" in notified_kinds(leo)


def sign_in(browser: Client, user: User) -> None:
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    answer = browser.post(
        "/auth/login", {"email": user.email, "password": PASSWORD, "remember": "on"}, headers={"user-agent": agent}
    )
    assert answer.status_code == 302


def test_only_a_sign_in_in_a_new_browser_notifies_the_user(leo) -> None:
    laptop, phone = Client(), Client()

    sign_in(laptop, leo)  # the user's first sign-in
    sign_in(laptop, leo)
    assert notified_kinds(leo) == []
    sign_in(phone, leo)
    sign_in(phone, leo)

    row = Notification.objects.get()
    assert (row.kind, row.params["device"]) == ("account.new_device", "Firefox on Linux")


@pytest.mark.parametrize("kind", ["passkey_added", "linked", "two_factor_on", "app_replaced"])
def test_a_notification_says_what_a_new_password_does_not_remove(kind: str) -> None:
    _, text, _ = kinds.KINDS[f"account.{kind}"].words({"name": "Laptop", "provider": "Field School"})

    assert "a new password doesn't remove it" in text
    assert "a new password doesn't remove it" not in kinds.KINDS["account.password_changed"].words({})[1]


def test_a_headline_with_line_breaks_in_its_names_is_one_line() -> None:
    nasty = "Tide\r\nBcc: eve@example.com\x0b\x0c\x85X-Evil: 1\u2028\u2029"

    headline, _, _ = kinds.KINDS["account.passkey_added"].words({"name": nasty})

    assert headline == "A passkey was added: Tide Bcc: eve@example.com X-Evil: 1"


def test_a_user_agent_cannot_inject_email_headers(leo) -> None:
    services.notify_new_device(
        user=leo,
        session="s",  # type: ignore[arg-type]
        user_agent="Firefox/1\r\nBcc: eve@example.com",
        address="127.0.0.1",
        now=timezone.now() + timedelta(seconds=1),
    )
    jobs.run_pending("default")

    assert "Bcc" not in str(mail.outbox[0].message())
