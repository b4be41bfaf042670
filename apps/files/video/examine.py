"""The reading half of `probe`: `python -m apps.files.video.examine <demuxer> <path>`.

Runs alone in a process with little memory and time. Prints one JSON object: the fields of
`Probe`, or `failure`, `reason` and `note`.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import resource
import statistics
import struct
import sys
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import av.error
import av.stream

from studyplatform.kit.die_with_parent import be_nice, hold

from .failures import CorruptFile, FormatUnsupported, VideoFailure

MEMORY = 4 * 2**30
CPU_SECONDS = 900
# What each demuxer may in turn open, and from where. `enable_drefs` keeps MOV files from naming
# other files as the place of their media.
FORMATS = {"mov": "mov", "avi": "avi,srt,ass", "matroska": "matroska"}
STANDARD_RATES = tuple(
    Fraction(rate)
    for rate in ("5", "6", "8", "10", "12", "25/2", "15", "20", "24000/1001", "24", "25",
                 "30000/1001", "30", "48", "50", "60000/1001", "60")
)  # fmt: skip
TEXT_CODECS = {"subrip", "srt", "ass", "ssa", "webvtt", "mov_text", "text"}
TRANSFERS = {16: "pq", 18: "hlg"}
LOOKED_AT = 8  # decoded frames


@dataclass
class Track:
    """What one pass over the packets tells about a track."""

    times: list[float] = field(default_factory=list)
    lengths: list[float] = field(default_factory=list)  # seconds; as they are stored, 0 where nothing is said
    keyframes: list[float] = field(default_factory=list)
    is_in_order: bool = True  # packets are stored in the order in which they are shown
    size: int = 0
    is_closed: bool = True
    is_whole: bool = True


def open_named(path: str, demuxer: str) -> Any:
    """Open a file as what it is, with no way to reach any other file or address."""
    return av.open(
        path,
        format=demuxer,
        metadata_errors="replace",
        options={
            "protocol_whitelist": "file",
            "format_whitelist": FORMATS[demuxer],
            "enable_drefs": "0",
            "use_absolute_path": "0",
        },
    )


def examine(path: str, demuxer: str) -> dict[str, Any]:
    """Read a file from end to end and tell what is in it.

    :raises VideoFailure: it is damaged, or nothing we can use.
    """
    with open_named(path, demuxer) as file:
        video = _choose_picture(file)
        audio = _choose_sound(file)
        texts = _texts(file)
        start = (file.start_time or 0) / av.time_base
        tracks = _read_packets(file, [each for each in (video, audio) if each], start)
        picture = tracks[video.index]
        if not picture.times:
            raise CorruptFile("unreadable", "no video packets")
        _check_index(video, Path(path).stat().st_size)
        limit = file.duration / av.time_base if file.duration else None
        described = _describe_picture(path, demuxer, video, picture, limit)
        sound = None
        if audio is not None and tracks[audio.index].times:
            sound = _describe_sound(audio, tracks[audio.index])
        duration = _whole_length(described["ends_at"], sound["ends_at"] if sound else None)
        if duration <= 0:
            raise CorruptFile("unreadable", "no duration")
        return {
            "container": demuxer,
            "duration": duration,
            "size": Path(path).stat().st_size,
            "picture": described,
            "sound": sound,
            "texts": texts,
        }


def _whole_length(picture: float, sound: float | None) -> float:
    """Length of the finished video. The last frame of sound may hang over a little."""
    if sound is None or abs(sound - picture) < 0.08:
        return picture
    return max(sound, picture)


def _choose_picture(file: Any) -> Any:
    pictures = [stream for stream in file.streams.video if not stream.disposition & av.stream.Disposition.attached_pic]
    if not pictures:
        raise FormatUnsupported("no_picture")
    for stream in pictures:
        if getattr(stream, "codec_context", None) is not None:
            return stream
    raise FormatUnsupported("picture_codec", f"stream {pictures[0].index}")


def _choose_sound(file: Any) -> Any:
    sounds = list(file.streams.audio)
    usable = [each for each in sounds if getattr(each, "codec_context", None) is not None]
    if sounds and not usable:
        raise FormatUnsupported("sound_codec")
    preferred = [each for each in usable if each.disposition & av.stream.Disposition.default]
    return next(iter(preferred or usable), None)


def _texts(file: Any) -> list[dict[str, Any]]:
    found = []
    for stream in file.streams.subtitles:
        context = getattr(stream, "codec_context", None)
        if context is not None and context.name in TEXT_CODECS:
            found.append(
                {
                    "index": stream.index,
                    "codec": context.name,
                    "language": stream.language or "",
                    "title": str(stream.metadata.get("title", ""))[:100],
                    "is_default": bool(stream.disposition & av.stream.Disposition.default),
                }
            )
    return found


def _read_packets(file: Any, streams: list[Any], start: float) -> dict[int, Track]:
    tracks = {stream.index: Track() for stream in streams}
    nal_width = {stream.index: _nal_width(stream) for stream in streams}
    for packet in file.demux(streams):
        track = tracks[packet.stream_index]
        stamp = packet.dts if packet.pts is None else packet.pts
        if stamp is None or packet.size == 0:  # the flush packet at the end
            continue
        track.size += packet.size
        track.is_whole &= not (packet.is_discard or packet.is_corrupt)
        track.is_whole &= not packet.has_sidedata("new_extradata") and packet.pts is not None
        if packet.is_discard:
            continue
        at = float(stamp * packet.time_base) - start
        track.is_in_order &= not track.times or at >= track.times[-1]
        track.times.append(at)
        track.lengths.append(float((packet.duration or 0) * packet.time_base))
        if packet.is_keyframe and packet.stream.type == "video":
            track.keyframes.append(at)
            if track.is_closed and nal_width[packet.stream_index] is not None:
                track.is_closed = _begins_anew(bytes(packet), nal_width[packet.stream_index])
    return tracks


def _nal_width(stream: Any) -> int | None:
    """Bytes of the length before each unit of H.264; 0 where start codes are used; else None."""
    if stream.type != "video" or stream.codec_context.name != "h264":
        return None
    extra = stream.codec_context.extradata or b""
    return (extra[4] & 3) + 1 if len(extra) > 4 and extra[0] == 1 else 0


def _begins_anew(data: bytes, width: int | None) -> bool:
    """Whether a keyframe of H.264 is an IDR picture: nothing after it looks behind it."""
    if not width:
        kinds = [data[at + 3] & 31 for at in _start_codes(data)]
    else:
        kinds, at = [], 0
        while at + width < len(data):
            size = int.from_bytes(data[at : at + width], "big")
            kinds.append(data[at + width] & 31)
            at += width + size
    return 5 in kinds


def _start_codes(data: bytes) -> list[int]:
    found, at = [], data.find(b"\0\0\1")
    while 0 <= at < len(data) - 3:
        found.append(at)
        at = data.find(b"\0\0\1", at + 3)
    return found


def _check_index(stream: Any, size: int) -> None:
    """Refuse a file whose index points behind its end."""
    entries = stream.index_entries
    if len(entries) and any(
        entries[at].pos + entries[at].size > size for at in range(max(0, len(entries) - 500), len(entries))
    ):
        raise CorruptFile("truncated", "the index points behind the end of the file")


def _first_frames(path: str, demuxer: str, index: int) -> list[Any]:
    frames: list[Any] = []
    with open_named(path, demuxer) as file:
        stream = file.streams[index]
        broken = 0
        for packet in file.demux(stream):
            try:
                frames += packet.decode()
            except av.error.FFmpegError:
                broken += 1
            if len(frames) >= LOOKED_AT or broken > 300:
                break
    if not frames:
        raise CorruptFile("undecodable")
    return frames


def _describe_picture(path: str, demuxer: str, stream: Any, track: Track, limit: float | None) -> dict[str, Any]:
    frames = _first_frames(path, demuxer, stream.index)
    frame = frames[0]
    context = stream.codec_context
    width, height = frame.width, frame.height
    aspect = stream.sample_aspect_ratio or context.sample_aspect_ratio
    is_square = not aspect or aspect == 1
    if not is_square:
        width = round(width * aspect)
    turns = _turns(frame)
    if any(each.startswith("transpose") for each in turns):
        width, height = height, width
    rate, is_variable, step = _frame_rate(track.times, stream)
    end = _end_of(track, step, limit)
    begin = min(track.times)
    keyframes = sorted(set(track.keyframes))
    gap = max((b - a for a, b in zip(keyframes, [*keyframes[1:], end], strict=True)), default=end)
    return {
        "index": stream.index,
        "codec": context.name,
        "profile": str(context.profile or ""),
        "level": int(getattr(context, "level", 0) or 0),
        "pixel_format": str(frame.format.name),
        "width": width,
        "height": height,
        "coded_width": frame.width,
        "coded_height": frame.height,
        "turns": turns,
        "square_pixels": is_square,
        "interlaced": any(each.interlaced_frame for each in frames),
        "transfer": TRANSFERS.get(int(frame.color_trc or 0), "sdr"),
        "matrix": _matrix(frame),
        "frame_rate": str(rate),
        "is_variable": is_variable,
        "starts_at": begin,
        "ends_at": end,
        "frames": len(track.times),
        "bit_rate": round(track.size * 8 / max(end - begin, 0.04)),
        "keyframes": [round(at, 6) for at in keyframes],
        "keyframe_gap": gap,
        "is_copyable_stream": track.is_closed and track.is_whole,
    }


def _end_of(track: Track, step: float, limit: float | None) -> float:
    """When a track ends, in seconds. ``step``: a usual frame's length; ``limit``: the end of the whole file as its
    container states it, or None.

    With reordered frames a packet's length is that of the frame stored in its place, not of its own, so no single
    one can be trusted. Their sum can: it is how long all frames together are shown. Where the sum does not reach the
    last frame (gaps, missing lengths), the last frame is as long as it says, or as a usual one.
    """
    last = max(track.times)
    whole = min(track.times) + sum(track.lengths)
    own = track.lengths[-1] if track.is_in_order else 0.0
    end = whole if all(track.lengths) and whole > last + 0.001 else last + (own or step)
    if limit is not None and last < limit < end:
        return max(limit, min(last + step, end))
    return end


def _turns(frame: Any) -> list[str]:
    """Name the filters that turn a picture the way its display matrix asks for.

    Phones store what the sensor saw and note how it was held; front cameras may mirror as well.
    """
    for side in frame.side_data:
        if side.type.name == "DISPLAYMATRIX":
            numbers = struct.unpack("=9i", bytes(side)[:36])
            a, b, c, d = numbers[0], numbers[1], numbers[3], numbers[4]
            if abs(b) > abs(a):
                if b > 0:
                    return ["transpose=cclock_flip" if c > 0 else "transpose=clock"]
                return ["transpose=clock_flip" if c < 0 else "transpose=cclock"]
            return ["hflip"] * (a < 0) + ["vflip"] * (d < 0)
    return []


def _matrix(frame: Any) -> str:
    space = int(frame.colorspace or 2)
    if space in (9, 10):
        return "bt2020"
    if space == 1:
        return "bt709"
    if space in (5, 6, 7):
        return "bt601"
    return "bt709" if min(frame.width, frame.height) >= 720 else "bt601"


def _frame_rate(times: list[float], stream: Any) -> tuple[Fraction, bool, float]:
    """Answer the rate to show the video at, whether the source's varies, and one frame's length."""
    ordered = sorted(times)
    steps = [b - a for a, b in itertools.pairwise(ordered) if b > a]
    if not steps:
        return Fraction(5), False, float(1 / (stream.average_rate or 25))
    typical = statistics.median(steps)
    tick = float(stream.time_base)
    # Matroska counts milliseconds: 33, 33, 34 is a constant rate.
    allowed = max(2.1 * tick, 0.0011)
    strays = sum(1 for step in steps if abs(step - typical) > allowed)
    mean = (ordered[-1] - ordered[0]) / len(steps)
    if strays == 0:
        declared = stream.average_rate
        if declared and abs(float(1 / declared) - mean) < 0.0005:
            return Fraction(declared), False, mean
        return _standard_rate(1 / mean), False, mean
    # Bursts of motion between long stills: take the rate of the bursts.
    lively = sorted(steps)[len(steps) // 10]
    return _standard_rate(1 / max(lively, 1 / 60)), True, typical


def _standard_rate(rate: float) -> Fraction:
    nearest = min(STANDARD_RATES, key=lambda each: abs(float(each) - rate) / rate)
    if abs(float(nearest) - rate) / rate < 0.03:
        return nearest
    return next((each for each in STANDARD_RATES if float(each) >= rate), STANDARD_RATES[-1])


def _describe_sound(stream: Any, track: Track) -> dict[str, Any]:
    context = stream.codec_context
    return {
        "index": stream.index,
        "codec": context.name,
        "channels": context.channels,
        "sample_rate": context.sample_rate,
        "starts_at": min(track.times),
        "ends_at": max(at + length for at, length in zip(track.times, track.lengths, strict=True)),
        "packets": len(track.times),
        "language": stream.language or "",
    }


def _set_limits() -> None:
    be_nice(10)
    hold(os.getppid())
    for what, limit in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, CPU_SECONDS)):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(what, (limit, limit))


def main() -> None:
    _set_limits()
    demuxer, path = sys.argv[1:]
    try:
        report = examine(path, demuxer)
    except VideoFailure as problem:
        kind = type(problem).__name__
        report = {"failure": kind, "reason": problem.reason, "note": problem.note}
    except (av.error.FFmpegError, ValueError, OverflowError, UnicodeDecodeError) as problem:
        note = f"{type(problem).__name__}: {problem}"
        report = {"failure": "CorruptFile", "reason": "unreadable", "note": note[:500]}
    sys.stdout.write(json.dumps(report))


if __name__ == "__main__":
    main()
