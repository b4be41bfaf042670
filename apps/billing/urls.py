from django.urls import path

from apps.billing.pages import administration, checkout, earnings, methods, outcomes, transactions

app_name = "billing"
urlpatterns = [
    path("billing/checkout", checkout.checkout, name="checkout"),
    path("payment-success", outcomes.payment_success, name="payment-success"),
    path("payment-error", outcomes.payment_error, name="payment-error"),
    path("billing/methods", methods.methods, name="methods"),
    path("billing/methods/<uuid:uid>/default", methods.make_default, name="card-default"),
    path("billing/methods/<uuid:uid>/remove", methods.remove, name="card-remove"),
    path("billing/transactions", transactions.transactions, name="transactions"),
    path("billing/transactions.csv", transactions.transactions_csv, name="transactions-csv"),
    path("billing/transactions/<uuid:uid>", transactions.transaction, name="transaction"),
    path("billing/transactions/<uuid:uid>/receipt.pdf", transactions.receipt, name="receipt"),
    path("billing/transactions/<uuid:uid>/invoice.pdf", transactions.invoice, name="invoice"),
    path("billing/transactions/<uuid:uid>/refund", transactions.ask_for_refund, name="refund"),
    path("dashboard/instructor/earnings/", earnings.earnings, name="earnings"),
    path("dashboard/instructor/earnings/details", earnings.details, name="payout-details"),
    path("dashboard/instructor/earnings/statement.csv", earnings.statement_csv, name="earnings-statement"),
    path("dashboard/instructor/earnings/transactions.csv", earnings.transactions_csv, name="earnings-transactions"),
    path("dashboard/admin/revenue", administration.revenue, name="admin-revenue"),
    path("dashboard/admin/refunds", administration.refunds, name="admin-refunds"),
    path("dashboard/admin/refunds/<uuid:uid>/decide", administration.decide, name="admin-decide-refund"),
    path("dashboard/admin/payments/<uuid:uid>/refund", administration.refund, name="admin-refund"),
    path("dashboard/admin/disputes", administration.disputes, name="admin-disputes"),
]
