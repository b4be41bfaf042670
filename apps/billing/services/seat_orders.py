"""Order seats for a team: the first ones, more of them, or those of another year (docs/adr/0055).

An order that is paid by card opens its seats once it is paid. One with an invoice opens them at once, and pauses them
two weeks after the invoice was due.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.timezone import localdate
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.billing import seat_policies
from apps.billing.bank_account import offers_transfer
from apps.billing.errors import PriceChanged, SeatsRefused, TermsNotAccepted, TransferNotOffered
from apps.billing.models import MAX_TEAM_NAME_LENGTH, Order, OrderLine, Seat, SeatPack, Team
from apps.billing.plans import Plan, offer_of
from apps.billing.prices import Quote, quote
from apps.billing.queries.seat_packs import is_year_live
from apps.billing.seat_prices import INVOICE_DAYS, MAX_SEATS_OF_TEAM, SeatPrice, days_of, price_of_seats, year_after
from apps.billing.services import checkout, seats
from apps.billing.services.seat_order_limits import refuse_more_credit, refuse_renewal
from apps.billing.services.transfer_orders import place_transfer_order
from apps.billing.tax import check_country, decide_tax, postal_code_in
from apps.courses.models import Course
from studyplatform.kit import jobs
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.rate_limits import consume

_LIVE = (SeatPack.State.OPEN, SeatPack.State.PAUSED)
_MAX_TITLE_LENGTH = 160


@dataclass(frozen=True, kw_only=True)
class WantedSeats:
    """What a user wants to order: seats of Premium, or of a course.

    ``extends``: the pack with which they end, for more seats of a team; ``renews``: the pack that they follow; neither
    for the first ones. ``more_of``: the team that gets more seats of a course.
    """

    count: int
    course: Course | None = None
    extends: SeatPack | None = None
    renews: SeatPack | None = None
    more_of: Team | None = None

    @property
    def team(self) -> Team | None:
        """The team whose seats are added or renewed."""
        pack = self.extends or self.renews
        return pack.team if pack else self.more_of

    @property
    def title(self) -> str:
        """What the order is called, in the language of the page."""
        if self.course is None:
            return ngettext("%(num)d seat of Premium", "%(num)d seats of Premium", self.count) % {"num": self.count}
        number = ngettext("%(num)d seat: %(course)s", "%(num)d seats: %(course)s", self.count)
        return (number % {"num": self.count, "course": self.course.title})[:_MAX_TITLE_LENGTH]


@dataclass(frozen=True)
class SeatQuote:
    """What wanted seats cost a buyer. ``ends_at``: of Premium; None for a course."""

    wanted: WantedSeats
    seats: SeatPrice
    price: Quote
    unit_of_year: int
    days_left: int
    days: int
    starts_at: datetime
    ends_at: datetime | None


def quote_seats(*, wanted: WantedSeats, country: str, vat_id: str, postal_code: str = "", now: datetime) -> SeatQuote:
    """Return what the wanted seats cost a buyer in a country, with a VAT number or "". At most two queries.

    :raises SeatsRefused: there are too few or too many, or the year to which they are added is over.
    """
    before = _seats_before(wanted)
    if wanted.count < 1:
        raise SeatsRefused(reason=_("Order at least one seat."))
    if before + wanted.count > MAX_SEATS_OF_TEAM:
        limits = {"limit": MAX_SEATS_OF_TEAM, "email": settings.SUPPORT_EMAIL}
        raise SeatsRefused(reason=_("For more than %(limit)s seats, write to us: %(email)s.") % limits)
    unit, currency = _unit_of(wanted)
    starts_at, ends_at = _period_of(wanted, now)
    left, whole = 0, 0
    if wanted.extends is not None and wanted.extends.ends_at and wanted.extends.starts_at:
        base = wanted.extends
        left, whole = days_of(localdate(base.starts_at), localdate(base.ends_at), localdate(now))
        if not left or base.state not in _LIVE:
            raise SeatsRefused(reason=_("The year of these seats is over. Renew them first."))
    price = price_of_seats(unit=unit, seats=wanted.count, total_seats=before + wanted.count, days_left=left, days=whole)
    tax = decide_tax(country=country, vat_id=vat_id, postal_code=postal_code, on=localdate(now))
    priced = quote(list_price=price.list_price, discount=price.discount, currency=currency, tax=tax)
    return SeatQuote(wanted, price, priced, unit, left, whole, starts_at, ends_at)


def _seats_before(wanted: WantedSeats) -> int:
    """The seats that the team has already, with which the wanted ones count for the discount."""
    if wanted.renews is not None or wanted.team is None:
        return 0
    packs = SeatPack.objects.filter(team=wanted.team, state__in=_LIVE, course=wanted.course)
    if wanted.extends is not None:
        packs = packs.filter(ends_at=wanted.extends.ends_at)
    return Seat.objects.usable().filter(pack__in=packs).count()


def _unit_of(wanted: WantedSeats) -> tuple[int, str]:
    if wanted.course is not None:
        return wanted.course.price, wanted.course.currency
    offer = offer_of(Plan.YEARLY)
    return offer.price, offer.currency


def _period_of(wanted: WantedSeats, now: datetime) -> tuple[datetime, datetime | None]:
    """From when until when the seats would open courses, if they were ordered now: as `seats.open_pack` decides."""
    if wanted.course is not None:
        return now, None
    if wanted.extends is not None:
        return now, wanted.extends.ends_at
    former = wanted.renews
    start = max(now, former.ends_at) if former and former.ends_at and is_year_live(former) else now
    return start, year_after(start)


def order_seats(
    *,
    user: User,
    wanted: WantedSeats,
    method: Order.Method,
    buyer: Mapping[str, Any],
    country: str,
    email: str,
    expected_total: int,
    expected_currency: str,
    agrees: bool,
    request_key: UUID,
    evidence: Mapping[str, str] | None = None,
    now: datetime,
) -> Order:
    """Order seats. Sent twice with the same ``request_key``, it makes one order, which is returned again.

    ``expected_total``: what the user was shown. ``buyer``: a snapshot of `BuyerDetails`. An order by card waits for its
    payment (`checkout.pay_seats`); with an invoice, its seats are open.

    :raises CountryMissing: it decides about the tax in the price, and the user named none.
    :raises PriceChanged: the total is not what the user was shown.
    :raises SeatsRefused: they can't be ordered; it says why.
    :raises TransferNotOffered: the site has no bank account, so nobody could pay the invoice.
    """
    enforce(seat_policies.order_seats(user, wanted.team, wanted.course))
    if not agrees:
        raise TermsNotAccepted
    check_country(country)
    earlier = _ordered_by(request_key, user, wanted)
    if earlier is not None:
        return earlier
    is_invoice = method == Order.Method.TRANSFER
    if is_invoice and not offers_transfer():
        raise TransferNotOffered
    consume("checkout", str(user.pk), now=now)
    try:
        with transaction.atomic():
            User.objects.select_for_update(no_key=True).get(pk=user.pk)  # one order of a user at a time
            earlier = _ordered_by(request_key, user, wanted)  # the same form, sent twice at the same moment
            if earlier is not None:
                return earlier
            if is_invoice:
                refuse_more_credit(user, wanted.team, wanted.course, now=now)
            refuse_renewal(wanted.renews)
            found = quote_seats(
                wanted=wanted,
                country=country,
                vat_id=buyer.get("vat_id", ""),
                postal_code=postal_code_in(buyer, country),
                now=now,
            )
            if (found.price.total, found.price.currency) != (expected_total, expected_currency):
                raise PriceChanged
            if found.price.total == 0:
                raise SeatsRefused(reason=_("There is nothing to pay for these seats, so they can't be ordered."))
            order = _make_order(user, found, buyer, email, evidence, request_key, now=now)
            team = wanted.team or _team_for(user, buyer, now=now)
            SeatPack.objects.create(
                team=team,
                order=order,
                kind=SeatPack.Kind.COURSE if wanted.course else SeatPack.Kind.PREMIUM,
                course=wanted.course,
                seats=wanted.count,
                renews=wanted.renews,
                extends=wanted.extends,
                created_at=now,
            )
            if is_invoice:
                seats.open_pack(order, now=now)
                order = place_transfer_order(order=order, due_at=now + timedelta(days=INVOICE_DAYS), now=now)
            else:
                delay = checkout.FOLLOW_AFTER
                jobs.enqueue("billing.follow_order", key=str(order.pk), delay=delay, order_id=order.pk)
    except IntegrityError:
        made = _ordered_by(request_key, user, wanted)
        if made is None:
            raise
        return made
    return order


def _ordered_by(request_key: UUID, user: User, wanted: WantedSeats) -> Order | None:
    """The order that this form made before.

    :raises SeatsRefused: that order was another one, or was given up: a page from before it was opened again.
    """
    made = Order.objects.select_related("seat_pack").filter(request_key=request_key, user=user).first()
    if made is None:
        return None
    pack, course = made.seat_pack, wanted.course
    is_same = (pack.seats, pack.course_id) == (wanted.count, course.pk if course else None)
    if not is_same or made.status == Order.Status.CANCELED:
        raise SeatsRefused(reason=_("You have ordered from this page before. Reload it to order again."))
    return made


def _team_for(user: User, buyer: Mapping[str, Any], *, now: datetime) -> Team:
    """The user's team with the name of the buyer, or a new one."""
    name = str(buyer.get("name") or "") or _("Team of %(name)s") % {"name": user.display_name}
    name = name[:MAX_TEAM_NAME_LENGTH]
    known = Team.objects.of(user.pk).filter(name__iexact=name).first()
    return known or Team.objects.create(name=name, owner=user, created_at=now)


def _make_order(
    user: User,
    found: SeatQuote,
    buyer: Mapping[str, Any],
    email: str,
    evidence: Mapping[str, str] | None,
    request_key: UUID,
    *,
    now: datetime,
) -> Order:
    course, price = found.wanted.course, found.price
    order = Order.objects.create(
        user=user,
        course=course,
        is_for_team=True,
        request_key=request_key,
        title=found.wanted.title,
        list_price=price.list_price,
        discount=price.discount,
        total=price.total,
        tax=price.tax,
        tax_rate=price.tax_rate,
        tax_treatment=price.treatment,
        buyer=dict(buyer),
        evidence=dict(evidence or {}),
        currency=price.currency,
        country=price.country,
        email=email or user.email,
        created_at=now,
    )
    if course is not None:
        OrderLine.objects.create(
            order=order,
            position=0,
            course=course,
            title=found.wanted.title,
            instructor_id=course.instructor_id,
            share=settings.INSTRUCTOR_SHARE * 100,
            list_price=price.list_price,
            discount=price.discount,
            total=price.total,
            tax=price.tax,
        )
    return order
