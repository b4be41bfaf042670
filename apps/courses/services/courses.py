"""Create, edit and delete courses."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID, uuid4

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.text import slugify

from apps.accounts.models import User
from apps.courses import artwork, policies
from apps.courses.events import CourseEdited
from apps.courses.models import Course, Subject
from apps.courses.services.course_files import record_uses
from apps.courses.services.locking import lock_course_row
from apps.courses.services.pictures import draw_plate
from apps.courses.services.search import index_course
from studyplatform.kit.errors import NotFound
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.blank import written

# Slugs that would collide with other addresses.
RESERVED = {"new", "enroll", "enrol", "search", "preview"}
SLUG_LENGTH = 80


@dataclass(frozen=True, kw_only=True)
class CourseTexts:
    """What an instructor writes about a course. ``price`` in minor units of CURRENCY, only for a one-time price."""

    title: str
    subject: Subject
    summary: str = ""
    description: str = ""
    difficulty: str = Course.Difficulty.BEGINNER
    language: str = "en"
    pricing: str = Course.Pricing.FREE
    price: int = 0
    outcomes: list[str] = field(default_factory=list)
    before_you_begin: str = ""
    prerequisites: Iterable[Course] = ()
    is_announced: bool = False
    plate_variant: int = 0

    def fields(self) -> dict[str, object]:
        """Return the values of the course's columns."""
        return {
            "title": self.title.strip(),
            "subject": self.subject,
            "summary": self.summary.strip(),
            "description": written(self.description),
            "difficulty": self.difficulty,
            "language": self.language,
            "pricing": self.pricing,
            "price": self.price if self.pricing == Course.Pricing.ONE_TIME else 0,
            "currency": settings.CURRENCY,
            "outcomes": [line for line in (outcome.strip() for outcome in self.outcomes) if line],
            "before_you_begin": written(self.before_you_begin),
            "is_announced": self.is_announced,
            "plate_variant": self.plate_variant,
        }


def create_course(*, by: User, texts: CourseTexts, now: datetime, uid: UUID | None = None) -> Course:
    """Create a draft with a unique slug. With a ``uid`` that this user has used before, return that course.

    :raises NotFound: the uid is that of another user's course.
    :raises RoleRequired: the user may not teach.
    :raises EmailNotVerified: the user's email is not verified.
    """
    enforce(policies.create_course(by))
    uid = uid or uuid4()
    if known := _begun(by, uid):
        return known
    try:
        with transaction.atomic():
            course = _insert(by, texts, now, uid)
            course.prerequisites.set(_other_courses(course, texts))
            record_uses(course=course, by=by, now=now)
            index_course(course_id=course.pk)
            publish(CourseEdited(course_id=course.pk))
    except IntegrityError:
        if known := _begun(by, uid):  # the same call ran twice at once
            return known
        raise
    return course


def _begun(by: User, uid: UUID) -> Course | None:
    """Return the course that the user has begun with this uid, if any."""
    course = Course.with_working_copies.select_related("subject").filter(uid=uid).first()
    if course is not None and (course.instructor_id != by.pk or course.is_working_copy):
        raise NotFound
    return course


def edit_course(*, course: Course, by: User, texts: CourseTexts, now: datetime) -> Course:
    """Change the texts. The slug stays, because links use it.

    :raises CourseUnderReview: the course is under review.
    :raises OnlyForInstructor: the price changes, and the user is a co-instructor.
    """
    with transaction.atomic():
        course = lock_course_row(course.pk)
        enforce(policies.edit_course(by, course))
        changed = texts.fields()
        if (changed["pricing"], changed["price"]) != (course.pricing, course.price):
            enforce(policies.own_course(by, course))
        for name, value in changed.items():
            setattr(course, name, value)
        course.plate = draw_plate(course)
        course.updated_at = now
        course.version += 1
        course.save(update_fields=[*changed, "plate", "updated_at", "version"])
        course.prerequisites.set(_other_courses(course, texts))
        record_uses(course=course, by=by, now=now)
        index_course(course_id=course.pk)
        publish(CourseEdited(course_id=course.pk))
    return course


def delete_course(*, course: Course, by: User) -> None:
    """Delete a draft that was never published, with its outline. Its videos stay with their owner.

    :raises CourseInUse: it is or was published.
    """
    with transaction.atomic():
        course = lock_course_row(course.pk)
        enforce(policies.delete_course(by, course))
        publish(CourseEdited(course_id=course.pk))
        course.delete()


def _insert(by: User, texts: CourseTexts, now: datetime, uid: UUID) -> Course:
    for _ in range(5):
        slug = _free_slug(texts.title)
        try:
            with transaction.atomic():
                return Course.objects.create(
                    uid=uid,
                    slug=slug,
                    instructor=by,
                    plate=artwork.plate(slug, texts.subject.slug, texts.plate_variant),
                    created_at=now,
                    updated_at=now,
                    **texts.fields(),
                )
        except IntegrityError:
            # Another request has taken the slug in the meantime; any other error is raised.
            if not Course.with_working_copies.filter(slug=slug).exists():
                raise
    raise RuntimeError("no free slug after five attempts")


def _free_slug(title: str) -> str:
    base = slugify(title)[: SLUG_LENGTH - 5].strip("-") or "course"
    taken = set(Course.with_working_copies.filter(slug__startswith=base).values_list("slug", flat=True)) | RESERVED
    if base not in taken:
        return base
    return next(slug for n in range(2, 10_000) if (slug := f"{base}-{n}") not in taken)


def _other_courses(course: Course, texts: CourseTexts) -> list[Course]:
    """Return the prerequisites without the course itself."""
    return [other for other in texts.prerequisites if other.pk != course.pk]
