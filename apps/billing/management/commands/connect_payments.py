"""``manage.py connect_payments``: let the payment provider send its events to this site."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from apps.billing.services import provider
from studyplatform.kit.errors import AppError


class Command(BaseCommand):
    help = "Register this site's webhook address at the payment provider. Idempotent; run it after SITE_URL changed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--site", default=settings.SITE_URL, help="The site's address, if not SITE_URL.")

    def handle(self, *, site: str, **options: Any) -> None:
        try:
            endpoint = provider.connect_webhooks(site=site)
        except AppError as error:
            raise CommandError(f"The payment provider refused: {getattr(error, 'reason', '') or error}") from error
        self.stdout.write(f"The payment provider ({settings.BILLING_MODE}) sends its events to {endpoint.url}")
