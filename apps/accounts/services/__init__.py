"""What changes accounts, by use case."""

from apps.accounts.kinds import Kind, Mail, kinds_for, register_kind
from apps.accounts.services.joining import (
    EmailTaken,
    Newcomer,
    ask_for_join_mail,
    ask_to_join,
    join_by_code,
    join_by_key,
    joining,
    joining_of_key,
    open_account,
    seconds_until_join_mail,
    send_join_mail,
)
from apps.accounts.services.notices import mail_notification, notify, notify_all
from apps.accounts.services.people import (
    block,
    change_role,
    end_session,
    end_sessions,
    sweep,
    sweep_later,
    tell_of_new_device,
    unblock,
)
from apps.accounts.services.proving import lift_lock, prove_password
from apps.accounts.services.resetting import ask_for_password_reset, reset_password, send_password_reset, user_of_reset
from apps.accounts.services.settings import WrongPassword, change_password, choose_look
from apps.accounts.services.verifying import (
    ask_for_email_proof,
    seconds_to_wait,
    send_email_proof,
    user_of_key,
    verify_by_code,
    verify_by_key,
)

__all__ = [
    "EmailTaken",
    "Kind",
    "Mail",
    "Newcomer",
    "WrongPassword",
    "ask_for_email_proof",
    "ask_for_join_mail",
    "ask_for_password_reset",
    "ask_to_join",
    "block",
    "change_password",
    "change_role",
    "choose_look",
    "end_session",
    "end_sessions",
    "join_by_code",
    "join_by_key",
    "joining",
    "joining_of_key",
    "kinds_for",
    "lift_lock",
    "mail_notification",
    "notify",
    "notify_all",
    "open_account",
    "prove_password",
    "register_kind",
    "reset_password",
    "seconds_to_wait",
    "seconds_until_join_mail",
    "send_email_proof",
    "send_join_mail",
    "send_password_reset",
    "sweep",
    "sweep_later",
    "tell_of_new_device",
    "unblock",
    "user_of_key",
    "user_of_reset",
    "verify_by_code",
    "verify_by_key",
]
