"""Promo codes for the people who give them: their states, lists, and what each brought in."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Case, CharField, Count, F, OuterRef, Q, QuerySet, Subquery, Sum, Value, When
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User
from apps.billing.models import LedgerEntry, Order, Payment, PromoCode, Redemption, Subscription
from apps.billing.policies import see_promo_code
from apps.billing.queries.revenue import REVENUE
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.money import money

STATES: dict[str, str | Promise] = {
    "active": _("Active"),
    "scheduled": _("Scheduled"),
    "used_up": _("Used up"),
    "expired": _("Expired"),
    "off": _("Off"),
}


@dataclass
class Brought:
    """What the paid orders with a code brought, by currency, in minor units.

    ``revenue``: after refunds and before tax.
    """

    discount: Counter[str] = field(default_factory=Counter)
    revenue: Counter[str] = field(default_factory=Counter)

    @property
    def discount_text(self) -> str:
        return _amounts(self.discount)

    @property
    def revenue_text(self) -> str:
        return _amounts(self.revenue)


def _amounts(found: Counter[str]) -> str:
    return ", ".join(money(amount, currency, cents=True) for currency, amount in sorted(found.items()))


def codes_of(user: User) -> QuerySet[PromoCode]:
    """Return the codes that are for the user's own courses alone."""
    return PromoCode.objects.filter(Q(course__instructor=user) | Q(instructor=user))


def with_state(codes: QuerySet[PromoCode], now: datetime) -> Any:  # a query set with `state`, which types can't name
    """Annotate each code with its ``state``, a key of STATES."""
    state = Case(
        When(is_active=False, then=Value("off")),
        When(ends_at__lte=now, then=Value("expired")),
        When(used__gte=F("limit"), then=Value("used_up")),  # not true without a limit
        When(starts_at__gt=now, then=Value("scheduled")),
        default=Value("active"),
        output_field=CharField(),
    )
    related = codes.select_related("course", "instructor", "created_by")
    return related.annotate(state=state).order_by("-created_at", "-pk")


def like(codes: QuerySet[PromoCode], text: str) -> QuerySet[PromoCode]:
    """Keep the codes with the text in their name or the title of their course, and those of an instructor."""
    if not text:
        return codes
    instructor = Q(instructor__username__iexact=text) | Q(course__instructor__username__iexact=text)
    return codes.filter(Q(code__folded_contains=text) | Q(course__title__folded_contains=text) | instructor)


def covering(codes: QuerySet[PromoCode], *, course: int, instructor: int) -> QuerySet[PromoCode]:
    """Keep the codes that a learner could use for this course."""
    one = Q(course=course) | Q(instructor=instructor) | Q(scope=PromoCode.Scope.ALL)
    return codes.filter(one)


def counts_by_state(codes: Any) -> Counter[str]:
    """Return how many codes of :func:`with_state` are in each state. One query."""
    rows = codes.order_by().values("state").annotate(count=Count("pk"))
    return Counter({row["state"]: row["count"] for row in rows})


def brought_by(codes: Iterable[PromoCode]) -> dict[int, Brought]:
    """Return what each code brought, by its id. One query, and one more if some are for Premium."""
    found: dict[int, Brought] = {}
    courses: list[int] = []
    premium: list[int] = []
    for code in codes:
        found[code.pk] = Brought()
        (premium if code.scope == PromoCode.Scope.PREMIUM else courses).append(code.pk)
    if courses:
        _add(found, Payment.objects.filter(order__promo_code__in=courses), "order__promo_code")
    if premium:
        with_code = Payment.objects.filter(subscription__redemption__code__in=premium).exclude(promo_code="")
        _add(found, with_code, "subscription__redemption__code")
    return found


def _add(found: dict[int, Brought], payments: QuerySet[Payment], code: str) -> None:
    entries = LedgerEntry.objects.filter(payment_key=OuterRef("gateway_id"), kind__in=REVENUE).order_by()
    sums = entries.values("payment_key").annotate(net=Sum(F("total") - F("tax"))).values("net")
    rows = payments.order_by().annotate(net=Subquery(sums)).values_list(code, "currency")
    for pk, currency, given, net in rows.annotate(given=Sum("discount"), sum=Sum("net")):
        found[pk].discount[currency] += given
        found[pk].revenue[currency] += net or 0


def code_for(user: User, uid: UUID, now: datetime) -> PromoCode:
    """Return a code that the user may see, with its ``state``. One query.

    :raises NotFound: there is none, or it is not for the user.
    """
    code: PromoCode | None = with_state(PromoCode.objects.all(), now).filter(uid=uid).first()
    if code is None:
        raise NotFound
    enforce(see_promo_code(user, code))
    return code


def redemptions_of(code: PromoCode) -> QuerySet[Redemption]:
    """Return the uses of a code that are reserved or paid, the latest first."""
    held = Redemption.objects.filter(code=code).exclude(state=Redemption.State.RELEASED)
    return held.select_related("user").order_by("-created_at", "-pk")


@dataclass(frozen=True)
class Use:
    """One use of a code. ``order`` for a course, ``subscription`` for Premium."""

    redemption: Redemption
    order: Order | None
    subscription: Subscription | None


def uses(redemptions: Collection[Redemption]) -> list[Use]:
    """Return what was bought with these uses. Two queries."""
    pks = [each.pk for each in redemptions]
    orders = {each.redemption_id: each for each in Order.objects.filter(redemption__in=pks)}
    subscriptions = {each.redemption_id: each for each in Subscription.objects.filter(redemption__in=pks)}
    return [Use(each, orders.get(each.pk), subscriptions.get(each.pk)) for each in redemptions]
