"""tus 1.0: resumable uploads, with creation (also with the first bytes), expiration, termination and checksum.

https://tus.io/protocols/resumable-upload. Failures are problem details like everywhere in the API. Bodies are read
while they arrive: by WSGI servers as they are, under ASGI through `apps.files.wire`.
"""

import base64
import contextlib
import uuid
from typing import Any

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone
from django.utils.http import http_date
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import permissions
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.files import errors, queries, services
from apps.files.api.serializers import UploadOut
from apps.files.models import Upload
from apps.files.services.uploads import ALGORITHMS, Checksum
from apps.files.streaming import send_upload
from studyplatform.kit.concurrency import Shares
from studyplatform.kit.errors import NotFound, RateLimitExceeded, StoreFull

VERSION = "1.0.0"
EXTENSIONS = "creation,creation-with-upload,expiration,termination,checksum"
PIECE_TYPE = "application/offset+octet-stream"
LONGEST_METADATA = 4096
# Pieces of one person on their way at once. A piece may take hours and holds a thread (apps/files/wire.py): nobody
# shall hold them all.
EACH = 8
_senders = Shares(EACH)
# A piece may be as long as a whole file; with another method in a header, or as the first one, it comes by POST.
BODY_LIMITS = dict.fromkeys(("PATCH", "POST"), max(settings.UPLOAD_LIMITS.values()))

HEADERS = {
    "Tus-Resumable": OpenApiParameter("Tus-Resumable", str, OpenApiParameter.HEADER, required=True),
    "Upload-Length": OpenApiParameter("Upload-Length", int, OpenApiParameter.HEADER, required=True),
    "Upload-Offset": OpenApiParameter("Upload-Offset", int, OpenApiParameter.HEADER, required=True),
    "Upload-Checksum": OpenApiParameter("Upload-Checksum", str, OpenApiParameter.HEADER),
    "Upload-Metadata": OpenApiParameter(
        "Upload-Metadata",
        str,
        OpenApiParameter.HEADER,
        description="Names and base64 values: filename, purpose (video or file), target (e.g. a lesson's uid), "
        "replaces (the uid of a video that is to get these contents).",
    ),
}


class AnyBody(BaseParser):
    """Lets any body pass unread: a piece is read by the service, straight into the file."""

    media_type = "*/*"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> dict[str, Any]:
        return {}


class TusView(APIView):
    """What every call of the protocol has in common."""

    permission_classes = [permissions.IsAuthenticated]
    parser_classes = [AnyBody]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        # Part of the protocol, for clients whose surroundings know GET and POST alone.
        method = request.headers.get("X-HTTP-Method-Override", "").upper()
        if request.method == "POST" and method in {"PATCH", "DELETE", "HEAD"}:
            request.method = method
        return super().dispatch(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method in {"POST", "PATCH", "HEAD", "DELETE"} and request.headers.get("Tus-Resumable") != VERSION:
            raise errors.UploadVersionUnsupported

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        response["Tus-Resumable"] = VERSION
        response.headers.setdefault("Cache-Control", "no-store")
        if response.status_code == 412:
            response["Tus-Version"] = VERSION
        return response

    def handle_exception(self, exc: Exception) -> Response:
        response = super().handle_exception(exc)
        if isinstance(exc, errors.UploadOffsetMismatch):
            response["Upload-Offset"] = str(exc.offset)
        return response

    def options(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:  # type: ignore[override]
        """What this server speaks."""
        return HttpResponse(
            status=200,
            headers={
                "Tus-Version": VERSION,
                "Tus-Extension": EXTENSIONS,
                "Tus-Max-Size": str(max(settings.UPLOAD_LIMITS.values())),
                "Tus-Checksum-Algorithm": ",".join(ALGORITHMS),
            },
        )


class Uploads(TusView):
    body_limits = BODY_LIMITS

    @extend_schema(
        operation_id="files_uploads",
        parameters=[OpenApiParameter("kept", bool, description="The files that have arrived whole instead.")],
        responses={200: UploadOut(many=True)},
    )
    def get(self, request: Request) -> Response:
        """One's own uploads on their way, newest first, to resume them; at most a hundred."""
        user = signed_in_user(request)
        if request.query_params.get("kept") in {"1", "true"}:
            return Response(UploadOut(queries.kept_files(user.pk)[:100], many=True).data)
        uploads = Upload.objects.of(user.pk).open().order_by("-created_at")[:100]
        return Response(UploadOut(uploads, many=True).data)

    @extend_schema(
        operation_id="files_upload_begin",
        request={PIECE_TYPE: OpenApiTypes.BINARY},
        parameters=[HEADERS[name] for name in ("Tus-Resumable", "Upload-Length", "Upload-Metadata", "Upload-Checksum")],
        responses={201: None},
    )
    def post(self, request: Request) -> HttpResponse:
        """Reserve room for a file. ``Location`` is where its bytes go, ``Video-Uid`` what it becomes.

        The first bytes may come along, as in a PATCH; ``Upload-Offset`` says how many were kept.
        """
        user = signed_in_user(request)
        length = _number(request, "Upload-Length")
        checksum = _checksum(request)
        facts = _metadata(request.headers.get("Upload-Metadata", ""))
        purpose = facts.get("purpose") or Upload.Purpose.VIDEO
        if purpose not in Upload.Purpose.values:
            raise errors.UploadMalformed(reason="purpose")
        upload = services.begin_upload(
            owner=user,
            purpose=purpose,
            filename=(facts.get("filename") or facts.get("name") or "file").replace("\0", "")[-255:],
            length=length,
            target=facts.get("target", "")[:64],
            metadata=request.headers.get("Upload-Metadata", ""),
            replaces=queries.video_for(user, _uid(facts["replaces"])) if facts.get("replaces") else None,
            now=timezone.now(),
        )
        if _is_piece(request):
            # The upload exists now, and the client must learn where: what went wrong with its first bytes, the next
            # piece will find out.
            with contextlib.suppress(
                errors.UploadNetworkError, errors.UploadChecksumMismatch, RateLimitExceeded, StoreFull
            ):
                upload = _receive(request, upload, offset=0, checksum=checksum)
        answer = HttpResponse(status=201)
        answer["Location"] = request.build_absolute_uri(f"/api/v1/uploads/{upload.uid}/")
        _describe(answer, upload)
        return answer


class OneUpload(TusView):
    body_limits = BODY_LIMITS

    @extend_schema(
        operation_id="files_upload_download", responses={(200, "application/octet-stream"): OpenApiTypes.BINARY}
    )
    def get(self, request: Request, uid: uuid.UUID) -> HttpResponseBase:
        """Download a file of one's own that has arrived whole; parts of it by ``Range``."""
        upload = queries.upload_for(signed_in_user(request), uid)
        if upload.purpose != Upload.Purpose.FILE or upload.completed_at is None:
            raise NotFound
        try:
            return send_upload(request._request, upload)  # noqa: SLF001
        except FileNotFoundError:
            raise NotFound from None

    @extend_schema(
        operation_id="files_upload_offset", parameters=[HEADERS["Tus-Resumable"]], responses={200: OpenApiTypes.NONE}
    )
    def head(self, request: Request, uid: uuid.UUID) -> HttpResponse:
        """How much has arrived."""
        upload = queries.upload_for(signed_in_user(request), uid)
        now = timezone.now()
        if upload.is_expired(now):
            raise errors.UploadExpired
        if upload.offset == upload.length:
            services.complete_upload(upload=upload, now=now)  # killed after the last byte
        answer = HttpResponse(status=200)
        answer["Upload-Length"] = str(upload.length)
        if upload.metadata:
            answer["Upload-Metadata"] = upload.metadata
        _describe(answer, upload)
        return answer

    @extend_schema(
        operation_id="files_upload_piece",
        request={PIECE_TYPE: OpenApiTypes.BINARY},
        parameters=[HEADERS["Tus-Resumable"], HEADERS["Upload-Offset"], HEADERS["Upload-Checksum"]],
        responses={204: None},
    )
    def patch(self, request: Request, uid: uuid.UUID) -> HttpResponse:
        """Append a piece. The last one starts the processing of a video."""
        upload = queries.upload_for(signed_in_user(request), uid)
        if not _is_piece(request):
            raise UnsupportedMediaType(request.content_type)
        offset, checksum = _number(request, "Upload-Offset"), _checksum(request)
        upload = _receive(request, upload, offset=offset, checksum=checksum)
        answer = HttpResponse(status=204)
        _describe(answer, upload)
        return answer

    @extend_schema(operation_id="files_upload_cancel", parameters=[HEADERS["Tus-Resumable"]], responses={204: None})
    def delete(self, request: Request, uid: uuid.UUID) -> HttpResponse:
        """Give up an unfinished upload, or remove a file that is kept and not in use; its room is free again."""
        user = signed_in_user(request)
        services.cancel_upload(upload=queries.upload_for(user, uid), by=user)
        return HttpResponse(status=204)


def _is_piece(request: Request) -> bool:
    return request.content_type.split(";")[0].strip().lower() == PIECE_TYPE


def _receive(request: Request, upload: Upload, *, offset: int, checksum: Checksum | None) -> Upload:
    raw = request._request  # noqa: SLF001 (DRF would read the whole body into memory)
    announced = raw.META.get("CONTENT_LENGTH", "")
    read = raw.read
    if raw.headers.get("Transfer-Encoding") and not announced and isinstance(raw, WSGIRequest):
        # Django reads nothing of a body without a length; these servers mark its end themselves.
        if not ("asgi.scope" in raw.META or raw.META.get("wsgi.input_terminated")):
            raise errors.UploadMalformed(reason="Content-Length")
        read = raw.META["wsgi.input"].read
    with _senders.share(upload.owner_id):
        return services.receive(
            upload=upload,
            offset=offset,
            read=read,
            expected=int(announced) if announced.isdigit() else None,
            checksum=checksum,
            now=timezone.now(),
        )


def _describe(answer: HttpResponse, upload: Upload) -> None:
    answer["Upload-Offset"] = str(upload.offset)
    if upload.completed_at is None:
        answer["Upload-Expires"] = http_date(upload.expires_at.timestamp())
    if upload.video is not None:
        answer["Video-Uid"] = str(upload.video.uid)


def _number(request: Request, name: str) -> int:
    written = request.headers.get(name, "")
    if not written.isascii() or not written.isdigit() or len(written) > 18:
        raise errors.UploadMalformed(reason=name)
    return int(written)


def _uid(written: str) -> uuid.UUID:
    try:
        return uuid.UUID(written)
    except ValueError:
        raise NotFound from None


def _metadata(written: str) -> dict[str, str]:
    """Read ``Upload-Metadata``: pairs of a name and a base64 value, with commas between."""
    if len(written) > LONGEST_METADATA:
        raise errors.UploadMalformed(reason="Upload-Metadata")
    facts: dict[str, str] = {}
    for pair in filter(None, (each.strip() for each in written.split(","))):
        name, _, value = pair.partition(" ")
        try:
            facts[name] = base64.b64decode(value.strip(), validate=True).decode()
        except ValueError:  # no base64, no ASCII, no UTF-8
            raise errors.UploadMalformed(reason="Upload-Metadata") from None
    return facts


def _checksum(request: Request) -> Checksum | None:
    written = request.headers.get("Upload-Checksum")
    if not written:
        return None
    algorithm, _, digest = written.partition(" ")
    if algorithm not in ALGORITHMS:
        raise errors.UploadMalformed(reason="Upload-Checksum")
    try:
        return Checksum(algorithm, base64.b64decode(digest, validate=True))
    except ValueError:  # no base64, no ASCII
        raise errors.UploadMalformed(reason="Upload-Checksum") from None
