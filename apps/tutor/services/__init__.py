"""Everything that changes what the tutor stores, and its answers.

``indexing`` is not imported here: it loads NumPy, which only the worker and those who ask need.
"""

from apps.tutor.services.asking import ask
from apps.tutor.services.chats import delete_chats_of
from apps.tutor.services.planning import index_course_later, index_published

__all__ = ["ask", "delete_chats_of", "index_course_later", "index_published"]
