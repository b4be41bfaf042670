"""Who may enroll, open a lesson, save progress, see an attempt or a certificate."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from apps.accounts.models import Role, User
from apps.accounts.policies import AnyUser, be_signed_in, be_verified
from apps.billing.access import access_to, lost_access, lost_seat_refusal
from apps.billing.errors import SubscriptionExpired
from apps.billing.models import Grant
from apps.courses.errors import CourseNotFound, LectureUnavailable, LessonNotOpenYet
from apps.courses.models import CoInstructor, Course, Lesson, Right, courses_co_taught, taught_by
from apps.courses.policies import has_right, is_staff_of
from apps.courses.queries.openings import describe_opening
from apps.files.models import VideoAsset
from apps.files.policies import CourseMembers, register_audience, register_course_members
from apps.learning.errors import CardNotFound, EnrollmentClosed, NotEnrolled, PaymentRequired, PrerequisiteNotMet
from apps.learning.models import Attempt, Certificate, Enrollment, PracticeCard
from apps.learning.outline import Blocker, Entry, Standing, blocker_of
from apps.learning.queries.outline import outline_of, standing_of
from studyplatform.kit.db.prepared_queries import Param
from studyplatform.kit.errors import AppError, NotAuthenticated, NotFound
from studyplatform.kit.policies import Verdict


def see_course(user: AnyUser, course: Course) -> Verdict:
    """Everyone may see published and archived courses and announced drafts; only staff may see the others."""
    listed = course.status in {Course.Status.PUBLISHED, Course.Status.ARCHIVED} or (
        course.is_announced and course.status in {Course.Status.DRAFT, Course.Status.REVIEW}
    )
    return None if listed or is_staff_of(user, course) else CourseNotFound()


def enroll(user: AnyUser, course: Course) -> Verdict:
    """Signed-in users with a verified email may enroll in an open course that is free, or that they paid for."""
    unseen = see_course(user, course)
    if unseen is not None:
        return unseen
    if not isinstance(user, User):
        return NotAuthenticated()
    if not course.is_open:
        return EnrollmentClosed(course=course.title)
    if access_to(user, course) is None:
        return PaymentRequired(course=course.title, slug=course.slug)
    return be_verified(user)


def open_lesson(user: AnyUser, lesson: Lesson, standing: Standing, blocker: Blocker | None) -> Verdict:
    """Enrolled learners and staff may open lessons; everyone may open the preview lessons of a public course.

    Suspended, unpublished and archived courses stay open to enrolled learners. ``blocker`` is what keeps the lesson
    closed (``outline.blocker_of``).
    """
    course = lesson.course
    if standing.is_staff:
        return None
    if standing.enrollment is not None:
        if isinstance(blocker, datetime) and not lesson.is_preview:
            zone = user.time_zone if isinstance(user, User) else "UTC"
            return LessonNotOpenYet(opens_on=describe_opening(blocker, zone), course=course.slug)
        if isinstance(blocker, Entry) and not lesson.is_preview:
            named = f"{blocker.number} {blocker.title}".strip()
            return PrerequisiteNotMet(lesson=named, course=course.slug, slug=blocker.slug)
        return None
    public = course.status in {Course.Status.PUBLISHED, Course.Status.ARCHIVED}
    if lesson.is_preview and public:
        return None
    return refuse_without_enrollment(user, course, lost_access(user, course) if public else None)


def refuse_without_enrollment(user: AnyUser, course: Course, lost: Grant | None) -> AppError:
    """Return why lessons are closed to users who aren't enrolled. ``lost``: the last grant that they had and lost."""
    if course.status not in {Course.Status.PUBLISHED, Course.Status.ARCHIVED}:
        # If the course isn't public, the refusal must not reveal that the lesson exists.
        return see_course(user, course) or LectureUnavailable()
    if not isinstance(user, User):
        return NotAuthenticated()
    if lost is not None:
        return lost_seat_refusal(lost) or SubscriptionExpired()
    if course.status == Course.Status.ARCHIVED:
        return EnrollmentClosed(course=course.title)
    return NotEnrolled(course=course.title, slug=course.slug)


@register_audience
def watch(user: User, video: VideoAsset) -> bool:
    """Return whether the user may watch the video in a lesson: enrolled, as a preview, or as staff."""
    shown = Lesson.objects.filter(video=video).select_related("course")
    return any(
        is_staff_of(user, lesson.course)
        or (lesson.is_preview and lesson.course.status in {Course.Status.PUBLISHED, Course.Status.ARCHIVED})
        or _may_study(user, lesson)
        for lesson in shown
    )


def _may_study(user: User, lesson: Lesson) -> bool:
    """Whether the user is enrolled, and no date keeps the lesson closed: devices store what earlier lessons lock."""
    standing = standing_of(user, lesson.course)
    if standing.enrollment is None:
        return False
    blocker = blocker_of(lesson.course, outline_of(lesson.course), standing, lesson.pk)
    return lesson.is_preview or not isinstance(blocker, datetime)


def lessons_offering(reader: Param) -> QuerySet[Lesson]:
    """The lessons that offer the upload of the outer query to a user: enrolled, as a preview, or as staff, see `watch`.

    The page of a lesson checks its prerequisites before the URL is signed.
    """
    enrolled = Enrollment.objects.active().filter(course=OuterRef("course"), user=reader, user__is_active=True)
    co_taught = courses_co_taught(reader, Right.VIEW).filter(course=OuterRef(OuterRef("course")))
    teaches = Q(pk=OuterRef("course__instructor")) | Exists(co_taught)
    staff = User.objects.filter(Q(role=Role.ADMIN) | (Q(role=Role.INSTRUCTOR) & teaches), pk=reader, is_active=True)
    is_public_preview = Q(is_preview=True, course__status__in=[Course.Status.PUBLISHED, Course.Status.ARCHIVED])
    offered = Lesson.objects.filter(kind=Lesson.Kind.FILE, file=OuterRef("pk"))
    return offered.filter(is_public_preview | Q(Exists(enrolled)) | Q(Exists(staff)))


def _courses_of(user: User) -> dict[UUID, str]:
    """The courses that the user teaches or is enrolled in. One query."""
    enrolled = Q(pk__in=Enrollment.objects.of(user.pk).active().values("course"))
    taught = taught_by(user.pk, Right.VIEW) if user.can_teach else Q()
    return dict(Course.objects.filter(enrolled | taught).order_by("title").values_list("uid", "title"))


def _titles(uids: Iterable[UUID]) -> dict[UUID, str]:
    return dict(Course.objects.filter(uid__in=list(uids)).values_list("uid", "title"))


def _belongs(user: str, course: str) -> Q:
    enrolled = Enrollment.objects.active().filter(user=OuterRef(user), course__uid=OuterRef(course))
    teaching = {"instructor__role__in": [Role.INSTRUCTOR, Role.ADMIN]}
    taught = Course.objects.filter(uid=OuterRef(course), instructor=OuterRef(user), **teaching)
    co_taught = CoInstructor.objects.having(Right.VIEW).filter(
        course__uid=OuterRef(course), user=OuterRef(user), user__role__in=[Role.INSTRUCTOR, Role.ADMIN]
    )
    return Q(Exists(enrolled)) | Q(Exists(taught)) | Q(Exists(co_taught))


register_course_members(CourseMembers(courses_of=_courses_of, titles=_titles, belongs=_belongs))


def save_progress(user: AnyUser, course: Course, standing: Standing) -> Verdict:
    """Only enrolled learners save progress: no visitors of a preview, no staff."""
    if not isinstance(user, User):
        return NotAuthenticated()
    if standing.enrollment is None:
        return NotEnrolled(course=course.title, slug=course.slug)
    return None


def take_notes(user: AnyUser, course: Course, *, is_enrolled: bool) -> Verdict:
    """Enrolled learners take notes, each their own; for others a hidden course doesn't exist."""
    if is_enrolled:
        return None
    return see_course(user, course) or NotEnrolled(course=course.title, slug=course.slug)


def see_attempt(user: AnyUser, attempt: Attempt) -> Verdict:
    """Only the learner sees an attempt, while they are enrolled; for everyone else it doesn't exist."""
    is_theirs = isinstance(user, User) and attempt.enrollment.user_id == user.pk
    return None if is_theirs and attempt.enrollment.is_active else NotFound()


def mark_essays(user: AnyUser, attempt: Attempt) -> Verdict:
    """Those who teach a course mark its essays, also of an archived one, while the learner is enrolled."""
    teaches = has_right(user, attempt.quiz.lesson.course, Right.TEACH)
    return None if teaches and attempt.enrollment.is_active else NotFound()


def grant_exceptions(user: AnyUser, course: Course) -> Verdict:
    """Those who teach a course grant its learners exceptions and end them, also in an archived one."""
    return None if has_right(user, course, Right.TEACH) else NotFound()


def download_certificate(user: AnyUser, certificate: Certificate) -> Verdict:
    """Only its owner may download the document and the badge, unless it was revoked. Anyone may verify it."""
    refused = be_signed_in(user)
    if refused is not None:
        return refused
    is_valid = certificate.revoked_at is None
    return None if is_valid and certificate.enrollment.user_id == user.pk else NotFound()


def practice(user: AnyUser, card: PracticeCard | None = None) -> Verdict:
    """Signed-in users keep cards, each their own; nobody else's card exists for them."""
    if not isinstance(user, User):
        return NotAuthenticated()
    return None if card is None or card.user_id == user.pk else CardNotFound()


def choose_version(user: AnyUser, enrollment: Enrollment) -> Verdict:
    """Only the learner chooses which version of a course they complete."""
    return None if isinstance(user, User) and enrollment.user_id == user.pk else NotFound()
