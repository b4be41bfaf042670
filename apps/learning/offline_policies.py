"""Who may store lessons on a device."""

from datetime import datetime

from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.billing.models import Grant
from apps.courses.models import Lesson
from apps.learning import policies
from apps.learning.errors import OfflineDeviceRemoved, OfflineNotPossible
from apps.learning.models import OfflineDevice
from apps.learning.outline import Standing
from studyplatform.kit.errors import NotAuthenticated
from studyplatform.kit.policies import Verdict


def keep_devices(user: AnyUser) -> Verdict:
    """Signed-in users register the browsers in which they store lessons."""
    return None if isinstance(user, User) else NotAuthenticated()


def use_device(user: AnyUser, device: OfflineDevice | None) -> Verdict:
    """Each their own. Of somebody else's nobody learns that it exists."""
    if not isinstance(user, User):
        return NotAuthenticated()
    return None if device is not None and device.user_id == user.pk else OfflineDeviceRemoved()


def store_lesson(
    user: AnyUser, lesson: Lesson, standing: Standing, opens_at: datetime | None, lost: Grant | None
) -> Verdict:
    """Enrolled learners store the lessons of their courses, also those that an earlier lesson still locks.

    ``opens_at``: when it opens, if that is not yet. ``lost``: the last grant of the user that had opened the course.
    Visitors of a preview and staff have no progress that a device could bring back.
    """
    if not isinstance(user, User):
        return NotAuthenticated()
    if standing.enrollment is None:
        if standing.is_staff:
            return OfflineNotPossible(reason=_("You teach this course. Only its learners download lessons."))
        return policies.refuse_without_enrollment(user, lesson.course, lost)
    return policies.open_lesson(user, lesson, standing, opens_at) or _refuse_content(lesson)


def _refuse_content(lesson: Lesson) -> Verdict:
    """Refuse a lesson whose content is not complete, or not here."""
    if lesson.kind == Lesson.Kind.FILE and lesson.file_id is None:
        return OfflineNotPossible(reason=_("Its file hasn't been added yet."))
    if lesson.kind != Lesson.Kind.VIDEO:
        return None
    if lesson.external_video:
        return OfflineNotPossible(reason=_("Its video is on another site, which plays it only with a connection."))
    video = lesson.video
    if video is None or (video.failure and not video.is_playable):
        return OfflineNotPossible(reason=_("It has no video right now."))
    if not video.is_playable or not video.is_settled:
        return OfflineNotPossible(reason=_("Its video is still being processed."))
    return None
