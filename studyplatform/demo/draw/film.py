"""A video: a script of spoken lines and a function that draws any moment of it.

The script comes first. Each line is synthesized, its length measured, and the drawing asks the
clock how far each movement has got: nothing in a drawing names a second of the film, so words and
pictures cannot drift apart.
"""

from __future__ import annotations

import math
import re
import subprocess
import tempfile
import wave
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy

from studyplatform.demo.draw.stage import HEIGHT, WIDTH, Stage
from studyplatform.demo.draw.voice import RATE, Sound, Voice, clauses, say

FPS = 20
CONTENT = Path(__file__).resolve().parents[1] / "content"

Draw = Callable[[Stage, "Clock"], None]


@dataclass(frozen=True)
class Film:
    """``script``: one line per ``key: sentence``; ``(1.5)`` at its end holds the picture so long
    after it. ``key = name`` plays a sound of ``sounds`` instead, with what follows as caption."""

    course: str
    name: str
    title: str
    script: str
    draw: Draw
    voice: Voice = field(default_factory=Voice)
    sounds: Mapping[str, Callable[[], Sound]] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        return CONTENT / "courses" / self.course / f"{self.name}.mp4"


@dataclass(frozen=True)
class Beat:
    key: str
    start: float
    end: float
    captions: tuple[tuple[str, float, float], ...]


def smooth(share: float) -> float:
    """Ease in and out with a quintic curve, which starts and stops smoothly."""
    share = min(1.0, max(0.0, share))
    return share**3 * (share * (share * 6 - 15) + 10)


@dataclass
class Clock:
    """The state of the script at the moment ``now`` (seconds)."""

    beats: Mapping[str, Beat]
    length: float
    now: float = 0.0

    def since(self, key: str) -> float:
        """Seconds since the line ``key`` began to be spoken; negative before it."""
        return self.now - self.beats[key].start

    def p(self, key: str, delay: float = 0.0, over: float = 0.8) -> float:
        """Eased progress, 0 to 1, of a movement that begins ``delay`` after ``key`` begins."""
        return smooth((self.since(key) - delay) / over)

    def out(self, key: str, delay: float = 0.0, over: float = 0.5) -> float:
        """The inverse of progress: 1 before ``key``, 0 after the movement."""
        return 1.0 - self.p(key, delay, over)

    def span(self, key: str) -> float:
        """The duration of the line with its hold, in seconds."""
        return self.beats[key].end - self.beats[key].start

    def share(self, key: str, until: str | None = None) -> float:
        """Even progress, 0 to 1, from the start of ``key`` to the end of it (or of ``until``)."""
        start, end = self.beats[key].start, self.beats[until or key].end
        return min(1.0, max(0.0, (self.now - start) / (end - start)))


_LINE = re.compile(r"^(\w+)\s*(:|=)\s*(.*?)(?:\s*\(([\d.]+)\))?$")
LEAD, GAP, TAIL = 0.7, 0.42, 1.6


def record(film: Film) -> tuple[Sound, Clock]:
    """Synthesize the script; returns the soundtrack at 16 kHz and the times of its lines."""
    parts: list[Sound] = [numpy.zeros(int(LEAD * RATE), numpy.float32)]
    beats: dict[str, Beat] = {}
    now = LEAD
    for line in filter(None, map(str.strip, film.script.splitlines())):
        match = _LINE.match(line)
        if match is None or match[1] in beats:
            raise ValueError(f"{film.name}: cannot read the line {line!r}")
        key, kind, text, hold = match.groups()
        pause = GAP + float(hold or 0)
        if kind == "=":
            sound_name, _, caption = text.partition(" ")
            sound = film.sounds[sound_name]()
            captions = [(caption, 0.0, len(sound) / RATE)]
        else:
            sound = say(text, film.voice)
            captions = clauses(text, sound)
        parts += [sound, numpy.zeros(int(pause * RATE), numpy.float32)]
        spoken = len(sound) / RATE
        length = spoken + int(pause * RATE) / RATE
        beats[key] = Beat(key, now, now + length, tuple((c, now + a, now + b) for c, a, b in captions))
        now += length
    parts.append(numpy.zeros(int(TAIL * RATE), numpy.float32))
    return numpy.concatenate(parts), Clock(beats, now + TAIL)


def _stamp(seconds: float) -> str:
    whole = round(seconds * 1000)
    return f"{whole // 3600000:02}:{whole // 60000 % 60:02}:{whole // 1000 % 60:02}.{whole % 1000:03}"


def captions(clock: Clock) -> str:
    """The WebVTT file: a cue per spoken line, or per clause of a long one."""
    cues = [cue for beat in clock.beats.values() for cue in beat.captions]
    blocks = ["WEBVTT"]
    for index, (text, start, end) in enumerate(cues):
        following = cues[index + 1][1] if index + 1 < len(cues) else clock.length
        end = min(end + 0.35, following)
        blocks.append(f"{_stamp(start)} --> {_stamp(end)}\n{text}")
    return "\n\n".join(blocks) + "\n"


def stills(film: Film, folder: Path, count: int = 12, at: list[float] | None = None) -> list[Path]:
    """Draw ``count`` stills, spread over the video, for review."""
    _, clock = record(film)
    stage = Stage()
    folder.mkdir(parents=True, exist_ok=True)
    out = []
    for number, now in enumerate(at or [clock.length * (i + 0.5) / count for i in range(count)]):
        clock.now = now
        stage.clear()
        film.draw(stage, clock)
        path = folder / f"{film.name}-{number:02}.png"
        stage.save_png(path)
        out.append(path)
    return out


def gain(track: Path, target: float = -17.0) -> float:
    """The decibels that bring a recording to ``target`` LUFS, the level of spoken lessons."""
    command = ["ffmpeg", "-hide_banner", "-nostats", "-i", str(track), "-af", "ebur128", "-f", "null", "-"]
    report = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    measured = re.findall(r"I:\s+(-?[\d.]+) LUFS", report)
    return target - float(measured[-1])


def shoot(film: Film, quality: int = 35, say_progress: Callable[[str], None] = print) -> None:
    """Draw every frame, encode video and audio, and write the captions next to the file."""
    sound, clock = record(film)
    film.path.parent.mkdir(parents=True, exist_ok=True)
    draft = film.path.with_suffix(".part")
    film.path.with_suffix(".en.vtt").write_text(captions(clock), encoding="utf-8")
    frames = math.ceil(clock.length * FPS)
    with tempfile.TemporaryDirectory() as folder:
        track = Path(folder) / "voice.wav"
        with wave.open(str(track), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes((numpy.clip(sound, -1, 1) * 32767).astype("<i2").tobytes())
        command = ["ffmpeg", "-v", "error", "-y"]
        command += ["-f", "rawvideo", "-pix_fmt", "rgba", "-s", f"{WIDTH}x{HEIGHT}", "-r", str(FPS)]
        command += ["-i", "-", "-i", str(track)]
        command += ["-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p"]
        command += ["-c:v", "libx264", "-preset", "veryslow", "-tune", "animation"]
        command += ["-crf", str(quality), "-profile:v", "high", "-level", "3.1", "-refs", "5", "-g", str(FPS * 4)]
        # A keyframe every 4 seconds and nowhere else: the platform then copies the picture instead of encoding it again.
        command += ["-keyint_min", str(FPS * 4), "-sc_threshold", "0"]
        command += ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]
        level = f"volume={gain(track):.2f}dB,alimiter=limit=0.84:level=false"
        command += ["-af", f"highpass=f=70,{level},aresample=24000"]
        command += ["-c:a", "aac", "-ac", "1", "-b:a", "40k", "-shortest"]
        command += ["-map_metadata", "-1", "-movflags", "+faststart", "-f", "mp4", str(draft)]
        encoder = subprocess.Popen(command, stdin=subprocess.PIPE)
        if encoder.stdin is None:
            raise RuntimeError("no pipe to ffmpeg")
        stage = Stage()
        for frame in range(frames):
            clock.now = frame / FPS
            stage.clear()
            film.draw(stage, clock)
            encoder.stdin.write(stage.pixels())
            if frame % (FPS * 10) == 0:
                say_progress(f"{film.course}/{film.name}: {clock.now:.0f} of {clock.length:.0f} s")
        encoder.stdin.close()
        if encoder.wait():
            raise RuntimeError(f"ffmpeg could not encode {film.name}")
    draft.replace(film.path)
    say_progress(f"{film.course}/{film.name}: {clock.length:.1f} s, {film.path.stat().st_size} bytes")
