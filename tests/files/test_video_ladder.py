"""Real videos become playable ladders. The tests decode the renditions instead of trusting their headers."""

import io
import json
import re
import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import av
import imageio_ffmpeg
import pytest
from PIL import Image

from apps.files.video import pipeline, steps
from apps.files.video.binaries import find_ffmpeg
from apps.files.video.failures import CorruptFile
from apps.files.video.playlist import read_media
from apps.files.video.recipe import Recipe
from apps.files.video.work import Published, Work
from tests.files.clips import RECORDINGS, Seen, damage, ffmpeg, rotate, watch

# All tests run in one worker, because they share the processed videos.
pytestmark = [pytest.mark.media, pytest.mark.xdist_group("ladder")]

Processed = Callable[[str], tuple[Work, Published]]

# name of the clip: sizes of its renditions, largest first
SIZES = {
    "lecture.mp4": ["1280x720", "854x480"],
    "upright.mov": ["360x640"],
    "camera.avi": ["320x180"],
    "browser.webm": ["320x180"],
    "silent.mp4": ["320x180"],
}
# Clips that take the same code paths with another container, codec or size. Only long runs include them.
MORE_SIZES = {
    "long-sound.mp4": ["320x180"],
    "slow.mp4": ["320x180"],
    "interlaced.mp4": ["360x288"],
    "odd.mkv": ["320x240"],
    "slides.mp4": ["320x180"],
    "hdr.mov": ["320x180"],
    "sparse.mp4": ["1280x720", "854x480"],
    "full-hd.mp4": ["1920x1080", "1280x720", "854x480"],
    "screen.webm": ["320x180"],
    "uhd.mp4": ["1920x1080", "1280x720", "854x480"],
    "portrait.mp4": ["720x1280", "480x854"],
    "deep.mp4": ["320x180"],
    "uneven.mp4": ["320x180"],
    "anamorphic.mp4": ["512x288"],
    "fast.mp4": ["320x180"],
    "fragmented.mp4": ["320x180"],
    "open-groups.mp4": ["320x180"],
    "surround.mkv": ["320x180"],
    "late-sound.mkv": ["320x180"],
    "captioned.mkv": ["320x180"],
    "rgb.avi": ["320x180"],
    "zoomed.webm": ["320x180"],
}


def long_if(is_long: bool, *values: Any) -> Any:
    """Return a test case, marked as long if ``is_long``."""
    return pytest.param(*values, marks=pytest.mark.long if is_long else ())


def seen_of(work: Work, published: Published) -> dict[str, Seen]:
    return {each.name: watch(work.public / each.name) for each in published.renditions}


@pytest.mark.parametrize("name", [long_if(name in MORE_SIZES, name) for name in (*SIZES, *MORE_SIZES)])
def test_every_kind_of_source_becomes_playable_and_in_sync(name: str, processed: Processed) -> None:
    work, published = processed(name)

    seen = seen_of(work, published)

    pictures = [each for each in published.renditions if each.width]
    assert published.is_complete
    assert [f"{each.width}x{each.height}" for each in pictures] == (SIZES | MORE_SIZES)[name]
    source = work.probe.duration
    expected = RECORDINGS[name].seconds + (2 if RECORDINGS[name].inputs == "long-sound" else 0)
    assert source == pytest.approx(expected, abs=0.1)
    for rendition in published.renditions:
        watched = seen[rendition.name]
        assert rendition.duration == pytest.approx(source, abs=0.1), rendition.name
        assert watched.duration == pytest.approx(source, abs=0.1), rendition.name
    for rendition in pictures:
        watched = seen[rendition.name]
        assert (watched.width, watched.height) == (rendition.width, rendition.height)
        assert watched.pixel_format == "yuv420p"
        assert watched.frames[0] == pytest.approx(0, abs=0.011)
        assert watched.keyframes == seen[pictures[0].name].keyframes
        assert_in_sync(watched, frame=1 / float(work.plan.frame_rate), name=name)


def assert_in_sync(watched: Seen, *, frame: float, name: str) -> None:
    """Assert that each flash and its beep are at most one frame plus 30 ms (the audio encoder's delay) apart."""
    if name == "slow.mp4":  # one frame per second: the flash never ends
        assert watched.beeps == pytest.approx([0, 1, 2, 3, 4], abs=0.03)
        return
    # The AVI muxer of the clip delays the first frame by one frame.
    allowed = frame + 0.03 if name != "camera.avi" else 2 * frame
    assert len(watched.flashes) >= 2
    if watched.beeps:
        for beep in watched.beeps[: len(watched.flashes)]:
            nearest = min(watched.flashes, key=lambda flash: abs(flash - beep))
            assert beep == pytest.approx(nearest, abs=allowed)
        assert watched.sound_from == pytest.approx(0, abs=0.03)


@pytest.mark.parametrize(
    "name", ["lecture.mp4", long_if(True, "sparse.mp4"), long_if(True, "full-hd.mp4"), long_if(True, "portrait.mp4")]
)
def test_the_master_playlist_matches_the_segments(name: str, processed: Processed) -> None:
    work, _ = processed(name)

    master = (work.public / "master.m3u8").read_text()

    variants = re.findall(r"#EXT-X-STREAM-INF:(.*)\n(.*)\n", master)
    assert len(variants) == len((SIZES | MORE_SIZES)[name]) + 1
    for facts, address in variants:
        media = (work.public / address).read_text()
        lengths = [float(each) for each in re.findall(r"#EXTINF:([\d.]+)", media)]
        files = [line for line in media.splitlines() if line and not line.startswith("#")]
        sizes = [(work.public / address).with_name(file).stat().st_size for file in files]
        peak = max(size * 8 / length for size, length in zip(sizes, lengths, strict=True) if length >= 1)
        average = sum(sizes) * 8 / sum(lengths)
        stated = dict(re.findall(r'([A-Z-]+)=("[^"]*"|[^,]*)', facts))
        assert int(stated["BANDWIDTH"]) == pytest.approx(peak, rel=0.02)
        assert int(stated["AVERAGE-BANDWIDTH"]) == pytest.approx(average, rel=0.01)
        assert int(re.findall(r"#EXT-X-TARGETDURATION:(\d+)", media)[0]) >= round(max(lengths))
        assert re.fullmatch(r'"(avc1\.[0-9a-f]{6},)?mp4a\.40\.2"', stated["CODECS"])
        assert ("RESOLUTION" in stated) == (not address.startswith("audio/"))


@pytest.mark.parametrize(
    "name", ["lecture.mp4", long_if(True, "sparse.mp4"), long_if(True, "twelve.mp4"), long_if(True, "thirty.mp4")]
)
def test_segments_begin_at_the_same_times_in_all_renditions(name: str, processed: Processed) -> None:
    work, published = processed(name)
    lengths = {
        each.name: re.findall(r"#EXTINF:([\d.]+)", (work.public / each.name / "index.m3u8").read_text())
        for each in published.renditions
        if each.width
    }
    assert len(lengths) == 2
    assert len({tuple(map(float, each)) for each in lengths.values()}) == 1, lengths


@pytest.mark.long
@pytest.mark.parametrize("name", ["longer.mp4", "longer-sparse.mp4"])
def test_every_segment_contains_its_own_sound(name: str, processed: Processed) -> None:
    """A browser must be able to play a segment without the sound of a later segment."""
    work, published = processed(name)

    for each in published.renditions:
        folder = work.public / each.name
        begin = 0.0
        for segment in read_media(folder):
            whole = (folder / "init.mp4").read_bytes() + (folder / segment.name).read_bytes()
            with av.open(io.BytesIO(whole), format="mov") as file:
                spans: dict[str, list[float]] = {}
                for packet in file.demux():
                    if packet.pts is not None:
                        spans.setdefault(packet.stream.type, []).append(float(packet.pts * packet.time_base))
            assert set(spans) == ({"video", "audio"} if each.width else {"audio"}), (each.name, segment.name)
            for times in spans.values():
                assert min(times) == pytest.approx(begin, abs=0.2), (each.name, segment.name)
                assert max(times) == pytest.approx(begin + segment.duration, abs=0.25), (each.name, segment.name)
            begin += segment.duration


@pytest.mark.parametrize(
    "name", ["lecture.mp4", long_if(True, "slow.mp4"), long_if(True, "longer.mp4"), long_if(True, "full-hd.mp4")]
)
def test_there_is_no_short_segment_at_the_end(name: str, processed: Processed) -> None:
    work, published = processed(name)
    for each in published.renditions:
        assert read_media(work.public / each.name)[-1].duration >= 1.9, each.name


def test_a_suitable_source_is_copied_and_playable_first(clip, work_on) -> None:
    from apps.files.video.pipeline import measure_published, run_step
    from apps.files.video.steps import STEPS

    work = work_on(clip("lecture.mp4"))
    for step in STEPS[: [each.name for each in STEPS].index("ladder")]:
        run_step(step, work, lambda _: None)

    early = measure_published(work)

    assert [each.name for each in early.renditions] == ["720p", "audio"]
    assert early.renditions[0].is_copy
    assert not early.is_complete
    assert "480p" not in (work.public / "master.m3u8").read_text()
    assert watch(work.public / "720p").duration == pytest.approx(6, abs=0.1)


def test_a_long_source_that_cannot_be_copied_is_playable_in_its_smallest_size_first(clip, work_on) -> None:
    from apps.files.video.pipeline import measure_published, run_step
    from apps.files.video.steps import STEPS

    ladder = [each.name for each in STEPS].index("ladder")
    work = replace(work_on(clip("sparse.mp4")), recipe=Recipe(early_min_seconds=5))
    for step in STEPS[:ladder]:
        run_step(step, work, lambda _: None)

    early = measure_published(work)
    assert [(each.name, each.height) for each in early.renditions] == [("480p", 480), ("audio", 0)]
    assert not early.is_complete
    assert "720p" not in (work.public / "master.m3u8").read_text()
    first = (work.public / "480p" / "00000.m4s").stat().st_ino

    for step in STEPS[ladder:]:
        run_step(step, work, lambda _: None)

    whole = measure_published(work)
    assert [each.name for each in whole.renditions] == ["720p", "480p", "audio"]
    assert whole.is_complete
    assert (work.public / "480p" / "00000.m4s").stat().st_ino == first  # is not encoded twice
    cuts = [[each.duration for each in read_media(work.public / name)] for name in ("720p", "480p")]
    assert cuts[0] == cuts[1]
    seen = watch(work.public / "480p")
    assert seen.duration == pytest.approx(6, abs=0.1)


def test_a_copy_with_other_segment_boundaries_is_discarded(clip, work_on, monkeypatch) -> None:
    work = work_on(clip("silent.mp4"))
    monkeypatch.setattr(steps, "_matches_plan", lambda *_: False)

    done = pipeline.process(work)

    assert work.plan.why_no_copy == "tried without success"
    assert [each.is_copy for each in done.renditions] == [False]
    assert watch(work.public / "480p").duration == pytest.approx(4, abs=0.1)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("sparse.mp4", "keyframes"),
        ("upright.mov", "turned"),
        ("uneven.mp4", "frame rate"),
        ("interlaced.mp4", "interlaced"),
        ("anamorphic.mp4", "aspect"),
        ("open-groups.mp4", "open groups"),
        ("long-sound.mp4", "end"),
        ("captioned.mkv", "start"),
        ("deep.mp4", "profile, pixels"),
        long_if(True, "uhd.mp4", "too large"),
        ("camera.avi", "codec"),
    ],
)
def test_an_unsuitable_source_is_not_copied(name: str, reason: str, clip, work_on) -> None:
    work = steps_of(work_on(clip(name)), "analyze")

    assert reason in work.plan.why_no_copy
    assert (work.plan.copied, work.plan.early) == (None, None)  # a short video needs no early rendition


def steps_of(work: Work, *names: str) -> Work:
    """Run only the named steps."""
    for step in pipeline.STEPS:
        if step.name in names:
            pipeline.run_step(step, work, lambda _: None)
    return work


def test_a_video_without_sound_has_no_audio_rendition(processed: Processed) -> None:
    work, published = processed("silent.mp4")

    assert [each.name for each in published.renditions] == ["480p"]
    assert published.renditions[0].codecs.startswith("avc1.")
    assert "mp4a" not in (work.public / "master.m3u8").read_text()
    assert not (work.public / "audio").exists()


@pytest.mark.parametrize(("name", "title"), [("captioned.mkv", "Deutsch"), ("captioned.mp4", "")])
def test_embedded_captions_become_webvtt(name: str, title: str, clip, work_on) -> None:
    work = steps_of(work_on(clip(name)), "analyze", "captions")

    (caption,) = json.loads((work.folder / "captions.json").read_text())
    words = (work.public / caption["path"]).read_text()
    assert (caption["language"], caption["title"]) == ("de", title)
    assert words.startswith("WEBVTT\n\n00:00:00.5")
    assert "Light bends." in words
    assert "<i>Always</i> &amp; everywhere." in words


def test_embedded_captions_keep_text_that_looks_like_tags_and_pictures_are_counted(tmp_path, work_on) -> None:
    (tmp_path / "words.srt").write_text("1\n00:00:00,200 --> 00:00:01,000\nvector<int> v & <i>w</i>\n\n")
    (tmp_path / "words.ass").write_text(
        "[Script Info]\nScriptType: v4.00+\n\n"
        "[V4+ Styles]\nFormat: Name, Fontname, Fontsize\nStyle: Default,Arial,20\n\n"
        "[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
        "Dialogue: 0,0:00:00.20,0:00:01.00,Default,,0,0,0,,{\\an8}List<String>\\N{\\i1}b{\\i0}\n"
    )
    # Presentation Graphics (PGS): an empty picture and its end.
    empty = bytes.fromhex("0140 00b4 10 0000 80 00 00 00".replace(" ", ""))
    segments = [(0x16, empty), (0x80, b"")]
    (tmp_path / "pictures.sup").write_bytes(
        b"".join(b"PG" + struct.pack(">IIBH", 9000, 0, kind, len(body)) + body for kind, body in segments)
    )
    inputs = [part for name in ("words.srt", "words.ass", "pictures.sup") for part in ("-i", str(tmp_path / name))]
    maps = ["-map", "0:v", "-map", "1", "-map", "2", "-map", "3"]
    languages = ["-metadata:s:s:0", "language=eng", "-metadata:s:s:1", "language=ger"]
    options = ["-c:v", "libx264", "-c:s", "copy", *languages]
    ffmpeg("-f", "lavfi", "-i", "color=s=64x64:d=2", *inputs, *maps, *options, str(tmp_path / "three.mkv"))

    work = steps_of(work_on(tmp_path / "three.mkv"), "analyze", "captions")

    captions = json.loads((work.folder / "captions.json").read_text())
    words = [(work.public / each["path"]).read_text().split("\n", 3)[3] for each in captions]
    assert [(each["language"], each["form"]) for each in captions] == [("en", "srt"), ("de", "ass")]
    assert words == ["vector&lt;int&gt; v &amp; <i>w</i>\n", "List&lt;String&gt;\n<i>b</i>\n"]
    assert captions[1]["counts"] == {"formatting": 1}
    assert work.probe.pictured_texts == 1


def test_a_storyboard_tile_shows_the_frame_of_its_time(clip, work_on) -> None:
    from apps.files.video.pipeline import process

    work = work_on(clip("colors.mp4"))
    process(work)

    cues = re.findall(
        r"(\d\d:\d\d:\d\d\.\d{3}) --> (\S+)\n(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)",
        (work.public / "storyboard.vtt").read_text(),
    )
    assert [cue[0] for cue in cues] == [f"00:00:0{second}.000" for second in range(4)]
    colors = []
    for _, _, file, *place in cues:
        x, y, width, height = map(int, place)
        with Image.open(work.public / file) as sheet:
            assert x + width <= sheet.width
            assert y + height <= sheet.height
            middle: Any = sheet.convert("RGB").getpixel((x + width // 2, y + height // 2))
        red, green, blue = middle
        colors.append("rgb"[[red, green, blue].index(max(red, green, blue))] if max(red, green, blue) > 100 else "k")
    assert colors == ["r", "g", "b", "k"]


@pytest.mark.parametrize(
    ("name", "size"),
    [("upright.mov", (360, 640)), ("anamorphic.mp4", (512, 288)), long_if(True, "uhd.mp4", (1280, 720))],
)
def test_the_poster_is_upright_and_not_larger_than_the_picture(name: str, size: tuple[int, int], clip, work_on) -> None:
    work = steps_of(work_on(clip(name)), "analyze", "poster")

    with Image.open(work.public / "poster.jpg") as poster:
        assert poster.size == size


BINARIES = {"system": "ffmpeg", "wheel": imageio_ffmpeg.get_ffmpeg_exe()}


@pytest.mark.parametrize(("binary", "degrees"), [("system", -90), ("wheel", -90), ("wheel", 180)])
def test_a_rotated_video_is_shown_upright(binary: str, degrees: int, clip, tmp_path, recipe) -> None:
    """Some versions of ffmpeg copy the rotation to their output."""
    source = tmp_path / "held.mov"
    rotate(clip("corner.mov"), source, degrees)
    work = Work(source=source, folder=tmp_path / "work", ffmpeg=find_ffmpeg(BINARIES[binary]), recipe=recipe)

    pipeline.process(work)

    rendition = work.public / "480p"
    whole = (rendition / "init.mp4").read_bytes() + (rendition / "00000.m4s").read_bytes()
    with av.open(io.BytesIO(whole), format="mov") as file:
        frame = next(file.decode(video=0))
    assert [side.type.name for side in frame.side_data if side.type.name == "DISPLAYMATRIX"] == []
    shown = frame.to_image()
    with Image.open(work.public / "poster.jpg") as poster:
        for picture in (shown, poster):
            assert picture.size == ((96, 160) if degrees == -90 else (160, 96))
            assert red_corner(picture) == ("upper right" if degrees == -90 else "lower right")


def red_corner(picture: Any) -> str:
    found = []
    for name, x, y in (("upper left", 1, 1), ("upper right", 3, 1), ("lower left", 1, 3), ("lower right", 3, 3)):
        red, green, _ = picture.convert("RGB").getpixel((picture.width * x // 4, picture.height * y // 4))
        if red > 150 and green < 100:
            found.append(name)
    (corner,) = found
    return corner


@pytest.mark.parametrize("name", ["silent.mp4", long_if(True, "lecture.mp4")])
def test_undecodable_frames_are_counted_and_no_damaged_copy_is_published(name: str, clip, work_on, tmp_path) -> None:
    work = work_on(damage(clip(name), tmp_path / name, 0.5, 0.53))

    published = pipeline.process(work)

    lost = published.picture_lost / published.duration
    assert 0 < lost <= work.recipe.most_lost
    assert published.is_complete
    assert not any(each.is_copy for each in published.renditions)
    assert watch(work.public / "480p").duration == pytest.approx(work.probe.duration, abs=0.1)


@pytest.mark.parametrize("binary", BINARIES)
def test_a_file_with_too_much_unreadable_data_is_refused(binary: str, clip, tmp_path, recipe) -> None:
    source = damage(clip("silent.mp4"), tmp_path / "bad.mp4", 0.3, 0.7)
    work = Work(source=source, folder=tmp_path / "work", ffmpeg=find_ffmpeg(BINARIES[binary]), recipe=recipe)

    with pytest.raises(CorruptFile) as failure:
        pipeline.process(work)

    assert failure.value.reason == "damaged"


def test_an_intact_source_loses_nothing(processed: Processed) -> None:
    for name in ("lecture.mp4", "camera.avi", "browser.webm", "hdr.mov"):
        _, published = processed(name)
        assert (published.picture_lost, published.sound_lost) == (0, 0), name


def test_hdr_colors_are_converted_for_standard_screens(processed: Processed) -> None:
    work, published = processed("hdr.mov")
    rendition = work.public / published.renditions[0].name
    whole = (rendition / "init.mp4").read_bytes() + (rendition / "00000.m4s").read_bytes()
    sample = work.folder / "sample.mp4"
    sample.write_bytes(whole)

    with av.open(str(sample)) as file:
        frame = next(file.decode(video=0))

    assert work.probe.picture.transfer == "hlg"
    assert (int(frame.colorspace), int(frame.color_trc), int(frame.color_primaries)) == (1, 1, 1)  # bt709


def test_the_newest_ffmpeg_produces_the_same_result(clip, tmp_path) -> None:
    """The binary of imageio-ffmpeg is used if the system has no ffmpeg."""
    work = Work(source=clip("captioned.mp4"), folder=tmp_path / "work", ffmpeg=find_ffmpeg(BINARIES["wheel"]))
    published = pipeline.process(work)

    watched = watch(work.public / "480p")
    assert published.is_complete
    assert watched.duration == pytest.approx(4, abs=0.1)
    assert_in_sync(watched, frame=1 / 15, name="captioned.mp4")
