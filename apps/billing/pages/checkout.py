"""The checkout of a course or a bundle: /billing/checkout?course={slug} or ?bundle={slug}."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.timezone import localtime
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.guards import signed_in, signed_in_user
from apps.accounts.models import User
from apps.accounts.queries import zone_of
from apps.billing import policies, queries, services
from apps.billing.api.serializers import buyer_props, card_props, quote_out
from apps.billing.bank_account import offers_transfer
from apps.billing.browser import allows_provider, guessed_country, provider_props
from apps.billing.errors import AlreadyOwned, BundleNotForSale, BundleOwned
from apps.billing.models import BuyerDetails, Order
from apps.billing.queries.open_transfers import open_transfer_for
from apps.billing.services import promo
from apps.billing.services.gifts import last_send_day
from apps.billing.services.transfer_orders import DUE_AFTER_DAYS
from apps.billing.tax import needs_country, postal_code_in
from apps.courses.models import Course
from studyplatform.kit.policies import enforce


@signed_in
@never_cache
@require_safe
@allows_provider
def checkout(request: HttpRequest) -> HttpResponse:
    """What it costs, and the form that pays for it. A course that is open already needs no checkout."""
    user, now = signed_in_user(request), timezone.now()
    is_gift = request.GET.get("gift") == "1"
    purchase = queries.purchase_named(
        user, course=request.GET.get("course", ""), bundle=request.GET.get("bundle", ""), is_gift=is_gift
    )
    course = purchase.course
    if course is not None:
        enforce(policies.see_course(user, course))
        if course.pricing != Course.Pricing.ONE_TIME:
            return redirect(f"/courses/enroll?course={course.slug}")
    refusal = policies.buy_purchase(user, purchase)
    if course is not None and isinstance(refusal, AlreadyOwned):
        return redirect(f"/learn/{course.slug}")
    if purchase.bundle is not None and isinstance(refusal, BundleOwned | BundleNotForSale):
        return redirect("billing:bundle", slug=purchase.bundle.slug)
    enforce(refusal)
    earlier = queries.earlier_orders(user, purchase)
    live = earlier.live
    if live is not None and live.method == Order.Method.TRANSFER:
        return redirect("billing:order", uid=live.uid)
    code = live.promo_code if live else promo.code_of_failed_order(user, purchase, now=now)
    details = BuyerDetails.objects.filter(user=user).first()
    saved = details if details is not None and details.is_company else None
    country = (saved.country if saved else "") or earlier.country or guessed_country(request)
    vat_id, on = saved.vat_id if saved else "", localtime(now).date()
    postal_code = postal_code_in(details.as_snapshot(), country) if details else ""
    price = services.price_for(
        purchase=purchase, code=code, country=country, vat_id=vat_id, postal_code=postal_code, on=on
    )
    label = queries.code_label(code, discount=price.discount) if code else ""
    shown = quote_out(price, code=code.code if code else "", label=label)
    props = {
        "course": course.slug if course else "",
        "bundle": purchase.bundle.slug if purchase.bundle else "",
        "course_count": len(purchase.courses),
        "gift": _gift_props(user, now) if is_gift else None,
        "quote": shown,
        "cards": [card_props(card) for card in queries.saved_cards(user, now=now)],
        "email": user.email,
        "country": country,
        "needs_country": needs_country(),
        "buyer": buyer_props(saved),
        "provider": provider_props(),
        "order": _continued(live) if live else None,
        "refund_days": settings.REFUND_DAYS,
        "transfer_days": DUE_AFTER_DAYS if offers_transfer() else 0,
    }
    transfer = None if is_gift else open_transfer_for(user, purchase.courses, now=now)
    context = {"purchase": purchase, "quote": shown, "props": props, "transfer": transfer}
    return render(request, "billing/checkout.html", context)


def _gift_props(user: User, now: datetime) -> dict[str, str]:
    """What the fields of a gift begin with: days as "2026-11-26", in the user's time zone."""
    today = now.astimezone(zone_of(user)).date()
    return {
        "sender_name": user.get_full_name(),
        "today": today.isoformat(),
        "last_day": last_send_day(user, now).isoformat(),
        "zone": str(zone_of(user)),
    }


def _continued(order: Order) -> dict[str, Any]:
    return {"uid": str(order.uid), "number": order.number, "status": order.status}
