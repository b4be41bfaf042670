"""Who may rate a course, reply to a rating, vote for it, report it, or decide about it."""

from apps.accounts.models import User
from apps.accounts.policies import AnyUser, be_signed_in, be_verified
from apps.courses.models import Course, Right
from apps.courses.policies import has_right, is_staff_of
from apps.learning.errors import NotEnrolled, OwnCourseRated, OwnRatingJudged, RatingTooEarly
from apps.learning.models import Enrollment, Rating
from studyplatform.kit.errors import NotAuthenticated, NotFound
from studyplatform.kit.policies import Verdict

LEAST_PERCENT = 20


def rate(user: AnyUser, course: Course, enrollment: Enrollment | None) -> Verdict:
    """Learners who completed a fifth of the course may rate it, but not its staff.

    A rating can be changed even if lessons were added since, and the learner fell below a fifth.
    """
    if not isinstance(user, User):
        return NotAuthenticated()
    if is_staff_of(user, course):
        return OwnCourseRated()
    if enrollment is None:
        return NotEnrolled(course=course.title, slug=course.slug)
    if enrollment.percent < LEAST_PERCENT and not Rating.objects.filter(enrollment=enrollment).exists():
        return RatingTooEarly(course=course.title, percent=enrollment.percent, least=LEAST_PERCENT)
    return be_verified(user)


def judge(user: AnyUser, rating: Rating) -> Verdict:
    """Signed-in users may report a rating that everyone sees, unless it is their own."""
    refused = be_signed_in(user)
    if refused is not None or not isinstance(user, User):
        return refused
    if not rating.is_shown:
        return NotFound()
    return OwnRatingJudged() if rating.enrollment.user_id == user.pk else be_verified(user)


def vote(user: AnyUser, rating: Rating) -> Verdict:
    """Those who may report a rating may vote for it, but not the staff of the course: the order is the learners'."""
    if isinstance(user, User) and rating.is_shown and is_staff_of(user, rating.course):
        return OwnCourseRated()
    return judge(user, rating)


def reply(user: AnyUser, rating: Rating) -> Verdict:
    """Those who teach the course now reply, and only to what everyone sees. Admins reply in their own courses."""
    refused = be_signed_in(user)
    if refused is not None or not isinstance(user, User):
        return refused
    return None if rating.is_shown and teaches(user, rating.course) else NotFound()


def teaches(user: User, course: Course) -> bool:
    """Return whether the user is one of those who teach the course; an admin isn't as such."""
    if user.is_admin:
        return course.instructor_id == user.pk
    return has_right(user, course, Right.TEACH)


def decide(user: AnyUser) -> Verdict:
    """Admins decide about reported ratings."""
    return None if isinstance(user, User) and user.is_admin else NotFound()
