"""Who may edit and review a course, and change its status."""

from django.conf import settings

from apps.accounts import policies as accounts
from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.errors import (
    CourseInUse,
    CourseNotFound,
    CourseUnderReview,
    NotCourseStaff,
    OnlyForInstructor,
    RightNotGiven,
    VersionNeeded,
    WrongCourseStatus,
)
from apps.courses.models import Course, Lesson, Right, StatusChange
from apps.courses.rights import courses_with_right, has_right, teachers_of
from studyplatform.kit.errors import NotAuthenticated, PermissionRefused
from studyplatform.kit.policies import Verdict, abilities

__all__ = ["courses_with_right", "has_right", "teachers_of"]  # of `rights`, for other apps

Status = Course.Status

EDITABLE = {Status.DRAFT, Status.PUBLISHED, Status.SUSPENDED}


def is_staff_of(user: AnyUser, course: Course) -> bool:
    """Return whether the user is staff of the course: its instructor, a co-instructor, or an admin.

    At most one query, none for learners.
    """
    return has_right(user, course, Right.VIEW)


def create_course(user: AnyUser) -> Verdict:
    return accounts.teach(user) or accounts.be_verified(user)


def manage_course(user: AnyUser, course: Course) -> Verdict:
    """Staff may see the course's drafts, outline and reviews. For others, a hidden course doesn't exist."""
    if is_staff_of(user, course):
        return None
    if not isinstance(user, User):
        return NotAuthenticated()
    hidden = course.status in {Status.DRAFT, Status.REVIEW, Status.SUSPENDED} and not course.is_announced
    return CourseNotFound() if hidden else NotCourseStaff()


def hold_right(user: AnyUser, course: Course, right: Right) -> Verdict:
    """Who has the right in the course; staff without it are told so, and for others a hidden course doesn't exist."""
    if has_right(user, course, right):
        return None
    refusal = manage_course(user, course)
    if refusal is not None:
        return refusal
    return OnlyForInstructor() if right is Right.OWN else RightNotGiven()


def own_course(user: AnyUser, course: Course) -> Verdict:
    """Its instructor decides about prices and people, and about the course as a whole. So may admins."""
    return hold_right(user, course, Right.OWN)


def edit_course(user: AnyUser, course: Course) -> Verdict:
    """Those who may edit change texts and outline, but not during a review, nor once it was published or archived."""
    refusal = hold_right(user, course, Right.EDIT)
    if refusal is not None:
        return refusal
    if course.status == Status.REVIEW:
        return CourseUnderReview()
    if course.status not in EDITABLE:
        return _wrong_status(course)
    return VersionNeeded() if course.is_versioned else None


def tell_length(user: AnyUser, course: Course, lesson: Lesson) -> Verdict:
    """Those who edit the course, also a published one while a video of another host has no length.

    It is measured, not written: the first player that knows it tells it.
    """
    refusal = edit_course(user, course)
    is_unknown = bool(lesson.external_video) and lesson.duration == 0
    return None if isinstance(refusal, VersionNeeded) and is_unknown else refusal


def edit_captions(user: AnyUser, course: Course) -> Verdict:
    """Those who may edit correct captions, also of a published course: they belong to its videos.

    Where the site reviews corrections too, what is under review stays as it was submitted.
    """
    refusal = edit_course(user, course)
    if not isinstance(refusal, VersionNeeded):
        return refusal
    copies = Course.with_working_copies.filter(next_version_of=course, status=Status.REVIEW)
    return CourseUnderReview() if settings.REVIEW_RULE == "all" and copies.exists() else None


def begin_version(user: AnyUser, course: Course) -> Verdict:
    """Those who edit write the next version of a course that was published, unless it is archived or under review."""
    may_begin = course.is_versioned and course.status in EDITABLE
    return hold_right(user, course, Right.EDIT) or (None if may_begin else _wrong_status(course))


def delete_course(user: AnyUser, course: Course) -> Verdict:
    """Its instructor may delete a draft that was never published. A working copy is discarded instead."""
    refusal = own_course(user, course)
    if refusal is not None:
        return refusal
    is_new_draft = course.status == Status.DRAFT and not course.is_versioned and not course.is_working_copy
    return None if is_new_draft else CourseInUse()


def submit_course(user: AnyUser, course: Course) -> Verdict:
    return _right_in(user, course, {Status.DRAFT}, Right.EDIT) or accounts.be_verified(user)


def withdraw_course(user: AnyUser, course: Course) -> Verdict:
    return _right_in(user, course, {Status.REVIEW}, Right.EDIT)


def unpublish_course(user: AnyUser, course: Course) -> Verdict:
    return _right_in(user, course, {Status.PUBLISHED}, Right.OWN)


def archive_course(user: AnyUser, course: Course) -> Verdict:
    """Its instructor may archive a course; a suspended one only an admin, as its instructor could restore it."""
    refusal = own_course(user, course)
    if refusal is not None:
        return refusal
    if course.status == Status.SUSPENDED and not _is_admin(user):
        return PermissionRefused()
    return None if course.status in {Status.PUBLISHED, Status.SUSPENDED} else _wrong_status(course)


def restore_course(user: AnyUser, course: Course) -> Verdict:
    """Its instructor may restore an archived course; only an admin one that was suspended before."""
    refusal = _right_in(user, course, {Status.ARCHIVED}, Right.OWN)
    if refusal is not None or _is_admin(user):
        return refusal
    last = StatusChange.objects.filter(course=course, became=Status.ARCHIVED).order_by("-changed_at", "-pk").first()
    return None if last is None or last.was == Status.PUBLISHED else PermissionRefused()


def review_course(user: AnyUser, course: Course) -> Verdict:
    return _admin_in(user, course, {Status.REVIEW})


def suspend_course(user: AnyUser, course: Course) -> Verdict:
    return _admin_in(user, course, {Status.PUBLISHED})


def reinstate_course(user: AnyUser, course: Course) -> Verdict:
    return _admin_in(user, course, {Status.SUSPENDED})


def course_abilities(user: AnyUser, course: Course) -> dict[str, bool]:
    """Return what pages and islands offer the user on this course."""
    return abilities(
        own=own_course(user, course),
        manage=manage_course(user, course),
        edit=edit_course(user, course),
        delete=delete_course(user, course),
        submit=submit_course(user, course),
        withdraw=withdraw_course(user, course),
        unpublish=unpublish_course(user, course),
        archive=archive_course(user, course),
        restore=restore_course(user, course),
        review=review_course(user, course),
        suspend=suspend_course(user, course),
        reinstate=reinstate_course(user, course),
    )


def _right_in(user: AnyUser, course: Course, statuses: set[Status], right: Right) -> Verdict:
    refusal = hold_right(user, course, right)
    if refusal is not None:
        return refusal
    return None if course.status in statuses else _wrong_status(course)


def _admin_in(user: AnyUser, course: Course, statuses: set[Status]) -> Verdict:
    refusal = accounts.administer(user)
    if refusal is not None:
        return refusal
    return None if course.status in statuses else _wrong_status(course)


def _is_admin(user: AnyUser) -> bool:
    return isinstance(user, User) and user.is_admin


def _wrong_status(course: Course) -> WrongCourseStatus:
    return WrongCourseStatus(status_now=str(course.get_status_display()))
