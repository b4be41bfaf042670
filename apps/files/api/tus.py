"""tus 1.0: resumable uploads, with creation (also with the first bytes), expiration, termination, checksum and
concatenation.

https://tus.io/protocols/resumable-upload. Failures are problem details, as everywhere in the API. Bodies are read while
they arrive: WSGI servers do so by default, ASGI servers through `apps.files.streamed_uploads`.
"""

import contextlib
import uuid
from typing import Any

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import permissions
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.accounts.models import User
from apps.files import errors, queries, services
from apps.files.api.serializers import UploadOut
from apps.files.api.tus_headers import (
    CHUNK_TYPE,
    HEADERS,
    PARTIAL,
    UPLOADS_PATH,
    Concat,
    describe_upload,
    is_chunk,
    read_checksum,
    read_concat,
    read_number,
    read_uid,
)
from apps.files.models import Upload
from apps.files.services import CHECKSUM_ALGORITHMS, Checksum
from apps.files.streaming import send_upload
from apps.files.upload_metadata import read_metadata
from studyplatform.kit.concurrency import ConcurrencyLimitPerUser
from studyplatform.kit.errors import NotFound, RateLimitExceeded, StoreFull

VERSION = "1.0.0"
EXTENSIONS = "creation,creation-with-upload,expiration,termination,checksum,concatenation"
# A chunk may take hours and occupies a thread (apps/files/streamed_uploads.py): no user may occupy them all.
MAX_CONCURRENT_PER_USER = 8
_chunks = ConcurrencyLimitPerUser(MAX_CONCURRENT_PER_USER)
# A chunk may be as long as a whole file. It comes by POST with creation, or with X-HTTP-Method-Override.
BODY_LIMITS = dict.fromkeys(("PATCH", "POST"), max(settings.UPLOAD_LIMITS.values()))


CREATION_HEADERS = ("Tus-Resumable", "Upload-Length", "Upload-Metadata", "Upload-Checksum", "Upload-Concat")


class AnyBody(BaseParser):
    """Accepts any body without reading it: the service writes it directly into the file."""

    media_type = "*/*"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> dict[str, Any]:
        return {}


class TusView(APIView):
    """What all requests of the protocol have in common."""

    permission_classes = [permissions.IsAuthenticated]
    parser_classes = [AnyBody]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        # Part of the protocol, for clients in environments that only allow GET and POST.
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
        """The protocol versions and extensions that this server supports."""
        return HttpResponse(
            status=200,
            headers={
                "Tus-Version": VERSION,
                "Tus-Extension": EXTENSIONS,
                "Tus-Max-Size": str(max(settings.UPLOAD_LIMITS.values())),
                "Tus-Checksum-Algorithm": ",".join(CHECKSUM_ALGORITHMS),
            },
        )


class Uploads(TusView):
    body_limits = BODY_LIMITS

    @extend_schema(
        operation_id="files_uploads",
        parameters=[OpenApiParameter("kept", bool, description="Return complete files instead.")],
        responses={200: UploadOut(many=True)},
    )
    def get(self, request: Request) -> Response:
        """The user's unfinished uploads, newest first, at most 100."""
        user = signed_in_user(request)
        if request.query_params.get("kept") in {"1", "true"}:
            return Response(UploadOut(queries.stored_files(user.pk)[:100], many=True).data)
        uploads = Upload.objects.of(user.pk).open().order_by("-created_at")[:100]
        return Response(UploadOut(uploads, many=True).data)

    @extend_schema(
        operation_id="files_upload_begin",
        request={CHUNK_TYPE: OpenApiTypes.BINARY},
        parameters=[HEADERS[name] for name in CREATION_HEADERS],
        responses={201: None},
    )
    def post(self, request: Request) -> HttpResponse:
        """Create an upload and reserve its storage. ``Location`` is its URL, ``Video-Uid`` the video it becomes.

        The body may contain the first bytes, of the same type as in a PATCH; ``Upload-Offset`` is how many were kept.
        """
        user = signed_in_user(request)
        _refuse_other_body(request)
        concat = read_concat(request)
        if concat is not None and not concat.is_partial:
            upload = _begin_final_upload(request, user, concat)
        else:
            length = read_number(request, "Upload-Length")
            checksum = read_checksum(request)
            facts = read_metadata(request.headers.get("Upload-Metadata", ""))
            purpose = Upload.Purpose.PARTIAL if concat else _read_purpose(facts)
            upload = services.begin_upload(length=length, **_facts_of_upload(request, user, facts, purpose))
            if is_chunk(request):
                # The upload exists now, and the client must learn its URL; if its first bytes were refused, the
                # response to the next chunk says so.
                with contextlib.suppress(
                    errors.UploadNetworkError, errors.UploadChecksumMismatch, RateLimitExceeded, StoreFull
                ):
                    upload = _receive_chunk(request, upload, offset=0, checksum=checksum)
        response = HttpResponse(status=201)
        response["Location"] = request.build_absolute_uri(f"{UPLOADS_PATH}{upload.uid}/")
        describe_upload(response, upload)
        return response


def _refuse_other_body(request: Request) -> None:
    """The first bytes come in the type of a chunk; an empty body may have any type, as libraries name one.

    :raises UnsupportedMediaType: there is a body of another type, which would be lost.
    """
    has_body = request.META.get("CONTENT_LENGTH") not in {None, "", "0"} or "Transfer-Encoding" in request.headers
    if has_body and not is_chunk(request):
        raise UnsupportedMediaType(request.content_type)


def _read_purpose(facts: dict[str, str]) -> str:
    purpose = facts.get("purpose") or Upload.Purpose.VIDEO
    if purpose not in settings.UPLOAD_LIMITS:
        raise errors.UploadMalformed(reason="purpose")
    return purpose


def _facts_of_upload(request: Request, user: User, facts: dict[str, str], purpose: str) -> dict[str, Any]:
    """The arguments that `begin_upload` and `begin_final_upload` have in common."""
    target, replaces = facts.get("target", ""), facts.get("replaces")
    if not target.isprintable():
        raise errors.UploadMalformed(reason="target")
    return {
        "owner": user,
        "purpose": purpose,
        "filename": facts.get("filename") or facts.get("name") or "file",
        "target": target[:64],
        "metadata": request.headers.get("Upload-Metadata", ""),
        "replaces": queries.video_for(user, read_uid(replaces)) if replaces else None,
        "now": timezone.now(),
    }


def _begin_final_upload(request: Request, user: User, concat: Concat) -> Upload:
    """Create a final upload. Its length is that of its parts, and it takes no bytes."""
    if "Upload-Length" in request.headers:
        raise errors.UploadMalformed(reason="Upload-Length")
    if is_chunk(request) and request.META.get("CONTENT_LENGTH") not in {"", "0"}:
        raise errors.UploadClosed
    facts = read_metadata(request.headers.get("Upload-Metadata", ""))
    return services.begin_final_upload(
        parts=concat.parts,
        concat=concat.header,
        **_facts_of_upload(request, user, facts, _read_purpose(facts)),
    )


class OneUpload(TusView):
    body_limits = BODY_LIMITS

    @extend_schema(
        operation_id="files_upload_download", responses={(200, "application/octet-stream"): OpenApiTypes.BINARY}
    )
    def get(self, request: Request, uid: uuid.UUID) -> HttpResponseBase:
        """Download a complete file of the user; supports ``Range``."""
        upload = queries.upload_for(signed_in_user(request), uid)
        if upload.purpose != Upload.Purpose.FILE or upload.completed_at is None:
            raise NotFound
        try:
            return send_upload(request._request, upload, to_owner=True)  # noqa: SLF001
        except FileNotFoundError:
            raise NotFound from None

    @extend_schema(
        operation_id="files_upload_offset", parameters=[HEADERS["Tus-Resumable"]], responses={200: OpenApiTypes.NONE}
    )
    def head(self, request: Request, uid: uuid.UUID) -> HttpResponse:
        """The offset: how many bytes have arrived."""
        upload = queries.upload_for(signed_in_user(request), uid)
        now = timezone.now()
        if upload.is_expired(now):
            raise errors.UploadExpired
        if upload.offset == upload.length and upload.completed_at is None:
            services.complete_upload(upload=upload, now=now)  # the server was killed after the last byte
        response = HttpResponse(status=200)
        response["Upload-Length"] = str(upload.length)
        if upload.purpose == Upload.Purpose.PARTIAL or upload.concat:
            response["Upload-Concat"] = upload.concat or PARTIAL
        if upload.metadata:
            response["Upload-Metadata"] = upload.metadata
        describe_upload(response, upload)
        return response

    @extend_schema(
        operation_id="files_upload_piece",
        request={CHUNK_TYPE: OpenApiTypes.BINARY},
        parameters=[HEADERS["Tus-Resumable"], HEADERS["Upload-Offset"], HEADERS["Upload-Checksum"]],
        responses={204: None},
    )
    def patch(self, request: Request, uid: uuid.UUID) -> HttpResponse:
        """Append a chunk. The last one starts the processing of a video."""
        upload = queries.upload_for(signed_in_user(request), uid)
        if not is_chunk(request):
            raise UnsupportedMediaType(request.content_type)
        offset, checksum = read_number(request, "Upload-Offset"), read_checksum(request)
        upload = _receive_chunk(request, upload, offset=offset, checksum=checksum)
        response = HttpResponse(status=204)
        describe_upload(response, upload)
        return response

    @extend_schema(operation_id="files_upload_cancel", parameters=[HEADERS["Tus-Resumable"]], responses={204: None})
    def delete(self, request: Request, uid: uuid.UUID) -> HttpResponse:
        """Cancel an unfinished upload, or delete a file that is not in use. Frees its storage."""
        user = signed_in_user(request)
        services.cancel_upload(upload=queries.upload_for(user, uid), by=user)
        return HttpResponse(status=204)


def _receive_chunk(request: Request, upload: Upload, *, offset: int, checksum: Checksum | None) -> Upload:
    raw = request._request  # noqa: SLF001 (DRF would read the whole body into memory)
    announced = raw.META.get("CONTENT_LENGTH", "")
    read = raw.read
    if raw.headers.get("Transfer-Encoding") and not announced and isinstance(raw, WSGIRequest):
        # Django does not read a body without a length; these servers mark its end.
        if not ("asgi.scope" in raw.META or raw.META.get("wsgi.input_terminated")):
            raise errors.UploadMalformed(reason="Content-Length")
        read = raw.META["wsgi.input"].read
    with _chunks.slot(upload.owner_id):
        return services.receive_chunk(
            upload=upload,
            offset=offset,
            read=read,
            expected=int(announced) if announced.isdecimal() else None,
            checksum=checksum,
            now=timezone.now(),
        )
