"""The settings of the pipeline."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Rung:
    """One rung of the bitrate ladder: a picture that fits a 16:9 box, in landscape or portrait.

    `edge` is the shorter side of the box in pixels; rates are in bits per second.
    """

    name: str
    edge: int
    top_rate: int  # the encoder may not exceed it
    copy_rate: int  # a source above it is encoded, not copied

    @property
    def long_edge(self) -> int:
        return -(-self.edge * 16 // 9) // 2 * 2


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How videos are encoded. Times are in seconds, rates in bits per second."""

    rungs: tuple[Rung, ...] = (
        Rung(name="1080p", edge=1080, top_rate=5_350_000, copy_rate=8_000_000),
        Rung(name="720p", edge=720, top_rate=2_996_000, copy_rate=4_500_000),
        Rung(name="480p", edge=480, top_rate=1_498_000, copy_rate=2_200_000),
    )
    segment: float = 4.0
    quality: int = 23  # x264's constant rate factor, under the rung's top rate
    preset: str = "veryfast"
    threads: int = 2
    niceness: int = 10
    audio_rate: int = 128_000
    sample_rate: int = 48_000
    top_frame_rate: int = 60
    # A longer or larger video is refused: one file must not occupy the machine for days.
    longest: float = 12 * 3600
    most_pixels: int = 8192 * 4608
    # The loudness to which sound is brought, in LUFS (EBU R128); None leaves it as it is.
    loudness: float | None = -16.0
    # Decibels: sound that is nearer stays as it is, and noise is not made louder without end.
    loudness_tolerance: float = 1.0
    most_gain: float = 20.0
    # The highest peak of sound that was made louder, in decibels below full scale.
    true_peak: float = -1.5
    # The source's picture is copied only if its keyframes are at most this far apart.
    copy_keyframe_gap: float = 4.5
    # From this duration on, a video that cannot be copied gets its smallest rendition first, to be watched meanwhile.
    early_min_seconds: float = 60.0
    # A source is refused if a larger share of its picture or sound cannot be decoded; otherwise its owner sees a notice
    # and decides. A tenth is six seconds of each minute: whole sentences are lost.
    most_lost: float = 0.1
    # ffmpeg is killed after this time without progress.
    stall: float = 180.0
    probe_limit: float = 600.0
    tile_long_edge: int = 160
    poster_long_edge: int = 1280
