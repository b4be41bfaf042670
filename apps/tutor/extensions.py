"""What the tutor adds to pages of others."""

from django.utils.module_loading import import_string

from apps.accounts.policies import AnyUser
from studyplatform.kit.extensions import LessonHit, lesson_hits


@lesson_hits.registers("tutor")
def lessons_with(user: AnyUser, text: str) -> list[LessonHit]:
    """The lessons of published courses that contain all words of the text."""
    find = import_string("apps.tutor.retrieval.catalogue.lessons_with")  # not above: it loads NumPy
    found: list[LessonHit] = find(user, text)
    return found
