"""What changes seats, progress, attempts, certificates."""

from apps.learning.services.announcements import tell_of_lesson
from apps.learning.services.certificates import issue_certificate
from apps.learning.services.enrollment import enroll, forget_bookmarks, grant_seat, rate_course, set_bookmark
from apps.learning.services.progress import (
    complete_lesson,
    fetch_file,
    open_lesson,
    recount,
    recount_course,
    save_watching,
)
from apps.learning.services.quizzes import hand_in, open_attempt

__all__ = [
    "complete_lesson",
    "enroll",
    "fetch_file",
    "forget_bookmarks",
    "grant_seat",
    "hand_in",
    "issue_certificate",
    "open_attempt",
    "open_lesson",
    "rate_course",
    "recount",
    "recount_course",
    "save_watching",
    "set_bookmark",
    "tell_of_lesson",
]
