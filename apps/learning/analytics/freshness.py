"""When the figures were counted last."""

from datetime import datetime

from apps.learning.models import RollupState


def counted_until() -> datetime | None:
    """Return when the jobs counted last; None if they never did. One query."""
    return RollupState.objects.filter(pk=RollupState.ONLY_PK).values_list("counted_until", flat=True).first()
