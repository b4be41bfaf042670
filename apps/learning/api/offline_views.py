"""Offline lessons as calls."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.learning import services
from apps.learning.api.offline_change_serializers import TakeChangesIn, TakenChangesOut
from apps.learning.api.offline_changes import answer_changes
from apps.learning.api.offline_serializers import (
    CheckInIn,
    CheckInOut,
    OfflineDeviceOut,
    OfflineLessonOut,
    OfflinePracticeOut,
    OfflineShellOut,
    OpenedDeviceOut,
    RegisterDeviceIn,
    StorableCourseOut,
    StoreLessonIn,
)
from apps.learning.offline.package import package_out
from apps.learning.offline.practice import offline_practice_out
from apps.learning.offline.shell import shell_build, shell_out
from apps.learning.queries.offline_devices import device_out, devices_of, get_device, opened_device_out
from apps.learning.queries.offline_lessons import check_lessons
from apps.learning.queries.storable_course import storable_course_out
from studyplatform.kit.web.api import validated
from studyplatform.kit.web.body_limits import KIB


def _private(data: Any, code: int = status.HTTP_200_OK) -> Response:
    """Answer with what no cache of a browser may keep beside the encrypted copy: keys, lessons and solutions."""
    return Response(data, code, headers={"Cache-Control": "no-store"})


class OfflineDevices(GenericAPIView[Any]):
    """The browsers in which the learner stores lessons."""

    permission_classes = [permissions.IsAuthenticated]
    serializer_class = OfflineDeviceOut

    @extend_schema(operation_id="learning_offline_devices", responses={200: OfflineDeviceOut(many=True)})
    def get(self, request: Request) -> Response:
        page = self.paginate_queryset(devices_of(signed_in_user(request)))
        return self.get_paginated_response([device_out(device) for device in page or []])

    @extend_schema(
        operation_id="learning_register_offline_device", request=RegisterDeviceIn, responses={201: OpenedDeviceOut}
    )
    def post(self, request: Request) -> Response:
        sent, now = validated(RegisterDeviceIn, request), timezone.now()
        device = services.register_device(user=signed_in_user(request), name=sent["name"], now=now)
        return _private(opened_device_out(device, now), status.HTTP_201_CREATED)


class OfflineDeviceDetail(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="learning_open_offline_device", responses={200: OpenedDeviceOut})
    def get(self, request: Request, uid: UUID) -> Response:
        """The device with its key, for its learner's own session."""
        return _private(opened_device_out(get_device(signed_in_user(request), uid), timezone.now()))

    @extend_schema(operation_id="learning_remove_offline_device", responses={204: None})
    def delete(self, request: Request, uid: UUID) -> Response:
        """Remove a device: what it stores can't be opened any more, and is deleted at its next contact."""
        user = signed_in_user(request)
        services.remove_device(user=user, device=get_device(user, uid))
        return Response(status=status.HTTP_204_NO_CONTENT)


class OfflineCheckIn(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="learning_check_in", request=CheckInIn, responses={200: CheckInOut})
    def post(self, request: Request, uid: UUID) -> Response:
        """Renew the lessons that a device stores, and learn which of them have changed or must be deleted."""
        sent, now, user = validated(CheckInIn, request), timezone.now(), signed_in_user(request)
        device = get_device(user, uid)
        services.note_contact(user=user, device=device, now=now)
        if not sent["is_partial"]:
            services.release_papers(device=device, stored=sent["lessons"], now=now)
        checked = check_lessons(user, sent["lessons"], now=now)
        return Response({"now": now, "build": shell_build(), **checked})


class OfflineLesson(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="learning_store_lesson", request=StoreLessonIn, responses={200: OfflineLessonOut})
    def post(self, request: Request, uid: UUID, lesson: UUID) -> Response:
        """What a device stores of a lesson. Repeated calls get the same paper of a quiz."""
        sent, now = validated(StoreLessonIn, request), timezone.now()
        device = get_device(signed_in_user(request), uid)
        return _private(package_out(request, device, lesson, quality=sent["quality"], now=now))


class OfflineChanges(APIView):
    permission_classes = [permissions.IsAuthenticated]
    body_limits = {"POST": 2048 * KIB}

    @extend_schema(operation_id="learning_take_changes", request=TakeChangesIn, responses={200: TakenChangesOut})
    def post(self, request: Request, uid: UUID) -> Response:
        """Take what was done without a connection. Each change is taken once, however often it is sent."""
        user, now = signed_in_user(request), timezone.now()
        device = get_device(user, uid)
        sent = validated(TakeChangesIn, request)
        results = answer_changes(user, device, sent["changes"], now=now)
        services.note_contact(user=user, device=device, now=now)
        return Response({"now": now, "results": results})


class StorableCourse(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="learning_storable_course", responses={200: StorableCourseOut})
    def get(self, request: Request, slug: str) -> Response:
        """The lessons of a course with their sizes."""
        return Response(storable_course_out(signed_in_user(request), slug, timezone.now()))


class OfflineShell(APIView):
    """The page that shows lessons without a connection, and its files."""

    permission_classes = [permissions.AllowAny]

    @extend_schema(operation_id="learning_offline_shell", responses={200: OfflineShellOut})
    def get(self, request: Request) -> Response:
        return Response(shell_out())


class OfflinePractice(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="learning_offline_practice", responses={200: OfflinePracticeOut})
    def get(self, request: Request) -> Response:
        """The cards that are due today, with their solutions."""
        return _private(offline_practice_out(signed_in_user(request), timezone.now()))
