"""What each step of the processing does. A step reads the work and writes its results; killed, it starts again."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from . import playlist, renditions, subtitles
from .caption_files import read_captions
from .cues import UnreadableCaptions
from .encode import Report
from .failures import CorruptFile, ProcessingFailed
from .ladder import AUDIO, Plan, Rendition
from .leveling import choose_leveling
from .playlist import Measured
from .probe import probe
from .sound_levels import measure_levels
from .work import LEVELS_NAME, Caption, Step, Work


def _analyze(work: Work, part: Path, report: Report) -> None:
    found = probe(work.source, work.recipe, report)
    (part / "probe.json").write_text(found.to_json())
    (part / "probe.json").rename(work.folder / "probe.json")


def _extract_poster(work: Work, part: Path, report: Report) -> None:
    duration = work.probe.duration
    target = part / "poster.jpg"
    for at in (min(duration * 0.1, 20.0), 0.0, duration * 0.5):
        arguments = renditions.poster_arguments(work.source, work.probe, at, target, work.recipe)
        with contextlib.suppress(ProcessingFailed, CorruptFile):  # no frame can be decoded after that second
            work.execute(arguments, report, seconds=1)
        if target.exists() and target.stat().st_size:
            break
    else:
        raise CorruptFile("undecodable", "no frame for the poster")
    _move_into(part, work.public)


def _measure_sound(work: Work, part: Path, report: Report) -> None:
    sound = work.probe.sound
    if sound is None:
        return
    samples, loudness = part / "samples", part / "loudness"
    work.execute(
        renditions.measure_arguments(work.source, work.probe, sound, samples, loudness, work.recipe),
        report,
    )
    found = measure_levels(samples, loudness, work.probe.duration)
    for temporary in (samples, loudness):
        temporary.unlink(missing_ok=True)
    (part / LEVELS_NAME).write_text(found.to_json())
    _move_into(part, work.public)


def _encode_sound(work: Work, part: Path, report: Report) -> None:
    sound = work.probe.sound
    if sound is None:
        return
    target = part / "sound.m4a"
    leveling = choose_leveling(work.levels, work.recipe)
    arguments = renditions.sound_arguments(work.source, work.probe, sound, target, work.recipe, leveling)
    work.save_undecoded("sound", work.execute(arguments, lambda done: report(done * 0.9)))
    _check_loss(work, "sound")
    (part / AUDIO).mkdir()
    work.execute(
        renditions.audio_only_arguments(target, work.probe.duration, part / AUDIO, work.recipe), lambda _: None
    )
    work.save_loudness_gain(leveling.gain)
    target.replace(work.folder / "sound.m4a")
    _move_into(part, work.public)


def _extract_captions(work: Work, part: Path, report: Report) -> None:
    if not work.probe.texts:
        return
    arguments, files = subtitles.extract_arguments(work.source, work.probe, part, work.recipe)
    work.execute(arguments, report)
    captions: list[dict[str, object]] = []
    (part / "captions").mkdir()
    for text, file in files.items():
        with contextlib.suppress(UnreadableCaptions, OSError):
            reading = read_captions(file.read_bytes(), language=subtitles.language_of(text.language))
            name = f"{text.index}.vtt"
            (part / "captions" / name).write_text(reading.webvtt)
            caption = Caption(
                path=f"captions/{name}",
                form=reading.form,
                encoding=reading.encoding,
                findings=[[each.line, each.kind, each.text] for each in reading.findings],
                counts=reading.counts,
                language=subtitles.language_of(text.language),
                title=text.title,
                is_default=text.is_default,
            )
            captions.append(dataclasses.asdict(caption))
        file.unlink(missing_ok=True)
    (part / "captions.json").write_text(json.dumps(captions))
    (part / "captions.json").rename(work.folder / "captions.json")
    _move_into(part, work.public)


def _make_first(work: Work, part: Path, report: Report) -> None:
    """Make a rendition that is playable long before the others: a copy of the source's picture, or the smallest."""
    if top := work.plan.copied:
        _copy_source(work, top, part, report)
    if early := work.plan.early:  # also after a copy that was not usable
        _encode(work, [early], part, report)
    if any(part.iterdir()):
        _move_into(part, work.public)
        _write_master(work)


def _copy_source(work: Work, top: Rendition, part: Path, report: Report) -> None:
    (part / top.name).mkdir()
    work.execute(
        renditions.copy_arguments(work.source, work.probe, top, work.sound, part, work.recipe),
        report,
    )
    tracks = 2 if work.plan.has_sound else 1
    if not _matches_plan(part / top.name, work.plan) or not playlist.is_interleaved(part / top.name, tracks):
        work.forbid_copy()
        shutil.rmtree(part / top.name)


def _matches_plan(folder: Path, plan: Plan) -> bool:
    """Whether a copied rendition has the planned segment boundaries and duration."""
    cuts, at = [], plan.cuts[0]
    for segment in playlist.read_media(folder):
        cuts.append(at)
        at += segment.duration
    is_aligned = len(cuts) == len(plan.cuts) and all(
        abs(cut - planned) < 0.02 for cut, planned in zip(cuts, plan.cuts, strict=True)
    )
    return is_aligned and abs(at - plan.duration) < 0.06


def _encode_ladder(work: Work, part: Path, report: Report) -> None:
    early = work.plan.early
    wanted = [each for each in work.plan.encoded if each != early or not (work.public / each.name).is_dir()]
    if wanted:
        undecoded = _encode(work, wanted, part, report)
    else:  # no rendition decodes the picture, so count undecodable frames here
        undecoded = work.execute(renditions.decode_arguments(work.source, work.probe, work.recipe), report)
    work.save_undecoded("picture", undecoded)
    _check_loss(work, "picture")
    if undecoded and work.plan.copied:
        # Encoders skip damaged frames, browsers stop at them: encode the first rendition too.
        work.forbid_copy()
        shutil.rmtree(part)
        part.mkdir()
        _encode(work, work.plan.encoded, part, report)
    _move_into(part, work.public)


def _encode(work: Work, wanted: Sequence[Rendition], part: Path, report: Report) -> int:
    for rendition in wanted:
        (part / rendition.name).mkdir()
    arguments = renditions.ladder_arguments(work.source, work.probe, work.plan, work.sound, part, work.recipe, wanted)
    undecoded = work.execute(arguments, report)
    for rendition in wanted:
        if not playlist.is_interleaved(part / rendition.name, tracks=2 if work.plan.has_sound else 1):
            raise ProcessingFailed("incomplete", f"{rendition.name}: a segment lacks a track")
    return undecoded


def _check_loss(work: Work, track: str) -> None:
    if work.lost_share(track) > work.recipe.most_lost:
        raise CorruptFile("damaged", f"{work.lost_share(track):.0%} of the {track} cannot be read")


def _make_storyboard(work: Work, part: Path, report: Report) -> None:
    smallest = work.public / work.plan.pictures[-1].name
    work.execute(renditions.storyboard_arguments(smallest, work.storyboard, part, work.recipe), report)
    (part / "storyboard.vtt").write_text(work.storyboard.to_webvtt(work.plan.duration))
    _move_into(part, work.public)


def _finish(work: Work, part: Path, report: Report) -> None:
    for measured in _write_master(work):
        off = abs(measured.duration - work.plan.duration)
        if off > 0.1:
            note = f"{measured.name}: {measured.duration} s of {work.plan.duration}"
            raise CorruptFile("short", note)
    with contextlib.suppress(FileNotFoundError):
        (work.folder / "sound.m4a").unlink()


def measure_renditions(work: Work) -> list[Measured]:
    """Measure the finished renditions, the largest picture first and sound alone last.

    :raises ProcessingFailed: there is none.
    """
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
    measured = measure_renditions(work)
    draft = work.folder / playlist.MASTER
    draft.write_text(playlist.write_master(measured))
    draft.rename(work.public / playlist.MASTER)
    return measured


def _move_into(part: Path, public: Path) -> None:
    """Move the results of a step into the public folder, replacing those of an earlier attempt."""
    for result in part.iterdir():
        target = public / result.name
        if target.is_dir():
            shutil.rmtree(target)
        result.rename(target)


STEPS: tuple[Step, ...] = (
    Step(name="analyze", stage="analyzing", weight=3, run=_analyze),
    Step(name="poster", stage="analyzing", weight=2, run=_extract_poster),
    Step(name="levels", stage="audio", weight=1, run=_measure_sound),
    Step(name="sound", stage="audio", weight=4, run=_encode_sound),
    Step(name="captions", stage="audio", weight=1, run=_extract_captions),
    Step(name="first", stage="finalizing", weight=10, run=_make_first),
    Step(name="ladder", stage="finalizing", weight=77, run=_encode_ladder),
    Step(name="storyboard", stage="finalizing", weight=2, run=_make_storyboard),
    Step(name="finish", stage="finalizing", weight=1, run=_finish),
)
