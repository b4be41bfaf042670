"""The transcript of a video: the cues of its captions, gathered into paragraphs."""

from dataclasses import dataclass
from functools import lru_cache

from apps.files.queries import CaptionCue, caption_cues

PARAGRAPH_SECONDS = 14.0
"""A paragraph ends with the first sentence that ends after this long."""
PAUSE_SECONDS = 2.5
"""A silence of this length ends a paragraph as well."""
_SENTENCE_END = (".", "?", "!", "…", ".”", '."', "?”", "!”")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Cues that are read together."""

    cues: tuple[CaptionCue, ...]

    @property
    def start(self) -> float:
        """The second at which it begins."""
        return self.cues[0].start


@lru_cache(maxsize=256)
def paragraphs_of(webvtt: str) -> tuple[Paragraph, ...]:
    """Return the cues of a WebVTT text as paragraphs that end with a sentence or before a silence."""
    paragraphs: list[Paragraph] = []
    current: list[CaptionCue] = []
    for cue in caption_cues(webvtt):
        if current:
            last = current[-1]
            is_long = last.end - current[0].start >= PARAGRAPH_SECONDS and last.text.endswith(_SENTENCE_END)
            if is_long or cue.start - last.end >= PAUSE_SECONDS:
                paragraphs.append(Paragraph(tuple(current)))
                current = []
        current.append(cue)
    if current:
        paragraphs.append(Paragraph(tuple(current)))
    return tuple(paragraphs)
