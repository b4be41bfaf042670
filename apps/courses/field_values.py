"""The fields of courses and lessons that the studio saves one by one: how they are read, checked and compared.

The version of a field is a digest of its value, so that every change makes a new one, whatever makes it.
"""

import hashlib
import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from apps.courses.external_video import stored_video
from apps.courses.external_video_form import ExternalVideoForm
from apps.courses.forms import MOST_OUTCOMES, CourseForm, LessonForm
from apps.courses.models import Course, Lesson
from studyplatform.kit.text.durations import clock
from studyplatform.kit.text.money import in_units, to_minor

COURSE_FIELDS = (
    "title", "summary", "description", "subject", "difficulty", "language", "outcomes", "before_you_begin",
    "prerequisites", "pricing", "is_announced", "plate_variant",
)  # fmt: skip
LESSON_SETTINGS = ("is_optional", "opens_at", "opens_after_days")
LESSON_FIELDS = (
    *("title", "summary", "body", "is_preview", "prerequisites", "external_video", "external_length"),
    *LESSON_SETTINGS,
)
MAX_OUTCOME_LENGTH = 200  # characters
MAX_CHOSEN = 400  # prerequisites: as many as a course can have lessons

Value = Any
"""A value as JSON."""


class FieldProblem(Exception):
    """The value can't be saved. The argument says why, in a sentence for its author."""


def version_of(value: Value) -> str:
    """Return the version of a field with this value."""
    written = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()[:16]


def course_values(course: Course) -> dict[str, Value]:
    """Return the course's fields as JSON. ``pricing`` is its kind and, for a one-time price, the price in units."""
    price = in_units(course.price, course.currency) if course.price else None
    return {
        **{
            name: getattr(course, name) for name in COURSE_FIELDS if name not in {"subject", "prerequisites", "pricing"}
        },
        "subject": course.subject.slug,
        "prerequisites": sorted(course.prerequisites.values_list("slug", flat=True)),
        "pricing": {"kind": course.pricing, "price": None if price is None else str(price)},
    }


def lesson_values(lesson: Lesson) -> dict[str, Value]:
    """Return the lesson's fields as JSON."""
    texts = {name: getattr(lesson, name) for name in LESSON_FIELDS if name not in {"prerequisites", "external_length"}}
    return {
        **texts,
        "opens_at": lesson.opens_at.isoformat() if lesson.opens_at else None,
        "prerequisites": sorted(str(uid) for uid in lesson.prerequisites.values_list("uid", flat=True)),
        # The length of an uploaded video is measured; nobody writes it.
        "external_length": clock(lesson.duration) if lesson.external_video and lesson.duration else "",
    }


def possible_prerequisites(course: Course) -> QuerySet[Course]:
    """Return the instructor's published courses, and those that are already chosen."""
    mine = Q(instructor_id=course.instructor_id, status=Course.Status.PUBLISHED) | Q(leads_to=course)
    return Course.objects.filter(mine).exclude(pk=course.live_id).distinct().order_by("title")


def check_course_value(course: Course, name: str, value: Value) -> dict[str, Any]:
    """Return what the value means for the columns of the course (as ``CourseTexts`` has them).

    :raises FieldProblem: it can't be saved.
    """
    match name:
        case "outcomes":
            return {"outcomes": _outcomes(value)}
        case "pricing":
            return _pricing(value)
        case "prerequisites":
            chosen = list(possible_prerequisites(course).filter(slug__in=_strings(value)))
            if len(chosen) != len(set(_strings(value))):
                raise FieldProblem(_("You can't choose this course."))
            return {"prerequisites": chosen}
        case "subject":
            field = CourseForm.base_fields["subject"]
            subject = field.queryset.filter(slug=value if isinstance(value, str) else "").first()  # type: ignore[attr-defined]
            if subject is None:
                raise FieldProblem(str(field.error_messages["required"]))
            return {"subject": subject}
    cleaned = _clean(CourseForm.base_fields[name], value)
    if cleaned is None:
        raise FieldProblem(_("This isn't a value of this field."))
    return {name: cleaned}


def check_lesson_value(lesson: Lesson, name: str, value: Value) -> dict[str, Any]:
    """Return what the value means for ``services.edit_lesson`` or ``services.set_external_video``.

    :raises FieldProblem: it can't be saved.
    """
    if name in {"external_video", "external_length"}:
        return _external(lesson, name, _clean(ExternalVideoForm.base_fields[name], value))
    if name in LESSON_SETTINGS:
        return {"settings": {name: _clean(LessonForm.base_fields[name], value)}}
    if name != "prerequisites":
        return {name: _clean(LessonForm.base_fields[name], value)}
    wanted = set(_strings(value))
    found = [one for one in lesson.course.lessons.all() if str(one.uid) in wanted]
    if len(found) != len(wanted):
        raise FieldProblem(_("The course doesn't have this lesson."))
    return {"prerequisites": found}


def _external(lesson: Lesson, name: str, value: Any) -> dict[str, Any]:
    if lesson.kind != Lesson.Kind.VIDEO:
        raise FieldProblem(_("Only a video lesson shows a video."))
    if name == "external_video":
        return {"external_video": value}
    if stored_video(lesson.external_video) is None:
        raise FieldProblem(_("Enter the address of the video first."))
    return {"external_length": value}


def _clean(field: forms.Field, value: Value) -> Any:
    is_right_type = (
        isinstance(value, bool) if isinstance(field, forms.BooleanField) else not isinstance(value, list | dict)
    )
    if not is_right_type:
        raise FieldProblem(_("This isn't a value of this field."))
    try:
        return field.clean(value)
    except ValidationError as problem:
        raise FieldProblem(" ".join(problem.messages)) from None


def _strings(value: Value) -> list[str]:
    if not isinstance(value, list) or len(value) > MAX_CHOSEN or not all(isinstance(one, str) for one in value):
        raise FieldProblem(_("This isn't a value of this field."))
    return value


def _outcomes(value: Value) -> list[str]:
    lines = [" ".join(line.split()) for line in _strings(value)]
    lines = [line for line in lines if line]
    if len(lines) > MOST_OUTCOMES:
        raise FieldProblem(_("Enter at most %d outcomes.") % MOST_OUTCOMES)
    if any(len(line) > MAX_OUTCOME_LENGTH for line in lines):
        raise FieldProblem(_("An outcome can have up to 200 characters."))
    return [_clean(CourseForm.base_fields["summary"], line) for line in lines]


def _pricing(value: Value) -> dict[str, Any]:
    kind = value.get("kind") if isinstance(value, Mapping) else None
    if kind not in Course.Pricing.values:
        raise FieldProblem(_("This isn't a value of this field."))
    if kind != Course.Pricing.ONE_TIME:
        return {"pricing": kind, "price": 0}
    price: Decimal | None = _clean(CourseForm().fields["price"], value.get("price"))
    if not price:
        raise FieldProblem(_("Enter a price, or choose another pricing option."))
    return {"pricing": kind, "price": to_minor(price, settings.CURRENCY)}
