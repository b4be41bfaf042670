"""The notification kinds of billing."""

from apps.billing.notices import learners, seats, staff, team_owners, transfers

__all__ = ["learners", "seats", "staff", "team_owners", "transfers"]
