"""Invoices, made by subscriptions: https://docs.stripe.com/api/invoices.

An invoice is finalized at once; Stripe leaves the invoice of a renewal as a draft for an hour.
"""

from collections.abc import Callable

from apps.billing.standin.amounts import amount_text, least_amount
from apps.billing.standin.errors import ApiError, Json, invalid
from apps.billing.standin.presenting import hidden, page, public
from apps.billing.standin.resources import coupons, payment_intents
from apps.billing.standin.work import Work

# What subscriptions do when an invoice of theirs was paid, or could not be paid.
PAID: list[Callable[[Work, Json], None]] = []
FAILED: list[Callable[[Work, Json], None]] = []


def line(subscription: Json, item: Json, price: Json, amount: int, start: int, end: int, *, is_proration: bool) -> Json:
    """One line: an amount for a price over a period."""
    if not is_proration:
        cost = f"{amount_text(price['unit_amount'], price['currency'])} / {price['recurring']['interval']}"
        text = f"1 × {price['nickname'] or 'Subscription'} (at {cost})"
    else:
        text = f"{'Unused' if amount < 0 else 'Remaining'} time on {price['nickname'] or 'subscription'}"
    return {
        "object": "line_item", "amount": amount, "currency": price["currency"], "description": text,
        "discount_amounts": [], "discountable": not is_proration, "discounts": [],
        "parent": {
            "invoice_item_details": None, "type": "subscription_item_details",
            "subscription_item_details": {
                "invoice_item": None, "proration": is_proration, "proration_details": {"credited_items": None},
                "subscription": subscription["id"], "subscription_item": item["id"],
            },
        },
        "period": {"start": start, "end": end}, "pretax_credit_amounts": [], "quantity": 1, "subtotal": amount,
        "pricing": {
            "price_details": {"price": price["id"], "product": price["product"]}, "type": "price_details",
            "unit_amount_decimal": price["unit_amount_decimal"],
        },
        "subscription": subscription["id"], "taxes": [],
    }  # fmt: skip


def totals(work: Work, subscription: Json, rows: list[Json], balance: int, moment: int) -> Json:
    """The sums of an invoice of this moment with these lines; ``balance`` is the customer's (negative: credit)."""
    subtotal = sum(row["amount"] for row in rows)
    taken = []
    left = subtotal
    for discount in subscription["discounts"]:
        amount = coupons.reduction(work, discount, left, moment)
        left -= amount
        taken.append({"amount": amount, "discount": discount})
    due = left + balance
    carried = due if due < least_amount(subscription["currency"]) else 0
    return {
        "subtotal": subtotal, "subtotal_excluding_tax": subtotal, "total": left, "total_excluding_tax": left,
        "total_discount_amounts": taken, "starting_balance": balance, "ending_balance": carried,
        "amount_due": due - carried, "amount_paid": 0, "amount_remaining": due - carried,
        "discounts": list(subscription["discounts"]),
    }  # fmt: skip


def blank(work: Work, subscription: Json, rows: list[Json], reason: str, moment: int | None = None) -> Json:
    """The fields of an invoice that is not stored yet. ``moment``: when it will be made, if that is later."""
    customer = work.get(subscription["customer"], "customer")
    values: Json = {
        "account_country": "US", "account_name": "Study Platform", "account_tax_ids": None, "amount_overpaid": 0,
        "amount_shipping": 0, "application": None, "attempt_count": 0, "attempted": False, "auto_advance": True,
        "automatic_tax": {"enabled": False, "liability": None, "provider": None, "status": None},
        "automatically_finalizes_at": None, "billing_reason": reason, "collection_method": "charge_automatically",
        "currency": subscription["currency"], "custom_fields": None, "customer": customer["id"],
        "customer_address": customer["address"], "customer_email": customer["email"], "customer_name": customer["name"],
        "customer_phone": customer["phone"], "customer_shipping": None, "customer_tax_exempt": "none",
        "customer_tax_ids": [], "default_payment_method": None, "default_source": None, "default_tax_rates": [],
        "description": None, "due_date": None, "effective_at": work.now, "footer": None, "from_invoice": None,
        "hosted_invoice_url": None, "invoice_pdf": None, "issuer": {"type": "self"}, "last_finalization_error": None,
        "latest_revision": None, "lines": page(rows, ""), "next_payment_attempt": None, "number": None,
        "on_behalf_of": None, "parent": {
            "quote_details": None, "type": "subscription_details",
            "subscription_details": {"metadata": subscription["metadata"], "subscription": subscription["id"]},
        },
        "payment_settings": {"default_mandate": None, "payment_method_options": None, "payment_method_types": None},
        "period_start": work.now, "period_end": work.now, "post_payment_credit_notes_amount": 0,
        "pre_payment_credit_notes_amount": 0, "receipt_number": None, "rendering": None, "shipping_cost": None,
        "shipping_details": None, "statement_descriptor": None, "status": "draft",
        "status_transitions": dict.fromkeys(("finalized_at", "marked_uncollectible_at", "paid_at", "voided_at")),
        "test_clock": None, "threshold_reason": None, "total_pretax_credit_amounts": [], "total_taxes": [],
        "webhooks_delivered_at": None,
    }  # fmt: skip
    return values | totals(work, subscription, rows, customer["balance"], moment or work.now)


def bill(work: Work, subscription: Json, rows: list[Json], reason: str) -> Json:
    """Make and finalize an invoice; one without anything to pay is paid."""
    customer = work.get(subscription["customer"], "customer")
    invoice = work.new("invoice", blank(work, subscription, rows, reason))
    number = customer["next_invoice_sequence"]
    invoice["number"] = f"{customer['invoice_prefix']}-{customer['id'][-6:].upper()}-{number:04d}"
    stored = [work.new("line_item", {**row, "invoice": invoice["id"]}) for row in rows]
    for row in stored:
        del row["created"]
        work.save(row)
    invoice["lines"] = page(map(public, stored), f"/v1/invoices/{invoice['id']}/lines")
    customer["next_invoice_sequence"] += 1
    if customer["balance"] != invoice["ending_balance"]:
        customer["balance"] = invoice["ending_balance"]
        work.emit("customer.updated", work.save(customer))
    work.save(customer)
    work.emit("invoice.created", work.save(invoice))
    invoice["status"] = "open"
    invoice["status_transitions"]["finalized_at"] = work.now
    if invoice["amount_due"]:
        _payment(work, invoice)
    work.emit("invoice.finalized", work.save(invoice))
    coupons.use(work, subscription)
    if not invoice["amount_due"]:
        _mark_paid(work, invoice)
    return invoice


def _payment(work: Work, invoice: Json) -> None:
    intent = payment_intents.new(work, invoice["amount_due"], invoice["currency"], invoice["customer"])
    intent |= {"description": "Subscription", "setup_future_usage": "off_session", "_invoice": invoice["id"]}
    work.emit("payment_intent.created", work.save(intent))
    payment = work.new(
        "invoice_payment",
        {
            "amount_paid": None, "amount_requested": invoice["amount_due"], "currency": invoice["currency"],
            "invoice": invoice["id"], "is_default": True, "status": "open",
            "payment": {"payment_intent": intent["id"], "type": "payment_intent"},
            "status_transitions": {"canceled_at": None, "paid_at": None},
        },
    )  # fmt: skip
    invoice |= {"_intent": intent["id"], "_payment": payment["id"]}


def _mark_paid(work: Work, invoice: Json) -> None:
    invoice |= {
        "status": "paid", "amount_paid": invoice["amount_due"], "amount_remaining": 0, "attempted": True,
        "next_payment_attempt": None,
    }  # fmt: skip
    invoice["status_transitions"]["paid_at"] = work.now
    if payment := work.find(invoice.get("_payment"), "invoice_payment"):
        payment |= {"status": "paid", "amount_paid": invoice["amount_due"]}
        payment["status_transitions"]["paid_at"] = work.now
        work.emit("invoice_payment.paid", work.save(payment))
    work.emit("invoice.paid", work.save(invoice))
    work.emit("invoice.payment_succeeded", invoice)
    for told in PAID:
        told(work, invoice)


def pay(work: Work, invoice: Json, method: str | None, *, off_session: bool) -> ApiError | None:
    """Try to pay an open invoice; returns the bank's refusal, if any."""
    if method is None:
        _not_paid(work, invoice)
        return invalid("This customer has no attached payment source or default payment method.", code="missing")
    intent = work.get(invoice["_intent"], "payment_intent")
    try:
        payment_intents.pay(work, intent, method, off_session=off_session)
    except ApiError as error:
        if not error.keeps:
            raise
        return error
    return None


def void(work: Work, invoice: Json, status: str = "void") -> None:
    """Give up an open invoice. What a void one took from the customer's balance goes back to it."""
    customer = work.get(invoice["customer"], "customer")
    if status == "void" and invoice["starting_balance"] != invoice["ending_balance"]:
        customer["balance"] += invoice["starting_balance"] - invoice["ending_balance"]
        work.emit("customer.updated", work.save(customer))
    invoice |= {"status": status, "next_payment_attempt": None, "auto_advance": False}
    invoice["status_transitions"]["voided_at" if status == "void" else "marked_uncollectible_at"] = work.now
    intent = work.find(invoice.get("_intent"), "payment_intent")
    if intent and intent["status"] not in {"succeeded", "canceled"}:
        payment_intents.close(work, intent, "void_invoice")
    work.emit("invoice.voided" if status == "void" else "invoice.marked_uncollectible", work.save(invoice))


def _payment_changed(work: Work, intent: Json) -> None:
    """The payment of an invoice succeeded, failed, or waits for the bank."""
    invoice = work.find(intent["_invoice"], "invoice")
    if invoice is None or invoice["status"] != "open":
        return
    invoice["attempted"] = True
    if intent["status"] == "succeeded":
        invoice["attempt_count"] += 1
        _mark_paid(work, invoice)
    elif intent["status"] == "requires_action":
        work.emit("invoice.payment_action_required", work.save(invoice))
    else:
        _not_paid(work, invoice)


def _not_paid(work: Work, invoice: Json) -> None:
    invoice |= {"attempted": True, "attempt_count": invoice["attempt_count"] + 1}
    work.save(invoice)
    for told in FAILED:
        told(work, invoice)
    work.emit("invoice.payment_failed", work.save(invoice))


payment_intents.WATCHERS.append(_payment_changed)


@hidden("invoice", "confirmation_secret")
def _confirmation_secret(work: Work, invoice: Json) -> Json | None:
    intent = work.find(work.get(invoice["id"], "invoice").get("_intent"), "payment_intent")
    return {"client_secret": intent["client_secret"], "type": "payment_intent"} if intent else None


@hidden("invoice", "payments")
def _payments(work: Work, invoice: Json) -> Json:
    rows = map(public, work.rows("invoice_payment", invoice=invoice["id"]))
    return page(rows, f"/v1/invoice_payments?invoice={invoice['id']}")
