"""One rule for names and titles."""

import unicodedata

import pytest
from django.db import connection

from apps.courses.models import Section
from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.names import NameFormField, VisibleTextField, tidy_name

ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
TIDY = {
    "  Rivers  and\u2003 seas ": "Rivers and seas",
    "Two\r\nlines\u2028here": "Two lines here",
    "Cafe\u0301": "Café",
    "abc\u202egpj.exe": "abcgpj.exe",
    "a\u2066b\u2069c\u200bd\ufeff\u00ad": "abcd",
    "hidden\U000e0041\U000e0042": "hidden",
    "\u3164Ada \u2800 Byron\uffa0": "Ada Byron",  # not another person than Ada Byron
}
KEPT = [
    "می\u200cخواهم",  # Persian, with a joiner that is spelled
    "क्\u200dष",
    "👩\u200d👩\u200d👧",
    f"{ENGLAND} England",
    "❤\ufe0f",
    unicodedata.normalize("NFC", "בְּרֵאשִׁ֖ית"),
    "བསྒྲུབས",
    "Nguyễn Thị Ánh",
    "O'Brien-Smith, Jr.",
    "鈴木 一郎",
    "C++ & C#",
]
UNSEEN = ["\u3164", "\u2800\u2800", "\u200b", "\u202e \u202c", "\u115f\u1160", "\u0301", "\U000e0041", "\n\t", "\ufe0f"]


def test_a_name_is_stored_visible_in_one_line_and_composed():
    assert {text: tidy_name(text) for text in TIDY} == TIDY
    assert [tidy_name(text) for text in KEPT] == KEPT
    assert [tidy_name(text) for text in UNSEEN] == [""] * len(UNSEEN)
    assert all(tidy_name(tidy_name(text)) == tidy_name(text) for text in [*TIDY, *KEPT])


def test_marks_on_one_letter_are_few():
    for marks in ("\u0300", "\u0315\u0300\u0348\u0489", "\u20dd"):
        assert len(tidy_name("Z" + marks * 200 + "!")) <= 6


def test_a_column_for_names_stores_tidy_ones_and_refuses_what_nobody_sees():
    field = Section._meta.get_field("title")
    section = Section(title="  Del\u202etas ")

    assert field.pre_save(section, True) == "Deltas"
    assert field.get_db_prep_save("a\nb", connection) == "a b"
    for unseen in UNSEEN:
        with pytest.raises(ValidationFailed):
            field.get_db_prep_save(unseen, connection)


def test_an_invisible_name_is_missing_in_a_form():
    field = NameFormField(error_messages={"required": "Enter a title."})

    for unseen in UNSEEN:
        with pytest.raises(Exception, match="Enter a title"):
            field.clean(unseen)
    assert field.clean(" Del\u200btas ") == "Deltas"
    text = VisibleTextField(error_messages={"required": "Enter a title."})
    for unseen in UNSEEN:
        with pytest.raises(Exception, match="Enter a title"):
            text.clean(unseen)
    assert text.clean(" two\nlines\u200b ") == "two\nlines\u200b"
