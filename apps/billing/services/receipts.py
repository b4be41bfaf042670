"""Tell learners about their payments and refunds."""

from datetime import datetime

from django.utils.translation import gettext as _

from apps.accounts import services as people
from apps.accounts.models import Role, User
from apps.billing.documents.pages import percent, seller_name
from apps.billing.models import Dispute, Document, Grant, Payment, Refund
from apps.billing.queries.document_check import invoice_of
from apps.billing.tax import wording_of
from studyplatform.kit import mail
from studyplatform.kit.text.money import money

ATTACHED_DOCUMENT = "billing.document"


def tell_of_payment(*, payment: Payment) -> None:
    """Notify the learner of a payment, with its invoice; of what cost nothing, that it is open. Once per payment."""
    link = f"/billing/transactions/{payment.uid}"
    if not payment.amount:
        link = f"/learn/{payment.course.slug}" if payment.course else link
        key, at = str(payment.uid), payment.opened_at
        people.notify("billing.opened_free", payment.user, link, key, now=at, title=payment.title)
        return
    invoice = invoice_of(payment)
    people.notify(
        "billing.paid",
        payment.user,
        link,
        str(payment.uid),
        to=payment.email,
        attachments=attach_documents([invoice] if invoice else []),
        now=payment.opened_at,
        title=payment.title,
        amount=money(payment.amount, payment.currency, cents=True),
        number=payment.receipt_number,
        document=str(invoice or payment.receipt_number),
        seller=seller_name(),
        tax=tax_text(payment),
    )


_OUTCOMES = {Refund.Status.DECLINED: "billing.refund_declined", Refund.Status.CLOSED: "billing.refund_closed"}


def tell_of_refund(*, refund: Refund) -> None:
    """Notify the learner of a refund that was made (with its credit note), declined, closed or failed.

    Once per outcome.
    """
    if refund.status == Refund.Status.FAILED:
        _tell_of_failed_refund(refund)
        return
    payment = refund.payment
    kind = _OUTCOMES.get(Refund.Status(refund.status), "billing.refunded")
    declined, made = refund.status == Refund.Status.DECLINED, kind == "billing.refunded"
    credit_notes = list(Document.objects.filter(refund=refund, kind=Document.Kind.CREDIT_NOTE)) if made else []
    people.notify(
        kind,
        payment.user,
        f"/billing/transactions/{payment.uid}",
        f"{refund.uid} {refund.status}",
        to=payment.email,
        attachments=attach_documents(credit_notes),
        now=(refund.done_at if made else refund.decided_at) or refund.requested_at,
        title=payment.title,
        amount=money(refund.amount, payment.currency, cents=True),
        reason=f"{_sentence(refund.decision)} {_used(refund)}".strip() if declined else refund.decision,
    )


def _sentence(text: str) -> str:
    return text if not text or text[-1] in ".!?…" else f"{text}."


def _used(refund: Refund) -> str:
    """How much of the course was used, which is what the rule is about; "" if nothing was."""
    if not refund.consumed:
        return ""
    text = _("You had used %(percent)d%% of the course when you asked.")
    if refund.payment.is_bundle:
        text = _("You had used %(percent)d%% of the courses when you asked.")
    return text % {"percent": refund.consumed}


def tell_of_granted_refund(*, refund: Refund) -> None:
    """Notify the learner that an admin granted their request, unless the money is back already or couldn't be sent."""
    payment = refund.payment
    if refund.status != Refund.Status.PROCESSING:
        return
    people.notify(
        "billing.refund_to_transfer" if refund.is_to_transfer else "billing.refund_granted",
        payment.user,
        f"/billing/transactions/{payment.uid}",
        f"{refund.uid} granted",
        to=payment.email,
        now=refund.decided_at or refund.requested_at,
        title=payment.title,
        amount=money(refund.amount, payment.currency, cents=True),
    )


def tell_of_lost_dispute(*, dispute: Dispute) -> None:
    """Notify the learner that their bank took a payment back, and what that ended, with the credit note.

    Once per credit note: a bank can take more back later.
    """
    payment = dispute.payment
    if dispute.status != Dispute.Status.LOST:
        return
    credit_notes = _documents_of(dispute, Document.Kind.CREDIT_NOTE)
    ended = Grant.objects.filter(payment=payment, end_reason=Grant.End.DISPUTE).exists()
    closed_at = dispute.closed_at or dispute.opened_at
    access = ""
    if payment.order is not None and payment.order.is_for_team:
        access = _("The seats have ended with it.") if payment.is_returned else _("The seats stay open.")
    elif _was_present_premium(payment, closed_at):
        access = _("Premium has ended with it.")
    elif ended:
        access = _("Your access has ended with it.")
    people.notify(
        "billing.dispute_lost",
        payment.user,
        f"/billing/transactions/{payment.uid}",
        " ".join([dispute.gateway_id, *(note.number for note in credit_notes[1:])]),
        to=payment.email,
        attachments=attach_documents(credit_notes[-1:]),
        now=closed_at,
        title=payment.title,
        amount=money(dispute.lost, payment.currency, cents=True),
        access=access,
    )


def tell_of_reversed_dispute(*, dispute: Dispute) -> None:
    """Notify the learner that a dispute which was lost was decided the other way after all, with the invoice for it.

    Once per invoice.
    """
    invoices = _documents_of(dispute, Document.Kind.INVOICE)
    if not invoices:
        return
    payment, last = dispute.payment, invoices[-1]
    people.notify(
        "billing.dispute_reversed",
        payment.user,
        f"/billing/transactions/{payment.uid}",
        f"{dispute.gateway_id} {last.number}",
        to=payment.email,
        attachments=attach_documents([last]),
        now=last.issued_at,
        title=payment.title,
        amount=money(last.total, last.currency, cents=True),
    )


def _documents_of(dispute: Dispute, kind: str) -> list[Document]:
    """The documents of a kind that a dispute led to, as they were issued."""
    return list(Document.objects.filter(dispute=dispute, kind=kind).order_by("issued_at", "pk"))


def _was_present_premium(payment: Payment, moment: datetime) -> bool:
    """Whether a payment whose money went back in full had paid the present period, which `end_returned` ends."""
    row = payment.subscription
    if row is None or payment.period_start is None or payment.period_end is None or not payment.is_returned:
        return False
    is_of_former_plan = row.period_start is not None and payment.period_start < row.period_start
    return payment.period_end > moment and not is_of_former_plan


def tax_text(payment: Payment) -> str:
    """Return a sentence about the tax in a payment, such as "$9.20 of it is tax (19%)."."""
    if payment.tax:
        tax = money(payment.tax, payment.currency, cents=True)
        return _("%(tax)s of it is tax (%(rate)s%%).") % {"tax": tax, "rate": percent(payment.tax_rate)}
    return wording_of(payment.tax_treatment) or _("It contains no tax.")


def attach_documents(documents: list[Document]) -> list[mail.Attached]:
    """Return documents as attachments of an email: they are printed when it is sent."""
    return [(ATTACHED_DOCUMENT, str(document.uid)) for document in documents]


def _tell_of_failed_refund(refund: Refund) -> None:
    """Notify the learner and the admins of a refund that didn't arrive: somebody has to return the money.

    The bank sent it back, or the provider refused it. Learners have never heard of an admin's refund that was refused.
    """
    payment = refund.payment
    is_unheard_of = refund.gateway_id is None and refund.requested_by_id not in (None, payment.user_id)
    amount = money(refund.amount, payment.currency, cents=True)
    link, key = f"/billing/transactions/{payment.uid}", f"{refund.uid} {refund.status}"
    # It was documented if it was done before it failed: an invoice then cancels its credit note.
    invoices = list(Document.objects.filter(refund=refund, kind=Document.Kind.INVOICE).order_by("issued_at", "pk"))
    if not is_unheard_of:
        people.notify(
            "billing.refund_failed",
            payment.user,
            link,
            key,
            to=payment.email,
            attachments=attach_documents(invoices),
            title=payment.title,
            amount=amount,
        )
    people.notify_all(
        "billing.refund_to_return",
        User.objects.filter(role=Role.ADMIN, is_active=True),
        f"/dashboard/admin/payments/{payment.uid}/refund",
        key,
        name=payment.user.display_name,
        amount=amount,
        reason=refund.failure_text,
    )
