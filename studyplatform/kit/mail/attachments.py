"""Files that are attached to emails: made by the job that sends the email, not where it is asked for."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from studyplatform.kit.registry import Registry

logger = logging.getLogger(__name__)

Attached = tuple[str, str]
"""The kind of an attachment, and which one: what its maker is given."""


@dataclass(frozen=True)
class Attachment:
    """A file of an email."""

    name: str
    content: bytes
    media_type: str


_makers: Registry[Callable[[str], Attachment | None]] = Registry("email attachments")


def register_attachment(kind: str, maker: Callable[[str], Attachment | None]) -> None:
    """Let emails have attachments of this kind. The maker returns None for what isn't there any longer."""
    _makers.register(kind, maker)


def make_attachments(wanted: Iterable[Attached]) -> list[Attachment]:
    """Make attachments. One that fails is left out and logged: the email has a link to the same file."""
    made = []
    for kind, which in wanted:
        try:
            attachment = _makers[kind](which)
        except Exception:
            logger.exception("The attachment %s %s could not be made; the email is sent without it", kind, which)
            continue
        if attachment is not None:
            made.append(attachment)
    return made
