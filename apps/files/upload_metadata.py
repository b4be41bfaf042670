"""The metadata that a client gives with an upload (the header ``Upload-Metadata`` of tus)."""

import base64

from apps.files import errors

MAX_METADATA = 4096  # characters


def read_metadata(header: str) -> dict[str, str]:
    """Parse ``Upload-Metadata``: comma-separated pairs of a name and a base64 value.

    :raises UploadMalformed: it is too long, a name comes twice, or a value is not base64 of UTF-8.
    """
    if len(header) > MAX_METADATA:
        raise errors.UploadMalformed(reason="Upload-Metadata")
    facts: dict[str, str] = {}
    for pair in filter(None, (each.strip() for each in header.split(","))):
        name, _, value = pair.partition(" ")
        if name in facts:
            raise errors.UploadMalformed(reason="Upload-Metadata")
        try:
            facts[name] = base64.b64decode(value.strip(), validate=True).decode()
        except ValueError:  # neither base64 nor UTF-8
            raise errors.UploadMalformed(reason="Upload-Metadata") from None
    return facts
