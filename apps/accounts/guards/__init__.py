"""Who may open a page: each page names one of these guards, and a test checks that none is missing.

    @open_to_everyone        visitors too
    @signed_in               users
    @teaches                 instructors and admins
    @administers             admins
    @recently_authenticated  users who have proved their identity within ten minutes
    @confirms_identity       the same for users without a password; the page's own form asks the others for theirs

Visitors, and users whose session has ended, are redirected to the sign-in page, which leads back to the requested
address; users with another role are redirected home with the reason. A page with a finer rule enforces its own
policy; its refusal is redirected in the same way (``AppError.leads_to``).
"""

from apps.accounts.guards.decorators import (
    administers,
    confirms_identity,
    open_to_everyone,
    recently_authenticated,
    recently_authenticated_from,
    signed_in,
    teaches,
)
from apps.accounts.guards.request_user import (
    SessionKey,
    claimed_session_key,
    require_session_key,
    session_key_of,
    signed_in_user,
)
from apps.accounts.guards.sign_in_redirect import LoginMiddleware, announce_ended_session, redirect_to_sign_in

__all__ = [
    "LoginMiddleware",
    "SessionKey",
    "administers",
    "announce_ended_session",
    "claimed_session_key",
    "confirms_identity",
    "open_to_everyone",
    "recently_authenticated",
    "recently_authenticated_from",
    "redirect_to_sign_in",
    "require_session_key",
    "session_key_of",
    "signed_in",
    "signed_in_user",
    "teaches",
]
