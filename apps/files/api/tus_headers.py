"""The HTTP headers of tus 1.0: read those of a request, write those of a response."""

import base64
import re
import uuid
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from django.http import HttpResponse
from django.utils.http import http_date
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from apps.files import errors
from apps.files.models import Upload
from apps.files.services import CHECKSUM_ALGORITHMS, MAX_PARTS, Checksum
from studyplatform.kit.errors import NotFound

CHUNK_TYPE = "application/offset+octet-stream"
UPLOADS_PATH = "/api/v1/uploads/"
PARTIAL = "partial"  # the value of Upload-Concat

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
    "Upload-Concat": OpenApiParameter(
        "Upload-Concat",
        str,
        OpenApiParameter.HEADER,
        description="partial: the upload becomes a part of a final one. final;URL URL: concatenate complete partial "
        f"uploads, at most {MAX_PARTS}, in this order, without Upload-Length.",
    ),
}


def is_chunk(request: Request) -> bool:
    """Whether the body is a chunk of the file."""
    return request.content_type.split(";")[0].strip().lower() == CHUNK_TYPE


def describe_upload(response: HttpResponse, upload: Upload) -> None:
    """Add the headers that describe an upload: its offset, its expiry, its video."""
    if not upload.concat or upload.completed_at is not None:  # a final upload has an offset once it is concatenated
        response["Upload-Offset"] = str(upload.offset)
    if upload.is_reserving:
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


@dataclass(frozen=True)
class Concat:
    """The header Upload-Concat: of a final upload its ``parts``, of a partial upload none."""

    header: str
    parts: tuple[uuid.UUID, ...] = ()

    @property
    def is_partial(self) -> bool:
        return not self.parts


def read_concat(request: Request) -> Concat | None:
    """Parse ``Upload-Concat``. None if the header is missing. The URLs of parts may be absolute or relative.

    :raises UploadMalformed: it is neither "partial" nor a list of up to `MAX_PARTS` different uploads of this server.
    """
    header = request.headers.get("Upload-Concat")
    if header is None or header == PARTIAL:
        return None if header is None else Concat(header)
    kind, _, urls = header.partition(";")
    uids = [_read_upload_url(request, url) for url in urls.split(maxsplit=MAX_PARTS)]
    if kind != "final" or not 0 < len(uids) <= MAX_PARTS or len(set(uids)) < len(uids):
        raise errors.UploadMalformed(reason="Upload-Concat")
    return Concat(header, tuple(uids))


def _read_upload_url(request: Request, url: str) -> uuid.UUID:
    """
    :raises UploadMalformed: it is not the URL of an upload on this server.
    """
    try:
        absolute = urlsplit(urljoin(request.build_absolute_uri(), url))
        found = re.fullmatch(rf"{UPLOADS_PATH}([0-9a-f-]{{36}})/?", absolute.path)
        is_here = absolute.netloc == request.get_host() and absolute.scheme in {"http", "https"}
        if found and is_here and not absolute.query and not absolute.fragment:
            return uuid.UUID(found[1])
    except ValueError:  # urlsplit, urljoin and UUID
        pass
    raise errors.UploadMalformed(reason="Upload-Concat")


def read_uid(text: str) -> uuid.UUID:
    """
    :raises NotFound: the text is not a UUID.
    """
    try:
        return uuid.UUID(text)
    except ValueError:
        raise NotFound from None


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
