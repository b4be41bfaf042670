"""Gifts as their buyers and recipients see them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User
from apps.billing.models import Dispute, Gift, Refund
from apps.billing.policies import see_gift
from apps.courses.models import Course
from studyplatform.kit.errors import NotFound
from studyplatform.kit.models import Job
from studyplatform.kit.policies import enforce

STATES: dict[str, str | Promise] = {
    "scheduled": _("Scheduled"),
    "sending": _("Being sent"),
    "sent": _("Sent"),
    "failed": _("Not delivered"),
    "redeemed": _("Redeemed"),
    "held": _("Under review"),
    "refunded": _("Refunded"),
}


@dataclass(frozen=True)
class GiftView:
    """A gift as its buyer sees it. ``state``: a key of STATES; ``failure``: why the last email was not delivered."""

    gift: Gift
    state: str
    failure: str = ""

    @property
    def label(self) -> str | Promise:
        return STATES[self.state]

    @property
    def can_change(self) -> bool:
        """Whether its code still waits for someone."""
        return self.state in {"scheduled", "sending", "sent", "failed"}


def gifts_of(user: User) -> QuerySet[Gift]:
    """Return the gifts that the user has paid, the newest first."""
    paid = Gift.objects.filter(order__user=user, code_hash__isnull=False)
    related = paid.select_related("order__payment").prefetch_related(
        "order__payment__refunds", "order__payment__disputes"
    )
    return related.order_by("-created_at", "-pk")


def views_of(gifts: Iterable[Gift]) -> list[GiftView]:
    """Return gifts of :func:`gifts_of` with their states. One query, for the emails."""
    rows = list(gifts)
    mails = {job.uid: job for job in Job.objects.filter(uid__in=[gift.mail_uid for gift in rows if gift.mail_uid])}
    return [_view(gift, mails.get(gift.mail_uid) if gift.mail_uid else None) for gift in rows]


def _view(gift: Gift, mail: Any) -> GiftView:
    payment = gift.order.payment
    disputes = [each.status for each in payment.disputes.all()]
    if payment.is_returned:
        return GiftView(gift, "refunded")
    if gift.redeemed_at is not None:
        return GiftView(gift, "redeemed")
    going = any(each.status == Refund.Status.PROCESSING for each in payment.refunds.all())
    if going or Dispute.Status.OPEN in disputes:
        return GiftView(gift, "held")
    if gift.sent_at is None:
        return GiftView(gift, "scheduled")
    if mail is None or mail.state == Job.State.DONE:
        return GiftView(gift, "sent")
    if mail.state == Job.State.FAILED:
        return GiftView(gift, "failed", mail.error)
    return GiftView(gift, "sending")


def gift_for(user: User, uid: UUID) -> GiftView:
    """Return one of the user's gifts.

    :raises NotFound: there is none, or it is someone else's.
    """
    gift = Gift.objects.filter(uid=uid, code_hash__isnull=False).select_related("order__payment", "redeemed_by").first()
    if gift is None:
        raise NotFound
    enforce(see_gift(user, gift))
    return views_of([gift])[0]


def courses_of(gift: Gift) -> list[Course]:
    """Return the courses of a gift, with what their cards show. One query."""
    lines = gift.order.lines.select_related("course__instructor", "course__subject")
    return [line.course for line in lines]


def gift_of_order(order_id: int) -> Gift | None:
    """Return the gift that an order is, or None. One query."""
    return Gift.objects.filter(order=order_id).first()


def duration_of(courses: Collection[Course]) -> int:
    """Return the seconds of all lessons of the courses."""
    return sum(course.duration for course in courses)
