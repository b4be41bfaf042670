"""The stand-in for the payment provider, and what a learner's browser does with it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest
import stripe
from django.test import Client

from apps.billing.services import provider
from apps.billing.standin import Standin
from apps.courses.models import Course
from studyplatform.kit import jobs
from tests.factories.selling import PaidCourseFactory

GOOD, DECLINED, POOR, ASKS, FAILS_LATER = (
    "4242424242424242",
    "4000000000000002",
    "4000000000009995",
    "4000002500003155",
    "4000000000000341",
)
DISPUTED = "4000000000000259"


@pytest.fixture(autouse=True)
def _no_pauses_between_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client of the provider repeats calls that fail; here nothing is gained by waiting in between."""
    monkeypatch.setattr(stripe.HTTPClient, "INITIAL_DELAY", 0.001)


@pytest.fixture
def webhooks(standin: Standin, db: None) -> Callable[[], int]:
    """Deliver all events that wait to the site's own address, and run the jobs that handle them."""
    provider.connect_webhooks(site="http://testserver")
    site = Client()

    def send(url: str, body: bytes, headers: dict[str, str]) -> int:
        known = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
        answer = site.post(urlsplit(url).path, body, content_type="application/json", **known)
        return int(answer.status_code)

    standin.webhooks.transport = send

    def deliver() -> int:
        count = standin.webhooks.deliver_all()
        jobs.run_pending("default")
        return count

    return deliver


@dataclass
class Browser:
    """What the provider's script does in a learner's browser: the card's number goes to the provider alone."""

    standin: Standin

    def confirm(self, secret: str, number: str = GOOD, *, method: str = "") -> dict[str, Any]:
        """Confirm a payment intent, or a setup intent, by its client secret; return the provider's answer."""
        intent = secret.partition("_secret_")[0]
        kind = "setup_intents" if intent.startswith("seti_") else "payment_intents"
        card = {"number": number, "exp_month": "12", "exp_year": "2034", "cvc": "123"}
        how: dict[str, Any] = (
            {"payment_method": method} if method else {"payment_method_data": {"type": "card", "card": card}}
        )
        answer = self.standin.call(
            "POST",
            f"/v1/{kind}/{intent}/confirm",
            {"client_secret": secret, **how},
            {"Authorization": f"Bearer {self.standin.publishable_key}"},
        )
        return answer.body

    def answer_bank(self, secret: str, *, accepts: bool = True) -> None:
        """Answer the bank's question."""
        self.standin.authenticate(secret.partition("_secret_")[0], accepts=accepts)


@pytest.fixture
def card_form(standin: Standin) -> Browser:
    return Browser(standin)


@pytest.fixture
def paid(ada: Any) -> Course:
    """A course by Ada for $64."""
    course: Course = PaidCourseFactory(instructor=ada, title="How Compilers Think")
    return course
