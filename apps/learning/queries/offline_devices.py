"""The devices of a learner."""

from base64 import urlsafe_b64encode
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from apps.accounts.models import User
from apps.learning.errors import OfflineDeviceRemoved
from apps.learning.models import OfflineDevice


def devices_of(user: User) -> QuerySet[OfflineDevice]:
    """Return the devices of a learner, the last used first, without their keys."""
    return OfflineDevice.objects.filter(user=user).defer("key").order_by("-last_contact_at", "-pk")


def get_device(user: User, uid: UUID) -> OfflineDevice:
    """Return a device of the learner.

    :raises OfflineDeviceRemoved: there is none, or it is somebody else's.
    """
    device = OfflineDevice.objects.filter(uid=uid, user=user).first()
    if device is None:
        raise OfflineDeviceRemoved
    return device


def device_out(device: OfflineDevice) -> dict[str, Any]:
    """Return the shape ``OfflineDeviceOut``."""
    return {
        "uid": str(device.uid),
        "name": device.name,
        "created_at": device.created_at,
        "last_contact_at": device.last_contact_at,
    }


def opened_device_out(device: OfflineDevice, now: datetime) -> dict[str, Any]:
    """Return the shape ``OpenedDeviceOut``: with the key. Only for the session of its learner."""
    key = urlsafe_b64encode(bytes(device.key)).rstrip(b"=").decode()
    return {**device_out(device), "key": key, "now": now}
