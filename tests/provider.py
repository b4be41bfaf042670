"""The stand-in for the payment provider, for tests of all apps."""

from collections.abc import Iterator
from typing import Any

import pytest
import stripe

from apps.billing.standin import Standin


@pytest.fixture(scope="session")
def running_standin() -> Iterator[Standin]:
    """One stand-in in memory for all tests of a process."""
    standin = Standin()
    with standin.serving():
        yield standin
    standin.close()


@pytest.fixture
def standin(running_standin: Standin, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Standin]:
    """An empty stand-in that the gateway talks to. Its events wait until the test delivers them."""
    running_standin.reset()
    running_standin.webhooks.hold()
    settings.STRIPE_SECRET_KEY = running_standin.secret_key
    settings.STRIPE_API_HOST = running_standin.address
    monkeypatch.setattr(stripe, "api_base", running_standin.address)  # dj-stripe sets it at start
    yield running_standin
    running_standin.reset()
