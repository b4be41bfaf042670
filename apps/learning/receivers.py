"""What learning does when another app reports something."""

from apps.accounts.events import PersonLeft
from apps.courses.events import OutlineChanged
from apps.learning import services
from studyplatform.kit import jobs
from studyplatform.kit.events import subscribe


@subscribe(OutlineChanged)
def recount_the_seats(event: OutlineChanged) -> None:
    """Lessons came, went or moved: what share of the course is complete has changed for everyone in it."""
    jobs.enqueue("learning.recount_course", key=str(event.course_id), course_id=event.course_id)


@subscribe(PersonLeft)
def forget_their_bookmarks(event: PersonLeft) -> None:
    """Seats and progress stay as numbers of the course; what only the person knew goes."""
    services.forget_bookmarks(user_id=event.user_id)
