"""The part of `probe` that opens the file: `python -m apps.files.video.probe_worker <demuxer> <path>`.

It runs in a process of its own with limited memory and time. Prints one JSON object: the fields of `Probe`, or
`failure`, `reason` and `note`.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
from pathlib import Path
from typing import Any

import av
import av.error
import av.stream

from studyplatform.kit.die_with_parent import bind_to_parent, lower_priority

from .failures import CorruptFile, FormatUnsupported, VideoFailure
from .tracks import describe_picture, describe_sound, read_packets

MEMORY_LIMIT = 4 * 2**30  # bytes
CPU_LIMIT = 900  # seconds
# The demuxers that each demuxer may open in turn. `enable_drefs` and `use_absolute_path` (below) keep MOV files from
# referring to other files.
FORMATS = {"mov": "mov", "avi": "avi,srt,ass", "matroska": "matroska"}
TEXT_CODECS = {"subrip", "srt", "ass", "ssa", "webvtt", "mov_text", "text"}
PICTURE_CODECS = {"hdmv_pgs_subtitle", "pgssub", "dvd_subtitle", "dvdsub", "dvb_subtitle", "dvbsub", "xsub"}
SAMPLED_FRAMES = 8  # decoded to learn size, colors and interlacing


def open_with_demuxer(path: str, demuxer: str) -> Any:
    """Open a file with the demuxer of its format, without access to other files or URLs."""
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


def inspect_file(path: str, demuxer: str) -> dict[str, Any]:
    """Read a whole file and return the fields of `probe.Probe`.

    :raises VideoFailure: the file is damaged, or of an unsupported format.
    """
    with open_with_demuxer(path, demuxer) as file:
        video = _choose_video_stream(file)
        audio = _choose_audio_stream(file)
        texts = _subtitle_tracks(file)
        pictured_texts = sum(
            getattr(each.codec_context, "name", "") in PICTURE_CODECS for each in file.streams.subtitles
        )
        start = (file.start_time or 0) / av.time_base
        tracks = read_packets(file, [each for each in (video, audio) if each], start)
        picture = tracks[video.index]
        if not picture.times:
            raise CorruptFile("unreadable", "no video packets")
        _check_index(video, Path(path).stat().st_size)
        limit = file.duration / av.time_base if file.duration else None
        described = describe_picture(_first_frames(path, demuxer, video.index), video, picture, limit)
        sound = None
        if audio is not None and tracks[audio.index].times:
            sound = describe_sound(audio, tracks[audio.index])
        duration = _total_duration(described["ends_at"], sound["ends_at"] if sound else None)
        if duration <= 0:
            raise CorruptFile("unreadable", "no duration")
        return {
            "container": demuxer,
            "duration": duration,
            "size": Path(path).stat().st_size,
            "picture": described,
            "sound": sound,
            "texts": texts,
            "pictured_texts": pictured_texts,
        }


def _total_duration(picture: float, sound: float | None) -> float:
    """Duration of the finished video in seconds. The last frame of sound may end slightly after the picture."""
    if sound is None or abs(sound - picture) < 0.08:
        return picture
    return max(sound, picture)


def _choose_video_stream(file: Any) -> Any:
    pictures = [stream for stream in file.streams.video if not stream.disposition & av.stream.Disposition.attached_pic]
    if not pictures:
        raise FormatUnsupported("no_picture")
    for stream in pictures:
        if getattr(stream, "codec_context", None) is not None:
            return stream
    raise FormatUnsupported("picture_codec", f"stream {pictures[0].index}")


def _choose_audio_stream(file: Any) -> Any:
    sounds = list(file.streams.audio)
    usable = [each for each in sounds if getattr(each, "codec_context", None) is not None]
    if sounds and not usable:
        raise FormatUnsupported("sound_codec")
    preferred = [each for each in usable if each.disposition & av.stream.Disposition.default]
    return next(iter(preferred or usable), None)


def _subtitle_tracks(file: Any) -> list[dict[str, Any]]:
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


def _check_index(stream: Any, size: int) -> None:
    """Refuse a file whose index refers to bytes after its end."""
    entries = stream.index_entries
    if len(entries) and any(
        entries[at].pos + entries[at].size > size for at in range(max(0, len(entries) - 500), len(entries))
    ):
        raise CorruptFile("truncated", "the index points behind the end of the file")


def _first_frames(path: str, demuxer: str, index: int) -> list[Any]:
    frames: list[Any] = []
    with open_with_demuxer(path, demuxer) as file:
        stream = file.streams[index]
        broken = 0
        for packet in file.demux(stream):
            try:
                frames += packet.decode()
            except av.error.FFmpegError:
                broken += 1
            if len(frames) >= SAMPLED_FRAMES or broken > 300:
                break
    if not frames:
        raise CorruptFile("undecodable")
    return frames


def _set_limits() -> None:
    lower_priority(10)
    bind_to_parent(os.getppid())
    for what, limit in ((resource.RLIMIT_AS, MEMORY_LIMIT), (resource.RLIMIT_CPU, CPU_LIMIT)):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(what, (limit, limit))


def main() -> None:
    _set_limits()
    demuxer, path = sys.argv[1:]
    try:
        report = inspect_file(path, demuxer)
    except VideoFailure as problem:
        kind = type(problem).__name__
        report = {"failure": kind, "reason": problem.reason, "note": problem.note}
    except (av.error.FFmpegError, ValueError, OverflowError, UnicodeDecodeError) as problem:
        note = f"{type(problem).__name__}: {problem}"
        report = {"failure": "CorruptFile", "reason": "unreadable", "note": note[:500]}
    sys.stdout.write(json.dumps(report))


if __name__ == "__main__":
    main()
