"""Rate limits: counted in the database, so that all processes share them."""

import hashlib
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import wraps
from typing import ParamSpec, TypeVar, cast

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from studyplatform.kit.errors import RateLimitExceeded
from studyplatform.kit.models import Tally
from studyplatform.kit.web.client_address import client_address, neighborhood

P = ParamSpec("P")
R = TypeVar("R")


def consume(what: str, who: str, *, now: datetime, limit: tuple[int, int] | None = None, amount: int = 1) -> None:
    """Count ``amount`` more ``what`` of ``who``. ``limit`` is (how many are allowed, per how many s), by default
    ``settings.RATE_LIMITS[what]``.

    A refused request is not counted, so a client that waits as long as the error says is let in.

    :raises RateLimitExceeded: the limit is reached; ``wait`` is the seconds until the period ends.
    """
    most, seconds = limit or settings.RATE_LIMITS[what]
    key = _key(what, who)
    ends_at = now + timedelta(seconds=seconds)
    with transaction.atomic():
        # In one step, because the row might be deleted between two.
        first = {"ends_at": ends_at, "count": amount if amount <= most else 0}
        row, is_new = Tally.objects.select_for_update().get_or_create(key=key, defaults=first)
        if is_new and amount <= most:
            return
        if row.ends_at <= now:
            row.count, row.ends_at = 0, ends_at
        if row.count + amount <= most:
            row.count += amount
            row.save()
            return
    raise RateLimitExceeded(wait=max(1, -(-(row.ends_at - now) // timedelta(seconds=1))))


def used(what: str, who: str, *, now: datetime) -> int:
    """Return how many were counted in the present period."""
    return Tally.objects.filter(key=_key(what, who), ends_at__gt=now).values_list("count", flat=True).first() or 0


def _key(what: str, who: str) -> str:
    return hashlib.sha256(f"{what}|{who}".encode()).hexdigest()


def consume_for_address(request: HttpRequest, what: str, *, now: datetime) -> None:
    """Count by the client's address, see :func:`consume`. A request without a known address is not counted.

    :raises RateLimitExceeded: the limit is reached.
    """
    address = client_address(request)
    if address:
        consume(what, neighborhood(address), now=now)


def limits_address(what: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Limit how many requests of a client's address reach a page, see :func:`consume`. Stands below what refuses
    methods.
    """

    def decorate(page: Callable[P, R]) -> Callable[P, R]:
        @wraps(page)
        def counted(*args: P.args, **kwargs: P.kwargs) -> R:
            consume_for_address(cast(HttpRequest, args[0]), what, now=timezone.now())
            return page(*args, **kwargs)

        return counted

    return decorate


def delete_expired_counts(*, now: datetime) -> None:
    """Delete the counts whose period is over."""
    Tally.objects.filter(ends_at__lte=now).delete()
