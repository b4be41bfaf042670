"""Users as admins search for them."""

from django.db.models import Q, QuerySet

from apps.accounts.models import Role, TeachingRequest, User
from apps.accounts.queries.names import name_contains, words_of_name
from apps.accounts.sessions import tokens


def people(*, text: str = "", show: str = "") -> QuerySet[User]:
    """Users, the newest first; ``show`` is a role, "blocked" or empty; ``text`` is searched in names and emails."""
    found = User.objects.filter(deleted_at=None).order_by("-date_joined", "-pk")
    if show in Role.values:
        found = found.filter(role=show, is_active=True)
    elif show == "blocked":
        found = found.filter(is_active=False)
    for word in words_of_name(text, most=5):
        found = found.filter(name_contains(word) | Q(email__folded_contains=word))
    return found


def teaching_requests() -> QuerySet[TeachingRequest]:
    """Pending requests, the oldest first."""
    waiting = TeachingRequest.objects.filter(state=TeachingRequest.State.PENDING)
    return waiting.select_related("user").order_by("created_at", "pk")


def decided_teaching_requests() -> QuerySet[TeachingRequest]:
    """Decided requests, the latest first."""
    decided = TeachingRequest.objects.exclude(state=TeachingRequest.State.PENDING)
    return decided.select_related("user", "decided_by").order_by("-decided_at", "-pk")


def user_of_session_token(token: str) -> User | None:
    """The user of a signed-in browser's short-lived token; None if it doesn't work. One query."""
    session = tokens.session_of(token)
    return session.user if session is not None else None
