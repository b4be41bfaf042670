"""Who may upload and share, and who may see and change a video.

For other users, a video or upload is "not found", not "forbidden", so that its existence is not disclosed.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db.models import Q

from apps.accounts.models import User
from apps.accounts.policies import AnyUser, be_signed_in, be_verified, teach
from apps.files import errors
from apps.files.models import BinnedOriginal, File, Folder, Share, Upload, VideoAsset
from studyplatform.kit.errors import NotAuthenticated, NotFound
from studyplatform.kit.policies import Verdict, abilities

_audiences: list[Callable[[User, VideoAsset], bool]] = []


def register_audience(may_watch: Callable[[User, VideoAsset], bool]) -> Callable[[User, VideoAsset], bool]:
    """Register a function that decides for an app whether a user may watch a video that the app shows."""
    _audiences.append(may_watch)
    return may_watch


_editors: list[Callable[[User, VideoAsset], bool]] = []


def register_editor(may_edit: Callable[[User, VideoAsset], bool]) -> Callable[[User, VideoAsset], bool]:
    """Register a function that decides for an app whether a user may edit what shows a video."""
    _editors.append(may_edit)
    return may_edit


_caption_checks: list[Callable[[User, VideoAsset], Verdict]] = []
_work_checks: list[Callable[[User, VideoAsset], Verdict]] = []


def register_caption_check(check: Callable[[User, VideoAsset], Verdict]) -> Callable[[User, VideoAsset], Verdict]:
    """Register a policy that may refuse a user to change the captions that viewers of a video have."""
    _caption_checks.append(check)
    return check


def register_work_check(check: Callable[[User, VideoAsset], Verdict]) -> Callable[[User, VideoAsset], Verdict]:
    """Register a policy that may refuse a user to choose a video's cover, and to let a model write its captions."""
    _work_checks.append(check)
    return check


@dataclass(frozen=True)
class CourseMembers:
    """Who belongs to a course, from the app that knows it: its instructor and the learners who are enrolled."""

    courses_of: Callable[[User], dict[UUID, str]]
    """The courses that a user belongs to: uid and title, by title."""
    titles: Callable[[Iterable[UUID]], dict[UUID, str]]
    """The titles of courses by uid."""
    belongs: Callable[[str, str], Q]
    """A condition for a query: the user in one field belongs to the course whose uid is in another field."""


_members: list[CourseMembers] = []


def register_course_members(members: CourseMembers) -> CourseMembers:
    """Register the app that knows who belongs to a course. Shares with courses go by it."""
    _members.append(members)
    return members


def course_members() -> CourseMembers:
    """
    :raises LookupError: no app has registered one.
    """
    if not _members:
        raise LookupError("no app knows who belongs to a course")
    return _members[-1]


def upload(user: AnyUser, purpose: str) -> Verdict:
    """Instructors with a verified email upload videos; every signed-in user uploads other files."""
    return teach(user) or be_verified(user) if purpose == Upload.Purpose.VIDEO else be_signed_in(user)


def continue_upload(user: AnyUser, upload: Upload) -> Verdict:
    """Only the owner may continue an upload."""
    if not isinstance(user, User):
        return NotAuthenticated()
    return None if upload.owner_id == user.pk else NotFound()


def hand_out(upload: Upload, *, to_owner: bool = False) -> Verdict:
    """Whether the virus scan allows that somebody gets the bytes; its owner also gets what is too large to scan."""
    if upload.scan == Upload.Scan.INFECTED:
        return errors.FileInfected()
    if upload.scan == Upload.Scan.PENDING and settings.CLAMD_ADDRESS:
        return errors.ScanPending()
    if upload.scan == Upload.Scan.TOO_LARGE and not (to_owner or settings.CLAMD_ALLOW_TOO_LARGE):
        return errors.ScanImpossible()
    return None


def attach(upload: Upload) -> Verdict:
    """What waits for the virus scan may be attached: nobody gets it before."""
    return None if upload.scan == Upload.Scan.PENDING else hand_out(upload)


def use_library(user: AnyUser) -> Verdict:
    """Every signed-in user has a library."""
    return be_signed_in(user)


def edit_entry(user: AnyUser, entry: Folder | File) -> Verdict:
    """Only the owner may change a folder or a file, or see it in the library."""
    if not isinstance(user, User):
        return NotAuthenticated()
    return None if entry.owner_id == user.pk else NotFound()


def edit_original(user: AnyUser, original: BinnedOriginal) -> Verdict:
    """Only the owner may restore or delete an original in the bin."""
    if not isinstance(user, User):
        return NotAuthenticated()
    return None if original.owner_id == user.pk else NotFound()


def share_entry(user: AnyUser, entry: Folder | File) -> Verdict:
    """Only the owner may share a folder or a file, and only with a verified email."""
    return edit_entry(user, entry) or be_verified(user)


def edit_share(user: AnyUser, share: Share) -> Verdict:
    """Only the owner may see who opened a share, and revoke it."""
    if not isinstance(user, User):
        return NotAuthenticated()
    return None if share.owner_id == user.pk else NotFound()


def see_video(user: AnyUser, video: VideoAsset) -> Verdict:
    """Who may see a video's processing and failures: its owner and admins. Lessons decide what learners see."""
    if not isinstance(user, User):
        return NotAuthenticated()
    return None if video.owner_id == user.pk or user.is_admin else NotFound()


def watch_video(user: AnyUser, video: VideoAsset) -> Verdict:
    """Who may watch a video: those who may see it, and those to whom an app shows it."""
    refused = see_video(user, video)
    if refused is None or (isinstance(user, User) and any(may_watch(user, video) for may_watch in _audiences)):
        return None
    return refused


def edit_video(user: AnyUser, video: VideoAsset) -> Verdict:
    """Who may retry, replace and delete a video: those who may see it."""
    return see_video(user, video)


def work_on_video(user: AnyUser, video: VideoAsset) -> Verdict:
    """Who may hear a video and work on its captions and cover: those who may edit it, or something that shows it."""
    refused = edit_video(user, video)
    if refused is None or (isinstance(user, User) and any(may_edit(user, video) for may_edit in _editors)):
        return None
    return refused


def write_automatic_captions(user: AnyUser, video: VideoAsset) -> Verdict:
    """Who may start and cancel automatic captions: those who work on the video, unless an app that shows it refuses."""
    return work_on_video(user, video) or _first_refusal(_work_checks, user, video)


def change_captions(user: AnyUser, video: VideoAsset) -> Verdict:
    """Who may change the captions that viewers have: those who work on it, unless an app that shows it refuses."""
    return work_on_video(user, video) or _first_refusal(_caption_checks, user, video)


def choose_cover(user: AnyUser, video: VideoAsset) -> Verdict:
    """Who may choose the cover: those who work on the video, unless an app that shows it refuses."""
    return work_on_video(user, video) or _first_refusal(_work_checks, user, video)


def _first_refusal(
    checks: Iterable[Callable[[User, VideoAsset], Verdict]], user: AnyUser, video: VideoAsset
) -> Verdict:
    if not isinstance(user, User):
        return NotAuthenticated()
    return next((refusal for check in checks if (refusal := check(user, video)) is not None), None)


def video_abilities(user: AnyUser, video: VideoAsset) -> dict[str, bool]:
    """What the user may do with the video in its current state."""
    verdict = edit_video(user, video)
    is_failed = video.stage == VideoAsset.Stage.FAILED
    may_retry = is_failed and video.failure == VideoAsset.Failure.PROCESSING
    return abilities(edit=verdict) | {"retry": verdict is None and may_retry}
