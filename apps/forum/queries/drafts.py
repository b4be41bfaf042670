"""Reading drafts."""

from dataclasses import dataclass, field
from datetime import datetime

from apps.accounts.models import User
from apps.forum.models import Draft


@dataclass(frozen=True)
class KeptDraft:
    """A draft; ``saved_at`` is None if none is kept."""

    key: str
    source: str = ""
    values: dict[str, str] = field(default_factory=dict)
    saved_at: datetime | None = None


def draft_of(user: User, key: str) -> KeptDraft:
    """The draft of a user for a place of writing. One query."""
    row = Draft.objects.filter(user=user, key=key).first()
    return KeptDraft(key) if row is None else KeptDraft(key, row.source, row.fields, row.saved_at)
