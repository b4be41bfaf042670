"""ffmpeg's arguments for each rendition, the poster and the storyboard."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ffmpeg

from .filter_graph import compile_arguments, ladder_input, normalize_orientation, scale_to_sdr, source_input
from .ladder import Plan, Rendition, fit
from .leveling import Leveling
from .probe import Probe, Sound
from .recipe import Recipe
from .sound_levels import SAMPLE_RATE
from .storyboard import Storyboard

# Bytes; Linux accepts 128 kB in one argument.
MAX_ARGUMENT = 120_000


def hls_options(folder: Path, segment: float) -> dict[str, Any]:
    """ffmpeg's output options for one HLS rendition in a folder of its own. `segment`: duration in seconds.

    Both tracks begin at exactly 0: encoder delays are stored in the init segment as an edit list, which players apply.
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


def continuous_sound(path: Path, source: Probe, sound: Sound, recipe: Recipe) -> Any:
    """The decoded sound from 0 to the end of the video.

    Gaps become silence, and a drifting clock is corrected, so that sound and picture stay in sync.
    """
    track = source_input(path, source, recipe)[str(sound.index)]
    track = track.filter("aresample", **{"async": 1000, "first_pts": 0})
    track = track.filter("apad", whole_dur=f"{source.duration:.6f}")
    return track.filter("atrim", end=f"{source.duration:.6f}")


def sound_arguments(
    path: Path, source: Probe, sound: Sound, target: Path, recipe: Recipe, leveling: Leveling
) -> list[str]:
    """Encode the sound once, for all renditions, as loud as `leveling` says."""
    track = continuous_sound(path, source, sound, recipe)
    if leveling.gain:
        track = track.filter("aformat", channel_layouts="stereo").filter("volume", f"{leveling.gain:.2f}dB")
    if leveling.is_limited:
        # Peaks between two samples show at four times the rate; `level` would undo the gain.
        track = track.filter("aresample", recipe.sample_rate * 4)
        track = track.filter("alimiter", limit=f"{10 ** (recipe.true_peak / 20):.4f}", level=0)
    options = {"c:a": "aac", "b:a": recipe.audio_rate, "ac": 2, "ar": recipe.sample_rate}
    return compile_arguments(ffmpeg.output(track, f"file:{target}", f="mp4", **options))


def measure_arguments(
    path: Path, source: Probe, sound: Sound, samples: Path, loudness: Path, recipe: Recipe
) -> list[str]:
    """Write what `sound_levels` reads: the sound as plain samples, and its loudness as viewers hear it, in stereo."""
    return _measure(continuous_sound(path, source, sound, recipe), samples, loudness)


def measure_encoded_arguments(sound: Path, duration: float, samples: Path, loudness: Path) -> list[str]:
    """Write what `sound_levels` reads of sound that is encoded already. ``duration``: seconds of the video."""
    track = ffmpeg.input(f"file:{sound}", f="mov")["a:0"].filter("atrim", end=f"{duration:.6f}")
    return _measure(track, samples, loudness)


def _measure(track: Any, samples: Path, loudness: Path) -> list[str]:
    track = track.filter("aformat", channel_layouts="stereo").filter_multi_output("asplit", 2)
    heard = track.stream(0).filter("ebur128", metadata=1, peak="true", framelog="verbose")
    heard = heard.filter("ametadata", "print", file=str(loudness))
    plain = track.stream(1).filter("aresample", SAMPLE_RATE)
    plain = plain.filter("aformat", sample_fmts="s16", channel_layouts="mono")
    outputs = [ffmpeg.output(heard, "-", f="null"), ffmpeg.output(plain, f"file:{samples}", f="s16le")]
    return compile_arguments(ffmpeg.merge_outputs(*outputs))


def audio_only_arguments(sound: Path, duration: float, folder: Path, recipe: Recipe) -> list[str]:
    """Split the encoded sound into segments of equal length, without a short one at the end."""
    track = ffmpeg.input(f"file:{sound}", f="mov")["a:0"]
    whole = duration + 0.1  # the encoder's padding
    segment = round(whole / max(1, round(whole / recipe.segment)), 3)
    made = ffmpeg.output(track, str(folder / "index.m3u8"), c="copy", **hls_options(folder, segment))
    return compile_arguments(made)


def poster_arguments(path: Path, source: Probe, at: float, target: Path, recipe: Recipe) -> list[str]:
    """Write the most representative frame of those after second `at`."""
    picture = source.picture
    edge = recipe.poster_long_edge
    width, height = fit(picture.width, picture.height, edge, edge)
    video = source_input(path, source, recipe, ss=f"{at:.3f}")[str(picture.index)]
    video = normalize_orientation(video, picture).filter("thumbnail", n=40)
    video = scale_to_sdr(video, picture, width, height)
    options = {"frames:v": 1, "q:v": 3, "f": "image2", "update": 1}
    return compile_arguments(ffmpeg.output(video, str(target), **options))


def cover_arguments(segment: Path, at: float, target: Path, recipe: Recipe) -> list[str]:
    """Write the frame of a second of one segment with its init segment. ``at`` counts from the segment's beginning."""
    edge = recipe.poster_long_edge
    video = ffmpeg.input(f"file:{segment}", f="mov", threads=recipe.threads, ss=f"{at:.3f}")["v:0"]
    size = f"min(1,{edge}/max(iw,ih))"
    video = video.filter("scale", w=f"trunc(iw*{size}/2)*2", h=f"trunc(ih*{size}/2)*2")
    options = {"frames:v": 1, "q:v": 3, "f": "image2", "update": 1}
    return compile_arguments(ffmpeg.output(video, str(target), **options))


def copy_arguments(
    path: Path, source: Probe, top: Rendition, sound: Path | None, folder: Path, recipe: Recipe
) -> list[str]:
    """Copy the source's picture without encoding it, together with the encoded sound."""
    tracks = [source_input(path, source, recipe)[str(source.picture.index)]]
    if sound is not None:
        tracks.append(ffmpeg.input(f"file:{sound}", f="mov")["a:0"])
    target = folder / top.name
    made = ffmpeg.output(*tracks, str(target / "index.m3u8"), c="copy", **hls_options(target, recipe.segment))
    return compile_arguments(made)


def ladder_arguments(
    path: Path,
    source: Probe,
    plan: Plan,
    sound: Path | None,
    folder: Path,
    recipe: Recipe,
    wanted: Sequence[Rendition],
) -> list[str]:
    """Decode once, and scale each size from the next larger one. `wanted`: some of the plan, largest first.

    This graph must have no other outputs. ffmpeg serves the output that is furthest behind: one that waits for the end
    of the video, such as a storyboard, would keep it from reading the sound.
    """
    largest, *smaller = wanted
    file = source_input(path, source, recipe)
    stream = ladder_input(file, source, plan, largest.width, largest.height)
    outputs = []
    for rendition, following in zip(wanted, [*smaller, None], strict=True):
        picture = stream
        if following is not None:
            pair = stream.filter_multi_output("split", 2)
            picture = pair.stream(0)
            stream = pair.stream(1).filter("scale", following.width, following.height, flags="bilinear")
        outputs.append(_rendition(picture, rendition, plan, sound, folder, recipe))
    return compile_arguments(ffmpeg.merge_outputs(*outputs))


def decode_arguments(path: Path, source: Probe, recipe: Recipe) -> list[str]:
    """Decode the picture without output, to count the frames that cannot be decoded."""
    video = source_input(path, source, recipe)[str(source.picture.index)]
    return compile_arguments(ffmpeg.output(video, "-", f="null"))


def storyboard_arguments(rendition: Path, storyboard: Storyboard, folder: Path, recipe: Recipe) -> list[str]:
    """Extract the storyboard from the smallest rendition, which is cheaper than decoding the source."""
    stream = ffmpeg.input(f"file:{rendition / 'index.m3u8'}", f="hls", threads=recipe.threads)["v:0"]
    return compile_arguments(storyboard.output(stream, folder))


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
        # Longer than any segment, so that only forced keyframes occur.
        "g": math.ceil(plan.frame_rate * 16),
    }
    if sound is not None:
        tracks.append(ffmpeg.input(f"file:{sound}", f="mov")["a:0"])
        options["c:a"] = "copy"
    return ffmpeg.output(*tracks, str(target / "index.m3u8"), **options, **hls_options(target, recipe.segment))


def forced_keyframes(plan: Plan, recipe: Recipe) -> str:
    """ffmpeg's `force_key_frames`: the same keyframes in every rendition.

    They are those of a copied top rendition, otherwise the beginnings of segments. There is none shortly before the
    end: a very short last segment would raise the measured peak bit rate.
    """
    if plan.keyframes:
        # A quarter of a frame early: ffmpeg 5 rounds each moment to the nearest frame (half a frame early would
        # round to the previous frame), newer versions use the first frame at or after it.
        early = float(1 / plan.frame_rate) / 4
        for moments in (plan.keyframes, plan.cuts):
            written = ",".join(f"{max(0.0, at - early):.3f}" for at in moments)
            if len(written) < MAX_ARGUMENT:
                break
        return written
    last = plan.duration - recipe.segment / 2
    return f"expr:gte(t,n_forced*{recipe.segment:g})*lte(t,{last:.3f})"
