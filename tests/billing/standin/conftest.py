"""A stand-in in memory for each test, and stripe-python's client for it."""

import pytest
import stripe

from apps.billing.standin import Standin


@pytest.fixture
def standin():
    made = Standin()
    yield made
    made.close()


@pytest.fixture
def client(standin):
    with standin.serving() as address:
        yield stripe.StripeClient(standin.secret_key, base_addresses={"api": address}, max_network_retries=0)
