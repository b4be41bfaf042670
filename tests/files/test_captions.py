"""Caption files of every usual format are read; what is left out, repaired or moved is reported with its line."""

import re

import pytest
from django.conf import global_settings
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.files.errors import CaptionFormatUnsupported, CaptionsTooLarge, CaptionsUnreadable
from apps.files.models import VideoAsset
from apps.files.services import captions
from apps.files.video import caption_reading, webvtt
from apps.files.video.caption_files import read_captions
from apps.files.video.caption_reading import read_captions_in_subprocess
from apps.files.video.cue_text import clean_markup, plain_text
from apps.files.video.cues import ENCODINGS, FINDING_KINDS, FORMAT_NAMES, Findings, UnreadableCaptions
from apps.files.video.subtitles import language_of
from apps.files.video.webvtt import parse_cues, read_cues, write_webvtt
from studyplatform.kit.concurrency import ConcurrencyLimit
from studyplatform.kit.errors import RateLimitExceeded

SRT = (
    "1\r\n00:00:01,000 --> 00:00:02,500\r\nOne & two\r\n\r\n"
    "2\r\n00:01:03,000 --> 01:00:04,000\r\n<b>Three</b>\r\nfour\r\n"
)


def texts(source: str) -> list[str]:
    """The plain text of the cues of a file."""
    return [plain_text(cue.text) for cue in read_captions(source.encode()).cues]


def times(source: str) -> list[tuple[float, float]]:
    return [(cue.begin, cue.end) for cue in read_captions(source.encode()).cues]


def found(source: str | bytes) -> list[tuple[int, str]]:
    """Line and kind of the findings of a file."""
    raw = source if isinstance(source, bytes) else source.encode()
    return [(each.line, each.kind) for each in read_captions(raw).findings]


def test_srt_becomes_webvtt() -> None:
    reading = read_captions(SRT.encode())

    assert reading.webvtt == (
        "WEBVTT\n\n00:00:01.000 --> 00:00:02.500\nOne &amp; two\n\n00:01:03.000 --> 01:00:04.000\n<b>Three</b>\nfour\n"
    )
    assert (reading.form, reading.encoding, reading.is_guess, reading.counts) == ("srt", "utf-8", False, {})


def test_comments_that_begin_chapters_are_kept() -> None:
    source = (
        "WEBVTT\n\nNOTE a comment\n\nNOTE Chapter: One <b>step</b>\n\n00:01.000 --> 00:02.000\nHello\n\n"
        "NOTE\nchapter: " + "x" * 200 + "\n\n00:03.000 --> 00:04.000\nThere\nChapter: said aloud\n\nNOTE Chapter:\n"
    )

    clean = write_webvtt(parse_cues(source))

    assert clean == (
        "WEBVTT\n\nNOTE Chapter: One step\n\n00:00:01.000 --> 00:00:02.000\nHello\n\n"
        f"NOTE Chapter: {'x' * 80}\n\n00:00:03.000 --> 00:00:04.000\nThere\nChapter: said aloud\n"
    )
    assert write_webvtt(parse_cues(clean)) == clean


def test_webvtt_keeps_positions_and_speakers_and_reports_what_players_do_not_show() -> None:
    source = (
        "WEBVTT - made by hand\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000\n\n"
        "STYLE\n::cue { color: red; background: url(http://127.0.0.1/x) }\n\nNOTE do not show\n\nREGION\nid:fred\n\n"
        "intro\n00:01.000 --> 00:02.000 align:start line:90% region:fred\n<v Ada>Hello &amp; welcome\n\n"
        "belongs to no cue\n\n00:03.000 --> 00:04.000 vertical:rl size:50% position:10%,line-left\n"
        "<ruby>漢<rt>kan</rt></ruby>\n"
    )

    reading = read_captions(source.encode())

    assert reading.webvtt == (
        "WEBVTT\n\n00:00:01.000 --> 00:00:02.000 align:start line:90%\n<v Ada>Hello &amp; welcome\n\n"
        "00:00:03.000 --> 00:00:04.000 vertical:rl size:50% position:10%,line-left\n<ruby>漢<rt>kan</rt></ruby>\n"
    )
    assert [(each.line, each.kind) for each in reading.findings] == [
        (2, "header"), (4, "style"), (7, "comment"), (9, "style"), (12, "identifier"), (13, "formatting"),
        (16, "dropped"),
    ]  # fmt: skip
    assert reading.findings[-1].text == "belongs to no cue"
    assert texts(source) == ["Hello & welcome", "漢(kan)"]


def test_tags_of_the_formats_keep_their_meaning_and_other_text_stays() -> None:
    for said, shown in (
        ("vector<int> v; List<String> names", "vector&lt;int&gt; v; List&lt;String&gt; names"),
        ("List<b> x", "List&lt;b&gt; x"),
        ("Map<K, V> and a<b && c>d", "Map&lt;K, V&gt; and a&lt;b &amp;&amp; c&gt;d"),
        ("if x<limit and y>limit", "if x&lt;limit and y&gt;limit"),
        ("<script>alert(1)</script>x", "&lt;script&gt;alert(1)&lt;/script&gt;x"),
        ('<img src=x onerror="alert(1)">y', '&lt;img src=x onerror="alert(1)"&gt;y'),
        ("3 < 4 and 5 > 2 --> 1", "3 &lt; 4 and 5 &gt; 2 --&gt; 1"),
        ("<div> and </div>", "&lt;div&gt; and &lt;/div&gt;"),
        ("<font color=red>warm</font>", "warm"),
        ("<STRONG>bold</STRONG><br/>next", "<b>bold</b>\nnext"),
        (r"{\an8}above {not a tag}", "above {not a tag}"),
        (r"{\an8{\i1}above", r"{\an8above"),
        ("<00:00:01.500>word", "<00:00:01.500>word"),
        ("<c.loud>very</c>", "<c.loud>very</c>"),
        ("<v Dr. Ada>hi</v>", "<v Dr. Ada>hi</v>"),
        ("caf&eacute; &quot;x&quot; AT&T &copy; &#8364;", 'café "x" AT&amp;T © €'),
        ("&lt;b&gt; &bogus;", "&lt;b&gt; &amp;bogus;"),
    ):
        assert clean_markup(said, is_webvtt=False)[0] == shown, said
    assert clean_markup("&copy 2024 R&D", is_webvtt=True)[0] == "© 2024 R&amp;D"  # as browsers read them


def test_a_line_of_blanks_does_not_end_a_cue_and_no_text_is_lost() -> None:
    assert texts("WEBVTT\n\n00:01.000 --> 00:02.000\nGround floor\n \nDoors\n") == ["Ground floor Doors"]
    assert texts("WEBVTT\n\n00:01.000 --> 00:02.000\nA\n\t\f\nB\n\n00:03.000 --> 00:04.000\nC\n") == ["A B", "C"]
    # Text after a blank line joins the cue before it, double-spaced files too.
    assert texts("1\n00:00:01,000 --> 00:00:02,000\nA\n\nB\n\n2\n00:00:03,000 --> 00:00:04,000\nC\n") == ["A B", "C"]
    assert texts(
        "1\r\r\n00:00:01,000 --> 00:00:02,000\r\r\nA\r\r\n\r\r\n2\r\r\n00:00:03 --> 00:00:04\r\r\nB\r\r\n"
    ) == ["A", "B"]
    assert texts("1\r00:00:01,000 --> 00:00:02,000\rA\r\r2\r00:00:03,000 --> 00:00:04,000\rB") == ["A", "B"]
    # A missing blank line, with and without numbers; "42" is text where cues have no numbers.
    assert texts("1\n00:00:01,000 --> 00:00:02,000\nA\n2\n00:00:03,000 --> 00:00:04,000\nB\n") == ["A", "B"]
    assert texts("00:00:01,000 --> 00:00:02,000\n42\n00:00:03,000 --> 00:00:04,000\nB\n") == ["42", "B"]
    assert found("1\n00:00:01,000 --> 00:00:02,000\nA\n\nB\n2\n00:00:03,000 --> 00:00:04,000\nC\n") == [(5, "joined")]
    assert found("00:00:01,000 --> 00:00:02,000\nA\n00:00:03,000 --> 00:00:04,000\nB\n") == [(3, "separated")]
    assert texts("\ufeffWEBVTT\n\n00:01.000 --> 00:02.000\na\u2028b\x85c\x1cd\n") == ["a b c d"]


def test_times_are_read_as_people_write_them() -> None:
    for timing, expected in (
        ("00:00:01 --> 00:00:03", (1, 3)),
        ("00:00:01.5 --> 00:00:03.25", (1.5, 3.25)),
        ("0:0:1,000 --> 0:0:3,000", (1, 3)),
        ("00:01,000 --> 00:03,000", (1, 3)),
        ("100:00:01,000-->100:00:03,000", (360_001, 360_003)),
        ("00:00:01,000 -> 00:00:03,000", (1, 3)),
        ("00:00:01,000 –> 00:00:03,000", (1, 3)),
        ("00:00:01,000 → 00:00:03,000", (1, 3)),
        ("00 : 00 : 01 , 000 --> 00 : 00 : 03 , 000", (1, 3)),
        ("00:00:01,000 --> 00:00:03,000 X1:10 X2:20", (1, 3)),
        ("-00:00:01,000 --> 00:00:03,000", (0, 3)),
        ("00:00:01,000 ==> 00:00:03,000", (1, 3)),
        ("00:00:01,000 --&gt; 00:00:03,000", (1, 3)),
        ("００：００：０１，０００　－－＞　００：００：０３，０００", (1, 3)),
        ("\u202b00:00:01,000\xa0-->\xa000:00:03,000\u202c", (1, 3)),
    ):
        assert times(f"1\n{timing}\nx\n") == [expected], timing
    # Milliseconds without leading zeros, where the file shows that they are.
    assert times("00:00:01,5 --> 00:00:02,50\nx\n\n00:00:02,400 --> 00:00:03,0\ny\n") == [(1.005, 2.05), (2.4, 3.0)]
    assert found("1\n00:00:01,000 -> 00:00:03,000\nx\n") == [(2, "repaired")]
    assert texts("1\n00:00:01,000 --> 00:00:03,000\n10:30 --> lunch\n") == ["10:30 --> lunch"]


def test_cues_without_usable_times_keep_their_text() -> None:
    source = (
        "1\n00:00:01,000 --> 00:00:03,000\nGood\n\n2\n00:00:0x,000 --> 00:00:05,000\nLetter\n\n"
        "3\n00:00:09,000 --> 00:00:07,000\nBackwards\n\n4\n00:00:10,000 --> 00:00:10,000\nZero\n\n"
        "5\n00:00:20,000 --> \nNo end\n\n6\n00:00:30,000 --> 00:00:31,000\n\n\n7\n00:00:12,000 --> 00:00:13,000\nLate\n"
    )

    reading = read_captions(source.encode())

    assert [plain_text(cue.text) for cue in reading.cues] == ["Good", "Letter", "Backwards", "Zero", "Late", "No end"]
    assert all(cue.begin < cue.end for cue in reading.cues)
    assert (reading.cues[2].begin, reading.cues[2].end) == (9, 10)  # until the next cue begins
    assert [(each.line, each.kind) for each in reading.findings] == [
        (6, "placed"), (10, "placed"), (14, "placed"), (18, "placed"), (22, "empty"), (26, "moved"),
    ]  # fmt: skip
    assert times("WEBVTT\n\n00:05.000 --> 00:08.000\nb\n\n00:01.000 --> 00:06.000\na\n") == [(1, 6), (5, 8)]


def test_damaged_characters_are_reported_and_nothing_else_changes() -> None:
    raw = (
        "1\n00:00:01,000 --> 00:00:02,000\nDas Gemüse für die Küche".encode()
        + b"\n\n2\n00:00:03,000 --> 00:00:04,000\nbroken \xe9 here\n"
    )

    reading = read_captions(raw)

    assert [cue.text for cue in reading.cues] == ["Das Gemüse für die Küche", "broken \ufffd here"]
    assert ([(each.line, each.kind) for each in reading.findings], reading.is_guess) == ([(7, "character")], False)
    assert texts("WEBVTT\n\n00:01.000 --> 00:02.000\na\0b\n") == ["a\ufffdb"]  # as browsers read it


def test_other_formats_are_converted() -> None:
    ass = (
        "[Script Info]\nTitle: x\n[Events]\nFormat: Layer, Start, End, Style, Text\n"
        "Dialogue: 0,0:00:01.00,0:00:03.00,Default,{\\an8}Hello, {\\i1}you{\\i0}\\Na < b, vector<int>\n"
        "Comment: 0,0:00:01.00,0:00:03.00,Default,not shown\n"
        "Dialogue: 0,0:00:04.00,0:00:05.00,Default,{\\p1}m 0 0 l 1 1{\\p0}\n"
    )
    assert [cue.text for cue in read_captions(ass.encode()).cues] == ["Hello, <i>you</i>\na &lt; b, vector&lt;int&gt;"]
    assert found(ass) == [(5, "formatting"), (6, "comment"), (7, "formatting"), (7, "empty")]
    ttml = (
        '<?xml version="1.0" encoding="utf-8"?><tt xmlns="http://www.w3.org/%s"><body><div>'
        '<p begin="00:00:01.000" end="2.5s">Hello<br/>a &lt; b</p></div></body></tt>'
    )
    for source, form, expected in (
        ("0:00:00.599,0:00:04.160\n>> Hi\n\n0:00:04.160,0:00:06.770\nmore[br]x\n", "sbv", (0.599, 4.16, "&gt;&gt; Hi")),
        ("[ar:X]\n[00:12.00]One <00:13.00>line\n[00:15.30]Two\n[00:17.00]\n", "lrc", (12, 15.3, "One line")),
        (ttml % "ns/ttml", "ttml", (1, 2.5, "Hello\na &lt; b")),
        (ttml % "2006/10/ttaf1", "ttml", (1, 2.5, "Hello\na &lt; b")),
        ("{1}{1}25.0\n{25}{50}Hello|there\n", "microdvd", (1, 2, "Hello\nthere")),
        ("[10][30]Hello|/there\n", "mpl2", (1, 3, "Hello\n<i>there</i>")),
    ):
        reading = read_captions(source.encode())
        cue = reading.cues[0]
        assert (reading.form, cue.begin, cue.end, cue.text) == (form, *expected)


def test_no_text_of_timed_text_files_is_lost() -> None:
    paragraphs = (
        '<p begin="3s" dur="2s">a {b} \\N</p><p begin="00:00:06:12" end="00:00:07:00">frames</p>'
        '<p begin="100t" end="110t">ticks</p><p begin="x">no time</p><p begin="20s">no end</p><p/>'
        '<div begin="30s"><div><p><span begin="1s" end="2s">nested &nbsp; AT&T</span></p></div></div>'
        '<div timeContainer="seq" begin="40s"><p dur="1s">one</p><p dur="2s">two</p></div>'
    )
    root = '<tt xmlns="http://www.w3.org/ns/ttml" xmlns:p="http://www.w3.org/ns/ttml#parameter" %s><body>%s</body></tt>'
    cues = read_captions((root % ('p:frameRate="25" p:tickRate="10"', paragraphs)).encode()).cues
    assert [(cue.begin, cue.end, cue.text) for cue in cues] == [
        (3, 5, "a {b} \\N"),
        (6.48, 7, "frames"),
        (10, 11, "ticks"),
        (11, 12, "no time"),
        (20, 21, "no end"),
        (31, 32, "nested \xa0 AT&amp;T"),
        (40, 41, "one"),
        (41, 43, "two"),
    ]
    for source in ("{0}{25}{y:i}one\nstray\n{50}{}set {x}|two\n", "[0][10]one\nstray\n[20][]set {x}|two\n"):
        assert texts_of_file(source) == ["one\nstray", "set {x}\ntwo"]
        assert {(2, "joined"), (3, "placed")} <= set(found(source))


def test_encodings_are_recognized_by_words_that_make_sense() -> None:
    for text, encoding in (
        ("Привет! Сегодня мы говорим о матрицах. Это важно", "mac-cyrillic"),
        ("It’s “fine” — really…", "mac-roman"),
        ("Schöne Grüße aus Köln „ja“", "mac-roman"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy", "iso8859-2"),
    ):
        assert texts_of_file(f"1\n00:00:01,000 --> 00:00:02,000\n{text}\n".encode(encoding)) == [text]


def texts_of_file(source: str | bytes) -> list[str]:
    return [cue.text for cue in read_captions(source.encode() if isinstance(source, str) else source).cues]


def test_other_files_are_refused_and_the_format_is_named() -> None:
    for raw, reason, name in (
        (b"", "empty", ""),
        (b"WEBVTT\n", "empty", "WebVTT"),
        (b"just words", "format", ""),
        (b"\x00\x01\x02" * 100, "format", ""),
        (b"Scenarist_SCC V1.0\n\n00:00:00:00\t9420 9420", "format", "SCC"),
        (b"<SAMI><BODY><SYNC Start=1000><P>Hello", "format", "SAMI"),
        (b"# VobSub index file, v7", "format", "VobSub"),
        (b"PG\0\0\0\0\0\0\0\0\x16\0\x13", "format", "PGS (SUP)"),
        (b'[{"start": 1}]', "format", "JSON"),
        (b'<!DOCTYPE tt [<!ENTITY a "b">]><tt><body><p begin="1s">&a;</p></body></tt>', "damaged", "TTML"),
        (b'<tt xmlns="http://www.w3.org/ns/ttml"><body><p begin="1:2', "damaged", "TTML"),
        (b"x" * (3 * 2**20), "size", ""),
        (b"WEBVTT\n" + b"\n00:01.000 --> 00:02.000\nx\n" * 20_001, "cues", ""),
    ):
        with pytest.raises(UnreadableCaptions) as refused:
            read_captions(raw)
        assert (refused.value.reason, refused.value.format_name) == (reason, name), raw[:40]


PIECES = st.one_of(
    st.text(alphabet=st.characters(codec="utf-8"), max_size=8),
    st.sampled_from(
        ["\n", " \n", "\n\n", "<i>", "</i>", "<v A>", "<b", "&lt;", "&eacute;", "-->", "1", "NOTE Chapter: x", "STYLE",
         "00:00:01.000 --> 00:00:02.000", "00:01,5 -> 00:02", "WEBVTT", "\r", "\f", "\0", "{\\an8}", "<c.x>", "List<b>",
         "<lang en>", "&", "<rt>", "<00:00:01.500>", "&#0;", "&#xD800;", "&#13;", "&#10;", "\ufeff", "0:30 → 0:45"]
    ),
)  # fmt: skip


@settings(max_examples=60, deadline=None, database=None)
@given(st.lists(PIECES, max_size=20), st.booleans())
def test_what_is_written_reads_as_the_same_cues(pieces: list[str], is_webvtt: bool) -> None:
    head = "WEBVTT\n\n" if is_webvtt else ""
    cues = parse_cues(f"{head}00:00:01.000 --> 00:00:03.500\n{''.join(pieces)}")
    written, findings = write_webvtt(cues), Findings()

    assert read_cues(written, findings) == cues
    assert not findings.items
    assert not re.search(r"<(?!/?(?:b|i|u|c|v|ruby|rt|lang)\b|\d)", written)


@pytest.mark.timeout(120)
def test_repeated_markup_does_not_slow_down_the_parser() -> None:
    head = "WEBVTT\n\n00:01.000 --> 00:02.000\n"
    for sign in ("{\\", "<c", "<v ", "&#1", "</", "0:0", "00:00.0 ", "<lang ", "{", "\n1", "x<b>", "\n1\n\n", "0:0->"):
        assert parse_cues(head + "x" + sign * (60_000 // len(sign)))


def test_captions_are_read_in_a_subprocess(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webvtt, "read_cues", None)

    reading = read_captions_in_subprocess(
        SRT.encode() + b"\n\n3\n00:00:01,000 --> 00:00:09,000\n\xcf\xf0\xe8\xe2\xe5\xf2\n", language="ru"
    )

    assert (reading.encoding, reading.is_guess, reading.cues[0].text) == ("cp1251", True, "Привет")
    assert [each.kind for each in reading.findings] == ["moved"]
    with pytest.raises(UnreadableCaptions):
        read_captions_in_subprocess(b"just words")
    monkeypatch.setattr(caption_reading, "TIMEOUT_SECONDS", 0)
    with pytest.raises(UnreadableCaptions):
        read_captions_in_subprocess(SRT.encode())


def test_the_number_of_concurrent_parsers_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = ConcurrencyLimit(1, max_wait=0.01)
    monkeypatch.setattr(captions, "_parsers", turns)

    with turns.slot(), pytest.raises(RateLimitExceeded):
        captions.read_captions(SRT.encode())


def test_refusals_say_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    for reason, name, kind in (
        ("size", "", CaptionsTooLarge),
        ("format", "SCC", CaptionFormatUnsupported),
        ("format", "", CaptionsUnreadable),
    ):

        def refuse(*args: object, reason: str = reason, name: str = name, **kwargs: object) -> None:
            raise UnreadableCaptions(reason, name)

        monkeypatch.setattr(captions, "read_captions_in_subprocess", refuse)
        with pytest.raises(kind) as refused:
            captions.read_captions(b"")
        assert name in refused.value.detail


def test_captions_after_the_end_of_the_video_are_reported() -> None:
    reading = read_captions(b"1\n00:00:01 --> 00:00:02\na\n\n2\n00:00:09 --> 00:00:10\n<i>b</i> &amp; c\n")

    def late(duration: float) -> list[object]:
        fields = captions.report_fields(reading, VideoAsset(duration=duration))
        return [each for each in fields["findings"] if each[1] == "late"] + [fields["finding_counts"].get("late")]

    assert late(9) == [[0, "late", "b & c"], 1]
    assert late(10) == late(0) == [None]  # 0: its length isn't known yet


def test_everything_that_can_be_reported_has_a_name() -> None:
    assert set(captions.finding_names()) == set(FINDING_KINDS)
    assert set(captions.caption_encodings()) == set(ENCODINGS)
    assert all(len(name) <= 10 for name in FORMAT_NAMES)
    assert all(captions.LANGUAGE.match(tag) for tag, _ in global_settings.LANGUAGES)


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
