"""Which lessons and courses use an uploaded file: for the pages of the library and the storage."""

from collections.abc import Collection

from django.urls import reverse
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.models import CoursePicture, Lesson
from apps.files.services import Use


def lessons_using(uploads: Collection[int], viewer: User) -> dict[int, list[Use]]:
    """The lessons that hand out these uploads, by the upload's id. Only staff of the course see which lessons."""
    found: dict[int, list[Use]] = {}
    lessons = Lesson.objects.filter(file__in=uploads).select_related("course").defer("body")
    for lesson in lessons.order_by("course__title", "section__position", "position"):
        found.setdefault(lesson.file_id or 0, []).append(use_of_lesson(lesson, viewer))
    return found


def pictures_using(uploads: Collection[int], viewer: User) -> dict[int, list[Use]]:
    """The courses whose picture these uploads are, by the upload's id. Only staff of the course see which courses."""
    found: dict[int, list[Use]] = {}
    for picture in CoursePicture.objects.filter(upload__in=uploads).select_related("course").order_by("course__title"):
        use = Use(_("the picture of a course you can't edit"))
        if policies.manage_course(viewer, picture.course) is None:
            label = _("the picture of “%(course)s”") % {"course": picture.course.title}
            use = Use(label, reverse("courses:studio-picture", args=[picture.course.slug]))
        found.setdefault(picture.upload_id, []).append(use)
    return found


def use_of_lesson(lesson: Lesson, viewer: User) -> Use:
    """Return the lesson as a use of a file or video; without its name to those who are not its course's staff."""
    if policies.manage_course(viewer, lesson.course) is not None:
        return Use(_("a lesson in a course you can't edit"))
    label = _("the lesson “%(lesson)s” in “%(course)s”") % {"lesson": lesson.title, "course": lesson.course.title}
    return Use(label, reverse("courses:studio-lesson", args=[lesson.course.slug, lesson.slug]))
