"""Money that goes back: the rule, the decision, and what it closes; against the real stand-in."""

from dataclasses import replace
from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.utils import timezone

from apps.accounts.errors import RoleRequired
from apps.accounts.models import Notification
from apps.billing import gateway
from apps.billing.access import access_to
from apps.billing.errors import NothingToRefund, PaymentProcessingError, RefundDecided, RefundPending
from apps.billing.models import BooksCheck, Dispute, Grant, LedgerLine, Payment, Refund
from apps.billing.purchases import purchase_of_course
from apps.billing.services import ReviewReason, books_checks, checkout, receipts, refund_states, refunds, review_reason
from apps.learning.models import Certificate, Enrollment
from studyplatform.kit import jobs
from studyplatform.kit.errors import NotFound
from tests.factories.courses import LessonFactory
from tests.factories.learning import CertificateFactory, LessonProgressFactory
from tests.factories.selling import GrantFactory, PaymentFactory
from tests.learning.test_races import run_simultaneously

pytestmark = [pytest.mark.database, pytest.mark.django_db]


@pytest.fixture
def payment(standin, card_form, mia, paid):
    """Mia has bought the course."""
    now = timezone.now()
    begun = checkout.begin_order(
        user=mia, purchase=purchase_of_course(paid),
        code="", country="", email="", expected_total=6400, expected_currency="usd", card="",
        saves_card=False, agrees=True, now=now,
    )  # fmt: skip
    card_form.confirm(begun.client_secret)
    checkout.sync_order(order=begun.order, now=now)
    return Payment.objects.get()


def ask(payment, *, days=0, reason="Not for me", user=None):
    now = timezone.now() + timedelta(days=days)
    return refunds.request_refund(user=user or payment.user, payment=payment, reason=reason, now=now)


def balance(account):
    return sum(LedgerLine.objects.filter(account__code=account).values_list("amount", flat=True))


def is_enrolled(payment):
    return Enrollment.objects.active().of(payment.user_id).filter(course=payment.course_id).exists()


def test_a_refund_within_the_period_is_made_at_once_and_closes_the_course(payment, ada):
    refund = ask(payment)

    payment.refresh_from_db()
    assert refund.status == Refund.Status.DONE
    assert payment.refunded == 6400
    assert access_to(payment.user, payment.course) is None
    assert not is_enrolled(payment)
    assert Grant.objects.get().end_reason == Grant.End.REFUND
    assert balance(f"instructor:{ada.pk}") == 0
    assert balance("provider") == -216  # the provider keeps its fee


@pytest.mark.parametrize(
    ("days", "percent", "immediate"), [(13.9, 19, True), (14.1, 0, False), (0, 20, False), (0, 100, False)]
)
def test_the_rule_has_sharp_edges(payment, days, percent, immediate):
    Enrollment.objects.update(percent=percent)

    refund = ask(payment, days=days)

    assert refund.status == (Refund.Status.DONE if immediate else Refund.Status.REQUESTED)
    assert is_enrolled(payment) is not immediate


def test_what_was_watched_counts_although_no_lesson_is_complete(payment):
    """89 % of the only video: it isn't complete, and it was used."""
    lesson = LessonFactory(course=payment.course, kind="video", duration=1000)
    LessonProgressFactory(
        enrollment=Enrollment.objects.get(), lesson=lesson, watched=[[0, 890]], watched_seconds=890, completed_at=None
    )

    assert review_reason(payment=payment, now=timezone.now()) is ReviewReason.TOO_MUCH_CONSUMED
    refund = ask(payment)
    assert (refund.status, refund.consumed) == (Refund.Status.REQUESTED, 89)


@pytest.mark.parametrize("lost", [False, True])
def test_the_second_refund_of_a_course_needs_a_decision(payment, lost):
    if lost:  # the bank took the money back
        Grant.objects.update(end_reason=Grant.End.DISPUTE, ended_at=timezone.now())
    else:
        assert ask(payment).status == Refund.Status.DONE
    again = PaymentFactory(user=payment.user, course=payment.course, paid_at=timezone.now())
    GrantFactory(user=payment.user, course=payment.course, source=Grant.Source.PURCHASE, payment=again)

    assert review_reason(payment=again, now=timezone.now()) is ReviewReason.REFUNDED_BEFORE
    assert ask(again).status == Refund.Status.REQUESTED


def test_a_payment_made_twice_is_no_earlier_refund(payment):
    PaymentFactory(user=payment.user, course=payment.course, refunded=6400)  # it opened nothing
    other = PaymentFactory(user=payment.user, refunded=6400)
    GrantFactory(user=payment.user, course=other.course, source=Grant.Source.PURCHASE, payment=other)

    assert review_reason(payment=payment, now=timezone.now()) is None


def test_an_admin_decides_what_the_rule_does_not(payment, sam):
    waiting = ask(payment, days=30)

    done = refunds.decide_refund(admin=sam, refund=waiting, grants=True, reason="Fair", now=timezone.now())

    assert (done.status, done.decided_by, done.decision) == (Refund.Status.DONE, sam, "Fair")
    assert not is_enrolled(payment)


def test_a_declined_request_changes_nothing_but_can_be_made_again(payment, sam):
    waiting = ask(payment, days=30)

    declined = refunds.decide_refund(admin=sam, refund=waiting, grants=False, reason="Too late", now=timezone.now())

    assert declined.status == Refund.Status.DECLINED
    assert is_enrolled(payment)
    with pytest.raises(RefundDecided):
        refunds.decide_refund(admin=sam, refund=waiting, grants=True, reason="", now=timezone.now())
    assert ask(payment, days=31).status == Refund.Status.REQUESTED


def test_only_the_buyer_asks_and_only_admins_decide(payment, leo, ada, sam):
    for other in (leo, ada, sam):
        with pytest.raises(NotFound):
            ask(payment, user=other)
    waiting = ask(payment, days=30)
    for other in (leo, ada, payment.user):
        with pytest.raises(RoleRequired):
            refunds.decide_refund(admin=other, refund=waiting, grants=True, reason="", now=timezone.now())
        with pytest.raises(RoleRequired):
            refunds.refund_by_admin(admin=other, payment=payment, amount=1, reason="", now=timezone.now())


def test_a_second_request_while_the_first_waits_is_refused(payment):
    ask(payment, days=30)

    with pytest.raises(RefundPending):
        ask(payment, days=30)


def test_partial_refunds_keep_the_course_open_until_everything_is_returned(payment, sam, ada):
    for amount in (1, 2133):
        refunds.refund_by_admin(admin=sam, payment=payment, amount=amount, reason="Partly", now=timezone.now())
    payment.refresh_from_db()
    assert payment.refunded == 2134
    assert is_enrolled(payment)

    with pytest.raises(NothingToRefund):
        refunds.refund_by_admin(admin=sam, payment=payment, amount=4267, reason="", now=timezone.now())
    refunds.refund_by_admin(admin=sam, payment=payment, amount=4266, reason="", now=timezone.now())

    assert not is_enrolled(payment)
    assert balance(f"instructor:{ada.pk}") == 0


def test_a_disputed_payment_is_returned_only_after_the_dispute_was_won(payment, sam):
    Dispute.objects.create(payment=payment, gateway_id="dp_1", amount=6400, opened_at=timezone.now())
    with pytest.raises(NothingToRefund):
        refunds.refund_by_admin(admin=sam, payment=payment, amount=1, reason="", now=timezone.now())

    Dispute.objects.update(status=Dispute.Status.WON)
    refunds.refund_by_admin(admin=sam, payment=payment, amount=1, reason="", now=timezone.now())

    assert Refund.objects.get().amount == 1


def test_a_certificate_that_was_issued_before_stays(payment, sam):
    certificate = CertificateFactory(enrollment=Enrollment.objects.get())

    refunds.refund_by_admin(admin=sam, payment=payment, amount=6400, reason="", now=timezone.now())

    assert Certificate.objects.get() == certificate


def test_a_refund_that_could_not_be_sent_is_sent_by_a_job(payment, settings, standin):
    settings.STRIPE_API_HOST = "http://127.0.0.1:9"
    refund = ask(payment)
    assert refund.status == Refund.Status.PROCESSING
    assert is_enrolled(payment)

    settings.STRIPE_API_HOST = standin.address
    refunds.send(refund=refund, now=timezone.now())
    refunds.send(refund=refund, now=timezone.now())

    refund.refresh_from_db()
    assert refund.status == Refund.Status.DONE
    assert balance("provider") == -216


def test_a_refund_that_was_made_at_the_provider_arrives_by_a_webhook(payment, standin, webhooks):
    webhooks()
    secret = {"Authorization": f"Bearer {standin.secret_key}"}
    standin.call("POST", "/v1/refunds", {"payment_intent": payment.gateway_id, "amount": 6400}, secret)

    webhooks()

    payment.refresh_from_db()
    assert payment.refunded == 6400
    assert not is_enrolled(payment)


def test_a_learner_who_buys_again_after_a_refund_keeps_the_progress(payment, standin, card_form, mia, paid):
    Enrollment.objects.update(percent=15, completed_lessons=1)
    ask(payment)

    begun = checkout.begin_order(
        user=mia, purchase=purchase_of_course(paid),
        code="", country="", email="", expected_total=6400, expected_currency="usd", card="",
        saves_card=False, agrees=True, now=timezone.now(),
    )  # fmt: skip
    card_form.confirm(begun.client_secret)
    checkout.sync_order(order=begun.order, now=timezone.now())

    assert Enrollment.objects.active().get().percent == 15


def test_the_learner_is_told(payment, mia):
    jobs.run_pending("default")
    ask(payment)
    jobs.run_pending("default")

    assert set(mia.notifications.values_list("kind", flat=True)) >= {"billing.paid", "billing.refunded"}


def test_a_refund_that_the_provider_refuses_fails_and_says_why(payment, standin):
    refund = Refund.objects.create(
        payment=payment, amount=6401, status=Refund.Status.PROCESSING, requested_at=timezone.now()
    )

    refunds.send(refund=refund, now=timezone.now())

    refund.refresh_from_db()
    assert (refund.status, is_enrolled(payment)) == (Refund.Status.FAILED, True)
    assert "greater than unrefunded amount" in refund.failure


def test_what_the_provider_did_unseen_counts_before_a_request_is_decided(payment, standin, sam, mia):
    """A part was refunded in its dashboard, then the payment was disputed; no event of either arrived."""
    request = ask(payment, days=20)
    standin.refund(payment.gateway_id, 1400)

    granted = refunds.decide_refund(admin=sam, refund=request, grants=True, reason="", now=timezone.now())

    payment.refresh_from_db()
    assert (granted.status, granted.amount, payment.left) == (Refund.Status.DONE, 5000, 0)


def test_a_request_waits_while_a_dispute_that_nobody_saw_is_open(payment, standin, sam, monkeypatch):
    request = ask(payment, days=20)
    dispute = standin.dispute(payment.gateway_id)

    with pytest.raises(NothingToRefund):
        refunds.decide_refund(admin=sam, refund=request, grants=True, reason="", now=timezone.now())
    request.refresh_from_db()
    assert request.status == Refund.Status.REQUESTED

    # Who is faster than the provider's own answer is refused by it, and both sides are notified.
    Dispute.objects.update(status="won")
    monkeypatch.setattr(refunds, "sync_dispute", lambda **_: None)
    refunds.decide_refund(admin=sam, refund=request, grants=True, reason="", now=timezone.now())
    jobs.run_pending("default")
    request.refresh_from_db()
    assert (dispute["status"], request.status) == ("needs_response", Refund.Status.FAILED)
    assert (len(told("refund_failed")), len(told("refund_to_return"))) == (1, 1)


def test_an_old_answer_of_the_provider_does_not_open_the_course_again(payment, monkeypatch):
    ask(payment)
    asked = gateway.refunds_of(payment.gateway_id)
    monkeypatch.setattr(gateway, "refunds_of", lambda _: [replace(each, status="pending") for each in asked])

    refund_states.sync_refunds(payment=payment, now=timezone.now())

    assert Refund.objects.get().status == Refund.Status.DONE
    assert not is_enrolled(payment)


def told(kind):
    return [each.params for each in Notification.objects.filter(kind=f"billing.{kind}")]


def test_a_learner_is_told_of_a_decision_and_of_how_much_was_used(payment, sam, monkeypatch):
    Enrollment.objects.update(percent=40)
    waiting = ask(payment)
    refunds.decide_refund(admin=sam, refund=waiting, grants=False, reason="Too much", now=timezone.now())
    jobs.run_pending("default")
    [declined] = told("refund_declined")
    assert declined["reason"] == "Too much. You had used 40% of the course when you asked."

    monkeypatch.setattr(gateway, "create_refund", Mock(side_effect=PaymentProcessingError(reason="")))
    again = ask(payment)
    granted = refunds.decide_refund(admin=sam, refund=again, grants=True, reason="", now=timezone.now())
    assert granted.status == Refund.Status.PROCESSING  # the provider can't be reached
    receipts.tell_of_granted_refund(refund=granted)
    receipts.tell_of_granted_refund(refund=granted)
    [approved] = told("refund_granted")
    assert approved["amount"] == "$64.00"
    granted.status = Refund.Status.DONE
    receipts.tell_of_granted_refund(refund=granted)
    assert len(told("refund_granted")) == 1


def test_a_learner_is_told_that_a_lost_dispute_ended_access(payment):
    now = timezone.now()
    lost = Dispute.objects.create(
        payment=payment,
        gateway_id="du_1",
        amount=6400,
        lost=6400,
        status=Dispute.Status.LOST,
        opened_at=now,
        closed_at=now,
    )
    Grant.objects.update(end_reason=Grant.End.DISPUTE, ended_at=now)
    for _ in range(2):
        receipts.tell_of_lost_dispute(dispute=lost)

    [params] = told("dispute_lost")
    assert (params["amount"], params["access"]) == ("$64.00", "Your access has ended with it.")


@pytest.mark.django_db(transaction=True)
def test_of_two_refunds_of_a_course_at_once_one_needs_a_decision(mia, paid, monkeypatch):
    """The course was opened by two payments, such as on its own and in a bundle."""
    monkeypatch.setattr(gateway, "create_refund", lambda **_: "")
    monkeypatch.setattr(gateway, "refunds_of", lambda _intent: [])
    payments = [PaymentFactory(user=mia, course=paid, paid_at=timezone.now()) for _ in range(2)]
    for each in payments:
        GrantFactory(user=mia, course=paid, source=Grant.Source.PURCHASE, payment=each, ended_at=timezone.now())

    outcomes = run_simultaneously(*[lambda each=each: ask(each) for each in payments])

    assert sorted(each.status for each in outcomes) == [Refund.Status.PROCESSING, Refund.Status.REQUESTED]


@pytest.mark.long
@pytest.mark.parametrize("by_night", [False, True])
@pytest.mark.parametrize("reached", [False, True])
def test_two_partial_refunds_survive_a_stall_longer_than_the_providers_memory(
    standin, payment, sam, monkeypatch, reached, by_night
):
    """Each answer is lost, and the keys have expired when it is tried again: neither is lost, neither is doubled."""
    made, now = gateway.create_refund, timezone.now()

    def lose_answer(**terms):
        if reached:
            made(**terms)
        raise PaymentProcessingError

    for number in (1, 2):
        monkeypatch.setattr(gateway, "create_refund", lose_answer)
        refund = refunds.refund_by_admin(admin=sam, payment=payment, amount=1000, reason="-", now=now)
        assert (refund.status, refund.gateway_id) == (Refund.Status.PROCESSING, None)
        monkeypatch.setattr(gateway, "create_refund", made)
        now += timedelta(days=2)
        with standin.store.transaction() as db:
            db.execute("DELETE FROM answers")  # what idempotency keys had answered
        for _time in range(2):
            if by_night:
                books_checks.run_check(BooksCheck(kind="provider", repairs=True, days=30, started_at=now), now=now)
            else:
                refunds.send(refund=refund, now=now)
        payment.refresh_from_db()
        there = [each.amount for each in gateway.refunds_of(payment.gateway_id)]
        assert (there, payment.refunded) == ([1000] * number, 1000 * number)
        assert [*payment.refunds.values_list("status", flat=True)] == [Refund.Status.DONE] * number
    assert balance("provider") == 6400 - 216 - 2000
