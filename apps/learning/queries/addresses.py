"""Addresses of the learner's pages. They are not reversed: a page of 130 lessons needs 130 of them."""

from uuid import UUID


def lesson_url(course_slug: str, lesson_slug: str, *, at: int | None = None) -> str:
    """Return the address of a lesson's page; ``at`` is the second at which its video starts."""
    return f"/learn/{course_slug}/{lesson_slug}" + (f"?t={at}" if at else "")


def course_url(course_slug: str) -> str:
    return f"/courses/{course_slug}"


def progress_url(course_slug: str) -> str:
    return f"/me/course/{course_slug}/progress"


def notebook_url(course_slug: str) -> str:
    return f"/me/course/{course_slug}/notes"


def certificate_url(code: str) -> str:
    return f"/certificates/{code}"


def save_url(lesson_uid: UUID) -> str:
    """Return the API address to which a lesson's progress is posted."""
    return f"/api/v1/lessons/{lesson_uid}/progress/"
