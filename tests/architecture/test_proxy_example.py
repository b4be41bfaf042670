"""The proxy example in docs/operations.md sets the headers that the application relies on."""

import re

from tests.architecture.source import ROOT


def test_proxy_example_forwards_the_client_address() -> None:
    """Without these headers, all visitors would share the rate limits of one address."""
    manual = (ROOT / "docs" / "operations.md").read_text()

    [nginx] = re.findall(r"```nginx\n(.*?)```", manual, re.DOTALL)
    headers = dict(re.findall(r"proxy_set_header (\S+)\s+(\S+);", nginx))

    assert headers["X-Forwarded-For"] == "$remote_addr"
    assert headers["X-Forwarded-Proto"] == "$scheme"
    assert headers["Host"] == "$http_host"
    assert "TRUSTED_PROXIES=127.0.0.1" in manual


def test_proxy_example_keeps_the_headers_of_uploaded_files() -> None:
    """nginx drops them when it follows X-Accel-Redirect: an uploaded page could run as a page of the site."""
    manual = (ROOT / "docs" / "operations.md").read_text()

    [location] = re.findall(r"location /protected/ \{(.*?)\n  \}", manual, re.DOTALL)
    kept = dict(re.findall(r"add_header (\S+)\s+(\S+);", location))

    assert kept["Content-Security-Policy"] == "$upstream_http_content_security_policy"
    assert kept["X-Content-Type-Options"] == "nosniff"
