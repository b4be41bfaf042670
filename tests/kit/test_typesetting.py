"""Names and titles in documents: every script has glyphs, is laid out as a reader expects, and can be copied."""

import io
import unicodedata

import pypdfium2
import pytest
from PIL import Image

from studyplatform.kit.text import content
from studyplatform.kit.typesetting import (
    compile_pdf,
    compile_png,
    find_unprintable,
    make_phrase,
    make_rich_text,
    text_layer,
)
from studyplatform.kit.typesetting.clusters import MAX_CLUSTER_LENGTH, limit_clusters
from studyplatform.kit.typesetting.compiler import _ROOT, TypesettingFailed
from studyplatform.kit.typesetting.text_layer import repair
from tests.cases import all_cases

LINES = _ROOT / "tests" / "kit" / "lines.typ"
NAMES = {
    "Latin": "Żółć Ångström-Øßł",
    "Vietnamese": "Nguyễn Thị Ánh Tuyết",
    "Yoruba": "Ọ̀ṣun Adébáyọ̀",
    "Greek": "Ελένη Παπαδοπούλου",
    "polytonic Greek": "Ἀριστοτέλης ὁ Σταγειρίτης",
    "Cyrillic": "Фёдор Щербаков",
    "Kazakh": "Әлия Құнанбаева",
    "Arabic": "محمد عبد الله الفارسي",
    "Arabic with harakat": "مُحَمَّد",
    "Persian": "پیمان گلچین ژاله",
    "doubled letters": "علی رضایی ججج چچ",
    "Urdu": "ٹیپو سلطان ہے",
    "Hebrew": "שרה לוי",
    "Syriac": "ܐܦܪܝܡ",
    "Thaana": "ދިވެހި",
    "N'Ko": "ߒߞߏ",
    "Devanagari": "क्षितिज श्रीवास्तव",
    "Bengali": "প্রিয়াঙ্কা চট্টোপাধ্যায়",
    "Gurmukhi": "ਹਰਪ੍ਰੀਤ ਸਿੰਘ",
    "Gujarati": "ક્ષમા પટેલ",
    "Odia": "ସୁବ୍ରତ",
    "Tamil": "கார்த்திகேயன்",
    "Telugu": "శ్రీనివాస్",
    "Kannada": "ಕೃಷ್ಣಮೂರ್ತಿ",
    "Malayalam": "ശ്രീലക്ഷ്മി",
    "Sinhala": "ශ්‍රී ලංකා",
    "Thai": "น้ำผึ้ง ปู่ย่า",
    "Lao": "ສົມຈິດ",
    "Khmer": "សុខា ចាន់",
    "Myanmar": "မောင်မောင်",
    "Tibetan": "བསྟན་འཛིན་རྒྱ་མཚོ",
    "Georgian": "გიორგი ᲛᲗᲐᲕᲠᲣᲚᲘ",
    "Armenian": "Արամ Խաչատրյան",
    "Ethiopic": "አበበ ቢቂላ",
    "Cherokee": "ᏣᎳᎩ",
    "Canadian syllabics": "ᐃᓄᒃᑎᑐᑦ",
    "Mongolian": "ᠮᠣᠩᠭᠣᠯ",
    "Tifinagh": "ⵜⵉⴼⵉⵏⴰⵖ",
    "Javanese": "ꦗꦮ",
    "Yi": "ꆈꌠ",
    "Vai": "ꕙꔤ",
    "simplified Chinese": "李小龙",
    "rare Chinese": "𠮷野家 髙橋 㐂",
    "Japanese": "やまだ カナ ﾔﾏﾀﾞ",
    "Korean": "김철수",
    "Hangul jamo": "\u1100\u1161\u11a8",
    "Bopomofo": "ㄅㄆㄇ",
    "emoji": "😀🎓 Ann",
    "mathematics": "𝔸𝓑 x̂",
    "symbols": "★☆♞✓①⠃",
    "mixed": "Smith محمد",
}


def rendered(*texts: str) -> bytes:
    return compile_pdf(LINES, {"phrases": [make_phrase(text) for text in texts], "width": 500, "size": 24})


def texts_of(document: bytes) -> list[str]:
    texts = (page.get_textpage().get_text_bounded() for page in pypdfium2.PdfDocument(document))
    return [unicodedata.normalize("NFC", " ".join(text.split())) for text in texts]


def test_every_name_has_glyphs_and_can_be_copied(monkeypatch):
    monkeypatch.setattr(text_layer, "MAX_PAGES", len(NAMES))
    assert find_unprintable(" ".join(NAMES.values())) == []

    copied = dict(zip(NAMES, texts_of(rendered(*NAMES.values())), strict=True))

    assert copied == {script: unicodedata.normalize("NFC", name) for script, name in NAMES.items()}


def test_the_repaired_text_layer_changes_no_pixel_that_anyone_sees(monkeypatch):
    """The outlines of marks stand where the marks stood."""
    for name in (NAMES["Arabic with harakat"], NAMES["Bengali"], NAMES["Thai"], NAMES["Thaana"], "דָּוִד בֶּן"):
        with monkeypatch.context() as patch:
            patch.setattr("studyplatform.kit.typesetting.compiler.repair", lambda document: document)
            raw = rendered(name)
        drawn, repaired = (
            pypdfium2.PdfDocument(document)[0].render(scale=1, grayscale=True).to_pil()
            for document in (raw, repair(raw))
        )
        far = sum(abs(a - b) > 150 for a, b in zip(drawn.tobytes(), repaired.tobytes(), strict=True))
        assert far <= 4, name


def test_documents_embed_only_the_glyphs_they_use():
    sizes = {script: len(rendered(NAMES[script])) for script in ("Latin", "rare Chinese", "Tibetan", "emoji")}
    assert max(sizes.values()) < 25_000, sizes


@pytest.mark.parametrize(
    "text",
    ["W" * 200, "漢" * 160, "Word " * 40, "สมชาย" * 30, "لا" * 80, "བསྟན" * 30],
    ids=["Latin", "Han", "words", "Thai", "Arabic", "Tibetan"],
)
def test_long_names_never_leave_their_place(text):
    picture = compile_png(LINES, {"phrases": [make_phrase(text)], "width": 300, "size": 40})
    with Image.open(io.BytesIO(picture)) as image:
        ink = image.convert("L").point(lambda value: 255 if value < 200 else 0).getbbox()
    assert ink is not None
    left, _top, right, _bottom = ink
    # The page is 700 wide and the place in its middle 300.
    assert 197 <= left < right <= 503


def test_a_character_that_no_font_has_is_shown_as_its_number():
    unassigned = "\U000f1234"
    assert find_unprintable(f"A{unassigned}\u200dB\ufe0f") == [unassigned]
    assert "F1234" in texts_of(rendered(f"Ann {unassigned}"))[0]


def test_han_characters_are_drawn_as_in_their_language():
    variants = {
        ("直", "zh-Hans"): "SC", ("直", "zh-TW"): "TC", ("直", "ja"): "JP", ("直す", "en"): "JP",
        ("直 각", "en"): "KR", ("直", "ko-KR"): "KR", ("直", "zh-Hant-HK"): "TC", ("直", "de"): "SC",
    }  # fmt: skip
    assert {key: make_phrase(key[0], language=key[1])["cjk"] for key in variants} == variants


def test_rich_text_keeps_the_structure_of_the_page():
    [item] = make_rich_text(
        content.render(r"- *solve* $\begin{pmatrix}a & b\\ c & d\end{pmatrix}$" + "\n  1. first", content.NOTE)
    )[0]["children"]
    emphasis, space, formula, inner = item["children"]
    assert (emphasis["tag"], space, formula["tag"], inner["tag"]) == ("em", " ", "math", "ol")
    [row] = formula["children"]
    [fenced] = row["children"]
    assert [part["tag"] for part in fenced["children"]] == ["mo", "mtable", "mo"]
    assert [len(row["children"]) for row in fenced["children"][1]["children"]] == [2, 2]


def test_rich_text_is_nested_to_a_limit_and_long_words_can_break():
    deep = make_rich_text("<blockquote>" * 60 + "<p>deep</p>" + "</blockquote>" * 60)
    assert "deep" in str(deep)
    [paragraph], [code] = make_rich_text(f"<p>{'W' * 100}</p>"), make_rich_text(f"<pre>{'W' * 100}</pre>")
    assert ("\u200b" in paragraph["children"][0], "\u200b" in code["children"][0]) == (True, False)
    [table] = make_rich_text("<table><tr><td>\U000f1234</td></tr></table>")
    assert "'number': 'F1234'" in str(table)


# --- Texts made to disturb


@pytest.mark.parametrize(
    "text", [*NAMES.values(), "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466", "a" * 500]
)
def test_words_are_left_as_they_are(text):
    assert limit_clusters(text) == text


@all_cases(
    "unit", ["\u0301", "\u093e", "\u0915\u094d", "\u0e48", "\u0f71", "\u17d2\u1780", "\u200d\U0001f468", "\u20dd"]
)
def test_long_clusters_are_broken_and_set(unit):
    short = limit_clusters("\u0915" + unit * 3_000)
    document = compile_pdf(LINES, {"phrases": [make_phrase("\u0915" + unit * 300)], "width": 500, "size": 24})

    assert all(len(part) <= MAX_CLUSTER_LENGTH + 1 for part in short.split("\u200b"))
    assert document.startswith(b"%PDF")


def test_a_panic_of_the_typesetter_is_an_exception(monkeypatch):
    """The shaper of Indic scripts panics at long clusters, which is no `Exception`."""
    monkeypatch.setattr("studyplatform.kit.typesetting.compiler.limit_clusters", lambda text: text)
    with pytest.raises(TypesettingFailed):
        compile_pdf(LINES, {"phrases": [make_phrase("\u0915\u094d" * 300)], "width": 500, "size": 24})
