"""Whatever a speech model answers becomes cues that can be read, or is refused."""

import random
from collections.abc import Callable

import pytest

from apps.files.video.cue_text import plain_text
from apps.files.video.spoken_cues import (
    MAX_CUE_WIDTH,
    NotSpeech,
    are_in_order,
    break_lines,
    is_silent,
    language_of,
    plan_pieces,
    read_answer,
    width_of,
)
from tests.cases import all_cases
from tests.files.speech_standin import SEGMENTS

SPAN = (10.0, 20.0)


def test_times_count_from_the_video_and_do_not_overlap() -> None:
    cues = read_answer({"segments": SEGMENTS["unkind times"]}, SPAN, ())

    assert [cue["text"] for cue in cues] == ["first", "second and a half", "third"]
    assert are_in_order(cues)
    assert cues[0]["begin"] == 10.0
    assert all(SPAN[0] <= cue["begin"] < cue["end"] <= SPAN[1] for cue in cues)


def test_what_a_model_repeats_or_invents_is_left_out() -> None:
    assert len(read_answer({"segments": SEGMENTS["stuck"]}, (0.0, 200.0), ())) <= 2
    assert read_answer({"segments": SEGMENTS["invented"]}, SPAN, ()) == []
    assert read_answer({"segments": [], "text": ""}, SPAN, ()) == []
    loop = {"start": 0, "end": 9, "text": "I see a " + "little bit of a " * 40 + "bit."}
    assert len(read_answer({"segments": [loop]}, SPAN, ())[0]["text"]) < 60
    very = {"start": 0, "end": 5, "text": "It is very very very long."}
    assert read_answer({"segments": [very]}, SPAN, ())[0]["text"] == "It is very very very long."
    assert read_answer({"segments": [very]}, SPAN, [(9.0, 21.0)]) == []  # nobody speaks there


def test_an_answer_without_times_is_spread_over_the_speech() -> None:
    cues = read_answer({"text": "One two three four five six."}, (0.0, 9.0), [(3.0, 6.0)])

    assert [(cue["begin"], cue["text"]) for cue in cues] == [(0.0, "One two three"), (5.9, "four five six.")]


def test_all_of_a_long_text_without_times_is_kept() -> None:
    words = [f"word{number}" for number in range(900)]

    cues = read_answer({"text": " ".join(words)}, (0.0, 300.0), ())
    assert " ".join(cue["text"] for cue in cues).split() == words
    assert len(read_answer({"text": "ab " * 100_000}, (0.0, 30.0), ())) < 100  # a model that got stuck


@all_cases(
    "times",
    [
        lambda at: {"start": 0, "end": 0},
        lambda at: {"start": 0, "end": 9},
        lambda at: {},
        lambda at: {"start": 9 - at, "end": 10 - at},
    ],
)
def test_segments_with_unusable_times_are_spread_over_the_speech(times: Callable[[int], dict[str, float]]) -> None:
    words = ["one two", "three four", "five six", "seven eight"]
    heard = [{"text": text, **times(at)} for at, text in enumerate(words)]

    cues = read_answer({"segments": heard}, (0.0, 90.0), ())
    assert " ".join(cue["text"] for cue in cues) == " ".join(words)
    assert are_in_order(cues)
    assert cues[-1]["end"] > 60


@all_cases("answer", [None, [], "text", 3, {}, {"segments": ["a"]}, {"segments": None, "text": None}, {"text": ["a"]}])
def test_what_is_no_transcription_is_refused(answer: object) -> None:
    with pytest.raises(NotSpeech):
        read_answer(answer, SPAN, ())


@all_cases(
    "text",
    [
        "A sentence ends here. Another one, which is longer than the first by far, follows after it and ends. " * 4,
        "这是一个很长的句子没有任何空格所以必须按照字符数来分割它才能阅读。" * 4,
        "هذه جملة طويلة، وفيها فواصل كثيرة؛ لكنها لا تنتهي؟ " * 5,
        "यह एक लंबा वाक्य है। और यह दूसरा है। " * 8,
    ],
)
def test_long_texts_of_every_script_are_divided_without_losing_a_sign(text: str) -> None:
    cues = read_answer({"segments": [{"start": 0, "end": 40, "text": text}]}, (0.0, 40.0), ())

    assert len(cues) > 3
    assert are_in_order(cues)
    assert all(width_of(line) <= MAX_CUE_WIDTH for cue in cues for line in cue["text"].split("\n"))
    assert "".join("".join(cue["text"].split()) for cue in cues) == "".join(text.split())


def test_a_text_is_data_and_no_markup() -> None:
    told = "a\x00b <script> & \u202e"
    cues = read_answer({"segments": [{"start": 0, "end": 3, "text": told}]}, SPAN, ())

    assert "\x00" not in cues[0]["text"]
    assert plain_text(cues[0]["text"])
    assert break_lines("x" * 100) == "x" * 100  # one word stays one


def test_random_answers_never_break_the_order() -> None:
    chance = random.Random(5)
    for _ in range(300):
        segments = [
            {"start": chance.uniform(-5, 15), "end": chance.uniform(-5, 15), "text": "word " * chance.randint(1, 60)}
            for _ in range(chance.randint(1, 12))
        ]
        cues = read_answer({"segments": segments}, SPAN, ())
        assert are_in_order(cues), segments
        assert all(SPAN[0] <= cue["begin"] < cue["end"] <= SPAN[1] + 1e-6 for cue in cues), segments


def test_the_language_is_named_in_either_way() -> None:
    names = {"german": "de"}

    assert language_of({"language": "German"}, names) == "de"
    assert language_of({"language": "pt"}, names) == "pt"
    for said in ({}, [], {"language": 7}, {"language": "the language of birds"}):
        assert language_of(said, names) == ""


def test_a_long_sound_is_cut_in_its_pauses() -> None:
    assert plan_pieces((), 0, 300) == []
    assert plan_pieces((), 299.5, 300) == [(0, 299.5)]
    assert plan_pieces([(250, 251), (280, 283), (500, 501)], 1000, 300) == [
        (0, 281.5),
        (281.5, 500.5),
        (500.5, 800.5),
        (800.5, 1000),
    ]
    ten_hours = plan_pieces([(at, at + 0.5) for at in range(0, 36000, 7)], 36000, 300)
    assert all(0 < end - begin <= 300 for begin, end in ten_hours)
    assert len(ten_hours) < 250


def test_a_silent_piece_is_not_sent() -> None:
    assert is_silent((0, 10), [(0, 10)])
    assert is_silent((5, 10), [(0, 7), (7.05, 12)])
    assert not is_silent((0, 10), [(0, 9)])
    assert not is_silent((0, 10), ())
