"""What people type in many languages finds the course; the same on both databases."""

import pytest

from apps.courses.models import Course
from apps.courses.queries.suggestions import suggest
from apps.courses.search import search
from apps.courses.services.search import index_course
from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.database]
TITLES = {
    "zh": "線性代數入門課程",
    "zh-Hans": "机器学习的数学基础",
    "ja": "はじめてのデータ構造とアルゴリズム",
    "ja2": "ガイドブック 幾何学",
    "ko": "선형대수학은 재미있다",
    "th": "คณิตศาสตร์สำหรับทุกคน",
    "lo": "ຄະນິດສາດພື້ນຖານ",
    "km": "គណិតវិទ្យាមូលដ្ឋាន",
    "my": "သင်္ချာအခြေခံ",
    "ar": "مدخل إلى الرياضيات والفيزياء",
    "ar2": "كِتَابُ الجَبْرِ",
    "fa": "ریاضیات می‌خوانیم",
    "ur": "کیمیا کی تعلیم",
    "he": "מבוא לסטטיסטיקה וההסתברות",
    "he2": "הַסֵּפֶר הגדול",
    "hi": "हिंदी में ज़मीन और गणित",
    "bn": "গণিতের ভূমিকা",
    "ta": "கணிதம் அறிமுகம்",
    "de": "Übungen zur Differentialgleichung",
    "de2": "Müllers Wirtschaftsgeographie",
    "tr": "Isı ve Işık: İstanbul Dersleri",
    "el": "Εισαγωγή στη γραμμική άλγεβρα",
    "el2": "Ο λόγος",
    "vi": "Đại số tuyến tính",
    "pl": "Łódź i geometria",
    "fr": "Le cœur des équations",
    "ru": "Введение в линейную алгебру: ещё о матрицах",
    "uk": "Основи лінійної алгебри",
    "hy": "Գծային հանրահաշիվ",
    "ka": "წრფივი ალგებრა",
    "en": "Programming in C",
    "en2": "C++ for engineers",
    "en3": "C# for engineers",
    "en4": "F# and .NET",
    "en5": "Node.js in depth",
    "en6": "A/B testing",
    "en7": "R&D management",
    "en8": "3D printing",
    "en9": "ISO 9001 in practice",
    "en10": "Statistics with R",
    "en11": "E-mails in the time of COVID-19",
    "fr2": "La règle de L’Hôpital",
    "el3": "Ιστορία της φιλοσοφίας",
}
LANGUAGES = {"de": "de", "de2": "de-AT"}
QUERIES = {
    # Chinese and Japanese: the start, the middle, the end, one character; kana in both forms and half width
    "線性代數": ["zh"],
    "代數": ["zh"],
    "入門": ["zh"],
    "數": ["zh"],
    "数学基础": ["zh-Hans"],
    "学习": ["zh-Hans"],
    "基础 机器": ["zh-Hans"],
    "代学": [],
    "データ": ["ja"],
    "アルゴリズム": ["ja"],
    "でーた構造": ["ja"],
    "ﾃﾞｰﾀ": ["ja"],
    "幾何": ["ja2"],
    "ｶﾞｲﾄﾞ": ["ja2"],
    "カイト": [],
    # Korean: without the particle, a part of a compound
    "선형대수학": ["ko"],
    "대수학": ["ko"],
    "선형대수학을 재미": [],
    "재미": ["ko"],
    # Scripts without spaces
    "คณิตศาสตร์": ["th"],
    "ทุกคน": ["th"],
    "ພື້ນຖານ": ["lo"],
    "មូលដ្ឋាន": ["km"],
    "အခြေခံ": ["my"],
    # Arabic: article, conjunction, vowels, alef, tatweel; Persian and Urdu letters
    "رياضيات": ["ar", "fa"],
    "والرياضيات": ["ar", "fa"],
    "فيزياء": ["ar"],
    "وفيزياء": ["ar"],
    "الى": ["ar"],
    "كتاب": ["ar2"],
    "الكتاب": ["ar2"],
    "جبر": ["ar2"],
    "كـتـاب": ["ar2"],
    "ميخوانيم": ["fa"],
    "می‌خوانیم": ["fa"],
    "كيميا": ["ur"],
    # Hebrew, with particles and points
    "סטטיסטיקה": ["he"],
    "הסתברות": ["he"],
    "ספר": ["he2"],
    "בספר": ["he2"],
    "הסֵפר": ["he2"],
    # Indic
    "हिन्दी": ["hi"],
    "जमीन": ["hi"],
    "गणित": ["hi"],
    "গণিতের": ["bn"],
    "கணிதம்": ["ta"],
    # German, Turkish, Greek, Vietnamese, Polish, French, Cyrillic, Armenian, Georgian
    "gleichung": ["de"],
    "differential": ["de"],
    "uebungen": ["de"],
    "ubungen": ["de"],
    "ÜBUNGEN": ["de"],
    "mueller": ["de2"],
    "geographie": ["de2"],
    "ısı": ["tr"],
    "isi": ["tr"],
    "ISTANBUL": ["tr"],
    "istanbul": ["tr"],
    "ΑΛΓΕΒΡΑ": ["el"],
    "αλγεβρα": ["el"],
    "λογοσ": ["el2"],
    "dai so": ["vi"],
    "đại số": ["vi"],
    "lodz": ["pl"],
    "coeur": ["fr"],
    "equation": ["fr"],
    "еще": ["ru"],
    "матрица": ["ru"],
    "линейная алгебра": ["ru"],
    "հանրահաշիվ": ["hy"],
    "ალგებრა": ["ka"],
    # Names with signs
    "C++": ["en2"],
    "C#": ["en3"],
    "c# engineers": ["en3"],
    "F#": ["en4"],
    ".NET": ["en4"],
    ".net": ["en4"],
    "node.js": ["en5"],
    "A/B": ["en6"],
    "A/B test": ["en6"],
    "R&D": ["en7"],
    "3D": ["en8"],
    "ISO 9001": ["en9"],
    "C++ printing": [],
    # Words that others write as one
    "emails": ["en11"],
    "e-mails": ["en11"],
    "covid19": ["en11"],
    "lhopital": ["fr2"],
    "nodejs": ["en5"],
    "φιλοσοφία": ["el3"],
    # full width
    "ＩＳＯ ９００１": ["en9"],
    "Ｃ＋＋": ["en2"],
}


@pytest.fixture
def titles() -> None:
    for key, title in TITLES.items():
        course = CourseFactory(
            title=title, slug=f"in-{key.lower()}", summary="", outcomes=[], language=LANGUAGES.get(key, "en")
        )
        index_course(course_id=course.pk)


def test_words_find_the_course_in_every_language(titles) -> None:
    key_of = {title: key for key, title in TITLES.items()}
    wrong = {}
    for text, wanted in QUERIES.items():
        got = sorted(key_of[course.title] for course in search(Course.objects.all(), text))
        if got != wanted:
            wrong[text] = got
    assert wrong == {}


def test_an_exact_name_comes_first(titles) -> None:
    def first(text: str) -> str:
        return search(Course.objects.all(), text).order_by("-rank", "title")[0].title

    assert first("c") == "Programming in C"
    assert first("r") == "Statistics with R"


def test_suggestions_come_from_lessons_where_no_name_has_the_words() -> None:
    section = SectionFactory(
        course=CourseFactory(title="Arrows", slug="arrows", status="published"), title="Directions"
    )
    LessonFactory(section=section, title="Eigenvectors of a matrix")
    index_course(course_id=section.course_id)

    assert [one.name for one in suggest("eigen").courses] == ["Arrows"]
    assert [one.name for one in suggest("matrix").courses] == ["Arrows"]
