"""Reasons of the provider in words."""

from apps.billing.provider_reasons import explain_dispute, explain_failed_refund


def test_reasons_are_words_also_those_that_the_provider_adds_later():
    disputes = {
        "fraudulent": "The cardholder says they didn't pay",
        "product_not_received": "The course couldn't be opened",
        "some_new_reason": "Some new reason",
        "": "No reason given",
    }
    assert {reason: explain_dispute(reason) for reason in disputes} == disputes
    refunds = {
        "lost_or_stolen_card": "the card was reported lost or stolen",
        "new_one": "new one",
        "": "no reason given",
    }
    assert {reason: explain_failed_refund(reason) for reason in refunds} == refunds
