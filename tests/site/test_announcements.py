"""What the operator announces: on top of every page, for everyone, from one moment to another."""

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
def _announced(settings: Any) -> None:
    settings.ANNOUNCEMENTS = True


def announce(text: str = WORDS, *, begins: int = -1, ends: int = 1) -> Announcement:
    """From and until so many hours from now."""
    now = timezone.now()
    return Announcement.objects.create(
        text=text, shown_from=now + timedelta(hours=begins), shown_until=now + timedelta(hours=ends)
    )


def bands(browser: Client, address: str = "/help/") -> list[str]:
    page = browser.get(address).content.decode()
    return re.findall(r'<aside class="announce".*?<p>(.*?)</p>', page, re.DOTALL)


@pytest.mark.parametrize("address", ["/", "/courses/", "/help/", "/auth/login", "/nowhere"])
def test_everyone_reads_it_on_every_page(address: str, client: Client, leo, browser_of) -> None:
    announce()

    assert bands(client, address) == [WORDS]
    assert bands(browser_of(leo), address.replace("/auth/login", "/settings/")) == [WORDS]


def test_in_the_dashboard_too(ada, sam, browser_of) -> None:
    announce()

    assert bands(browser_of(ada), "/dashboard/instructor/") == [WORDS]
    assert bands(browser_of(sam), "/dashboard/nothing") == [WORDS]


def test_it_comes_and_goes_by_itself_also_on_pages_kept_for_visitors(client: Client) -> None:
    announce(begins=1, ends=2)
    shown = []
    for minutes in (0, 61, 121):
        with time_machine.travel(timezone.now() + timedelta(minutes=minutes), tick=False):
            shown.append(bands(client))
            assert bands(client) == shown[-1]

    assert shown == [[], [WORDS], []]


def test_a_change_replaces_the_cached_page_at_once(client: Client) -> None:
    assert bands(client) == []
    one = announce()
    assert bands(client) == [WORDS]
    one.text = "Postponed."
    one.save()
    assert bands(client) == ["Postponed."]
    one.delete()
    assert bands(client) == []


def test_the_cached_page_shows_the_announcement_to_the_next_visitor(client: Client, django_assert_num_queries) -> None:
    announce()
    bands(client)
    with django_assert_num_queries(0):
        assert bands(client) == [WORDS]
    assert len(page_cache._pages) == 1


def test_signed_in_pages_pay_no_query_for_it(leo, browser_of, django_assert_num_queries) -> None:
    announce()
    browser = browser_of(leo)
    browser.get("/terms")

    with django_assert_num_queries(1):  # session and person
        assert bands(browser, "/terms") == [WORDS]


def test_its_words_are_words(client: Client) -> None:
    announce("<script>alert(1)</script>")

    assert bands(client) == ["&lt;script&gt;alert(1)&lt;/script&gt;"]


def test_an_admin_writes_it_and_the_end_comes_after_the_beginning(sam, leo, browser_of, client: Client) -> None:
    now = timezone.now()
    day, tomorrow, hour = f"{now:%Y-%m-%d}", f"{now + timedelta(days=1):%Y-%m-%d}", "00:00:00"
    form = {"text": WORDS, "shown_from_0": day, "shown_from_1": hour, "shown_until_1": hour}
    address = "/admin/kit/announcement/add/"

    assert browser_of(leo).post(address, form | {"shown_until_0": tomorrow}).status_code == 302
    refused = browser_of(sam).post(address, form | {"shown_until_0": day}).content.decode()
    assert "must end after it begins" in refused
    assert not Announcement.objects.exists()
    browser_of(sam).post(address, form | {"shown_until_0": tomorrow})
    assert bands(client) == [WORDS]

    with pytest.raises(IntegrityError):
        announce(begins=2, ends=1)


def test_the_footer_promises_what_happens(client: Client) -> None:
    assert "announced on every page beforehand" in client.get("/help/").content.decode()
