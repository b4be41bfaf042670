"""The small corrections of a next version that could go live now."""

from datetime import datetime, timedelta

from django.utils import timezone

from apps.accounts.policies import AnyUser
from apps.courses import correction_policies
from apps.courses.content_tree import Corrections, select_corrections
from apps.courses.content_tree.corrections import MAX_WORDS_IN_ALL
from apps.courses.models import Course, VersionDraft
from apps.courses.queries.content_tree import read_tree

WORDS_ARE_COUNTED_FOR = timedelta(days=1)  # so that many small corrections don't add up to a version


def offered_corrections(user: AnyUser, course: Course) -> Corrections | None:
    """Return the small corrections that the user may publish now; None if there is none."""
    if not course.is_working_copy or correction_policies.publish_corrections(user, course.live, course) is not None:
        return None
    found = find_corrections(course.live, course, now=timezone.now())
    return found if found.chosen and not found.is_too_much else None


def find_corrections(live: Course, copy: Course, *, now: datetime) -> Corrections:
    """Return the small corrections that could go live now. It asks no policy. Two trees, and two queries."""
    draft = VersionDraft.objects.get(course=copy)
    left = words_left(live, now=now)
    return select_corrections(draft.base, read_tree(live), read_tree(copy), words_left=left)


def words_left(live: Course, *, now: datetime) -> int:
    """Return how many words may still be corrected today without a review. One query."""
    recent = live.versions.filter(correction__gt=0, restored_from=None, published_at__gt=now - WORDS_ARE_COUNTED_FOR)
    used = sum(int(counts.get("words", 0)) for counts in recent.values_list("counts", flat=True))
    return max(0, MAX_WORDS_IN_ALL - used)
