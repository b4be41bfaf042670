"""Unsubscribing by the link of an email, which works without signing in.

The link is signed and names a user and a kind: nobody can create one for another user, and a link that does not work
does not reveal which emails have an account.
"""

from dataclasses import dataclass

from django.core import signing
from django.db import transaction

from apps.accounts.kinds import KINDS, Mail, Words
from apps.accounts.models import Notification, NotificationChoice, User
from apps.accounts.queries.choices import choices_of

DIGEST = "digest"
_SALT, _UNDO = "accounts.unsubscribe", "accounts.unsubscribe.undo"
_UNDO_SECONDS = 60 * 60 * 24


@dataclass(frozen=True)
class Subscription:
    """What a link is about: one kind, or the digest with all its kinds."""

    user: User
    kind: str
    title: Words
    is_on: bool


def unsubscribe_link(user: User, kind: str) -> str:
    """The address, without host, that stops these emails."""
    return f"/notifications/unsubscribe/{signing.dumps([str(user.uid), kind], salt=_SALT)}"


def subscription_of(token: str) -> Subscription | None:
    """What this link is about; None if it was not signed here, or its user or kind no longer exists."""
    try:
        uid, kind = signing.loads(token, salt=_SALT)
    except (signing.BadSignature, TypeError, ValueError):
        return None
    user = User.objects.filter(uid=uid, deleted_at=None).first()
    known = KINDS.get(kind)
    if user is None or (kind != DIGEST and (known is None or known.is_always_mailed)):
        return None
    return Subscription(user, kind, known.title if known else "", bool(_ways(user, kind)))


def unsubscribe(subscription: Subscription) -> str:
    """Stop these emails; notifications on the site are unchanged. Returns a token that undoes it."""
    with transaction.atomic():
        was = _ways(subscription.user, subscription.kind)
        _set(subscription.user, dict.fromkeys(was, Mail.OFF))
        # Otherwise the next digest would contain them.
        Notification.objects.of(subscription.user).filter(kind__in=was).update(digest_due_at=None)
    return signing.dumps([str(subscription.user.uid), was], salt=_UNDO)


def undo_unsubscribe(subscription: Subscription, token: str) -> bool:
    """Undo it, within a day. Whether the token was for this user."""
    try:
        uid, was = signing.loads(token, salt=_UNDO, max_age=_UNDO_SECONDS)
    except (signing.BadSignature, TypeError, ValueError):
        return False
    if uid != str(subscription.user.uid):
        return False
    with transaction.atomic():
        _set(subscription.user, was)
    return True


def _ways(user: User, kind: str) -> dict[str, str]:
    """The kinds that the link is about and that send email now, with how."""
    ways = {name: way for name, (_, way) in choices_of(user).items() if way != Mail.OFF}
    if kind == DIGEST:
        return {name: way for name, way in ways.items() if way == Mail.DIGEST}
    return {name: way for name, way in ways.items() if name == kind}


def _set(user: User, ways: dict[str, str]) -> None:
    current = choices_of(user)
    for name, way in ways.items():
        if name in current:
            NotificationChoice.objects.update_or_create(
                user=user, kind=name, defaults={"mail": way}, create_defaults={"in_app": current[name][0], "mail": way}
            )
