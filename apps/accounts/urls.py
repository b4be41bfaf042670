"""Addresses of the sign-in pages."""

from django.urls import path

from apps.accounts import pages

app_name = "accounts"
urlpatterns = [
    path("auth/login", pages.sign_in, name="sign-in"),
    path("auth/logout", pages.sign_out, name="sign-out"),
    path("auth/register", pages.register, name="register"),
    path("auth/verify-email", pages.verify_email, name="verify-email"),
    path("auth/verify-email/resend", pages.resend_proof, name="resend-proof"),
    path("auth/forgot-password", pages.forgot_password, name="forgot-password"),
    path("auth/reset-password/<uuid:uid>/<str:token>", pages.reset_password, name="reset-password"),
    path("dashboard", pages.dashboard, name="dashboard"),
]
