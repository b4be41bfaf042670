"""What must hold after any sequence of money, see `test_sequences`: each function yields what differs."""

from collections import Counter, defaultdict
from itertools import product

from django.db.models import Sum

from apps.billing import access
from apps.billing.models import (
    Deposit,
    Document,
    Grant,
    LedgerLine,
    Order,
    Payment,
    Payout,
    PromoCode,
    Redemption,
    Refund,
    Subscription,
)
from apps.billing.queries.ledger_check import problems
from apps.billing.queries.payouts import bank_transfers
from apps.billing.services import premium
from apps.learning.models import Enrollment
from tests.billing.seat_steps import holds_seat, seat_differences

_EARNED = ["sale", "premium_share"]


def differences(run):
    """Yield (what differs, how) after the last night of a run."""
    again = run.night() if run.has_second_night else None
    for found in again.findings if again else []:
        if "insufficient" not in found["text"]:  # a payout waits until the provider has the money
            yield "night", f"a second night still finds: {found}"
    for problem in problems():  # of the ledger, of payouts and of documents
        yield problem.kind, str(problem)
    yield from _of_provider(run)
    yield from _of_bank()
    yield from _of_payments(run)
    yield from _of_transfer_orders()
    yield from _of_access(run)
    yield from seat_differences(run, left_of)
    yield from _of_requests(run)
    yield from _of_codes()
    yield from _of_transfers(run)
    yield from run.premium_differences()


def _of_provider(run):
    """The account "provider" is the provider's balance, in each currency."""
    lines = LedgerLine.objects.filter(account__code="provider").order_by().values_list("currency")
    booked = {currency: amount for currency, amount in lines.annotate(Sum("amount")) if amount}
    if booked != (there := run.balance()):
        yield "balance", f"the ledger has {booked}, the provider {there}"


def _sum(rows, field="amount"):
    return rows.aggregate(sum=Sum(field))["sum"] or 0


def _of_bank():
    """What buyers transferred, less what was transferred back."""
    lines = LedgerLine.objects.filter(account__code="bank")
    kinds = ["sale", "subscription", "refund", "refund_failed", "deposit", "deposit_returned"]
    booked = _sum(lines.filter(entry__kind__in=kinds))
    deposits = list(Deposit.objects.all())
    direct = Payment.objects.filter(method="transfer").exclude(order__deposits__applied__gt=0)
    arrived = _sum(direct) + sum(each.amount for each in deposits)
    returned = _sum(Refund.objects.filter(method="transfer", status="done"))
    left = returned + sum(each.amount - each.applied for each in deposits if each.returned_on)
    if booked != arrived - left:
        yield "bank", f"{arrived} arrived by transfer and {left} went back; the ledger has {booked}"
    held = -_sum(LedgerLine.objects.filter(account__code="deposits"))
    if held != sum(each.rest for each in deposits):
        yield "deposits", f"{sum(each.rest for each in deposits)} are held for buyers; the ledger has {held}"


def _of_transfer_orders():
    """An order by transfer has one invoice while it is open or paid, and a credit note beside it once it is canceled.

    It is paid once, and what was held for it makes the payment.
    """
    for order in Order.objects.filter(method="transfer"):
        early = Document.objects.filter(order=order, payment=None)
        documented = sum(each.sign * each.total for each in early)
        if documented != (0 if order.status == "canceled" else order.total):
            yield "order", f"{order} is {order.status}; its documents add up to {documented}"
        paid = Payment.objects.filter(order=order).first()
        if (order.status == "paid") != (paid is not None):
            yield "order", f"{order} is {order.status}, and its payment is {paid}"
        applied = sum(each.applied + each.charges for each in order.deposits.all())
        if applied not in ({0, order.total} if paid is not None and paid.method == "transfer" else {0}):
            yield "order", f"{applied} of what was transferred for {order} paid it"


def _of_payments(run):
    charges = {each["payment_intent"]: each for each in run.rows("charge") if each["paid"]}
    rows = list(Payment.objects.filter(amount__gt=0, method="card"))
    if set(charges) != {row.gateway_id for row in rows}:
        yield "payments", f"{len(rows)} payments here, {len(charges)} at the provider"
        return
    for row in rows:
        charge = charges[row.gateway_id]
        refunded = _sum(row.refunds.filter(status="done", method="card"))
        if (row.amount, refunded) != (charge["amount"], charge["amount_refunded"]):
            told = f"{charge['amount']} paid, {charge['amount_refunded']} refunded at the provider"
            yield "refunded", f"{row.amount} paid, {refunded} refunded here, {told}"
    for row in Payment.objects.filter(amount__gt=0):
        if row.refunded != min(row.amount, _sum(row.refunds.filter(status="done"))):
            yield "refunded", f"{row.refunded} of {row.amount} are refunded, its refunds say something else"


def left_of(run, payment):
    """What is left of a payment after refunds, by the provider and by the bank, and what disputes took for good."""
    refunded = sum(
        each["amount"]
        for each in run.rows("refund")
        if each["payment_intent"] == payment.gateway_id and each["status"] in {"succeeded", "pending"}
    )
    lost = -sum(
        moved["amount"]
        for each in run.rows("dispute")
        if each["payment_intent"] == payment.gateway_id and each["status"] in {"won", "lost"}
        for moved in each["balance_transactions"]
    )
    by_bank = _sum(payment.refunds.filter(method="transfer", status="done"))
    return payment.amount - refunded - by_bank - lost


def _of_access(run):
    """A course is open exactly if it is paid and not given back; nobody pays for it twice without a return waiting."""
    kept_by = defaultdict(list)
    for payment in Payment.objects.filter(kind=Payment.Kind.COURSE).exclude(order__is_for_team=True):
        if left_of(run, payment) > 0:
            kept_by[payment.user_id, payment.course_id].append(payment)
    enrollments = set(Enrollment.objects.active().values_list("user_id", "course_id"))
    granted = set(Grant.objects.values_list("user_id", "course_id"))
    for user, course in [pair for party in run.parties for pair in product(party.learners, party.courses)]:
        pair = (user.pk, course.pk)
        kept, enrolled = kept_by[pair], pair in enrollments
        if len(kept) > 1 and not run.returns_wait(kept):
            yield "charged twice", f"{len(kept)} payments for {course} are kept, and no admin was notified"
        # A course that has a price opens by a grant alone.
        is_open = pair in granted and access.access_to(user, course) is not None
        if not enrolled == (bool(kept) or (pair in granted and holds_seat(user, course, run.moment()))) == is_open:
            yield "access", f"{len(kept)} payments are kept; open: {is_open}, enrolled: {enrolled}"


def _of_requests(run):
    for refund in Refund.objects.filter(status__in=["requested", "processing"]).select_related("payment"):
        payment = refund.payment
        if refund.status == Refund.Status.PROCESSING and refund.method == "card":
            yield "refund", f"a refund of {refund.amount} is still on its way"
        elif left_of(run, payment) < refund.amount:
            yield "open request", f"a request of {refund.amount} waits; {left_of(run, payment)} are left to return"


def _of_codes():
    held = Counter(Redemption.objects.filter(state__in=["reserved", "used"]).values_list("code_id", flat=True))
    for code in PromoCode.objects.all():
        if code.used != held[code.pk]:
            yield "code", f"{code.code} was used {held[code.pk]} times, its row says {code.used}"


def _of_transfers(run):
    """Money reaches instructors once: what a payout says was sent, was; nobody gets more than they earned."""
    sent, out, going = Counter(), Counter(), Counter()
    for transfer in run.rows("transfer"):
        sent[transfer["transfer_group"]] += transfer["amount"] - transfer["amount_reversed"]
    payouts = list(Payout.objects.exclude(state="scheduled"))
    yield from _of_bank_payouts(payouts)
    for payout in payouts:
        is_bank = payout.method == "bank"
        arrived = (payout.amount if payout.state in {"processing", "sent"} else 0) if is_bank else sent[payout.key]
        out[payout.instructor_id] += arrived
        going[payout.instructor_id] += payout.amount if payout.state == "processing" and not arrived else 0
        if not is_bank and (payout.state == "failed") != (arrived == 0) and payout.state != "processing":
            yield "payout", f"a payout of {payout.amount} is {payout.state}, and {arrived} were transferred"
    sums = defaultdict(Counter)
    lines = LedgerLine.objects.exclude(account__instructor_id=None)
    for pk, kind, amount in lines.values_list("account__instructor_id", "entry__kind", "amount"):
        sums[pk][kind] -= amount
    for pk in [party.teacher.pk for party in run.parties]:
        earned = sum(sums[pk][kind] for kind in _EARNED)
        if out[pk] > earned:
            yield "paid out twice", f"{earned} were earned, {out[pk]} were sent"
        kept = sum(amount for kind, amount in sums[pk].items() if not kind.startswith("payout"))
        owed = sum(sums[pk].values())
        if kept - out[pk] - going[pk] != owed:
            yield "owed", f"of {kept} earned, {out[pk]} were sent; the ledger owes {owed}"


def _of_bank_payouts(payouts):
    """A bank payout in processing is in the file that an admin gives to the bank."""
    for payout in payouts:
        is_going = (payout.method, payout.state) == ("bank", "processing")
        if is_going and not any(payout.key in line for line in bank_transfers(payout.run_id)):
            yield "stuck", f"a bank payout of {payout.amount} can't be sent"


def shown_and_charged(run, **chosen):
    """What a subscription says its next renewal costs, and what the provider will charge."""
    rows = Subscription.objects.live().filter(**chosen).exclude(gateway_id=None)
    for row in rows.select_related("user", "redemption__code"):
        if row.status in {"trialing", "active"} and not row.cancels_at_period_end:
            yield run.shown_renewal(row), run.call("invoices/create_preview", subscription=row.gateway_id)["amount_due"]


def meanings(run):
    """The state here and at the provider of each subscription."""
    states = {each["id"]: each for each in run.rows("subscription")}
    for row in Subscription.objects.exclude(gateway_id=None):
        state = states[row.gateway_id]
        yield row, premium.MEANING[state["status"]], state["items"]["data"][0]["current_period_end"]
