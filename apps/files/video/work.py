"""The folder in which one video is processed, and what the steps leave there for each other.

A step works in `<folder>/part-<step>-<random>`, moves its results into place and then creates `<folder>/done/<step>`.
`<folder>/public` holds what viewers get.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from . import ladder
from .encode import Report, run
from .ladder import Plan
from .playlist import Measured
from .probe import Probe
from .recipe import Recipe
from .sound_levels import SoundLevels
from .storyboard import Storyboard

LEVELS_NAME = "sound.json"  # `SoundLevels` of the sound; beside the renditions, but not handed out with them


@dataclass(frozen=True, kw_only=True)
class Work:
    """One source being processed. The folder belongs to it alone; the source is only read."""

    source: Path
    folder: Path
    ffmpeg: Path
    recipe: Recipe = field(default_factory=Recipe)

    @property
    def public(self) -> Path:
        return self.folder / "public"

    @property
    def sound(self) -> Path | None:
        """The encoded sound, or None if the video has none."""
        return self.folder / "sound.m4a" if self.probe.sound else None

    @cached_property
    def probe(self) -> Probe:
        return Probe.from_json((self.folder / "probe.json").read_text())

    @cached_property
    def plan(self) -> Plan:
        return ladder.plan(self.probe, self.recipe, may_copy=not self.no_copy_marker.exists())

    @property
    def no_copy_marker(self) -> Path:
        """Exists if the source's picture was copied and the result was not usable."""
        return self.folder / "no-copy"

    def forbid_copy(self) -> None:
        """Encode every rendition from now on, because a copy of the source's picture is not usable."""
        self.no_copy_marker.touch()
        vars(self).pop("plan", None)

    def save_undecoded(self, track: str, frames: int) -> None:
        """Save how many frames of `track`, "picture" or "sound", could not be decoded."""
        (self.folder / f"unread-{track}").write_text(str(frames))

    def lost_share(self, track: str) -> float:
        """The share of `track`, "picture" or "sound", that could not be decoded, 0 to 1."""
        saved = self.folder / f"unread-{track}"
        frames = int(saved.read_text()) if saved.exists() else 0
        sound = self.probe.sound
        total = self.probe.picture.frames if track == "picture" else sound.packets if sound else 0
        return min(1.0, frames / total) if total else 0.0

    @property
    def levels(self) -> SoundLevels | None:
        """What was measured of the sound; None if there is none, or it was not measured."""
        saved = self.public / LEVELS_NAME
        return SoundLevels.from_json(saved.read_text()) if saved.exists() else None

    def save_loudness_gain(self, decibels: float) -> None:
        """Save by how many decibels the encoded sound is louder than that of the source."""
        (self.folder / "gain").write_text(str(decibels))

    @property
    def loudness_gain(self) -> float:
        saved = self.folder / "gain"
        return float(saved.read_text()) if saved.exists() else 0.0

    @cached_property
    def storyboard(self) -> Storyboard:
        top = self.plan.pictures[0]
        edge = self.recipe.tile_long_edge
        return Storyboard.of(top.width, top.height, self.plan.duration, edge)

    @property
    def disk_full_marker(self) -> Path:
        """Exists if the disk filled up during a step."""
        return self.folder / "shortage"

    def mark_disk_full(self) -> None:
        """Require more free space next time; otherwise the same step would fill the disk again and again."""
        with contextlib.suppress(OSError):
            self.disk_full_marker.touch()

    def is_done(self, step: str) -> bool:
        return (self.folder / "done" / step).exists()

    def execute(self, arguments: list[str], report: Report, seconds: float | None = None) -> int:
        """Run ffmpeg; return how many frames it could not decode. `seconds`: length of the output, by default the
        video's."""
        return run(
            arguments,
            ffmpeg=self.ffmpeg,
            folder=self.folder,
            seconds=self.probe.duration if seconds is None else seconds,
            recipe=self.recipe,
            report=report,
        )


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step of the processing: its function, the stage that the owner sees, and its share of the time.

    The function takes the work, a folder of its own and a callback for its progress.
    """

    name: str
    stage: str
    weight: float
    run: Callable[[Work, Path, Report], None]


@dataclass(frozen=True, kw_only=True)
class Caption:
    """A caption file that was found inside the video. `path` is relative to the public folder."""

    path: str
    language: str
    title: str
    is_default: bool
    # How it was read, as in `caption_files.CaptionReading`; missing in results of earlier releases.
    form: str = ""
    encoding: str = ""
    findings: list[list[object]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Published:
    """What is playable now. Durations and losses in seconds, `size` in bytes of all public files."""

    duration: float
    width: int
    height: int
    renditions: tuple[Measured, ...]
    captions: tuple[Caption, ...]
    size: int
    picture_lost: float
    sound_lost: float
    is_complete: bool
