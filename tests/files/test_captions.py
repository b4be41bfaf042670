"""Captions in common formats are converted to clean WebVTT."""

import pytest

from apps.files.services import captions
from apps.files.video import webvtt
from apps.files.video.subtitles import language_of
from apps.files.video.webvtt import UnreadableCaptions, to_webvtt, to_webvtt_in_subprocess
from studyplatform.kit.concurrency import ConcurrencyLimit
from studyplatform.kit.errors import RateLimitExceeded
from tests.cases import all_cases

SRT = (
    "1\r\n00:00:01,000 --> 00:00:02,500\r\nOne & two\r\n\r\n"
    "2\r\n00:01:03,000 --> 01:00:04,000\r\n<b>Three</b>\r\nfour\r\n"
)


def test_srt_becomes_webvtt() -> None:
    assert to_webvtt(SRT.encode()) == (
        "WEBVTT\n\n00:00:01.000 --> 00:00:02.500\nOne &amp; two\n\n00:01:03.000 --> 01:00:04.000\n<b>Three</b>\nfour\n"
    )


def test_comments_that_begin_chapters_are_kept() -> None:
    source = (
        "WEBVTT\n\nNOTE a comment\n\nNOTE Chapter: One <b>step</b>\n\n00:01.000 --> 00:02.000\nHello\n\n"
        "NOTE\nchapter: " + "x" * 200 + "\n\n00:03.000 --> 00:04.000\nThere\nChapter: said aloud\n\nNOTE Chapter:\n"
    )

    clean = to_webvtt(source.encode())

    assert clean == (
        "WEBVTT\n\nNOTE Chapter: One step\n\n00:00:01.000 --> 00:00:02.000\nHello\n\n"
        f"NOTE Chapter: {'x' * 80}\n\n00:00:03.000 --> 00:00:04.000\nThere\nChapter: said aloud\n"
    )
    assert to_webvtt(clean.encode()) == clean


def test_webvtt_keeps_positions_and_speakers_and_drops_styles() -> None:
    source = (
        "WEBVTT - made by hand\n\nSTYLE\n::cue { color: red; background: url(http://127.0.0.1/x) }\n\n"
        "NOTE do not show\n\nintro\n00:01.000 --> 00:02.000 align:start line:90% onload:x\n<v Ada>Hello &amp; welcome\n"
    )

    assert to_webvtt(source.encode()) == (
        "WEBVTT\n\n00:00:01.000 --> 00:00:02.000 align:start line:90%\n<v Ada>Hello &amp; welcome\n"
    )


@all_cases(
    "said, shown",
    [
        ("<script>alert(1)</script>x", "alert(1)x"),
        ('<img src=x onerror="alert(1)">y', "y"),
        ("3 < 4 and 5 > 2", "3 &lt; 4 and 5 &gt; 2"),
        ("<font color=red>warm</font>", "warm"),
        (r"{\an8}above", "above"),
        (r"{\an8{\i1}above", r"{\an8above"),
        ("<00:00:01.500>word", "word"),
        ("<c.loud>very</c>", "<c.loud>very</c>"),
        ("a\0b", "ab"),
    ],
)
def test_markup_that_players_do_not_support_is_removed(said: str, shown: str) -> None:
    source = f"1\n00:00:01,000 --> 00:00:02,000\n{said}\n"

    assert to_webvtt(source.encode()).split("\n")[3] == shown


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings_are_recognized(encoding: str) -> None:
    assert "Für Käthe" in to_webvtt("1\n00:00:01,000 --> 00:00:02,000\nFür Käthe\n".encode(encoding))


def test_cues_are_sorted_and_empty_cues_are_dropped() -> None:
    source = (
        "3\n00:00:05,000 --> 00:00:06,000\nlater\n1\n00:00:01,000 --> 00:00:02,000\nfirst\n\n"
        "00:00:09,000 --> 00:00:08,000\nbackwards\n\n00:00:03,000 --> 00:00:04,000\n\n"
    )

    assert [line for line in to_webvtt(source.encode()).splitlines() if line.isalpha()] == ["WEBVTT", "first", "later"]


@pytest.mark.parametrize("raw", [b"", b"WEBVTT\n", b"just words", b"\x00\x01\x02" * 100, b"x" * (5 * 2**20)])
def test_captions_without_a_cue_are_refused(raw: bytes) -> None:
    with pytest.raises(UnreadableCaptions):
        to_webvtt(raw)


HEAD = "WEBVTT\n\n00:01.000 --> 00:02.000\n"


@pytest.mark.timeout(120)
@pytest.mark.parametrize("sign", ["{\\", "<c", "<v ", "&#1", "</", "0:0", "00:00.0 ", "<lang ", "{", "\n1"])
def test_repeated_unclosed_markup_does_not_slow_down_the_parser(sign: str) -> None:
    assert to_webvtt((HEAD + "x" + sign * (400_000 // len(sign))).encode()).startswith("WEBVTT")


def test_captions_are_parsed_in_a_subprocess(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webvtt, "parse_cues", None)

    assert to_webvtt_in_subprocess(SRT.encode()).endswith("<b>Three</b>\nfour\n")
    with pytest.raises(UnreadableCaptions):
        to_webvtt_in_subprocess(b"just words")


def test_the_number_of_concurrent_parsers_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = ConcurrencyLimit(1, max_wait=0.01)
    monkeypatch.setattr(captions, "_parsers", turns)

    with turns.slot(), pytest.raises(RateLimitExceeded):
        captions.parse_captions(SRT.encode())
    assert captions.parse_captions(SRT.encode()).startswith("WEBVTT")


def test_parsing_stops_at_the_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webvtt, "TIMEOUT", 0)

    with pytest.raises(UnreadableCaptions):
        to_webvtt_in_subprocess(SRT.encode())


@pytest.mark.parametrize(
    ("written", "tag"),
    [
        ("ger", "de"),
        ("deu", "de"),
        ("ENG", "en"),
        ("en-US", "en-us"),
        ("und", ""),
        ("", ""),
        ("<x>", ""),
        ("gsw", "gsw"),
    ],
)
def test_languages_are_converted_to_browser_language_tags(written: str, tag: str) -> None:
    assert language_of(written) == tag
