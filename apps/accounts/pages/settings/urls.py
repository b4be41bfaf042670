"""Addresses under /settings/. Importing a section's module puts it on the page."""

from django.urls import path

from apps.accounts.pages.settings import appearance, password, shell

urlpatterns = [
    path("", shell.settings_page, name="settings"),
    path("password", password.change, name="change-password"),
    path("appearance", appearance.save, name="save-appearance"),
]
