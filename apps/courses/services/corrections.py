"""Small corrections of a published course go live at once, and the versions of trusted authors without a review."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses import correction_policies
from apps.courses.content_tree import Tree, diff_trees, select_corrections, with_corrections
from apps.courses.errors import (
    CorrectionsTooLong,
    CourseNotReady,
    DraftClosed,
    NothingToCorrect,
    NothingToPublish,
    UndoConflict,
    VersionNotKept,
)
from apps.courses.models import Course, CourseVersion, VersionDraft
from apps.courses.queries import readiness
from apps.courses.queries.content_tree import read_tree
from apps.courses.queries.offered_corrections import find_corrections, words_left
from apps.courses.services.applying import Identity, apply_tree
from apps.courses.services.kept_contents import forget_old_versions, keep_contents
from apps.courses.services.locking import lock_versions
from apps.courses.services.versions import check_new_videos, merge_version, record_present_version
from studyplatform.kit.policies import enforce


def publish_corrections(*, course: Course, by: User, now: datetime) -> CourseVersion:
    """Publish the small corrections among the changes of the working copy; everything else stays in it.

    It is recorded as a correction of the present version: "8.1".

    :raises CorrectionsAreReviewed: the site reviews corrections too.
    :raises NothingToCorrect: there is none, for example because somebody else has published them.
    :raises CorrectionsTooLong: they change too many words together.
    :raises DraftClosed: the version was published or discarded meanwhile.
    """
    with transaction.atomic():
        live, copy = lock_versions(course)
        if not copy.is_working_copy:
            raise DraftClosed
        enforce(correction_policies.publish_corrections(by, live, copy))
        present = record_present_version(live, now=now)
        found = find_corrections(live, copy, now=now)
        if found.is_too_much:
            raise CorrectionsTooLong(words=found.words, left=words_left(live, now=now))
        if not found.chosen:
            raise NothingToCorrect
        draft = VersionDraft.objects.select_for_update().get(course=copy)
        apply_tree(with_corrections(read_tree(live), found.chosen), live, by, now, Identity.UID)
        draft.base = with_corrections(draft.base, found.chosen)
        draft.save(update_fields=["base"])
        counts = {"corrected": len(found.chosen), "words": found.words}
        return _record(live, present, counts=counts, by=by, now=now)


def undo_correction(*, version: CourseVersion, by: User, now: datetime) -> CourseVersion:
    """Give the published course the texts that it had before a correction; those that changed since stay.

    The working copy, if there is one, keeps the corrected texts as changes of the next version.

    :raises VersionNotKept: the contents are no longer stored.
    :raises UndoConflict: a newer version was published since, all of its texts have changed, or it is an undo itself:
        else the same texts could be published, and stored, without end.
    :raises CorrectionsAreReviewed: the site reviews corrections too.
    """
    with transaction.atomic():
        live, copy = lock_versions(version.course)
        enforce(correction_policies.publish_corrections(by, live, copy))
        present = record_present_version(live, now=now)
        before = _entry_before(version)
        if before is None or before.tree is None or version.tree is None:
            raise VersionNotKept
        if present.number != version.number:
            raise UndoConflict(reason=_("A newer version was published since."))
        if not version.can_be_taken_back:
            raise UndoConflict(reason=_("It took a correction back itself. Publish the correction again instead."))
        chosen = select_corrections(before.tree, before.tree, version.tree).chosen
        tree = read_tree(live)
        former = with_corrections(tree, chosen, is_undo=True)
        if former == tree:
            raise UndoConflict(reason=_("Its texts were changed again since."))
        apply_tree(former, live, by, now, Identity.UID)
        draft = VersionDraft.objects.select_for_update().filter(course=copy).first()
        if draft is not None:
            draft.base = with_corrections(draft.base, chosen, is_undo=True)
            draft.save(update_fields=["base"])
        return _record(live, present, counts={"corrected": len(chosen)}, by=by, now=now, restored_from=before)


def publish_alone(*, course: Course, by: User, now: datetime) -> CourseVersion:
    """Publish the next version without a review, as trusted authors may where ``REVIEW_RULE`` says so.

    :raises VersionIsReviewed: the site, or the author's history, asks for a review.
    :raises CourseNotReady: something required is missing.
    :raises NothingToPublish: the next version is the same as the published course.
    :raises UploadsUnderWay, WatchedChoiceMissing: as ``submit_course``.
    """
    with transaction.atomic():
        live, copy = lock_versions(course)
        enforce(correction_policies.publish_alone(by, live, copy))
        if missing := readiness.missing(copy):
            raise CourseNotReady(missing=missing)
        if diff_trees(read_tree(live), read_tree(copy)).is_empty:
            raise NothingToPublish
        check_new_videos(copy)
        return merge_version(live, copy, by=by, approved_by=None, now=now)


def _entry_before(version: CourseVersion) -> CourseVersion | None:
    earlier = CourseVersion.objects.filter(course=version.course, number=version.number)
    return earlier.filter(correction=version.correction - 1).first() if version.correction else None


def _record(
    live: Course,
    present: CourseVersion,
    *,
    counts: dict[str, int],
    by: User,
    now: datetime,
    restored_from: CourseVersion | None = None,
) -> CourseVersion:
    tree: Tree = read_tree(live)
    version = CourseVersion.objects.create(
        course=live,
        number=present.number,
        correction=present.correction + 1,
        tree=tree,
        counts=counts,
        published_at=now,
        published_by=by,
        restored_from=restored_from,
    )
    keep_contents(version)
    forget_old_versions(live.pk)
    return version
