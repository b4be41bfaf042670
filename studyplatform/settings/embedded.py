"""One machine without other servers: the settings of `make run`."""

from studyplatform.settings.base import *  # noqa: F403
from studyplatform.settings.base import BANK_IBAN, BILLING_MODE

if BILLING_MODE == "standin" and not BANK_IBAN:  # the demonstration: as no card is charged, nothing is transferred
    BANK_IBAN, BANK_BIC, BANK_NAME = "DE89370400440532013000", "COBADEFFXXX", "Example Bank"  # ISO 13616's example
