"""Videos as calls: how far each is, retry, captions, delete."""

import uuid
from dataclasses import asdict
from typing import Any, ClassVar

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, status, viewsets
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import require_session_key, signed_in_user
from apps.accounts.models import User
from apps.files import policies, queries, services
from apps.files.api.serializers import (
    CaptionPreviewOut,
    CaptionsAddedOut,
    CaptionsIn,
    CaptionTrackOut,
    CoverIn,
    SoundOut,
    StorageOut,
    VideoOut,
    bytes_of_captions,
    encoding_of_captions,
    report_out,
    video_out,
)
from apps.files.models import CaptionTrack, VideoAsset
from apps.files.sound_queries import read_sound, video_to_work_on
from apps.files.video.cues import ENCODINGS
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.api import validated
from studyplatform.kit.web.drf_defaults import JsonParser

PREVIEWED_CUES = 100
CAPTION_BODIES: dict[str, Any] = {
    "parser_classes": [JsonParser, MultiPartParser],
    "body_limits": {"POST": settings.BODY_LIMIT},
}


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

    @extend_schema(operation_id="files_video_sound", responses={200: SoundOut})
    @action(detail=True, methods=["get"])
    def sound(self, request: Request, uid: uuid.UUID) -> Response:
        """The waveform of a video, the pauses of its speech, and suggestions when cues begin and end."""
        user = signed_in_user(request)
        video = video_to_work_on(user, uid)
        able = {"can_transcribe": services.can_transcribe(), "can_translate": services.can_translate()}
        return Response(SoundOut(asdict(read_sound(video)) | able).data)

    @extend_schema(operation_id="files_video_cover", request=CoverIn, responses={200: VideoOut})
    @action(detail=True, methods=["post"])
    def cover(self, request: Request, uid: uuid.UUID) -> Response:
        """Show a frame of the film as its cover, or the one that processing has found."""
        user = signed_in_user(request)
        sent = validated(CoverIn, request)
        services.choose_cover(video=video_to_work_on(user, uid), by=user, at=sent["at"])
        shown = video_to_work_on(user, uid)
        return Response(video_out(shown, user, now=timezone.now(), session_key=require_session_key(request)))

    @extend_schema(operation_id="files_video_captions", request=CaptionsIn, responses={201: CaptionsAddedOut})
    @action(detail=True, methods=["post"], **CAPTION_BODIES)
    def captions(self, request: Request, uid: uuid.UUID) -> Response:
        """Give a video captions in one language, in place of those it had.

        Answers 409 if the encoding of the file can only be guessed and is not named.
        """
        user = signed_in_user(request)
        video = queries.video_for(user, uid)
        sent = validated(CaptionsIn, request)
        track = services.add_captions(
            video=video,
            by=user,
            raw=bytes_of_captions(sent),
            encoding=encoding_of_captions(sent),
            language=sent["language"],
            label=sent["label"],
            now=timezone.now(),
        )
        report = report_out(
            track.source_format, track.source_encoding, track.findings, track.finding_counts, is_guess=False
        )
        return Response(CaptionTrackOut(track).data | {"report": report}, status.HTTP_201_CREATED)

    @extend_schema(operation_id="files_video_captions_preview", request=CaptionsIn, responses={200: CaptionPreviewOut})
    @action(detail=True, methods=["post"], url_path="captions/preview", **CAPTION_BODIES)
    def preview_captions(self, request: Request, uid: uuid.UUID) -> Response:
        """Read a caption file without adding it: its encoding, first captions, and what was changed to read it."""
        user = signed_in_user(request)
        video = queries.video_for(user, uid)
        enforce(policies.edit_video(user, video))
        sent = validated(CaptionsIn, request)
        reading = services.read_captions(
            bytes_of_captions(sent), language=sent["language"], encoding=encoding_of_captions(sent)
        )
        findings = [[each.line, each.kind, each.text] for each in reading.findings]
        report = report_out(reading.form, reading.encoding, findings, reading.counts, is_guess=reading.is_guess)
        cues = [{"begin": cue.begin, "end": cue.end, "text": cue.text} for cue in reading.cues[:PREVIEWED_CUES]]
        return Response(report | {"cues": cues, "encodings": list(ENCODINGS)})


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
