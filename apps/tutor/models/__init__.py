"""Tables of the tutor."""

from apps.tutor.models.passage import IndexedCourse, Passage

__all__ = ["IndexedCourse", "Passage"]
