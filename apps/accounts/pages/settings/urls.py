"""Addresses under /settings/. Importing a section's module puts it on the page."""

from django.urls import path

from apps.accounts.pages.settings import (
    appearance,
    connections,
    goals,
    notifications,
    password,
    privacy,
    profile,
    sections,
    security,
    sessions,
    teaching,
)

urlpatterns = [
    path("", sections.settings_page, name="settings"),
    path("profile", profile.save, name="save-profile"),
    path("picture", profile.save_picture, name="save-picture"),
    path("picture/remove", profile.remove_picture, name="remove-picture"),
    path("email", profile.change_email, name="change-email"),
    path("email/drop", profile.cancel_email_change, name="drop-email-change"),
    path("email/confirm", profile.confirm_email, name="confirm-email"),
    path("connections/link/<slug:slug>", connections.link, name="link-provider"),
    path("connections/<int:pk>/unlink", connections.unlink, name="unlink-provider"),
    path("goals", goals.save, name="save-goals"),
    path("password", password.change, name="change-password"),
    path("password/check", password.check, name="check-password"),
    path("security/app", security.app, name="set-up-app"),
    path("security/app/remove", security.remove_app, name="remove-app"),
    path("security/codes", security.codes, name="new-codes"),
    path("security/off", security.turn_off, name="turn-off-two-factor"),
    path("security/passkeys/new", security.add_passkey, name="add-passkey"),
    path("security/passkeys/<int:pk>/rename", security.rename_passkey, name="rename-passkey"),
    path("security/passkeys/<int:pk>/remove", security.remove_passkey, name="remove-passkey"),
    path("sessions/<uuid:uid>/end", sessions.end, name="end-session"),
    path("sessions/end-others", sessions.end_others, name="end-other-sessions"),
    path("notifications", notifications.save, name="save-notifications"),
    path("appearance", appearance.save, name="save-appearance"),
    path("teaching", teaching.ask, name="ask-to-teach"),
    path("privacy/export", privacy.export, name="ask-for-export"),
    path("privacy/export/<uuid:uid>", privacy.download, name="download-export"),
    path("privacy/delete", privacy.delete, name="delete-account"),
]
