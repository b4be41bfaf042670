"""What happens to a subscription as time passes: trial end, renewal, failed payments, its end.

A renewal that cannot be paid is tried again 3, 5 and 7 days later; then the subscription ends as
``Standin.after_last_attempt`` says: https://docs.stripe.com/billing/revenue-recovery.
"""

from apps.billing.standin.clock import DAY
from apps.billing.standin.errors import ApiError, Json
from apps.billing.standin.resources import invoices, periods, setup_intents
from apps.billing.standin.scheduler import due
from apps.billing.standin.work import Work

RETRY_DAYS = (3, 5, 7)  # after the first failure
NOTICE_DAYS = 3  # before a trial ends
INCOMPLETE_SECONDS = 23 * 3600  # how long the first payment may take


def save(work: Work, subscription: Json) -> Json:
    """Write a subscription and its items."""
    for item in subscription["items"]["data"]:
        if stored := work.find(item["id"], "subscription_item"):
            stored |= item
            work.save(stored)
    return work.save(subscription)


def method_of(work: Work, subscription: Json) -> str | None:
    """The card that renewals are charged to."""
    customer = work.get(subscription["customer"], "customer")
    method: str | None = subscription["default_payment_method"]
    return method or customer["invoice_settings"]["default_payment_method"]


def period_line(subscription: Json) -> Json:
    """The invoice's line for the present period; a trial costs nothing."""
    item = subscription["items"]["data"][0]
    amount = 0 if subscription["status"] == "trialing" else item["price"]["unit_amount"]
    start, end = item["current_period_start"], item["current_period_end"]
    return invoices.line(subscription, item, item["price"], amount, start, end, is_proration=False)


def begin(work: Work, subscription: Json, behavior: str, *, off_session: bool) -> None:
    """Bill the first period and wait for what comes next."""
    invoice = invoices.bill(work, subscription, [period_line(subscription)], "subscription_create")
    subscription["latest_invoice"] = invoice["id"]
    is_paid = invoice["status"] == "paid"
    if subscription["status"] != "trialing" and is_paid:
        subscription["status"] = "active"
    save(work, subscription)
    work.emit("customer.subscription.created", subscription)
    wait(work, subscription)
    if is_paid:
        return
    work.schedule(work.now + INCOMPLETE_SECONDS, "first payment overdue", subscription["id"])
    method = method_of(work, subscription)
    if behavior == "default_incomplete":
        if method:
            intent = work.get(invoice["_intent"], "payment_intent")
            intent |= {"payment_method": method, "status": "requires_confirmation"}
            work.save(intent)
        return
    collect(work, invoice, method, behavior, off_session=off_session)


def collect(work: Work, invoice: Json, method: str | None, behavior: str, *, off_session: bool) -> None:
    """Try to pay; with ``error_if_incomplete`` nothing of the call remains if that fails.

    :raises ApiError: only with ``error_if_incomplete``.
    """
    error = invoices.pay(work, invoice, method, off_session=off_session)
    if behavior == "error_if_incomplete" and invoice["status"] != "paid":
        if error is None:
            message = "Payment for this subscription requires additional user action before it can be completed."
            code = "subscription_payment_intent_requires_action"
            error = ApiError(message, type="card_error", status=402, code=code)
        error.keeps = False
        raise error


def wait(work: Work, subscription: Json) -> None:
    """Schedule the end of the present period, and the notice before a trial ends."""
    item = subscription["items"]["data"][0]
    work.schedule(item["current_period_end"], "period over", subscription["id"])
    if subscription["status"] == "trialing":
        moment = max(work.now, subscription["trial_end"] - NOTICE_DAYS * DAY)
        work.schedule(moment, "trial will end", subscription["id"])


@due("trial will end")
def announce(work: Work, id: str) -> None:
    """Three days before a trial ends."""
    subscription = work.get(id, "subscription")
    if subscription["status"] == "trialing":
        work.emit("customer.subscription.trial_will_end", subscription)


@due("first payment overdue")
def expire(work: Work, id: str) -> None:
    """The first payment was not made in time: the subscription never begins."""
    subscription = work.get(id, "subscription")
    if subscription["status"] == "incomplete":
        subscription |= {"status": "incomplete_expired", "ended_at": work.now}
        _stop(work, subscription)
        invoices.void(work, work.get(subscription["latest_invoice"], "invoice"))
        work.emit("customer.subscription.updated", save(work, subscription))


@due("period over")
def renew(work: Work, id: str) -> None:
    """A period or a trial is over: end the subscription if that was asked for, otherwise bill the next period."""
    subscription = work.get(id, "subscription")
    if subscription["status"] not in {"trialing", "active", "past_due", "unpaid"}:
        return
    was_trial = subscription["status"] == "trialing"
    if subscription["cancel_at_period_end"]:
        end(work, subscription, subscription["cancellation_details"]["reason"])
        return
    method = method_of(work, subscription)
    if (
        was_trial
        and not method
        and subscription["trial_settings"]["end_behavior"]["missing_payment_method"] == "cancel"
    ):
        end(work, subscription, None)
        return
    item = subscription["items"]["data"][0]
    start = item["current_period_end"]
    item |= {
        "current_period_start": start,
        "current_period_end": periods.after(subscription["billing_cycle_anchor"], item["price"]["recurring"], start),
    }
    if was_trial:
        subscription["status"] = "active"
    save(work, subscription)
    rows = [*pending(work, subscription), period_line(subscription)]
    invoice = invoices.bill(work, subscription, rows, "subscription_cycle")
    subscription["latest_invoice"] = invoice["id"]
    work.emit("customer.subscription.updated", save(work, subscription))
    wait(work, subscription)
    if invoice["status"] == "open" and subscription["status"] != "unpaid":
        invoices.pay(work, invoice, method, off_session=True)


def pending(work: Work, subscription: Json) -> list[Json]:
    """The prorations that wait for the next invoice; they are taken off the list."""
    rows: list[Json] = subscription.pop("_pending", [])
    return rows


@due("try again")
def retry(work: Work, invoice_id: str) -> None:
    """Another attempt at an invoice that could not be paid."""
    invoice = work.get(invoice_id, "invoice")
    if invoice["status"] == "open":
        subscription = work.get(_subscription_of(invoice), "subscription")
        invoices.pay(work, invoice, method_of(work, subscription), off_session=True)


def _subscription_of(invoice: Json) -> str:
    return str(invoice["parent"]["subscription_details"]["subscription"])


def _paid(work: Work, invoice: Json) -> None:
    subscription = work.find(_subscription_of(invoice), "subscription")
    if subscription is None or subscription["status"] not in {"incomplete", "past_due", "unpaid", "active"}:
        return
    work.unschedule("try again", invoice["id"])
    work.unschedule("first payment overdue", subscription["id"])
    if intent := work.find(invoice.get("_intent"), "payment_intent"):
        saves = subscription["payment_settings"]["save_default_payment_method"] == "on_subscription"
        if saves and intent["payment_method"]:
            subscription["default_payment_method"] = intent["payment_method"]
    if (
        subscription["status"] in {"incomplete", "past_due", "unpaid"}
        and subscription["latest_invoice"] == invoice["id"]
    ):
        subscription["status"] = "active"
        work.emit("customer.subscription.updated", save(work, subscription))
    save(work, subscription)


def _failed(work: Work, invoice: Json) -> None:
    """Plan the next attempt, or end the subscription after the last one."""
    subscription = work.find(_subscription_of(invoice), "subscription")
    if subscription is None or subscription["status"] not in {"active", "past_due"}:
        return
    since = work.now - invoice["status_transitions"]["finalized_at"]
    later = [day for day in RETRY_DAYS if day * DAY > since]
    if later:
        moment = invoice["status_transitions"]["finalized_at"] + later[0] * DAY
        invoice["next_payment_attempt"] = moment
        work.schedule(moment, "try again", invoice["id"])
        subscription["status"] = "past_due"
        work.emit("customer.subscription.updated", save(work, subscription))
        return
    invoice["next_payment_attempt"] = None
    after = work.standin.after_last_attempt
    if after == "cancel":
        end(work, subscription, "payment_failed")
    elif subscription["status"] != after:
        subscription["status"] = after
        work.emit("customer.subscription.updated", save(work, subscription))


def end(work: Work, subscription: Json, reason: str | None) -> None:
    """The subscription is over."""
    _stop(work, subscription)
    subscription |= {"status": "canceled", "ended_at": work.now, "canceled_at": subscription["canceled_at"] or work.now}
    subscription["cancellation_details"]["reason"] = reason
    if invoice := work.find(subscription["latest_invoice"], "invoice"):
        work.unschedule("try again", invoice["id"])
    work.emit("customer.subscription.deleted", save(work, subscription))


def _stop(work: Work, subscription: Json) -> None:
    for name in ("period over", "trial will end", "first payment overdue"):
        work.unschedule(name, subscription["id"])


def cancel_later(work: Work, subscription: Json, *, is_wanted: bool) -> None:
    """End with the period, or go on after all."""
    item = subscription["items"]["data"][0]
    subscription |= {
        "cancel_at_period_end": is_wanted, "cancel_at": item["current_period_end"] if is_wanted else None,
        "canceled_at": work.now if is_wanted else None,
    }  # fmt: skip
    subscription["cancellation_details"]["reason"] = "cancellation_requested" if is_wanted else None


def move_trial_end(work: Work, subscription: Json, moment: int | None) -> None:
    """Let the trial end at another moment; None ends it now."""
    if subscription["status"] != "trialing":
        return
    until = moment or work.now
    subscription |= {"trial_end": until, "billing_cycle_anchor": until}
    subscription["items"]["data"][0]["current_period_end"] = until
    save(work, subscription)
    if moment is None:
        work.unschedule("period over", subscription["id"])
        work.unschedule("trial will end", subscription["id"])
        renew(work, subscription["id"])
    else:
        wait(work, subscription)


def _card_saved(work: Work, intent: Json) -> None:
    """The card that a trial asked for was set up."""
    subscription = work.find(intent.get("_subscription"), "subscription")
    if subscription and subscription["pending_setup_intent"] == intent["id"]:
        subscription |= {"pending_setup_intent": None, "default_payment_method": intent["payment_method"]}
        work.emit("customer.subscription.updated", save(work, subscription))


invoices.PAID.append(_paid)
invoices.FAILED.append(_failed)
setup_intents.WATCHERS.append(_card_saved)
