"""Announcements of the operator appear at the top of every page during a set period."""

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import IntegrityError
from django.test import Client
from django.utils import timezone

from studyplatform.kit.caching import page_cache
from studyplatform.kit.models import Announcement

pytestmark = [pytest.mark.database, pytest.mark.django_db]
WORDS = "Scheduled maintenance on Saturday, 2 to 4 AM EST."


@pytest.fixture(autouse=True)
def _announcements_enabled(settings: Any) -> None:
    settings.ANNOUNCEMENTS = True


def announce(text: str = WORDS, *, begins: int = -1, ends: int = 1) -> Announcement:
    """Create an announcement. ``begins`` and ``ends`` are hours from now."""
    now = timezone.now()
    return Announcement.objects.create(
        text=text, shown_from=now + timedelta(hours=begins), shown_until=now + timedelta(hours=ends)
    )


def announcements_on(browser: Client, address: str = "/help/") -> list[str]:
    page = browser.get(address).content.decode()
    return re.findall(r'<aside class="announce".*?<p>(.*?)</p>', page, re.DOTALL)


@pytest.mark.parametrize("address", ["/", "/courses/", "/help/", "/auth/login", "/nowhere"])
def test_an_announcement_appears_on_every_page(address: str, client: Client, leo, browser_of) -> None:
    announce()

    assert announcements_on(client, address) == [WORDS]
    assert announcements_on(browser_of(leo), address.replace("/auth/login", "/settings/")) == [WORDS]


def test_an_announcement_appears_in_the_dashboards(ada, sam, browser_of) -> None:
    announce()

    assert announcements_on(browser_of(ada), "/dashboard/instructor/") == [WORDS]
    assert announcements_on(browser_of(sam), "/dashboard/nothing") == [WORDS]


def test_an_announcement_starts_and_ends_on_time_on_cached_pages(client: Client) -> None:
    announce(begins=1, ends=2)
    shown = []
    for minutes in (0, 61, 121):
        with time_machine.travel(timezone.now() + timedelta(minutes=minutes), tick=False):
            shown.append(announcements_on(client))
            assert announcements_on(client) == shown[-1]

    assert shown == [[], [WORDS], []]


def test_a_changed_announcement_replaces_the_cached_page_immediately(client: Client) -> None:
    assert announcements_on(client) == []
    one = announce()
    assert announcements_on(client) == [WORDS]
    one.text = "Postponed."
    one.save()
    assert announcements_on(client) == ["Postponed."]
    one.delete()
    assert announcements_on(client) == []


def test_the_cached_page_shows_the_announcement_to_the_next_visitor(client: Client, django_assert_num_queries) -> None:
    announce()
    announcements_on(client)
    with django_assert_num_queries(0):
        assert announcements_on(client) == [WORDS]
    assert len(page_cache._pages) == 1


def test_an_announcement_adds_no_query_to_pages_of_signed_in_users(leo, browser_of, django_assert_num_queries) -> None:
    announce()
    browser = browser_of(leo)
    browser.get("/terms")

    with django_assert_num_queries(1):  # session and user
        assert announcements_on(browser, "/terms") == [WORDS]


def test_html_in_an_announcement_is_escaped(client: Client) -> None:
    announce("<script>alert(1)</script>")

    assert announcements_on(client) == ["&lt;script&gt;alert(1)&lt;/script&gt;"]


def test_only_an_admin_can_create_an_announcement_and_it_must_end_after_it_begins(
    sam, leo, browser_of, client: Client
) -> None:
    now = timezone.now()
    day, tomorrow, hour = f"{now:%Y-%m-%d}", f"{now + timedelta(days=1):%Y-%m-%d}", "00:00:00"
    form = {"text": WORDS, "shown_from_0": day, "shown_from_1": hour, "shown_until_1": hour}
    address = "/admin/kit/announcement/add/"

    assert browser_of(leo).post(address, form | {"shown_until_0": tomorrow}).status_code == 302
    refused = browser_of(sam).post(address, form | {"shown_until_0": day}).content.decode()
    assert "must end after it begins" in refused
    assert not Announcement.objects.exists()
    browser_of(sam).post(address, form | {"shown_until_0": tomorrow})
    assert announcements_on(client) == [WORDS]

    with pytest.raises(IntegrityError):
        announce(begins=2, ends=1)


def test_the_help_describes_the_announcements(client: Client) -> None:
    assert "announced on every page beforehand" in client.get("/help/").content.decode()
