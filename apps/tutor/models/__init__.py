"""Tables of the tutor."""

from apps.tutor.models.budget import TutorBudget
from apps.tutor.models.chat import MOST_QUESTION, MOST_TITLE, Answer, Chat, Citation, Exchange, Mode
from apps.tutor.models.insight import SettledQuestion, TodoCount
from apps.tutor.models.passage import IndexedCourse, Passage
from apps.tutor.models.usage import CourseTutor, UsageDay

__all__ = [
    "MOST_QUESTION",
    "MOST_TITLE",
    "Answer",
    "Chat",
    "Citation",
    "CourseTutor",
    "Exchange",
    "IndexedCourse",
    "Mode",
    "Passage",
    "SettledQuestion",
    "TodoCount",
    "TutorBudget",
    "UsageDay",
]
