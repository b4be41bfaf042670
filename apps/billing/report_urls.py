"""Addresses of the reports."""

from django.urls import path

from apps.billing.pages import instructor_years, ledger_accounts, reports, tax_details

urlpatterns = [
    path("dashboard/admin/reports", reports.report, name="admin-reports"),
    path("dashboard/admin/reports.csv", reports.report_csv, name="admin-report-file"),
    path("dashboard/admin/reports/entries", reports.entries, name="admin-report-entries"),
    path("dashboard/admin/reports/entries.csv", reports.entries_csv, name="admin-report-entries-file"),
    path("dashboard/admin/reports/entries/<uuid:uid>", ledger_accounts.entry, name="admin-entry"),
    path("dashboard/admin/reports/journal.csv", ledger_accounts.journal_csv, name="admin-journal"),
    path("dashboard/admin/reports/accounts", ledger_accounts.accounts, name="admin-accounts"),
    path(
        "dashboard/admin/reports/accounts/instructors",
        ledger_accounts.instructor_accounts,
        name="admin-instructor-accounts",
    ),
    path("dashboard/admin/reports/accounts/<str:code>", ledger_accounts.account, name="admin-account"),
    path("dashboard/admin/reports/instructors", instructor_years.instructors, name="admin-instructor-years"),
    path(
        "dashboard/admin/reports/instructors.csv", instructor_years.instructors_csv, name="admin-instructor-years-file"
    ),
    path("dashboard/admin/reports/instructors/remind", tax_details.remind, name="admin-tax-reminders"),
    path("dashboard/admin/reports/instructors/<uuid:uid>", tax_details.instructor_details, name="admin-tax-details"),
]
