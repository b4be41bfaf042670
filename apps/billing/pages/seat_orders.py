"""Ordering seats for a team: /premium/teams, more of them, another year, and money back for those nobody used.

The pages work without scripts: "Update" computes the price again. With scripts, the parts that change are fetched from
the same address (assets/site/liveForm.ts).
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.timezone import localtime
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from apps.accounts.guards import open_to_everyone, signed_in, signed_in_user
from apps.accounts.models import User
from apps.billing.browser import country_evidence, guessed_country
from apps.billing.models import BuyerDetails, Order, SeatPack
from apps.billing.queries import seat_packs
from apps.billing.queries.seat_courses import course_for_seats, courses_with_seats, offer_of_seats
from apps.billing.queries.seat_terms import seat_terms
from apps.billing.seat_form import COURSE, PREMIUM, SeatOrderForm, new_request_key
from apps.billing.seat_prices import INVOICE_DAYS, MAX_SEATS_OF_TEAM, SEAT_DISCOUNTS
from apps.billing.services import buyers, seat_orders
from apps.billing.services.seat_orders import SeatQuote, WantedSeats
from apps.courses.models import Course
from studyplatform.kit.errors import AppError
from studyplatform.kit.text.money import money

SEATS_AT_FIRST = 5


@dataclass(frozen=True)
class Purpose:
    """Which seats a page orders. ``mode``: "first", "add" or "renew"; ``pack``: the one they belong to, or none."""

    mode: str
    pack: SeatPack | None = None
    seats: int = SEATS_AT_FIRST

    def wanted(self, count: int, course: Course | None) -> WantedSeats:
        """What the user wants."""
        pack = self.pack
        if pack is None:
            return WantedSeats(count=count, course=course)
        if self.mode == "renew":
            return WantedSeats(count=count, renews=pack)
        if pack.course is not None:
            return WantedSeats(count=count, course=pack.course, more_of=pack.team)
        return WantedSeats(count=count, extends=pack.extends or pack)


@open_to_everyone
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def order(request: HttpRequest) -> HttpResponse:
    """The first seats of a team. Visitors see what they cost, and sign in to order them."""
    return _page(request, Purpose("first"))


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def add(request: HttpRequest, uid: UUID, pack: UUID) -> HttpResponse:
    """More seats of a team, at the price of the days that are left."""
    found = seat_packs.pack_for(signed_in_user(request), uid, pack)
    return _page(request, Purpose("add", found, seats=1))


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def renew(request: HttpRequest, uid: UUID, pack: UUID) -> HttpResponse:
    """Another year of Premium for a team."""
    found = seat_packs.pack_for(signed_in_user(request), uid, pack)
    found = found.extends or found
    if found.course_id is not None or not seat_packs.can_be_renewed(found):
        return redirect(f"/billing/teams/{found.team.uid}")
    return _page(request, Purpose("renew", found, seats=seat_packs.seats_of_year(found)))


def _page(request: HttpRequest, purpose: Purpose) -> HttpResponse:
    user = request.user if isinstance(request.user, User) else None
    data = request.POST if request.method == "POST" else None
    is_order = data is not None and data.get("action") == "order"
    form = SeatOrderForm(data, initial=_initial(request, user, purpose), is_fixed=purpose.pack is not None)
    refusal: AppError | None = None
    if is_order and user is None:
        return redirect(f"/auth/login?{urlencode({'next': _address_of(form)})}")
    if is_order and user is not None and form.is_valid():
        try:
            made = _send(request, user, purpose, form)
        except AppError as refused:
            refusal = refused
        else:
            return _leave(request, made)
    shown = form if is_order else SeatOrderForm(initial=_typed(form, data), is_fixed=purpose.pack is not None)
    status = (refusal.status if refusal else 422) if is_order else 200
    return render(request, "billing/seats/order.html", _context(shown, form, purpose, user, refusal), status=status)


def _initial(request: HttpRequest, user: User | None, purpose: Purpose) -> dict[str, Any]:
    """What the form begins with: what the address names, and the company for which the user bought before."""
    slug = request.GET.get("course", "")[:80]
    saved = BuyerDetails.objects.filter(user=user, is_company=True).first() if user else None
    known = saved.as_snapshot() if saved else {"country": guessed_country(request)}
    return {
        "what": COURSE if slug else PREMIUM,
        "course": slug,
        "seats": request.GET.get("seats", "")[:3] or purpose.seats,
        "method": Order.Method.CARD,
        "email": user.email if user else "",
        **known,
    }


def _typed(form: SeatOrderForm, data: Any) -> dict[str, Any]:
    """What was typed, without complaints, while the user is still choosing."""
    if data is None:
        return dict(form.initial)
    return {**form.initial, **{name: data.get(name, "") for name in form.fields if name not in {"agrees", "key"}}} | {
        "agrees": "agrees" in data,
        "seats": _count_of(form) or data.get("seats", ""),
        "key": data.get("key", "")[:36],
    }


def _count_of(form: SeatOrderForm) -> int:
    typed = str(form["seats"].value() or "").strip()
    count = int(typed) if typed.isascii() and typed.isdigit() and len(typed) <= 4 else 0
    return {"more": count + 1, "fewer": max(count - 1, 1)}.get(str(form.data.get("action", "")), count)


def _course_of(form: SeatOrderForm, purpose: Purpose) -> Course | None:
    if purpose.pack is not None:
        return purpose.pack.course
    return course_for_seats(str(form["course"].value() or "")) if form["what"].value() == COURSE else None


def _quote(
    form: SeatOrderForm, purpose: Purpose, course: Course | None, user: User | None
) -> SeatQuote | AppError | None:
    """What the wanted seats cost; why they can't be ordered; or None while no course is chosen."""
    if purpose.pack is None and form["what"].value() == COURSE and course is None:
        return None
    country, vat_id, postal_code = (str(form[name].value() or "")[:60] for name in ("country", "vat_id", "postal_code"))
    if user is not None and not form["name"].value() and form["method"].value() != Order.Method.TRANSFER:
        postal_code = buyers.postal_code_of_person(user, country[:2])
    wanted = purpose.wanted(_count_of(form), course)
    try:
        return seat_orders.quote_seats(
            wanted=wanted, country=country[:2], vat_id=vat_id, postal_code=postal_code, now=timezone.now()
        )
    except AppError as refused:
        return refused


def _send(request: HttpRequest, user: User, purpose: Purpose, form: SeatOrderForm) -> Order:
    now, given = timezone.now(), form.cleaned_data
    details = given if given["is_company"] else None
    return seat_orders.order_seats(
        user=user,
        wanted=purpose.wanted(given["seats"], _course_of(form, purpose)),
        method=Order.Method(given["method"]),
        buyer=buyers.buyer_for(user=user, details=details, now=now),
        country=given["country"],
        email=given["email"],
        expected_total=given["total"],
        expected_currency=given["currency"],
        agrees=given["agrees"],
        request_key=given["key"],
        evidence=country_evidence(request),
        now=now,
    )


def _leave(request: HttpRequest, made: Order) -> HttpResponse:
    """After an order: to its payment, or to the team, whose seats are open."""
    if made.method == Order.Method.CARD:
        return redirect("billing:order-pay", uid=made.uid)
    pack = made.seat_pack
    text = ngettext("%(num)d seat is open. The invoice is on its way to %(email)s.",
                    "%(num)d seats are open. The invoice is on its way to %(email)s.", pack.seats)  # fmt: skip
    messages.success(request, text % {"num": pack.seats, "email": made.email})
    return redirect(f"/billing/teams/{pack.team.uid}")


def _address_of(form: SeatOrderForm) -> str:
    """The page with what a visitor has chosen, to which signing in leads back."""
    chosen = {"course": form["course"].value()} if form["what"].value() == COURSE else {}
    return f"/premium/teams?{urlencode({**chosen, 'seats': _count_of(form)})}"


def _context(
    shown: SeatOrderForm, form: SeatOrderForm, purpose: Purpose, user: User | None, refusal: AppError | None
) -> dict[str, Any]:
    course = _course_of(form, purpose)
    found = _quote(form, purpose, course, user)
    search = str(form["q"].value() or "")
    terms = seat_terms()
    return {
        "form": shown,
        "mode": purpose.mode,
        "pack": purpose.pack,
        "course": course,
        "courses": courses_with_seats(search) if purpose.pack is None else [],
        "offer": offer_of_seats() if purpose.pack is None else None,
        "quote": found if isinstance(found, SeatQuote) else None,
        "refusal": refusal,
        "hindrance": found if isinstance(found, AppError) else None,
        "texts": _texts(found) if isinstance(found, SeatQuote) else {},
        "is_invoice": terms["offers_invoice"] and form["method"].value() == Order.Method.TRANSFER,
        "due_at": localtime() + timedelta(days=INVOICE_DAYS),
        "discounts": SEAT_DISCOUNTS,
        "terms": terms,
        "most": MAX_SEATS_OF_TEAM,
        "key": shown["key"].value() or new_request_key(),
        "is_visitor": user is None,
        "saved": None,
    }


def _texts(found: SeatQuote) -> dict[str, str]:
    """The amounts as they are shown."""
    price = found.price
    names = ("list_price", "discount", "total", "tax")
    texts = {name: money(getattr(price, name), price.currency, cents=True) for name in names}
    texts["unit"] = money(found.seats.unit, price.currency, cents=True)
    if found.ends_at is not None and not found.days:
        months = found.seats.seats * 12
        texts["a_month"] = money((2 * price.total + months) // (2 * months), price.currency, cents=True)
    return texts
