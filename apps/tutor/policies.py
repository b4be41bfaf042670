"""Who may use the tutor, and whose chats are whose."""

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.models import Course
from apps.tutor.errors import ChatNotFound, TutorTurnedOff
from apps.tutor.models import Chat
from apps.tutor.queries.switches import is_off
from studyplatform.kit.errors import NotAuthenticated
from studyplatform.kit.policies import Verdict


def ask(user: AnyUser) -> Verdict:
    """Everyone who is signed in may ask; what they may open decides what the answer contains."""
    return None if isinstance(user, User) and user.is_active else NotAuthenticated()


def ask_about(course: Course | None) -> Verdict:
    """Nobody may ask about a course whose instructor has turned the tutor off. None: about all courses."""
    return TutorTurnedOff() if is_off(course) else None


def use_chat(user: AnyUser, chat: Chat) -> Verdict:
    """A chat is for its learner alone, and not after they deleted it."""
    if not isinstance(user, User):
        return NotAuthenticated()
    return None if chat.user_id == user.pk and chat.deleted_at is None else ChatNotFound()


def restore_chat(user: AnyUser, chat: Chat) -> Verdict:
    """Learners may bring back their own deleted chats."""
    if not isinstance(user, User):
        return NotAuthenticated()
    return None if chat.user_id == user.pk else ChatNotFound()
