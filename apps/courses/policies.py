"""Who may edit and review a course, and change its status."""

from django.utils import timezone
from django.utils.formats import date_format

from apps.accounts import policies as accounts
from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.errors import (
    CourseInUse,
    CourseNotFound,
    CourseUnderReview,
    NotCourseStaff,
    PathNotFound,
    StillTeaching,
    VideoOfDeletedLesson,
    WrongCourseStatus,
)
from apps.courses.models import Course, LearningPath, Lesson, StatusChange
from apps.courses.models.outline_change import UNDO_PERIOD
from apps.files.errors import VideoInUse
from apps.files.models import VideoAsset
from studyplatform.kit.errors import NotAuthenticated, PermissionRefused
from studyplatform.kit.policies import Verdict, abilities
from studyplatform.kit.text.lists import list_names

Status = Course.Status

EDITABLE = {Status.DRAFT, Status.PUBLISHED, Status.SUSPENDED}


def is_staff_of(user: AnyUser, course: Course) -> bool:
    """Return whether the user is staff of the course: its instructor (as long as they can teach) or an admin."""
    if not isinstance(user, User) or not user.is_active:
        return False
    return user.is_admin or (user.can_teach and course.instructor_id == user.pk)


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


def edit_course(user: AnyUser, course: Course) -> Verdict:
    """Staff may change texts and outline, but not during a review or once the course is archived."""
    refusal = manage_course(user, course)
    if refusal is not None:
        return refusal
    if course.status == Status.REVIEW:
        return CourseUnderReview()
    return None if course.status in EDITABLE else _wrong_status(course)


def delete_course(user: AnyUser, course: Course) -> Verdict:
    """Staff may delete a draft that was never published."""
    refusal = manage_course(user, course)
    if refusal is not None:
        return refusal
    return None if course.status == Status.DRAFT and course.published_at is None else CourseInUse()


def submit_course(user: AnyUser, course: Course) -> Verdict:
    return _staff_in(user, course, {Status.DRAFT}) or accounts.be_verified(user)


def withdraw_course(user: AnyUser, course: Course) -> Verdict:
    return _staff_in(user, course, {Status.REVIEW})


def unpublish_course(user: AnyUser, course: Course) -> Verdict:
    return _staff_in(user, course, {Status.PUBLISHED})


def archive_course(user: AnyUser, course: Course) -> Verdict:
    """Staff may archive a course; a suspended one only an admin, as its instructor could restore it."""
    refusal = manage_course(user, course)
    if refusal is not None:
        return refusal
    if course.status == Status.SUSPENDED and not _is_admin(user):
        return PermissionRefused()
    return None if course.status in {Status.PUBLISHED, Status.SUSPENDED} else _wrong_status(course)


def restore_course(user: AnyUser, course: Course) -> Verdict:
    """Staff may restore an archived course; only an admin one that was suspended before."""
    refusal = _staff_in(user, course, {Status.ARCHIVED})
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


def manage_path(user: AnyUser, path: LearningPath) -> Verdict:
    """Admins manage every learning path, instructors their own. For others it doesn't exist."""
    if not isinstance(user, User):
        return NotAuthenticated()
    return None if _manages(user, path) else PathNotFound()


def see_path(user: AnyUser, path: LearningPath) -> Verdict:
    """Everyone sees a published learning path; only those who manage it see the others."""
    return None if path.is_published or _manages(user, path) else PathNotFound()


def add_to_path(user: AnyUser, path: LearningPath, course: Course) -> Verdict:
    """Instructors add their own courses, admins any course, but none that is suspended or archived."""
    refusal = manage_path(user, path) or manage_course(user, course)
    if refusal is not None:
        return refusal
    return _wrong_status(course) if course.status in {Status.SUSPENDED, Status.ARCHIVED} else None


def _manages(user: AnyUser, path: LearningPath) -> bool:
    if not isinstance(user, User) or not user.is_active:
        return False
    return user.is_admin or (user.can_teach and path.owner_id == user.pk)


def delete_video(video: VideoAsset) -> Verdict:
    """A video can't be deleted while a course that was published uses it, or a deleted lesson may return with it."""
    drafts = {Status.DRAFT}
    in_use = Lesson.objects.filter(video=video).exclude(course__status__in=drafts, course__published_at=None).exists()
    if in_use:
        return VideoInUse()
    removed = Lesson.with_removed.filter(video=video, removed_at__gt=timezone.now() - UNDO_PERIOD)
    last = removed.order_by("-removed_at").values_list("title", "removed_at").first()
    if last is None or last[1] is None:
        return None
    until = timezone.localdate(last[1] + UNDO_PERIOD)
    return VideoOfDeletedLesson(lesson=last[0], until=date_format(until, "j F Y"))


def course_abilities(user: AnyUser, course: Course) -> dict[str, bool]:
    """Return what pages and islands offer the user on this course."""
    return abilities(
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


def _staff_in(user: AnyUser, course: Course, statuses: set[Status]) -> Verdict:
    refusal = manage_course(user, course)
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


def leave(user: User) -> Verdict:
    """An instructor with published courses or courses under review cannot delete the account."""
    live = Course.objects.filter(instructor=user, status__in=[Status.PUBLISHED, Status.REVIEW])
    titles = list(live.order_by("title").values_list("title", flat=True)[:3])
    return StillTeaching(courses=list_names(titles)) if titles else None
