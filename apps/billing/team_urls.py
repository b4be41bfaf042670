"""Addresses of teams and seats."""

from django.urls import path

from apps.billing.pages import seat_orders, seat_payments, seats, team_files, team_seats

urlpatterns = [
    path("premium/teams", seat_orders.order, name="seats-order"),
    path("billing/teams/<uuid:uid>/packs/<uuid:pack>/add", seat_orders.add, name="seats-add"),
    path("billing/teams/<uuid:uid>/packs/<uuid:pack>/renew", seat_orders.renew, name="seats-renew"),
    path("billing/teams/<uuid:uid>/packs/<uuid:pack>/return", seat_payments.give_back, name="seats-return"),
    path("billing/orders/<uuid:uid>/pay", seat_payments.pay, name="order-pay"),
    path("billing/teams", seats.teams, name="teams"),
    path("billing/teams/<uuid:uid>", team_seats.team, name="team"),
    path("billing/teams/<uuid:uid>/usage.csv", team_files.usage_csv, name="team-usage"),
    path("billing/teams/<uuid:uid>/settings", seats.settings, name="team-settings"),
    path("billing/teams/<uuid:uid>/take", seats.take, name="seat-take"),
    path("billing/teams/<uuid:uid>/seats/<uuid:seat>", team_seats.seat, name="team-seat"),
    path("billing/teams/<uuid:uid>/seats/<uuid:seat>/take-back", team_seats.take_back, name="team-take-back"),
    path("billing/teams/<uuid:uid>/seats/<uuid:seat>/send", team_seats.send_again, name="team-invitation-send"),
    path("billing/teams/<uuid:uid>/seats/<uuid:seat>/cancel", team_seats.cancel, name="team-invitation-cancel"),
    path("billing/seats/<uuid:uid>/leave", seats.leave, name="seat-leave"),
    path("seats/<str:key>", seats.invitation, name="seat-invitation"),
    path("dashboard/admin/teams", seats.admin_teams, name="admin-teams"),
]
