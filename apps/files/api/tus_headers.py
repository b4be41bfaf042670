"""The HTTP headers of tus 1.0: read those of a request, write those of a response."""

import base64
import uuid

from django.http import HttpResponse
from django.utils.http import http_date
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from apps.files import errors
from apps.files.models import Upload
from apps.files.services import CHECKSUM_ALGORITHMS, Checksum
from studyplatform.kit.errors import NotFound

CHUNK_TYPE = "application/offset+octet-stream"
MAX_METADATA = 4096  # characters

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


def is_chunk(request: Request) -> bool:
    """Whether the body is a chunk of the file."""
    return request.content_type.split(";")[0].strip().lower() == CHUNK_TYPE


def describe_upload(response: HttpResponse, upload: Upload) -> None:
    """Add the headers that describe an upload: its offset, its expiry, its video."""
    response["Upload-Offset"] = str(upload.offset)
    if upload.completed_at is None:
        response["Upload-Expires"] = http_date(upload.expires_at.timestamp())
    if upload.video is not None:
        response["Video-Uid"] = str(upload.video.uid)


def read_number(request: Request, name: str) -> int:
    """Read a number of bytes.

    :raises UploadMalformed: the header is missing or not a number.
    """
    value = request.headers.get(name, "")
    if not value.isascii() or not value.isdigit() or len(value) > 18:
        raise errors.UploadMalformed(reason=name)
    return int(value)


def read_uid(text: str) -> uuid.UUID:
    """
    :raises NotFound: the text is not a UUID.
    """
    try:
        return uuid.UUID(text)
    except ValueError:
        raise NotFound from None


def read_metadata(header: str) -> dict[str, str]:
    """Parse ``Upload-Metadata``: comma-separated pairs of a name and a base64 value.

    :raises UploadMalformed: it is too long, or a value is not base64 of UTF-8.
    """
    if len(header) > MAX_METADATA:
        raise errors.UploadMalformed(reason="Upload-Metadata")
    facts: dict[str, str] = {}
    for pair in filter(None, (each.strip() for each in header.split(","))):
        name, _, value = pair.partition(" ")
        try:
            facts[name] = base64.b64decode(value.strip(), validate=True).decode()
        except ValueError:  # neither base64 nor UTF-8
            raise errors.UploadMalformed(reason="Upload-Metadata") from None
    return facts


def read_checksum(request: Request) -> Checksum | None:
    """Parse ``Upload-Checksum``: an algorithm and a base64 digest. None if the header is missing.

    :raises UploadMalformed: the algorithm is not supported, or the digest is not base64.
    """
    header = request.headers.get("Upload-Checksum")
    if not header:
        return None
    algorithm, _, digest = header.partition(" ")
    if algorithm not in CHECKSUM_ALGORITHMS:
        raise errors.UploadMalformed(reason="Upload-Checksum")
    try:
        return Checksum(algorithm, base64.b64decode(digest, validate=True))
    except ValueError:  # not base64
        raise errors.UploadMalformed(reason="Upload-Checksum") from None
