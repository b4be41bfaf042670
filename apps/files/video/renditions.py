"""ffmpeg's arguments for each form of the video."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import ffmpeg

from .graph import finish, prepare, show_plainly, source_input, upright
from .ladder import Plan, Rendition, fit
from .probe import Probe, Sound
from .recipe import Recipe
from .stills import Sheet

# Linux takes 128 kB in one argument.
LONGEST_ARGUMENT = 120_000


def hls_options(folder: Path, segment: float) -> dict[str, Any]:
    """Output options of one rendition, in a folder of its own.

    Both tracks begin at 0 exactly: the encoders' delays are not pushed into the timeline, but
    stand in the init segment as an edit, which players take off.
    """
    return {
        "f": "hls",
        "hls_time": segment,
        "hls_playlist_type": "vod",
        "hls_flags": "independent_segments",
        "hls_segment_type": "fmp4",
        "hls_fmp4_init_filename": "init.mp4",
        "hls_segment_filename": str(folder / "%05d.m4s"),
        "avoid_negative_ts": "disabled",
    }


def sound_arguments(path: Path, source: Probe, sound: Sound, target: Path, recipe: Recipe) -> list[str]:
    """Encode the sound once, for all renditions, from 0 to the end of the video.

    Gaps become silence and a drifting clock is followed, so that it stays with the picture.
    """
    track = source_input(path, source, recipe)[str(sound.index)]
    track = track.filter("aresample", **{"async": 1000, "first_pts": 0})
    track = track.filter("apad", whole_dur=f"{source.duration:.6f}")
    track = track.filter("atrim", end=f"{source.duration:.6f}")
    options = {"c:a": "aac", "b:a": recipe.audio_rate, "ac": 2, "ar": recipe.sample_rate}
    return finish(ffmpeg.output(track, f"file:{target}", f="mp4", **options))


def audio_only_arguments(sound: Path, duration: float, folder: Path, recipe: Recipe) -> list[str]:
    """Cut the finished sound into segments of equal length, without a stub at the end."""
    track = ffmpeg.input(f"file:{sound}", f="mov")["a:0"]
    whole = duration + 0.1  # and what the encoder adds
    segment = round(whole / max(1, round(whole / recipe.segment)), 3)
    made = ffmpeg.output(track, str(folder / "index.m3u8"), c="copy", **hls_options(folder, segment))
    return finish(made)


def poster_arguments(path: Path, source: Probe, at: float, target: Path, recipe: Recipe) -> list[str]:
    """Choose the most telling of the frames after second `at`."""
    picture = source.picture
    edge = recipe.poster_long_edge
    width, height = fit(picture.width, picture.height, edge, edge)
    video = source_input(path, source, recipe, ss=f"{at:.3f}")[str(picture.index)]
    video = upright(video, picture).filter("thumbnail", n=40)
    video = show_plainly(video, picture, width, height)
    options = {"frames:v": 1, "q:v": 3, "f": "image2", "update": 1}
    return finish(ffmpeg.output(video, str(target), **options))


def copy_arguments(
    path: Path, source: Probe, top: Rendition, sound: Path | None, folder: Path, recipe: Recipe
) -> list[str]:
    """Wrap the source's picture, untouched, together with the new sound."""
    tracks = [source_input(path, source, recipe)[str(source.picture.index)]]
    if sound is not None:
        tracks.append(ffmpeg.input(f"file:{sound}", f="mov")["a:0"])
    target = folder / top.name
    made = ffmpeg.output(*tracks, str(target / "index.m3u8"), c="copy", **hls_options(target, recipe.segment))
    return finish(made)


def ladder_arguments(
    path: Path, source: Probe, plan: Plan, sound: Path | None, folder: Path, recipe: Recipe
) -> list[str]:
    """Decode once; each size is scaled from the next larger one.

    Nothing else may hang on this graph. ffmpeg serves the output that is furthest behind: one that
    waits for the end, as a storyboard does, would keep it from reading the sound.
    """
    largest, *smaller = plan.encoded
    file = source_input(path, source, recipe)
    stream = prepare(file, source, plan, largest.width, largest.height)
    outputs = []
    for rendition, following in zip(plan.encoded, [*smaller, None], strict=True):
        picture = stream
        if following is not None:
            pair = stream.filter_multi_output("split", 2)
            picture = pair.stream(0)
            stream = pair.stream(1).filter("scale", following.width, following.height, flags="bilinear")
        outputs.append(_rendition(picture, rendition, plan, sound, folder, recipe))
    return finish(ffmpeg.merge_outputs(*outputs))


def decode_arguments(path: Path, source: Probe, recipe: Recipe) -> list[str]:
    """Decode the picture and throw it away, to learn whether all of it can be read."""
    video = source_input(path, source, recipe)[str(source.picture.index)]
    return finish(ffmpeg.output(video, "-", f="null"))


def storyboard_arguments(rendition: Path, sheet: Sheet, folder: Path, recipe: Recipe) -> list[str]:
    """Take the storyboard from a finished rendition, the smallest: cheaper than decoding the source."""
    stream = ffmpeg.input(f"file:{rendition / 'index.m3u8'}", f="hls", threads=recipe.threads)["v:0"]
    return finish(sheet.output(stream, folder))


def _rendition(picture: Any, rendition: Rendition, plan: Plan, sound: Path | None, folder: Path, recipe: Recipe) -> Any:
    target = folder / rendition.name
    tracks = [picture]
    options: dict[str, Any] = {
        "c:v": "libx264",
        "preset": recipe.preset,
        "profile:v": "high",
        "crf": recipe.quality,
        "maxrate": rendition.top_rate,
        "bufsize": rendition.top_rate * 3 // 2,
        "threads": recipe.threads,
        "force_key_frames": forced_keyframes(plan, recipe),
        "sc_threshold": 0,
        # Longer than any segment: only the forced keyframes count.
        "g": math.ceil(plan.frame_rate * 16),
    }
    if sound is not None:
        tracks.append(ffmpeg.input(f"file:{sound}", f="mov")["a:0"])
        options["c:a"] = "copy"
    return ffmpeg.output(*tracks, str(target / "index.m3u8"), **options, **hls_options(target, recipe.segment))


def forced_keyframes(plan: Plan, recipe: Recipe) -> str:
    """Say where keyframes are, the same in every rendition.

    With a copied top rendition: where it has them. Else where segments begin, but no stub at the
    end: a last segment of a blink would make peaks of bit rate that are none.
    """
    if plan.keyframes:
        # A quarter of a frame early: ffmpeg 5 rounds each moment to the nearest frame (half a frame early
        # would fall to the frame before), newer ones take the first frame at or behind it.
        early = float(1 / plan.frame_rate) / 4
        for moments in (plan.keyframes, plan.cuts):
            written = ",".join(f"{max(0.0, at - early):.3f}" for at in moments)
            if len(written) < LONGEST_ARGUMENT:
                break
        return written
    last = plan.duration - recipe.segment / 2
    return f"expr:gte(t,n_forced*{recipe.segment:g})*lte(t,{last:.3f})"
