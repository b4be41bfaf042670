"""Next versions that were discarded: brought back as they were, or deleted after a month."""

from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.errors import DraftClosed
from apps.courses.models import Course, DiscardedVersion, VersionDraft
from apps.courses.models.outline_change import UNDO_PERIOD
from apps.courses.queries.content_tree import read_tree
from apps.courses.services.applying import Identity, apply_tree
from apps.courses.services.kept_contents import CHOICES_FOR_LEARNERS, keep_discarded
from apps.courses.services.locking import lock_versions
from apps.courses.services.versions import begin_locked, tree_for, with_price
from studyplatform.kit.policies import enforce


def discard_version(*, course: Course, by: User, now: datetime) -> DiscardedVersion | None:
    """Discard the next version; learners keep what they have. It can be brought back for `UNDO_PERIOD`.

    None: nothing was written in it that could be brought back.

    :raises CourseUnderReview: it was submitted; it can be withdrawn first.
    :raises DraftClosed: there is none, for example because it was published meanwhile.
    """
    with transaction.atomic():
        live, edited = lock_versions(course)
        if not edited.is_working_copy:
            raise DraftClosed
        enforce(policies.edit_course(by, edited))
        discarded = keep_discarded(live, edited, by, now)
        edited.delete()
    return discarded


def bring_back_version(*, discarded: DiscardedVersion, by: User, now: datetime) -> Course:
    """Make a discarded version the next one again, and return its working copy. What was begun since is discarded.

    Brought back by a co-instructor, it has the price that stands now, in the next version or the published course.

    :raises DraftClosed: it was brought back already, or is too old.
    :raises CourseUnderReview: another next version is under review.
    """
    with transaction.atomic():
        live, edited = lock_versions(discarded.course)
        enforce(policies.begin_version(by, live))
        found = DiscardedVersion.objects.select_for_update().filter(pk=discarded.pk).first()
        if found is None or found.kept_until <= now:
            raise DraftClosed
        tree = tree_for(by, found.tree, edited)
        priced_from = VersionDraft.objects.get(course=edited).base if edited.is_working_copy else read_tree(live)
        if edited.is_working_copy:
            discard_version(course=edited, by=by, now=now)
        copy = begin_locked(live, by, now)
        apply_tree(tree, copy, by, now, Identity.ORIGIN)
        draft = VersionDraft.objects.get(course=copy)
        for name in CHOICES_FOR_LEARNERS:
            setattr(draft, name, found.choices.get(name, getattr(draft, name)))
        if draft.number == found.number:  # no version was published since
            draft.base = found.base
        if policies.own_course(by, live) is not None:  # a price that is left as it is isn't a change of this version
            draft.base = with_price(draft.base, priced_from["course"])
        draft.restored_from = found.restored_from
        draft.save()
        found.delete()
    return copy


def purge_discarded(*, now: datetime) -> int:
    """Delete the versions that were discarded longer than `UNDO_PERIOD` ago; return how many."""
    old = DiscardedVersion.objects.filter(discarded_at__lte=now - UNDO_PERIOD)
    return old.delete()[1].get("courses.DiscardedVersion", 0)
