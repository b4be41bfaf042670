"""The browsers in which learners store lessons: register, use and remove them."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.models import Lesson
from apps.learning import offline_policies
from apps.learning.errors import OfflineDeviceLimit
from apps.learning.models import Enrollment, OfflineDevice
from apps.learning.services.consumption import record_whole
from studyplatform.kit.policies import enforce

UNUSED_AFTER = timedelta(days=1)
"""A device that stored nothing within this time was registered by a request whose answer was lost."""


def register_device(*, user: User, name: str, now: datetime) -> OfflineDevice:
    """Register a browser in which the learner stores lessons.

    Where that would be too many, those are forgotten first whose lessons have expired. Those that never stored one are
    forgotten anyway.

    :raises OfflineDeviceLimit: the learner has as many as one may have.
    """
    enforce(offline_policies.keep_devices(user))
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)  # two requests count one after the other
        devices = OfflineDevice.objects.filter(user=user)
        devices.filter(last_contact_at=F("created_at"), created_at__lt=now - UNUSED_AFTER).delete()
        if devices.count() >= settings.MAX_OFFLINE_DEVICES:
            devices.filter(last_contact_at__lt=now - timedelta(days=settings.OFFLINE_DAYS)).delete()
        if devices.count() >= settings.MAX_OFFLINE_DEVICES:
            raise OfflineDeviceLimit(limit=settings.MAX_OFFLINE_DEVICES)
        return OfflineDevice.objects.create(user=user, name=name, created_at=now, last_contact_at=now)


def remove_device(*, user: AnyUser, device: OfflineDevice) -> None:
    """Forget a device with its key: what it stores can't be opened any more. Idempotent."""
    enforce(offline_policies.use_device(user, device))
    OfflineDevice.objects.filter(pk=device.pk).delete()


def note_contact(*, user: AnyUser, device: OfflineDevice, now: datetime) -> None:
    """Remember that the device was in contact. Clocks of servers differ: the latest contact counts."""
    enforce(offline_policies.use_device(user, device))
    rows = OfflineDevice.objects.filter(pk=device.pk, last_contact_at__lt=now)
    rows.update(last_contact_at=now)


def hand_out_lesson(
    *, user: AnyUser, device: OfflineDevice, enrollment: Enrollment, lesson: Lesson, now: datetime
) -> None:
    """Remember that a device got a lesson, with the whole text or file of one: refunds depend on it. Idempotent.

    Of a video counts what is fetched, and of a quiz the attempt.
    """
    note_contact(user=user, device=device, now=now)
    if lesson.kind in {Lesson.Kind.TEXT, Lesson.Kind.FILE}:
        record_whole(enrollment=enrollment, lesson=lesson, now=now)


def forget_devices(*, user_id: int) -> None:
    """Forget all devices of an account that is deleted."""
    OfflineDevice.objects.filter(user=user_id).delete()
