"""Tables of the last release with money in every state become what today's code expects; and back, or a clear no."""

from collections import Counter
from datetime import timedelta
from types import SimpleNamespace
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from apps.billing.models import Document, Order, OrderLine, Payment
from apps.billing.queries.ledger import balances
from apps.billing.queries.ledger_check import problems
from apps.billing.services.ledger import Line, checksum
from apps.billing.services.ledger.posting import ACCOUNTS, account_of
from tests import databases
from tests.kit.test_new_database import RELEASED, create_released_tables

pytestmark = [pytest.mark.long, pytest.mark.database, pytest.mark.django_db(transaction=True)]
NOW = timezone.now()
PRICE, TAX, FEE, SHARE_BPS = 6400, 1022, 216, 7000
SHARE = (PRICE - TAX) * SHARE_BPS // 10_000


class Release:
    """Rows of the last release, written as its code did."""

    def __init__(self, apps) -> None:
        self.apps = apps
        self.numbers = Counter()
        self.teacher = self.user("teacher")
        Subject = apps.get_model("courses", "Subject")
        subject, _ = Subject.objects.get_or_create(slug="computing", defaults={"name": "Computing"})
        self.subject = subject.pk
        self.course = self.new_course("How Compilers Think")

    def follow(self, migration):
        """Write rows as a migration of billing describes them from now on."""
        loader = MigrationExecutor(connection).loader
        nodes = [(label, RELEASED.get(label, name)) for label, name in loader.graph.leaf_nodes() if label != "billing"]
        self.apps = loader.project_state([*nodes, ("billing", migration)]).apps
        self.teacher = self.apps.get_model("accounts", "User").objects.get(pk=self.teacher.pk)
        self.course = self.apps.get_model("courses", "Course").objects.get(pk=self.course.pk)

    def new_course(self, title):
        values = {"slug": title.lower().replace(" ", "-"), "instructor": self.teacher, "subject_id": self.subject}
        return self.add("courses", "Course", title=title, created_at=NOW, updated_at=NOW, **values)

    def add(self, app, name, **values):
        return self.apps.get_model(app, name).objects.create(**values)

    def number(self, kind):
        self.numbers[kind] += 1
        return self.numbers[kind]

    def user(self, name=""):
        name = name or f"learner{self.number('user')}"
        return self.add("accounts", "User", email=f"{name}@example.com", username=name)

    def post(self, key, kind, lines, **facts):
        facts = {"currency": "usd", "total": 0, "tax": 0, "occurred_at": NOW, **facts}
        entry = self.apps.get_model("billing", "LedgerEntry")(key=key, kind=kind, line_count=len(lines), **facts)
        lines = [Line(account, amount, "usd") for account, amount in lines.items()]
        assert sum(each.amount for each in lines) == 0, key
        said = SimpleNamespace(**{name: getattr(entry, name) for name in SAID}, item=0)
        entry.checksum = checksum(said, lines)
        entry.save()
        for line in lines:
            pk = self.teacher.pk if line.account.startswith("instructor") else None
            kind_of_account = ACCOUNTS.get(line.account, "liability")
            account, _ = self.apps.get_model("billing", "LedgerAccount").objects.get_or_create(
                code=line.account, defaults={"type": kind_of_account, "instructor_id": pk}
            )
            self.add("billing", "LedgerLine", entry=entry, account=account, amount=line.amount, currency="usd")

    def order(self, status, **values):
        user = values.pop("user", None) or self.user()
        return self.add(
            "billing", "Order", user=user, course=self.course, instructor=self.teacher, list_price=PRICE, total=PRICE,
            tax=TAX, tax_rate=1900, currency="usd", country="DE", email=user.email, share=SHARE_BPS, status=status,
            created_at=NOW, **values,
        )  # fmt: skip

    def sale(self):
        """A course that was paid."""
        order, key = self.order("paid", intent_id=f"pi_{self.number('intent')}", settled_at=NOW), self.numbers["intent"]
        payment = self.add(
            "billing", "Payment", gateway_id=order.intent_id, kind="course", user=order.user, order=order,
            course=self.course, instructor=self.teacher, share=SHARE_BPS, title=self.course.title, list_price=PRICE,
            amount=PRICE, tax=TAX, tax_rate=1900, fee=FEE, currency="usd", country="DE", email=order.email,
            receipt_number=f"{NOW.year}-{key:06d}", paid_at=NOW,
        )  # fmt: skip
        self.add(
            "billing", "Grant", user=order.user, course=self.course, source="purchase", created_at=NOW, payment=payment
        )
        lines = {"provider": PRICE, "tax": -TAX, account_of(self.teacher.pk): -SHARE, "platform": TAX + SHARE - PRICE}
        whose = {"instructor_id": self.teacher.pk, "course_id": self.course.pk, "share_bps": SHARE_BPS}
        self.post(
            f"sale {payment.gateway_id}", "sale", lines, total=PRICE, tax=TAX, payment_key=payment.gateway_id,
            description=payment.title, **whose,
        )  # fmt: skip
        self.post(f"fee {payment.gateway_id}", "fee", {"fees": FEE, "provider": -FEE}, payment_key=payment.gateway_id)
        return payment

    def give_back(self, payment, kind, key, gateway_id, source="provider"):
        lines = {
            source: -PRICE, "tax": TAX, account_of(self.teacher.pk): SHARE, "refunds": PRICE - TAX - SHARE
        }  # fmt: skip
        whose = {"instructor_id": self.teacher.pk, "course_id": self.course.pk, "share_bps": SHARE_BPS}
        self.post(
            key, kind, lines, total=-PRICE, tax=-TAX, payment_key=payment.gateway_id, gateway_id=gateway_id, **whose
        )

    def refund(self, status):
        payment, number = self.sale(), self.number("refund")
        row = self.add(
            "billing", "Refund", payment=payment, amount=PRICE, status=status, requested_at=NOW,
            gateway_id=None if status in {"requested", "declined"} else f"re_{number}",
            requested_by=payment.user, done_at=NOW if status == "done" else None,
        )  # fmt: skip
        if status == "done":
            self.give_back(payment, "refund", f"refund {row.gateway_id}", row.gateway_id)
            type(payment).objects.filter(pk=payment.pk).update(refunded=PRICE)
        return payment

    def dispute(self, status):
        payment, number = self.sale(), self.number("dispute")
        row = self.add(
            "billing", "Dispute", payment=payment, gateway_id=f"dp_{number}", amount=PRICE, status=status,
            opened_at=NOW, closed_at=None if status == "open" else NOW,
        )  # fmt: skip
        facts = {"payment_key": payment.gateway_id, "gateway_id": row.gateway_id}
        key = f"dispute {row.gateway_id}"
        self.post(f"{key} opened", "dispute_opened", {"disputes": PRICE, "provider": -PRICE}, **facts)
        if status == "won":
            self.post(f"{key} won", "dispute_won", {"disputes": -PRICE, "provider": PRICE}, **facts)
        elif status == "lost":
            self.give_back(payment, "dispute_lost", f"{key} lost", row.gateway_id, source="disputes")

    def subscription(self, status, amount=1400):
        user = self.user()
        ended = NOW if status == "ended" else None
        row = self.add(
            "billing", "Subscription", user=user, gateway_id=f"sub_{self.number('subscription')}", plan="monthly",
            status=status, price=amount, currency="usd", country="DE", period_start=NOW,
            period_end=NOW + timedelta(days=30), created_at=NOW, ended_at=ended,
        )  # fmt: skip
        if status not in {"active", "ended"}:
            return
        payment = self.add(
            "billing", "Payment", gateway_id=f"pi_{self.number('intent')}", kind="premium", user=user, subscription=row,
            title="Premium", list_price=amount, amount=amount, currency="usd", email=user.email, period_start=NOW,
            period_end=row.period_end, paid_at=NOW, receipt_number=f"{NOW.year}-{self.numbers['intent']:06d}",
        )  # fmt: skip
        self.post(
            f"subscription {payment.gateway_id}", "subscription", {"provider": amount, "premium": -amount},
            total=amount, payment_key=payment.gateway_id,
        )  # fmt: skip

    def payout(self, state, method="bank", amount=500):
        run = self.add("billing", "PayoutRun", day=NOW.date() - timedelta(days=self.number("run")), created_at=NOW)
        row = self.add(
            "billing", "Payout", run=run, instructor=self.teacher, amount=amount, currency="usd", sales_until=NOW,
            method=method, last4="3000", state=state, created_at=NOW, uid=uuid4(),
        )  # fmt: skip
        key, account = f"payout {row.uid.hex}", account_of(self.teacher.pk)
        facts = {"instructor_id": self.teacher.pk}
        if state != "scheduled":
            self.post(key, "payout_started", {account: amount, "payouts": -amount}, **facts)
        source = "bank" if method == "bank" else "provider"
        if state == "sent":
            self.post(f"{key} sent", "payout_sent", {"payouts": amount, source: -amount}, **facts)
        elif state == "failed":
            self.post(f"{key} failed", "payout_failed", {"payouts": amount, account: -amount}, **facts)
        return row


SAID = (
    "key", "kind", "occurred_at", "description", "payment_key", "gateway_id", "instructor_id", "course_id", "currency",
    "total", "tax", "share_bps",
)  # fmt: skip


@pytest.fixture
def release():
    """The tables of the last release with money in every state."""
    with databases.without_tables("released"):
        rows = Release(create_released_tables())
        for status in ("open", "processing", "canceled"):
            rows.order(status, intent_id=f"pi_{rows.number('intent')}")
        rows.sale()
        for status in ("requested", "processing", "done", "failed", "declined"):
            rows.refund(status)
        for status in ("open", "won", "lost"):
            rows.dispute(status)
        for status in ("incomplete", "trialing", "active", "past_due", "ended"):
            rows.subscription(status)
        rows.payout("sent")
        rows.payout("sent", "connected")
        rows.payout("failed")
        rows.payout("processing")
        yield rows


def migrate(*target):
    call_command("migrate", *target, run_syncdb=not target, verbosity=0)


def upgrade_billing(migration):
    """Apply the migrations of billing up to this one. Triggers, which need the newest tables, are not installed yet."""
    migrate("billing", migration)


def test_money_of_the_last_release_is_in_the_books_after_the_upgrade(release):
    migrate()

    assert list(problems()) == []
    assert sum(amounts.get("usd", 0) for amounts in balances().values()) == 0
    assert balances()["provider"]["usd"] == 6 * PRICE + 2 * 1400 - 9 * FEE - 500
    paid = Payment.objects.filter(amount__gt=0)
    assert set(paid.values_list("pk", flat=True)) == set(
        Document.objects.filter(kind="invoice").values_list("payment", flat=True)
    )
    assert Document.objects.filter(kind="credit_note").count() == 2  # of the refund and of the lost dispute
    assert sorted(paid.exclude(charged_back=0).values_list("charged_back", flat=True)) == [PRICE]
    orders = Order.objects.all()
    assert set(OrderLine.objects.values_list("order", "total", "instructor")) == {
        (order.pk, PRICE, release.teacher.pk) for order in orders
    }
    assert {order.title for order in orders} == {release.course.title}
    migrate()  # nothing is issued twice
    assert Document.objects.count() == paid.count() + 2


def test_issued_documents_keep_an_upgraded_database_from_going_back(release):
    migrate()

    with pytest.raises(CommandError, match=r"no place for invoices and credit notes \(this database has 13\)"):
        migrate("billing", "0013")

    migrate()
    assert list(problems()) == []


def test_rows_that_the_last_release_has_a_place_for_go_back_and_forward(release):
    upgrade_billing("0013_next_charge")

    migrate("billing", "0007")

    orders = release.apps.get_model("billing", "Order").objects
    assert set(orders.values_list("course", "instructor", "share")) == {
        (release.course.pk, release.teacher.pk, SHARE_BPS)
    }
    migrate()
    assert list(problems()) == []


def test_two_open_payouts_of_an_instructor_keep_the_database_from_going_back(release):
    upgrade_billing("0009_payout_destinations")
    release.follow("0009_payout_destinations")
    release.payout("scheduled")

    with pytest.raises(CommandError, match="no place for two open payouts of one instructor"):
        migrate("billing", "0008")
    release.apps.get_model("billing", "Payout").objects.filter(state="scheduled").delete()
    migrate("billing", "0008")


def test_a_sale_of_several_courses_keeps_the_database_from_going_back(release):
    upgrade_billing("0012_instructors_of_lines")
    release.follow("0012_instructors_of_lines")
    line = release.apps.get_model("billing", "OrderLine").objects.first()
    values = {name: getattr(line, name) for name in ("order", "title", "instructor", "share")}
    free = {"list_price": 0, "total": 0}
    release.add("billing", "OrderLine", **values, **free, position=1, course=release.new_course("Graphs"))

    with pytest.raises(CommandError, match="no place for sales of several courses"):
        migrate("billing", "0009")
