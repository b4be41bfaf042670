"""An email address has one spelling, however its domain was typed."""

import pytest
from django.core import mail
from django.test import Client

from apps.accounts.email_addresses import canonical_address
from apps.accounts.models import User
from tests.cases import all_cases
from tests.factories.accounts import PASSWORD, UserFactory

ONE = "lea@xn--bcher-kva.example"


@all_cases(
    "typed",
    [
        "lea@bücher.example",
        " LEA@BÜCHER.example ",
        "lea@xn--bcher-kva.example",
        "lea@XN--BCHER-KVA.EXAMPLE",
        "lea@bu\u0308cher.example",  # decomposed, as macOS types it
        "lea@bücher\u3002example",  # the full stop of Chinese and Japanese keyboards
        "lea@bü\u200bcher.example",  # pasted with a zero-width space
    ],
)
def test_all_spellings_are_one_address(typed):
    assert canonical_address(typed) == ONE
    assert User.objects.normalize_email(typed) == ONE


def test_domains_of_different_owners_stay_different():
    assert canonical_address("a@straße.example") != canonical_address("a@strasse.example")
    assert canonical_address("Leo@Example.com") == "leo@example.com"
    assert canonical_address("not an address") == "not an address"
    with pytest.raises(ValueError, match="A-label"):
        canonical_address("a@xn--.example")
    assert User.objects.normalize_email("A@xn--.example") == "a@xn--.example"


@pytest.mark.django_db
def test_an_account_is_found_in_every_spelling():
    user = UserFactory(email="lea@bücher.example")
    assert user.email == ONE
    for typed in ("lea@bücher.example", "LEA@xn--bcher-kva.example"):
        answer = Client().post("/api/v1/auth/login", {"email": typed, "password": PASSWORD}, "application/json")
        assert answer.status_code == 200


@pytest.mark.django_db
def test_a_domain_that_cannot_exist_is_refused_and_gets_no_email():
    answer = Client().post("/auth/forgot-password", {"email": "a@xn--.example"})
    assert "Enter a valid email address." in answer.content.decode()
    assert mail.outbox == []
