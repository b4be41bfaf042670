"""A learner's own notes and moments."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import permissions
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.learning import services
from apps.learning.api.note_serializers import NoteOut, SaveNoteIn
from apps.learning.notes.merging import Content
from apps.learning.queries.notes import Rendering, note_out, notes_of_lesson
from studyplatform.kit.web.api import validated
from studyplatform.kit.web.body_limits import KIB


class LessonNotes(GenericAPIView[Any]):
    """The learner's notes and moments of a lesson, without deleted ones."""

    permission_classes = [permissions.IsAuthenticated]
    serializer_class = NoteOut

    @extend_schema(operation_id="learning_notes", responses={200: NoteOut(many=True)})
    def get(self, request: Request, uid: UUID) -> Response:
        page = self.paginate_queryset(notes_of_lesson(signed_in_user(request), uid))
        rendering = Rendering()
        return self.get_paginated_response([note_out(one, rendering) for one in page or []])


class LessonNote(APIView):
    permission_classes = [permissions.IsAuthenticated]
    body_limits = {"PUT": 256 * KIB}

    @extend_schema(operation_id="learning_save_note", request=SaveNoteIn, responses={200: NoteOut})
    def put(self, request: Request, uid: UUID, note: UUID) -> Response:
        """Merge a copy of a note into the stored one, and get the result. The uid of a new note is the client's.

        The order and the repetition of saves don't matter. To delete a note, send an edit that deletes it.
        """
        sent = validated(SaveNoteIn, request)
        saved = services.save_note(
            user=signed_in_user(request),
            lesson_uid=uid,
            uid=note,
            kind=sent["kind"],
            second=sent["second"],
            content=Content.from_json(sent),
            now=timezone.now(),
        )
        return Response(note_out(saved, Rendering()))
