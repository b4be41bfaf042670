"""Addresses of orders and refunds by bank transfer."""

from django.urls import path

from apps.billing.pages import orders, transfers
from apps.billing.pages import transfer_returns as returns

urlpatterns = [
    path("billing/orders/<uuid:uid>", orders.order, name="order"),
    path("billing/orders/<uuid:uid>/cancel", orders.cancel, name="order-cancel"),
    path("billing/refunds/<uuid:uid>/account", orders.refund_account, name="refund-account"),
    path("dashboard/admin/transfers", transfers.transfers, name="admin-transfers"),
    path("dashboard/admin/transfers/<uuid:uid>", transfers.transfer, name="admin-transfer"),
    path("dashboard/admin/transfers/<uuid:uid>/cancel", transfers.cancel, name="admin-transfer-cancel"),
    path("dashboard/admin/transfers/<uuid:uid>/charges", transfers.bear_charges, name="admin-transfer-charges"),
    path("dashboard/admin/deposits/<uuid:uid>/rejected", returns.reject_deposit, name="admin-deposit-reject"),
    path("dashboard/admin/deposits/<uuid:uid>/return", returns.give_back_deposit, name="admin-deposit-return"),
    path("dashboard/admin/refunds/<uuid:uid>/transferred", returns.confirm_return, name="admin-return-confirm"),
    path("dashboard/admin/refunds/<uuid:uid>/withdraw", returns.withdraw_return, name="admin-return-withdraw"),
    path("dashboard/admin/refunds/<uuid:uid>/rejected", returns.reject_return, name="admin-return-reject"),
]
