"""What ``manage.py reconcile_billing`` reports and repairs."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """Something that the two sides know differently. ``repair``: None if a human has to look at it."""

    kind: str
    name: str
    text: str
    repair: Callable[[], object] | None = None
