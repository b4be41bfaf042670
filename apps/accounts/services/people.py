"""Users: their role, their sessions, and the cleanup of what has expired."""

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from apps.accounts.errors import LastAdmin
from apps.accounts.models import BrowserSession, EmailVerification, LoginLock, Role, User
from apps.accounts.services.digests import reschedule_late_digests
from apps.accounts.services.notifications import delete_old_notifications, notify
from apps.accounts.services.personal_tokens import delete_ended_personal_tokens, revoke_personal_tokens
from apps.accounts.services.registration import delete_expired_registrations
from apps.accounts.services.sign_in_tokens import delete_expired_sign_in_tokens
from apps.accounts.sessions.devices import device_name
from studyplatform.kit import jobs
from studyplatform.kit.mail import mailbox
from studyplatform.kit.web import rate_limits


def change_role(*, user: User, role: Role, is_told: bool = True) -> None:
    """Give a user another role. It applies at once, because every request reads the user.

    Without ``is_told`` the user is not notified: the caller does that.

    :raises LastAdmin: nobody else could run the site.
    """
    with transaction.atomic():
        if role != Role.ADMIN:
            require_another_admin(besides=user)
        is_new = User.objects.filter(pk=user.pk, deleted_at=None).exclude(role=role).update(role=role)
        user.role = role
        if is_new and is_told:  # told without a key: a role may come, go and come back
            notify("account.role_changed", user, "/dashboard", role=str(user.get_role_display()))


def block(*, user: User, reason: str = "", now: datetime | None = None) -> None:
    """Block a user: every browser is signed out and every token refused at once.

    :raises LastAdmin: nobody else could run the site.
    """
    with transaction.atomic():
        require_another_admin(besides=user)
        user.is_active, user.blocked_at, user.block_reason = False, now or timezone.now(), reason
        user.save(update_fields=["is_active", "blocked_at", "block_reason"])
        end_all_access(user=user)


def require_another_admin(*, besides: User) -> None:
    """Refuse what would leave the site without an admin.

    Call it inside a transaction and before locking a user's row: two admins who block each other are handled one after
    the other.

    :raises LastAdmin: there is no other.
    """
    admins = User.objects.select_for_update().filter(role=Role.ADMIN, is_active=True).order_by("pk")
    if {admin.pk for admin in admins} == {besides.pk}:
        raise LastAdmin


def unblock(*, user: User) -> None:
    """Allow a blocked user to sign in again. A deleted account stays deleted."""
    unblocked = {"is_active": True, "blocked_at": None, "block_reason": ""}
    User.objects.filter(pk=user.pk, deleted_at=None).update(**unblocked)


def end_sessions(*, user: User, but: UUID | None = None) -> None:
    """Sign a user out in every browser, or in all but one."""
    sessions = BrowserSession.objects.of(user)
    (sessions.exclude(uid=but) if but else sessions).delete()


def end_all_access(*, user: User) -> None:
    """Sign a user out everywhere, revoke their personal tokens and cancel a pending change of email: an intruder may
    have created or requested them, and they would outlast the new password.
    """
    end_sessions(user=user)
    revoke_personal_tokens(user=user, now=timezone.now())
    EmailVerification.objects.filter(user=user).exclude(email=user.email).delete()


def end_other_session(*, user: User, uid: UUID) -> bool:
    """Sign out one of the user's browsers. Whether it was signed in."""
    gone, _ = BrowserSession.objects.of(user).filter(uid=uid).delete()
    return bool(gone)


def end_session(*, session: BrowserSession) -> None:
    """Sign out one browser: its session and all its tokens."""
    session.delete()


def notify_new_device(*, user: User, session: UUID, user_agent: str, address: str, now: datetime) -> None:
    """Notify a user of a sign-in with a browser that had never signed in to their account."""
    device = device_name(user_agent)
    notify("account.new_device", user, "/settings/sessions", key=str(session), now=now, device=device, address=address)


def schedule_cleanup() -> None:
    """Schedule :func:`clean_up` within the hour; called by every sign-in, enqueued once."""
    jobs.enqueue("accounts.sweep", key="sweep", delay=timedelta(hours=1))


def clean_up(*, now: datetime) -> None:
    """Delete what has expired: sessions, registrations, tokens, old jobs, emails, notifications, counts."""
    BrowserSession.objects.filter(expire_date__lte=now).delete()
    delete_old_notifications(now=now)
    reschedule_late_digests(now=now)
    jobs.delete_ended_jobs(now=now)
    mailbox.delete_old_emails(now=now)
    over = Q(locked_until=None) | Q(locked_until__lte=now)
    LoginLock.objects.filter(over, last_attempt_at__lt=now - settings.LOGIN_LOCK).delete()
    rate_limits.delete_expired_counts(now=now)
    delete_expired_registrations(now=now)
    delete_expired_sign_in_tokens(now=now)
    delete_ended_personal_tokens(now=now)
