"""Give promo codes: create, change, switch off and on. Their use is the business of :mod:`.promo`."""

from dataclasses import asdict, dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Q

from apps.accounts.models import User
from apps.billing import policies
from apps.billing.errors import PromoCodeInUse, PromoCodeTaken, PromoLimitTooLow
from apps.billing.models import PromoCode
from apps.courses.models import Course
from studyplatform.kit.policies import enforce


@dataclass(frozen=True)
class PromoTerms:
    """What a code takes off (``percent``, or ``amount`` in minor units of ``currency``), and what it covers."""

    code: str
    scope: str
    percent: int | None = None
    amount: int | None = None
    currency: str = ""
    course: Course | None = None
    instructor: User | None = None

    def fields(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True)
class PromoLimits:
    """How often and when a code can be used. ``ends_at`` is the first moment at which it can't."""

    limit: int | None = None
    limit_per_user: int = 1
    starts_at: datetime | None = None
    ends_at: datetime | None = None


def create_promo_code(*, user: User, terms: PromoTerms, limits: PromoLimits, now: datetime) -> PromoCode:
    """Create a code that can be used from its start on.

    :raises PromoCodeTaken: another code has this name.
    """
    enforce(policies.give_discount(user, terms.scope, terms.course, terms.instructor))
    try:
        with transaction.atomic():
            return PromoCode.objects.create(created_by=user, created_at=now, **terms.fields(), **asdict(limits))
    except IntegrityError:
        raise PromoCodeTaken(name=terms.code) from None


def change_promo_code(*, user: User, code: PromoCode, terms: PromoTerms | None, limits: PromoLimits) -> PromoCode:
    """Change when and how often a code can be used, and its terms (None: they stay) as long as no one has used it.

    :raises PromoCodeInUse: someone has used it in the meantime, so its terms are fixed.
    :raises PromoCodeTaken: another code has this name.
    :raises PromoLimitTooLow: it was used more often than the new limit allows.
    """
    enforce(policies.manage_promo_code(user, code))
    if terms is not None:
        enforce(policies.give_discount(user, terms.scope, terms.course, terms.instructor))
    try:
        with transaction.atomic():
            row = PromoCode.objects.select_for_update().get(pk=code.pk)
            if limits.limit is not None and limits.limit < row.used:
                raise PromoLimitTooLow(used=row.used)
            if terms is not None and row.redemptions.exists():
                raise PromoCodeInUse
            for name, value in {**(terms.fields() if terms else {}), **asdict(limits)}.items():
                setattr(row, name, value)
            # `used` is left out: reservations count it in the database.
            row.save(update_fields=[*(terms.fields() if terms else {}), *asdict(limits)])
    except IntegrityError:
        if terms is not None and PromoCode.objects.filter(~Q(pk=code.pk), code=terms.code).exists():
            raise PromoCodeTaken(name=terms.code) from None
        raise PromoLimitTooLow(used=PromoCode.objects.get(pk=code.pk).used) from None
    return row


def switch_promo_code(*, user: User, code: PromoCode, on: bool) -> None:
    """Let a code be used, or stop it. Idempotent. An order that holds it keeps its price."""
    enforce(policies.manage_promo_code(user, code))
    PromoCode.objects.filter(pk=code.pk).update(is_active=on)
