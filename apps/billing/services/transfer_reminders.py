"""What happens to orders whose bank transfer doesn't arrive: a reminder, and in the end the cancellation."""

import logging
from datetime import UTC, datetime, time, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from apps.billing.models import Order
from apps.billing.services import transfer_notices
from apps.billing.services.document_series import in_language
from apps.billing.services.transfer_orders import cancel_transfer_order
from studyplatform.kit import jobs
from studyplatform.kit.errors import AppError

logger = logging.getLogger(__name__)
RUN_AT = time(6, 0, tzinfo=UTC)
CANCELED_AFTER = timedelta(days=14)
"""After the due day. A transfer that was made on the last day has arrived long before."""


def plan_next_reminders(*, now: datetime) -> None:
    """Enqueue the job of the next morning; it is enqueued once."""
    run_at = datetime.combine(now.astimezone(UTC).date(), RUN_AT)
    if run_at <= now:
        run_at += timedelta(days=1)
    jobs.enqueue("billing.follow_transfers", key=run_at.date().isoformat(), delay=run_at - now)


def follow_overdue(*, now: datetime) -> None:
    """Remind of orders that are overdue, once each, and cancel those that have been for long. Idempotent.

    What a team has bought is in use already: it is reminded, and its own rules say what follows. An order of which a
    part has arrived is left to the admins.
    """
    waiting = Order.objects.filter(status=Order.Status.OPEN, method=Order.Method.TRANSFER)
    courses = Q(course__isnull=False) | Q(bundle__isnull=False)
    late = waiting.filter(courses, due_at__lt=now - CANCELED_AFTER).order_by("pk")
    for order in late.select_related("user"):
        with in_language(order.buyer.get("language", "")):
            reason = _("The transfer hasn't arrived in time.")
        try:
            cancel_transfer_order(order=order, reason=reason, actor=None, spares_parts=True, now=now)
        except AppError as refusal:  # it is being paid by card, or the provider can't be reached: tomorrow again
            logger.info("Order %s is overdue and wasn't canceled: %s", order.number, refusal)
    for pk in list(waiting.filter(due_at__lt=now, reminded_at=None).order_by("pk").values_list("pk", flat=True)):
        _remind(pk, now=now)


@transaction.atomic
def _remind(pk: int, *, now: datetime) -> None:
    order = Order.objects.select_for_update(of=("self",)).select_related("user").get(pk=pk)
    if order.status == Order.Status.OPEN and order.reminded_at is None:
        order.reminded_at = now
        order.save(update_fields=["reminded_at"])
        transfer_notices.tell_of_overdue(order, now=now)
