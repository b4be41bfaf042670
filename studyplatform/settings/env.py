"""Read typed values from environment variables; an invalid value is an error."""

import os
import re
from collections.abc import Sequence
from datetime import date
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured


def text(name: str, default: str = "") -> str:
    """The variable as text; an empty one counts as absent."""
    return os.environ.get(name) or default


def choice(name: str, choices: Sequence[str]) -> str:
    """The value of a variable that names one of ``choices``; the first one if it is not set.

    :raises ImproperlyConfigured: it names something else.
    """
    value = text(name) or choices[0]
    if value not in choices:
        raise ImproperlyConfigured(f"{name} must be one of: {', '.join(choices)}")
    return value


def database(name: str, file: Path) -> dict[str, Any]:
    """The database that a variable names by its URL; otherwise SQLite in a file.

    The file's path is no part of a URL, where "#", "+" and "%" in the name of a folder mean something else.
    """
    url = text(name)
    if not url:
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": str(file)}
    found: dict[str, Any] = environ.Env.db_url_config(url)
    return found


def flag(name: str, *, default: bool = False) -> bool:
    """The variable as yes or no.

    :raises ImproperlyConfigured: the value is neither.
    """
    value = text(name).lower()
    if not value:
        return default
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    raise ImproperlyConfigured(f"{name} must be true or false, not {value!r}")


def number(name: str, default: int) -> int:
    """The variable as a whole number.

    :raises ImproperlyConfigured: the value is not a whole number.
    """
    value = text(name)
    if not value:
        return default
    try:
        return int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}") from None


def words(name: str, default: Sequence[str] = ()) -> list[str]:
    """The variable as a comma-separated list."""
    value = text(name)
    return [part.strip() for part in value.split(",") if part.strip()] if value else list(default)


def shares(name: str, default: Sequence[int]) -> list[int]:
    """The variable as a comma-separated list of percentages.

    :raises ImproperlyConfigured: one of them is not a whole number from 1 to 100.
    """
    found = words(name, [str(each) for each in default])
    if not all(each.isdecimal() and 1 <= int(each) <= 100 for each in found):
        raise ImproperlyConfigured(f"{name} must be whole numbers from 1 to 100, not {text(name)!r}")
    return [int(each) for each in found]


def networks(name: str) -> list[IPv4Network | IPv6Network]:
    """The variable as a comma-separated list of addresses and networks.

    :raises ImproperlyConfigured: one of them is neither.
    """
    try:
        return [ip_network(word) for word in words(name)]
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}") from None


def rates(name: str) -> dict[str, int]:
    """The variable as rates by country, such as ``FI=25.5,DE=19``: percentages, returned in hundredths of a percent.

    :raises ImproperlyConfigured: a part is not a country and a percentage below 100 with at most two decimals.
    """
    found = {}
    for part in words(name):
        match = _RATE.fullmatch(part)
        if match is None or match[1] in _NO_ISO_CODES:
            raise ImproperlyConfigured(f"{name} must be like FI=25.5,DE=19, not {part!r}")
        found[match[1]] = _basis_points(match)
    return found


_NO_ISO_CODES = {"EL", "UK", "XI", "EU"}  # of Greece and the United Kingdom, as VAT numbers and offices write them
_RATE = re.compile(r"([A-Z]{2})=([0-9]{1,2})(?:\.([0-9]{1,2}))?")


def _basis_points(rate: re.Match[str]) -> int:
    return int(rate[2]) * 100 + int((rate[3] or "0").ljust(2, "0"))


def rate_changes(name: str) -> list[tuple[str, int, date]]:
    """The variable as rates that begin on a day, such as ``EE=24@2025-07-01,SK=23@2025-01-01``.

    :raises ImproperlyConfigured: a part is not a country, a percentage and a date.
    """
    found = []
    for part in words(name):
        rate, _at, day = part.partition("@")
        match = _RATE.fullmatch(rate)
        try:
            since = date.fromisoformat(day)
        except ValueError:
            since = None
        if match is None or match[1] in _NO_ISO_CODES or since is None:
            raise ImproperlyConfigured(f"{name} must be like EE=24@2025-07-01, not {part!r}")
        found.append((match[1], _basis_points(match), since))
    return found


def country(name: str) -> str:
    """The variable as the code of a country (ISO 3166-1), or "".

    :raises ImproperlyConfigured: it isn't two letters, or a code that isn't one of ISO 3166-1: EL for Greece, UK.
    """
    code = text(name).upper()
    if code in _NO_ISO_CODES or re.fullmatch(r"(?:[A-Z]{2})?", code) is None:
        raise ImproperlyConfigured(f"{name} must be a country code of ISO 3166-1, such as GR or GB, not {code!r}")
    return code


def account_numbers(name: str) -> dict[str, str]:
    """The variable as account numbers by the ledger's account, such as ``provider=1360,bank=1200``.

    :raises ImproperlyConfigured: a part is not an account and a number of at most 20 letters, digits, dots and dashes.
    """
    found = {}
    for part in words(name):
        match = re.fullmatch(r"([a-z]+(?::\d+)?)=([A-Za-z0-9.-]{1,20})", part)
        if match is None:
            raise ImproperlyConfigured(f"{name} must be like provider=1360,bank=1200, not {part!r}")
        found[match[1]] = match[2]
    return found
