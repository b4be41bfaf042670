"""The first course of an instructor in four steps, of which the page notices what is done."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q
from django.urls import reverse
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses.models import Course, Right, Submission
from apps.courses.queries.readiness import GOOD_LESSONS, GOOD_OUTCOMES
from studyplatform.kit.text.lists import list_names

PROFILE_PAGE = "/settings/profile"


@dataclass(frozen=True, kw_only=True)
class FirstCourse:
    """What is known of the course that somebody writes first: the one that is furthest."""

    slug: str
    outcomes: int = 0
    lessons: int = 0
    filled_lessons: int = 0
    """With a video, a file, a text or questions."""
    is_submitted: bool = False


@dataclass(frozen=True)
class FirstStep:
    """One of the steps. ``action`` and ``address``: of the button, on the first step that isn't done."""

    title: str
    text: str
    icon: str
    is_done: bool
    action: str = ""
    address: str = ""


def find_first_course(user: User) -> FirstCourse | None:
    """Return the course that is furthest on its way; None if none was begun. One query."""
    is_filled = ~Q(lessons__video=None) | ~Q(lessons__external_video="") | ~Q(lessons__file=None)
    is_filled |= ~Q(lessons__body="") | Q(lessons__quiz__questions__isnull=False)
    present = Q(lessons__isnull=False, lessons__removed_at=None)
    submissions = Submission.objects.filter(course=OuterRef("pk")).exclude(outcome=Submission.Outcome.WITHDRAWN)
    rows = Course.objects.taught_by(user.pk, Right.EDIT).annotate(
        lessons_now=Count("lessons", filter=present, distinct=True),
        lessons_filled=Count("lessons", filter=present & is_filled, distinct=True),
        was_submitted=Exists(submissions),
    )
    best = rows.order_by("-was_submitted", "-lessons_filled", "-lessons_now", "pk").values(
        "slug", "outcomes", "lessons_now", "lessons_filled", "was_submitted"
    )
    for found in best[:1]:
        return FirstCourse(
            slug=found["slug"],
            outcomes=len(found["outcomes"]),
            lessons=found["lessons_now"],
            filled_lessons=found["lessons_filled"],
            is_submitted=found["was_submitted"],
        )
    return None


def find_first_steps(user: User, course: FirstCourse | None) -> list[FirstStep]:
    """Return the four steps; the first that isn't done has a button. No query."""
    missing = [
        word
        for word, value in [
            (_("your name"), user.first_name),
            (_("a photo"), user.avatar),
            (_("two sentences"), user.bio),
        ]
        if not value
    ]
    said = {"outcomes": GOOD_OUTCOMES, "lessons": GOOD_LESSONS}
    is_outlined = course is not None and course.outcomes >= GOOD_OUTCOMES and course.lessons >= GOOD_LESSONS
    new = reverse("courses:studio-new")
    edit = reverse("courses:studio-edit", args=[course.slug]) if course else new
    lectures = reverse("courses:studio-lectures", args=[course.slug]) if course else new
    is_thin = course is not None and course.outcomes < GOOD_OUTCOMES
    steps = [
        FirstStep(
            _("Introduce yourself"),
            _("Still missing: %(parts)s.") % {"parts": list_names(missing)}
            if missing
            else _("Name, photo, two sentences."),
            "user-round",
            not missing,
            _("Open profile"),
            PROFILE_PAGE,
        ),
        FirstStep(
            _("Outline a course"),
            _("Title, %(outcomes)d outcomes, %(lessons)d lesson titles.") % said,
            "pencil",
            is_outlined,
            _("Continue") if course else _("Begin"),
            edit if is_thin else lectures,
        ),
        FirstStep(
            _("Add a first lesson"),
            _("A video of 5 to 15 minutes, or a text."),
            "upload",
            course is not None and course.filled_lessons > 0,
            _("Open lessons"),
            lectures,
        ),
        FirstStep(
            _("Submit it for review"),
            _("You'll hear back within 48 hours."),
            "list-checks",
            course is not None and course.is_submitted,
            _("See what is missing"),
            edit,
        ),
    ]
    return _with_one_button(steps)


def _with_one_button(steps: Sequence[FirstStep]) -> list[FirstStep]:
    """Only the first step that isn't done has a button."""
    first = next((step for step in steps if not step.is_done), None)
    return [step if step is first else FirstStep(step.title, step.text, step.icon, step.is_done) for step in steps]
