"""No more mails like this: the link of a mail, which works without signing in, and after a change of password.

The link is signed, and names a person and a kind: nobody can make one for somebody else, and what does not work
says nothing about who exists.
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
    """What a link is about: one kind, or the digest with all that goes into it."""

    user: User
    kind: str
    title: Words
    is_on: bool


def unsubscribe_link(user: User, kind: str) -> str:
    """The address, without host, that ends these mails."""
    return f"/notifications/unsubscribe/{signing.dumps([str(user.uid), kind], salt=_SALT)}"


def subscription_of(token: str) -> Subscription | None:
    """What this link is about; None if it was not made here, or its person or kind is gone."""
    try:
        uid, kind = signing.loads(token, salt=_SALT)
    except (signing.BadSignature, TypeError, ValueError):
        return None
    user = User.objects.filter(uid=uid, deleted_at=None).first()
    known = KINDS.get(kind)
    if user is None or (kind != DIGEST and (known is None or known.is_security)):
        return None
    return Subscription(user, kind, known.title if known else "", bool(_ways(user, kind)))


def unsubscribe(subscription: Subscription) -> str:
    """End these mails; what is told on the site stays as it is. Returns a token that takes it back."""
    with transaction.atomic():
        was = _ways(subscription.user, subscription.kind)
        _set(subscription.user, dict.fromkeys(was, Mail.OFF))
        # What waits for the next digest would be one mail more.
        Notification.objects.of(subscription.user).filter(kind__in=was).update(digest_due_at=None)
    return signing.dumps([str(subscription.user.uid), was], salt=_UNDO)


def undo_unsubscribe(subscription: Subscription, token: str) -> bool:
    """Take it back, within a day; whether the token was for this person."""
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
    """The kinds that the link is about and that send mail now, with how."""
    ways = {name: way for name, (_, way) in choices_of(user).items() if way != Mail.OFF}
    if kind == DIGEST:
        return {name: way for name, way in ways.items() if way == Mail.DIGEST}
    return {name: way for name, way in ways.items() if name == kind}


def _set(user: User, ways: dict[str, str]) -> None:
    stands = choices_of(user)
    for name, way in ways.items():
        if name in stands:
            NotificationChoice.objects.update_or_create(
                user=user, kind=name, defaults={"mail": way}, create_defaults={"in_app": stands[name][0], "mail": way}
            )
