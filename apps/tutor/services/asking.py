"""Answer questions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.utils.module_loading import import_string

from apps.accounts.policies import AnyUser
from apps.courses.models import Course
from apps.tutor import policies
from apps.tutor.answers import Answer, quote
from studyplatform.kit.policies import enforce

if TYPE_CHECKING:
    from apps.tutor.retrieval.search import Earlier, Found


def ask(
    *, user: AnyUser, question: str, course: Course | None = None, history: "Sequence[Earlier]" = ()
) -> "tuple[Answer, list[Found]]":
    """Return the answer and the passages that were found for it, the best first.

    They come from the lessons of the course, or of all courses, that the user may open at this moment.

    :raises TutorTurnedOff: the course has no tutor.
    """
    enforce(policies.ask_about(course))
    find = import_string("apps.tutor.retrieval.search.find")  # not above: it loads NumPy
    found: list[Found] = find(user, question, course=course, history=history)
    return quote(found), found
