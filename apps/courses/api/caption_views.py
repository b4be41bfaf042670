"""Captions and chapters as calls, while an author edits them beside the video."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import permissions
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.courses import correction_policies, policies
from apps.courses.api import caption_serializers as shapes
from apps.courses.errors import LectureUnavailable, WrittenByAnotherUser, WrongLessonKind
from apps.courses.models import Lesson
from apps.courses.services.captions import (
    discard_caption_changes,
    publish_captions,
    save_caption_cues,
    save_chapters,
)
from apps.files import services as files
from apps.files.models import VideoAsset
from apps.files.services.caption_sheets import cues_of_file, summary_of_file
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.api import validated
from studyplatform.kit.web.body_limits import KIB


class LessonCaptions(APIView):
    """The captions of a lesson's video in one language, while they are edited."""

    permission_classes = [permissions.IsAuthenticated]
    body_limits = {"PATCH": 2048 * KIB}

    @extend_schema(operation_id="studio_captions", responses={200: shapes.CaptionSheetOut})
    def get(self, request: Request, uid: UUID, language: str) -> Response:
        """The cues as they are edited, else as they are published, else none."""
        _, video = _captioned(request, uid, language)
        return Response(sheet_out(files.open_captions(video=video, language=language)))

    @extend_schema(
        operation_id="studio_captions_save", request=shapes.CueChangesIn, responses={200: shapes.CueChangesOut}
    )
    def patch(self, request: Request, uid: UUID, language: str) -> Response:
        """Save the cues that were changed. Learners don't see them yet, and no other author's change is overwritten."""
        lesson, _ = _captioned(request, uid, language)
        form, user = validated(shapes.CueChangesIn, request), signed_in_user(request)
        if form.get("author") not in {None, user.uid}:
            raise WrittenByAnotherUser
        saved = save_caption_cues(
            lesson=lesson,
            by=user,
            language=language,
            changes=form["cues"],
            since=form["since"],
            base=form["base"],
            client=form["client"],
            source_encoding=form["source_encoding"],
            now=timezone.now(),
        )
        return Response(
            {
                "revision": saved.revision,
                "cues": saved.cues,
                "conflicts": [cue["id"] for cue in saved.conflicts],
                "edited_by": saved.edited_by.display_name if saved.edited_by else "",
            }
        )

    @extend_schema(operation_id="studio_captions_discard", responses={200: shapes.CaptionSheetOut})
    def delete(self, request: Request, uid: UUID, language: str) -> Response:
        """Go back to the published captions."""
        lesson, video = _captioned(request, uid, language)
        discard_caption_changes(lesson=lesson, by=signed_in_user(request), language=language, now=timezone.now())
        return Response(sheet_out(files.open_captions(video=video, language=language)))


class LessonCaptionsPublish(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        operation_id="studio_captions_publish",
        request=shapes.PublishCaptionsIn,
        responses={200: shapes.CaptionSheetOut},
    )
    def post(self, request: Request, uid: UUID, language: str) -> Response:
        """Show learners the captions as they are edited now."""
        lesson, video = _captioned(request, uid, language)
        form = validated(shapes.PublishCaptionsIn, request)
        publish_captions(
            lesson=lesson,
            by=signed_in_user(request),
            language=language,
            revision=form["revision"],
            replaces=form["replaces"],
            now=timezone.now(),
        )
        return Response(sheet_out(files.open_captions(video=video, language=language)))


class LessonCaptionsReading(APIView):
    permission_classes = [permissions.IsAuthenticated]
    parser_classes = [MultiPartParser]
    body_limits = {"POST": settings.BODY_LIMIT}

    @extend_schema(
        operation_id="studio_captions_read", request=shapes.CaptionFileIn, responses={200: shapes.CaptionReadingOut}
    )
    def post(self, request: Request, uid: UUID, language: str) -> Response:
        """Read a caption file without saving anything: the editor shows its cues, and takes them or not."""
        lesson, video = _captioned(request, uid, language)
        enforce(correction_policies.edit_captions(signed_in_user(request), lesson.course, video))
        sent = validated(shapes.CaptionFileIn, request)
        raw, encoding = sent["file"].read(files.MAX_CAPTION_BYTES + 1), sent["encoding"]
        reading = files.read_captions(raw, language=language, encoding=encoding)
        report = files.report_of_reading(reading)
        return Response(
            {
                "format": report.format,
                "encoding": reading.encoding,
                "encoding_name": report.encoding,
                "is_guess": reading.is_guess,
                "cues": cues_of_file(reading, video=video, now=timezone.now()),
                "summary": summary_of_file(reading),
            }
        )


class LessonChapters(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        operation_id="studio_chapters_save",
        request=shapes.CaptionChaptersIn,
        responses={200: shapes.CaptionChaptersOut},
    )
    def put(self, request: Request, uid: UUID) -> Response:
        """Replace the chapters, unless another author has changed them since."""
        lesson, _ = _captioned(request, uid)
        form = validated(shapes.CaptionChaptersIn, request)
        chapters = save_chapters(
            lesson=lesson,
            by=signed_in_user(request),
            chapters=[(one["start"], one["title"]) for one in form["chapters"]],
            before=[(one["start"], one["title"]) for one in form["before"]],
        )
        return Response({"chapters": [{"start": one.start, "title": one.title} for one in chapters]})


def sheet_out(sheet: files.OpenSheet) -> dict[str, Any]:
    """Return the shape ``CaptionSheetOut``."""
    return {
        "language": sheet.language,
        "name": files.language_name(sheet.language),
        "cues": sheet.cues,
        "revision": sheet.revision,
        "base": sheet.base,
        "published": sheet.track.origin if sheet.track else "",
        "is_changed": sheet.is_changed,
        "is_replaced": sheet.is_replaced,
        "source_encoding": sheet.source_encoding,
        "edited_by": sheet.edited_by.display_name if sheet.edited_by else "",
        "edited_at": sheet.edited_at,
    }


def _captioned(request: Request, uid: UUID, language: str = "en") -> tuple[Lesson, VideoAsset]:
    lesson = Lesson.objects.select_related("course", "video").filter(uid=uid).first()
    if lesson is None or policies.manage_course(signed_in_user(request), lesson.course) is not None:
        raise LectureUnavailable
    if lesson.video is None:
        raise WrongLessonKind
    if not files.is_language(language):
        raise NotFound
    return lesson, lesson.video
