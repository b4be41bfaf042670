"""How billing reacts to events of other apps, and to an upgrade."""

from typing import Any

from django.apps import apps as installed
from django.db import DEFAULT_DB_ALIAS
from django.db.models.signals import post_migrate, post_save
from django.dispatch import receiver
from django.utils import timezone
from djstripe.models import WebhookEventTrigger

from apps.accounts import services as accounts
from apps.accounts.events import AccountDeleted
from apps.billing import documents, policies, services, statements
from apps.billing.models import Bundle, BundleCourse, Document, Payout
from apps.billing.services import issuing, payout_outcomes, receipts, seats, subscriptions, webhooks
from studyplatform.kit import mail
from studyplatform.kit.caching import table_versions
from studyplatform.kit.db.applied_migrations import are_all_migrations_applied
from studyplatform.kit.events import subscribe

accounts.register_hindrance(policies.leave)

# The catalog and the pages of courses name the bundles that are for sale.
table_versions.watch("catalogue", Bundle)
table_versions.watch("catalogue", BundleCourse)


def make_document(uid: str) -> mail.Attachment | None:
    """An invoice or credit note as a file of an email."""
    document = Document.objects.filter(uid=uid).first()
    if document is None:
        return None
    return mail.Attachment(documents.file_name(document), documents.print_document(document), "application/pdf")


mail.register_attachment(receipts.ATTACHED_DOCUMENT, make_document)


def make_payout_statement(uid: str) -> mail.Attachment | None:
    """The statement of a payout, when its email is sent; None if the payout is gone."""
    payout = Payout.objects.select_related("instructor").filter(uid=uid, started_at__isnull=False).first()
    if payout is None:
        return None
    name = f"payout-{payout.created_at:%Y-%m-%d}.pdf"
    return mail.Attachment(name, statements.payout_statement(payout), "application/pdf")


mail.register_attachment(payout_outcomes.PAYOUT_STATEMENT, make_payout_statement)


@receiver(post_save, sender=WebhookEventTrigger)
def queue_event(instance: WebhookEventTrigger, *, created: bool, **_: Any) -> None:
    """Handle a webhook event once dj-stripe has verified it and saved it for the last time."""
    if not created:
        webhooks.queue(trigger=instance)


@subscribe(AccountDeleted)
def forget_deleted_user(event: AccountDeleted) -> None:
    """End a deleted account's subscription, and remove its cards, here and at the provider.

    The books keep its payments, without the email.
    """
    subscriptions.end_for_deleted_user(user_id=event.user_id, now=timezone.now())
    services.forget_user(user_id=event.user_id)


@subscribe(AccountDeleted)
def forget_seats(event: AccountDeleted) -> None:
    """Free the seats of a deleted account, and empty what its teams say."""
    seats.forget_seats(user_id=event.user_id, now=timezone.now())


@subscribe(AccountDeleted)
def forget_payout_data(event: AccountDeleted) -> None:
    services.forget_payout_data(user_id=event.user_id, now=timezone.now())


@receiver(post_migrate, sender=installed.get_app_config("billing"), dispatch_uid="billing.issue_earlier_documents")
def issue_earlier_documents(*, plan: Any = None, using: str = DEFAULT_DB_ALIAS, **_: Any) -> None:
    """After an upgrade: number the payments from before there were documents, before a new one gets a number.

    No migration does it, because documents are made by the present models and texts (docs/adr/0050).
    """
    if plan and using == DEFAULT_DB_ALIAS and are_all_migrations_applied():
        issuing.issue_missing_documents()
