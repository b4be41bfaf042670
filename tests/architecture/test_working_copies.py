"""Working copies of courses are seen by their authors and reviewers alone: `Course.objects` leaves them out.

What reads them all names `with_working_copies`, and is listed here with the reason. What finds lessons and other parts
by the instructor of their course says which courses it means.
"""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.architecture.source import Module, modules

pytestmark = pytest.mark.xdist_group("source")

# Modules outside the studio (apps.courses, whose services get the row that is edited) that read working copies.
READERS = {
    "apps.learning.queries.lessons": "staff preview a lesson of the next version; policies hide it from others",
    "studyplatform.site.public.course": "staff preview the course page of the next version",
    "studyplatform.site.governing.reviews": "an admin reviews the next version",
    "apps.billing.checks": "before a migration, the column that leaves them out is not there yet",
}
# Of apps.courses: what the public, other apps and lists of courses read. None of it may name working copies.
PUBLIC = {
    "apps.courses.spelling",
    "apps.courses.search",
    "apps.courses.extensions",
    "apps.courses.exports",
    "apps.courses.admin",
    "apps.courses.queries.cards",
    "apps.courses.queries.catalogue",
    "apps.courses.queries.detail",
    "apps.courses.queries.facets",
    "apps.courses.queries.paths",
    "apps.courses.queries.path_places",
    "apps.courses.queries.suggestions",
    "apps.courses.services.search",
    "apps.courses.services.paths",
}
PARTS = re.compile(r"\b(Lesson|Section|Question|Quiz|CourseFile)\.(objects|with_removed)\b")
OF_INSTRUCTOR = re.compile(r"course__instructor(_id)?=")

SAYS_WHICH = re.compile("next_version_of|working_copy")


def test_only_the_studio_and_the_review_read_working_copies() -> None:
    found = {module.name for module in modules() if "with_working_copies" in module.text}
    outside = {name for name in found if not name.startswith("apps.courses.")}
    assert outside - READERS.keys() == set(), "use Course.objects, or name the reason in READERS"
    assert found & PUBLIC == set(), "what everyone sees has no working copies"


def _functions(module: Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef):
            yield node.name, ast.get_source_segment(module.text, node) or ""


def test_parts_found_by_the_instructor_say_of_which_courses() -> None:
    """`Lesson.objects.filter(course__instructor=…)` finds those of working copies too."""
    found = [
        f"{module}: {name}"
        for module in modules()
        if OF_INSTRUCTOR.search(module.text)
        for name, source in _functions(module)
        if PARTS.search(source) and OF_INSTRUCTOR.search(source) and not SAYS_WHICH.search(source)
    ]
    assert found == []


def test_no_query_in_sql_forgets_them() -> None:
    """SQL that reads courses by itself knows no manager."""
    known = {"apps.courses.search": "joins the courses of a queryset", "apps.billing.checks": "asks for the table"}
    found = {module.name for module in modules() if "courses_course" in module.text}
    assert found - known.keys() == set()
