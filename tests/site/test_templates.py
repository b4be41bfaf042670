"""All templates follow the content security policy, and the artwork matches the style sheets."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from apps.courses.artwork import DRIFT, SUBJECTS, inks, plate, seal
from tests.cases import all_cases

ROOT = Path(settings.BASE_DIR) / "templates"
# Emails have no content security policy.
TEMPLATES = sorted(file for file in ROOT.rglob("*.html") if "emails" not in file.parts)
STYLES = Path(settings.BASE_DIR) / "assets" / "styles"


def test_the_templates_are_found():
    assert len(TEMPLATES) > 40


@all_cases("file", TEMPLATES)
def test_a_template_follows_the_content_security_policy(file):
    text = file.read_text()

    assert not re.search(r"<[a-z][^>]*\sstyle\s*=", text), "style attributes are refused by the browser"
    assert not re.search(r"<[a-z][^>]*\son[a-z]+\s*=\s*[\"']", text), "so are inline handlers"
    assert "javascript:" not in text
    for script in re.findall(r"<script\b[^>]*>", text):
        assert "src=" in script or "json" in script, f"{script}: a script of ours is inline_script()"


def test_the_style_sheet_has_the_hues_of_each_subject():
    sheet = (STYLES / "components" / "plate.css").read_text()

    hues = re.findall(r"\.plate--([a-z-]+) \{ --h0: (\d+); --i1: (\d+); --i2: (\d+); \}", sheet)
    assert {name: (int(a), int(b), int(c)) for name, a, b, c in hues} == {
        name: (subject.stock, subject.a, subject.b) for name, subject in SUBJECTS.items()
    }
    for degrees in range(1, DRIFT + 1):
        assert f".pl-n{degrees} {{ --d: -{degrees}; }}" in sheet
        assert f".pl-p{degrees} {{ --d: {degrees}; }}" in sheet


@all_cases("subject", [*SUBJECTS, "alchemy"])
def test_a_plate_is_reproducible_and_differs_by_name(subject):
    first, again, other, variant = (
        plate("rivers", subject),
        plate("rivers", subject),
        plate("lakes", subject),
        plate("rivers", subject, 2),
    )

    assert first == again
    assert len({first, other, variant}) == 3
    assert "style=" not in first
    assert len(first) < 12_000


def test_a_plate_has_the_same_hues_in_other_media():
    art = plate("rivers-and-their-work", "earth-science")
    hues = inks("rivers-and-their-work", "earth-science")

    [sign, degrees] = re.search(r"pl-([np])(\d+)", art).groups()
    drift = int(degrees) * (-1 if sign == "n" else 1)
    base = SUBJECTS["earth-science"]
    expected = (base.b, base.a) if "pl-swap" in art else (base.a, base.b)
    assert (hues.a - drift, hues.b - drift) == expected


def test_a_seal_is_reproducible_and_differs_by_name():
    assert seal("streak-3", 12) == seal("streak-3", 12)
    assert seal("streak-3") != seal("streak-7")


@pytest.mark.long
def test_the_fonts_of_the_first_screen_are_small():
    fonts = Path(settings.BASE_DIR) / "static" / "fonts"
    weight = {file.stem: file.stat().st_size for file in fonts.glob("*.woff2")}

    assert weight["newsreader"] + weight["newsreader-italic"] + weight["instrument-sans"] <= 60_000
    assert weight["geist"] <= 60_000
