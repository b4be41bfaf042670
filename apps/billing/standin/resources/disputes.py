"""Disputes: https://docs.stripe.com/api/disputes. Warnings of fraud: https://docs.stripe.com/api/radar/early_fraud_warnings.

The charges of some cards are contested as soon as they are made: by a dispute (4000 0000 0000 0259 and 2685), by an
inquiry that takes no money yet (1976), by a warning of fraud (5423). The published texts of evidence decide
(https://docs.stripe.com/testing#disputes): ``winning_evidence`` wins, ``losing_evidence`` loses,
``escalate_inquiry_evidence`` makes a dispute of an inquiry; silence loses, too, and closes an inquiry. What else banks
do is called on the :class:`~apps.billing.standin.Standin`: a dispute over any amount, won in part, with its fee
returned, after it was lost, a second one.
"""

from apps.billing.standin.clock import DAY
from apps.billing.standin.errors import Json, invalid
from apps.billing.standin.forms import Params
from apps.billing.standin.presenting import listing, public
from apps.billing.standin.resources import balance
from apps.billing.standin.routing import route
from apps.billing.standin.scheduler import due
from apps.billing.standin.work import Work

ANSWER_DAYS = 7
REASONS = (
    "bank_cannot_process", "credit_not_processed", "customer_initiated", "debit_not_authorized", "duplicate",
    "fraudulent", "general", "incorrect_account_details", "insufficient_funds", "product_not_received",
    "product_unacceptable", "subscription_canceled", "unrecognized",
)  # fmt: skip
CLOSED = {"won", "lost", "warning_closed"}
_OUTCOMES = {"winning_evidence": True, "losing_evidence": False}


@due("contest")
def contest(work: Work, charge_id: str) -> None:
    """What the bank does about a charge of one of the cards that are made for this."""
    charge = work.get(charge_id, "charge")
    behavior = charge["_behavior"]
    if behavior == "fraud_warning":
        warn(work, charge)
    elif not charge["disputed"] and charge["amount"] > charge["amount_refunded"]:
        reason = "product_not_received" if behavior == "disputed_not_received" else "fraudulent"
        begin(work, charge, reason=reason, is_inquiry=behavior == "inquiry")


def begin(
    work: Work, charge: Json, *, amount: int | None = None, reason: str = "fraudulent", is_inquiry: bool = False
) -> Json:
    """The cardholder disputes a charge: the bank takes the money back, and there is a fee. An inquiry only asks.

    ``amount``: by default what was not refunded. It may be less, and also more, because the bank of the cardholder
    does not know of refunds.
    """
    amount = charge["amount"] - charge["amount_refunded"] if amount is None else amount
    if not 1 <= amount <= charge["amount"]:
        raise invalid(f"Charge {charge['id']} can't be disputed over {amount}.", param="amount")
    if any(one["status"] not in CLOSED for one in work.rows("dispute", charge=charge["id"])):
        raise invalid(f"Charge {charge['id']} is disputed already.", code="charge_disputed")
    if reason not in REASONS:
        raise invalid(f"Invalid reason: must be one of {', '.join(REASONS)}", param="reason")
    by = work.now + ANSWER_DAYS * DAY
    dispute = work.new(
        "dispute",
        {
            "amount": amount, "balance_transaction": None, "balance_transactions": [], "charge": charge["id"],
            "currency": charge["currency"], "enhanced_eligibility_types": [], "evidence": {"uncategorized_text": None},
            "evidence_details": {
                "due_by": by, "enhanced_eligibility": {}, "has_evidence": False, "past_due": False,
                "submission_count": 0,
            },
            "is_charge_refundable": is_inquiry, "network_reason_code": "10.4",
            "payment_intent": charge["payment_intent"],
            "payment_method_details": {
                "type": "card", "card": {"brand": "visa", "case_type": "inquiry" if is_inquiry else "chargeback"},
            },
            "reason": reason, "status": "warning_needs_response" if is_inquiry else "needs_response",
        },
    )  # fmt: skip
    charge["disputed"] = True
    work.save(charge)
    work.schedule(by, "dispute unanswered", dispute["id"])
    if is_inquiry:
        work.emit("charge.dispute.created", dispute)
        return dispute
    _withdraw(work, dispute)
    work.emit("charge.dispute.created", dispute)
    work.emit("charge.dispute.funds_withdrawn", dispute)
    return dispute


def _withdraw(work: Work, dispute: Json) -> None:
    taken = balance.record(
        work, "adjustment", -dispute["amount"], dispute["currency"], dispute["id"],
        fees={"stripe_fee": balance.fees(work).dispute}, reporting_category="dispute",
        description=f"Chargeback withdrawal for {dispute['charge']}",
    )  # fmt: skip
    dispute["balance_transaction"] = taken["id"]
    dispute["balance_transactions"].append(public(taken))
    work.save(dispute)


def escalate(work: Work, dispute: Json) -> Json:
    """An inquiry becomes a dispute: now the bank takes the money."""
    if not dispute["status"].startswith("warning_") or dispute["status"] == "warning_closed":
        raise invalid(f"This dispute is {dispute['status']}, so it can't be escalated.")
    by = work.now + ANSWER_DAYS * DAY
    dispute |= {"status": "needs_response", "is_charge_refundable": False}
    dispute["evidence_details"]["due_by"] = by
    dispute["payment_method_details"]["card"]["case_type"] = "chargeback"
    work.schedule(by, "dispute unanswered", dispute["id"])
    _withdraw(work, dispute)
    work.emit("charge.dispute.updated", dispute)
    work.emit("charge.dispute.funds_withdrawn", dispute)
    return dispute


@due("dispute unanswered")
def expire(work: Work, id: str) -> None:
    """Nobody answered in time."""
    dispute = work.get(id, "dispute")
    if dispute["status"] not in CLOSED:
        decide(work, dispute, won=False)


def decide(
    work: Work, dispute: Json, *, won: bool, reinstated: int | None = None, fee_returned: int | None = None
) -> Json:
    """The bank decided. The money of a won dispute comes back, its fee does not unless ``fee_returned`` says so.

    ``reinstated``: less than the amount if the dispute was won in part. A bank can change its mind after a dispute was
    lost. An inquiry is closed, whatever was decided.
    """
    work.unschedule("dispute unanswered", dispute["id"])
    if dispute["status"].startswith("warning_"):
        dispute["status"] = "warning_closed"
        work.emit("charge.dispute.closed", work.save(dispute))
        return dispute
    dispute["status"] = "won" if won else "lost"
    if won:
        back = dispute["amount"] if reinstated is None else reinstated
        if not 0 <= back <= dispute["amount"]:
            raise invalid(f"A dispute over {dispute['amount']} can't reinstate {back}.", param="reinstated")
        moved = balance.record(
            work, "adjustment", back, dispute["currency"], dispute["id"], fees={"stripe_fee": -(fee_returned or 0)},
            reporting_category="dispute_reversal", description=f"Chargeback reversal for {dispute['charge']}",
        )  # fmt: skip
        dispute["balance_transactions"].append(public(moved))
        work.emit("charge.dispute.funds_reinstated", work.save(dispute))
    work.emit("charge.dispute.closed", work.save(dispute))
    return dispute


def warn(work: Work, charge: Json) -> Json:
    """The bank of the cardholder suspects fraud; a dispute may follow."""
    warning = work.new(
        "radar.early_fraud_warning",
        {
            "actionable": True, "charge": charge["id"], "fraud_type": "unauthorized_use_of_card",
            "payment_intent": charge["payment_intent"],
        },
    )  # fmt: skip
    del warning["metadata"]
    work.emit("radar.early_fraud_warning.created", work.save(warning))
    return warning


def _open(work: Work, id: str) -> Json:
    dispute = work.get(id, "dispute")
    if dispute["status"] in CLOSED:
        raise invalid(f"This dispute is already closed ({dispute['status']}).", code="dispute_closed")
    return dispute


@route("POST", "/v1/disputes/{id}")
def update(work: Work, params: Params, id: str) -> Json:
    """Give evidence; with ``submit`` (the default) the bank decides."""
    dispute = _open(work, id)
    evidence = params.inner("evidence")
    evidence.accept(*evidence.names())
    dispute["evidence"] |= params.plain("evidence")
    dispute["metadata"] = params.merge_metadata(dispute["metadata"])
    if evidence.names():
        dispute["evidence_details"]["has_evidence"] = True
    text = str(dispute["evidence"].get("uncategorized_text"))
    is_submitted = params.flag("submit", default=True) and bool(evidence.names())
    if is_submitted:
        dispute["evidence_details"]["submission_count"] += 1
        is_inquiry = dispute["status"].startswith("warning_")
        dispute["status"] = "warning_under_review" if is_inquiry else "under_review"
    work.emit("charge.dispute.updated", work.save(dispute))
    if is_submitted and text == "escalate_inquiry_evidence" and dispute["status"] == "warning_under_review":
        escalate(work, dispute)
    elif is_submitted and text in _OUTCOMES:
        decide(work, dispute, won=_OUTCOMES[text])
    return dispute


@route("POST", "/v1/disputes/{id}/close")
def close(work: Work, params: Params, id: str) -> Json:
    """Accept the dispute as lost."""
    return decide(work, _open(work, id), won=False)


@route("GET", "/v1/disputes/{id}")
def retrieve(work: Work, params: Params, id: str) -> Json:
    """A dispute."""
    return work.get(id, "dispute")


@route("GET", "/v1/disputes")
def index(work: Work, params: Params) -> Json:
    """Disputes, newest first."""
    return listing(work, params, "dispute", "/v1/disputes", ["charge", "payment_intent"])


@route("GET", "/v1/radar/early_fraud_warnings/{id}")
def retrieve_warning(work: Work, params: Params, id: str) -> Json:
    """A warning of fraud."""
    return work.get(id, "radar.early_fraud_warning")


@route("GET", "/v1/radar/early_fraud_warnings")
def warnings(work: Work, params: Params) -> Json:
    """Warnings of fraud, newest first."""
    fields = ["charge", "payment_intent"]
    return listing(work, params, "radar.early_fraud_warning", "/v1/radar/early_fraud_warnings", fields)
