"""What can be wrong with a video, and how it is said."""

from __future__ import annotations

from typing import ClassVar


def _(sentence: str) -> str:
    """Mark a sentence for translation. Django's own marker wants settings; we want none."""
    return sentence


#: One sentence per reason, for the person who uploaded the file. The web layer translates it.
SENTENCES: dict[str, str] = {
    "empty": _("The file is empty: it holds no bytes at all."),
    "not_a_video": _("This file is not a video: its contents are something else than its name says."),
    "text": _("This file is not a video: it holds plain text."),
    "truncated": _("The file ends too early: a part of the video is missing. Please upload it again."),
    "unreadable": _("The file is damaged: its contents cannot be read."),
    "undecodable": _("The file is damaged: not one picture in it can be decoded."),
    "short": _("The file is damaged: most of the video could not be decoded."),
    "playlist": _("This is a playlist or a script that points to other files, not a video."),
    "foreign_format": _("This kind of file is not accepted. Please upload MP4, MOV, AVI or WebM."),
    "no_picture": _("This file holds no video track. Please upload MP4, MOV, AVI or WebM with a picture."),
    "protected": _("This video is copy-protected (DRM) and cannot be processed."),
    "picture_codec": _("The way the picture of this video is coded is not supported."),
    "sound_codec": _("The way the sound of this video is coded is not supported."),
    "too_large_picture": _("The picture of this video is larger than 8K, which is not supported."),
    "too_long": _("This video is too long to be processed in one piece."),
    "stalled": _("Processing came to a halt and was stopped."),
    "crashed": _("Processing was interrupted."),
    "encoder": _("The video could not be converted."),
    "no_space": _("The server has no room left to process the video."),
    "binary": _("The server's video tools are missing."),
    "incomplete": _("The converted video is not complete."),
}


class VideoFailure(Exception):
    """An end of processing that was foreseen. `reason` is a key of `SENTENCES`."""

    #: The state in which the specification lets such a video end.
    state: ClassVar[str] = "processing_failed"

    def __init__(self, reason: str, note: str = "", *, retry: bool = False) -> None:
        super().__init__(reason, note)
        self.reason = reason
        self.note = note  # for the log: what ffmpeg said; never shown
        self.retry = retry  # whether the same bytes may well succeed later

    def __str__(self) -> str:
        return SENTENCES[self.reason]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.reason!r}, {self.note[:200]!r})"


class CorruptFile(VideoFailure):
    """The bytes are not a whole, readable video."""

    state = "corrupt_file"


class FormatUnsupported(VideoFailure):
    """The bytes are whole, but nothing that is accepted here."""

    state = "corrupt_file"


class ProcessingFailed(VideoFailure):
    """The video may be fine; we were not able to convert it."""
