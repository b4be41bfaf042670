"""Imported at start: tells the API schema how we authenticate, and the sockets which sessions are valid."""

from django.utils import timezone

from apps.accounts import queries, schema  # noqa: F401
from studyplatform.kit.sockets import register_session_reader


@register_session_reader
def users_of_sessions(keys: set[str]) -> dict[str, int]:
    """The user id of each of these session keys whose session is valid and whose user is active."""
    return queries.users_of_sessions(keys, now=timezone.now())
