"""The addresses of a link with which an outside expert reviews a course. Its token is in all of them."""

from dataclasses import dataclass
from typing import Any, ClassVar
from uuid import uuid4

from django.urls import reverse

from apps.courses.models import ReviewComment, ReviewThread
from apps.courses.queries.review_threads import ThreadRow
from apps.files.models import CaptionTrack, VideoAsset
from studyplatform.site.public.expert_forms import MAX_EXPERT_PICTURE_BYTES


@dataclass(frozen=True)
class ExpertAddresses:
    """As `review_threads.Addresses`; an expert resolves nothing, and sends smaller pictures."""

    token: str
    max_picture_bytes: ClassVar[int] = MAX_EXPERT_PICTURE_BYTES
    people: ClassVar[list[tuple[str, str]]] = []
    """An expert sees no names of people they don't know, and mentions nobody."""

    @property
    def page(self) -> str:
        return reverse("site:expert", args=[self.token])

    @property
    def add(self) -> str:
        return reverse("site:expert-comment", args=[self.token])

    def answer(self, thread: ReviewThread) -> str:
        return reverse("site:expert-answer", args=[self.token, thread.uid])

    def state(self, thread: ReviewThread) -> str:
        """An expert doesn't resolve threads."""
        return ""

    def place(self, _row: ThreadRow) -> str:
        """An expert changes nothing."""
        return ""

    def picture(self, comment: ReviewComment) -> str:
        return reverse("site:expert-picture", args=[self.token, comment.uid])

    @property
    def files(self) -> str:
        """Where the files of the course's texts are, as ``/course-files/`` is for learners."""
        return f"{self.page}files/"

    def new_uid(self) -> str:
        """Return the uid of the comment that a form sends."""
        return uuid4().hex

    def sources(self, video: VideoAsset, tracks: tuple[CaptionTrack, ...]) -> dict[str, Any] | None:
        """Return the shape ``SourcesOut``, with addresses that end with the link; None if nothing can be played yet."""
        if not video.is_playable:
            return None
        base = f"{self.page}media/{video.uid}"
        return {
            "master": f"{base}/master.m3u8",
            "audio": f"{base}/audio/index.m3u8" if video.has_audio else None,
            "sound": f"{base}/sound.m4a" if video.has_audio else None,
            "poster": f"{base}/{video.poster}" if video.poster else None,
            "storyboard": f"{base}/{video.storyboard}" if video.storyboard else None,
            "captions": [
                {
                    "language": track.language,
                    "label": track.label,
                    "url": f"{base}/captions/{track.uid.hex}.vtt",
                }
                for track in tracks
            ],
        }
