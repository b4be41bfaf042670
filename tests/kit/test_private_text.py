"""Logs and pages of admins have no tokens, whatever writes them."""

import logging

import pytest

from studyplatform.kit.web.private_text import PrivateFormatter, hide_codes, hide_secrets

UID = "5b1ef1cc-9f0c-4b0a-8b5e-000000000000"


@pytest.mark.parametrize(
    "address",
    [
        f"/auth/reset-password/{UID}/SECRET",
        f"/auth/reset-password/{UID}/SECRET/check",
        "/notifications/unsubscribe/SECRET",
        "/s/SECRET",
        f"/s/SECRET/{UID}/download",
        "/s/a/file/SECRET",
        "/media/f/SECRET",
        "/media/v/SECRET/720p/00001.m4s",
        "/auth/verify-email?key=SECRET",
        "/me/dashboard?token=SECRET&user=7",
        "/auth/oauth/callback/google?state=x&code=SECRET",
        f"https://learn.example/auth/reset-password/{UID}/SECRET",
    ],
)
def test_a_log_has_no_tokens_of_addresses(address):
    line = PrivateFormatter("%(message)s").format(
        logging.LogRecord("django.request", logging.WARNING, "", 1, "Gone: %s (x)", (address,), None)
    )

    assert "SECRET" not in line
    assert line.startswith("Gone: ")
    assert line.endswith("(x)")


def test_every_log_is_written_by_the_private_formatter(settings):
    used = {handler["formatter"] for handler in settings.LOGGING["handlers"].values()}
    ours = [one.formatter for one in logging.getLogger().handlers if type(one) is logging.StreamHandler]

    assert used == {"line"}
    assert ours
    assert all(isinstance(one, PrivateFormatter) for one in ours)


def test_a_refused_link_does_not_log_its_token(client, db, caplog):
    client.get(f"/auth/reset-password/{UID}/SECRET-token")
    client.get("/s/SECRET-token")
    client.get("/media/f/SECRET-token")

    formatted = [PrivateFormatter("%(message)s").format(record) for record in caplog.records]
    assert formatted
    assert not any("SECRET" in line for line in formatted)


def test_a_log_has_no_names_in_email_addresses_not_in_tracebacks_either():
    try:
        raise ValueError("550 leo.marsh+x@mail.example.com is unknown")
    except ValueError as error:
        record = logging.LogRecord("x", 40, "", 1, "%s failed", ("mia@example.com",), (type(error), error, None))

    line = PrivateFormatter("%(message)s").format(record)

    assert "m…@example.com failed" in line
    assert "l…@mail.example.com is unknown" in line


def test_other_text_stays():
    text = "color: #123456; /courses/tidal-science/lessons/1 and 2026-11-26, 1234567, /help?q=token"

    assert hide_codes(hide_secrets(text)) == text
    assert hide_codes("482913 is your code") == "•••••• is your code"
