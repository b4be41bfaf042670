"""The files of a course: added once, shown to those who may read a text that shows them, kept, and cleaned up."""

from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
import time_machine
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import F
from django.test import Client
from django.utils import timezone
from PIL import Image

from apps.accounts.models import User
from apps.courses import services
from apps.courses.models import Course, CourseFile, CourseFileUse, Lesson
from apps.courses.queries.content_tree import read_tree
from apps.courses.services.applying import apply_tree
from apps.files import queries
from apps.files.models import Upload
from apps.files.services import uses_of
from apps.learning.queries import course_files
from studyplatform.kit import jobs
from studyplatform.kit.caching.lru import clear_caches
from studyplatform.kit.errors import NotFound
from studyplatform.kit.text import content
from tests.courses.test_course_pictures import picture_bytes
from tests.factories.courses import CourseFactory, LessonFactory, QuestionFactory, QuizFactory
from tests.factories.files import FileFactory
from tests.factories.learning import AttemptFactory, EnrollmentFactory, LessonProgressFactory

pytestmark = [pytest.mark.edits_in_place, pytest.mark.django_db, pytest.mark.usefixtures("own_folders")]
API = "/api/v1/courses/rivers/files/"


@pytest.fixture
def course(ada: User) -> Course:
    return CourseFactory(instructor=ada, slug="rivers", status="published", requires_order=True)


@pytest.fixture
def lesson(course: Course) -> Lesson:
    return LessonFactory(section__course=course, kind="text", slug="one", body="")


def added(course: Course, by: User, raw: bytes | None = None, name: str = "map.jpg") -> CourseFile:
    raw = raw if raw is not None else picture_bytes((1000, 500))
    file = FileFactory(owner=by, name=name, content=raw, size=len(raw))
    return services.add_course_file(course=course, by=by, source=file, now=timezone.now())


def write(lesson: Lesson, body: str, **fields: Any) -> None:
    shown = {"title": lesson.title, "summary": "", "is_preview": lesson.is_preview, **fields}
    by = lesson.course.instructor
    services.edit_lesson(lesson=lesson, by=by, body=body, now=timezone.now(), **shown)


def status_of(client: Client, file: CourseFile, **headers: str) -> int:
    return client.get(file.address, headers=headers).status_code


def test_a_picture_is_shown_in_sizes_with_its_dimensions(course, lesson, ada, client):
    file = added(course, ada)
    write(lesson, f'![A map]({file.address} "The Elbe"){{width=50%}}', is_preview=True)

    html = client.get("/learn/rivers/one").content.decode()
    widths = [480, 960, 1000]
    srcset = ", ".join(f"{file.address}?width={width} {width}w" for width in widths)
    assert f'srcset="{srcset}"' in html
    assert 'width="1000" height="500" alt="A map" loading="lazy" decoding="async"' in html
    assert "<figcaption>The Elbe</figcaption>" in html

    before = client.get(f"{file.address}?width=480")  # not made yet: the original without its metadata
    assert before["Content-Type"] == "image/jpeg"
    assert b"taken at home" not in before.content
    jobs.run_pending("default")
    for width in widths:
        answer = client.get(f"{file.address}?width={width}")
        assert answer["Content-Type"] == "image/webp"
        assert answer["Cache-Control"] == "private, max-age=3600"
        assert Image.open(BytesIO(b"".join(answer.streaming_content))).size == (width, width // 2)
    head = client.head(f"{file.address}?width=480")
    assert (head.status_code, head.content, int(head["Content-Length"]) > 0) == (200, b"", True)
    assert client.get(f"{file.address}?width=480", headers={"If-None-Match": head["ETag"]}).status_code == 304
    for odd in ("481", "²", "", "-1", "99999999999999999999"):
        assert client.get(f"{file.address}?width={odd}")["Content-Type"] == "image/jpeg"


def test_only_those_who_may_read_the_text_get_the_file(course, lesson, ada, eve, leo, mia, browser_of, client):
    locked = LessonFactory(section__course=course, section=lesson.section, position=2, kind="text", slug="two")
    file, other = added(course, ada), added(course, ada, picture_bytes((500, 500)), "other.jpg")
    EnrollmentFactory(user=leo, course=course)
    write(lesson, f"![a]({file.address})")
    write(locked, f"[b]({other.address})")

    readers = {name: browser_of(user) for name, user in {"ada": ada, "eve": eve, "leo": leo, "mia": mia}.items()}
    readers["visitor"] = client
    statuses = {name: (status_of(one, file), status_of(one, other)) for name, one in readers.items()}
    assert statuses == {
        "ada": (200, 200),
        "leo": (200, 404),
        "eve": (404, 404),
        "mia": (404, 404),
        "visitor": (404,) * 2,
    }

    readers["leo"].post("/learn/rivers/one/complete")
    assert status_of(readers["leo"], other) == 200  # opened just now
    write(lesson, f"![a]({file.address})", is_preview=True)
    assert (status_of(client, file), status_of(client, other)) == (200, 404)

    # What the open text no longer shows is as closed as the text that still does.
    write(locked, f"![a]({file.address})")
    write(lesson, "No picture.", is_preview=True)
    clear_caches()
    assert (status_of(client, file), status_of(readers["leo"], file)) == (404, 200)


def test_a_file_on_the_course_page_is_for_everyone_who_sees_it(course, ada, client):
    file = added(course, ada, b"%PDF-1.7 " + b"words " * 50, "Plan.pdf")
    assert status_of(client, file) == 404
    course.description = f"[Plan]({file.address}) and ![Plan]({file.address})"
    services.record_uses(course=course, by=ada, now=timezone.now())

    answer = client.get(file.address, headers={"Range": "bytes=0-7"})
    assert (answer.status_code, b"".join(answer.streaming_content)) == (206, b"%PDF-1.7")
    assert answer["Content-Disposition"].startswith("attachment")
    assert content.render(course.description, content.DESCRIPTION).count("<a ") == 2
    course.status = Course.Status.DRAFT
    course.is_announced = False
    course.save()
    assert status_of(client, file) == 404


def test_pictures_of_questions_are_for_those_who_may_open_the_quiz(course, ada, leo, mia, browser_of):
    quiz = QuizFactory(lesson__section__course=course)
    EnrollmentFactory(user=leo, course=course)
    files = [added(course, ada, picture_bytes((500 + n, 400)), f"{n}.jpg") for n in range(4)]
    question = quiz.questions.create(
        kind="single",
        prompt=f"What?\n\n![a]({files[0].address})",
        explanation=f"![b]({files[1].address})",
        position=1,
        options=[{"id": "a", "text": f"![c]({files[2].address})"}, {"id": "b", "text": "no"}],
        answer={"ids": ["a"]},
        remarks={"b": f"![d]({files[3].address})"},
    )
    services.record_uses(course=course, by=ada, lesson=quiz.lesson, now=timezone.now())

    assert [status_of(browser_of(leo), file) for file in files] == [200] * 4
    assert [status_of(browser_of(mia), file) for file in files] == [404] * 4
    services.delete_question(question=question, by=ada, now=timezone.now())
    assert CourseFileUse.objects.filter(ended_at=None).count() == 0
    assert status_of(browser_of(leo), files[0]) == 200  # an open attempt may still show it


@pytest.mark.parametrize("kind", ["quiz", "text"])
def test_who_works_in_a_lesson_that_a_version_takes_out_keeps_its_pictures(course, ada, leo, mia, browser_of, kind):
    file = added(course, ada)
    if kind == "quiz":
        quiz = QuizFactory(lesson__section__course=course)
        QuestionFactory(quiz=quiz, prompt=f"What?\n\n![a]({file.address})")
        work = AttemptFactory(enrollment__user=leo, enrollment__course=course, quiz=quiz)
        lesson = quiz.lesson
    else:
        lesson = LessonFactory(section__course=course, body=f"![a]({file.address})")
        work = LessonProgressFactory(enrollment__user=leo, enrollment__course=course, lesson=lesson)
    EnrollmentFactory(user=mia, course=course)
    services.record_uses(course=course, by=ada, lesson=lesson, now=timezone.now())
    tree = read_tree(course)
    tree["sections"][0]["lessons"] = []

    apply_tree(tree, course, ada, timezone.now(), version=2)

    assert not Course.objects.get(pk=course.pk).lessons.exists()
    assert [status_of(browser_of(one), file) for one in (leo, mia)] == [200, 404]
    clear_caches()
    work.enrollment.revoked_at = timezone.now()
    work.enrollment.save()
    assert status_of(browser_of(leo), file) == 404


def test_files_are_listed_searched_and_added_once(course, ada, eve, leo, browser_of):
    site = browser_of(ada)
    raw = picture_bytes((640, 360))
    file = FileFactory(owner=ada, name="Straße.jpg", content=raw, size=len(raw))
    theirs = FileFactory(owner=eve, name="theirs.jpg", content=raw, size=len(raw))

    def post(browser: Client = site, **body: object) -> Any:
        return browser.post(API, body, "application/json")

    first = post(file=str(file.uid))
    assert first.status_code == 201
    assert first.json() | {"added_at": 0} == {
        "uid": str(file.current.uid), "name": "Straße.jpg", "href": f"/course-files/{file.current.uid}",
        "media_type": "image/jpeg", "is_picture": True, "width": 640, "height": 360, "length": len(raw), "added_at": 0,
    }  # fmt: skip
    assert post(upload=str(file.current.uid)).json() == first.json()
    assert queries.storage_of(ada).used == len(raw)
    assert post(file=str(theirs.uid)).status_code == post(upload=str(theirs.current.uid)).status_code == 404
    assert post().status_code == post(file=str(file.uid), upload=str(file.uid)).status_code == 400
    assert post(browser_of(eve), file=str(theirs.uid)).status_code == 403
    assert browser_of(leo).get(API).status_code == 403

    found = site.get(f"{API}?q=strasse").json()
    assert [one["name"] for one in found["results"]] == ["Straße.jpg"]
    assert site.get(f"{API}?q=none").json()["results"] == []
    course.status = Course.Status.REVIEW
    course.save()
    assert post(file=str(file.uid)).json()["code"] == "COURSE_UNDER_REVIEW"


@pytest.mark.long
def test_renaming_moving_and_deleting_in_the_library_breaks_nothing(course, lesson, ada, client):
    raw = picture_bytes((640, 360))
    file = FileFactory(owner=ada, name="a.jpg", content=raw, size=len(raw))
    used = services.add_course_file(course=course, by=ada, source=file, now=timezone.now())
    write(lesson, f"![a]({used.address})", is_preview=True)
    [use] = uses_of([used.upload_id], ada)[used.upload_id]
    assert use.label == f"the lesson “{lesson.title}” in “{course.title}”"

    file.versions.all().delete()
    file.delete()
    assert status_of(client, used) == 200
    assert queries.storage_of(ada).used == len(raw)


@pytest.mark.long
def test_unused_files_are_deleted_after_thirty_days_but_not_those_of_attempts(course, lesson, ada, leo):
    kept, unused, shown = (added(course, ada, picture_bytes((600 + n, 400)), f"{n}.jpg") for n in range(3))
    quiz = QuizFactory(lesson__section__course=course)
    write(lesson, f"![a]({kept.address}) ![b]({unused.address})")
    AttemptFactory(
        enrollment=EnrollmentFactory(user=leo, course=course), quiz=quiz, results=[{"prompt": shown.address}]
    )
    jobs.run_pending("default")
    assert default_storage.exists(f"course-files/{unused.uid.hex}-480.webp")
    start = timezone.now()
    write(lesson, f"![a]({kept.address})")

    services.clean_course_files(now=start)
    with time_machine.travel(start + timedelta(days=20), tick=False):
        assert services.clean_course_files(now=timezone.now()) == 0
        write(lesson, f"![a]({kept.address}) ![b]({unused.address})")  # undone
        services.clean_course_files(now=timezone.now())
        write(lesson, f"![a]({kept.address})")
        services.clean_course_files(now=timezone.now())
    later = start + timedelta(days=31)
    assert services.clean_course_files(now=later) == 0
    assert services.clean_course_files(now=later + timedelta(days=20)) == 1
    jobs.run_pending("default")

    assert set(CourseFile.objects.values_list("pk", flat=True)) == {kept.pk, shown.pk}
    assert not default_storage.exists(f"course-files/{unused.uid.hex}-480.webp")


@pytest.mark.long
def test_a_text_copied_to_another_course_of_its_author_brings_its_files(course, lesson, ada, eve, client):
    file, foreign = added(course, ada), added(CourseFactory(instructor=eve), eve, picture_bytes((700, 400)))
    write(lesson, f"![a]({file.address})")
    other = CourseFactory(instructor=ada, slug="lakes", status="published")
    copy = LessonFactory(section__course=other, kind="text", slug="copy")
    write(copy, f"![a]({file.address}) ![b]({foreign.address})", is_preview=True)

    assert (status_of(client, file), status_of(client, foreign)) == (200, 404)
    course.delete()
    jobs.run_pending("default")
    assert status_of(client, file) == 200
    copy.course.delete()
    jobs.run_pending("default")
    assert not CourseFile.objects.filter(uid=file.uid).exists()


@pytest.mark.parametrize(
    ("kind", "frames", "widths"), [("PNG", 1, [300]), ("GIF", 1, []), ("GIF", 3, []), ("WEBP", 3, []), ("PNG", 3, [])]
)
def test_animations_stay_as_they_are(course, ada, kind, frames, widths):
    images = [Image.new("RGB", (300, 200), color) for color in ("red", "blue", "green")[:frames]]
    out = BytesIO()
    images[0].save(out, kind, save_all=frames > 1, append_images=images[1:])
    file = added(course, ada, out.getvalue(), f"a.{kind.lower()}")

    assert (file.width, file.height, file.widths) == (300, 200, widths)


def test_what_is_no_picture_is_a_file_and_nothing_harmful_is_added(course, ada, browser_of):
    broken = added(course, ada, picture_bytes()[:4000], "broken.jpg")
    assert broken.is_picture is True  # its header is all that a page needs; its renditions fail without a trace
    jobs.run_pending("default")
    assert CourseFile.objects.get(pk=broken.pk).is_rendered is False
    page = FileFactory(owner=ada, name="page.html", content=b"<!doctype html><script>alert(1)</script>", size=40)
    answer = browser_of(ada).post(API, {"file": str(page.uid)}, "application/json")
    assert answer.status_code == 415
    assert CourseFile.objects.count() == 1
    assert Upload.objects.count() == 2


def test_the_next_picture_of_a_page_costs_three_queries(course, lesson, ada, client, django_assert_max_num_queries):
    file = added(course, ada)
    write(lesson, "\n\n".join(f"![{n}]({file.address})" for n in range(40)), is_preview=True)
    client.get("/learn/rivers/one")
    status_of(client, file)

    with django_assert_max_num_queries(3):
        status_of(client, file)


def test_the_other_pictures_of_a_page_read_no_outline(course, lesson, ada, leo, browser_of, django_assert_num_queries):
    first, second = added(course, ada), added(course, ada, picture_bytes((900, 500)), "b.jpg")
    EnrollmentFactory(user=leo, course=course)
    write(lesson, f"![one]({first.address})", is_preview=False)
    reader = browser_of(leo)
    assert status_of(reader, first) == 200
    assert status_of(reader, second) == 404
    write(lesson, f"![one]({first.address}) ![two]({second.address})")  # what opens is open at once
    assert status_of(reader, second) == 200
    files = course_files.course_file_for(leo, first.uid), course_files.course_file_for(leo, second.uid)
    with django_assert_num_queries(4):  # the file and its uses
        assert (course_files.course_file_for(leo, first.uid), course_files.course_file_for(leo, second.uid)) == files

    with time_machine.travel(timezone.now() + course_files.PERMISSION_TTL):
        Lesson.objects.update(opens_at=timezone.now() + timedelta(days=1))
        Course.objects.update(version=F("version") + 1)
        with pytest.raises(NotFound):
            course_files.course_file_for(leo, first.uid)


def test_files_in_attempts_are_held_in_their_course_only(course, lesson, ada, django_assert_num_queries):
    file = added(course, ada)
    shown = [{"prompt": f"![one]({file.address})"}]
    AttemptFactory(enrollment=EnrollmentFactory(course=CourseFactory()), asked=shown)
    with django_assert_num_queries(2):
        assert course_files.files_in_attempts([file.uid]) == set()
    AttemptFactory(enrollment=EnrollmentFactory(course=course), asked=shown)
    assert course_files.files_in_attempts([file.uid]) == {file.uid}


def test_a_picture_is_put_into_a_lesson_without_scripts_and_no_text_is_lost(course, lesson, ada, browser_of):
    site, address = browser_of(ada), "/dashboard/instructor/courses/rivers/lectures/one/insert"

    def insert(**fields: object) -> str:
        answer = site.post(address, {"title": "One", "body": "Typed and not saved.", **fields})
        assert answer.status_code == 200
        return answer.content.decode()

    photo = SimpleUploadedFile("map.jpg", picture_bytes())
    html = insert(inserted=photo)
    assert "Describe the picture, or mark it as decorative." in html
    assert "Typed and not saved." in html
    assert "Choose a file." in insert(alt="x")
    page = SimpleUploadedFile("page.html", b"<!doctype html><script>alert(1)</script>")
    assert 'id="id_inserted-e"' in insert(inserted=page)
    assert "Enter a title." in insert(inserted=photo, alt="x", title="")
    assert (CourseFile.objects.count(), Upload.objects.count()) == (0, 0)

    photo.seek(0)
    html = insert(inserted=photo, alt="The [Elbe]", caption='"Source"', is_decorative="")
    file = CourseFile.objects.get()
    line = f'![The \\[Elbe\\]]({file.address} "\\"Source\\"")'
    assert f"Typed and not saved.\n\n{line}".replace('"', "&#34;") in html
    assert 'alt="The [Elbe]"' in html  # in the preview
    lesson.refresh_from_db()
    assert lesson.body == ""
    sheet = SimpleUploadedFile("Sheet_1.pdf", b"%PDF-1.7 " + b"words " * 50)
    assert "[Sheet\\_1.pdf](/course-files/" in insert(inserted=sheet)
