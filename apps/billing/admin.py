"""The ledger in Django's admin, read-only."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from apps.billing.models import LedgerAccount, LedgerEntry, LedgerLine
from studyplatform.kit.text.money import money
from studyplatform.kit.web.read_only_admin import ReadOnly


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
    search_help_text = _("A key such as “sale pi_…”, the provider's id, or the title of a course")
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
