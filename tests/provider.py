"""The stand-in for the payment provider, for tests of all apps."""

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

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


def calls_directly(standin: Standin) -> type[stripe.RequestsClient]:
    """The client of the provider's library, calling the stand-in of this process without HTTP; others by HTTP.

    HTTP took most of the time of a call. tests/billing/standin and the browser tests use it, and so do processes that a
    test forks: what they did to their own copy of the stand-in would be lost.
    """
    process = os.getpid()

    class Client(stripe.RequestsClient):
        def request(
            self, method: str, url: str, headers: Mapping[str, str] | None, post_data: Any = None, **other: Any
        ) -> Any:
            parts = urlsplit(url)
            is_ours = f"{parts.scheme}://{parts.netloc}" == standin.address and parts.path.startswith("/v1/")
            if not is_ours or os.getpid() != process:
                return super().request(method, url, headers, post_data, **other)
            answer = standin.call(method.upper(), parts.path, post_data or parts.query, headers)
            return json.dumps(answer.body), answer.status, answer.headers

    return Client


@pytest.fixture
def standin(running_standin: Standin, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Standin]:
    """An empty stand-in that the gateway talks to. Its events wait until the test delivers them."""
    running_standin.reset()
    running_standin.webhooks.hold()
    monkeypatch.setattr(stripe, "RequestsClient", calls_directly(running_standin))
    settings.STRIPE_SECRET_KEY = running_standin.secret_key
    settings.STRIPE_API_HOST = running_standin.address
    monkeypatch.setattr(stripe, "api_base", running_standin.address)  # dj-stripe sets it at start
    yield running_standin
    running_standin.reset()
