"""The notification kinds of billing."""

from apps.billing.notices import learners, staff

__all__ = ["learners", "staff"]
