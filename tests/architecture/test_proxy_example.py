"""The proxy that the operations manual shows tells the application what it relies on."""

import re

from tests.architecture.source import ROOT


def test_the_example_says_where_a_request_comes_from() -> None:
    """Without it all visitors would share one count of the limits by address."""
    manual = (ROOT / "docs" / "operations.md").read_text()

    [nginx] = re.findall(r"```nginx\n(.*?)```", manual, re.DOTALL)
    headers = dict(re.findall(r"proxy_set_header (\S+)\s+(\S+);", nginx))

    assert headers["X-Forwarded-For"] == "$remote_addr"
    assert headers["X-Forwarded-Proto"] == "$scheme"
    assert headers["Host"] == "$http_host"
    assert "TRUSTED_PROXIES=127.0.0.1" in manual
