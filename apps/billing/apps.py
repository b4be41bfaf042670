from typing import Any

from django.apps import AppConfig
from django.db import DEFAULT_DB_ALIAS
from django.db.models.signals import post_migrate


class BillingConfig(AppConfig):
    name = "apps.billing"
    label = "billing"

    def ready(self) -> None:
        post_migrate.connect(_issue_documents_of_earlier_payments, sender=self)


def _issue_documents_of_earlier_payments(*, plan: Any = None, using: str = DEFAULT_DB_ALIAS, **_: Any) -> None:
    """After an upgrade: number the payments from before there were documents, before a new one gets a number.

    No migration does it, because documents are made by the present models and texts (docs/adr/0050).
    """
    if not plan or using != DEFAULT_DB_ALIAS or any(is_backwards for _migration, is_backwards in plan):
        return
    from apps.billing.services import issuing  # noqa: PLC0415 (models are loaded by now)

    if issuing.is_ready():
        issuing.issue_missing_documents()
