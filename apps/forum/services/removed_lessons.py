"""Topics about lessons that a version of their course removes: they stay on the board of the course."""

from collections.abc import Collection, Iterator

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.courses.queries.version_effects import Effect, VersionChange, version_effects
from apps.courses.services.merged import MergedVersion, merge_steps
from apps.forum.models import Topic
from studyplatform.kit.extensions import answers_changed


@merge_steps.registers("forum")
def move_topics_to_board(merged: MergedVersion) -> None:
    """Let topics about removed lessons be topics of the course. One query, however many there are."""
    if merged.removed_lessons and _topics_of(merged.removed_lessons).update(
        lesson=None, second=None, stamp=F("stamp") + 1
    ):
        transaction.on_commit(lambda: _follow_answers(merged.course.pk))


def _topics_of(lessons: Collection[int]) -> QuerySet[Topic]:
    return Topic.objects.filter(lesson__in=lessons)


def _follow_answers(course: int) -> None:
    """Tell those who search the answers about lessons."""
    for follow in answers_changed.ordered():
        follow(course)


@version_effects.registers("forum", order=30)
def count_topics(change: VersionChange) -> Iterator[Effect]:
    """Yield how many visible topics lose their lesson. At most one query."""
    moved = _topics_of(change.removed).filter(state="visible").count() if change.removed else 0
    text = ngettext("%d topic moves to the course's board", "%d topics move to the course's board", moved)
    yield Effect("topics", _("Discussions"), text % moved, moved)
