"""Change chats as a whole."""

from apps.tutor.models import Chat


def delete_chats_of(*, user_id: int) -> None:
    """Erase all chats of a deleted account."""
    Chat.objects.filter(user=user_id).delete()
