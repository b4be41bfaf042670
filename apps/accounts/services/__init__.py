"""What changes accounts, by use case."""

from apps.accounts.services.people import (
    EmailTaken,
    block,
    change_role,
    end_session,
    end_sessions,
    sign_up,
    sweep,
    unblock,
)
from apps.accounts.services.proving import lift_lock, prove_password
from apps.accounts.services.resetting import ask_for_password_reset, reset_password, send_password_reset, user_of_reset

__all__ = [
    "EmailTaken",
    "ask_for_password_reset",
    "block",
    "change_role",
    "end_session",
    "end_sessions",
    "lift_lock",
    "prove_password",
    "reset_password",
    "send_password_reset",
    "sign_up",
    "sweep",
    "unblock",
    "user_of_reset",
]
