"""Paying for seats by card, and money back for those that nobody has used."""

from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts.guards import signed_in, signed_in_user
from apps.billing import queries, seat_policies
from apps.billing.api.serializers import card_props
from apps.billing.browser import allows_provider, provider_props
from apps.billing.models import Order, Payment, SeatPack
from apps.billing.provider_amounts import to_provider
from apps.billing.queries import seat_packs
from apps.billing.seat_prices import GIVE_BACK_DAYS
from apps.billing.services import seat_returns
from studyplatform.kit.errors import AppError
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.money import money


@signed_in
@never_cache
@require_safe
@allows_provider
def pay(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Pay an order by card: seats that were just ordered, an invoice that isn't paid yet, or instead of a transfer."""
    user, now = signed_in_user(request), timezone.now()
    order = queries.order_of(user, uid)
    if order.status != Order.Status.OPEN or not (order.is_for_team or order.method == Order.Method.TRANSFER):
        return redirect(f"/payment-success?order={order.uid}")
    pack = SeatPack.objects.select_related("team").filter(order=order).first()
    is_on_page = pack is not None and pack.starts_at is not None and pack.team.owner_id == user.pk
    back = f"/billing/teams/{pack.team.uid}" if pack and is_on_page else "/premium/teams"
    if not order.is_for_team:
        back = reverse("billing:order", args=[order.uid])
    props = {
        "order": str(order.uid),
        "number": order.number,
        "total": money(order.total, order.currency, cents=True),
        "provider_total": to_provider(order.total, order.currency),
        "currency": order.currency,
        "email": order.email,
        "cards": [card_props(card) for card in queries.saved_cards(user, now=now)],
        "provider": provider_props(),
        "back": back,
    }
    page = "billing/seats/pay.html" if order.is_for_team else "billing/order_pay.html"
    held = sum(each.rest for each in order.deposits.all())
    shown = {"order": order, "pack": pack, "held": held, "is_on_page": is_on_page, "back": back, "props": props}
    return render(request, page, shown)


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def give_back(request: HttpRequest, uid: UUID, pack: UUID) -> HttpResponse:
    """Money back for seats that nobody has used: how many, and what they bring."""
    user, now = signed_in_user(request), timezone.now()
    found = seat_packs.pack_for(user, uid, pack)
    enforce(seat_policies.order_seats(user, found.team, None))
    payment = Payment.objects.filter(order=found.order_id).first()
    free = seat_packs.unused_seats(found, now=now) if payment and _is_soon(found, now) else []
    typed = request.POST.get("seats") or request.GET.get("seats") or str(len(free))
    count = int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 5 else 1
    count += {"more": 1, "fewer": -1}.get(request.POST.get("action", ""), 0)
    count = min(max(count, 1), max(len(free), 1))
    amount = seat_returns.worth_of(payment, found, count) if payment and free else 0
    refusal: AppError | None = None
    if request.method == "POST" and request.POST.get("action") == "give_back":
        try:
            expected = int(request.POST.get("amount") or -1)
        except ValueError:
            expected = -1
        try:
            seat_returns.give_back_seats(user=user, pack=found, count=count, expected_amount=expected, now=now)
        except AppError as refused:
            refusal = refused
        else:
            text = ngettext("%(num)d seat is closed. %(amount)s is on its way back.",
                            "%(num)d seats are closed. %(amount)s is on its way back.", count)  # fmt: skip
            messages.success(request, text % {"num": count, "amount": _shown(amount, payment)})
            return redirect(f"/billing/teams/{found.team.uid}")
    context = {
        "pack": found,
        "payment": payment,
        "free": len(free),
        "count": count,
        "amount": amount,
        "amount_text": _shown(amount, payment) if amount else "",
        "until": seat_packs.give_back_until(found),
        "days": GIVE_BACK_DAYS,
        "refusal": refusal,
    }
    return render(request, "billing/seats/give_back.html", context, status=refusal.status if refusal else 200)


def _is_soon(pack: SeatPack, now: datetime) -> bool:
    return now <= seat_packs.give_back_until(pack)


def _shown(amount: int, payment: Payment | None) -> str:
    return money(amount, payment.currency if payment else settings.CURRENCY, cents=True)
