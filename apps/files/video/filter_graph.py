"""The parts of ffmpeg's filter graphs and command lines that several outputs share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ffmpeg

from .ladder import Plan
from .probe import Picture, Probe
from .recipe import Recipe

# The demuxers that each demuxer may open in turn. `probe_worker` has the same rule.
FORMATS = {"mov": "mov", "avi": "avi,srt,ass", "matroska": "matroska"}


def source_input(path: Path, source: Probe, recipe: Recipe, **more: Any) -> Any:
    """The source as ffmpeg's input: with a fixed demuxer, and without access to other files or protocols."""
    options: dict[str, Any] = {
        "threads": recipe.threads,
        "max_pixels": recipe.most_pixels,
        # A recorded window that is resized must not restart the filters, which would pad the end of the first part.
        # `normalize_orientation` scales every frame to one size first.
        "reinit_filter": 0,
        "noautorotate": None,
        "protocol_whitelist": "file",
        "format_whitelist": FORMATS[source.container],
    }
    if source.container == "mov":
        options |= {"enable_drefs": 0, "use_absolute_path": 0}
    return ffmpeg.input(f"file:{path}", f=source.container, **options, **more)


def normalize_orientation(video: Any, picture: Picture) -> Any:
    """Convert decoded frames to one size, progressive, and upright.

    The scaler comes first, because the following filters require a constant size; it does nothing to frames of the
    first frame's size.
    """
    video = video.filter("scale", picture.coded_width, picture.coded_height)
    if picture.interlaced:
        video = video.filter("bwdif", mode="send_frame", deint="interlaced")
    for turn in picture.turns:
        name, _, direction = turn.partition("=")
        video = video.filter(name, *([direction] if direction else []))
    # Newer ffmpegs write the matrix to the output too, and players would rotate the picture again.
    return video.filter("sidedata", mode="delete", type="DISPLAYMATRIX")


def ladder_input(stream: Any, source: Probe, plan: Plan, width: int, height: int) -> Any:
    """The filters between the decoder and the largest encoded size.

    They apply `normalize_orientation` and `scale_to_sdr`, and give the video a constant frame rate from 0 to its whole
    duration; a gap at the beginning or the end repeats a frame.
    """
    picture = source.picture
    video = normalize_orientation(stream[str(picture.index)], picture)
    if picture.rate > plan.frame_rate and not picture.is_variable:
        video = video.filter("fps", fps=str(plan.frame_rate), start_time=0)
    video = scale_to_sdr(video, picture, width, height)
    video = video.filter("fps", fps=str(plan.frame_rate), start_time=0)
    missing = max(0.0, plan.duration - picture.ends_at)
    video = video.filter("tpad", stop_mode="clone", stop_duration=f"{missing + 1:.3f}")
    return video.filter("trim", end=f"{plan.duration - 0.001:.6f}")


def scale_to_sdr(video: Any, picture: Picture, width: int, height: int) -> Any:
    """Scale to square pixels, and convert deep, wide-gamut or HDR colors to 8-bit standard dynamic range (BT.709)."""
    size = {"w": width, "h": height}
    if picture.transfer != "sdr":
        curve = "smpte2084" if picture.transfer == "pq" else "arib-std-b67"
        tags = {"color_primaries": "bt2020", "color_trc": curve, "colorspace": "bt2020nc"}
        video = video.filter("setparams", **tags)
        video = video.filter("zscale", **size, transfer="linear", npl=100)
        video = video.filter("format", "gbrpf32le").filter("zscale", primaries="bt709")
        video = video.filter("tonemap", tonemap="hable", desat=0)
        video = video.filter("zscale", transfer="bt709", matrix="bt709", range="tv")
        video = video.filter("format", "yuv420p")
        matrix = "bt709"
    else:
        matrix = {"bt709": "bt709", "bt601": "smpte170m", "bt2020": "bt709"}[picture.matrix]
        scaling: dict[str, Any] = {**size, "flags": "bicubic", "out_range": "tv"}
        if picture.matrix == "bt2020":
            scaling |= {"in_color_matrix": "bt2020", "out_color_matrix": "bt709"}
        elif not picture.pixel_format.startswith(("yuv", "nv", "p0", "gray")):
            scaling["out_color_matrix"] = matrix
        video = video.filter("scale", **scaling).filter("format", "yuv420p")
    return video.filter("setsar", "1").filter(
        "setparams", color_primaries=matrix, color_trc=matrix, colorspace=matrix, range="tv"
    )


def compile_arguments(outputs: Any) -> list[str]:
    """Compile a filter graph into ffmpeg's arguments, with the flags that every run has."""
    # Warnings too, each on its own line: `encode` counts the frames that could not be decoded.
    always = ["-hide_banner", "-v", "repeat+warning", "-nostdin", "-y", "-max_error_rate", "0.5"]
    always += ["-progress", "pipe:1", "-nostats"]
    return [*always, *ffmpeg.get_args(outputs)]
