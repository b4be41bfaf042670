"""Orders of a user that wait for their bank transfer, wherever the user could buy the same again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, F, OuterRef, QuerySet, Subquery, Sum

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.billing.access import access_to
from apps.billing.models import Deposit, Order, OrderLine
from apps.courses.models import Course

MAX_SHOWN = 50


@dataclass(frozen=True)
class OpenTransfer:
    """An order that waits for its transfer. ``missing``: what hasn't arrived of it, in minor units."""

    order: Order
    missing: int
    is_overdue: bool


def open_transfers_of(user: AnyUser, *, now: datetime) -> list[OpenTransfer]:
    """Return the user's orders that wait for a bank transfer, the latest first. One query."""
    return _read(_waiting(user).order_by("-created_at", "-pk"), now=now) if isinstance(user, User) else []


def open_transfer_for(user: AnyUser, courses: Collection[Course], *, now: datetime) -> OpenTransfer | None:
    """Return the user's latest order by bank transfer that opens one of these courses to them. One query."""
    if not isinstance(user, User) or not courses:
        return None
    lines = OrderLine.objects.filter(order=OuterRef("pk"), course__in=[each.pk for each in courses])
    orders = _waiting(user).filter(Exists(lines), is_gift=False, is_for_team=False)
    return next(iter(_read(orders.order_by("-created_at", "-pk"), now=now)), None)


def _waiting(user: User) -> QuerySet[Order]:
    return Order.objects.filter(user_id=user.pk, status=Order.Status.OPEN, method=Order.Method.TRANSFER)


def _read(orders: QuerySet[Order], *, now: datetime) -> list[OpenTransfer]:
    arrived = Deposit.objects.filter(order=OuterRef("pk"), returned_on=None).order_by().values("order")
    held = Subquery(arrived.annotate(waiting=Sum(F("amount") - F("applied"))).values("waiting"))
    found = orders.annotate(held=held)[:MAX_SHOWN]
    return [
        OpenTransfer(
            order=order,
            missing=order.total - int(getattr(order, "held", None) or 0),
            is_overdue=order.due_at is not None and order.due_at < now,
        )
        for order in found
    ]


@dataclass(frozen=True)
class Reconsidered:
    """Courses of an order that waits, of which the buyer should think again. ``open``: they have them already;
    ``withdrawn``: nobody can see them at the moment."""

    open: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()


def reconsider(order: Order) -> Reconsidered:
    """Return what has happened to the courses of an order since it was placed. One query, and two for each course.

    Nothing of gifts, of seats, and of orders that are settled.
    """
    if order.status not in Order.LIVE or order.is_gift or order.is_for_team:
        return Reconsidered()
    courses = [line.course for line in order.lines.select_related("course")]
    public = {Course.Status.PUBLISHED, Course.Status.ARCHIVED}
    accesses = {course.pk: access_to(order.user, course) for course in courses}
    return Reconsidered(
        open=tuple(each.title for each in courses if (found := accesses[each.pk]) and found.lasts),
        withdrawn=tuple(each.title for each in courses if each.status not in public),
    )
