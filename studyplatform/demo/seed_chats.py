"""The demo learner's chats with the tutor: questions about lessons they may open, answered by the search itself."""

from datetime import datetime, timedelta
from uuid import UUID, uuid5

from django.utils.module_loading import import_string

from apps.accounts.models import User
from apps.courses.models import Course
from apps.tutor import services as tutor
from apps.tutor.models import Chat

LEARNER = "student@example.com"
COURSE = "linear-algebra-geometrically"
_NAMES = UUID("0f6d1f0a-54a7-4a43-b0a5-6d7b0d1d9e55")
# Days ago, and the questions of a chat.
_CHATS: tuple[tuple[float, tuple[str, ...]], ...] = (
    (12.1, ("What does a matrix do to the unit square?",)),
    (6.3, ("What does the determinant of a matrix tell me?", "What does it mean if it is zero?")),
    (0.8, ("What is an eigenvector?",)),
)


def seed_chats(now: datetime) -> None:
    """Do nothing if the learner has chats already, or the course is not there."""
    user = User.objects.filter(email=LEARNER).first()
    course = Course.objects.filter(slug=COURSE, published_at__isnull=False).first()
    if user is None or course is None or Chat.objects.filter(user=user).exists():
        return
    import_string("apps.tutor.services.indexing.index_course")(course_id=course.pk, now=now)  # it loads NumPy
    for days, questions in _CHATS:
        chat: Chat | None = None
        for place, question in enumerate(questions):
            at = now - timedelta(days=days) + timedelta(minutes=3 * place)
            asked = tutor.Asked(question=question, key=uuid5(_NAMES, f"{user.pk} {question}"))
            if chat is None:
                exchange = tutor.start_chat(user=user, asked=asked, course=COURSE, now=at)
            else:
                exchange = tutor.ask_in_chat(user=user, uid=chat.uid, asked=asked, now=at)
            chat = exchange.chat
            tutor.answer_now(exchange=exchange)
