"""Waveforms, pauses, cues cut from them, and loudness."""

import base64
import io
import json
import math
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from apps.files.storage import local_path
from apps.files.video import sound_levels
from apps.files.video.leveling import Leveling, choose_leveling
from apps.files.video.recipe import Recipe
from apps.files.video.sound_levels import (
    SAMPLE_RATE,
    SoundLevels,
    choose_peak_rate,
    find_silences,
    measure_levels,
    read_loudness,
)
from apps.files.video.speech import MAX_CUE_SECONDS, cut_cues
from tests.cases import all_cases
from tests.factories.files import VideoFactory
from tests.files.clips import ffmpeg

EBUR128 = "frame:9 pts:4800 pts_time:0.9\nlavfi.r128.I={integrated}\nlavfi.r128.true_peaks_ch0={peak}\n"


def speak(*parts: tuple[float, float], noise: float = 0.0) -> np.ndarray:
    """Sound of parts of (seconds, amplitude) at `SAMPLE_RATE`, over noise."""
    random = np.random.default_rng(7)
    made = [amplitude * np.sin(np.arange(round(seconds * SAMPLE_RATE)) * 0.6) for seconds, amplitude in parts]
    whole = np.concatenate(made)
    return whole + noise * random.standard_normal(len(whole))


def measured(folder: Path, sound: np.ndarray, integrated: str = "-20.5", peak: str = "0.5") -> SoundLevels:
    """Measure a sound as if ffmpeg had written it."""
    (folder / "samples").write_bytes((np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes())
    (folder / "loudness").write_text(EBUR128.format(integrated=integrated, peak=peak))
    return measure_levels(folder / "samples", folder / "loudness", len(sound) / SAMPLE_RATE)


def test_peaks_and_pauses_are_measured(tmp_path) -> None:
    found = measured(tmp_path, speak((1, 0.5), (0.5, 0), (1, 0.25), (0.1, 0), (1, 0.5)))

    assert found.rate == 50
    assert len(found.peaks) == 180
    assert max(found.peaks) == 255
    assert 120 < found.peaks[90] < 136
    assert found.peaks[60] == 0
    assert found.silences == ((1.0, 1.5),)  # what is between words is no pause
    assert (found.loudness, found.true_peak) == (-20.5, -6.02)
    assert SoundLevels.from_json(found.to_json()) == found


def test_what_is_not_measurements_is_refused() -> None:
    for text in ("", "[]", "{}", '{"silences": 3}', '{"silences": [], "peaks": "", "other": 1}'):
        with pytest.raises(ValueError, match=r"[Ee]xpect|attribute|list|argument|iterable|'"):
            SoundLevels.from_json(text)


def test_a_pause_is_found_above_the_noise_of_a_fan_and_in_a_quiet_voice(tmp_path) -> None:
    loud_fan = measured(tmp_path, speak((2, 0.4), (1, 0), (2, 0.4), noise=0.02))
    quiet_voice = measured(tmp_path, speak((2, 0.004), (1, 0), (2, 0.004)))

    for found in (loud_fan, quiet_voice):
        assert [tuple(round(at, 1) for at in each) for each in found.silences] == [(2.0, 3.0)]


def test_music_and_noise_have_no_pauses_and_silence_is_one(tmp_path) -> None:
    assert measured(tmp_path, speak((5, 0.3), noise=0.05)).silences == ()
    silent = measured(tmp_path, speak((5, 0)), integrated="-70.000", peak="0.000")
    assert silent.silences == ((0.0, 5.0),)
    assert (set(silent.peaks), silent.loudness, silent.true_peak) == ({0}, None, None)


def test_a_click_neither_ends_a_pause_nor_flattens_the_waveform(tmp_path) -> None:
    found = measured(tmp_path, speak((2, 0.1), (0.5, 0), (0.02, 1.0), (0.5, 0), (40, 0.1)))

    assert found.silences == ((2.0, 3.02),)
    assert found.peaks[10] > 200


def test_an_empty_sound_is_measured(tmp_path) -> None:
    found = measured(tmp_path, np.zeros(0))

    assert (found.peaks, found.silences) == (b"", ())


@all_cases("hours rate", [(0.001, 50), (2, 50), (2.1, 25), (4, 25), (11.9, 10), (13, 10)])
def test_long_sounds_have_fewer_peaks(hours: float, rate: int) -> None:
    assert choose_peak_rate(hours * 3600) == rate


def test_pauses_never_overlap() -> None:
    random = np.random.default_rng(3)
    for _ in range(200):
        levels = random.choice([-80.0, -20.0], size=random.integers(1, 400)).astype(np.float32)
        levels = np.repeat(levels, random.integers(1, 9))
        duration = len(levels) * sound_levels.FRAME_SECONDS - 0.004
        found = find_silences(levels, duration)
        flat = [at for each in found for at in each]
        assert flat == sorted(flat)
        assert all(0 <= at <= duration + 1e-6 for at in flat)


@all_cases(
    "silences duration cues",
    [
        ((), 0.0, []),
        ((), 4.0, [(0.0, 4.0)]),
        (((0.0, 5.0),), 5.0, []),  # nothing but silence
        (((1.0, 3.0),), 4.0, [(0.0, 1.1), (2.9, 4.0)]),
        (((1.0, 1.3), (2.0, 2.3)), 4.0, [(0.0, 4.0)]),  # short pauses do not end a cue that can be read at once
        (((0.0, 2.0), (2.1, 6.0)), 6.0, []),  # a cough
        ((), 3600.0, []),  # music
        (((12.0, 13.0),), 14.0, [(0.0, 6.0), (6.0, 12.1), (12.9, 14.0)]),
        (((0.0, 2.0), (2.3, 6.0)), 6.0, [(1.9, 2.9)]),  # a single word stays long enough to be read
    ],
)
def test_cues_are_cut_where_the_speaker_pauses(silences: Any, duration: float, cues: Any) -> None:
    assert cut_cues(silences, duration) == cues


def test_cues_are_in_order_and_short_enough_whatever_the_pauses_are() -> None:
    random = np.random.default_rng(11)
    for _ in range(300):
        edges = np.sort(random.uniform(0, 300, size=2 * random.integers(0, 60))).round(3)
        silences = [(float(begin), float(end)) for begin, end in edges.reshape(-1, 2)]
        cues = cut_cues(silences, 300.0)
        flat = [at for cue in cues for at in cue]
        assert flat == sorted(flat)
        assert all(end - begin <= MAX_CUE_SECONDS + 0.3 for begin, end in cues)


def test_the_last_loudness_counts_and_nonsense_does_not() -> None:
    text = "lavfi.r128.I=-70.000\nlavfi.r128.I=-18.25\nlavfi.r128.I=nan\nlavfi.r128.I=x\nlavfi.r128.true_peak=1.0\n"

    assert read_loudness(io.StringIO(text)) == (-18.25, 0.0)
    assert read_loudness(io.StringIO("")) == (None, None)
    assert read_loudness(io.StringIO("lavfi.r128.I=-inf\nlavfi.r128.true_peak=inf\n")) == (None, None)


def of_loudness(loudness: float | None, true_peak: float | None = -20.0) -> SoundLevels:
    return SoundLevels(rate=50, peaks=b"", silences=(), duration=1.0, loudness=loudness, true_peak=true_peak)


@all_cases(
    "levels leveling",
    [
        (None, Leveling()),
        (of_loudness(None, None), Leveling()),
        (of_loudness(-15.1), Leveling()),
        (of_loudness(-17.0), Leveling()),
        (of_loudness(-23.0), Leveling(gain=7.0)),
        (of_loudness(-23.0, -8.0), Leveling(gain=7.0, is_limited=True)),
        (of_loudness(-9.5, 0.3), Leveling(gain=-6.5)),
        (of_loudness(-60.0, -50.0), Leveling(gain=20.0)),  # noise does not become a roar
    ],
)
def test_sound_is_leveled_where_it_is_off(levels: SoundLevels | None, leveling: Leveling) -> None:
    assert choose_leveling(levels, Recipe()) == leveling
    assert choose_leveling(levels, Recipe(loudness=None)) == Leveling()


@pytest.mark.media
def test_a_quiet_video_is_as_loud_as_the_others_afterwards(processed, tmp_path) -> None:
    work, published = processed("lecture.mp4")
    quiet = work.levels
    assert quiet is not None
    assert quiet.loudness is not None
    assert len(quiet.peaks) == pytest.approx(published.duration * quiet.rate, abs=2)
    # Each second begins with a beep of 150 ms.
    assert [begin for begin, _ in quiet.silences] == pytest.approx([0.15, 1.15, 2.15, 3.15, 4.15, 5.15], abs=0.05)
    log = tmp_path / "loudness"
    source = str(work.public / "audio" / "index.m3u8")

    ffmpeg("-i", source, "-af", f"ebur128=metadata=1:peak=true,ametadata=print:file={log}", "-f", "null", "-")

    with log.open() as text:
        loudness, true_peak = read_loudness(text)
    assert loudness == pytest.approx(-16, abs=1)
    assert true_peak is not None
    assert true_peak < 0
    assert work.loudness_gain == pytest.approx(-16 - quiet.loudness, abs=0.1) or abs(-16 - quiet.loudness) <= 1


def loudness_of_channels(work: Any, tmp_path: Any, *filters: str) -> tuple[float | None, float | None]:
    """Return the loudness and the highest true peak of the encoded sound after the filters."""
    log = tmp_path / "channels"
    chain = [*filters, "ebur128=metadata=1:peak=true", f"ametadata=print:file={log}"]
    ffmpeg("-i", str(work.public / "audio" / "index.m3u8"), "-af", ",".join(chain), "-f", "null", "-")
    with log.open() as text:
        return read_loudness(text)


@pytest.mark.media
@pytest.mark.long
def test_what_is_left_in_a_room_stays_left_and_becomes_louder(processed, tmp_path) -> None:
    work, _ = processed("front-left.mp4")

    left, _ = loudness_of_channels(work, tmp_path, "pan=mono|c0=FL")
    right, _ = loudness_of_channels(work, tmp_path, "pan=mono|c0=FR")

    assert work.loudness_gain > 5
    assert left is not None
    assert left == pytest.approx(-16, abs=2)
    assert right is None or right < left - 30


@pytest.mark.media
@pytest.mark.long
def test_overloaded_sound_becomes_quieter_and_is_not_clipped_again(processed, tmp_path) -> None:
    work, _ = processed("overloaded.mp4")

    loudness, true_peak = loudness_of_channels(work, tmp_path)

    assert work.loudness_gain < -5
    assert loudness == pytest.approx(-16, abs=1)
    assert true_peak is not None
    assert true_peak < -1


@pytest.mark.media
@pytest.mark.long
def test_silence_is_not_made_louder(processed, tmp_path) -> None:
    work, published = processed("still.mp4")

    assert (work.loudness_gain, work.levels.loudness) == (0, None)
    assert loudness_of_channels(work, tmp_path)[0] is None
    assert [round(at) for pause in work.levels.silences for at in pause] == [0, round(published.duration)]


@pytest.mark.django_db
def test_an_owner_reads_the_sound_of_a_video(ada, browser_of, own_folders) -> None:
    video = VideoFactory(owner=ada, directory="videos/a/b", sound_levels="sound.json", loudness_gain=4.5)
    levels = SoundLevels(
        rate=50, peaks=b"\x00\xff", silences=((1.0, 2.0),), duration=3.0, loudness=-20.5, true_peak=-3.0
    )
    stored = local_path("videos/a/b/sound.json")
    assert stored is not None
    stored.parent.mkdir(parents=True)
    stored.write_text(levels.to_json())
    address = f"/api/v1/videos/{video.uid}/sound/"

    seen = browser_of(ada).get(address).json()

    assert base64.b64decode(seen.pop("peaks")) == b"\x00\xff"
    assert seen == {
        "state": "ready",
        "rate": 50,
        "silences": [[1.0, 2.0]],
        "cues": [[0.0, 1.1], [1.9, 3.0]],
        "duration": 3.0,
        "loudness": -20.5,
        "gain": 4.5,
        "can_transcribe": False,
        "can_translate": False,
    }
    stored.write_text("{")
    assert browser_of(ada).get(address).json()["state"] == "missing"


@pytest.mark.django_db
def test_without_measurements_the_sound_says_why(ada, eve, browser_of) -> None:
    states = {
        "missing": VideoFactory(owner=ada),
        "none": VideoFactory(owner=ada, has_audio=False),
        "preparing": VideoFactory(owner=ada, stage="audio", has_audio=False, is_playable=False),
    }
    for state, video in states.items():
        seen = browser_of(ada).get(f"/api/v1/videos/{video.uid}/sound/").json()
        assert (seen["state"], seen["peaks"], seen["silences"], seen["rate"]) == (state, "", [], 0), json.dumps(seen)
        assert browser_of(eve).get(f"/api/v1/videos/{video.uid}/sound/").status_code == 404


@pytest.mark.long
def test_ten_hours_of_sound_are_measured_in_bounded_memory(tmp_path) -> None:
    hours = 10
    samples, loudness = tmp_path / "samples", tmp_path / "loudness"
    beep = b"".join(round(9000 * math.sin(at / 3)).to_bytes(2, "little", signed=True) for at in range(SAMPLE_RATE // 2))
    with samples.open("wb") as file:
        for second in range(0, hours * 3600, 60):  # the rest is a hole: silence
            file.seek(second * SAMPLE_RATE * 2)
            file.write(beep)
        file.truncate(hours * 3600 * SAMPLE_RATE * 2)
    loudness.write_text("lavfi.r128.I=-23.0\n" * 10_000)
    tracemalloc.start()
    try:
        levels = measure_levels(samples, loudness, hours * 3600.0)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert most < 150 * 2**20  # the samples are 576 MB
    assert len(levels.peaks) == levels.rate * hours * 3600 <= 400_000
    assert len(levels.silences) == hours * 60
    assert levels.silences[0] == pytest.approx((0.5, 60.0), abs=0.02)
    assert len(levels.to_json()) < 2**20
