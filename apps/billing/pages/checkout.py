"""The checkout of a course or a bundle: /billing/checkout?course={slug} or ?bundle={slug}."""

import re
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.timezone import localtime
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.guards import signed_in, signed_in_user
from apps.billing import policies, queries, services
from apps.billing.api.serializers import card_props, quote_out
from apps.billing.browser import allows_provider, provider_props
from apps.billing.errors import AlreadyOwned, BundleNotForSale, BundleOwned
from apps.billing.models import Order
from apps.courses.models import Course
from studyplatform.kit.policies import enforce


@signed_in
@never_cache
@require_safe
@allows_provider
def checkout(request: HttpRequest) -> HttpResponse:
    """What it costs, and the form that pays for it. A course that is open already needs no checkout."""
    user, now = signed_in_user(request), timezone.now()
    purchase = queries.purchase_named(user, course=request.GET.get("course", ""), bundle=request.GET.get("bundle", ""))
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
    code = live.promo_code if live else None
    country = earlier.country or guessed_country(request)
    price = services.price_for(purchase=purchase, code=code, country=country, on=localtime(now).date())
    shown = quote_out(price, code=code.code if code else "", label=queries.code_label(code) if code else "")
    props = {
        "course": course.slug if course else "",
        "bundle": purchase.bundle.slug if purchase.bundle else "",
        "course_count": len(purchase.courses),
        "quote": shown,
        "cards": [card_props(card) for card in queries.saved_cards(user, now=now)],
        "email": user.email,
        "country": price.country,
        "needs_country": bool(settings.TAX_RATES),
        "provider": provider_props(),
        "order": _continued(live) if live else None,
        "refund_days": settings.REFUND_DAYS,
    }
    return render(request, "billing/checkout.html", {"purchase": purchase, "quote": shown, "props": props})


def guessed_country(request: HttpRequest) -> str:
    """The country that the browser's first language names, such as "US" in en-US; "" if it names none."""
    first = request.headers.get("Accept-Language", "").split(",")[0]
    found = re.fullmatch(r"[a-zA-Z]{2,3}(?:-[a-zA-Z]{4})?-([a-zA-Z]{2})(?:;.*)?", first.strip())
    return found[1].upper() if found else ""


def _continued(order: Order) -> dict[str, Any]:
    return {"uid": str(order.uid), "number": order.number, "status": order.status}
