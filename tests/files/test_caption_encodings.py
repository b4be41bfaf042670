"""Encodings of caption files: those of Unicode are recognized by their form, others guessed."""

import pytest

from apps.files.video.caption_files import read_captions
from apps.files.video.cues import UnreadableCaptions
from apps.files.video.encodings import decode
from tests.cases import all_cases

TIMING = "1\n00:00:00,500 --> 00:00:04,000\n"
SAMPLES = {
    "ru": ("cp1251 koi8-r cp866 iso8859-5", "Сегодня мы поговорим о том, как растения получают энергию от света."),
    "uk": ("cp1251 koi8-u", "Сьогодні ми дізнаємося, чому їжа псується і як її зберігати."),
    "bg": ("cp1251", "Днес ще разгледаме защо небето е синьо през деня."),
    "el": ("cp1253 iso8859-7", "Σήμερα θα μιλήσουμε για τους αρχαίους φιλοσόφους."),
    "pl": ("cp1250 iso8859-2", "Dzisiaj dowiemy się, dlaczego liście żółkną jesienią."),
    "cs": ("cp1250 iso8859-2", "Dnes si řekneme, proč jsou některé látky průhledné."),
    "hu": ("cp1250 iso8859-2", "Ma megnézzük, hogyan működik egy szélerőmű."),
    "ro": ("iso8859-2", "Astăzi învăţăm cum funcţionează inima şi plămânii."),
    "fr": ("cp1252 iso8859-15 mac-roman", "Aujourd'hui, nous étudierons la révolution française et ses conséquences."),
    "de": ("cp1252 mac-roman", "Heute üben wir das Lösen größerer Gleichungen."),
    "es": ("cp1252", "Mañana veremos cómo funciona un corazón pequeño."),
    "tr": ("cp1254", "Bugün ışığın nasıl yayıldığını öğreneceğiz."),
    "he": ("cp1255", "היום נדבר על ההיסטוריה של ירושלים"),
    "ar": ("cp1256 iso8859-6", "سنتحدث اليوم عن تاريخ المدينة القديمة"),
    "lt": ("cp1257", "Šiandien kalbėsime apie žmogaus širdį ir ąžuolų giraites."),
    "th": ("cp874", "วันนี้เราจะพูดถึงประวัติศาสตร์ของเมืองนี้"),
    "ja": ("cp932 euc_jp iso2022_jp", "今日は植物がどのように育つかを見ていきます。"),
    "zh": ("gbk big5", "今天"),
    "ko": ("euc_kr", "오늘은 식물이 어떻게 자라는지 알아보겠습니다."),
}


def test_legacy_encodings_are_guessed_with_the_language_as_a_hint() -> None:
    wrong = []
    for language, (encodings, text) in SAMPLES.items():
        for encoding in encodings.split():
            said = {"gbk": "今天我们来看植物怎样生长。", "big5": "今天我們來看植物怎樣生長。"}.get(encoding, text)
            decoded = decode((TIMING + said + "\n").encode(encoding), language=language)
            if said not in decoded.text or not decoded.is_guess:
                wrong.append((language, encoding, decoded))
    assert not wrong


def test_without_a_language_most_are_guessed_as_well() -> None:
    for language in ("ru", "el", "he", "ar", "th", "ja", "ko", "uk", "bg"):
        encodings, text = SAMPLES[language]
        raw = (TIMING + text + "\n").encode(encodings.split()[0])
        assert text in decode(raw, language="en").text


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]
)
def test_unicode_is_certain(encoding: str) -> None:
    for said in ("Für Käthe", "今天我们", "plain", "😀"):
        decoded = decode((TIMING + said + "\n").encode(encoding))
        assert (decoded.text.removeprefix("\ufeff"), decoded.is_guess) == (TIMING + said + "\n", False)


def test_utf_8_that_was_encoded_twice_is_a_guess() -> None:
    twice = (TIMING + "À la crème, señor").encode().decode("cp1252").encode()

    assert decode(twice).text.endswith("À la crème, señor")
    assert (decode(twice).encoding, decode(twice).is_guess) == ("utf-8-twice", True)
    assert "Ã" in decode(twice, encoding="utf-8").text  # its author may mean what stands there


def test_one_damaged_byte_changes_one_character() -> None:
    for good, bad in (("Gemüse, Küche, Äpfel, Öl", b"caf\xe9"), ("今天我们学习", b"\xff"), ("Добрый день", b"\x80 x")):
        decoded = decode((TIMING + good + "\n").encode() + bad + b"\nend")
        assert good in decoded.text
        assert decoded.text.count("\ufffd") == 1
        assert decoded.encoding == "utf-8"


def test_the_author_can_name_another_encoding() -> None:
    raw = (TIMING + "Привет").encode("cp1251")

    assert decode(raw, language="fr", encoding="cp1251").text.endswith("Привет")
    assert decode(raw, encoding="cp1252").text.endswith("Ïðèâåò")
    assert not decode(raw, encoding="cp1252").is_guess
    assert decode(b"", language="de").text == ""
    assert decode(b"\xff\xfe\xfd", language="x").is_guess in (True, False)


@all_cases("text", ["a\n" * 300_000, "<i>" * 150_000, "{\\an8}" * 150_000])
def test_a_file_of_hundreds_of_thousands_of_lines_or_tags_is_refused(text):
    raw = f"1\n00:00:01,000 --> 00:00:02,000\n{text}".encode()
    with pytest.raises(UnreadableCaptions) as refused:
        read_captions(raw)
    assert refused.value.reason == "size"
