"""One client for the provider's API, and the translation of its errors."""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

import stripe
from django.conf import settings
from django.core.signals import setting_changed

from apps.billing.gateway.errors import refusal_of

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

TIMEOUT = 20.0  # seconds; a payment can take the provider ten


@lru_cache(maxsize=1)
def client() -> stripe.StripeClient:
    """The client for the provider, or for the stand-in."""
    host = getattr(settings, "STRIPE_API_HOST", None)  # set for the stand-in only, because dj-stripe reads it
    return stripe.StripeClient(
        settings.STRIPE_SECRET_KEY,
        base_addresses={"api": host} if host else None,
        max_network_retries=2,  # with the same idempotency key, which stripe-python adds
        http_client=stripe.RequestsClient(timeout=TIMEOUT),
    )


def forget_client(*, setting: str, **_: object) -> None:
    """Make a new client after a test changed the settings."""
    if setting.startswith("STRIPE_"):
        client.cache_clear()


setting_changed.connect(forget_client)


def translates_errors(call: Callable[P, R]) -> Callable[P, R]:
    """Raise the catalog's refusals instead of the provider's errors."""

    @wraps(call)
    def translated(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return call(*args, **kwargs)
        except stripe.StripeError as error:
            raise refusal_of(error) from error

    return translated


def iterate_translated(pages: Iterable[T]) -> Iterator[T]:
    """Yield from a list of the provider, whose later pages are asked for on the way.

    :raises AppError: a refusal of the catalog instead of the provider's error.
    """
    try:
        yield from pages
    except stripe.StripeError as error:
        raise refusal_of(error) from error


def moment(seconds: int) -> datetime:
    """A Unix time of the provider as a datetime."""
    return datetime.fromtimestamp(seconds, UTC)
