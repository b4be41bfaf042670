"""Captions are edited beside the video, saved cue by cue, and published at once."""

from itertools import pairwise
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Role
from apps.courses import services
from apps.courses.errors import CorrectionsAreReviewed
from apps.courses.models import Course, Lesson
from apps.courses.services import outline_rows
from apps.files.models import AutomaticCaptions, CaptionSheet, CaptionTrack
from apps.files.video import cue_sheets
from apps.files.video.caption_files import read_captions
from apps.files.video.cues import UnreadableCaptions
from tests.cases import all_cases
from tests.factories.accounts import UserFactory
from tests.factories.co_instructors import CoInstructorFactory
from tests.factories.courses import THEN, CourseFactory, LessonFactory, SectionFactory
from tests.factories.files import CaptionFactory, VideoFactory

pytestmark = pytest.mark.django_db
WORDS = (
    "WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nIf x &lt; 3, stop.\n\n00:00:02.000 --> 00:00:04.000\n<i>Then</i> go.\n"
)


@pytest.fixture
def lesson() -> Lesson:
    course = CourseFactory()
    video = VideoFactory(owner=course.instructor, duration=60, is_playable=True)
    CaptionFactory(video=video, webvtt=WORDS)
    return LessonFactory(section=SectionFactory(course=course), kind=Lesson.Kind.VIDEO, video=video, duration=60)


def client_of(course: Course) -> Client:
    client = Client()
    client.force_login(course.instructor)
    return client


def address_of(lesson: Lesson, tail: str = "", language: str = "en") -> str:
    return f"/api/v1/studio/lessons/{lesson.uid}/captions/{language}/{tail}"


def cue(name: str, begin: float, end: float, text: str, **more: object) -> dict[str, object]:
    shown = {"settings": "", "chapter": "", "is_checked": True, "state": "shown"}
    return {"id": name, "begin": begin, "end": end, "text": text, **shown, **more}


def save(client: Client, lesson: Lesson, sheet: dict[str, Any], *cues: object, tab: str = "tab") -> Any:
    body = {"client": tab, "since": sheet["revision"], "base": sheet["base"], "cues": list(cues)}
    return client.patch(address_of(lesson), body, content_type="application/json")


def publish(client: Client, lesson: Lesson, revision: int, **more: object) -> Any:
    body = {"revision": revision, **more}
    return client.post(address_of(lesson, "publish/"), body, content_type="application/json")


def test_a_word_is_corrected_and_published(lesson: Lesson) -> None:
    author = client_of(lesson.course)
    sheet = author.get(address_of(lesson)).json()
    first, second = sheet["cues"]
    assert (first["text"], second["text"], sheet["published"]) == ("If x < 3, stop.", "<i>Then</i> go.", "uploaded")

    saved = save(author, lesson, sheet, {**first, "text": "If x < 4 & y,\n\nstop."}).json()
    assert (saved["revision"], saved["cues"], saved["conflicts"]) == (1, [], [])
    assert CaptionTrack.objects.get().webvtt == WORDS  # learners see nothing of it yet
    assert author.get(address_of(lesson)).json()["cues"][0]["text"] == "If x < 4 & y,\n\nstop."

    done = publish(author, lesson, saved["revision"]).json()
    track = CaptionTrack.objects.get()
    assert "If x &lt; 4 &amp; y,\nstop." in track.webvtt
    assert "<i>Then</i> go." in track.webvtt
    assert (track.origin, done["is_changed"], done["published"]) == ("edited", False, "edited")


def test_two_authors_never_overwrite_each_other(lesson: Lesson) -> None:
    ada, admin = client_of(lesson.course), Client()
    admin.force_login(UserFactory(role=Role.ADMIN, first_name="Ana", last_name="Silva"))
    sheet = ada.get(address_of(lesson)).json()
    first, second = sheet["cues"]
    theirs = save(admin, lesson, sheet, {**first, "text": "Theirs"}, tab="other").json()
    mine = save(ada, lesson, sheet, {**first, "text": "Mine"}, {**second, "text": "Second"}).json()

    assert mine["conflicts"] == [first["id"]]
    assert (mine["cues"][0]["text"], mine["edited_by"]) == ("Theirs", "Ana Silva")
    assert [each["text"] for each in CaptionSheet.objects.get().cues] == ["Theirs", "Second"]
    assert publish(admin, lesson, theirs["revision"]).status_code == 409  # Ada's second cue wasn't seen
    # Ada has looked: her next change begins with what stands there.
    again = save(ada, lesson, {**sheet, "revision": mine["revision"]}, {**first, "text": "Both"}).json()
    assert again["conflicts"] == []
    assert publish(ada, lesson, again["revision"]).status_code == 200


def test_a_change_is_sent_again_after_a_lost_answer(lesson: Lesson) -> None:
    author = client_of(lesson.course)
    sheet = author.get(address_of(lesson)).json()
    change = {**sheet["cues"][0], "text": "Once"}
    save(author, lesson, sheet, change)
    again = save(author, lesson, sheet, {**change, "text": "Twice"}, cue("new", 5, 6, "New")).json()
    assert (again["conflicts"], again["cues"]) == ([], [])
    assert [each["text"] for each in CaptionSheet.objects.get().cues] == ["Twice", "<i>Then</i> go.", "New"]


def test_captions_replaced_by_a_file_are_not_lost(lesson: Lesson) -> None:
    author = client_of(lesson.course)
    sheet = author.get(address_of(lesson)).json()
    saved = save(author, lesson, sheet, {**sheet["cues"][0], "text": "Mine"}).json()
    CaptionTrack.objects.update(webvtt=WORDS.replace("stop", "halt"))
    assert author.get(address_of(lesson)).json()["is_replaced"]
    assert publish(author, lesson, saved["revision"]).json()["code"] == "CAPTIONS_REPLACED"
    assert "halt" in CaptionTrack.objects.get().webvtt

    back = author.delete(address_of(lesson)).json()
    assert (back["cues"][0]["text"], back["is_changed"]) == ("If x < 3, halt.", False)
    # A tab that still has the former captions saves nothing into the others.
    assert save(author, lesson, sheet, {**sheet["cues"][0], "text": "Late"}).status_code == 409


def test_nothing_empty_is_published(lesson: Lesson) -> None:
    author = client_of(lesson.course)
    sheet = author.get(address_of(lesson, language="de")).json()
    assert (sheet["cues"], sheet["base"], sheet["published"]) == ([], "", "")
    body = {"client": "tab", "since": 0, "base": "", "cues": [cue("a", 0, 1, "  "), cue("b", 1, 2, "x", state="aside")]}
    saved = author.patch(address_of(lesson, language="de"), body, content_type="application/json").json()
    answer = author.post(
        address_of(lesson, "publish/", "de"), {"revision": saved["revision"]}, content_type="application/json"
    )
    assert answer.json()["code"] == "CAPTIONS_EMPTY"


def test_a_file_is_read_without_saving_it(lesson: Lesson) -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\nHello\n\n2\n00:02:01,000 --> 00:02:02,000\nToo late\n"
    body = {"file": SimpleUploadedFile("words.srt", text.encode())}
    read = client_of(lesson.course).post(address_of(lesson, "reading/"), body).json()
    assert [each["state"] for each in read["cues"]] == ["shown", "aside"]
    assert read["format"] == "SubRip (SRT)"
    assert not CaptionSheet.objects.exists()


@pytest.mark.parametrize("length", [3 * 2**20, 50 * 2**20])
def test_a_huge_caption_file_is_refused_before_it_is_read(
    lesson: Lesson, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    author = client_of(lesson.course)
    monkeypatch.setattr("apps.files.services.read_captions", None)  # calling it would fail
    body = {"file": SimpleUploadedFile("words.srt", b"1" * length)}

    answer = author.post(address_of(lesson, "reading/"), body)

    assert (answer.status_code, answer.json()["code"]) == (413, "REQUEST_TOO_LARGE")
    assert not CaptionSheet.objects.exists()


def test_long_cues_of_a_file_are_divided_and_a_refused_cue_is_named(lesson: Lesson) -> None:
    words = [f"<i>word{number}</i>" if number % 7 else f"word{number}" for number in range(400)]
    text = f"WEBVTT\n\n00:10.000 --> 00:30.000\n{' '.join(words)}\n\n00:30.000 --> 00:31.000\n{'語' * 4500}\n"
    author = client_of(lesson.course)
    body = {"file": SimpleUploadedFile("words.vtt", text.encode())}
    read = author.post(address_of(lesson, "reading/"), body).json()

    cues = read["cues"]
    long, wide = [each for each in cues if "w" in each["text"]], [each for each in cues if "語" in each["text"]]
    assert " ".join(each["text"] for each in long).split() == words
    assert "".join(each["text"] for each in wide) == "語" * 4500
    assert all(len(each["text"]) <= 2000 and each["begin"] < each["end"] for each in cues)
    assert (long[0]["begin"], long[-1]["end"]) == (10, 30)
    assert all(one["end"] == other["begin"] for one, other in pairwise(cues))
    assert read["summary"] == ["Long captions divided: 2"]

    sheet = author.get(address_of(lesson)).json()
    assert save(author, lesson, sheet, *cues).status_code == 200
    refused = save(author, lesson, sheet, cues[0], {**cues[1], "text": "x" * 2001}, cues[2])
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["cues.1.text"])


def test_chapters_are_saved_unless_others_changed_them(lesson: Lesson) -> None:
    author, address = client_of(lesson.course), f"/api/v1/studio/lessons/{lesson.uid}/chapters/"
    chapters = [{"start": 0, "title": "Begin"}, {"start": 30, "title": "Rest"}]
    put = lambda **body: author.put(address, body, content_type="application/json")  # noqa: E731
    assert put(chapters=chapters, before=[]).json() == {"chapters": chapters}
    changed = put(chapters=[], before=[]).json()
    assert (changed["code"], changed["params"]) == ("CHAPTERS_CHANGED", {"chapters": chapters})
    refused = put(chapters=[{"start": 70, "title": "After the end"}], before=chapters).json()
    assert refused["code"] == "CHAPTERS_REFUSED"
    lesson.refresh_from_db()
    assert lesson.chapters == [[0, "Begin"], [30, "Rest"]]


def test_the_page_and_its_files(lesson: Lesson) -> None:
    author = client_of(lesson.course)
    names = [lesson.course.slug, lesson.slug]
    page = author.get(reverse("courses:studio-captions", args=names))
    assert page.status_code == 200
    assert 'data-island="captions"' in page.content.decode()
    export = reverse("courses:studio-captions-export", args=[*names, "en"])
    assert author.get(export).content.decode() == WORDS
    assert author.get(export + "?format=srt").content.startswith(b"1\r\n00:00:00,000 --> 00:00:02,000\r\nIf x < 3")
    assert author.get(export + "?format=exe").status_code == 404
    stranger = Client()
    stranger.force_login(UserFactory(role=Role.INSTRUCTOR))
    assert stranger.get(export).status_code == 302
    assert stranger.get(address_of(lesson)).status_code == 404


def test_the_page_says_why_it_can_only_be_read(lesson: Lesson) -> None:
    address = reverse("courses:studio-captions", args=[lesson.course.slug, lesson.slug])
    Course.objects.filter(pk=lesson.course_id).update(status=Course.Status.REVIEW)
    page = client_of(lesson.course).get(address).content.decode()
    assert page.count("The course is under review.") >= 3  # captions, chapters, and without scripts
    viewer = CoInstructorFactory(course=lesson.course, role="view").user
    client = Client()
    client.force_login(viewer)
    assert client.get(address).content.decode().count("Ask the instructor of the course") >= 3


SPOKEN = {
    "utf-8": "Grüße – 世界 👋",
    "utf-16-le": "Grüße – 世界",
    "utf-16-be": "Grüße – 世界",
    "utf-32-le": "Grüße – 世界",
    "cp1252": "Où est l’été ? Ça va.",
    "iso8859-15": "Le cœur coûte 5 €, Žižek",
    "cp1250": "Příliš žluťoučký kůň",
    "cp1251": "Съешь ещё этих мягких булок",
    "koi8-r": "Съешь ещё этих булок",
    "cp1253": "Ξεσκεπάζω την ψυχή",
    "cp1254": "Işığın nasıl yayıldığı",
    "cp932": "これは字幕です。―①㈱",
    "euc_jp": "これは字幕です",
    "gb18030": "这是字幕𠀀",
    "big5": "這是字幕",
    "cp949": "이것은 자막입니다",
    "cp1256": "هذه ترجمة",
    "cp1255": "זאת כתובית",
    "cp874": "คำบรรยาย",
    "cp1258": "Tôi no\u0301i tiê\u0301ng Viê\u0323t",
}


@all_cases("encoding", sorted(SPOKEN))
def test_files_come_out_as_they_went_in(encoding: str) -> None:
    raw = cue_sheets.encode(
        f"1\r\n00:00:01,000 --> 00:00:02,500\r\n{SPOKEN[encoding]}\r\n\r\n"
        f"2\r\n00:00:03,000 --> 00:00:04,000\r\na < b & c\r\n<i>{SPOKEN[encoding]}</i>\r\n",
        encoding,
    )
    reading = read_captions(raw, encoding=encoding)
    cues = cue_sheets.cues_of_reading(reading.cues, prefix="f", is_checked=True)
    assert cues[1]["text"] == f"a < b & c\n<i>{SPOKEN[encoding]}</i>"
    published = cue_sheets.published_cues(cues)
    assert cue_sheets.encode(cue_sheets.write_srt(published), encoding) == raw
    again = cue_sheets.cues_of_webvtt(cue_sheets.webvtt_of(cues), is_checked=True)
    assert [each["text"] for each in again] == [each["text"] for each in cues]


TEXT = "Grüße – 世界 👋"
MARKS = {"utf-8": b"\xef\xbb\xbf", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}


@all_cases("encoding has_mark ending", [(e, m, n) for e in MARKS for m in (True, False) for n in ("\n", "\r\n", "\r")])
def test_unicode_with_and_without_a_mark_in_any_line_ending_is_the_same_text(
    encoding: str, has_mark: bool, ending: str
) -> None:
    lines = ["1", "00:00:01,000 --> 00:00:02,500", TEXT, "zweite", "", "2", "00:00:03,000 --> 00:00:04,000", "x", ""]
    raw = (MARKS[encoding] if has_mark else b"") + ending.join(lines).encode(encoding)
    reading = read_captions(raw, language="de")
    assert not reading.is_guess
    cues = cue_sheets.cues_of_reading(reading.cues, prefix="f", is_checked=True)
    assert [(one["begin"], one["end"], one["text"]) for one in cues] == [(1, 2.5, f"{TEXT}\nzweite"), (3, 4, "x")]
    out = cue_sheets.encode(cue_sheets.write_srt(cue_sheets.published_cues(cues)), reading.encoding)
    assert read_captions(out, language="de").webvtt == reading.webvtt


@all_cases(
    "words kept",
    [
        ("00:01.000 --> 00:00.500\nbackward", 0),
        ("-00:01.000 --> 00:02.000\nnegative", 0),
        ("00:01.000 --> 00:03.000\none\n\n00:02.000 --> 00:04.000\noverlapping", 2),
        ("100:00:00.000 --> 100:00:01.000\nafter four days", 1),
        ("99999999999:00:00.000 --> 99999999999:00:01.000\nnever", 0),
        ("00:01.000 --> 00:02.000\nwith a \0 in it", 1),
        ("00:01.000 --> 00:02.000 line:0 position:10% align:start\n<v.loud Ada Lovelace>Hi</v>", 1),
        ("STYLE\n::cue { color: red }\n\nREGION\nid:a\n\nNOTE x --> y\n\n00:01.000 --> 00:02.000\nshown", 1),
    ],
)
def test_strange_webvtt_is_read_edited_and_published_or_said_to_be_left_out(words: str, kept: int) -> None:
    try:
        reading = read_captions(f"WEBVTT\n\n{words}\n".encode())
    except UnreadableCaptions:
        assert kept == 0
        return
    assert len(reading.cues) == kept or reading.findings
    cues = cue_sheets.cues_of_reading(reading.cues, prefix="f", is_checked=True, duration=60)
    assert all("\0" not in cue["text"] and 0 <= cue["begin"] < cue["end"] for cue in cues)
    shown = [{**cue, "state": "shown"} for cue in cues]
    again = cue_sheets.cues_of_webvtt(cue_sheets.webvtt_of(shown), is_checked=True)  # type: ignore[arg-type]
    same = ("begin", "end", "text", "settings")
    assert [[one[name] for name in same] for one in again] == [[one[name] for name in same] for one in cues]  # type: ignore[literal-required]


@all_cases("raw", [b"", b"\0" * 4000, b"\xff\xfe", b"%PDF-1.7\n" + bytes(range(256)) * 40, b"PK\x03\x04" * 1000])
def test_what_is_no_caption_file_is_refused(raw: bytes) -> None:
    with pytest.raises(UnreadableCaptions):
        read_captions(raw)


def test_tones_of_vietnamese_are_written_apart() -> None:
    assert cue_sheets.encode("Việt", "cp1258").decode("cp1258") == "Viê\u0323t"


@all_cases(
    "typed",
    [
        "x &lt;b&gt; y",
        "vector<int>",
        "<b>bold</b>",
        "R&D &amp; Q&A",
        "<v Ada>Hi",
        "a<b>c",
        "&copy;",
        "1 < 2 > 0",
        "{x}",
    ],
)
def test_what_is_typed_stays(typed: str) -> None:
    published = cue_sheets.published_text(typed)
    assert cue_sheets.published_text(cue_sheets.editable_text(published)) == published


def test_captions_of_a_published_course_are_corrected_at_once(lesson: Lesson) -> None:
    Course.objects.filter(pk=lesson.course_id).update(status=Course.Status.PUBLISHED, published_at=THEN)
    author = client_of(lesson.course)
    sheet = author.get(address_of(lesson)).json()
    saved = save(author, lesson, sheet, {**sheet["cues"][0], "text": "Corrected."}).json()
    assert publish(author, lesson, saved["revision"]).status_code == 200
    assert "Corrected." in CaptionTrack.objects.get().webvtt
    Course.objects.filter(pk=lesson.course_id).update(status=Course.Status.REVIEW)
    assert publish(author, lesson, saved["revision"] + 1).json()["code"] == "COURSE_UNDER_REVIEW"


def test_all_courses_that_show_a_video_hear_of_its_captions(lesson: Lesson, monkeypatch: pytest.MonkeyPatch) -> None:
    live = lesson.course
    Course.objects.filter(pk=live.pk).update(status=Course.Status.PUBLISHED, published_at=THEN)
    other = LessonFactory(
        section=SectionFactory(course=CourseFactory(instructor=live.instructor)), kind="video", video=lesson.video
    ).course
    copy = services.begin_version(course=Course.objects.get(pk=live.pk), by=live.instructor, now=THEN)
    shown, author = copy.lessons.get(), client_of(live)
    told: list[int] = []
    monkeypatch.setattr(outline_rows, "publish", lambda event: told.append(event.course_id))
    sheet = author.get(address_of(shown)).json()
    saved = save(author, shown, sheet, {**sheet["cues"][0], "text": "Corrected."}).json()
    assert publish(author, shown, saved["revision"]).status_code == 200
    services.remove_captions(lesson=shown, by=live.instructor, language="en", now=THEN)
    assert sorted(told) == sorted([live.pk, other.pk, copy.pk] * 2)


def test_captions_go_live_with_a_reviewed_version_where_corrections_are_reviewed(lesson: Lesson, settings: Any) -> None:
    settings.REVIEW_RULE = "all"
    course = lesson.course
    Course.objects.filter(pk=course.pk).update(status="published", published_at=THEN)
    course.refresh_from_db()
    admin = UserFactory(role=Role.ADMIN)
    copy = services.begin_version(course=course, by=course.instructor, now=THEN)
    author, edited = client_of(course), copy.lessons.get()
    sheet = author.get(address_of(edited)).json()
    saved = save(author, edited, sheet, {**sheet["cues"][0], "text": "Stop if x is small."}).json()
    for one in (edited, lesson):
        refused = publish(author, one, saved["revision"])
        assert (refused.status_code, refused.json()["code"]) == (403, "CORRECTIONS_ARE_REVIEWED")
    for change in (
        lambda: services.add_captions(
            lesson=edited, by=course.instructor, raw=WORDS.encode(), language="en", label="English", now=THEN
        ),
        lambda: services.remove_captions(lesson=edited, by=course.instructor, language="en", now=THEN),
    ):
        with pytest.raises(CorrectionsAreReviewed):
            change()
    assert CaptionTrack.objects.get().webvtt == WORDS
    shown = author.get(f"/dashboard/instructor/courses/{course.slug}/version").content.decode()
    assert "Captions, English" in shown
    assert "<ins>small" in shown or " small" in shown
    services.submit_course(course=course, by=course.instructor, now=timezone.now())
    late = save(author, lesson, saved | {"base": sheet["base"]}, {**sheet["cues"][1], "text": "Later."})
    assert late.json()["code"] == "COURSE_UNDER_REVIEW"
    services.decide_submission(course=course, by=admin, outcome="approved", now=THEN)
    assert "Stop if x is small." in CaptionTrack.objects.get().webvtt
    assert not CaptionSheet.objects.get().is_changed


def test_only_captions_that_the_reviewer_saw_go_live_with_a_version(lesson: Lesson, settings: Any) -> None:
    """Not those of a video that the version adds, nor those that a model wrote or another course got since."""
    settings.REVIEW_RULE = "all"
    course = lesson.course
    Course.objects.filter(pk=course.pk).update(status="published", published_at=THEN)
    course.refresh_from_db()
    copy = services.begin_version(course=course, by=course.instructor, now=THEN)
    author, edited = client_of(course), copy.lessons.get()
    other = LessonFactory(
        section=SectionFactory(course=CourseFactory(instructor=course.instructor)), kind="video", video=lesson.video
    )
    added = LessonFactory(
        section=copy.sections.get(), kind="video", video=VideoFactory(owner=course.instructor), position=9, duration=60
    )
    saved = {}
    for one in (edited, added):
        sheet = author.get(address_of(one)).json()
        saved[one] = save(author, one, sheet, cue("mine", 7, 8, "Seen or not.")).json() | {"base": sheet["base"]}
    services.submit_course(course=course, by=course.instructor, now=timezone.now())
    heard = CaptionSheet.objects.get(video=lesson.video, language="en").cues
    CaptionSheet.objects.create(
        video=lesson.video, language="de", cues=heard, revision=1, is_changed=True, edited_at=timezone.now()
    )
    late = save(author, other, saved[edited], cue("late", 9, 10, "Nobody reviewed this."))
    assert late.json()["code"] == "COURSE_UNDER_REVIEW"
    reviewer, admin = Client(), UserFactory(role=Role.ADMIN)
    reviewer.force_login(admin)
    shown = reviewer.get(f"/dashboard/instructor/courses/{course.slug}/version").content.decode()
    assert ("Captions, English" in shown, "Captions, German" in shown) == (True, False)
    services.decide_submission(course=course, by=admin, outcome="approved", now=timezone.now())
    assert [track.video_id for track in CaptionTrack.objects.filter(webvtt__contains="Seen or not.")] == [
        lesson.video_id
    ]
    waiting = CaptionSheet.objects.filter(is_changed=True).values_list("video", "language")
    assert sorted(waiting) == sorted([(added.video_id, "en"), (lesson.video_id, "de")])


def test_a_video_of_a_published_course_is_captioned_by_those_who_edit_it(lesson: Lesson, settings: Any) -> None:
    """Not by those who once uploaded it, in any of the ways there are."""
    gone, draft = UserFactory(role=Role.INSTRUCTOR), CourseFactory()
    video, course = lesson.video, lesson.course
    video.owner = draft.instructor = gone
    video.save()
    draft.save()
    mine = LessonFactory(section=SectionFactory(course=draft), kind=Lesson.Kind.VIDEO, video=video, duration=60)
    Course.objects.filter(pk=course.pk).update(status="published", published_at=THEN)
    owner, editor = client_of(draft), client_of(course)
    body = {"language": "en", "text": WORDS.replace("Then", "Never")}
    track, sheet = CaptionTrack.objects.get(), owner.get(address_of(mine)).json()
    begun = AutomaticCaptions.objects.create(video=video, kind="speech", created_at=THEN)
    ask = {"language": "de", "texts": ["Then go."]}
    changes = [
        lambda by: by.post(f"/api/v1/videos/{video.uid}/captions/", body, content_type="application/json"),
        lambda by: by.delete(f"/api/v1/captions/{track.uid}/"),
        lambda by: by.post(f"/api/v1/videos/{video.uid}/cover/", {"at": 1}, content_type="application/json"),
        lambda by: save(by, mine, sheet, {**sheet["cues"][0], "text": "Never."}),
        lambda by: publish(by, mine, 0),
        lambda by: by.delete(address_of(mine)),
        lambda by: by.post(f"/api/v1/videos/{video.uid}/transcription/", {}, content_type="application/json"),
        lambda by: by.post(f"/api/v1/videos/{video.uid}/translation/", ask, content_type="application/json"),
        lambda by: by.delete(f"/api/v1/automatic-captions/{begun.uid}/"),
    ]
    for change in changes:
        refused = change(owner)
        assert (refused.status_code, refused.json()["code"]) == (403, "VIDEO_OF_OTHER_COURSE")
    assert CaptionTrack.objects.get() == track
    assert save(editor, lesson, sheet, {**sheet["cues"][0], "text": "Corrected."}).status_code == 200

    join = CoInstructorFactory(course=course, user=gone, role="edit")
    settings.REVIEW_RULE = "all"
    for change in changes[:2]:
        assert change(owner).json()["code"] == "CORRECTIONS_ARE_REVIEWED"
    settings.REVIEW_RULE = "small"
    assert changes[0](owner).status_code == 201
    join.delete()
    Course.objects.filter(pk=course.pk).update(status="draft", published_at=None)
    assert changes[0](owner).status_code == 201


def test_what_was_discarded_is_not_overwritten_by_an_open_tab(lesson: Lesson) -> None:
    author = client_of(lesson.course)
    sheet = author.get(address_of(lesson)).json()
    first, second = sheet["cues"]
    added = cue("mine-1", 5, 6, "Added.")
    save(author, lesson, sheet, {**first, "text": "One."}, {**second, "text": "Two."}, added, tab="other").json()
    seen = author.get(address_of(lesson)).json()

    back = author.delete(address_of(lesson)).json()
    assert (back["revision"], back["is_changed"]) == (seen["revision"] + 1, False)
    assert [(one["text"], one["state"]) for one in back["cues"]] == [
        (first["text"], "shown"), (second["text"], "shown"), ("Added.", "removed"),
    ]  # fmt: skip
    assert author.delete(address_of(lesson)).json() == back
    late = save(author, lesson, seen, {**first, "text": "One!"}, {**added, "text": "Added!"}, tab="other").json()
    assert sorted(late["conflicts"]) == sorted([first["id"], "mine-1"])
    assert {one["id"]: one["state"] for one in late["cues"]} == {
        first["id"]: "shown", second["id"]: "shown", "mine-1": "removed",
    }  # fmt: skip
    assert publish(author, lesson, seen["revision"]).json()["code"] == "CAPTIONS_CHANGED"
    assert not author.get(address_of(lesson)).json()["is_changed"]
