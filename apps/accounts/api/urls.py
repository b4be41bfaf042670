from django.urls import path

from apps.accounts.api import views

urlpatterns = [
    path("auth/login/", views.LogIn.as_view()),
    path("auth/passkey/options/", views.PasskeyOptions.as_view()),
    path("auth/logout/", views.LogOut.as_view()),
    path("auth/session/", views.Session.as_view()),
    path("me/look/", views.Look.as_view()),
    path("auth/resend-verification/", views.ResendVerification.as_view()),
]
