"""The failures of video processing, with a sentence for the owner of the video."""

from __future__ import annotations

from typing import ClassVar


def _(sentence: str) -> str:
    """Mark a sentence for translation. Unlike Django's function, this needs no settings."""
    return sentence


#: One sentence per reason, for the owner of the video. `queries` translates it.
SENTENCES: dict[str, str] = {
    "empty": _("The file is empty. It contains no data."),
    "not_a_video": _("This file is not a video. Its content doesn't match its name."),
    "text": _("This file is not a video. It contains plain text."),
    "truncated": _("The file ends too early, so part of the video is missing. Please upload it again."),
    "unreadable": _("The file is damaged and can't be read."),
    "undecodable": _("The file is damaged: none of its frames can be decoded."),
    "infected": _("This file contains a virus or another threat. It was deleted."),
    "too_large_to_scan": _("This file is too large to be checked for viruses. Please upload a smaller one."),
    "short": _("The file is damaged: most of the video couldn't be decoded."),
    "damaged": _("The file is damaged: more than a tenth of the video couldn't be read. Export it again."),
    "playlist": _("This is a playlist or a script that points to other files, not a video."),
    "foreign_format": _("This type of file isn't supported. Please upload an MP4, MOV, AVI or WebM file."),
    "no_picture": _("This file has no video track. Please upload an MP4, MOV, AVI or WebM file with video."),
    "protected": _("This video is copy-protected (DRM) and can't be processed."),
    "picture_codec": _("This video's codec isn't supported."),
    "sound_codec": _("This video's audio codec isn't supported."),
    "too_large_picture": _("This video is larger than 8K, which isn't supported."),
    "too_long": _("This video is too long to process. Please split it into shorter videos."),
    "stalled": _("Processing stopped making progress and was canceled."),
    "crashed": _("Processing was interrupted."),
    "encoder": _("The video couldn't be converted."),
    "no_space": _("The server doesn't have enough disk space to process the video."),
    "binary": _("The server's video tools are missing."),
    "incomplete": _("The converted video is incomplete."),
}


#: The reasons for which a complete file is refused because of its format.
UNSUPPORTED = (
    "not_a_video", "text", "playlist", "foreign_format", "no_picture", "protected", "picture_codec", "sound_codec",
    "too_large_picture", "too_long",
)  # fmt: skip


class VideoFailure(Exception):
    """An expected failure. `reason` is a key of `SENTENCES`."""

    #: The state of the video after this failure, as in the specification.
    state: ClassVar[str] = "processing_failed"

    def __init__(self, reason: str, note: str = "", *, retry: bool = False) -> None:
        super().__init__(reason, note)
        self.reason = reason
        self.note = note  # for the log, e.g. ffmpeg's output; never shown to users
        self.retry = retry  # whether another attempt may succeed

    def __str__(self) -> str:
        return SENTENCES[self.reason]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.reason!r}, {self.note[:200]!r})"


class CorruptFile(VideoFailure):
    """The file is not a complete, readable video."""

    state = "corrupt_file"


class FormatUnsupported(VideoFailure):
    """The file is complete, but its format is not supported."""

    state = "corrupt_file"


class ProcessingFailed(VideoFailure):
    """The video may be valid, but could not be converted."""
