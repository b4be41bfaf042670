"""What a user has read."""

from datetime import datetime

from apps.accounts.models import User
from apps.forum.models import Follow, ReadMark, Topic, Visit


def visit(*, user: User, topic: Topic, number: int, before: int | None, now: datetime) -> None:
    """Remember that the user has seen the posts of a topic up to this number.

    :param before: the number remembered so far; None on the first visit. It never goes back.
    """
    if before is None:
        Visit.objects.bulk_create(
            [Visit(user=user, topic=topic, last_number=number, seen_at=now)], ignore_conflicts=True
        )
    elif number > before:
        Visit.objects.filter(user=user, topic=topic, last_number__lt=number).update(last_number=number, seen_at=now)


def mark_all_read(*, user: User, now: datetime) -> None:
    """Everything that was written so far counts as read."""
    ReadMark.objects.update_or_create(user=user, defaults={"read_until": now})
    Visit.objects.filter(user=user).delete()


def begin_reading(*, user: User, now: datetime) -> None:
    """On the first visit to the discussions everything counts as read: only what comes later is new."""
    if not ReadMark.objects.filter(user=user).exists():
        ReadMark.objects.get_or_create(user=user, defaults={"read_until": now})


def forget_reading(*, user_id: int) -> None:
    """Delete what a user read and follows."""
    for model in (Visit, ReadMark, Follow):
        model.objects.filter(user=user_id).delete()
