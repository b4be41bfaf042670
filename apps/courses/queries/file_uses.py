"""Which lessons and courses use an uploaded file: for the pages of the library and the storage."""

from collections.abc import Collection

from django.db.models import Exists, OuterRef
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.models import Course, CourseFile, CoursePicture, KeptContent, Lesson
from apps.files.services import Use


def lessons_using(uploads: Collection[int], viewer: User) -> dict[int, list[Use]]:
    """The lessons that hand out these uploads, by the upload's id. Only staff of the course see which lessons."""
    found: dict[int, list[Use]] = {}
    lessons = Lesson.with_removed.filter(file__in=uploads).select_related("course").defer("body")
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


def course_files_using(uploads: Collection[int], viewer: User) -> dict[int, list[Use]]:
    """The texts that show or link these uploads, by the upload's id. Only staff of the course see which they are."""
    found: dict[int, list[Use]] = {}
    rows = CourseFile.objects.filter(upload__in=uploads).select_related("course").order_by("course__title", "pk")
    for file in rows.prefetch_related("uses__lesson"):
        uses = [use for use in file.uses.all() if use.ended_at is None]
        for use in uses:
            if use.lesson is None:
                found.setdefault(file.upload_id, []).append(_use_of_course(file.course, viewer))
            else:
                use.lesson.course = file.course
                found.setdefault(file.upload_id, []).append(use_of_lesson(use.lesson, viewer))
        if not uses:
            found.setdefault(file.upload_id, []).append(_use_of_course(file.course, viewer, is_unused=True))
    return found


def _use_of_course(course: Course, viewer: User, *, is_unused: bool = False) -> Use:
    if policies.manage_course(viewer, course) is not None:
        return Use(_("a course you can't edit"))
    label = _("the files of “%(course)s”") if is_unused else _("the course page of “%(course)s”")
    return Use(label % {"course": course.title}, reverse("courses:studio-edit", args=[course.slug]))


def versions_using(uploads: Collection[int], viewer: User) -> dict[int, list[Use]]:
    """The courses of which only a former version has these uploads, by the upload's id. Two queries."""
    found: dict[int, list[Use]] = {}
    of_course = {"course": OuterRef("owner")}
    rows = (
        KeptContent.objects.filter(upload__in=uploads)
        .annotate(owner=Coalesce("version__course", "discarded__course"))
        .exclude(Exists(Lesson.with_removed.filter(**of_course, file=OuterRef("upload"))))
        .exclude(Exists(CourseFile.objects.filter(**of_course, upload=OuterRef("upload"))))
        .exclude(Exists(CoursePicture.objects.filter(**of_course, upload=OuterRef("upload"))))
    )
    pairs = sorted(set(rows.values_list("upload", "owner")))
    courses = Course.objects.in_bulk({course for _upload, course in pairs}) if pairs else {}
    for upload, pk in pairs:
        course = courses[pk]
        use = Use(_("a former version of a course you can't edit"))
        if policies.manage_course(viewer, course) is None:
            label = _("a former version of “%(course)s”") % {"course": course.title}
            use = Use(label, reverse("courses:studio-versions", args=[course.slug]))
        found.setdefault(upload, []).append(use)
    return found


def use_of_lesson(lesson: Lesson, viewer: User) -> Use:
    """Return the lesson as a use of a file or video; without its name to those who are not its course's staff."""
    if policies.manage_course(viewer, lesson.course) is not None:
        return Use(_("a lesson in a course you can't edit"))
    names = {"lesson": lesson.title, "course": lesson.course.title}
    if lesson.is_removed:
        label = _("the deleted lesson “%(lesson)s” in “%(course)s”") % names
        return Use(label, reverse("courses:studio-lectures", args=[lesson.course.slug]))
    label = _("the lesson “%(lesson)s” in “%(course)s”") % names
    return Use(label, reverse("courses:studio-lesson", args=[lesson.course.slug, lesson.slug]))
