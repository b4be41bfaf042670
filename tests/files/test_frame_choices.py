"""Frames from which an author chooses the cover: tiles of the storyboard, spread over the film."""

from apps.files.models import VideoAsset
from apps.files.services.frame_choices import MAX_CHOICES, choose_frames
from apps.files.services.media_links import Sources
from apps.files.video.storyboard import COLUMNS, ROWS
from tests.cases import all_cases
from tests.factories.courses import THEN

SOURCES = Sources(
    master="/media/v/t/master.m3u8",
    audio=None,
    sound=None,
    poster=None,
    storyboard="/media/v/t/storyboard.vtt",
    captions=[],
    expires_at=THEN,
)


@all_cases(
    "duration width height count",
    [(0.5, 1280, 720, 1), (3, 720, 1280, 3), (62, 1280, 720, 8), (1500, 640, 480, 8), (36000, 1920, 1080, 8)],
)
def test_frames_lie_within_the_film_and_their_sheets(duration: float, width: int, height: int, count: int) -> None:
    frames = choose_frames(VideoAsset(duration=duration, width=width, height=height), SOURCES)
    seconds = [frame.second for frame in frames]
    assert len(frames) == count <= MAX_CHOICES
    assert seconds == sorted(set(seconds))
    assert 0 <= seconds[-1] < max(1, duration)
    for frame in frames:
        assert frame.x + frame.width <= frame.sheet_width <= COLUMNS * frame.width
        assert frame.y + frame.height <= frame.sheet_height <= ROWS * frame.height
        assert frame.url.startswith("/media/v/t/storyboard-")


def test_without_a_storyboard_or_picture_there_is_no_choice() -> None:
    video = VideoAsset(duration=60, width=1280, height=720)
    assert choose_frames(video, None) == []
    assert choose_frames(VideoAsset(duration=60, width=0, height=0), SOURCES) == []
