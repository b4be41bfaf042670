"""The browsers in which learners store lessons: registered, opened with their key, removed; each its learner's own."""

import base64
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from apps.learning import services
from apps.learning.errors import OfflineDeviceLimit
from apps.learning.models import OfflineDevice
from tests.factories.learning import OfflineDeviceFactory

pytestmark = pytest.mark.django_db
DEVICES = "/offline/devices/"


def address(device: OfflineDevice, rest: str = "") -> str:
    return f"{DEVICES}{device.uid}/{rest}"


def test_a_device_gets_its_key_again_in_its_learners_session(call_as, leo):
    status, _code, made = call_as("leo", "POST", DEVICES, {"name": "Firefox on Android"})
    _status, _code, opened = call_as("leo", "GET", f"{DEVICES}{made['uid']}/")

    assert status == 201
    assert opened["key"] == made["key"]
    assert len(base64.urlsafe_b64decode(made["key"] + "=")) == 32
    assert opened["name"] == "Firefox on Android"
    assert opened["now"] >= made["now"]


def test_each_device_has_a_key_of_its_own_and_no_list_tells_it(call_as, leo):
    keys = {call_as("leo", "POST", DEVICES, {"name": "Safari"})[2]["key"] for _each in range(2)}
    _status, _code, listed = call_as("leo", "GET", DEVICES)

    assert len(keys) == 2
    assert [sorted(one) for one in listed["results"]] == [["created_at", "last_contact_at", "name", "uid"]] * 2


def test_devices_are_listed_by_their_last_contact_in_pages(call_as, leo, mia, now):
    OfflineDeviceFactory(user=mia)
    for days, name in enumerate(("Old", "Older", "Oldest")):
        OfflineDeviceFactory(user=leo, name=name, last_contact_at=now - timedelta(days=days))

    _status, _code, first = call_as("leo", "GET", f"{DEVICES}?page_size=2")
    _status, _code, second = call_as("leo", "GET", f"{DEVICES}?page_size=2&page=2")

    assert [one["name"] for one in first["results"] + second["results"]] == ["Old", "Older", "Oldest"]
    assert first["count"] == 3


@pytest.mark.parametrize(
    ("method", "rest", "data"),
    [
        ("GET", "", None),
        ("DELETE", "", None),
        ("POST", "check-in/", {"lessons": []}),
        ("POST", "lessons/0b9f7f4e-3f43-4c6a-9d57-7f6a8c1f2d10/", {}),
        ("POST", "changes/", {"changes": []}),
    ],
)
@pytest.mark.parametrize("whose", ["removed", "another's"])
def test_no_call_opens_a_removed_device_or_anothers(call_as, leo, mia, method, rest, data, whose):
    device = OfflineDeviceFactory(user=leo)
    if whose == "removed":
        assert call_as("leo", "DELETE", address(device))[0] == 204

    status, code, _problem = call_as("leo" if whose == "removed" else "mia", method, address(device, rest), data)

    assert (status, code) == (404, "OFFLINE_DEVICE_REMOVED")


@pytest.mark.parametrize("who", ["nobody", "ben"])
def test_visitors_and_blocked_users_register_nothing(call_as, who, ben):
    assert call_as(who, "POST", DEVICES, {"name": "Firefox"})[0] == 401
    assert not OfflineDevice.objects.exists()


def test_a_name_is_needed_and_bounded(call_as, leo):
    for name in ("", "x" * 121, None):
        assert call_as("leo", "POST", DEVICES, {"name": name})[1] == "VALIDATION_FAILED"


def test_more_devices_than_allowed_are_refused_with_what_to_do(call_as, leo, mia, settings):
    settings.MAX_OFFLINE_DEVICES = 2
    OfflineDeviceFactory(user=mia, last_contact_at=timezone.now())
    for _each in range(2):
        call_as("leo", "POST", DEVICES, {"name": "Firefox"})
    OfflineDevice.objects.update(last_contact_at=timezone.now() + timedelta(seconds=1))

    status, code, problem = call_as("leo", "POST", DEVICES, {"name": "Firefox"})

    assert (status, code, problem["params"]) == (409, "OFFLINE_DEVICE_LIMIT", {"limit": 2})
    assert OfflineDevice.objects.filter(user=leo).count() == 2


def test_expired_devices_make_room_but_only_where_it_is_needed(leo, settings, now):
    settings.MAX_OFFLINE_DEVICES = 2
    created = {"user": leo, "created_at": now - timedelta(days=90)}
    silent = OfflineDeviceFactory(**created, last_contact_at=now - timedelta(days=31))
    known = OfflineDeviceFactory(**created, last_contact_at=now - timedelta(days=29))

    with pytest.raises(OfflineDeviceLimit):
        services.register_device(user=leo, name="New", now=now - timedelta(days=2))
    made = services.register_device(user=leo, name="New", now=now)

    assert set(OfflineDevice.objects.all()) == {known, made}
    settings.MAX_OFFLINE_DEVICES = 3
    OfflineDevice.objects.filter(pk=known.pk).update(last_contact_at=silent.last_contact_at)
    services.register_device(user=leo, name="Newer", now=now)
    assert OfflineDevice.objects.filter(pk=known.pk).exists()  # what it has not sent would be lost


def test_a_device_that_never_stored_anything_is_forgotten(leo, now):
    lost = services.register_device(user=leo, name="Firefox", now=now)  # its answer never arrived
    used = services.register_device(user=leo, name="Firefox", now=now)
    services.note_contact(user=leo, device=used, now=now + timedelta(minutes=1))

    services.register_device(user=leo, name="Safari", now=now + timedelta(hours=23))
    assert OfflineDevice.objects.filter(pk=lost.pk).exists()
    services.register_device(user=leo, name="Chrome", now=now + timedelta(hours=25))

    assert not OfflineDevice.objects.filter(pk=lost.pk).exists()
    assert OfflineDevice.objects.filter(pk=used.pk).exists()


def test_the_latest_contact_counts(leo, now):
    device = OfflineDeviceFactory(user=leo, created_at=now, last_contact_at=now)
    for minutes in (5, 3):
        services.note_contact(user=leo, device=device, now=now + timedelta(minutes=minutes))

    device.refresh_from_db()
    assert device.last_contact_at == now + timedelta(minutes=5)


def test_every_contact_counts(call_as, leo, enrollment, lessons, now):
    device = OfflineDeviceFactory(user=leo, created_at=now)
    calls = [
        ("check-in/", {"lessons": []}),
        (f"lessons/{lessons[0].uid}/", {}),
        ("changes/", {"changes": []}),
    ]
    for days, (rest, data) in enumerate(calls, start=1):
        at = now + timedelta(days=days)
        with time_machine.travel(at, tick=False):
            assert call_as("leo", "POST", address(device, rest), data)[0] == 200
        device.refresh_from_db()
        assert device.last_contact_at == at
