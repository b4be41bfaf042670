"""Gifts: what their buyer says about them, their codes, their emails, and who redeems them.

The code is emailed by a job on the day that the buyer chose. A gift opens courses once, to the user who redeems its
code; its grants belong to the payment of its buyer, so a refund or a lost dispute ends them.
"""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from apps.accounts import services as people
from apps.accounts.models import User
from apps.accounts.queries import zone_of
from apps.billing import policies
from apps.billing.errors import GiftCodeUnknown, GiftOnHold, GiftOwned, GiftRedeemed, GiftRefused
from apps.billing.gift_codes import hash_gift_code, new_gift_code
from apps.billing.models import Dispute, Gift, Order, Payment, Refund
from apps.billing.queries.bundles import owned_courses
from apps.billing.services.grants import grant_gift
from studyplatform.kit import encryption, jobs, mail
from studyplatform.kit.models import Job
from studyplatform.kit.names import tidy_name
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.rate_limits import consume

CODE_PURPOSE = "gift code"
MAX_DAYS_AHEAD = 366
SEND_HOUR = time(8)
"""When a gift for a later day is sent, in the time zone of its buyer."""
FOLLOW_MAIL_AFTER = timedelta(minutes=10)


@dataclass(frozen=True, kw_only=True)
class GiftTerms:
    """What the buyer says about a gift. ``send_on``: a day in the buyer's time zone."""

    sender_name: str
    recipient_name: str
    recipient_email: str
    message: str
    send_on: date


def last_send_day(user: User, now: datetime) -> date:
    """Return the last day on which a gift can be sent."""
    return now.astimezone(zone_of(user)).date() + timedelta(days=MAX_DAYS_AHEAD)


def check_terms(terms: GiftTerms, *, user: User, now: datetime) -> None:
    """Refuse names that can't be seen, and days that have passed or are too far away.

    :raises GiftRefused: it says why.
    """
    if not tidy_name(terms.sender_name) or not tidy_name(terms.recipient_name):
        raise GiftRefused(reason=_("Enter the names of the recipient and of the sender."))
    today = now.astimezone(zone_of(user)).date()
    if not today <= terms.send_on <= last_send_day(user, now):
        raise GiftRefused(reason=_("Choose a day from today to a year ahead."))


def gifts_like(terms: GiftTerms, *, user: User) -> QuerySet[Gift]:
    """Return the user's gifts with the same terms that aren't paid."""
    day = datetime.combine(terms.send_on, time(), zone_of(user))
    return Gift.objects.filter(
        order__user=user,
        code_hash=None,
        send_at__gte=day,
        send_at__lt=day + timedelta(days=1),
        sender_name=tidy_name(terms.sender_name),
        recipient_name=tidy_name(terms.recipient_name),
        recipient_email=terms.recipient_email,
        message=terms.message.strip(),
    )


def create_gift(*, order: Order, terms: GiftTerms, now: datetime) -> Gift:
    """Keep what the buyer says about a gift that is about to be paid."""
    zone = zone_of(order.user)
    is_today = terms.send_on <= now.astimezone(zone).date()
    return Gift.objects.create(
        order=order,
        sender_name=terms.sender_name,
        recipient_name=terms.recipient_name,
        recipient_email=terms.recipient_email,
        message=terms.message.strip(),
        send_at=now if is_today else datetime.combine(terms.send_on, SEND_HOUR, zone),
        created_at=now,
    )


def prepare_gift(*, gift: Gift, payment: Payment, now: datetime) -> None:
    """Give a paid gift its code, and plan its email. The caller holds the lock of the order, inside a transaction."""
    code = new_gift_code()
    gift.code_hash = hash_gift_code(code)
    gift.encrypted_code = encryption.encrypt(code, purpose=CODE_PURPOSE)
    gift.save(update_fields=["code_hash", "encrypted_code"])
    _plan_mail(gift, delay=max(gift.send_at - now, timedelta(0)))


def _plan_mail(gift: Gift, *, delay: timedelta = timedelta(0)) -> None:
    jobs.enqueue("billing.send_gift", key=str(gift.pk), delay=delay, gift_id=gift.pk)


def code_of(gift: Gift) -> str:
    """Return the code of a paid gift, in groups."""
    return encryption.decrypt(gift.encrypted_code, purpose=CODE_PURPOSE)


def is_usable(payment: Payment) -> bool:
    """Return whether the code of a gift can be redeemed: its payment was neither returned nor is it disputed.

    A refund on its way counts as returned.
    """
    going = payment.refunds.filter(status=Refund.Status.PROCESSING).exists()
    disputed = payment.disputes.filter(status=Dispute.Status.OPEN).exists()
    return not payment.is_returned and not going and not disputed


def send_gift(*, gift_id: int, now: datetime) -> bool:
    """Email the code of a gift, once per plan. Returns False if its payment is under review: later, perhaps.

    The email is a job of the same transaction that notes it here, so a process that is killed sends it exactly once.
    """
    with transaction.atomic():
        gift = (
            Gift.objects.select_for_update(of=("self",)).select_related("order__user", "order__payment").get(pk=gift_id)
        )
        payment = gift.order.payment
        if gift.redeemed_by_id is not None or payment.is_returned or not gift.recipient_email:
            return True
        if not is_usable(payment):
            return False
        code = code_of(gift)
        sent = mail.send(
            "gift",
            to=gift.recipient_email,
            link=f"/gift/{code}",
            gift=gift,
            title=gift.order.title,
            code=code,
        )
        gift.sent_at, gift.mail_uid = now, sent.uid
        if gift.order.user.deleted_at is not None:  # nobody can correct the address any more
            gift.recipient_email = ""
        gift.save(update_fields=["sent_at", "mail_uid", "recipient_email"])
        jobs.enqueue("billing.follow_gift_mail", key=str(sent.uid), delay=FOLLOW_MAIL_AFTER, gift_id=gift.pk)
    return True


def follow_mail(*, gift_id: int, now: datetime) -> bool:
    """Tell the buyer if the last email of a gift failed for good. Returns whether it has arrived or failed."""
    gift = Gift.objects.select_related("order__user").get(pk=gift_id)
    row = Job.objects.filter(uid=gift.mail_uid).first() if gift.mail_uid else None
    if row is None or row.state == Job.State.DONE or gift.redeemed_by_id is not None:
        return True
    if row.state != Job.State.FAILED:
        return False
    link, to = f"/billing/gifts/{gift.uid}", gift.recipient_email
    people.notify("billing.gift_failed", gift.order.user, link, str(row.uid), now=now, title=gift.order.title, email=to)
    return True


def change_recipient(*, user: User, gift: Gift, name: str, email: str, now: datetime) -> None:
    """Correct to whom a gift goes. One that was sent is sent again, to the new address.

    :raises GiftRedeemed: it was redeemed in the meantime.
    :raises GiftRefused: the name can't be seen.
    :raises RateLimitExceeded: too many emails of gifts in an hour.
    """
    enforce(policies.see_gift(user, gift))
    if not tidy_name(name):
        raise GiftRefused(reason=_("Enter the name of the recipient."))
    with transaction.atomic():
        row = Gift.objects.select_for_update(of=("self",)).get(pk=gift.pk)
        if row.redeemed_by_id is not None:
            raise GiftRedeemed
        is_new = row.recipient_email != email
        row.recipient_name, row.recipient_email = name, email
        row.save(update_fields=["recipient_name", "recipient_email"])
    if is_new and row.sent_at is not None:
        send_again(user=user, gift=row, now=now)


def send_again(*, user: User, gift: Gift, now: datetime) -> None:
    """Email the code now, also before its day.

    :raises GiftRedeemed: it was redeemed in the meantime.
    :raises GiftOnHold: its payment was returned or is under review.
    :raises RateLimitExceeded: too many emails of gifts in an hour.
    """
    enforce(policies.see_gift(user, gift))
    row = Gift.objects.select_related("order__payment").get(pk=gift.pk)
    if row.redeemed_by_id is not None:
        raise GiftRedeemed
    if not is_usable(row.order.payment):
        raise GiftOnHold
    consume("gift_mail", str(user.pk), now=now)
    with transaction.atomic():
        # The one that was planned for a later day is brought forward.
        planned = Job.objects.select_for_update().filter(kind="billing.send_gift", key=str(row.pk), state="queued")
        if not planned.update(run_at=now):
            _plan_mail(row)
    jobs.wake_worker("default")


def gift_by_code(code: str) -> Gift:
    """Return the gift with a code, however it was typed. One query.

    :raises GiftCodeUnknown: there is none.
    """
    name = hash_gift_code(code)
    found = Gift.objects.select_related("order__payment", "order__user", "redeemed_by") if name else None
    gift = found.filter(code_hash=name).first() if found is not None else None
    if gift is None:
        raise GiftCodeUnknown
    return gift


def redeem_gift(*, user: User, code: str, now: datetime) -> Gift:
    """Open the courses of a gift to the user. Idempotent for them; a code is redeemed once.

    Of a bundle, the courses that the user doesn't own open.

    :raises GiftCodeUnknown: there is no such code.
    :raises GiftRedeemed: someone else has redeemed it.
    :raises GiftOnHold: its payment was returned or is under review.
    :raises GiftOwned: everything in it is open to the user already; the code stays usable.
    :raises RateLimitExceeded: the user has tried too many codes.
    """
    enforce(policies.redeem_gift(user))
    consume("gift_code", str(user.pk), now=now)
    known = gift_by_code(code)
    with transaction.atomic():
        # In this order: what a refund locks is locked first, so either the gift is redeemed or its code has ended.
        payment = Payment.objects.select_for_update(of=("self",)).select_related("order").get(order=known.order_id)
        gift = Gift.objects.select_for_update(of=("self",)).select_related("order__user").get(pk=known.pk)
        if gift.redeemed_by_id == user.pk:
            return gift
        if gift.redeemed_by_id is not None:
            raise GiftRedeemed
        if not is_usable(payment):
            raise GiftOnHold
        courses = [line.course for line in payment.lines]
        owned = owned_courses(user, courses)
        missing = [course for course in courses if course.pk not in owned]
        if not missing or not grant_gift(payment=payment, user=user, courses=missing, now=now):
            raise GiftOwned(gift=gift.order.title)
        gift.redeemed_by, gift.redeemed_at = user, now
        gift.save(update_fields=["redeemed_by", "redeemed_at"])
        buyer, link = gift.order.user, f"/billing/gifts/{gift.uid}"
        if buyer.pk != user.pk:
            name = gift.recipient_name or gift.order.title
            people.notify(
                "billing.gift_redeemed", buyer, link, str(gift.uid), now=now, title=gift.order.title, name=name
            )
    return gift


def tell_of_end(*, payment: Payment, now: datetime) -> None:
    """Tell the recipient of a gift that its payment was returned, so its courses closed. Idempotent."""
    gift = Gift.objects.select_related("redeemed_by", "order").filter(order__payment=payment).first()
    if gift is None or gift.redeemed_by is None or gift.redeemed_by_id == payment.user_id:
        return
    key = f"{gift.uid} ended"
    people.notify("billing.gift_ended", gift.redeemed_by, "/me/courses", key, now=now, title=gift.order.title)


def forget_gifts(*, user_id: int) -> None:
    """Delete what gifts say about a deleted account, and what it wrote. Idempotent.

    A gift that wasn't sent keeps the address until it is; one that can still be redeemed keeps what its page shows.
    """
    bought = Gift.objects.filter(order__user=user_id)
    bought.filter(sent_at__isnull=False).update(recipient_email="")
    nothing = {"recipient_name": "", "recipient_email": "", "message": ""}
    bought.filter(redeemed_by__isnull=False).update(**nothing)
    bought.filter(code_hash=None).update(**nothing)
    Gift.objects.filter(redeemed_by=user_id).update(**nothing)
