"""Editing in tests: what is about an edit, and not about how it reaches learners, edits published courses in place.

Authors can't: a course that was published is changed by its next version (ADR 64, tests/courses/test_versions.py). But
what follows from a change of an outline, such as recounted progress, is the same whether a service of the studio or
a published version made it. Such modules and tests are marked ``edits_in_place``.
"""

from collections.abc import Iterator

import pytest

from apps.courses.models import Course

MARK = "edits_in_place"


@pytest.fixture(autouse=True)
def edits_in_place(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.node.get_closest_marker(MARK) is None:
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Course, "is_versioned", False)
        yield
