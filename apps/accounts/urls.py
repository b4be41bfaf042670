"""Addresses of accounts: the way in, and the settings."""

from django.urls import include, path

from apps.accounts.pages import (
    administration,
    notifications,
    password_reset,
    pictures,
    reauthentication,
    registration,
    second_step,
    signing_in,
    social,
)

app_name = "accounts"
urlpatterns = [
    path("auth/login", signing_in.sign_in, name="sign-in"),
    path("auth/second-step", second_step.second_step, name="second-step"),
    path("auth/passkey", signing_in.sign_in_with_passkey, name="sign-in-with-passkey"),
    path("auth/prove", reauthentication.prove, name="prove"),
    path("auth/logout", signing_in.sign_out, name="sign-out"),
    path("auth/register", registration.register, name="register"),
    path("auth/register/check", registration.check_registration, name="check-registration"),
    path("auth/verify-email", registration.verify_email, name="verify-email"),
    path("auth/verify-email/check", registration.check_finish_registration, name="check-joining"),
    path("auth/verify-email/resend", registration.resend_verification_email, name="resend-proof"),
    path("auth/oauth/callback", social.landing, name="provider-landing"),
    path("auth/oauth/callback/<slug:slug>", social.answer, name="provider-answer"),
    path("auth/oauth/start/<slug:slug>", social.start, name="provider-start"),
    path("auth/forgot-password", password_reset.forgot_password, name="forgot-password"),
    path("auth/reset-password/<uuid:uid>/<str:token>", password_reset.reset_password, name="reset-password"),
    path("auth/reset-password/<uuid:uid>/<str:token>/check", password_reset.check_reset, name="check-reset"),
    path("avatars/<str:name>", pictures.avatar, name="avatar"),
    path("dashboard", signing_in.dashboard, name="dashboard"),
    path("dashboard/admin/people", administration.people, name="people"),
    path("dashboard/admin/people/<uuid:uid>/role", administration.give_role, name="give-role"),
    path("dashboard/admin/people/<uuid:uid>/block", administration.block, name="block"),
    path("dashboard/admin/people/<uuid:uid>/unblock", administration.unblock, name="unblock"),
    path("dashboard/admin/teaching", administration.teaching, name="teaching-requests"),
    path("dashboard/admin/teaching/<uuid:uid>", administration.decide, name="decide-teaching"),
    path("notifications", notifications.notifications, name="notifications"),
    path("notifications/panel", notifications.panel, name="notifications-panel"),
    path("notifications/read", notifications.read_all, name="notifications-read"),
    path("notifications/<uuid:uid>/read", notifications.read, name="notification-read"),
    path("notifications/unsubscribe/<str:token>", notifications.unsubscribe, name="unsubscribe"),
    path("settings/", include("apps.accounts.pages.settings.urls")),
]
