"""Which lessons use an uploaded file: for the pages of the library."""

from collections.abc import Collection

from django.urls import reverse
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.models import Lesson
from apps.files.services import Use


def lessons_using(uploads: Collection[int], viewer: User) -> dict[int, list[Use]]:
    """The lessons that hand out these uploads, by the upload's id. Only staff of the course see which lessons."""
    found: dict[int, list[Use]] = {}
    lessons = Lesson.objects.filter(file__in=uploads).select_related("course").defer("body")
    for lesson in lessons.order_by("course__title", "section__position", "position"):
        found.setdefault(lesson.file_id or 0, []).append(_use(lesson, viewer))
    return found


def _use(lesson: Lesson, viewer: User) -> Use:
    if policies.manage_course(viewer, lesson.course) is not None:
        return Use(_("a lesson in a course you can't edit"))
    label = _("the lesson “%(lesson)s” in “%(course)s”") % {"lesson": lesson.title, "course": lesson.course.title}
    return Use(label, reverse("courses:studio-lesson", args=[lesson.course.slug, lesson.slug]))
