"""Limits by address: exact, shared by all processes, and not to be talked out of by a header."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from threading import Barrier
from typing import Any

import pytest
from django.db import connection, connections
from django.test import RequestFactory

from studyplatform.kit.errors import RateLimitExceeded
from studyplatform.kit.models import Tally
from studyplatform.kit.web import rate_limits
from studyplatform.kit.web.client_address import client_address, neighborhood

pytestmark = pytest.mark.database

NOW = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _small(settings: object) -> None:
    settings.RATE_LIMITS = {"knock": (3, 60)}  # type: ignore[attr-defined]


def knock(who: str = "10.0.0.1", *, after: float = 0) -> int:
    """0, or the seconds one has to wait."""
    try:
        rate_limits.consume("knock", who, now=NOW + timedelta(seconds=after))
    except RateLimitExceeded as refused:
        return refused.wait
    return 0


@pytest.mark.django_db
def test_requests_above_the_limit_wait_for_the_end_of_the_period() -> None:
    assert [knock(after=second) for second in (0, 10, 20, 30.5, 59.5)] == [0, 0, 0, 30, 1]
    assert [knock(after=60), knock(after=61), knock(after=62), knock(after=63)] == [0, 0, 0, 57]


@pytest.mark.django_db
def test_each_client_has_its_own_count() -> None:
    for _ in range(4):
        knock()

    assert knock("10.0.0.2") == 0


@pytest.mark.django_db
def test_expired_counts_are_deleted() -> None:
    knock()
    knock("10.0.0.2", after=50)

    rate_limits.delete_expired_counts(now=NOW + timedelta(seconds=61))

    assert Tally.objects.count() == 1


@pytest.mark.django_db
def test_a_count_deleted_while_it_is_read_refuses_nobody() -> None:
    knock()

    def swept_at_once(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        answer = execute(sql, params, many, context)
        if sql.startswith("SELECT"):
            sweeping = connection.connection.cursor()
            sweeping.execute("DELETE FROM kit_tally")
        return answer

    with connection.execute_wrapper(swept_at_once):
        assert knock(after=61) == 0


@pytest.mark.django_db(transaction=True)
def test_of_many_simultaneous_requests_exactly_the_limit_is_let_in() -> None:
    gate = Barrier(12)

    def one() -> int:
        gate.wait()
        try:
            return knock()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(12) as pool:
        waits = [done.result() for done in [pool.submit(one) for _ in range(12)]]

    assert waits.count(0) == 3


@pytest.mark.parametrize(
    ("trusted", "remote", "forwarded", "client"),
    [
        ([], "203.0.113.7", "198.51.100.9", "203.0.113.7"),
        (["10.0.0.0/8"], "203.0.113.7", "198.51.100.9", "203.0.113.7"),
        (["10.0.0.0/8"], "10.0.0.1", "198.51.100.9", "198.51.100.9"),
        (["10.0.0.0/8"], "10.0.0.1", "1.2.3.4, 198.51.100.9, 10.0.0.2", "198.51.100.9"),
        (["10.0.0.0/8"], "10.0.0.1", "nonsense", "10.0.0.1"),
        (["10.0.0.0/8"], "10.0.0.1", "", "10.0.0.1"),
        (["10.0.0.0/8"], "::ffff:10.0.0.1", "2001:db8::1", "2001:db8::1"),
        (["10.0.0.0/8"], "", "198.51.100.9", ""),
        ([], "fe80::1%eth0", "", "fe80::1"),
    ],
)
def test_only_a_trusted_proxy_reports_the_client(
    settings: object, rf: RequestFactory, trusted: list[str], remote: str, forwarded: str, client: str
) -> None:
    settings.TRUSTED_PROXIES = [ip_network(one) for one in trusted]  # type: ignore[attr-defined]

    assert client_address(rf.get("/", REMOTE_ADDR=remote, HTTP_X_FORWARDED_FOR=forwarded)) == client


def test_an_ipv6_client_is_its_whole_network() -> None:
    assert neighborhood("2001:db8:1:2:3:4:5:6") == neighborhood("2001:db8:1:2::1") == "2001:db8:1:2::"
    assert neighborhood("203.0.113.7") == "203.0.113.7"


@pytest.mark.django_db
def test_an_unknown_address_is_not_counted(rf: RequestFactory) -> None:
    for _ in range(5):
        rate_limits.consume_for_address(rf.get("/", REMOTE_ADDR=""), "knock", now=NOW)
