"""Browser sessions: signing in and out, the store, the islands' tokens, the second step, and known browsers."""

from apps.accounts.sessions.signing_in import (
    is_recently_authenticated,
    keep_alive,
    note_authentication,
    session_payload,
    session_uid,
    sign_in,
    sign_out,
    verify_password,
)

__all__ = [
    "is_recently_authenticated",
    "keep_alive",
    "note_authentication",
    "session_payload",
    "session_uid",
    "sign_in",
    "sign_out",
    "verify_password",
]
