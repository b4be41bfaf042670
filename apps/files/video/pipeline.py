"""The whole way of a video, in steps that can each be repeated.

Everything happens in one folder. A step works in `<folder>/part-<step>`, moves what it made to its
place and then leaves a mark in `<folder>/done`; killed at any moment, it starts over and no other
step does. What stands under `<folder>/public` is what viewers get.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from studyplatform.kit.disk import FULL

from . import cues, ladder, playlist, renditions, stills, subtitles
from .encode import Report, end_stray, run
from .failures import CorruptFile, ProcessingFailed, VideoFailure
from .ladder import AUDIO, Plan
from .playlist import Measured
from .probe import Probe, probe
from .recipe import Recipe


@dataclass(frozen=True, kw_only=True)
class Work:
    """One source on its way. The folder is its own; the source is only read."""

    source: Path
    folder: Path
    ffmpeg: Path
    recipe: Recipe = field(default_factory=Recipe)

    @property
    def public(self) -> Path:
        return self.folder / "public"

    @property
    def sound(self) -> Path | None:
        """The encoded sound, or None for a silent film."""
        return self.folder / "sound.m4a" if self.probe.sound else None

    @cached_property
    def probe(self) -> Probe:
        return Probe.from_json((self.folder / "probe.json").read_text())

    @cached_property
    def plan(self) -> Plan:
        return ladder.plan(self.probe, self.recipe, may_copy=not self.refusal.exists())

    def refuse_copy(self) -> None:
        """Encode every rendition from now on: a copy of the source's picture is not usable."""
        self.refusal.touch()
        vars(self).pop("plan", None)

    def note_unread(self, track: str, frames: int) -> None:
        """Keep how many frames of "picture" or "sound" could not be read."""
        (self.folder / f"unread-{track}").write_text(str(frames))

    def lost(self, track: str) -> float:
        """The share of "picture" or "sound" that could not be read, 0 to 1."""
        noted = self.folder / f"unread-{track}"
        frames = int(noted.read_text()) if noted.exists() else 0
        sound = self.probe.sound
        total = self.probe.picture.frames if track == "picture" else sound.packets if sound else 0
        return min(1.0, frames / total) if total else 0.0

    @property
    def refusal(self) -> Path:
        """Says that copying the source's picture was tried and did not give a usable rendition."""
        return self.folder / "no-copy"

    @cached_property
    def sheet(self) -> stills.Sheet:
        top = self.plan.pictures[0]
        edge = self.recipe.tile_long_edge
        return stills.Sheet.of(top.width, top.height, self.plan.duration, edge)

    @property
    def shortage(self) -> Path:
        """Says that the disk was full while something was made."""
        return self.folder / "shortage"

    def note_shortage(self) -> None:
        """Ask for more room the next time, or the same would be made and thrown away without end."""
        with contextlib.suppress(OSError):
            self.shortage.touch()

    def is_done(self, step: str) -> bool:
        return (self.folder / "done" / step).exists()

    def execute(self, arguments: list[str], report: Report, seconds: float | None = None) -> int:
        """Run ffmpeg on this work's leash; answers how many frames it could not read. `seconds`: length of the
        output, default the video's."""
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
    """A part of the way: what it does, the stage the instructor sees, and its share of the time."""

    name: str
    stage: str
    weight: float
    make: Callable[[Work, Path, Report], None]


@dataclass(frozen=True, kw_only=True)
class Caption:
    """A caption file that was found inside the video, relative to the public folder."""

    path: str
    language: str
    title: str
    is_default: bool


@dataclass(frozen=True, kw_only=True)
class Published:
    """What can be watched now."""

    duration: float
    width: int
    height: int
    renditions: tuple[Measured, ...]
    captions: tuple[Caption, ...]
    size: int  # bytes of everything public
    picture_lost: float  # seconds that could not be read
    sound_lost: float
    is_complete: bool


def _analyze(work: Work, part: Path, report: Report) -> None:
    found = probe(work.source, work.recipe, report)
    (part / "probe.json").write_text(found.to_json())
    (part / "probe.json").rename(work.folder / "probe.json")


def _take_poster(work: Work, part: Path, report: Report) -> None:
    duration = work.probe.duration
    target = part / "poster.jpg"
    for at in (min(duration * 0.1, 20.0), 0.0, duration * 0.5):
        arguments = renditions.poster_arguments(work.source, work.probe, at, target, work.recipe)
        with contextlib.suppress(ProcessingFailed, CorruptFile):  # nothing to decode behind that second
            work.execute(arguments, report, seconds=1)
        if target.exists() and target.stat().st_size:
            break
    else:
        raise CorruptFile("undecodable", "no frame for the poster")
    _move_in(part, work.public)


def _encode_sound(work: Work, part: Path, report: Report) -> None:
    sound = work.probe.sound
    if sound is None:
        return
    made = part / "sound.m4a"
    arguments = renditions.sound_arguments(work.source, work.probe, sound, made, work.recipe)
    work.note_unread("sound", work.execute(arguments, lambda done: report(done * 0.9)))
    _check_lost(work, "sound")
    (part / AUDIO).mkdir()
    work.execute(renditions.audio_only_arguments(made, work.probe.duration, part / AUDIO, work.recipe), lambda _: None)
    made.replace(work.folder / "sound.m4a")
    _move_in(part, work.public)


def _extract_captions(work: Work, part: Path, report: Report) -> None:
    if not work.probe.texts:
        return
    arguments, files = subtitles.extract_arguments(work.source, work.probe, part, work.recipe)
    work.execute(arguments, report)
    kept: list[dict[str, object]] = []
    (part / "captions").mkdir()
    for text, file in files.items():
        with contextlib.suppress(cues.UnreadableCaptions, OSError):
            clean = cues.to_webvtt(file.read_bytes())
            (part / "captions" / file.name).write_text(clean)
            caption = Caption(
                path=f"captions/{file.name}",
                language=subtitles.language_of(text.language),
                title=text.title,
                is_default=text.is_default,
            )
            kept.append(dataclasses.asdict(caption))
        file.unlink(missing_ok=True)
    (part / "captions.json").write_text(json.dumps(kept))
    (part / "captions.json").rename(work.folder / "captions.json")
    _move_in(part, work.public)


def _copy_top(work: Work, part: Path, report: Report) -> None:
    """The source itself as the first rendition: watchable long before the others are made."""
    top = work.plan.copied
    if top is None:
        return
    (part / top.name).mkdir()
    work.execute(
        renditions.copy_arguments(work.source, work.probe, top, work.sound, part, work.recipe),
        report,
    )
    tracks = 2 if work.plan.has_sound else 1
    if not _keeps_time(part / top.name, work.plan) or not playlist.is_interleaved(part / top.name, tracks):
        work.refuse_copy()
        return
    _move_in(part, work.public)
    _write_master(work)


def _keeps_time(folder: Path, plan: Plan) -> bool:
    """Whether a copy was cut where the others will be, and lasts as long."""
    cuts, at = [], plan.cuts[0]
    for segment in playlist.read_media(folder):
        cuts.append(at)
        at += segment.duration
    foreseen = len(cuts) == len(plan.cuts) and all(
        abs(cut - planned) < 0.02 for cut, planned in zip(cuts, plan.cuts, strict=True)
    )
    return foreseen and abs(at - plan.duration) < 0.06


def _encode_ladder(work: Work, part: Path, report: Report) -> None:
    if work.plan.encoded:
        unread = _encode(work, part, report)
    else:  # nothing else would look into the picture
        unread = work.execute(renditions.decode_arguments(work.source, work.probe, work.recipe), report)
    work.note_unread("picture", unread)
    _check_lost(work, "picture")
    if unread and work.plan.copied:
        # Encoders bridge what is damaged; browsers stop there. The copy gives way.
        work.refuse_copy()
        shutil.rmtree(part)
        part.mkdir()
        _encode(work, part, report)
    _move_in(part, work.public)


def _encode(work: Work, part: Path, report: Report) -> int:
    for rendition in work.plan.encoded:
        (part / rendition.name).mkdir()
    arguments = renditions.ladder_arguments(work.source, work.probe, work.plan, work.sound, part, work.recipe)
    unread = work.execute(arguments, report)
    for rendition in work.plan.encoded:
        if not playlist.is_interleaved(part / rendition.name, tracks=2 if work.plan.has_sound else 1):
            raise ProcessingFailed("incomplete", f"{rendition.name}: a segment lacks a track")
    return unread


def _check_lost(work: Work, track: str) -> None:
    if work.lost(track) > work.recipe.most_lost:
        raise CorruptFile("damaged", f"{work.lost(track):.0%} of the {track} cannot be read")


def _draw_storyboard(work: Work, part: Path, report: Report) -> None:
    smallest = work.public / work.plan.pictures[-1].name
    work.execute(renditions.storyboard_arguments(smallest, work.sheet, part, work.recipe), report)
    (part / "storyboard.vtt").write_text(work.sheet.to_vtt(work.plan.duration))
    _move_in(part, work.public)


def _finish(work: Work, part: Path, report: Report) -> None:
    for measured in _write_master(work):
        off = abs(measured.duration - work.plan.duration)
        if off > 0.1:
            note = f"{measured.name}: {measured.duration} s of {work.plan.duration}"
            raise CorruptFile("short", note)
    with contextlib.suppress(FileNotFoundError):
        (work.folder / "sound.m4a").unlink()


STEPS: tuple[Step, ...] = (
    Step(name="analyze", stage="analyzing", weight=3, make=_analyze),
    Step(name="poster", stage="analyzing", weight=2, make=_take_poster),
    Step(name="sound", stage="audio", weight=4, make=_encode_sound),
    Step(name="captions", stage="audio", weight=1, make=_extract_captions),
    Step(name="first", stage="finalizing", weight=1, make=_copy_top),
    Step(name="ladder", stage="finalizing", weight=86, make=_encode_ladder),
    Step(name="storyboard", stage="finalizing", weight=2, make=_draw_storyboard),
    Step(name="finish", stage="finalizing", weight=1, make=_finish),
)


def take(step: Step, work: Work, report: Report) -> None:
    """Do one step, unless it is done. `report` hears the step's share, 0 to 1, and may raise.

    :raises VideoFailure: the step cannot be done; its reason says why.
    """
    if work.is_done(step.name):
        return
    work.folder.mkdir(parents=True, exist_ok=True)
    end_stray(work.folder)
    # Its own name: a worker that was believed dead must not tidy up what its successor is making.
    part = work.folder / f"part-{step.name}-{uuid.uuid4().hex[:8]}"
    for left in work.folder.glob("part-*"):
        shutil.rmtree(left, ignore_errors=True)
    for folder in (part, work.public, work.folder / "done"):
        folder.mkdir(exist_ok=True)
    try:
        report(0.0)
        step.make(work, part, report)
        (work.folder / "done" / step.name).touch()
    except OSError as problem:
        if problem.errno not in FULL:
            raise ProcessingFailed("crashed", str(problem), retry=True) from problem
        work.note_shortage()
        raise ProcessingFailed("no_space", str(problem), retry=True) from problem
    except ProcessingFailed as failure:
        if failure.reason == "no_space":
            work.note_shortage()
        raise
    finally:
        shutil.rmtree(part, ignore_errors=True)


def process(work: Work, report: Callable[[Step, float], None] = lambda *_: None) -> Published:
    """Take every step that is not done yet and answer what can be watched.

    :raises VideoFailure: a step cannot be done.
    """
    for step in STEPS:
        take(step, work, lambda done, step=step: report(step, done))  # type: ignore[misc]
    return published(work)


def published(work: Work) -> Published:
    """Measure what is public by now.

    :raises VideoFailure: nothing is.
    """
    measured = tuple(_measure(work))
    top = work.plan.pictures[0]
    noted = work.folder / "captions.json"
    captions = json.loads(noted.read_text()) if noted.exists() else []
    return Published(
        duration=work.plan.duration,
        width=top.width,
        height=top.height,
        renditions=measured,
        captions=tuple(Caption(**each) for each in captions),
        size=sum(file.stat().st_size for file in work.public.rglob("*") if file.is_file()),
        picture_lost=round(work.lost("picture") * work.plan.duration, 3),
        sound_lost=round(work.lost("sound") * work.plan.duration, 3),
        is_complete=len(measured) == len(work.plan.names),
    )


def room_needed(work: Work) -> int:
    """Bytes that an analyzed video will about take until it is finished, 0 once everything large is made.

    Half of what the renditions' top rates allow, as lectures do, and at most twice the source; plus the copy, if one
    is made. Should that be too little, `run`'s caller still stops at the reserve, and from then on it is all that the
    top rates allow, with a tenth for what holds it together.
    """
    if work.is_done("ladder"):
        return 0
    rates = sum(each.top_rate for each in work.plan.encoded) + 2 * work.recipe.audio_rate
    copied = work.probe.size if work.plan.copied else 0
    most = int(rates * work.plan.duration / 8)
    made = most + most // 10 if work.shortage.exists() else min(most // 2, 2 * work.probe.size)
    return made + copied


def overall(step: Step, done: float) -> float:
    """Translate the share of one step into the share of the whole way, 0 to 1."""
    before = sum(each.weight for each in STEPS[: STEPS.index(step)])
    return (before + step.weight * done) / sum(each.weight for each in STEPS)


def _measure(work: Work) -> list[Measured]:
    found = []
    for rendition in work.plan.pictures:
        folder = work.public / rendition.name
        if folder.is_dir():
            found.append(
                playlist.measure(
                    folder,
                    width=rendition.width,
                    height=rendition.height,
                    frame_rate=work.plan.frame_rate,
                    is_copy=rendition.is_copy,
                )
            )
    if work.plan.has_sound and (work.public / AUDIO).is_dir():
        found.append(playlist.measure(work.public / AUDIO, width=0, height=0, frame_rate=None))
    if not found:
        raise ProcessingFailed("incomplete", "nothing is public")
    return found


def _write_master(work: Work) -> list[Measured]:
    measured = _measure(work)
    draft = work.folder / playlist.MASTER
    draft.write_text(playlist.write_master(measured))
    draft.rename(work.public / playlist.MASTER)
    return measured


def _move_in(part: Path, public: Path) -> None:
    """Put what a step made in its place; what a killed try left there gives way."""
    for made in part.iterdir():
        target = public / made.name
        if target.is_dir():
            shutil.rmtree(target)
        made.rename(target)


__all__ = ["STEPS", "Published", "Step", "VideoFailure", "Work", "overall", "process", "take"]
