"""Captions that a model writes or translates, as calls."""

import uuid
from typing import Any

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import permissions, serializers, status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.files import policies, services
from apps.files.models import AutomaticCaptions
from apps.files.services.automatic_captions import MAX_TEXT_CHARACTERS, MAX_TEXTS
from apps.files.sound_queries import video_to_work_on
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.api import validated
from studyplatform.kit.web.fields import BoundedListField


class SpokenCueOut(serializers.Serializer[object]):
    begin = serializers.FloatField(help_text="Seconds.")
    end = serializers.FloatField(help_text="Seconds.")
    text = serializers.CharField()


class AutomaticCaptionsOut(serializers.Serializer[object]):
    """A request for captions, without what has come back."""

    uid = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=AutomaticCaptions.Kind.choices)
    state = serializers.ChoiceField(choices=AutomaticCaptions.State.choices)
    percent = serializers.IntegerField()
    language = serializers.CharField(help_text="BCP 47; empty until it is recognized.")
    source_language = serializers.CharField(help_text="BCP 47, of what is translated; may be empty.")
    failure = serializers.CharField(help_text="Why it failed, in a word; empty: it did not.")
    failure_label = serializers.SerializerMethodField(help_text="Why it failed, as a sentence.")
    created_at = serializers.DateTimeField()

    def get_failure_label(self, row: AutomaticCaptions) -> str:
        return services.failure_sentence(row.failure)


class AutomaticCaptionsResult(AutomaticCaptionsOut):
    """A request for captions with what has come back so far."""

    cues = serializers.SerializerMethodField(help_text="What was heard, in order.")
    texts = serializers.SerializerMethodField(help_text="Translations in the order of the texts; null: none yet.")
    originals = serializers.ListField(
        source="texts", child=serializers.CharField(), help_text="What is translated; empty for speech."
    )

    @extend_schema_field(SpokenCueOut(many=True))
    def get_cues(self, row: AutomaticCaptions) -> list[dict[str, Any]]:
        if row.kind != AutomaticCaptions.Kind.SPEECH:
            return []
        return [cue for piece in row.results for cue in piece or []]

    def get_texts(self, row: AutomaticCaptions) -> list[str | None]:
        if row.kind != AutomaticCaptions.Kind.TRANSLATION:
            return []
        found: list[str | None] = []
        for (begin, end), result in zip(row.pieces, row.results, strict=True):
            found += result if result is not None else [None] * (end - begin)
        return found


class TranscriptionIn(serializers.Serializer[object]):
    language = serializers.CharField(
        max_length=12, required=False, allow_blank=True, default="", help_text="BCP 47; empty: it is recognized."
    )


class TranslationIn(serializers.Serializer[object]):
    language = serializers.CharField(max_length=12, help_text="BCP 47.")
    source_language = serializers.CharField(max_length=12, required=False, allow_blank=True, default="")
    texts = BoundedListField(
        child=serializers.CharField(max_length=MAX_TEXT_CHARACTERS, allow_blank=True),
        min_length=1,
        max_length=MAX_TEXTS,
        help_text="Of the captions that have no translation.",
    )


class Transcription(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        operation_id="files_video_transcribe", request=TranscriptionIn, responses={202: AutomaticCaptionsOut}
    )
    def post(self, request: Request, uid: uuid.UUID) -> Response:
        """Let a model write the captions of a video. Nothing is published."""
        user = signed_in_user(request)
        video = video_to_work_on(user, uid)
        sent = validated(TranscriptionIn, request)
        begun = services.begin_transcription(video=video, by=user, language=sent["language"], now=timezone.now())
        return Response(AutomaticCaptionsOut(begun).data, status.HTTP_202_ACCEPTED)


class Translation(APIView):
    permission_classes = [permissions.IsAuthenticated]
    body_limits = {"POST": settings.BODY_LIMIT}

    @extend_schema(operation_id="files_video_translate", request=TranslationIn, responses={202: AutomaticCaptionsOut})
    def post(self, request: Request, uid: uuid.UUID) -> Response:
        """Let a model translate captions. Nothing is published."""
        user = signed_in_user(request)
        video = video_to_work_on(user, uid)
        sent = validated(TranslationIn, request)
        begun = services.begin_translation(
            video=video,
            by=user,
            language=sent["language"],
            source_language=sent["source_language"],
            texts=sent["texts"],
            now=timezone.now(),
        )
        return Response(AutomaticCaptionsOut(begun).data, status.HTTP_202_ACCEPTED)


class OfVideo(GenericAPIView[Any]):
    permission_classes = [permissions.IsAuthenticated]
    queryset = AutomaticCaptions.objects.none()
    serializer_class = AutomaticCaptionsOut

    @extend_schema(operation_id="files_video_automatic_captions", responses={200: AutomaticCaptionsOut(many=True)})
    def get(self, request: Request, uid: uuid.UUID) -> Response:
        """What was asked for, the newest first."""
        user = signed_in_user(request)
        video = video_to_work_on(user, uid)
        rows = video.automatic_captions.defer("texts").order_by("-created_at", "-pk")
        page = self.paginate_queryset(rows) or []
        return self.get_paginated_response([AutomaticCaptionsOut(row).data for row in page])


class OneRequest(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="files_automatic_captions", responses={200: AutomaticCaptionsResult})
    def get(self, request: Request, uid: uuid.UUID) -> Response:
        """How far it is, and what has come back so far."""
        return Response(AutomaticCaptionsResult(_request_of(request, uid)).data)

    @extend_schema(operation_id="files_automatic_captions_cancel", responses={204: None})
    def delete(self, request: Request, uid: uuid.UUID) -> Response:
        """End it; what has come back so far stays readable."""
        row = _request_of(request, uid)
        services.cancel_automatic_captions(captions=row, by=signed_in_user(request), now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


def _request_of(request: Request, uid: uuid.UUID) -> AutomaticCaptions:
    row = AutomaticCaptions.objects.select_related("video").filter(uid=uid).first()
    if row is None:
        raise NotFound
    enforce(policies.work_on_video(signed_in_user(request), row.video))
    return row
