"""Email: rendered from templates and sent by a job; without a mail server, ``mailbox`` stores it in a folder."""

from studyplatform.kit.mail.attachments import Attached, Attachment, register_attachment
from studyplatform.kit.mail.sending import KIND, absolute_url, deliver, is_final, send

__all__ = ["KIND", "Attached", "Attachment", "absolute_url", "deliver", "is_final", "register_attachment", "send"]
