"""A course in the studio: what its page and its calls tell the wizard."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses import artwork, field_values, policies
from apps.courses.components import course_cards
from apps.courses.field_values import Value, possible_prerequisites, version_of
from apps.courses.forms import LANGUAGES, MOST_OUTCOMES, PLATE_VARIANTS
from apps.courses.models import Course, CoursePicture, Subject
from apps.courses.price_field import price_field
from apps.courses.queries import cards, readiness


def course_out(course: Course, user: User) -> dict[str, Any]:
    """Return the shape ``StudioCourse``."""
    abilities = policies.course_abilities(user, course)
    return {
        "uid": str(course.uid),
        "slug": course.slug,
        "status": course.status,
        "can_edit": abilities["edit"],
        "can_submit": abilities["submit"],
        "values": with_versions(field_values.course_values(course)),
        **shown(course),
    }


def with_versions(values: Mapping[str, Value]) -> dict[str, dict[str, Value]]:
    """Return each value with its version."""
    return {name: {"value": value, "version": version_of(value)} for name, value in values.items()}


def shown(course: Course) -> dict[str, Any]:
    """Return what changes with every field: what is missing before a review, and the course's card."""
    checks = [
        {name: getattr(check, name) for name in ("key", "label", "is_met", "is_required", "href")}
        for check in readiness.checks(course)
    ]
    card = course_cards(cards.cards(Course.objects.filter(pk=course.pk)))
    return {"checks": checks, "card_html": str(card)}


def wizard_props(course: Course, user: User) -> dict[str, Any]:
    """Return the props of the island ``wizard``."""
    has_picture = CoursePicture.objects.filter(course=course).exists()
    plates = [artwork.plate(course.slug, course.subject.slug, variant) for variant in range(PLATE_VARIANTS)]
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
        "plates": [] if has_picture else plates,
        "picture": course.plate if has_picture else "",
        "addresses": {
            "list": reverse("courses:studio-list"),
            "lectures": reverse("courses:studio-lectures", args=[course.slug]),
            "picture": reverse("courses:studio-picture", args=[course.slug]),
            "promoCodes": f"/dashboard/{codes}?course={course.slug}",
            "course": f"/courses/{course.slug}",
        },
    }


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
