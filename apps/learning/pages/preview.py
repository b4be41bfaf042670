"""What pages of a course say to users who aren't enrolled: a preview, or the way to enroll."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.policies import AnyUser
from apps.billing.queries.open_transfers import open_transfer_for
from apps.courses.models import Course, Lesson
from apps.learning.queries.lessons import OpenLesson
from studyplatform.kit.errors import AppError


def render_closed(
    request: HttpRequest, refusal: AppError, course: Course, *, lesson: Lesson | None = None
) -> HttpResponse:
    """Render the page for what requires an enrollment, with the way to enroll."""
    transfer = open_transfer_for(request.user, [course], now=timezone.now())
    context = {"error": refusal, "course": course, "lesson": lesson, "transfer": transfer}
    return render(request, "learning/closed.html", context, status=refusal.status)


def preview_note(opened: OpenLesson, user: AnyUser) -> dict[str, str] | None:
    """Return the notice that progress isn't saved; None for enrolled learners, and where the page around says it."""
    if opened.may_save or opened.is_simulated:  # the page around a simulated lesson says it
        return None
    if opened.standing.is_staff:
        return {
            "title": _("You're viewing this lesson as course staff"),
            "body": _("Your progress isn't saved here."),
            "href": "",
            "label": "",
        }
    transfer = open_transfer_for(user, [opened.course], now=timezone.now())
    if transfer is not None and opened.course.pricing != Course.Pricing.FREE:
        return {
            "title": _("A free preview"),
            "body": _("The other lessons open once your transfer has arrived."),
            "href": f"/billing/orders/{transfer.order.uid}",
            "label": _("See the payment details"),
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
