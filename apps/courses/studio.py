"""A course in the studio: what its page and its calls tell the wizard."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses import artwork, field_values, policies
from apps.courses.components import course_cards
from apps.courses.field_values import Value, possible_prerequisites, version_of
from apps.courses.forms import LANGUAGES, MOST_OUTCOMES, PLATE_VARIANTS
from apps.courses.models import Course, CoursePicture, FieldEdit, Subject
from apps.courses.picture_files import MAX_ZOOM
from apps.courses.price_field import price_field
from apps.courses.queries import authoring, cards, readiness
from apps.courses.services.fields import last_edits
from apps.courses.services.pictures import MAX_PICTURE_BYTES


def course_out(course: Course, user: User) -> dict[str, Any]:
    """Return the shape ``StudioCourse``."""
    abilities = policies.course_abilities(user, course)
    badge = authoring.course_badge(course)
    refusal = policies.edit_course(user, course)
    return {
        "uid": str(course.uid),
        "slug": course.slug,
        "status": course.status,
        "badge": {"label": badge.label, "pip": badge.pip, "tone": badge.tone},
        "locked": refusal.detail if refusal else "",
        "can_edit": abilities["edit"],
        "can_submit": abilities["submit"] and not course.is_working_copy,
        "can_withdraw": abilities["withdraw"],
        "values": with_versions(course.uid, field_values.course_values(course)),
        **shown(course),
    }


def with_versions(target: UUID, values: Mapping[str, Value]) -> dict[str, dict[str, Value]]:
    """Return each value of a course or lesson with its version, and who saved it. One query."""
    versions = {name: version_of(value) for name, value in values.items()}
    edits = last_edits(target, versions)
    return {
        name: {"value": value, "version": versions[name], **_saved_by(edits.get(name))}
        for name, value in values.items()
    }


def _saved_by(edit: FieldEdit | None) -> dict[str, Value]:
    if edit is None:
        return {"edited_by": "", "edited_at": None, "client": ""}
    return {
        "edited_by": edit.edited_by.display_name if edit.edited_by else "",
        "edited_at": edit.edited_at.isoformat(),
        "client": edit.client,
    }


def shown(course: Course) -> dict[str, Any]:
    """Return what changes with every field: what is missing before a review, and the course's card."""
    checks = [
        {name: getattr(check, name) for name in ("key", "label", "is_met", "is_required", "href")}
        for check in readiness.checks(course)
    ]
    card = course_cards(cards.cards(Course.with_working_copies.filter(pk=course.pk)))
    return {"checks": checks, "card_html": str(card)}


def wizard_props(course: Course, user: User) -> dict[str, Any]:
    """Return the props of the island ``wizard``."""
    levels = {
        Course.Difficulty.BEGINNER: _("No prior knowledge needed"),
        Course.Difficulty.INTERMEDIATE: _("For learners who know the basics"),
        Course.Difficulty.ADVANCED: _("For learners with solid prior knowledge"),
    }
    ways = {
        Course.Pricing.FREE: _("Open to everyone"),
        Course.Pricing.ONE_TIME: _("Pay once, keep access"),
        Course.Pricing.PREMIUM: _("For Premium subscribers"),
    }
    codes = "admin/promo-codes" if user.is_admin else "instructor/promo-codes/"
    return {
        "course": course_out(course, user),
        "user": str(user.uid),
        "subjects": _subjects(),
        "difficulties": [
            {"value": value, "label": str(label), "hint": levels[Course.Difficulty(value)]}
            for value, label in Course.Difficulty.choices
        ],
        "languages": [{"value": value, "label": str(label)} for value, label in LANGUAGES],
        "prerequisites": [
            {"value": slug, "label": title}
            for slug, title in possible_prerequisites(course).values_list("slug", "title")
        ],
        "pricings": [
            {"value": value, "label": str(label), "hint": ways[Course.Pricing(value)]}
            for value, label in Course.Pricing.choices
        ],
        "priceLabel": str(price_field(settings.CURRENCY).label),
        "maxOutcomes": MOST_OUTCOMES,
        "hasPicture": CoursePicture.objects.filter(course=course).exists(),
        "upload": {"endpoint": "/api/v1/uploads/", "limit": MAX_PICTURE_BYTES, "maxZoom": MAX_ZOOM},
        "addresses": {
            "list": reverse("courses:studio-list"),
            "lectures": reverse("courses:studio-lectures", args=[course.slug]),
            "promoCodes": f"/dashboard/{codes}?course={course.slug}",
            "course": f"/courses/{course.slug}",
            "preview": reverse("site:course-preview", args=[course.slug]),
        },
    }


def plates_of(course: Course) -> list[str]:
    """Return the variants of the course's artwork as SVG, in the order of ``plate_variant``."""
    return [artwork.plate(course.slug, course.subject.slug, variant) for variant in range(PLATE_VARIANTS)]


def new_course_props(user: User) -> dict[str, Any]:
    """Return the props of the island ``wizard`` for a course that doesn't exist yet."""
    return {
        "course": None,
        "user": str(user.uid),
        "subjects": _subjects(),
        "editAddress": reverse("courses:studio-edit", args=["SLUG"]),
        "listAddress": reverse("courses:studio-list"),
    }


def _subjects() -> list[dict[str, str]]:
    names = Subject.objects.order_by("position", "name").values_list("slug", "name")
    return [{"value": slug, "label": name} for slug, name in names]


def course_in_studio(course: Course, user: User) -> dict[str, Any]:
    """Return the shape ``CourseInStudio``."""
    columns = {name: getattr(course, name) for name in ("uid", "slug", "title", "status")}
    return {**columns, "can_edit": policies.edit_course(user, course) is None}
