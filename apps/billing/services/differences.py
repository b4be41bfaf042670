"""What reconciliation reports and repairs, and how one row that breaks does not end it."""

import logging
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from django.db import transaction

from apps.billing import gateway
from apps.billing.errors import PaymentProcessingError
from apps.billing.models import BooksDifference

logger = logging.getLogger(__name__)
REFERENCE_BYTES = 6


def _no() -> bool:
    return False


@dataclass(frozen=True)
class Difference:
    """Something that the two sides know differently. ``repair``: None if a human has to look at it.

    ``is_open`` says after the repair whether a human has to look all the same. ``is_expected``: nothing went wrong, and
    once it is repaired nobody needs to read of it.
    """

    kind: str
    name: str
    text: str
    repair: Callable[[], object] | None = None
    is_open: Callable[[], bool] = _no
    is_expected: bool = False


def examine(kind: str, name: str, compare: Callable[[], Iterable[Difference]]) -> Iterator[Difference]:
    """Compare one row apart from the others: whatever it raises becomes a difference, and the others go on.

    :raises PaymentProcessingError: the provider can't be reached, so the others would fail as well.
    """
    try:
        with isolated():
            found = list(compare())
    except Exception as error:
        if isinstance(error, PaymentProcessingError) and not gateway.is_about_one_object(error):
            raise
        found = [Difference(kind, name, f"couldn't be compared: {note_crash(kind, name, error)}")]
    yield from found


def examine_part(name: str, part: Iterator[Difference]) -> Iterator[Difference]:
    """Yield what a part of the comparison finds, until it breaks: that becomes a difference, and the other parts go on.

    For parts that yield between what they read, so that each difference is repaired before the next is looked for.

    :raises PaymentProcessingError: the provider can't be reached, so the others would fail as well.
    """
    try:
        yield from part
    except Exception as error:
        if isinstance(error, PaymentProcessingError) and not gateway.is_about_one_object(error):
            raise
        kind = BooksDifference.BROKEN_PART
        yield Difference(kind, name, f"couldn't be compared: {note_crash(kind, name, error)}")


def isolated() -> AbstractContextManager[object]:
    """What one row does, in a savepoint if there is a transaction around it.

    Without one, services commit what belongs together themselves: a transaction would hold its locks while the provider
    is asked.
    """
    return transaction.atomic() if transaction.get_connection().in_atomic_block else nullcontext()


def note_crash(kind: str, name: str, error: Exception) -> str:
    """Log an error, and return what to say of it: its text, and the reference under which the log has it."""
    reference = secrets.token_hex(REFERENCE_BYTES)
    logger.error("Reconciliation of %s %s failed, reference %s", kind, name, reference, exc_info=error)
    said = str(error) or type(error).__name__
    return f"{said[:150]} (reference {reference} in the log)"
