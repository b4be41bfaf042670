"""The upload page: permissions, limits and the lesson in its address."""

import json
import re

import pytest

from studyplatform.site.teaching import uploads
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.files import VideoFactory

ADDRESS = "/dashboard/instructor/upload/"


def props_of(response):
    page = response.content.decode()
    return json.loads(
        re.search(r'data-island="uploader".*?<script type="application/json">(.*?)</script>', page, re.S)[1]
    )


def test_only_instructors_and_admins_can_open_the_page(browser_of, client, ada, leo, sam):
    assert browser_of(ada).get(ADDRESS).status_code == 200
    assert browser_of(sam).get(ADDRESS).status_code == 200
    assert browser_of(leo).get(ADDRESS)["Location"] == "/"
    assert client.get(ADDRESS)["Location"] == f"/auth/login?next={ADDRESS}"


def test_the_page_shows_the_limits_of_the_server(browser_of, ada, settings):
    settings.UPLOAD_LIMITS = {"video": 3 * 2**30, "file": 2**30}
    settings.VIDEO_FORMATS = ("MP4", "WebM")

    response = browser_of(ada).get(ADDRESS)

    limits = props_of(response)["limits"]
    assert (limits["video"], limits["videoLabel"], limits["formats"]) == (3 * 2**30, "3 GB", ["MP4", "WebM"])
    assert "MP4, WebM, up to 3 GB each." in response.content.decode()


def test_the_page_links_only_to_existing_pages(browser_of, ada):
    links = ["/help/video-compression", "/help/supported-formats", "/settings/storage"]
    assert props_of(browser_of(ada).get(ADDRESS))["links"] == links
    assert [uploads._resolves(each) for each in (*links, "/nowhere")] == [True] * 3 + [False]


def test_the_page_gets_the_lesson_from_its_address(browser_of, ada):
    lesson = LessonFactory(section__course__instructor=ada, kind="video", title="The fall")

    target = props_of(browser_of(ada).get(f"{ADDRESS}?lesson={lesson.uid}"))["target"]

    assert (target["uid"], target["title"]) == (str(lesson.uid), "The fall")


@pytest.mark.parametrize("case", ["nonsense", "foreign", "text", "review"])
def test_an_invalid_lesson_is_ignored(browser_of, ada, eve, case):
    mine = {"section__course__instructor": ada, "kind": "video"}
    asked = {
        "nonsense": lambda: "x",
        "foreign": lambda: LessonFactory(section__course__instructor=eve, kind="video").uid,
        "text": lambda: LessonFactory(section__course__instructor=ada).uid,
        "review": lambda: LessonFactory(**mine, section__course__status="review").uid,
    }[case]()

    assert props_of(browser_of(ada).get(f"{ADDRESS}?lesson={asked}"))["target"] is None


def test_the_page_without_scripts_lists_uploads_with_few_queries(browser_of, ada, django_assert_max_num_queries):
    VideoFactory.create_batch(40, owner=ada)
    VideoFactory(filename="foreign.mp4")
    VideoFactory(owner=ada, filename="broken.avi", stage="failed", failure="corrupt_file")
    CourseFactory(instructor=ada)
    browser = browser_of(ada)

    with django_assert_max_num_queries(9):
        page = browser.get(ADDRESS).content.decode()

    assert page.count("job__name") == 12
    assert "broken.avi" in page
    assert "Corrupt file" in page
    assert "foreign.mp4" not in page
