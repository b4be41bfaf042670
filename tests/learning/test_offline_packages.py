"""Packages: what a device stores of a lesson of each kind, who gets one, and what it refers to."""

import json
import re
from datetime import timedelta

import pytest
import time_machine
from django.core.files.storage import default_storage
from django.utils import timezone

from apps.courses.models import Course, CourseFileUse, Lesson
from apps.files.models import VideoAsset
from apps.learning.models import LessonProgress, LessonUse, SealedPaper
from apps.learning.offline.resources import choose_quality
from tests.cases import all_cases
from tests.factories.courses import LessonFactory, SectionFactory
from tests.factories.files import StoredFileFactory
from tests.factories.learning import EnrollmentFactory, NoteFactory, OfflineDeviceFactory
from tests.learning.conftest import open_lesson
from tests.learning.offline_content import (
    PageReader,
    make_course_file,
    make_video_lesson,
    offer,
    store,
    store_rendition,
)
from tests.learning.quiz import SECRETS, make_quiz

pytestmark = pytest.mark.django_db

FORMULA = "The slope is $\\frac{a}{b}$."
PAGES = re.compile(r"/(learn|courses|course|me|offline|dashboard|certificates)(/|\?|$)")


@pytest.fixture
def device(leo):
    return OfflineDeviceFactory(user=leo, created_at=timezone.now())


@pytest.fixture
def learner(browser_of, leo):
    return browser_of(leo)


@pytest.fixture
def store_as(learner, device):
    """Ask for the package of a lesson; return the status, the error code and the data."""

    def ask(lesson, quality="720p"):
        address = f"/api/v1/offline/devices/{device.uid}/lessons/{lesson.uid}/"
        answer = learner.post(address, {"quality": quality}, "application/json")
        found = answer.json()
        return answer.status_code, found.get("code"), found

    return ask


@pytest.fixture
def package_of(store_as):
    def ask(lesson, quality="720p"):
        status, _code, found = store_as(lesson, quality)
        assert status == 200, found
        return found

    return ask


@pytest.fixture
def rich_text(course, enrollment):
    """A text with a picture, a linked file, formulas, links and words that look like addresses, and a download."""
    picture = make_course_file(course, name="map.png", media_type="image/png", width=1200, height=800,
                               rendition_width=1200, is_rendered=True)  # fmt: skip
    sheet = make_course_file(course, name="Übung “1”.pdf")
    table = make_course_file(course, name="data.csv", media_type="text/csv")
    body = (
        f'{FORMULA}\n\n![A map](/course-files/{picture.uid} "Where it is")\n\n'
        f"[The sheet](/course-files/{sheet.uid})\n\n"
        "[Next](/learn/rivers-and-their-work/lesson-1-2) [Elsewhere](https://example.org/a) [Home](/courses/)\n\n"
        '`<img src="/static/a.png">` and ![gone](/course-files/00000000-0000-4000-8000-000000000000)'
    )
    lesson = course.lessons.get(slug="lesson-1-1")
    Lesson.objects.filter(pk=lesson.pk).update(body=body)
    offer(lesson, table, "Figures.csv")
    return Lesson.objects.get(pk=lesson.pk), picture, sheet, table


# --- What a package refers to ------------------------------------------------------------------------


def check_references(found, shell, *, pages=PAGES):
    """Everything that the page refers to is a resource, a file of the shell, or says that it needs a connection."""
    read = PageReader(found["page"]["html"])
    media = f"/offline/media/{found['uid']}/"
    stored = {media + one["name"] for one in found["resources"]}
    files = {one["address"] for one in shell["files"]}
    wrong = []
    for tag, name, address in read.addresses:
        plain = address.partition("#")[0]
        if plain in stored | files or address.startswith(("#", "?")) or address in read.marked:
            continue
        if tag == "a" and name == "href" and pages.match(address):
            continue
        wrong.append((tag, name, address))
    for text in read.json:
        for value in strings_in(json.loads(text)):
            for address in [value] if value.startswith("/") else re.findall(r'(?:src|href)="([^"]+)"', value):
                if address not in stored | files and not pages.match(address) and not address.startswith("/api/v1/"):
                    wrong.append(("json", "", address))
    assert wrong == []
    return read


def strings_in(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from strings_in(one)
    elif isinstance(value, str):
        yield value


def player_props(read):
    return next(props for props in map(json.loads, read.json) if "sources" in props)


@pytest.fixture
def shell(call_as, leo):
    return call_as("leo", "GET", "/offline/shell/")[2]


def test_a_video_is_stored_in_one_quality(package_of, course, enrollment, shell):
    film = make_video_lesson(course, body=FORMULA)

    found = package_of(film, "720p")

    names = [one["name"] for one in found["resources"]]
    assert names == [
        "720p/index.m3u8", "720p/init.mp4", "720p/00000.m4s", "720p/00001.m4s", "720p/00002.m4s",
        "poster.jpg", "storyboard.vtt", "storyboard-1.jpg", "storyboard-2.jpg",
        *(f"captions/{track.uid.hex}.vtt" for track in film.video.captions.order_by("-language")),
    ]  # fmt: skip
    by_name = {one["name"]: one for one in found["resources"]}
    assert by_name["720p/00001.m4s"]["size"] == 101
    assert by_name["720p/00001.m4s"]["content"] == film.video.directory
    assert found["size"] == sum(one["size"] for one in found["resources"])
    assert (found["quality"], found["page"]["sheets"], found["page"]["scripts"]) == ("720p", ["lesson"], ["timeline"])
    read = check_references(found, shell)
    props = player_props(read)
    assert props["sources"]["master"] == f"/offline/media/{film.uid}/720p/index.m3u8"
    assert (props["sources"]["audio"], props["sources"]["sound"]) == (None, None)
    assert "page--wide" in found["page"]["main_class"]
    assert "<math" in found["page"]["html"]


def test_only_the_sound_is_stored_if_that_is_chosen(package_of, course, enrollment, shell):
    film = make_video_lesson(course)

    found = package_of(film, "audio")

    assert {one["name"].partition("/")[0] for one in found["resources"]} >= {"audio", "poster.jpg", "captions"}
    assert not any(one["name"].startswith(("720p", "480p")) for one in found["resources"])
    props = player_props(check_references(found, shell))
    assert props["is_listening"]
    assert props["sources"]["master"] == props["sources"]["audio"] == f"/offline/media/{film.uid}/audio/index.m3u8"
    assert "stage--listen" in found["page"]["html"]


def test_a_text_comes_with_its_pictures_and_files(package_of, rich_text, shell):
    lesson, picture, sheet, table = rich_text

    found = package_of(lesson)

    by_name = {one["name"]: one for one in found["resources"]}
    shown = by_name[f"files/{picture.uid.hex}"]
    assert shown["source"] == f"/course-files/{picture.uid}?width=960"
    assert (shown["media_type"], shown["size"], shown["filename"]) == ("image/webp", None, "")
    linked = by_name[f"files/{sheet.uid.hex}"]
    assert (linked["filename"], linked["size"]) == ("Übung “1”.pdf", sheet.upload.length)
    offered = by_name[f"files/{table.uid.hex}"]
    assert (offered["filename"], offered["media_type"]) == ("Figures.csv", "application/octet-stream")
    read = check_references(found, shell)
    assert {"https://example.org/a", "/courses/", "/me/enrollments"} <= set(read.marked)
    assert not any(address.startswith("/learn/") for address in read.marked)
    html = found["page"]["html"]
    assert '&lt;img src="/static/a.png"&gt;' in html.replace("&quot;", '"').replace("&#34;", '"')
    assert 'download="Übung “1”.pdf"' in html
    assert "srcset" not in html
    assert "<math" in html
    assert "missing-picture" in html


def test_a_text_is_marked_as_read_by_a_button_after_the_whole_reading_time(package_of, course, enrollment, leo, now):
    lesson = course.lessons.get(slug="lesson-1-1")
    Lesson.objects.filter(pk=lesson.pk).update(body="word " * 2000)
    open_lesson(leo, lesson, timezone.now() - timedelta(days=1))

    html = package_of(lesson)["page"]["html"]

    assert "<form" not in html
    assert re.search(rf'data-reading-end="{lesson.uid}" data-wait="[1-9]\d+"', html)
    assert "data-complete" in html


def test_a_quiz_comes_with_a_sealed_paper(package_of, course, enrollment, shell):
    picture = make_course_file(course, name="map.png", media_type="image/png", width=400, height=300)
    quiz = make_quiz(course, max_attempts=2)
    asked = quiz.questions.get(position=1)
    asked.prompt = f"Which? ![A map](/course-files/{picture.uid})"
    asked.save()

    found, again = package_of(quiz.lesson), package_of(quiz.lesson)

    assert found["paper"]["uid"] == again["paper"]["uid"] == str(SealedPaper.objects.get().uid)
    assert found["paper"]["submitted_at"] is None
    address = f"/offline/media/{quiz.lesson.uid}/files/{picture.uid.hex}"
    assert address in found["paper"]["questions"][0]["prompt_html"]
    assert [one["name"] for one in found["resources"]] == [f"files/{picture.uid.hex}"]
    assert found["quiz"]["attempts_left"] == 2
    assert found["paper_refusal"] is None
    everything = json.dumps(found)
    assert not [word for word in SECRETS if word in everything]
    check_references(found, shell)


def test_a_quiz_without_attempts_left_is_stored_and_says_why_there_is_no_paper(package_of, course, enrollment, call_as):
    quiz = make_quiz(course, max_attempts=1)
    attempt = call_as("leo", "POST", f"/lessons/{quiz.lesson.uid}/attempts/")[2]

    found = package_of(quiz.lesson)
    assert found["paper_refusal"]["code"]
    assert found["quiz"]["attempt"] is None  # an open one ends with a connection

    with time_machine.travel(timezone.now() + timedelta(minutes=10)):
        call_as("leo", "POST", f"/attempts/{attempt['uid']}/submit/", {"answers": {}})
        found = package_of(quiz.lesson)
    assert (found["paper"], found["paper_refusal"]["code"]) == (None, "QUIZ_NO_ATTEMPTS_LEFT")
    assert found["quiz"]["attempt"]["result"]["percent"] == 0


def test_a_file_lesson_comes_with_its_file(package_of, course, enrollment, ada, shell):
    upload = StoredFileFactory(owner=ada, filename="survey.html", media_type="text/html", length=77)
    lesson = LessonFactory(
        section=SectionFactory(course=course), course=course, kind="file", file=upload, file_name="Survey “2”.html"
    )

    found = package_of(lesson)

    [file] = found["resources"]
    assert (file["filename"], file["size"]) == ("Survey “2”.html", 77)
    assert file["media_type"] == "application/octet-stream"  # the worker must not serve a page of somebody's
    assert file["source"].startswith("/media/f/")
    check_references(found, shell)
    assert 'download="Survey “2”.html"' in found["page"]["html"]


def test_every_source_can_be_fetched_in_the_learners_browser(package_of, learner, course, enrollment, rich_text):
    film = make_video_lesson(course)
    CourseFileUse.objects.bulk_create(
        CourseFileUse(file=file, place="lesson", lesson=rich_text[0]) for file in rich_text[1:]
    )
    for file in rich_text[1:]:
        store(file.upload.stored_as, b"x" * file.upload.length)

    def fetch(one):
        response = learner.get(one["source"])
        return response.status_code, len(response.getvalue()) if one["size"] is not None else None

    for lesson in (film, rich_text[0]):
        for one in package_of(lesson)["resources"]:
            assert fetch(one) == (200, one["size"]), one


def test_nothing_of_the_page_needs_a_form_a_token_or_the_network(package_of, course, enrollment, lessons):
    quiz = make_quiz(course).lesson
    for lesson in (lessons[0], make_video_lesson(course), quiz):
        html = package_of(lesson)["page"]["html"]
        read = PageReader(html)
        assert not {"form", "iframe", "base", "link"} & set(read.tags)
        assert "csrf" not in html
        assert not re.search(r"<script(?! type=\"application/json\")", html)
        assert "data-fetch-part" not in html
        assert "need" in html
        assert "tutor-panel" not in html


def test_what_the_online_page_loads_is_named(package_of, learner, course, enrollment, lessons):
    """A script or style sheet that a lesson's page begins to load must come with its package, too."""
    quiz = make_quiz(course).lesson
    for lesson in (lessons[0], make_video_lesson(course), quiz):
        page = package_of(lesson)["page"]
        online = learner.get(f"/learn/{course.slug}/{lesson.slug}").content.decode()
        scripts = set(re.findall(r'<script type="module" src="/static/dist/([a-zA-Z/]+)-', online))
        sheets = set(re.findall(r'<link rel="stylesheet" href="/static/dist/([a-zA-Z/]+)-', online))
        assert set(page["scripts"]) == scripts - {"site", "islands"}
        assert set(page["sheets"]) == sheets - {"core"}
        assert page["title"] == f"{lesson.number} {lesson.title}"


# --- Qualities ---------------------------------------------------------------------------------------


@all_cases(
    "existing, wanted, chosen",
    [
        (["1080p", "720p", "480p", "audio"], "720p", "720p"),
        (["1080p", "480p", "audio"], "720p", "480p"),
        (["1080p", "720p", "audio"], "480p", "720p"),
        (["480p"], "1080p", "480p"),
        (["720p", "480p"], "audio", "480p"),
        (["720p", "audio"], "audio", "audio"),
        (["audio"], "720p", "audio"),
        ([], "720p", None),
    ],
)
def test_a_quality_that_does_not_exist_means_the_next_lower_one(existing, wanted, chosen):
    assert choose_quality(set(existing), wanted) == chosen


# --- Who gets a package ------------------------------------------------------------------------------


def test_only_learners_store_lessons(store_as, course, lessons, leo):
    Lesson.objects.filter(pk=lessons[0].pk).update(is_preview=True)
    for lesson in lessons[:2]:
        assert store_as(lesson)[:2] == (403, "ENROLLMENT_REQUIRED")
    assert store_as(Lesson(uid="0b9f7f4e-3f43-4c6a-9d57-7f6a8c1f2d10"))[:2] == (404, "LECTURE_UNAVAILABLE")
    Course.objects.filter(pk=course.pk).update(status="draft", published_at=None)
    assert store_as(lessons[0])[0] == 404
    assert not LessonUse.objects.exists()


def test_staff_store_no_lessons_of_their_course(call_as, ada, lessons):
    device = OfflineDeviceFactory(user=ada)

    found = call_as("ada", "POST", f"/offline/devices/{device.uid}/lessons/{lessons[0].uid}/", {})

    assert found[:2] == (409, "OFFLINE_NOT_POSSIBLE")


@pytest.mark.parametrize("facts", [{"opens_at": "2126-01-01T00:00Z"}, {"opens_after_days": 5}])
def test_what_opens_on_a_date_is_not_handed_out_before(store_as, enrollment, lessons, facts):
    Lesson.objects.filter(pk=lessons[1].pk).update(**facts)
    enrollment.enrolled_at = timezone.now()
    enrollment.save()

    assert store_as(lessons[1])[:2] == (403, "LESSON_NOT_OPEN_YET")


def test_what_an_earlier_lesson_locks_is_stored_with_what_it_requires(
    package_of, learner, course, enrollment, lessons, leo
):
    Course.objects.filter(pk=course.pk).update(requires_order=True)
    Lesson.objects.filter(pk=lessons[1].pk).update(is_optional=True)
    film = make_video_lesson(course)
    picture = make_course_file(course, name="map.png", media_type="image/png", width=400, height=300)
    store(picture.upload.stored_as, b"\x89PNG\r\n\x1a\n")
    CourseFileUse.objects.create(file=picture, place="lesson", lesson=film)
    Lesson.objects.filter(pk=film.pk).update(body=f"![A map](/course-files/{picture.uid})")
    open_lesson(leo, lessons[0], timezone.now())
    LessonProgress.objects.update(completed_at=timezone.now())

    found = package_of(film)

    assert found["requires"] == [str(lessons[place].uid) for place in (2, 3, 4, 5)]
    for one in found["resources"]:
        if not one["name"].startswith("files/"):
            assert learner.get(one["source"]).status_code == 200
    assert learner.get(f"/course-files/{picture.uid}").status_code != 404
    assert learner.get(f"/learn/{course.slug}/{film.slug}").status_code == 403  # with a connection it stays closed
    assert not LessonProgress.objects.filter(lesson=film).exists()


def test_prerequisites_are_required_and_what_was_begun_requires_nothing(package_of, enrollment, lessons, leo):
    lessons[2].prerequisites.add(lessons[0], lessons[1])
    assert package_of(lessons[2])["requires"] == [str(lessons[0].uid), str(lessons[1].uid)]

    open_lesson(leo, lessons[2], timezone.now())
    assert package_of(lessons[2])["requires"] == []


def test_a_video_of_another_host_is_refused_with_the_reason(store_as, course, enrollment):
    where = {"external_video": "https://www.youtube.com/watch?v=aqz-KE-bpKQ", "external_host": "youtube"}
    lesson = LessonFactory(section=SectionFactory(course=course), course=course, kind="video", **where)

    status, code, problem = store_as(lesson)

    assert (status, code) == (409, "OFFLINE_NOT_POSSIBLE")
    assert "another site" in problem["detail"]


@pytest.mark.parametrize("state", ["stage", "playlist", "segment", "no video", "no file"])
def test_what_is_not_complete_is_refused(store_as, course, enrollment, state):
    film = make_video_lesson(course)
    match state:
        case "stage":
            VideoAsset.objects.update(stage="audio")
        case "playlist":
            store_rendition(film.video.directory, "720p", end="")
        case "segment":
            default_storage.delete(f"{film.video.directory}/720p/00001.m4s")
        case "no video":
            Lesson.objects.filter(pk=film.pk).update(video=None)
        case _:
            Lesson.objects.filter(pk=film.pk).update(video=None, kind="file")

    assert store_as(film)[:2] == (409, "OFFLINE_NOT_POSSIBLE")


def test_a_video_stays_as_it_was_while_it_is_replaced(package_of, course, enrollment):
    film = make_video_lesson(course)
    before = package_of(film)
    VideoAsset.objects.update(stage="queued", former={"directory": film.video.directory})

    assert [one["name"] for one in package_of(film)["resources"]] == [one["name"] for one in before["resources"]]


# --- What it changes ---------------------------------------------------------------------------------


def test_storing_counts_as_handed_out_but_begins_nothing(package_of, course, enrollment, lessons, ada):
    upload = StoredFileFactory(owner=ada)
    file = LessonFactory(section=SectionFactory(course=course), course=course, kind="file", file=upload)
    quiz = make_quiz(course).lesson
    for lesson in (lessons[0], file, quiz, make_video_lesson(course)):
        package_of(lesson)

    assert set(LessonUse.objects.filter(is_whole=True).values_list("lesson", flat=True)) == {lessons[0].pk, file.pk}
    assert not LessonProgress.objects.exists()


def test_a_package_brings_the_learners_own_notes(package_of, enrollment, lessons, leo, mia, course):
    EnrollmentFactory(user=mia, course=course)
    NoteFactory(user=leo, course=course, lesson=lessons[0], text="Mine")
    NoteFactory(user=mia, course=course, lesson=lessons[0], text="Hers")
    NoteFactory(user=leo, course=course, lesson=lessons[0], text="", is_deleted=True)  # a device may have it still

    notes = package_of(lessons[0])["notes"]

    assert [(one["text"], one["is_deleted"]) for one in notes] == [("Mine", False), ("", True)]


def test_nothing_of_a_package_stays_in_the_browsers_cache(learner, device, enrollment, lessons):
    answer = learner.post(f"/api/v1/offline/devices/{device.uid}/lessons/{lessons[0].uid}/", "{}", "application/json")

    assert answer["Cache-Control"] == "no-store"


def test_a_package_names_the_build_and_the_artwork(package_of, enrollment, lessons, shell, course):
    found = package_of(lessons[0])

    assert found["build"] == shell["build"]
    assert found["course"]["plate"].startswith("<svg")
    assert found["section"] == {"number": 1, "title": "Section 1"}
