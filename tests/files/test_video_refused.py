"""Damaged or forged files are refused with a reason, and no other file or server is accessed."""

import contextlib
import dataclasses
import random
import re
import shutil
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import av.error
import pytest

from apps.files.video import pipeline
from apps.files.video.encode import run
from apps.files.video.failures import SENTENCES, CorruptFile, FormatUnsupported, VideoFailure
from apps.files.video.probe import probe
from apps.files.video.probe_worker import inspect_file
from apps.files.video.recipe import Recipe
from apps.files.video.renditions import poster_arguments
from tests.files.clips import cut_off, ffmpeg

pytestmark = pytest.mark.media

CANARY = b"a secret that stands in another file of this machine"


class Trap:
    """A server that must not be called, and a file that must not be read."""

    def __init__(self, folder: Path) -> None:
        self.calls: list[bytes] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.secret = folder / "secret.txt"
        self.secret.write_bytes(CANARY)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                visitor, _ = self._socket.accept()
                self.calls.append(visitor.recv(200))
                visitor.close()

    def close(self) -> None:
        self._socket.close()

    def was_read_into(self, folder: Path) -> bool:
        return any(CANARY in each.read_bytes() for each in folder.rglob("*") if each.is_file())

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/x.ts"


@pytest.fixture
def trap(tmp_path: Path) -> Iterator[Trap]:
    trap = Trap(tmp_path)
    yield trap
    trap.close()


DISGUISES = {
    "hls.mp4": "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{url}\n#EXTINF:1,\nfile://{secret}\n#EXT-X-ENDLIST\n",
    "hls-after-blank.mp4": "\ufeff \r\n#EXTM3U\n#EXTINF:1,\n{url}\n",
    "concat.mov": "ffconcat version 1.0\nfile '{secret}'\nfile '{url}'\n",
    "dash.webm": '<?xml version="1.0"?><MPD><Period><BaseURL>{url}</BaseURL></Period></MPD>',
    "session.avi": "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nm=video {port} RTP/AVP 96\n",
    "list.mp4": "[playlist]\nFile1={url}\n",
    "reference.mov": "rtsptext\nrtsp://127.0.0.1:{port}/x\n",
    "drawing.mp4": '<svg xmlns="http://www.w3.org/2000/svg"><image href="{url}"/></svg>',
    "page.webm": "<!doctype html><img src={url}>",
    "script.mp4": "#!/bin/sh\ncurl {url}\ncat {secret}\n",
    "filter.mkv": "movie={secret}\n",
}


@pytest.mark.parametrize("name", DISGUISES)
def test_a_disguised_reference_is_refused_and_not_followed(name: str, trap: Trap, work_on, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(DISGUISES[name].format(url=trap.address, secret=trap.secret, port=trap.port))
    work = work_on(file)

    with pytest.raises(VideoFailure) as refused:
        pipeline.process(work)

    assert refused.value.reason in {"playlist", "text"}
    assert trap.calls == []
    assert not trap.was_read_into(work.folder)


@pytest.mark.parametrize(
    ("name", "demuxer"),
    [
        ("hls.mp4", "mov"),
        ("concat.mov", "avi"),
        ("dash.webm", "matroska"),
        ("session.avi", "mov"),
        *(pytest.param(*pair, marks=pytest.mark.long) for pair in (
            ("hls.mp4", "avi"), ("hls.mp4", "matroska"), ("concat.mov", "mov"), ("concat.mov", "matroska"),
            ("dash.webm", "mov"), ("dash.webm", "avi"), ("session.avi", "avi"), ("session.avi", "matroska"),
        )),
    ],
)  # fmt: skip
def test_a_playlist_is_not_opened_even_if_detection_is_bypassed(
    name: str, demuxer: str, trap: Trap, clip, work_on, tmp_path: Path
) -> None:
    """ffmpeg gets the name of the demuxer, so it opens no playlist even if the detection fails."""
    file = tmp_path / name
    file.write_text(DISGUISES[name].format(url=trap.address, secret=trap.secret, port=trap.port))
    work = work_on(file)
    work.folder.mkdir()
    honest = probe(clip("silent.mp4"), Recipe())
    fooled = dataclasses.replace(honest, container=demuxer)

    arguments = poster_arguments(file, fooled, 0, work.folder / "out.jpg", Recipe())
    with pytest.raises(VideoFailure):
        run(arguments, ffmpeg=work.ffmpeg, folder=work.folder, seconds=1, recipe=Recipe(), report=lambda _: None)
    with pytest.raises((av.error.FFmpegError, VideoFailure)):
        inspect_file(str(file), demuxer)

    assert trap.calls == []
    assert not trap.was_read_into(work.folder)


@pytest.mark.parametrize("reference", ["alis", "url "])
def test_a_movie_with_external_media_does_not_read_another_file(
    reference: str, trap: Trap, clip, work_on, tmp_path: Path
) -> None:
    """QuickTime files can refer to media in another file. Here that file is a real, playable video."""
    elsewhere = tmp_path / "elsewhere.mp4"
    shutil.copy(clip("silent.mp4"), elsewhere)
    file = tmp_path / "refers.mov"
    file.write_bytes(refer_to(clip("silent.mp4").read_bytes(), elsewhere, trap.address, reference.encode()))
    work = work_on(file)

    with pytest.raises(VideoFailure) as refused:
        pipeline.process(work)

    assert isinstance(refused.value, CorruptFile | FormatUnsupported)
    assert trap.calls == []
    assert not list(work.public.glob("*/*.m4s"))


def refer_to(movie: bytes, elsewhere: Path, address: str, kind: bytes) -> bytes:
    """Return a movie whose data reference names another file, and whose own media are zeros."""
    begin = movie.index(b"mdat") + 4
    size = struct.unpack(">I", movie[begin - 8 : begin - 4])[0]
    movie = movie[:begin] + bytes(size - 8) + movie[begin + size - 8 :]
    name = str(elsewhere).encode()
    if kind == b"alis":
        tail = struct.pack(">H", 2) + struct.pack(">H", len(name)) + name + b"\0" * (len(name) % 2)
        tail += struct.pack(">H", 18) + struct.pack(">H", len(name)) + name + b"\0" * (len(name) % 2)
        tail += struct.pack(">hH", -1, 0)
        body = bytes(150) + tail
    else:
        body = address.encode() + b"\0"
    entry = struct.pack(">I4sI", 12 + len(body), kind, 0) + body
    old = movie.index(b"dref") - 4
    old_size = struct.unpack(">I", movie[old : old + 4])[0]
    new = struct.pack(">I4sII", 16 + len(entry), b"dref", 0, 1) + entry
    movie = movie[:old] + new + movie[old + old_size :]
    grown = len(new) - old_size
    # Every enclosing box grows: moov > trak > mdia > minf > dinf. moov is the last box, so the media do not move.
    for box in (b"moov", b"trak", b"mdia", b"minf", b"dinf"):
        at = movie.rindex(box, 0, old + 8) - 4
        movie = movie[:at] + struct.pack(">I", struct.unpack(">I", movie[at : at + 4])[0] + grown) + movie[at + 4 :]
    return movie


def test_the_external_reference_works_without_the_protection(clip, tmp_path: Path) -> None:
    """Proves that the movie above is dangerous: without the protection, ffmpeg plays it."""
    elsewhere = tmp_path / "elsewhere.mp4"
    shutil.copy(clip("silent.mp4"), elsewhere)
    file = tmp_path / "refers.mov"
    file.write_bytes(refer_to(clip("silent.mp4").read_bytes(), elsewhere, "", b"alis"))

    open_door = ["-enable_drefs", "1", "-use_absolute_path", "1", "-ss", "0.5", "-i", str(file)]
    ffmpeg(*open_door, "-frames:v", "1", str(tmp_path / "out.png"))

    assert (tmp_path / "out.png").stat().st_size > 2000  # colors and digits, which blank media do not have


def test_a_zero_byte_file_is_corrupt(work_on, tmp_path: Path) -> None:
    file = tmp_path / "nothing.mp4"
    file.touch()

    with pytest.raises(CorruptFile) as refused:
        pipeline.process(work_on(file))

    assert refused.value.reason == "empty"
    assert refused.value.state == "corrupt_file"


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"Dear editor, this is the script of lesson one.\n" * 50, id="ascii"),
        pytest.param("Über die Brechung des Lichts\n".encode() * 300, id="utf-8"),
        pytest.param("Licht".encode("utf-16"), id="utf-16"),
        pytest.param(b"x", id="one letter"),
    ],
)
def test_a_text_file_named_mp4_is_corrupt(content: bytes, work_on, tmp_path: Path) -> None:
    file = tmp_path / "notes.mp4"
    file.write_bytes(content)

    with pytest.raises(CorruptFile) as refused:
        pipeline.process(work_on(file))

    assert refused.value.reason in {"text", "not_a_video"}


@pytest.mark.parametrize(
    ("name", "keep"),
    [
        pytest.param("lecture.mp4", 0.5, id="mp4 without its index"),
        pytest.param("lecture.mp4", 0.0001, id="mp4 of 100 bytes"),
        pytest.param("faststart.mp4", 0.5, id="mp4 with index but without media"),
        pytest.param("faststart.mp4", 0.97, id="mp4 without its last part"),
        pytest.param("fragmented.mp4", 0.6, id="fragmented mp4"),
        pytest.param("upright.mov", 0.7, id="mov"),
        pytest.param("camera.avi", 0.5, id="avi"),
        pytest.param("screen.webm", 0.5, id="webm"),
        pytest.param("captioned.mkv", 0.8, id="mkv"),
    ],
)
def test_a_truncated_file_is_corrupt(name: str, keep: float, clip, work_on, tmp_path: Path) -> None:
    work = work_on(cut_off(clip(name), tmp_path / name, keep))

    with pytest.raises(CorruptFile) as refused:
        pipeline.process(work)

    assert refused.value.reason == "truncated"
    assert "upload it again" in str(refused.value)
    assert not work.public.exists() or not list(work.public.iterdir())


def test_an_undecodable_video_track_is_corrupt(clip, work_on, tmp_path: Path) -> None:
    file = tmp_path / "noise.mp4"
    movie = clip("silent.mp4").read_bytes()
    begin = movie.index(b"mdat") + 4
    size = struct.unpack(">I", movie[begin - 8 : begin - 4])[0]
    noise = random.Random(7).randbytes(size - 8)
    file.write_bytes(movie[:begin] + noise + movie[begin + size - 8 :])

    with pytest.raises(CorruptFile):
        pipeline.process(work_on(file))


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(one, marks=pytest.mark.long) for one in range(4, 12))])
def test_a_randomly_damaged_file_is_played_or_refused(seed: int, clip, work_on, tmp_path: Path) -> None:
    """Overwrites random bytes. The file must be readable or refused, without any other error."""
    chance = random.Random(seed)
    name = ("silent.mp4", "screen.webm", "camera.avi", "fragmented.mp4")[seed % 4]
    movie = bytearray(clip(name).read_bytes())
    for _ in range(40):
        at = chance.randrange(len(movie) // (1 if seed % 3 else 20))
        movie[at : at + 4] = chance.randbytes(4)
    file = tmp_path / name
    file.write_bytes(movie)

    with contextlib.suppress(VideoFailure):
        assert probe(file, Recipe()).duration > 0


@pytest.mark.parametrize(
    ("options", "name", "reason"),
    [
        pytest.param("-f lavfi -i sine=d=1", "song.mp3", "foreign_format", id="mp3"),
        pytest.param("-f lavfi -i sine=d=1 -c:a aac", "song.m4a", "no_picture", id="sound alone"),
        pytest.param("-f lavfi -i testsrc2=d=1:s=64x64 -c:v mpeg4", "broadcast.ts", "foreign_format", id="mpeg-ts"),
        pytest.param("-f lavfi -i testsrc2=d=1:s=64x64", "old.flv", "foreign_format", id="flv"),
        pytest.param("-f lavfi -i testsrc2=d=1:s=64x64 -c:v mpeg4", "old.wmv", "foreign_format", id="wmv"),
        pytest.param("-f lavfi -i testsrc2=d=1:s=64x64", "moving.gif", "foreign_format", id="gif"),
        pytest.param("-f lavfi -i testsrc2=d=1:s=64x64 -frames:v 1", "still.png", "foreign_format", id="png"),
        pytest.param("-f lavfi -i sine=d=1", "song.wav", "foreign_format", id="wav"),
        pytest.param("-f lavfi -i sine=d=1", "song.ogg", "foreign_format", id="ogg"),
    ],
)
def test_other_formats_are_reported_as_unsupported(
    options: str, name: str, reason: str, work_on, tmp_path: Path
) -> None:
    ffmpeg(*options.split(), str(tmp_path / name))
    disguised = (tmp_path / name).rename(tmp_path / "lecture.mp4")

    with pytest.raises(FormatUnsupported) as refused:
        pipeline.process(work_on(disguised))

    assert refused.value.reason == reason


def test_a_video_beyond_the_limits_is_refused(clip, work_on) -> None:
    for limits, reason in (({"longest": 3.0}, "too_long"), ({"most_pixels": 100}, "too_large_picture")):
        work = dataclasses.replace(work_on(clip("silent.mp4")), recipe=Recipe(**limits))
        with pytest.raises(FormatUnsupported) as refused:
            pipeline.process(work)
        assert refused.value.reason == reason


def test_every_failure_reason_has_a_message() -> None:
    used = set()
    for module in Path(pipeline.__file__).parent.glob("*.py"):
        used |= set(re.findall(r'(?:CorruptFile|FormatUnsupported|ProcessingFailed)\(\s*"(\w+)"', module.read_text()))
    assert len(used) > 12
    assert used <= set(SENTENCES)
