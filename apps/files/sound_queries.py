"""Read what was measured of the sound of a video, for those who work on its captions."""

import base64
import uuid
from dataclasses import dataclass, field

from apps.accounts.policies import AnyUser
from apps.files import policies, queries
from apps.files.models import VideoAsset
from apps.files.storage import open_stored
from apps.files.video.sound_levels import SoundLevels, Span
from apps.files.video.speech import cut_cues
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce

READY, PREPARING, MISSING, NONE = "ready", "preparing", "missing", "none"


@dataclass(frozen=True, kw_only=True)
class Sound:
    """What an editor of captions shows of a sound; times in seconds.

    ``state``: `READY`, `PREPARING`, `MISSING` (it was never measured) or `NONE` (the video has no sound). ``peaks``:
    base64 of a byte per peak. ``cues``: suggestions when cues begin and end.
    """

    state: str
    duration: float
    rate: int = 0
    peaks: str = ""
    silences: tuple[Span, ...] = ()
    cues: list[Span] = field(default_factory=list)
    loudness: float | None = None
    gain: float = 0.0


def read_sound(video: VideoAsset) -> Sound:
    """Read the measurements of a video from storage; without them, say why."""
    levels = levels_of(video)
    if levels is None:
        is_over = video.is_complete or video.stage == VideoAsset.Stage.FAILED
        state = (MISSING if video.has_audio else NONE) if is_over and video.is_playable else PREPARING
        return Sound(state=state, duration=video.duration)
    return Sound(
        state=READY,
        duration=levels.duration,
        rate=levels.rate,
        peaks=base64.b64encode(levels.peaks).decode(),
        silences=levels.silences,
        cues=cut_cues(levels.silences, levels.duration),
        loudness=levels.loudness,
        gain=video.loudness_gain,
    )


def levels_of(video: VideoAsset) -> SoundLevels | None:
    """What was measured of the sound of a video; None if nothing was, or it is lost."""
    if not video.sound_levels or not video.directory:
        return None
    try:
        with open_stored(f"{video.directory}/{video.sound_levels}") as file:
            return SoundLevels.from_json(file.read())
    except (FileNotFoundError, ValueError):
        return None


def video_to_work_on(user: AnyUser, uid: uuid.UUID) -> VideoAsset:
    """The video, if the user may hear, caption and choose the cover of it.

    :raises NotFound: it does not exist, or the user may not.
    """
    video = queries.with_details(VideoAsset.objects.filter(uid=uid)).first()
    if video is None:
        raise NotFound
    enforce(policies.work_on_video(user, video))
    return video
