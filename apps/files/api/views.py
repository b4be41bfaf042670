"""Videos as calls: how far each is, retry, captions, delete."""

import uuid
from typing import Any, ClassVar

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, status, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import require_session_key, signed_in_user
from apps.accounts.models import User
from apps.files import queries, services
from apps.files.api.serializers import CaptionsIn, CaptionTrackOut, StorageOut, VideoOut, video_out
from apps.files.models import CaptionTrack, VideoAsset
from studyplatform.kit.errors import NotFound
from studyplatform.kit.web.api import validated


def _shown(request: Request, user: User, uid: uuid.UUID) -> dict[str, Any]:
    return video_out(queries.video_for(user, uid), user, now=timezone.now(), session_key=require_session_key(request))


class Videos(viewsets.GenericViewSet[Any]):
    """One's own videos and what is being made of them."""

    permission_classes = [permissions.IsAuthenticated]
    queryset = VideoAsset.objects.none()
    serializer_class = VideoOut
    lookup_field = "uid"
    lookup_value_converter = "uuid"
    body_limits: ClassVar[dict[str, int]] = {}

    @extend_schema(operation_id="files_videos", responses={200: VideoOut(many=True)})
    def list(self, request: Request) -> Response:
        user = signed_in_user(request)
        page = self.paginate_queryset(queries.videos_of(user.pk)) or []
        now = timezone.now()
        session_key = require_session_key(request)
        return self.get_paginated_response([video_out(each, user, now=now, session_key=session_key) for each in page])

    @extend_schema(operation_id="files_video", responses={200: VideoOut})
    def retrieve(self, request: Request, uid: uuid.UUID) -> Response:
        user = signed_in_user(request)
        return Response(_shown(request, user, uid))

    @extend_schema(operation_id="files_video_delete", responses={204: None})
    def destroy(self, request: Request, uid: uuid.UUID) -> Response:
        user = signed_in_user(request)
        services.delete_video(video=queries.video_for(user, uid), by=user)
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(operation_id="files_video_retry", request=None, responses={200: VideoOut})
    @action(detail=True, methods=["post"])
    def retry(self, request: Request, uid: uuid.UUID) -> Response:
        """Process a video again whose processing failed."""
        user = signed_in_user(request)
        services.retry_video(video=queries.video_for(user, uid), by=user)
        return Response(_shown(request, user, uid))

    @extend_schema(operation_id="files_video_captions", request=CaptionsIn, responses={201: CaptionTrackOut})
    @action(detail=True, methods=["post"], body_limits={"POST": settings.BODY_LIMIT})
    def captions(self, request: Request, uid: uuid.UUID) -> Response:
        """Give a video captions in one language, in place of those it had."""
        user = signed_in_user(request)
        video = queries.video_for(user, uid)
        sent = validated(CaptionsIn, request)
        track = services.add_captions(
            video=video,
            by=user,
            raw=sent["text"].encode(),
            language=sent["language"],
            label=sent["label"],
            now=timezone.now(),
        )
        return Response(CaptionTrackOut(track).data, status.HTTP_201_CREATED)


class Captions(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="files_captions_delete", responses={204: None})
    def delete(self, request: Request, uid: uuid.UUID) -> Response:
        user = signed_in_user(request)
        track = CaptionTrack.objects.select_related("video").filter(uid=uid).first()
        if track is None:
            raise NotFound
        services.remove_captions(track=track, by=user)
        return Response(status=status.HTTP_204_NO_CONTENT)


class Storage(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="files_storage", responses={200: StorageOut})
    def get(self, request: Request) -> Response:
        """The user's storage: used, reserved and free."""
        return Response(StorageOut(queries.storage_of(signed_in_user(request))).data)
