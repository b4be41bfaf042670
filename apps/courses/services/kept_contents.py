"""The files that stored and discarded versions of a course name: kept as long as these, and freed with them."""

from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.content_tree.contents import contents_of
from apps.courses.errors import VersionIsPresent
from apps.courses.models import Course, CourseVersion, DiscardedVersion, KeptContent, Right, VersionDraft
from apps.courses.models.version import KEPT_VERSIONS
from apps.courses.queries.content_tree import read_tree
from apps.courses.services.locking import lock_course_row
from apps.files.models import Upload
from studyplatform.kit.policies import enforce

CHOICES_FOR_LEARNERS = ("note", "is_announced", "transition", "gives_points", "tells_passed")


def keep_contents(holder: CourseVersion | DiscardedVersion) -> None:
    """Keep the files that a new stored or discarded version names. Two queries."""
    uploads = Upload.objects.filter(uid__in=contents_of(holder.tree or {}).uploads if holder.tree else ())
    of = {"version": holder} if isinstance(holder, CourseVersion) else {"discarded": holder}
    KeptContent.objects.bulk_create(
        (KeptContent(**of, upload_id=pk) for pk in uploads.values_list("pk", flat=True)), batch_size=500
    )


def keep_discarded(live: Course, copy: Course, by: User, now: datetime) -> DiscardedVersion | None:
    """Keep what a working copy has, which is about to go. Both courses are locked.

    None: nothing was written in it, as it is equal to what it was begun or restored from.
    """
    draft = VersionDraft.objects.select_related("restored_from").get(course=copy)
    tree, restored = read_tree(copy), draft.restored_from
    if not draft.note and tree == (restored.tree if restored is not None else draft.base):
        return None
    discarded = DiscardedVersion.objects.create(
        course=live,
        number=draft.number,
        tree=tree,
        base=draft.base,
        choices={name: getattr(draft, name) for name in CHOICES_FOR_LEARNERS},
        restored_from=draft.restored_from,
        discarded_by=by,
        discarded_at=now,
    )
    keep_contents(discarded)
    return discarded


def forget_version(*, version: CourseVersion, by: User) -> None:
    """Forget the contents of a former version, which frees the files that nothing else uses. Idempotent.

    The history still shows it, but it can't be compared or restored anymore.

    :raises VersionIsPresent: learners have this version.
    """
    with transaction.atomic():
        live = lock_course_row(version.course_id)
        enforce(policies.hold_right(by, live, Right.EDIT))
        present = live.versions.defer("tree").order_by("-number", "-correction").first()
        if present is not None and present.pk == version.pk:
            raise VersionIsPresent
        _forget([version.pk])


def forget_old_versions(course_id: int) -> None:
    """Forget the contents of all but the latest `KEPT_VERSIONS` versions of a course, which is locked."""
    stored = CourseVersion.objects.filter(course=course_id, tree__isnull=False).order_by("-number", "-correction")
    newest = CourseVersion.objects.filter(course=course_id).order_by("-number", "-correction")
    kept = set(newest.values_list("pk", flat=True)[:KEPT_VERSIONS])
    _forget([pk for pk in stored.values_list("pk", flat=True) if pk not in kept])


def _forget(versions: list[int]) -> None:
    if not versions:
        return
    CourseVersion.objects.filter(pk__in=versions).update(tree=None)
    KeptContent.objects.filter(version__in=versions).delete()  # what nothing else uses is deleted after it
