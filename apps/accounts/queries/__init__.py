"""What can be read about people, by topic."""

from apps.accounts.queries.choices import choices_of
from apps.accounts.queries.notices import (
    Entry,
    Notice,
    alike_on_that_day,
    as_notice,
    by_day,
    notices_by_pk,
    notices_of,
    people_of_sessions,
    person_of_session,
    unread_count,
    unread_states,
    zone_of,
)
from apps.accounts.queries.people import decided_teaching_requests, people, teaching_requests

__all__ = [
    "Entry",
    "Notice",
    "alike_on_that_day",
    "as_notice",
    "by_day",
    "choices_of",
    "decided_teaching_requests",
    "notices_by_pk",
    "notices_of",
    "people",
    "people_of_sessions",
    "person_of_session",
    "teaching_requests",
    "unread_count",
    "unread_states",
    "zone_of",
]
