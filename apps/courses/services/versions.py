"""The next version of a published course: begun, restored from a former one, and published.

The live course is locked before its working copy (``locking``), and authors lock the working copy alone: of two
requests one finds what the other did, and is told (docs/adr/0064-a-published-course-has-a-next-version.md).
"""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.db import transaction

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.content_tree import Tree, diff_trees
from apps.courses.content_tree.combining import combine_trees
from apps.courses.content_tree.shape import PRICE_COLUMNS
from apps.courses.errors import DraftClosed, UploadsUnderWay, VersionNotKept, WatchedChoiceMissing
from apps.courses.events import LessonsRestarted, VersionPublished
from apps.courses.models import Course, CourseVersion, VersionDraft
from apps.courses.models.version import MAX_NOTE_LENGTH, Transition
from apps.courses.queries.content_tree import read_tree
from apps.courses.queries.replaced_videos import Watched, lessons_with_uploads, replaced_videos
from apps.courses.queries.reviewed_captions import captions_for_review
from apps.courses.services.applying import Identity, apply_tree
from apps.courses.services.captions import publish_reviewed_captions
from apps.courses.services.kept_contents import forget_old_versions, keep_contents, keep_discarded
from apps.courses.services.locking import lock_versions
from apps.courses.services.merged import MergedVersion, finish_merge
from apps.files import services as files
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.lists import list_names

SLUG_LENGTH = 80
MAX_NAMED_LESSONS = 3


def begin_version(*, course: Course, by: User, now: datetime) -> Course:
    """Begin the next version of a course that was published, and return its working copy. Begun twice, it is made once.

    :raises WrongCourseStatus: it was never published, or is archived.
    """
    with transaction.atomic():
        live, edited = lock_versions(course)
        enforce(policies.begin_version(by, live))
        if edited.is_working_copy:
            return edited
        return begin_locked(live, by, now)


def restore_version(*, version: CourseVersion, by: User, now: datetime) -> Course:
    """Make the working copy equal to a stored version, and return it. It is begun if there is none.

    What was written in it can be brought back, like a discarded version. A co-instructor leaves the price as it is.

    :raises VersionNotKept: the contents of the version are no longer stored.
    :raises CourseUnderReview: the next version is under review.
    """
    if version.tree is None:
        raise VersionNotKept
    with transaction.atomic():
        live, edited = lock_versions(version.course)
        enforce(policies.begin_version(by, live))
        copy = edited if edited.is_working_copy else begin_locked(live, by, now)
        enforce(policies.edit_course(by, copy))
        if edited.is_working_copy:
            keep_discarded(live, edited, by, now)
        apply_tree(tree_for(by, version.tree, copy), copy, by, now, Identity.ORIGIN)
        VersionDraft.objects.filter(course=copy).update(restored_from=version)
    return copy


def choose_for_learners(*, course: Course, by: User, choices: dict[str, Any]) -> VersionDraft:
    """Store what the author chose for learners: ``note``, ``is_announced``, ``transition`` and so on.

    ``watched`` are choices for replaced videos (`Watched`), by the key of their lessons.

    :raises DraftClosed: the version was published or discarded meanwhile.
    """
    with transaction.atomic():
        _live, edited = lock_versions(course)
        if not edited.is_working_copy:
            raise DraftClosed
        enforce(policies.edit_course(by, edited))
        draft = VersionDraft.objects.select_for_update().get(course=edited)
        draft.note = " ".join(str(choices.get("note", draft.note)).split())[:MAX_NOTE_LENGTH]
        draft.transition = Transition(choices.get("transition", draft.transition))
        for name in ("is_announced", "gives_points", "tells_passed"):
            setattr(draft, name, bool(choices.get(name, getattr(draft, name))))
        if "watched" in choices:
            draft.watched_choices = {
                one.key: {"video": one.video, "choice": Watched(choices["watched"][one.key])}
                for one in replaced_videos(edited)
                if one.key in choices["watched"]
            }
        draft.save()
    return draft


def check_new_videos(copy: Course) -> None:
    """
    :raises UploadsUnderWay: the new video of a lesson is being uploaded or processed.
    :raises WatchedChoiceMissing: a new video has another length, and nobody chose what becomes of what was watched.
    """
    if running := lessons_with_uploads(copy):
        raise UploadsUnderWay(lessons=list_names(running[:MAX_NAMED_LESSONS]))
    undecided = [one.lesson.title for one in replaced_videos(copy) if one.is_undecided]
    if undecided:
        raise WatchedChoiceMissing(lessons=list_names(undecided[:MAX_NAMED_LESSONS]))


def record_present_version(live: Course, *, now: datetime) -> CourseVersion:
    """Return the version that learners have. A course that was published before it had versions gets its first one.

    The live course is locked.
    """
    newest = live.versions.order_by("-number", "-correction").first()
    if newest is not None:
        return newest
    first = CourseVersion.objects.create(
        course=live,
        number=1,
        tree=read_tree(live),
        published_at=live.published_at or now,
        published_by=live.instructor,
    )
    keep_contents(first)
    return first


def merge_version(live: Course, copy: Course, *, by: User, approved_by: User | None, now: datetime) -> CourseVersion:
    """Make the live course equal to its working copy, record the version, and delete the copy. Both are locked.

    What changed in the live course since the version was begun, and not in the copy, stays.
    """
    draft = VersionDraft.objects.get(course=copy)
    present = record_present_version(live, now=now)
    before = read_tree(live)
    tree = combine_trees(draft.base, read_tree(copy), before).tree
    restarted = tuple(one.live_lesson_id for one in replaced_videos(copy) if one.is_restarted)
    number = max(draft.number, present.number + 1)
    captions = captions_for_review(copy)  # before learners have more videos: the reviewer saw no captions of those
    applied = apply_tree(tree, live, by, now, Identity.UID, source=copy, version=number)
    publish_reviewed_captions(captions, by, now)
    after = read_tree(live)
    states = Counter(lesson.state for lesson in diff_trees(before, after).lessons)
    version = CourseVersion.objects.create(
        course=live,
        number=number,
        tree=after,
        note=draft.note,
        counts=dict(states),
        published_at=now,
        published_by=by,
        approved_by=approved_by,
        restored_from=draft.restored_from,
    )
    finish_merge(
        MergedVersion(
            course=live,
            number=version.number,
            now=now,
            added_lessons=applied.added_lessons,
            removed_lessons=applied.removed_lessons,
            changed_answers=applied.changed_answers,
            partway=draft.transition,
            gives_points=draft.gives_points,
            tells_passed=draft.tells_passed,
        )
    )
    keep_contents(version)
    forget_old_versions(live.pk)
    for upload in applied.replaced_uploads:
        files.release_content(upload_id=upload)
    publish(
        VersionPublished(
            course_id=live.pk,
            version_id=version.pk,
            is_announced=draft.is_announced,
            added_lessons=tuple(applied.added_lessons),
        )
    )
    if restarted:
        publish(LessonsRestarted(course_id=live.pk, lesson_ids=restarted))
    copy.delete()
    return version


def begin_locked(live: Course, by: User, now: datetime) -> Course:
    """Begin the next version of a published course that is locked and has none."""
    present = record_present_version(live, now=now)
    tree = read_tree(live)
    number = present.number + 1
    copy = Course.with_working_copies.create(
        next_version_of=live,
        slug=_find_slug(live.slug, number),
        title=live.title,
        subject=live.subject,
        instructor=live.instructor,
        plate=live.plate,
        plate_variant=live.plate_variant,
        created_at=now,
        updated_at=now,
    )
    VersionDraft.objects.create(course=copy, number=number, base=tree, begun_by=by, begun_at=now)
    apply_tree(tree, copy, by, now, Identity.ORIGIN)
    copy.refresh_from_db()
    return copy


def tree_for(by: User, tree: Tree, copy: Course) -> Tree:
    """Return a stored tree as the user may apply it to a working copy: a co-instructor keeps the price of the copy."""
    if policies.own_course(by, copy) is None:
        return tree
    return with_price(tree, {name: getattr(copy, name) for name in PRICE_COLUMNS})


def with_price(tree: Tree, columns: Mapping[str, Any]) -> Tree:
    """Return a tree whose course costs what these columns of a course say."""
    return tree | {"course": tree["course"] | {name: columns[name] for name in PRICE_COLUMNS}}


def _find_slug(slug: str, number: int) -> str:
    """Return the address of a working copy, which says what it is."""
    suffix = f"-version-{number}"
    wanted = f"{slug[: SLUG_LENGTH - len(suffix)]}{suffix}"
    taken = Course.with_working_copies.filter(slug=wanted).exists()
    return f"{wanted[: SLUG_LENGTH - 9]}-{uuid4().hex[:8]}" if taken else wanted
