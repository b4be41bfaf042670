"""How jobs wait for the payment provider."""

from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import ParamSpec

from apps.billing.errors import PaymentProcessingError
from studyplatform.kit import jobs

P = ParamSpec("P")
AGAIN = timedelta(minutes=5)


def waits_for_provider(work: Callable[P, None]) -> Callable[P, None]:
    """Try the job again later while the payment provider can't be reached: a refusal would end it."""

    @wraps(work)
    def waiting(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            work(*args, **kwargs)
        except PaymentProcessingError:
            raise jobs.Postpone(AGAIN) from None

    return waiting
