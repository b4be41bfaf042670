"""What the page of a lesson says to users whose progress is not saved."""

from django.utils.translation import gettext as _

from apps.courses.models import Course
from apps.learning.queries.lessons import OpenLesson


def preview_note(opened: OpenLesson) -> dict[str, str] | None:
    """Return the notice that progress isn't saved; None for enrolled learners."""
    if opened.may_save:
        return None
    if opened.standing.is_staff:
        return {
            "title": _("You're viewing this lesson as course staff"),
            "body": _("Your progress isn't saved here."),
            "href": "",
            "label": "",
        }
    if opened.course.pricing == Course.Pricing.ONE_TIME:
        return {
            "title": _("A free preview"),
            "body": _("Buy the course to save your progress, take the quizzes and open the other lessons."),
            "href": f"/courses/enroll?course={opened.course.slug}",
            "label": _("Buy this course"),
        }
    return {
        "title": _("A free preview"),
        "body": _("Enroll to save your progress, take the quizzes and open the other lessons."),
        "href": f"/courses/enroll?course={opened.course.slug}",
        "label": _("Enroll now"),
    }
