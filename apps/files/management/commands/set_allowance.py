"""``manage.py set_allowance EMAIL SIZE``: allow one user more or less storage (docs/operations.md)."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.accounts.models import User
from apps.files import queries
from apps.files.services import read_allowance, set_allowance
from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.text.sizes import as_size


class Command(BaseCommand):
    help = "Set how much one user may store: a size such as 20GB, or default for the allowance of the user's role."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="the email of the account")
        parser.add_argument("size", help="such as 20GB or 500MB, or default")

    def handle(self, *, email: str, size: str, **options: Any) -> None:
        user = User.objects.filter(email__iexact=email.strip()).first()
        if user is None:
            raise CommandError(f"No account has the email {email}.")
        try:
            set_allowance(user=user, allowance=read_allowance(size))
        except ValidationFailed as refusal:
            raise CommandError(refusal.in_fields["allowance"][0]["message"]) from None
        storage = queries.storage_of(user)
        used, allowance = as_size(storage.used), as_size(storage.allowance)
        self.stdout.write(f"{user.email} may store {allowance} and has used {used}.")
