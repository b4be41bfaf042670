"""Drafts that the server keeps, so that a text begun on one device is finished on another."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.forum import text
from apps.forum.errors import DraftTooLarge
from apps.forum.models import Draft

MOST = 50  # drafts of a user; of more, the oldest go
MOST_SOURCE = 4 * text.MOST  # code points: what is too long to post is not lost
MOST_FIELDS = 2000  # characters of all other fields and their names


def save_draft(
    *, user: User, key: str, source: str, fields: Mapping[str, str], written_at: datetime, now: datetime
) -> Draft:
    """Keep a draft, unless a newer one is kept already; the newer one is returned.

    :raises DraftTooLarge: it has more than `MOST_SOURCE` code points.
    """
    source = text.normalize(source)
    clean = {text.normalize(name): text.normalize(value) for name, value in fields.items()}
    if len(source) > MOST_SOURCE or sum(len(name) + len(value) for name, value in clean.items()) > MOST_FIELDS:
        raise DraftTooLarge
    saved_at = min(written_at, now)
    with transaction.atomic():
        draft, is_new = Draft.objects.select_for_update().get_or_create(
            user=user, key=key, defaults={"source": source, "fields": clean, "saved_at": saved_at}
        )
        if is_new:
            kept = Draft.objects.filter(user=user).order_by("-saved_at", "-pk").values_list("pk", flat=True)[:MOST]
            Draft.objects.filter(user=user).exclude(pk__in=[*kept, draft.pk]).delete()
        elif draft.saved_at < saved_at:
            draft.source, draft.fields, draft.saved_at = source, clean, saved_at
            draft.save(update_fields=["source", "fields", "saved_at"])
    return draft


def discard_draft(*, user: User, key: str) -> None:
    """Delete a draft, for example because it was posted."""
    Draft.objects.filter(user=user, key=key).delete()


def delete_drafts(*, user_id: int) -> None:
    """Delete all drafts of a user."""
    Draft.objects.filter(user=user_id).delete()
