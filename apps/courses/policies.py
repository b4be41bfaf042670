"""Who may write, review and move a course."""

from django.contrib.auth.models import AnonymousUser

from apps.accounts import policies as accounts
from apps.accounts.models import User
from apps.courses.errors import (
    CourseInUse,
    CourseNotFound,
    CourseUnderReview,
    NotCourseStaff,
    StillTeaching,
    WrongCourseStatus,
)
from apps.courses.models import Course, Lesson, StatusChange
from apps.files.errors import VideoInUse
from apps.files.models import VideoAsset
from studyplatform.kit.errors import NotAuthenticated, PermissionRefused
from studyplatform.kit.policies import Verdict, abilities

Person = User | AnonymousUser
Status = Course.Status

EDITABLE = {Status.DRAFT, Status.PUBLISHED, Status.SUSPENDED}


def is_staff_of(user: Person, course: Course) -> bool:
    """Course staff: its instructor (while still one) and admins."""
    if not isinstance(user, User) or not user.is_active:
        return False
    return user.is_admin or (user.can_teach and course.instructor_id == user.pk)


def create_course(user: Person) -> Verdict:
    return accounts.teach(user) or accounts.be_verified(user)


def manage_course(user: Person, course: Course) -> Verdict:
    """See the course's drafts, outline and reviews. A hidden course does not exist for others."""
    if is_staff_of(user, course):
        return None
    if not isinstance(user, User):
        return NotAuthenticated()
    hidden = course.status in {Status.DRAFT, Status.REVIEW, Status.SUSPENDED} and not course.is_announced
    return CourseNotFound() if hidden else NotCourseStaff()


def edit_course(user: Person, course: Course) -> Verdict:
    """Change texts and outline: not while a reviewer reads it, not once it is archived."""
    refusal = manage_course(user, course)
    if refusal is not None:
        return refusal
    if course.status == Status.REVIEW:
        return CourseUnderReview()
    return None if course.status in EDITABLE else _wrong(course)


def delete_course(user: Person, course: Course) -> Verdict:
    """Only a draft that was never public; what learners hold stays."""
    refusal = manage_course(user, course)
    if refusal is not None:
        return refusal
    return None if course.status == Status.DRAFT and course.published_at is None else CourseInUse()


def submit_course(user: Person, course: Course) -> Verdict:
    return _staff_in(user, course, {Status.DRAFT}) or accounts.be_verified(user)


def withdraw_course(user: Person, course: Course) -> Verdict:
    return _staff_in(user, course, {Status.REVIEW})


def unpublish_course(user: Person, course: Course) -> Verdict:
    return _staff_in(user, course, {Status.PUBLISHED})


def archive_course(user: Person, course: Course) -> Verdict:
    """A suspended course is archived by an admin alone: it must not come back by its instructor's hand."""
    refusal = manage_course(user, course)
    if refusal is not None:
        return refusal
    if course.status == Status.SUSPENDED and not _is_admin(user):
        return PermissionRefused()
    return None if course.status in {Status.PUBLISHED, Status.SUSPENDED} else _wrong(course)


def restore_course(user: Person, course: Course) -> Verdict:
    """Bring an archived course back. Its instructor may if the archive was not a way out of a suspension."""
    refusal = _staff_in(user, course, {Status.ARCHIVED})
    if refusal is not None or _is_admin(user):
        return refusal
    last = StatusChange.objects.filter(course=course, became=Status.ARCHIVED).order_by("-changed_at", "-pk").first()
    return None if last is None or last.was == Status.PUBLISHED else PermissionRefused()


def review_course(user: Person, course: Course) -> Verdict:
    return _admin_in(user, course, {Status.REVIEW})


def suspend_course(user: Person, course: Course) -> Verdict:
    return _admin_in(user, course, {Status.PUBLISHED})


def reinstate_course(user: Person, course: Course) -> Verdict:
    return _admin_in(user, course, {Status.SUSPENDED})


def delete_video(video: VideoAsset) -> Verdict:
    """Not while a course that learners hold shows it; a draft's lesson is simply empty again."""
    drafts = {Status.DRAFT}
    in_use = Lesson.objects.filter(video=video).exclude(course__status__in=drafts, course__published_at=None).exists()
    return VideoInUse() if in_use else None


def course_abilities(user: Person, course: Course) -> dict[str, bool]:
    """What the pages and islands offer this person on this course."""
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


def _staff_in(user: Person, course: Course, statuses: set[Status]) -> Verdict:
    refusal = manage_course(user, course)
    if refusal is not None:
        return refusal
    return None if course.status in statuses else _wrong(course)


def _admin_in(user: Person, course: Course, statuses: set[Status]) -> Verdict:
    refusal = accounts.administer(user)
    if refusal is not None:
        return refusal
    return None if course.status in statuses else _wrong(course)


def _is_admin(user: Person) -> bool:
    return isinstance(user, User) and user.is_admin


def _wrong(course: Course) -> WrongCourseStatus:
    return WrongCourseStatus(status_now=str(course.get_status_display()))


def leave(user: User) -> Verdict:
    """An instructor whose courses are open or being reviewed cannot delete the account: learners count on them."""
    live = Course.objects.filter(instructor=user, status__in=[Status.PUBLISHED, Status.REVIEW])
    titles = list(live.order_by("title").values_list("title", flat=True)[:3])
    return StillTeaching(courses=", ".join(titles)) if titles else None
