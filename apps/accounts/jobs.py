"""The accounts' background work."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.accounts import services
from apps.accounts.models import User
from studyplatform.kit import mail
from studyplatform.kit.jobs import JobSubject, Running, job


def _about_user(payloads: Sequence[Mapping[str, Any]]) -> list[JobSubject | None]:
    users = User.objects.in_bulk([payload.get("user_id", 0) for payload in payloads])
    found = [users.get(payload.get("user_id", 0)) for payload in payloads]
    return [
        JobSubject(user.username, reverse("admin:accounts_user_change", args=[user.pk])) if user else None
        for user in found
    ]


@job("accounts.send_password_reset", label=_("Send password reset email"))
def send_password_reset(running: Running, *, email: str) -> None:
    services.send_password_reset(email=email)


@job("accounts.send_email_proof", label=_("Send verification email"), about=_about_user)
def send_verification_email(running: Running, *, user_id: int) -> None:
    services.send_verification_email(user_id=user_id)


@job("accounts.send_join_mail", label=_("Send registration email"))
def send_registration_email(running: Running, *, uid: str) -> None:
    services.send_registration_email(uid=uid)


@job("accounts.send_email_change", label=_("Send email change link"), about=_about_user)
def send_email_change(running: Running, *, user_id: int, email: str) -> None:
    services.send_email_change(user_id=user_id, email=email)


@job(
    "accounts.build_export",
    label=_("Prepare data archive"),
    on_failure=lambda error, **payload: services.mark_export_failed(**payload),
)
def build_export(running: Running, *, uid: str) -> None:
    services.build_export(running, uid=uid)


@job("accounts.expire_exports", label=_("Delete expired data archives"))
def delete_expired_exports(running: Running) -> None:
    services.delete_expired_exports(now=timezone.now())


@job("accounts.send_goodbye", label=_("Send account deletion email"), about=_about_user)
def send_goodbye(running: Running, *, user_id: int, email: str, name: str) -> None:
    services.send_goodbye(user_id=user_id, email=email, name=name)


@job("accounts.sweep", label=_("Delete expired sessions and links"))
def sweep(running: Running) -> None:
    services.clean_up(now=timezone.now())


@job("accounts.mail_notification", label=_("Email a notification"))
def mail_notification(
    running: Running, *, notification_id: int, to: str, attachments: Sequence[mail.Attached] = ()
) -> None:
    services.mail_notification(notification_id=notification_id, to=to, attachments=attachments)


@job("accounts.send_digest", label=_("Send daily digest"), about=_about_user)
def send_digest(running: Running, *, user_id: int) -> None:
    services.send_digest(user_id=user_id, now=timezone.now())
