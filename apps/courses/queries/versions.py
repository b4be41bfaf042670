"""Where a course stands between its versions, and its history."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from apps.courses.content_tree.combining import Conflict, combine_trees
from apps.courses.models import Course, CourseVersion, DiscardedVersion, VersionDraft
from apps.courses.models.outline_change import UNDO_PERIOD
from apps.courses.policies import EDITABLE
from apps.courses.queries.content_tree import read_tree


@dataclass(frozen=True)
class VersionState:
    """``present`` is the label of the version that learners have, ``number`` that of the next one."""

    live: Course
    edited: Course
    present: str
    number: int

    @property
    def is_begun(self) -> bool:
        return self.edited.is_working_copy

    @property
    def is_under_review(self) -> bool:
        return self.is_begun and self.edited.status == Course.Status.REVIEW

    @property
    def can_begin(self) -> bool:
        return not self.is_begun and self.live.status in EDITABLE


def state_of(course: Course) -> VersionState | None:
    """Return where the course stands; None for a draft that was never published. At most three queries."""
    live = course.live
    if not live.is_versioned:
        return None
    newest = live.versions.order_by("-number", "-correction").values_list("number", "correction").first() or (1, 0)
    edited = course if course.is_working_copy else working_copy_of(live) or live
    number = newest[0] + 1
    if edited.is_working_copy:
        number = VersionDraft.objects.filter(course=edited).values_list("number", flat=True).first() or number
    return VersionState(live, edited, CourseVersion(number=newest[0], correction=newest[1]).label, number)


def present_label(live: Course) -> str:
    """Return the label of the version that learners have. One query."""
    newest = live.versions.defer("tree").order_by("-number", "-correction").first()
    return newest.label if newest is not None else "1"


def working_copy_of(live: Course) -> Course | None:
    """Return the working copy of the live course, if its next version was begun. One query."""
    found = Course.with_working_copies.select_related("subject", "instructor").filter(next_version_of=live).first()
    if found is not None:
        found.next_version_of = live
    return found


def versions_of(live: Course) -> QuerySet[CourseVersion]:
    """Return the versions of the course without their contents, the newest first."""
    people = ("published_by", "approved_by", "restored_from")
    return live.versions.select_related(*people).defer("tree", "restored_from__tree").order_by("-number", "-correction")


def discarded_of(live: Course, *, now: datetime) -> QuerySet[DiscardedVersion]:
    """Return the discarded next versions that can be brought back, without their contents, the newest first."""
    found = live.discarded_versions.filter(discarded_at__gt=now - UNDO_PERIOD).select_related("discarded_by")
    return found.defer("tree", "base").order_by("-discarded_at", "-pk")


def conflicts_of(draft: VersionDraft) -> list[Conflict]:
    """Return the fields that the next version and the published course both changed since it was begun."""
    copy = draft.course
    return combine_trees(draft.base, read_tree(copy), read_tree(copy.live)).conflicts
