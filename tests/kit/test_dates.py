"""Moments on pages, by the reader's calendar and clock."""

import datetime as dt

import pytest
from django.template import engines
from django.test import RequestFactory
from django.utils import timezone

from apps.accounts.models import User
from studyplatform.kit.web.dates import reader_zone, show_date

MOMENT = dt.datetime(2026, 3, 31, 23, 30, tzinfo=dt.UTC)
PAGE = "{{ at | date('j F Y, H:i') }}|{{ at.date() | date }}|{{ at | site_date('j F Y, H:i') }}|{{ reader_zone() }}"


@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        ("Pacific/Kiritimati", "1 April 2026, 13:30"),
        ("Pacific/Pago_Pago", "31 March 2026, 12:30"),
        ("Nowhere/Atlantis", "31 March 2026, 23:30"),
        ("", "31 March 2026, 23:30"),
    ],
)
def test_a_moment_has_the_day_of_its_reader(zone, shown):
    request = RequestFactory().get("/")
    request.user = User(time_zone=zone)
    page = engines["jinja"].from_string(PAGE).render({"at": MOMENT}, request)

    moment, day, site, name = page.split("|")
    assert (moment, day, name) == (shown, "31 March 2026", zone or "UTC")
    assert site == f"{timezone.localtime(MOMENT):%-d %B %Y, %H:%M}"


def test_outside_of_pages_it_is_utc():
    assert reader_zone() == "UTC"
    assert show_date(MOMENT, "j F, H:i") == "31 March, 23:30"
