"""Promo codes at the checkout: look up, reserve, use, give back."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.billing.errors import PromoCodeRefused
from apps.billing.models import Order, PromoCode, Redemption, Subscription
from apps.billing.purchases import Purchase
from studyplatform.kit.errors import AppError
from studyplatform.kit.web.rate_limits import consume

FAILED_CHECKOUT_CODE_LIFETIME = timedelta(days=1)

HELD = (Redemption.State.RESERVED, Redemption.State.USED)


def find_code(*, text: str, user: User, purchase: Purchase | None, now: datetime) -> PromoCode:
    """Return the code that this user may use for the purchase (None: for Premium) at this moment.

    :raises PromoCodeRefused: it says why not.
    :raises RateLimitExceeded: the user has entered too many codes, right ones included: one more could be a guess.
    """
    consume("promo_code", str(user.pk), now=now)
    name = text.strip().upper()
    code = PromoCode.objects.filter(code=name).first() if name and "\x00" not in name else None
    if code is None or not code.is_active:
        raise PromoCodeRefused(reason=_("There's no code “%(code)s”.") % {"code": name[:24]})
    if code.starts_at is not None and now < code.starts_at:
        raise PromoCodeRefused(reason=_("%(code)s starts on %(date)s.") % _with_date(code, code.starts_at))
    if code.ends_at is not None and now >= code.ends_at:
        raise PromoCodeRefused(reason=_("%(code)s expired on %(date)s.") % _with_date(code, code.ends_at))
    if not covers(code, purchase):
        raise PromoCodeRefused(reason=_not_for(code, purchase))
    if code.currency and code.currency != (purchase.currency if purchase is not None else settings.CURRENCY):
        raise PromoCodeRefused(reason=_("%(code)s is for another currency.") % {"code": code.code})
    uses = uses_by(code, user)
    # The use that the user's open order, or unpaid subscription, holds is theirs: they may go on with it.
    held = _held_by_unpaid(code, user, purchase) if uses else 0
    if code.limit is not None and code.used - held >= code.limit:
        raise PromoCodeRefused(reason=_("%(code)s has been used up.") % {"code": code.code})
    if uses - held >= code.limit_per_user:
        raise _used_by_you(code)
    return code


def _held_by_unpaid(code: PromoCode, user: User, purchase: Purchase | None) -> int:
    """How many uses (0 or 1) the user's live order for the same holds; None: their subscription that isn't paid."""
    if purchase is not None:
        same = {"course": purchase.course, "bundle": purchase.bundle, "is_gift": purchase.is_gift}
        return Order.objects.live().of(user.pk).filter(promo_code=code, **same).count()
    unpaid = Subscription.objects.of(user.pk).filter(status=Subscription.Status.INCOMPLETE)
    return unpaid.filter(redemption__code=code, redemption__state__in=HELD).count()


def covers(code: PromoCode, purchase: Purchase | None) -> bool:
    """Return whether the code is for this purchase (None: for Premium). Bundles take codes for all courses alone."""
    if purchase is None:
        return code.scope == PromoCode.Scope.PREMIUM
    if code.scope == PromoCode.Scope.COURSE:
        return purchase.course is not None and code.course_id == purchase.course.pk
    if code.scope == PromoCode.Scope.INSTRUCTOR:
        return purchase.course is not None and code.instructor_id == purchase.course.instructor_id
    return code.scope == PromoCode.Scope.ALL


def discount_of(code: PromoCode | None, price: int) -> int:
    """Return what the code takes off this price, in minor units; never more than the price.

    A percentage is rounded half up, as the provider does with the coupons of subscriptions.
    """
    if code is None:
        return 0
    taken = (price * code.percent + 50) // 100 if code.percent is not None else code.amount or 0
    return min(taken, price)


def uses_by(code: PromoCode, user: User) -> int:
    """Return how often the user holds the code: reserved by an open order, or used."""
    return Redemption.objects.filter(code=code, user=user, state__in=HELD).count()


def reserve(*, code: PromoCode, user: User, now: datetime) -> Redemption:
    """Take one use of the code for an order. The row of the code is locked, so limits hold in parallel.

    :raises PromoCodeRefused: it was used up in the meantime.
    """
    with transaction.atomic():
        free = Q(limit=None) | Q(used__lt=F("limit"))
        # The update locks the row until the end of the transaction: the count after it is exact.
        if not PromoCode.objects.filter(free, pk=code.pk, is_active=True).update(used=F("used") + 1):
            raise PromoCodeRefused(reason=_("%(code)s has been used up.") % {"code": code.code})
        if uses_by(code, user) >= code.limit_per_user:
            raise _used_by_you(code)
        return Redemption.objects.create(
            code=code, user=user, state=Redemption.State.RESERVED, created_at=now, updated_at=now
        )


def give_back(redemption: Redemption, *, now: datetime) -> None:
    """Give a reserved use back. Idempotent: a use that was given back before, or used, stays as it is."""
    with transaction.atomic():
        reserved = Redemption.objects.filter(pk=redemption.pk, state=Redemption.State.RESERVED)
        if reserved.update(state=Redemption.State.RELEASED, updated_at=now):
            PromoCode.objects.filter(pk=redemption.code_id).update(used=F("used") - 1)


def keep(redemption: Redemption, *, now: datetime) -> None:
    """Count a use for good, after its order was paid.

    A use that had been given back is taken again even beyond the limit: the user has paid the lower price.
    """
    with transaction.atomic():
        Redemption.objects.select_for_update().get(pk=redemption.pk)
        held = Redemption.objects.filter(pk=redemption.pk)
        if held.filter(state=Redemption.State.RELEASED).update(state=Redemption.State.USED, updated_at=now):
            within = Q(limit=None) | Q(used__lt=F("limit"))
            PromoCode.objects.filter(within, pk=redemption.code_id).update(used=F("used") + 1)
        else:
            held.filter(state=Redemption.State.RESERVED).update(state=Redemption.State.USED, updated_at=now)


def _with_date(code: PromoCode, moment: datetime) -> dict[str, str]:
    return {"code": code.code, "date": date_format(localtime(moment), "j F Y")}


def _not_for(code: PromoCode, purchase: Purchase | None) -> str:
    if code.scope == PromoCode.Scope.PREMIUM:
        return _("%(code)s is for Premium.") % {"code": code.code}
    if purchase is None:
        return _("%(code)s is for courses.") % {"code": code.code}
    if purchase.bundle is not None:
        return _("%(code)s is for single courses, not for bundles.") % {"code": code.code}
    return _("%(code)s isn't for this course.") % {"code": code.code}


def _used_by_you(code: PromoCode) -> PromoCodeRefused:
    text = ngettext(
        "You have already used %(code)s.",
        "You have already used %(code)s %(times)s times.",
        code.limit_per_user,
    )
    return PromoCodeRefused(reason=text % {"code": code.code, "times": code.limit_per_user})


def code_of_failed_order(user: User, purchase: Purchase, *, now: datetime) -> PromoCode | None:
    """Return the code of the user's last order for the same, if its payment failed today and the code can be used.

    So a declined card doesn't lose the code when the page is opened again. Two queries, and those of the code.
    """
    same = {"course": purchase.course, "bundle": purchase.bundle, "is_for_team": False}
    mine = Order.objects.of(user.pk).filter(**same).select_related("promo_code")
    last = mine.order_by("-created_at", "-pk").first()
    is_failed = last is not None and last.status == Order.Status.CANCELED and bool(last.failure_kind)
    if (
        last is None
        or not is_failed
        or last.promo_code is None
        or last.created_at < now - FAILED_CHECKOUT_CODE_LIFETIME
    ):
        return None
    try:
        return find_code(text=last.promo_code.code, user=user, purchase=purchase, now=now)
    except AppError:
        return None
