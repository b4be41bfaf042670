"""The ledger in Django's admin, read-only, and the payouts, which admins mark when the bank has made them."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.accounts.guards import signed_in_user
from apps.billing import services
from apps.billing.models import (
    BalanceHistory,
    BalanceTransaction,
    BooksDifference,
    ConnectedAccount,
    LedgerAccount,
    LedgerEntry,
    LedgerLine,
    ManualEntry,
    Payout,
    PayoutAccount,
    PayoutRun,
)
from apps.billing.queries.payouts import bank_transfers
from studyplatform.kit.errors import AppError
from studyplatform.kit.text.money import money
from studyplatform.kit.web.csv_response import csv_response
from studyplatform.kit.web.read_only_admin import ReadOnly, register_read_only


class LineInline(ReadOnly, admin.TabularInline[LedgerLine, LedgerEntry]):
    model = LedgerLine
    fields = ["account", "as_money", "amount", "currency"]
    readonly_fields = ["as_money"]
    extra = 0

    @admin.display(description=_("Amount"))
    def as_money(self, line: LedgerLine) -> str:
        return money(line.amount, line.currency)

    def get_queryset(self, request: HttpRequest) -> QuerySet[LedgerLine]:
        return super().get_queryset(request).select_related("account")


@admin.register(LedgerEntry)
class LedgerEntryAdmin(ReadOnly, admin.ModelAdmin[LedgerEntry]):
    list_display = ["key", "kind", "occurred_at", "paid", "instructor_id", "course_id", "description"]
    list_filter = ["kind", "currency", "occurred_at"]
    search_fields = ["key", "payment_key", "gateway_id", "description"]
    search_help_text = _("A key such as “sale pi_…”, the provider's ID, or a course title")
    ordering = ["-occurred_at", "-pk"]
    date_hierarchy = "occurred_at"
    inlines = [LineInline]
    list_per_page = 50
    show_full_result_count = False

    @admin.display(description=_("Total"), ordering="total")
    def paid(self, entry: LedgerEntry) -> str:
        return money(entry.total, entry.currency) if entry.total else ""


@admin.register(LedgerAccount)
class LedgerAccountAdmin(ReadOnly, admin.ModelAdmin[LedgerAccount]):
    list_display = ["code", "type", "instructor_id", "created_at"]
    list_filter = ["type"]
    search_fields = ["code"]
    ordering = ["code"]
    list_per_page = 50
    show_full_result_count = False


@admin.register(PayoutRun)
class PayoutRunAdmin(ReadOnly, admin.ModelAdmin[PayoutRun]):
    list_display = ["day", "created_at"]
    search_fields = ["day"]
    ordering = ["-day"]
    list_per_page = 50
    show_full_result_count = False
    actions = ["download_bank_transfers"]

    @admin.action(description=_("Download the bank transfers to make (CSV)"))
    def download_bank_transfers(
        self, request: HttpRequest, queryset: QuerySet[PayoutRun]
    ) -> StreamingHttpResponse | None:
        runs = list(queryset[:2])
        if len(runs) != 1:
            messages.warning(request, _("Select one run."))
            return None
        return csv_response(request, f"payouts-{runs[0].day}.csv", bank_transfers(runs[0].pk))


@admin.register(Payout)
class PayoutAdmin(ReadOnly, admin.ModelAdmin[Payout]):
    list_display = ["uid", "instructor", "paid", "state", "method", "last4", "failure", "created_at", "settled_at"]
    list_filter = ["state", "method", "failure", "run"]
    list_select_related = ["instructor"]
    search_fields = ["uid", "instructor__email", "gateway_id"]
    ordering = ["-created_at", "-pk"]
    list_per_page = 50
    show_full_result_count = False
    actions = ["mark_sent", "take_back"]
    exclude = ["encrypted_number"]

    @admin.display(description=_("Amount"), ordering="amount")
    def paid(self, payout: Payout) -> str:
        return money(payout.amount, payout.currency)

    @admin.action(description=_("Mark as sent by the bank"))
    def mark_sent(self, request: HttpRequest, queryset: QuerySet[Payout]) -> None:
        bank = queryset.filter(method=PayoutAccount.Method.BANK, state=Payout.State.PROCESSING)
        done = [services.mark_payout_sent(pk, now=timezone.now()) for pk in bank.values_list("pk", flat=True)]
        self.report(request, len(done), queryset)

    @admin.action(description=_("Take back from the connected account"))
    def take_back(self, request: HttpRequest, queryset: QuerySet[Payout]) -> None:
        done = 0
        for pk in queryset.values_list("pk", flat=True):
            try:
                services.reverse_payout(pk, admin=signed_in_user(request), now=timezone.now())
                done += 1
            except AppError as refusal:
                messages.error(request, refusal.detail)
        self.report(request, done, queryset)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """One action per reason why a payout did not arrive."""
        found: dict[str, Any] = super().get_actions(request)
        for failure in (each for each in Payout.Failure if each != Payout.Failure.REVERSED):
            title = _("Mark as failed: %(reason)s") % {"reason": failure.label}
            found[f"fail_{failure}"] = (_failing(failure), f"fail_{failure}", title)
        return found

    def report(self, request: HttpRequest, done: int, queryset: QuerySet[Payout]) -> None:
        text = _("%(done)s of %(all)s payouts were marked.") % {"done": done, "all": queryset.count()}
        (messages.success if done else messages.warning)(request, text)


def _failing(failure: Payout.Failure) -> Any:
    def mark_failed(screen: PayoutAdmin, request: HttpRequest, queryset: QuerySet[Payout]) -> None:
        # A list can be old. What another admin has marked as sent by the bank is marked as failed on the page of
        # payouts only, which says so; about connected accounts the provider is asked.
        before = queryset.filter(state__in=[Payout.State.PROCESSING, Payout.State.SENT])
        before = before.exclude(method=PayoutAccount.Method.BANK, state=Payout.State.SENT)
        done = 0
        for pk, seen in before.values_list("pk", "state"):
            try:
                services.fail_payout(pk, failure, seen=seen, now=timezone.now())
                done += 1
            except AppError as refusal:  # of one: the provider has transferred it, for example
                messages.error(request, refusal.detail)
        screen.report(request, done, queryset)

    return mark_failed


@admin.register(PayoutAccount)
class PayoutAccountAdmin(ReadOnly, admin.ModelAdmin[PayoutAccount]):
    list_display = ["user", "method", "holder", "last4", "verified_at", "changed_at"]
    list_filter = ["method"]
    list_select_related = ["user"]
    search_fields = ["user__email", "holder", "last4"]
    ordering = ["-changed_at"]
    exclude = ["encrypted_number"]
    list_per_page = 50
    show_full_result_count = False


@admin.register(ConnectedAccount)
class ConnectedAccountAdmin(ReadOnly, admin.ModelAdmin[ConnectedAccount]):
    list_display = ["user", "gateway_id", "details_submitted", "payouts_enabled", "last4", "synced_at"]
    list_filter = ["payouts_enabled", "details_submitted"]
    list_select_related = ["user"]
    search_fields = ["user__email", "gateway_id"]
    ordering = ["-created_at"]
    list_per_page = 50
    show_full_result_count = False


register_read_only(
    BalanceTransaction,
    ["gateway_id", "type", "category", "net", "booked", "currency", "source", "created_at", "repaired_at"],
    filters=["type", "currency"],
    search=["gateway_id", "fact", "source", "description"],
)
register_read_only(BalanceHistory, ["cursor", "is_complete"], search=["cursor"])
register_read_only(
    BooksDifference,
    ["scope", "kind", "subject", "text", "found_at", "resolved_at"],
    filters=["scope", "kind"],
    search=["subject", "text"],
)
register_read_only(
    ManualEntry,
    ["kind", "amount", "currency", "day", "period", "reference", "made_by", "undone_at"],
    filters=["kind", "currency"],
    search=["reference", "period"],
)
