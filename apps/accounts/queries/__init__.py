"""What can be read about people, by topic."""

from apps.accounts.queries.choices import choices_of
from apps.accounts.queries.notices import (
    Entry,
    Notice,
    as_notice,
    by_day,
    day_zone_of,
    grouped_unread_pks,
    notices_by_pk,
    notices_of,
    unread_count,
    unread_states,
    user_of_session,
    users_of_sessions,
    zone_of,
)
from apps.accounts.queries.users import decided_teaching_requests, people, teaching_requests, user_of_session_token

__all__ = [
    "Entry",
    "Notice",
    "as_notice",
    "by_day",
    "choices_of",
    "day_zone_of",
    "decided_teaching_requests",
    "grouped_unread_pks",
    "notices_by_pk",
    "notices_of",
    "people",
    "teaching_requests",
    "unread_count",
    "unread_states",
    "user_of_session",
    "user_of_session_token",
    "users_of_sessions",
    "zone_of",
]
