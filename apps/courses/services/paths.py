"""Create, edit, order, publish and delete learning paths.

A published path whose courses are all closed is left out of lists until one of them opens again.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.text import slugify

from apps.accounts.models import User
from apps.courses import path_policies, policies
from apps.courses.errors import PathFull, PathNotFound, PathNotReady, TooManyPaths
from apps.courses.models import Course, LearningPath, PathCourse
from apps.courses.services.outline_rows import arrange, moved
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.blank import written

COURSE_LIMIT = 30
PATH_LIMIT = 50  # per owner; admins have no limit
LEAST_COURSES = 2
SLUG_LENGTH = 80


@dataclass(frozen=True, kw_only=True)
class PathTexts:
    """What its owner writes about a learning path; ``description`` in Markdown."""

    title: str
    summary: str = ""
    description: str = ""

    def fields(self) -> dict[str, str]:
        return {
            "title": " ".join(self.title.split()),
            "summary": " ".join(self.summary.split()),
            "description": written(self.description),
        }


def create_path(*, by: User, texts: PathTexts, now: datetime) -> LearningPath:
    """Create an unpublished path without courses.

    :raises RoleRequired: the user may not teach.
    :raises EmailNotVerified: the user's email is not verified.
    :raises TooManyPaths: an instructor has the maximum number of paths.
    """
    enforce(policies.create_course(by))
    with transaction.atomic():
        # The row of the owner is locked, so that two requests cannot pass the limit together.
        owner = User.objects.select_for_update().get(pk=by.pk)
        if not owner.is_admin and LearningPath.objects.owned_by(owner.pk).count() >= PATH_LIMIT:
            raise TooManyPaths(limit=PATH_LIMIT)
        return _insert(owner, texts, now)


def edit_path(*, path: LearningPath, by: User, texts: PathTexts, now: datetime) -> LearningPath:
    """Change the texts. The slug stays, because links use it."""
    with transaction.atomic():
        path = _locked(path, by)
        changed = texts.fields()
        for name, value in changed.items():
            setattr(path, name, value)
        path.updated_at = now
        path.save(update_fields=[*changed, "updated_at"])
    return path


def add_path_course(*, path: LearningPath, by: User, course: Course, now: datetime) -> None:
    """Add a course at the end; nothing changes if the path has it.

    :raises NotCourseStaff: it is the course of another instructor.
    :raises WrongCourseStatus: the course is suspended or archived.
    :raises PathFull: the path has the maximum number of courses.
    """
    with transaction.atomic():
        path = _locked(path, by)
        enforce(path_policies.add_to_path(by, path, course))
        if path.places.filter(course=course).exists():
            return
        if path.places.count() >= COURSE_LIMIT:
            raise PathFull(limit=COURSE_LIMIT)
        last = path.places.aggregate(last=Max("position"))["last"] or 0
        PathCourse.objects.create(path=path, course=course, position=last + 1)
        _touch(path, now)


def move_path_course(*, path: LearningPath, by: User, course: Course, position: int, now: datetime) -> None:
    """Put the course at this position (1 is first; beyond the ends counts as the end); nothing without the course."""
    with transaction.atomic():
        path = _locked(path, by)
        order = _order(path)
        if course.pk in order:
            _arrange(path, moved(order, course.pk, position))
            _touch(path, now)


def remove_path_course(*, path: LearningPath, by: User, course: Course, now: datetime) -> None:
    """Take the course out of the path. The course itself, and what learners did in it, stays."""
    with transaction.atomic():
        path = _locked(path, by)
        removed, _rows = path.places.filter(course=course).delete()
        if removed:
            _arrange(path, _order(path))
            _touch(path, now)


def publish_path(*, path: LearningPath, by: User, now: datetime) -> LearningPath:
    """Show the path to everyone.

    :raises PathNotReady: fewer than two of its courses are published.
    """
    with transaction.atomic():
        path = _locked(path, by)
        if path.places.filter(course__status=Course.Status.PUBLISHED).count() < LEAST_COURSES:
            raise PathNotReady(least=LEAST_COURSES)
        return _set_published(path, on=True, now=now)


def unpublish_path(*, path: LearningPath, by: User, now: datetime) -> LearningPath:
    """Hide the path. What learners did in its courses stays."""
    with transaction.atomic():
        return _set_published(_locked(path, by), on=False, now=now)


def delete_path(*, path: LearningPath, by: User) -> None:
    """Delete the path; its courses stay."""
    with transaction.atomic():
        _locked(path, by).delete()


def delete_unpublished_paths(*, user_id: int) -> None:
    """Delete what a deleted account never showed; its published paths stay, and admins can change them."""
    LearningPath.objects.owned_by(user_id).filter(is_published=False).delete()


def _locked(path: LearningPath, by: User) -> LearningPath:
    """Lock the path until the transaction ends, so that simultaneous changes cannot mix their orders."""
    found = LearningPath.objects.select_for_update().filter(pk=path.pk).first()
    if found is None:  # deleted in the meantime
        raise PathNotFound
    enforce(path_policies.manage_path(by, found))
    return found


def _set_published(path: LearningPath, *, on: bool, now: datetime) -> LearningPath:
    if path.is_published != on:
        path.is_published, path.updated_at = on, now
        path.save(update_fields=["is_published", "updated_at"])
    return path


def _touch(path: LearningPath, now: datetime) -> None:
    path.updated_at = now
    path.save(update_fields=["updated_at"])


def _order(path: LearningPath) -> list[int]:
    return list(path.places.order_by("position").values_list("course_id", flat=True))


def _arrange(path: LearningPath, courses: list[int]) -> None:
    places = dict(path.places.values_list("course_id", "pk"))
    arrange(path.places.all(), [places[course] for course in courses])


def _insert(owner: User, texts: PathTexts, now: datetime) -> LearningPath:
    for _attempt in range(5):
        slug = _free_slug(texts.title)
        try:
            with transaction.atomic():
                return LearningPath.objects.create(
                    slug=slug, owner=owner, created_at=now, updated_at=now, **texts.fields()
                )
        except IntegrityError:
            # Another request has taken the slug in the meantime; any other error is raised.
            if not LearningPath.objects.filter(slug=slug).exists():
                raise
    raise RuntimeError("no free slug after five attempts")


def _free_slug(title: str) -> str:
    base = slugify(title)[: SLUG_LENGTH - 5].strip("-") or "path"
    taken = set(LearningPath.objects.filter(slug__startswith=base).values_list("slug", flat=True)) | {"new"}
    if base not in taken:
        return base
    return next(slug for n in range(2, 10_000) if (slug := f"{base}-{n}") not in taken)
