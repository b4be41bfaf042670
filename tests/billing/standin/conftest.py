"""A stand-in in memory for each test, and stripe-python's client for it."""

from datetime import UTC, datetime

import pytest
import stripe

from apps.billing.standin import Standin

NOON = datetime(2026, 6, 10, 12, tzinfo=UTC).timestamp()


@pytest.fixture
def standin():
    made = Standin()
    made.clock.set(NOON)  # The order of events at midnight must not depend on when the tests run.
    yield made
    made.close()


@pytest.fixture
def client(standin):
    with standin.serving() as address:
        yield stripe.StripeClient(standin.secret_key, base_addresses={"api": address}, max_network_retries=0)
