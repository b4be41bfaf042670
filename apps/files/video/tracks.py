"""Describe the tracks of a video from their packets and first frames; part of `probe_worker`."""

from __future__ import annotations

import itertools
import statistics
import struct
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

STANDARD_RATES = tuple(
    Fraction(rate)
    for rate in ("5", "6", "8", "10", "12", "25/2", "15", "20", "24000/1001", "24", "25",
                 "30000/1001", "30", "48", "50", "60000/1001", "60")
)  # fmt: skip
TRANSFERS = {16: "pq", 18: "hlg"}


@dataclass
class Track:
    """The packets of a track, in seconds from the start of the file. `size`: bytes of all packets."""

    times: list[float] = field(default_factory=list)
    lengths: list[float] = field(default_factory=list)  # as they are stored; 0 where the file has none
    keyframes: list[float] = field(default_factory=list)
    is_in_order: bool = True  # whether packets are stored in presentation order
    size: int = 0
    is_closed: bool = True  # whether all keyframes of H.264 are IDR pictures
    is_whole: bool = True  # whether no packet is discarded or damaged, and the codec's configuration never changes


def read_packets(file: Any, streams: list[Any], start: float) -> dict[int, Track]:
    """Read all packets of the streams once. `start`: the file's first timestamp in seconds. Returns tracks by index."""
    tracks = {stream.index: Track() for stream in streams}
    nal_length_size = {stream.index: _nal_length_size(stream) for stream in streams}
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
            if track.is_closed and nal_length_size[packet.stream_index] is not None:
                track.is_closed = _is_idr(bytes(packet), nal_length_size[packet.stream_index])
    return tracks


def _nal_length_size(stream: Any) -> int | None:
    """Size in bytes of the length field before each NAL unit (ISO/IEC 14496-15); 0 for start codes (ITU-T H.264,
    annex B); None for other codecs."""
    if stream.type != "video" or stream.codec_context.name != "h264":
        return None
    extra = stream.codec_context.extradata or b""
    return (extra[4] & 3) + 1 if len(extra) > 4 and extra[0] == 1 else 0


def _is_idr(data: bytes, width: int | None) -> bool:
    """Whether an H.264 keyframe is an IDR picture (NAL unit type 5): no later frame refers to an earlier one."""
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


def describe_picture(frames: list[Any], stream: Any, track: Track, limit: float | None) -> dict[str, Any]:
    """The fields of `probe.Picture`. `frames`: the first decoded ones; `limit`: the end of the file, or None."""
    frame = frames[0]
    context = stream.codec_context
    width, height = frame.width, frame.height
    aspect = stream.sample_aspect_ratio or context.sample_aspect_ratio
    is_square = not aspect or aspect == 1
    if not is_square:
        width = round(width * aspect)
    turns = _rotation_filters(frame)
    if any(each.startswith("transpose") for each in turns):
        width, height = height, width
    rate, is_variable, step = _frame_rate(track.times, stream)
    end = end_of_track(track, step, limit)
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


def end_of_track(track: Track, step: float, limit: float | None) -> float:
    """The end of a track in seconds. ``step``: the typical frame duration; ``limit``: the end of the file according to
    its container, or None.

    With reordered frames, a packet's duration is that of the frame stored at its position, so a single one is
    unreliable. Their sum is reliable: it is the duration of all frames. If the sum does not reach the last frame (gaps,
    missing durations), the last frame lasts for its own duration, or a typical one.
    """
    last = max(track.times)
    whole = min(track.times) + sum(track.lengths)
    own = track.lengths[-1] if track.is_in_order else 0.0
    end = whole if all(track.lengths) and whole > last + 0.001 else last + (own or step)
    if limit is not None and last < limit < end:
        return max(limit, min(last + step, end))
    return end


def _rotation_filters(frame: Any) -> list[str]:
    """The ffmpeg filters that rotate and mirror a frame according to its display matrix.

    Phones store the picture as the sensor saw it, with their orientation; front cameras may mirror it as well.
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
    """Return the frame rate to encode at, whether the source's varies, and the typical frame duration in seconds."""
    ordered = sorted(times)
    steps = [b - a for a, b in itertools.pairwise(ordered) if b > a]
    if not steps:
        return Fraction(5), False, float(1 / (stream.average_rate or 25))
    typical = statistics.median(steps)
    tick = float(stream.time_base)
    # Matroska stores whole milliseconds: 33, 33, 34 is a constant rate.
    allowed = max(2.1 * tick, 0.0011)
    outliers = sum(1 for step in steps if abs(step - typical) > allowed)
    mean = (ordered[-1] - ordered[0]) / len(steps)
    if outliers == 0:
        declared = stream.average_rate
        if declared and abs(float(1 / declared) - mean) < 0.0005:
            return Fraction(declared), False, mean
        return _standard_rate(1 / mean), False, mean
    # Bursts of motion between long stills: use the rate of the bursts.
    burst = sorted(steps)[len(steps) // 10]
    return _standard_rate(1 / max(burst, 1 / 60)), True, typical


def _standard_rate(rate: float) -> Fraction:
    nearest = min(STANDARD_RATES, key=lambda each: abs(float(each) - rate) / rate)
    if abs(float(nearest) - rate) / rate < 0.03:
        return nearest
    return next((each for each in STANDARD_RATES if float(each) >= rate), STANDARD_RATES[-1])


def describe_sound(stream: Any, track: Track) -> dict[str, Any]:
    """The fields of `probe.Sound`."""
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
