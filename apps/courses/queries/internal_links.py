"""Links within the site that lead nowhere."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import UUID

from django.conf import settings
from django.urls import Resolver404, resolve

from apps.courses.models import Course, CourseFile, Lesson
from studyplatform.kit.web.middleware import other_spelling

_FILES = ("/static/", "/media/", "/docs/")  # served, but not by a page


def find_dead_links(addresses: Sequence[str], course: Course) -> list[str]:
    """Return those of these addresses of this site that no page answers. At most three queries.

    Courses, lessons and files of the course are looked up; other pages count as alive if there is such a page.
    """
    paths = {address: path for address in addresses if (path := _path_of(address)) is not None}
    courses: dict[str, str] = {}
    lessons: dict[str, tuple[str, str]] = {}
    files: dict[str, UUID] = {}
    dead = set()
    for address, path in paths.items():
        if path.startswith(_FILES):
            continue
        found = _resolved(path)
        if found is None:
            dead.add(address)
        elif path.startswith("/courses/") and isinstance(slug := found.get("slug"), str):
            courses[address] = slug
        elif path.startswith("/learn/") and {"course", "lesson"} <= found.keys():
            lessons[address] = found["course"], found["lesson"]
        elif path.startswith("/course-files/") and isinstance(uid := found.get("uid"), UUID):
            files[address] = uid
    known = set(Course.objects.filter(slug__in=courses.values()).values_list("slug", flat=True)) if courses else set()
    slugs = {slug for _course, slug in lessons.values()}
    there = set(Lesson.objects.filter(slug__in=slugs).values_list("course__slug", "slug")) if slugs else set()
    kept = set(CourseFile.objects.filter(uid__in=files.values()).values_list("uid", flat=True)) if files else set()
    dead |= {address for address, slug in courses.items() if slug not in known}
    dead |= {address for address, place in lessons.items() if place not in there}
    dead |= {address for address, uid in files.items() if uid not in kept}
    return [address for address in addresses if address in dead]


def _path_of(address: str) -> str | None:
    """Return the path of an address of this site; None for another address, and for a place on the same page."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    if parts.scheme or parts.netloc:
        own = urlsplit(settings.SITE_URL)
        if parts.scheme not in {"http", "https"} or parts.hostname != own.hostname:
            return None
        return unquote(parts.path) or "/"
    return unquote(parts.path) if parts.path.startswith("/") else None


def _resolved(path: str) -> dict[str, Any] | None:
    for spelling in (path, other_spelling(path) if path != "/" else path):
        try:
            return resolve(spelling).kwargs
        except Resolver404:
            continue
    return None
