"""How users want to receive notifications."""

from apps.accounts.kinds import KINDS
from apps.accounts.models import NotificationChoice, User


def choices_of(user: User) -> dict[str, tuple[bool, str]]:
    """By kind: whether on the site, and how by email. Without the kinds that cannot be turned off."""
    chosen = {row.kind: (row.in_app, row.mail) for row in NotificationChoice.objects.filter(user=user)}
    return {
        name: chosen.get(name, (kind.in_app, str(kind.mail))) for name, kind in KINDS.items() if not kind.is_security
    }
