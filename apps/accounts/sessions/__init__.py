"""Browser sessions: signing in and out, the store, the islands' tokens, the second step, and known browsers."""

from apps.accounts.sessions.signing_in import (
    answer,
    is_proved_lately,
    keep_alive,
    note_proof,
    session_uid,
    sign_in,
    sign_out,
    verify_password,
)

__all__ = [
    "answer",
    "is_proved_lately",
    "keep_alive",
    "note_proof",
    "session_uid",
    "sign_in",
    "sign_out",
    "verify_password",
]
