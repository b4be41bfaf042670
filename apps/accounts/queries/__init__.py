"""What can be read about people, by topic."""

from apps.accounts.queries.notices import Notice, as_notice, notices_of, unread_count
from apps.accounts.queries.people import decided_teaching_requests, people, teaching_requests

__all__ = [
    "Notice",
    "as_notice",
    "decided_teaching_requests",
    "notices_of",
    "people",
    "teaching_requests",
    "unread_count",
]
