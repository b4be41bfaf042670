"""The notification kinds of billing."""

from apps.billing.notices import learners, seats, staff

__all__ = ["learners", "seats", "staff"]
