"""The allowance of one user, and the warnings before it is used up."""

from django.db import transaction
from django.utils.translation import gettext as _

from apps.accounts import services as people
from apps.accounts.models import User
from apps.files import queries
from apps.files.models import StorageAccount
from apps.files.queries import Storage, warning_at
from apps.files.services.folders import lock_library
from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.text.sizes import as_size, read_size

MOST = 2**50  # bytes; more is a mistake of the person who entered it


def set_allowance(*, user: User, allowance: int | None) -> None:
    """Allow one user so many bytes, or None for what their role has. Nothing is deleted if they store more already.

    :raises ValidationFailed: less than 0 or more than `MOST`.
    """
    check_allowance(allowance)
    with transaction.atomic():
        lock_library(user.pk)
        StorageAccount.objects.update_or_create(user=user, defaults={"allowance": allowance})
        storage = queries.storage_of(user)
        warn_about_storage(user, storage, added=0)


def check_allowance(allowance: int | None) -> int | None:
    """Return the allowance.

    :raises ValidationFailed: less than 0 or more than `MOST`.
    """
    if allowance is not None and not 0 <= allowance <= MOST:
        raise _invalid()
    return allowance


def read_allowance(text: str) -> int | None:
    """The allowance that a person entered: a size such as "20 GB"; None for "default" or nothing.

    :raises ValidationFailed: it is neither.
    """
    if text.strip().lower() in {"", "default"}:
        return None
    try:
        return read_size(text)
    except ValueError:
        raise _invalid() from None


def _invalid() -> ValidationFailed:
    message = _("Enter a size such as 20 GB, at most %(most)s.") % {"most": as_size(MOST)}
    return ValidationFailed(in_fields={"allowance": [{"code": "invalid", "message": message}]})


def warn_about_storage(user: User, storage: Storage, *, added: int) -> None:
    """Notify a user whose storage reaches a share of ``STORAGE_WARNINGS`` with ``added`` bytes on top.

    Once for each share: again only after the storage used fell below it. The caller holds the lock of the library, and
    ``storage`` is from before the bytes were added, so that a fall since the last upload is noticed.
    """
    level = warning_at(storage.used + added, storage.allowance)
    if level == 0:
        return
    account = StorageAccount.objects.filter(user=user).first() or StorageAccount(user=user)
    warned = min(account.warned, storage.warning)
    if level > warned:
        account.warned, account.warnings = level, account.warnings + 1
        account.save()
        people.notify(
            "files.storage_warning",
            user,
            "/settings/storage",
            str(account.warnings),
            percent=level,
            used=as_size(storage.used + added),
            allowance=as_size(storage.allowance),
        )


def delete_account_of(*, user_id: int) -> None:
    """Forget the allowance and the warnings of a deleted user."""
    StorageAccount.objects.filter(user=user_id).delete()
