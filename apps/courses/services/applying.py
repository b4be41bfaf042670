"""Make a course equal to a content tree: when its next version begins, is published, or is taken from a stored one."""

from datetime import datetime
from typing import Any

from django.db import DataError, IntegrityError, transaction

from apps.accounts.models import User
from apps.courses.content_tree.shape import COURSE_COLUMNS, Tree, check_format
from apps.courses.errors import ContentTreeUnreadable
from apps.courses.events import CourseEdited
from apps.courses.models import Course, CoursePicture, Subject
from apps.courses.queries.content_tree import read_tree
from apps.courses.services.applying_files import apply_downloads, apply_files, apply_picture, apply_uses
from apps.courses.services.applying_outline import apply_outline, apply_prerequisites
from apps.courses.services.applying_quizzes import apply_quizzes, recount_quizzes
from apps.courses.services.applying_rows import Applied, Identity, Target, load_target, take_uids
from apps.courses.services.outline_rows import refresh_outline
from apps.courses.services.pictures import draw_plate
from studyplatform.kit.events import publish

__all__ = ["Applied", "Identity", "apply_tree"]


def apply_tree(
    tree: Tree,
    into: Course,
    by: User,
    now: datetime,
    identity: str = Identity.UID,
    source: Course | None = None,
    version: int = 1,
) -> Applied:
    """Make a course equal to a tree. Call it in a transaction that has locked the course; it asks no policy.

    Rows that the tree names are changed where they are, also removed ones, and keep their primary keys: progress,
    attempts and notes stay with them. Others are made, and what the tree lacks is removed. Only what differs is
    written, in a bounded number of queries.

    :param identity: how new rows are named. "uid": as in the tree (into a published course). "origin": with a uid of
        their own, and that of the tree as ``origin`` (into a working copy). "new": with a uid of their own (a copy).
    :param source: the working copy from which the tree was read. Its new rows give their uids to the published ones.
    :param version: which version the course becomes: lessons that it gets are lessons since then.
    :raises ContentTreeUnreadable: the tree has a later format, or no course can be equal to it.
    :raises PrerequisitesInCircle: lessons of the tree require each other.
    """
    check_format(tree)
    target = load_target(into, tree, read_tree(into), by=by, now=now, identity=Identity(identity))
    target.version = version
    try:
        with transaction.atomic():
            _write(target, source)
    except (IntegrityError, DataError, ValueError):  # a tree of an archive that no course has
        raise ContentTreeUnreadable from None
    return target.applied


def _write(target: Target, source: Course | None) -> None:
    if source is not None:
        take_uids(target, source)
    _apply_course(target)
    apply_outline(target)
    apply_prerequisites(target)
    apply_quizzes(target)
    apply_files(target)
    apply_downloads(target)
    apply_uses(target)
    recount_quizzes(target)
    _finish(target, has_other_picture=apply_picture(target))


def _apply_course(target: Target) -> None:
    wanted: dict[str, Any] = target.tree["course"]
    course, present = target.course, target.present["course"]
    for name in COURSE_COLUMNS:
        setattr(course, name, wanted[name])
    if wanted["subject"] != present["subject"]:
        subject = Subject.objects.filter(slug=wanted["subject"]).first()
        if subject is None:
            target.applied.missing.append(wanted["subject"])
        else:
            course.subject = subject
    if wanted["prerequisites"] != present["prerequisites"]:
        course.prerequisites.set(Course.objects.filter(uid__in=wanted["prerequisites"]).exclude(pk=course.pk))


def _finish(target: Target, *, has_other_picture: bool) -> None:
    course = target.course
    drawn_from = ("subject", "plate_variant")
    is_redrawn = any(target.tree["course"][name] != target.present["course"][name] for name in drawn_from)
    if has_other_picture or (is_redrawn and not CoursePicture.objects.filter(course=course).exists()):
        course.plate = draw_plate(course)
    course.save(update_fields=[*COURSE_COLUMNS, "subject", "plate"])
    refresh_outline(course, now=target.now)
    publish(CourseEdited(course_id=course.pk))
