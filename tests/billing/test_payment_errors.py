"""The texts of payment errors: one test per row of the specification's table."""

import stripe

from apps.billing.errors import CardDeclined, PaymentProcessingError
from apps.billing.gateway.errors import code_of, describe, refusal_of
from studyplatform.kit.management.commands import export_contract
from tests.cases import all_cases


def test_a_code_is_read_also_where_the_library_leaves_it_in_the_answer():
    """An account that has disconnected itself is refused with 403."""
    answer = {"error": {"code": "account_invalid", "message": "no access"}}
    assert code_of(stripe.PermissionError("no access", json_body=answer)) == "account_invalid"
    assert code_of(stripe.InvalidRequestError("gone", "id", "resource_missing")) == "resource_missing"
    assert code_of(stripe.APIConnectionError("nobody")) == ""


def declined(text: str | None = None) -> stripe.CardError:
    return stripe.CardError(text, None, "card_declined", json_body={"error": {"message": text}})


@all_cases(
    "error, text",
    [
        (declined("Your card has expired."), "Your card has expired."),
        (declined(), "Your card was declined"),
        (stripe.InvalidRequestError("No such customer", None), "Invalid payment information provided"),
        (stripe.APIConnectionError("refused"), "Network error occurred. Please try again"),
        (stripe.APIError("500"), "A server error occurred. Please try again"),
        (stripe.AuthenticationError("bad key"), "Authentication with payment provider failed"),
        (stripe.RateLimitError("slow down"), "Too many requests. Please wait and try again"),
        (stripe.IdempotencyError("used before"), "used before"),
        (stripe.IdempotencyError(), "Payment processing error"),
        (None, "An unknown error occurred"),
        (ValueError("broken"), "broken"),
        (ValueError(), "An unexpected error occurred"),
    ],
)
def test_an_error_reads_as_the_table_says(error, text):
    assert describe(error) == text


def test_only_a_declined_card_is_a_refusal_of_the_card():
    assert isinstance(refusal_of(declined()), CardDeclined)
    assert isinstance(refusal_of(stripe.APIError("500")), PaymentProcessingError)


def test_scripts_have_the_same_table():
    assert export_contract.table_module("paymentErrors") == export_contract.table_path("paymentErrors").read_text()
