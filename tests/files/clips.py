"""Create small test videos with ffmpeg's built-in sources, and measure what a viewer sees and hears
of the result.

Every second of a clip begins with a white flash and a beep. Tests can therefore check the images and
sound of a rendition instead of trusting its headers.
"""

import fcntl
import io
import shutil
import subprocess
from array import array
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import av
import av.audio.resampler

# A beep sounds at each full second, together with the white flash of PICTURE.
BEEP = "aevalsrc='0.8*sin(2*PI*1000*t)*lt(mod(t+{since},1),0.15)':s=44100:d={d}"
PICTURE = "testsrc2=s={size}:r={rate}:d={d},drawbox=color=white:t=fill:enable='lt(mod(t,1),0.15)'"
X264 = "-c:v libx264 -preset ultrafast -crf 30 -pix_fmt yuv420p"
VP8 = "-c:v libvpx -deadline realtime -cpu-used 8 -b:v 200k"
AAC = "-c:a aac -b:a 64k"
# One color for each second: red, green, blue, black.
COLORS = ",".join(
    f"drawbox=color={color}:t=fill:enable='gte(t,{second})'"
    for second, color in enumerate(("red", "lime", "blue", "black"))
)


@dataclass(frozen=True)
class Recording:
    """The settings of a clip: its size, frame rate, length in seconds, and ffmpeg options."""

    name: str
    size: str = "320x180"
    rate: str = "15"
    seconds: float = 4
    options: str = f"{X264} -g 15 {AAC}"
    filters: str = ""
    is_silent: bool = False
    inputs: str = ""
    sound: str = BEEP


RECORDINGS = {
    each.name: each
    for each in (
        Recording("lecture.mp4", size="1280x720", rate="10", seconds=6, options=f"{X264} -bf 2 -g 20 {AAC}"),
        Recording("twelve.mp4", size="1280x720", rate="12", seconds=6, options=f"{X264} -bf 2 -g 24 {AAC}"),
        Recording("thirty.mp4", size="1280x720", rate="30", seconds=6, options=f"{X264} -bf 2 -g 60 {AAC}"),
        Recording("sparse.mp4", size="1280x720", rate="10", seconds=6, options=f"{X264} -g 900 {AAC}"),
        Recording("full-hd.mp4", size="1920x1080", rate="10", options=f"{X264} -g 900 {AAC}"),
        Recording("upright.mov", size="640x360"),
        Recording("camera.avi", options="-c:v mpeg4 -q:v 8 -c:a libmp3lame -b:a 64k"),
        Recording("screen.webm", options="-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 200k -c:a libopus"),
        Recording("browser.webm", options=f"{VP8} -c:a libopus -f webm -live 1"),
        Recording("silent.mp4", is_silent=True, options=f"{X264} -g 15"),
        Recording("uhd.mp4", size="3840x2160", rate="5", seconds=2),
        Recording("portrait.mp4", size="720x1280", rate="10"),
        Recording("deep.mp4", options="-c:v libx264 -preset ultrafast -pix_fmt yuv420p10le " + AAC),
        Recording(
            "hdr.mov",
            options="-c:v libx265 -preset ultrafast -pix_fmt yuv420p10le -tag:v hvc1 -x265-params log-level=none "
            "-color_primaries bt2020 -color_trc arib-std-b67 -colorspace bt2020nc " + AAC,
        ),
        Recording(
            "uneven.mp4",
            rate="30",
            filters="select='if(lt(t,2),not(mod(n,5)),if(lt(t,3),not(mod(n,3)),1))'",
            options=f"{X264} -vsync vfr {AAC}",
        ),
        Recording("odd.mkv", size="321x241", options="-c:v ffv1 -pix_fmt yuv444p -c:a flac"),
        Recording(
            "interlaced.mp4",
            rate="50",
            size="360x288",
            filters="interlace",
            options=f"{X264} -flags +ildct+ilme -x264-params tff=1 {AAC}",
        ),
        Recording("anamorphic.mp4", size="360x288", filters="setsar=64/45"),
        Recording("slow.mp4", rate="1", seconds=5),
        Recording("fast.mp4", rate="120", seconds=2),
        Recording("fragmented.mp4", options=f"{X264} -g 15 -movflags frag_keyframe+empty_moov+default_base_moof {AAC}"),
        Recording("faststart.mp4", options=f"{X264} -g 15 -movflags faststart {AAC}"),
        Recording(
            "open-groups.mp4",
            seconds=6,
            options=f"-c:v libx264 -preset veryfast -x264-params open-gop=1:keyint=30:b-adapt=0:scenecut=0 {AAC}",
        ),
        Recording("surround.mkv", options=f"{X264} -c:a ac3 -ac 6"),
        # A quiet voice at the front left of a room, and nothing anywhere else.
        Recording(
            "front-left.mp4",
            options=f"{X264} -c:a aac -b:a 192k",
            sound="aevalsrc='0.02*sin(2*PI*440*t)|0|0|0|0|0':c=5.1:s=48000:d={d}",
        ),
        # A microphone that was too close: its tops are cut off, at full level.
        Recording(
            "overloaded.mp4",
            options=f"{X264} -c:a aac -b:a 192k",
            sound="aevalsrc='clip(4*sin(2*PI*220*t),-1,1)':s=48000:d={d}",
        ),
        # A sound track in which nothing is heard.
        Recording("still.mp4", sound="anullsrc=r=48000:cl=stereo,atrim=end={d}"),
        Recording("late-sound.mkv", options=f"{X264} {AAC}", inputs="late-sound"),
        Recording("long-sound.mp4", options=f"{X264} {AAC}", inputs="long-sound"),
        Recording("captioned.mkv", inputs="captions", options=f"{X264} {AAC} -c:s srt"),
        Recording("captioned.mp4", inputs="captions", options=f"{X264} {AAC} -c:s mov_text"),
        # A recorded call whose window is enlarged in the middle.
        Recording("zoomed.webm", options=f"{VP8} -c:a libopus", inputs="zoomed"),
        Recording("colors.mp4", filters=COLORS, is_silent=True, options=f"{X264} -g 900"),
        Recording("short.mp4", seconds=2, options=f"{X264} -g 15 {AAC}"),
        # Longer than ffmpeg waits for a delayed track.
        Recording("longer.mp4", size="960x540", rate="10", seconds=17, options=f"{X264} -bf 2 -g 20 {AAC}"),
        Recording("longer-sparse.mp4", size="960x540", rate="10", seconds=17, options=f"{X264} -g 900 {AAC}"),
        # Frames differ in duration, and some are stored before a frame that they depend on.
        Recording(
            "slides.mp4",
            rate="30",
            seconds=3,
            filters="select='if(lt(t,1),1,if(lt(t,2.85),not(mod(n,15)),1))'",
            options=f"{X264} -bf 3 -b_strategy 0 -vsync vfr {AAC}",
        ),
        # The upper left quarter is red, so that a test can detect the rotation.
        Recording(
            "corner.mov",
            size="160x96",
            rate="10",
            seconds=1,
            is_silent=True,
            filters="drawbox=color=black:t=fill,drawbox=w=80:h=48:color=red:t=fill",
            options=f"{X264} -g 10",
        ),
        # Long enough to kill the encoder in the middle.
        Recording("long.mp4", size="854x480", rate="25", seconds=14, options=f"{X264} -g 900 {AAC}"),
        Recording("rgb.avi", options="-c:v png -pix_fmt rgb24 -c:a pcm_s16le"),
    )
}

MAP_CAPTIONS = "-map 0 -map 1 -map 2 -metadata:s:s:0 language=ger -metadata:s:s:0 title=Deutsch"
CAPTIONS = """1
00:00:00,500 --> 00:00:01,500
Light bends.

2
00:00:02,000 --> 00:00:03,000
<i>Always</i> & everywhere.
"""


class ClipLibrary:
    """Creates each clip when a test first requests it. Several processes may share one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def __call__(self, name: str) -> Path:
        path = self.folder / name
        if not path.exists():
            with (self.folder / f".{name}.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not path.exists():  # another process may have created it
                    self._record(RECORDINGS[name], path)
        return path

    def _record(self, recording: Recording, path: Path) -> None:
        picture = PICTURE.format(size=recording.size, rate=recording.rate, d=recording.seconds)
        if recording.filters:
            picture += "," + recording.filters
        sound = recording.sound.format(d=recording.seconds, since=0)
        maps: list[str] = []
        sources = ["-f", "lavfi", "-i", picture]
        if recording.inputs == "late-sound":
            # The microphone is switched on after half a second.
            sources += ["-itsoffset", "0.5"]
            sound = BEEP.format(d=recording.seconds - 0.5, since=0.5)
        if recording.inputs == "long-sound":
            sound = BEEP.format(d=recording.seconds + 2, since=0)
        if not recording.is_silent:
            sources += ["-f", "lavfi", "-i", sound]
        if recording.inputs == "captions":
            words = path.with_suffix(".captions.srt")
            words.write_text(CAPTIONS)
            sources += ["-i", str(words)]
            maps = MAP_CAPTIONS.split()
        made = path.with_name("making-" + path.name)
        if recording.inputs == "zoomed":
            self._zoom(recording, made, sound)
            made.rename(path)
            return
        ffmpeg(*sources, *maps, *recording.options.split(), str(made))
        if recording.name == "upright.mov":
            rotate(made, path)
        else:
            made.rename(path)

    def _zoom(self, recording: Recording, path: Path, sound: str) -> None:
        """Concatenate two parts of different sizes without re-encoding them."""
        pieces = []
        for size in ("320x180", "640x360"):
            piece = path.with_name(f"{path.stem}-{size}.webm")
            picture = PICTURE.format(size=size, rate=recording.rate, d=recording.seconds / 2)
            ffmpeg("-f", "lavfi", "-i", picture, *VP8.split(), str(piece))
            pieces.append(f"file '{piece}'\n")
        listing = path.with_name("pieces.txt")
        listing.write_text("".join(pieces))
        joined = ["-f", "concat", "-safe", "0", "-i", str(listing), "-f", "lavfi", "-i", sound]
        ffmpeg(*joined, "-c:v", "copy", "-c:a", "libopus", str(path))


def ffmpeg(*arguments: str) -> None:
    """Run ffmpeg. Raises if ffmpeg fails."""
    subprocess.run(["nice", "ffmpeg", "-v", "error", "-nostdin", "-y", *arguments], check=True, timeout=120)


def rotate(source: Path, target: Path, degrees: int = -90) -> None:
    """Copy a video and add a rotation to its metadata, as a phone does."""
    with av.open(str(source)) as old, av.open(str(target), "w") as new:
        streams = {each.index: new.add_stream_from_template(each) for each in old.streams}
        turned: Any = streams[old.streams.video[0].index]
        turned.set_display_rotation(degrees)
        for packet in old.demux():
            if packet.dts is not None:
                packet.stream = streams[packet.stream.index]
                new.mux(packet)


@dataclass
class Seen:
    """What a viewer of one rendition sees and hears: times in seconds, and the pixels of the first frame."""

    width: int = 0
    height: int = 0
    frames: list[float] = field(default_factory=list)
    keyframes: list[float] = field(default_factory=list)
    flashes: list[float] = field(default_factory=list)
    beeps: list[float] = field(default_factory=list)
    sound_from: float = 0.0
    sound_to: float = 0.0
    picture_to: float = 0.0
    pixel_format: str = ""

    @property
    def duration(self) -> float:
        return max(self.picture_to, self.sound_to)


def watch(rendition: Path) -> Seen:
    """Decode a rendition from its init segment to its last segment, in the order of the playlist."""
    names = [line for line in (rendition / "index.m3u8").read_text().splitlines() if line and line[0] != "#"]
    whole = b"".join((rendition / name).read_bytes() for name in ["init.mp4", *names])
    seen = Seen()
    with av.open(io.BytesIO(whole), format="mov") as file:
        if file.streams.video:
            _look(file, seen)
    with av.open(io.BytesIO(whole), format="mov") as file:
        if file.streams.audio:
            _listen(file, seen)
    return seen


def _look(file: Any, seen: Seen) -> None:
    was_white = False
    for frame in file.decode(video=0):
        at = float(frame.time or 0)
        if not seen.frames:
            seen.width, seen.height, seen.pixel_format = frame.width, frame.height, frame.format.name
        seen.frames.append(at)
        if frame.key_frame:
            seen.keyframes.append(round(at, 3))
        # 64 bytes per line, so that lines have no padding.
        gray = bytes(frame.reformat(width=64, height=36, format="gray").planes[0])
        is_white = sum(gray) / len(gray) > 215
        if is_white and not was_white:
            seen.flashes.append(at)
        was_white = is_white
        seen.picture_to = at + float((frame.duration or 0) * frame.time_base)


def _listen(file: Any, seen: Seen) -> None:
    resampler = av.audio.resampler.AudioResampler(format="flt", layout="mono", rate=48000)
    was_loud, quiet_since, first = False, 0.0, True
    for frame in file.decode(audio=0):
        for plain in resampler.resample(frame):
            begin = float(plain.time or 0)
            if first:
                seen.sound_from, first = begin, False
            samples = array("f", bytes(plain.planes[0])[: plain.samples * 4])
            seen.sound_to = begin + len(samples) / 48000
            for at in range(0, len(samples), 48):  # a millisecond
                now = begin + at / 48000
                is_loud = max(map(abs, samples[at : at + 48])) > 0.2
                if is_loud:
                    if not was_loud and (not seen.beeps or now - quiet_since > 0.3):
                        seen.beeps.append(now)
                    quiet_since = now
                was_loud = is_loud


def cut_off(source: Path, target: Path, keep: float) -> Path:
    """Copy the first part of a file, as after an interrupted transfer."""
    shutil.copy(source, target)
    with target.open("r+b") as file:
        file.truncate(int(source.stat().st_size * keep))
    return target


def damage(source: Path, target: Path, begin: float, end: float) -> Path:
    """Copy an MP4 file and overwrite its media from ``begin`` to ``end`` (fractions of the media) with zeros."""
    raw = bytearray(source.read_bytes())
    at = raw.index(b"mdat")
    size = int.from_bytes(raw[at - 4 : at], "big")
    first, last = at + 4 + int(size * begin), at + 4 + int(size * end)
    raw[first:last] = bytes(last - first)
    target.write_bytes(raw)
    return target
