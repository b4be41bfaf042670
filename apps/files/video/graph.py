"""The pieces of ffmpeg's command line that every run of ours is put together from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ffmpeg

from .ladder import Plan
from .probe import Picture, Probe
from .recipe import Recipe

# What each demuxer may open in turn. See `examine`: the same rule, for the other reader.
FORMATS = {"mov": "mov", "avi": "avi,srt,ass", "matroska": "matroska"}


def source_input(path: Path, source: Probe, recipe: Recipe, **more: Any) -> Any:
    """Name the source to ffmpeg: demuxer fixed, no other file or protocol within reach."""
    options: dict[str, Any] = {
        "threads": recipe.threads,
        "max_pixels": recipe.most_pixels,
        # A call's window that is resized in the middle must not start the filters anew, which
        # would pad the end of the first part. `upright` brings every frame to one size first.
        "reinit_filter": 0,
        "noautorotate": None,
        "protocol_whitelist": "file",
        "format_whitelist": FORMATS[source.container],
    }
    if source.container == "mov":
        options |= {"enable_drefs": 0, "use_absolute_path": 0}
    return ffmpeg.input(f"file:{path}", f=source.container, **options, **more)


def upright(video: Any, picture: Picture) -> Any:
    """Bring decoded frames to one size, progressive, and the right way up.

    The scaler comes first and does nothing as long as frames are what the first one was: the
    filters behind it trust that sizes never change.
    """
    video = video.filter("scale", picture.coded_width, picture.coded_height)
    if picture.interlaced:
        video = video.filter("bwdif", mode="send_frame", deint="interlaced")
    for turn in picture.turns:
        name, _, direction = turn.partition("=")
        video = video.filter(name, *([direction] if direction else []))
    # Newer ffmpegs pass the matrix on to the encoder and the file: players would turn the picture once more.
    return video.filter("sidedata", mode="delete", type="DISPLAYMATRIX")


def prepare(stream: Any, source: Probe, plan: Plan, width: int, height: int) -> Any:
    """Filters between the decoder and the largest encoded size.

    Besides what `upright` and `show_plainly` do: a constant rate from 0 to the whole length.
    Early gaps and ends repeat a frame.
    """
    picture = source.picture
    video = upright(stream[str(picture.index)], picture)
    if picture.rate > plan.frame_rate and not picture.is_variable:
        video = video.filter("fps", fps=str(plan.frame_rate), start_time=0)
    video = show_plainly(video, picture, width, height)
    video = video.filter("fps", fps=str(plan.frame_rate), start_time=0)
    missing = max(0.0, plan.duration - picture.ends_at)
    video = video.filter("tpad", stop_mode="clone", stop_duration=f"{missing + 1:.3f}")
    return video.filter("trim", end=f"{plan.duration - 0.001:.6f}")


def show_plainly(video: Any, picture: Picture, width: int, height: int) -> Any:
    """Scale to square pixels, and bring deep, wide or bright colors down to what every screen
    shows: 8 bits of standard range."""
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


def finish(outputs: Any) -> list[str]:
    """Turn a graph into arguments, with the flags that every run of ours has."""
    # Warnings too, each in a line of its own: `encode` counts the frames that could not be decoded.
    always = ["-hide_banner", "-v", "repeat+warning", "-nostdin", "-y", "-max_error_rate", "0.5"]
    always += ["-progress", "pipe:1", "-nostats"]
    return [*always, *ffmpeg.get_args(outputs)]
