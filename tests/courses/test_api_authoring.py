"""The authoring API: response shapes and permissions."""

from uuid import uuid4

import pytest

from apps.courses.models import Course
from apps.files.models import VideoAsset
from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory
from tests.factories.files import VideoFactory

API = "/api/v1"


@pytest.fixture
def course(ada):
    course = CourseFactory(instructor=ada, slug="rivers")
    first, second = SectionFactory(course=course), SectionFactory(course=course)
    LessonFactory(section=first, title="one")
    LessonFactory(section=first, title="two", kind="video")
    LessonFactory(section=second, title="three")
    return course


@pytest.fixture
def adas_browser(browser_of, ada):
    return browser_of(ada)


def send(browser, method, path, body=None):
    return getattr(browser, method)(API + path, body, content_type="application/json")


def numbers(answer):
    return {one["title"]: one["number"] for part in answer.json()["sections"] for one in part["lessons"]}


def calls(course):
    """Return every call on the course as (method, path, body)."""
    section, lesson = course.sections.first(), course.lessons.get(title="two")
    return [
        ("get", f"/courses/{course.slug}/lessons/", None),
        ("post", f"/courses/{course.slug}/lessons/", {"section": str(section.uid), "kind": "text"}),
        ("post", f"/courses/{course.slug}/sections/", {"title": "New"}),
        ("patch", f"/sections/{section.uid}/", {"title": "New"}),
        ("post", f"/sections/{section.uid}/move/", {"position": 2}),
        ("delete", f"/sections/{section.uid}/", None),
        ("patch", f"/lessons/{lesson.uid}/", {"title": "New"}),
        ("post", f"/lessons/{lesson.uid}/move/", {"section": str(section.uid), "position": 1}),
        ("put", f"/lessons/{lesson.uid}/video/", {"video": None}),
        ("delete", f"/lessons/{lesson.uid}/", None),
    ]


@pytest.mark.parametrize(("user_name", "status"), [("eve", 404), ("leo", 404), ("nobody", 401)])
def test_strangers_cannot_read_or_change_a_course(course, browser_of, client, eve, leo, user_name, status):
    browser = client if user_name == "nobody" else browser_of({"eve": eve, "leo": leo}[user_name])
    before = Course.objects.get(pk=course.pk).version

    for method, path, body in calls(course):
        answer = send(browser, method, path, body)
        assert answer.status_code == status, path
        assert answer["Content-Type"] == "application/problem+json"

    assert Course.objects.get(pk=course.pk).version == before


@pytest.mark.parametrize("status", ["draft", "published"])
def test_another_users_section_looks_like_a_missing_one(course, browser_of, eve, status):
    Course.objects.filter(pk=course.pk).update(status=status)
    browser, uid = browser_of(eve), course.sections.first().uid
    sent = [("patch", "/sections/%s/", {"title": "New"}), ("post", "/sections/%s/move/", {"position": 2})]
    sent.append(("delete", "/sections/%s/", None))

    def response_to(method, path, body):
        answer = send(browser, method, path, body)
        return answer.status_code, {key: value for key, value in answer.json().items() if key != "request_id"}

    for method, path, body in sent:
        assert response_to(method, path % uid, body) == response_to(method, path % uuid4(), body)
    assert course.sections.count() == 2


def test_an_admin_can_edit_any_course(course, browser_of, sam):
    browser = browser_of(sam)

    statuses = [send(browser, *call).status_code for call in calls(course)[:5]]

    assert statuses == [200, 201, 201, 200, 200]


def test_the_outline_shows_authors_the_state_of_each_lesson(course, adas_browser, django_assert_max_num_queries):
    with django_assert_max_num_queries(5):
        answer = send(adas_browser, "get", "/courses/rivers/lessons/")

    [first, second] = answer.json()["sections"]
    assert [one["title"] for one in first["lessons"]] == ["one", "two"]
    assert first["lessons"][1] == {
        "uid": str(course.lessons.get(title="two").uid),
        "slug": "lesson-1-2",
        "number": "1.2",
        "title": "two",
        "kind": "video",
        "duration": 60,
        "is_preview": False,
        "state": "No video",
        "is_ready": False,
        "video": None,
    }
    assert second["position"] == 2


def test_an_author_adds_edits_moves_and_deletes_lessons(course, adas_browser):
    [first, second] = course.sections.order_by("position")
    body = {"section": str(second.uid), "kind": "text", "title": "four"}
    assert numbers(send(adas_browser, "post", "/courses/rivers/lessons/", body))["four"] == "2.2"

    four = course.lessons.get(title="four")
    answer = send(adas_browser, "patch", f"/lessons/{four.uid}/", {"body": "Words."})
    assert numbers(answer)["four"] == "2.2"
    answer = send(adas_browser, "post", f"/lessons/{four.uid}/move/", {"section": str(first.uid), "position": 1})
    assert numbers(answer) == {"four": "1.1", "one": "1.2", "two": "1.3", "three": "2.1"}
    answer = send(adas_browser, "delete", f"/lessons/{four.uid}/")
    assert numbers(answer) == {"one": "1.1", "two": "1.2", "three": "2.1"}


def test_a_lesson_cannot_move_to_another_course(course, adas_browser, ada):
    elsewhere = SectionFactory(course__instructor=ada)
    lesson = course.lessons.get(title="one")
    body = {"section": str(elsewhere.uid), "position": 1}

    assert send(adas_browser, "post", f"/lessons/{lesson.uid}/move/", body).status_code == 404
    assert send(adas_browser, "post", "/courses/rivers/lessons/", {**body, "kind": "text"}).status_code == 404


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/courses/rivers/lessons/", {"section": "x", "kind": "essay"}, "kind"),
        ("/courses/rivers/sections/", {"title": " "}, "title"),
        ("/courses/rivers/sections/", {"title": "x" * 121}, "title"),
    ],
)
def test_invalid_input_is_reported_by_field(course, adas_browser, path, body, field):
    answer = send(adas_browser, "post", path, body)

    assert answer.status_code == 400
    assert answer.json()["code"] == "VALIDATION_FAILED"
    assert field in answer.json()["fields"]


def test_a_course_under_review_refuses_edits_with_a_reason(course, adas_browser):
    Course.objects.filter(pk=course.pk).update(status="review")

    for method, path, body in calls(course)[1:]:
        answer = send(adas_browser, method, path, body)
        assert (answer.status_code, answer.json()["code"]) == (409, "COURSE_UNDER_REVIEW"), path


def test_an_author_can_attach_only_their_own_videos(course, adas_browser, ada, eve):
    lesson, own = course.lessons.get(title="two"), VideoFactory(owner=ada)

    answer = send(adas_browser, "put", f"/lessons/{lesson.uid}/video/", {"video": str(own.uid)})
    assert answer.json()["video"] == str(own.uid)
    for foreign in (VideoFactory(owner=eve).uid, uuid4()):
        answer = send(adas_browser, "put", f"/lessons/{lesson.uid}/video/", {"video": str(foreign)})
        assert (answer.status_code, answer.json()["code"]) == (404, "VIDEO_NOT_FOUND")

    lesson.refresh_from_db()
    assert lesson.video == own


def test_authors_list_the_video_lessons_that_can_receive_an_upload(
    course, adas_browser, ada, eve, browser_of, leo, django_assert_max_num_queries
):
    shown = LessonFactory(section=course.sections.first(), title="shown", kind="video", video=VideoFactory(owner=ada))
    LessonFactory(section__course__instructor=eve, title="foreign", kind="video")
    LessonFactory(section__course__instructor=ada, section__course__status="archived", title="archived", kind="video")

    def titles(query):
        return [one["title"] for one in send(adas_browser, "get", f"/teaching/lessons/{query}").json()["results"]]

    with django_assert_max_num_queries(4):
        assert titles("?course=rivers") == ["two", "shown"]
    assert titles("?open=1") == ["two"]
    VideoAsset.objects.filter(pk=shown.video.pk).update(stage="failed", failure="corrupt_file")
    assert titles("?open=1") == ["two", "shown"], "a failed video can be replaced by another"
    assert titles(f"?video={shown.video.uid}&video={uuid4()}") == ["shown"]
    assert send(adas_browser, "get", "/teaching/lessons/?video=nonsense").status_code == 404
    assert send(browser_of(leo), "get", "/teaching/lessons/").status_code == 403
