"""Disputes: https://docs.stripe.com/api/disputes.

The card 4000 0000 0000 0259 is disputed as soon as it is charged. The published texts of evidence decide
(https://docs.stripe.com/testing#disputes): ``winning_evidence`` wins, ``losing_evidence`` loses, silence loses, too.
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
_OUTCOMES = {"winning_evidence": True, "losing_evidence": False}


@due("dispute")
def begin(work: Work, charge_id: str) -> None:
    """The cardholder disputes a charge: the bank takes the money back, and there is a fee."""
    charge = work.get(charge_id, "charge")
    amount = charge["amount"] - charge["amount_refunded"]
    if charge["disputed"] or not amount:
        return
    by = work.now + ANSWER_DAYS * DAY
    dispute = work.new(
        "dispute",
        {
            "amount": amount, "balance_transaction": None, "balance_transactions": [], "charge": charge_id,
            "currency": charge["currency"], "enhanced_eligibility_types": [], "evidence": {"uncategorized_text": None},
            "evidence_details": {
                "due_by": by, "enhanced_eligibility": {}, "has_evidence": False, "past_due": False,
                "submission_count": 0,
            },
            "is_charge_refundable": False, "network_reason_code": "10.4", "payment_intent": charge["payment_intent"],
            "payment_method_details": {"type": "card", "card": {"brand": "visa", "case_type": "chargeback"}},
            "reason": "fraudulent", "status": "needs_response",
        },
    )  # fmt: skip
    taken = balance.record(
        work, "adjustment", -amount, charge["currency"], dispute["id"], fee=balance.DISPUTE_FEE,
        description=f"Chargeback withdrawal for {charge_id}",
    )  # fmt: skip
    dispute |= {"balance_transaction": taken["id"], "balance_transactions": [public(taken)]}
    work.save(dispute)
    charge["disputed"] = True
    work.save(charge)
    work.schedule(by, "dispute unanswered", dispute["id"])
    work.emit("charge.dispute.created", dispute)
    work.emit("charge.dispute.funds_withdrawn", dispute)


@due("dispute unanswered")
def expire(work: Work, id: str) -> None:
    """Nobody answered in time."""
    decide(work, work.get(id, "dispute"), won=False)


def decide(work: Work, dispute: Json, *, won: bool) -> Json:
    """The bank decided. The money of a won dispute comes back; the fee does not."""
    work.unschedule("dispute unanswered", dispute["id"])
    dispute["status"] = "won" if won else "lost"
    if won:
        back = balance.record(
            work, "adjustment", dispute["amount"], dispute["currency"], dispute["id"], description="Chargeback reversal"
        )
        dispute["balance_transactions"].append(public(back))
        charge = work.get(dispute["charge"], "charge")
        charge |= {"_dispute_won": True}
        work.save(charge)
        work.emit("charge.dispute.funds_reinstated", work.save(dispute))
    work.emit("charge.dispute.closed", work.save(dispute))
    return dispute


def _open(work: Work, id: str) -> Json:
    dispute = work.get(id, "dispute")
    if dispute["status"] in {"won", "lost"}:
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
    outcome = _OUTCOMES.get(str(dispute["evidence"].get("uncategorized_text")))
    if params.flag("submit", default=True) and evidence.names():
        dispute["evidence_details"]["submission_count"] += 1
        dispute["status"] = "under_review"
    work.emit("charge.dispute.updated", work.save(dispute))
    if dispute["status"] == "under_review" and outcome is not None:
        decide(work, dispute, won=outcome)
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
