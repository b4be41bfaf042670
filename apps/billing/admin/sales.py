"""Orders, payments and subscriptions in Django's admin, read-only."""

from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from apps.billing.models import (
    BooksCheck,
    Bundle,
    BundleCourse,
    BuyerDetails,
    Card,
    Customer,
    Deposit,
    Dispute,
    Document,
    DocumentSeries,
    EarningsMilestone,
    Gift,
    Grant,
    Order,
    OrderLine,
    Payment,
    PremiumEarning,
    PremiumMonth,
    PromoCode,
    ReceiptSeries,
    Redemption,
    Refund,
    Seat,
    SeatPack,
    SeatUse,
    Subscription,
    Team,
)
from apps.billing.queries.next_charge import ChargeKind, next_charge
from studyplatform.kit.text.money import money
from studyplatform.kit.web.read_only_admin import ReadOnly, register_read_only


class MoneyScreen(ReadOnly, admin.ModelAdmin[Any]):
    """What services wrote about money."""

    list_per_page = 50
    show_full_result_count = False

    @admin.display(description=_("Amount"))
    def as_money(self, row: Any) -> str:
        return money(getattr(row, "total", None) or row.amount, getattr(row, "currency", "") or row.payment.currency)


@admin.register(Order)
class OrderAdmin(MoneyScreen):
    list_display = ["number", "user", "title", "total", "currency", "status", "created_at", "settled_at"]
    list_filter = ["status", "method", "currency"]
    list_select_related = ["user"]
    search_fields = ["number", "title", "intent_id", "user__email"]
    ordering = ["-created_at"]


@admin.register(Payment)
class PaymentAdmin(MoneyScreen):
    list_display = ["receipt_number", "title", "user", "as_money", "refunded", "fee", "paid_at"]
    list_filter = ["kind", "method", "currency", "paid_at"]
    list_select_related = ["user"]
    search_fields = ["receipt_number", "gateway_id", "charge_id", "invoice_id", "title", "user__email"]
    ordering = ["-paid_at", "-pk"]


@admin.register(Refund)
class RefundAdmin(MoneyScreen):
    exclude = ["encrypted_number"]
    list_display = ["payment", "as_money", "status", "requested_at", "decided_by", "done_at", "failure"]
    list_filter = ["status", "method"]
    list_select_related = ["payment", "decided_by"]
    search_fields = ["gateway_id", "payment__receipt_number", "payment__user__email"]
    ordering = ["-requested_at", "-pk"]


@admin.register(Deposit)
class DepositAdmin(ReadOnly, admin.ModelAdmin[Deposit]):
    list_display = ["order", "amount", "applied", "received_on", "recorded_by", "returned_on", "returned_by"]
    list_select_related = ["order", "recorded_by", "returned_by"]
    search_fields = ["order__number", "order__user__email"]
    ordering = ["-received_on", "-pk"]


@admin.register(Dispute)
class DisputeAdmin(MoneyScreen):
    list_display = ["gateway_id", "payment", "as_money", "status", "reason", "opened_at", "closed_at"]
    list_filter = ["status"]
    list_select_related = ["payment"]
    search_fields = ["gateway_id", "payment__receipt_number", "payment__user__email"]
    ordering = ["-opened_at", "-pk"]


@admin.register(Document)
class DocumentAdmin(MoneyScreen):
    list_display = ["number", "kind", "user", "as_money", "tax", "currency", "issued_at", "corrects"]
    list_filter = ["kind", "year", "currency"]
    list_select_related = ["user", "corrects"]
    search_fields = ["number", "user__email", "payment__receipt_number", "payment__gateway_id"]
    ordering = ["-issued_at", "-pk"]


@admin.register(PromoCode)
class PromoCodeAdmin(MoneyScreen):
    list_display = ["code", "scope", "percent", "amount", "used", "limit", "is_active", "created_by", "ends_at"]
    list_filter = ["scope", "is_active"]
    list_select_related = ["created_by"]
    search_fields = ["code", "created_by__email"]
    ordering = ["-created_at"]


@admin.register(Subscription)
class SubscriptionAdmin(MoneyScreen):
    list_display = [
        "user",
        "plan",
        "status",
        "charge",
        "period_end",
        "cancels_at_period_end",
        "grace_until",
        "ended_at",
    ]
    list_filter = ["plan", "status"]
    list_select_related = ["user"]
    search_fields = ["gateway_id", "user__email"]
    ordering = ["-created_at"]

    @admin.display(description=_("Next payment"))
    def charge(self, row: Subscription) -> str:
        charge = next_charge(row)
        return "" if charge.kind == ChargeKind.NOTHING else charge.text


@admin.register(Grant)
class GrantAdmin(MoneyScreen):
    list_display = ["user", "course", "source", "created_at", "ended_at", "end_reason", "granted_by"]
    list_filter = ["source", "end_reason"]
    list_select_related = ["user", "course", "granted_by"]
    search_fields = ["user__email", "course__title"]
    ordering = ["-created_at", "-pk"]


@admin.register(Customer)
class CustomerAdmin(MoneyScreen):
    list_display = ["gateway_id", "user", "country"]
    list_select_related = ["user"]
    search_fields = ["gateway_id", "user__email"]
    ordering = ["-pk"]


@admin.register(Card)
class CardAdmin(MoneyScreen):
    list_display = ["user", "brand", "last4", "exp_month", "exp_year", "is_default", "declined_at", "removed_at"]
    list_filter = ["brand"]
    list_select_related = ["user"]
    search_fields = ["gateway_id", "last4", "user__email"]
    ordering = ["-created_at"]


register_read_only(
    Bundle,
    ["title", "instructor", "price", "currency", "is_active", "created_by", "created_at"],
    filters=["is_active"],
    search=["title", "slug", "instructor__email"],
)
register_read_only(BundleCourse, ["bundle", "course", "position"], search=["bundle__title", "course__title"])
register_read_only(
    Gift,
    ["order", "sender_name", "send_at", "sent_at", "redeemed_by", "redeemed_at"],
    search=["order__number", "order__user__email", "redeemed_by__email"],
    hidden=["code_hash", "encrypted_code", "message", "recipient_name", "recipient_email"],
)
register_read_only(Team, ["name", "owner", "domain", "is_domain_open", "created_at"], search=["name", "owner__email"])
register_read_only(
    SeatPack,
    ["team", "kind", "course", "seats", "state", "starts_at", "ends_at", "order"],
    filters=["kind", "state"],
    search=["team__name", "team__owner__email", "order__number", "course__title"],
)
register_read_only(
    Seat,
    ["pack", "position", "holder", "email", "assigned_at", "closed_at"],
    search=["pack__team__name", "holder__email", "email"],
    hidden=["invite_hash"],
)
register_read_only(
    SeatUse, ["seat", "user", "started_at", "ended_at", "given_by"], search=["user__email", "seat__pack__team__name"]
)
register_read_only(
    OrderLine,
    ["order", "position", "title", "instructor", "list_price", "discount", "total", "tax"],
    search=["order__number", "title", "instructor__email"],
)
register_read_only(
    Redemption, ["code", "user", "state", "created_at"], filters=["state"], search=["code__code", "user__email"]
)
register_read_only(ReceiptSeries, ["year", "last"], search=["year"])
register_read_only(DocumentSeries, ["kind", "year", "last", "last_issued_at"], search=["year"])
register_read_only(BuyerDetails, ["user", "name", "country", "vat_id", "updated_at"], search=["user__email", "name"])
register_read_only(
    BooksCheck,
    ["kind", "state", "examined", "found", "repaired", "started_at", "finished_at"],
    filters=["kind", "state"],
    search=["error"],
)
register_read_only(EarningsMilestone, ["user", "name", "reached_at"], filters=["name"], search=["user__email"])
register_read_only(PremiumMonth, ["month", "currency", "pool", "seconds", "shared_at"], search=["currency"])
register_read_only(
    PremiumEarning,
    ["shared", "course", "instructor", "seconds", "earned"],
    search=["course__title", "instructor__email"],
)
