"""Who may take a seat, open a lesson, rate a course."""

from apps.accounts.models import User
from apps.accounts.policies import be_signed_in, be_verified
from apps.courses.errors import CourseNotFound, LectureUnavailable
from apps.courses.models import Course, Lesson
from apps.courses.policies import Person, is_staff_of
from apps.files.models import VideoAsset
from apps.files.policies import register_audience
from apps.learning.errors import EnrollmentClosed, NotEnrolled, PaymentRequired, PrerequisiteNotMet
from apps.learning.models import Attempt, Certificate, Enrollment
from apps.learning.outline import Entry, Standing
from studyplatform.kit.errors import NotAuthenticated, NotFound
from studyplatform.kit.policies import Verdict


def see_course(person: Person, course: Course) -> Verdict:
    """Published and archived courses and announced drafts are for everyone, the others for their staff."""
    listed = course.status in {Course.Status.PUBLISHED, Course.Status.ARCHIVED} or (
        course.is_announced and course.status in {Course.Status.DRAFT, Course.Status.REVIEW}
    )
    return None if listed or is_staff_of(person, course) else CourseNotFound()


def enroll(person: Person, course: Course) -> Verdict:
    """Whoever is signed in with a proved email may take a seat in a free course that is open."""
    unseen = see_course(person, course)
    if unseen is not None:
        return unseen
    if not isinstance(person, User):
        return NotAuthenticated()
    if not course.is_open:
        return EnrollmentClosed(course=course.title)
    if course.pricing != Course.Pricing.FREE:
        return PaymentRequired(course=course.title)
    return be_verified(person)


def open_lesson(person: Person, lesson: Lesson, standing: Standing, blocker: Entry | None) -> Verdict:
    """Learners with a seat, the course's staff, and everyone for the preview lessons of a public course.

    A seat outlives the course's publication: suspended, unpublished and archived courses stay open to
    those who hold one. ``blocker`` is what must be completed first (``queries.blocker_of``).
    """
    course = lesson.course
    if standing.is_staff:
        return None
    if standing.enrollment is not None:
        if blocker is not None and not lesson.is_preview:
            named = f"{blocker.number} {blocker.title}".strip()
            return PrerequisiteNotMet(lesson=named, course=course.slug, slug=blocker.slug)
        return None
    public = course.status in {Course.Status.PUBLISHED, Course.Status.ARCHIVED}
    if lesson.is_preview and public:
        return None
    if not public:
        # A stranger to a course that is not public must not learn that the lesson exists.
        return see_course(person, course) or LectureUnavailable()
    if not isinstance(person, User):
        return NotAuthenticated()
    if course.status == Course.Status.ARCHIVED:
        return EnrollmentClosed(course=course.title)
    return NotEnrolled(course=course.title, slug=course.slug)


@register_audience
def watch(user: User, video: VideoAsset) -> bool:
    """Whether a lesson shows the video to this person: by a seat, as a preview, or because they are its staff."""
    shown = Lesson.objects.filter(video=video).select_related("course")
    return any(
        is_staff_of(user, lesson.course)
        or (lesson.is_preview and lesson.course.status in {Course.Status.PUBLISHED, Course.Status.ARCHIVED})
        or Enrollment.objects.of(user.pk).active().filter(course=lesson.course_id).exists()
        for lesson in shown
    )


def save_progress(person: Person, course: Course, standing: Standing) -> Verdict:
    """Only a seat keeps progress: not a visitor of a preview, not staff who look in."""
    if not isinstance(person, User):
        return NotAuthenticated()
    if standing.enrollment is None:
        return NotEnrolled(course=course.title, slug=course.slug)
    return None


def rate(person: Person, course: Course, enrollment: Enrollment | None) -> Verdict:
    """Whoever holds a seat rates the course."""
    if not isinstance(person, User):
        return NotAuthenticated()
    return None if enrollment is not None else NotEnrolled(course=course.title, slug=course.slug)


def see_attempt(person: Person, attempt: Attempt) -> Verdict:
    """Only the learner sees an attempt, while they are enrolled; for everyone else it doesn't exist."""
    is_theirs = isinstance(person, User) and attempt.enrollment.user_id == person.pk
    return None if is_theirs and attempt.enrollment.is_active else NotFound()


def download_certificate(person: Person, certificate: Certificate) -> Verdict:
    """The document is its owner's; that it is valid, anyone may verify."""
    refused = be_signed_in(person)
    if refused is not None:
        return refused
    return None if certificate.enrollment.user_id == person.pk else NotFound()
