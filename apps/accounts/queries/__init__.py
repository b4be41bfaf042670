"""What can be read about people, by topic."""

from apps.accounts.queries.notices import Notice, as_notice, notices_of, unread_count

__all__ = ["Notice", "as_notice", "notices_of", "unread_count"]
