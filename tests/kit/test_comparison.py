"""Which typed answers are the accepted one."""

import pytest

from studyplatform.kit.text.comparison import Strictness, is_same_answer

PLAIN = Strictness()
LENIENT = Strictness(ignores_accents=True)
EXACT_CASE = Strictness(is_case_sensitive=True)


def lenient(language):
    return Strictness(ignores_accents=True, language=language)


SAME = [
    ("Hooke’s law", "Hooke's law", PLAIN),
    ("HOOKE′S  LAW ", "Hooke's law", PLAIN),
    ("“yes”", '"yes"', PLAIN),
    ("well–known", "well-known", PLAIN),
    ("cafe\u0301", "café", PLAIN),
    ("ＯＳＭＯＳＩＳ", "osmosis", PLAIN),
    ("ｶﾞｽ", "ガス", PLAIN),
    ("ﬁnal", "final", PLAIN),
    ("\u200eos\u200bmosis\u00a0", "osmosis", PLAIN),
    ("Paris.", "Paris", PLAIN),
    ("Paris", "Paris.", PLAIN),
    ("犬。", "犬", PLAIN),
    ("c#", "C#", PLAIN),
    (".net", ".NET", PLAIN),
    ("f′", "f'", PLAIN),
    ("->", "->", PLAIN),
    ("−", "-", PLAIN),
    ("！＝", "!=", PLAIN),
    ("STRASSE", "Straße", PLAIN),
    ("IŞIK", "ışık", PLAIN),
    ("İstanbul", "istanbul", PLAIN),
    ("ΟΔΟΣ", "οδός", LENIENT),
    ("οδοσ", "οδος", PLAIN),
    ("cafe", "café", LENIENT),
    ("naive", "naïve", LENIENT),
    ("pao", "pão", lenient("pt")),
    ("garcon", "garçon", lenient("fr-CA")),
    ("елка", "ёлка", lenient("ru")),
    ("молоко", "молоко́", LENIENT),
    ("â", "ấ", lenient("vi")),
    ("כתב", "כָּתַב", LENIENT),
    ("كتب", "كَتَبَ", LENIENT),
    ("Mg", "Mg", EXACT_CASE),
    ("—help", "--help", PLAIN),  # as phones write two hyphens
    ("i—", "i--", PLAIN),
    ("O`Neill", "O'Neill", PLAIN),
    ("‹a›", "'a'", PLAIN),
    ("20 ℃", "20 °C", PLAIN),
    ("㎡", "m²", PLAIN),
    ("㎏", "kg", PLAIN),
    ("5〜10", "5～10", PLAIN),
    ("1⁄2", "1/2", PLAIN),
    ("1945.", "1945", PLAIN),
]
DIFFERENT = [
    ("-help", "--help", PLAIN),
    ("`ls`", "'ls'", PLAIN),
    ("m2", "㎡", PLAIN),
    ("5", "5.", PLAIN),
    ("git add", "git add .", PLAIN),
    ("=", "!=", PLAIN),
    (".", ";", PLAIN),
    ("", "%", PLAIN),
    ("-", "–", PLAIN),  # a question about typography: what cannot be typed plainly is meant
    ("C", "C#", PLAIN),
    ("C", "C++", PLAIN),
    ("NET", ".NET", PLAIN),
    ("f", "f'", PLAIN),
    ("n", "n!", PLAIN),
    ("int x", "int x;", PLAIN),
    ("x.", "x", PLAIN),
    ("e.g", "e.g.", PLAIN),
    ("`a`", "'a'", PLAIN),
    ("hello", '"hello"', PLAIN),
    ("x2", "x²", PLAIN),
    ("R", "ℝ", PLAIN),
    ("cafe", "café", PLAIN),
    ("Masse", "Maße", PLAIN),
    ("sir", "sır", PLAIN),
    ("ano", "año", LENIENT),
    ("かき", "かぎ", LENIENT),
    ("и", "й", LENIENT),
    ("ангстрем", "ангстрём", LENIENT),
    ("Koln", "Köln", LENIENT),
    ("Koeln", "Köln", LENIENT),
    ("angstrom", "ångström", LENIENT),
    ("hus", "hús", lenient("is")),
    ("mo", "mô", lenient("vi")),
    ("ا", "أ", LENIENT),
    ("कि", "की", LENIENT),
    ("क", "क्", LENIENT),
    ("ก", "ก้", LENIENT),
    ("mg", "Mg", EXACT_CASE),
    ("👍", "👍🏽", PLAIN),
]


@pytest.mark.parametrize(("cases", "expected"), [(SAME, True), (DIFFERENT, False)], ids=["same", "different"])
def test_answers_are_compared_as_a_fair_teacher_would(cases, expected):
    for given, accepted, strictness in cases:
        assert is_same_answer(given, accepted, strictness) is expected, (given, accepted, strictness)
